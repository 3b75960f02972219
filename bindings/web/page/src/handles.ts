// Handles in the 3D view that move, turn and scale what is selected. What is dragged is one edit when it is let go.

import * as three from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import { frameOf, matrixOf } from "./frames";
import { numbers, short } from "./tree";
import type { View } from "./three";
import type { Key } from "./pack";

export type Handle = "move" | "turn" | "scale";

/** What handles change: parts, and the pivots of models. */
export interface Frames {
  parts: { path: string; frame: string; size: string }[];
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
  /** What is dragged, and where it was: along its axes, it is moved in whole steps. */
  private proxy = new three.Object3D();
  private start = new three.Group().add(this.proxy);
  private frames?: Frames;
  private keys: Key[] = [];
  private mode: Handle = "move";
  /** Called with the changes when the handle is let go, and whether these are of a copy. */
  done?: (changes: { path: string; value: string }[], isCopy: boolean) => void;
  /** Whether Alt is held, with which a copy is dragged. */
  private isCopy = false;

  constructor(private readonly view: View) {
    this.controls = new TransformControls(view.camera, view.canvas);
    this.controls.setSpace("local");
    this.controls.addEventListener("change", () => view.soon());
    this.controls.addEventListener("dragging-changed", ({ value }) => {
      view.controls.enabled = !value;
      view.isDragging = Boolean(value);
      if (!value) this.end();
    });
    this.controls.addEventListener("objectChange", () => this.preview());
    view.canvas.addEventListener("pointerup", ({ altKey }) => (this.isCopy = altKey), { capture: true });
    view.world.add(this.start, this.controls.getHelper());
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
    this.start.position.copy(center);
    this.start.quaternion.identity();
    // One part is scaled along its own axes; several are scaled alike, since a turned part cannot be sheared.
    if (isLocal || (isOne && handle === "scale")) this.start.quaternion.setFromRotationMatrix(matrixOf(one.frame));
    new three.Matrix4().decompose(this.proxy.position, this.proxy.quaternion, this.proxy.scale);
    this.start.updateMatrixWorld(true);
    this.mode = handle;
    this.controls.setMode(({ move: "translate", turn: "rotate", scale: "scale" } as const)[handle]);
    this.controls.setTranslationSnap(grid || null);
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
    const delta = new three.Matrix4().compose(at, turn, new three.Vector3(1, 1, 1)).multiply(this.start.matrixWorld.clone().invert());
    return { delta, factor, pivot: at };
  }

  /** Moves, turns or scales by what is typed: studs, degrees about x, y and z, or factors. Returns why it cannot. */
  by(text: string) {
    const all = numbers(text);
    const [x, y, z] = all.length === 1 && this.mode === "scale" ? [all[0], all[0], all[0]] : all;
    if (![x, y, z].every(Number.isFinite) || all.length > 3) return "Type three numbers: x, y, z.";
    if (this.mode === "scale" && this.frames!.parts.length > 1 && (x !== y || y !== z)) return "Several parts are scaled alike: type one number.";
    const { position, quaternion, scale } = this.proxy;
    if (this.mode === "move") position.set(x, y, z);
    else if (this.mode === "scale") scale.set(x, y, z);
    else quaternion.setFromEuler(new three.Euler(...([x, y, z].map(three.MathUtils.degToRad) as [number, number, number]), "YXZ"));
    this.isCopy = false;
    this.end();
    return "";
  }

  private preview() {
    const { delta, factor } = this.motion();
    const start = this.start.matrixWorld;
    const scale = start.clone().scale(factor).multiply(start.clone().invert());
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
