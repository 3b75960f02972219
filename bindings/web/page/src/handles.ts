// Handles in the 3D view that move, turn and scale what is selected. What is dragged is one edit when it is let go.

import * as three from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import { frameOf, matrixOf, numbers, short } from "./frames";
import type { View } from "./three";
import type { Key } from "./pack";

export type Handle = "move" | "turn" | "scale";

export interface Part {
  path: string;
  frame: string;
  size: string;
}

/** What handles change: parts, and the pivots of models. */
export interface Frames {
  parts: Part[];
  models: { path: string; frame: string }[];
}

export interface Snap {
  /** A distance, and an angle in degrees; 0 for any. */
  grid: number;
  angle: number;
  isLocal: boolean;
}

/** The changes of properties that a motion, and a factor for sizes, make. */
export function changed({ parts, models }: Frames, delta: three.Matrix4, factor: three.Vector3, pivot: three.Vector3) {
  const isScaled = factor.x !== 1 || factor.y !== 1 || factor.z !== 1;
  const place = (frame: string) => {
    const own = matrixOf(frame);
    if (!isScaled) return frameOf(own.premultiply(delta));
    const at = new three.Vector3().setFromMatrixPosition(own);
    return frameOf(own.setPosition(at.sub(pivot).multiply(parts.length > 1 ? factor : new three.Vector3(1, 1, 1)).add(pivot)));
  };
  const frames = parts.map(({ path, frame }) => ({ path: `${path}.CFrame`, value: place(frame) }));
  const pivots = models.map(({ path, frame }) => ({ path: `${path}.WorldPivotData`, value: place(frame) }));
  const size = (text: string) => numbers(text).map((value, axis) => short(value * factor.getComponent(axis))).join(", ");
  const sizes = isScaled ? parts.map(({ path, size: text }) => ({ path: `${path}.size`, value: size(text) })) : [];
  return [...(isScaled && parts.length < 2 ? [] : frames), ...pivots, ...sizes];
}

export class Handles {
  private controls: TransformControls;
  private proxy = new three.Object3D();
  private start = new three.Matrix4();
  private frames?: Frames;
  private keys: Key[] = [];
  private grid = 0;
  private mode: Handle = "move";
  /** Called with the changes when the handle is let go, and whether these are of a copy. */
  done?: (changes: { path: string; value: string }[], isCopy: boolean) => void;
  /** Whether Alt is held, with which a copy is dragged. */
  private isCopy = false;

  constructor(private readonly view: View) {
    this.controls = new TransformControls(view.camera, view.canvas);
    this.controls.addEventListener("change", () => view.soon());
    this.controls.addEventListener("dragging-changed", ({ value }) => {
      view.controls.enabled = !value;
      view.isDragging = Boolean(value);
      if (!value) this.end();
    });
    this.controls.addEventListener("objectChange", () => this.preview());
    view.canvas.addEventListener("pointerup", ({ altKey }) => (this.isCopy = altKey), { capture: true });
    view.world.add(this.proxy, this.controls.getHelper());
    this.hide();
  }

  hide() {
    this.frames = undefined;
    this.controls.detach();
    this.view.soon();
  }

  /** Shows handles for parts, which have these keys in the view. */
  show(handle: Handle, frames: Frames, keys: Key[], { grid, angle, isLocal }: Snap) {
    if (!frames.parts.length) return this.hide();
    [this.frames, this.keys] = [frames, keys];
    const [one] = frames.parts;
    const isOne = frames.parts.length === 1;
    const center = isOne ? new three.Vector3().setFromMatrixPosition(matrixOf(one.frame)) : this.view.selected.getCenter(new three.Vector3());
    this.proxy.position.copy(center);
    this.proxy.quaternion.identity();
    // One part is scaled along its own axes; several are scaled alike, since a turned part cannot be sheared.
    if (isLocal || (isOne && handle === "scale")) this.proxy.quaternion.setFromRotationMatrix(matrixOf(one.frame));
    this.proxy.scale.setScalar(1);
    this.proxy.updateMatrixWorld(true);
    this.start.copy(this.proxy.matrixWorld);
    this.controls.setMode(({ move: "translate", turn: "rotate", scale: "scale" } as const)[handle]);
    this.controls.setSpace(isLocal ? "local" : "world");
    [this.grid, this.mode] = [grid, handle];
    this.controls.setRotationSnap(angle ? (angle * Math.PI) / 180 : null);
    this.controls.attach(this.proxy);
    this.view.soon();
  }

  /** The motion since the drag began, and the factor of sizes. */
  private motion() {
    const [at, turn, factor] = [new three.Vector3(), new three.Quaternion(), new three.Vector3()];
    this.proxy.updateMatrixWorld(true);
    this.proxy.matrixWorld.decompose(at, turn, factor);
    if (this.frames && this.frames.parts.length > 1) {
      const one = [factor.x, factor.y, factor.z].reduce((most, value) => (Math.abs(value - 1) > Math.abs(most - 1) ? value : most));
      factor.setScalar(one);
    }
    factor.clampScalar(0.01, 1e6);
    const delta = new three.Matrix4().compose(at, turn, new three.Vector3(1, 1, 1)).multiply(this.start.clone().invert());
    return { delta, factor, pivot: at };
  }

  /** The place that is moved in whole steps from where it was, along the axes of the handles. */
  private snap() {
    const from = new three.Vector3().setFromMatrixPosition(this.start);
    const axes = new three.Quaternion().setFromRotationMatrix(this.start);
    const offset = this.proxy.position.clone().sub(from).applyQuaternion(axes.clone().invert());
    for (const axis of ["x", "y", "z"] as const) offset[axis] = Math.round(offset[axis] / this.grid) * this.grid;
    this.proxy.position.copy(offset.applyQuaternion(axes).add(from));
  }

  /** Moves, turns or scales by what is typed: studs, degrees about x, y and z, or factors. Returns why it cannot. */
  by(text: string) {
    const all = numbers(text);
    const [x, y, z] = all.length === 1 && this.mode === "scale" ? [all[0], all[0], all[0]] : all;
    if (![x, y, z].every(Number.isFinite) || all.length > 3) return "Type three numbers: x, y, z.";
    if (this.mode === "scale" && this.frames!.parts.length > 1 && (x !== y || y !== z)) return "Several parts are scaled alike: type one number.";
    const { position, quaternion, scale } = this.proxy;
    const axes = quaternion.clone();
    if (this.mode === "move") position.add(new three.Vector3(x, y, z).applyQuaternion(axes));
    else if (this.mode === "scale") scale.set(x, y, z);
    else quaternion.multiply(new three.Quaternion().setFromEuler(new three.Euler(...([x, y, z].map(three.MathUtils.degToRad) as [number, number, number]), "YXZ")));
    this.isCopy = false;
    this.end();
    return "";
  }

  private preview() {
    if (this.mode === "move" && this.grid) this.snap();
    const { delta, factor } = this.motion();
    const scale = this.start.clone().scale(factor).multiply(this.start.clone().invert());
    this.view.move(this.keys, delta.multiply(scale));
  }

  private end() {
    const { frames } = this;
    if (!frames) return;
    const { delta, factor, pivot } = this.motion();
    const isMoved = delta.elements.some((value, at) => Math.abs(value - (at % 5 ? 0 : 1)) > 1e-7) || factor.x !== 1 || factor.y !== 1 || factor.z !== 1;
    if (isMoved) this.done?.(changed(frames, delta, factor, pivot), this.isCopy && this.mode !== "scale");
  }
}
