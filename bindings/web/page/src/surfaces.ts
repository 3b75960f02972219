// User interfaces of Roblox in the world: on the faces of parts, and facing the camera.

import * as three from "three";
import { matrixOf } from "./frames";
import { draw, type Gui, type Images } from "./gui";
import { numbers } from "./tree";

const axis = (x: number, y: number, z: number) => new three.Vector3(x, y, z);
type Face = [right: three.Vector3, up: three.Vector3, width: number, height: number, depth: number];
/** The directions of a face of a part, seen from outside, and its lengths. */
const FACES: Record<string, (size: { x: number; y: number; z: number }) => Face> = {
  Right: ({ x, y, z }) => [axis(0, 0, -1), axis(0, 1, 0), z, y, x],
  Left: ({ x, y, z }) => [axis(0, 0, 1), axis(0, 1, 0), z, y, x],
  Back: ({ x, y, z }) => [axis(1, 0, 0), axis(0, 1, 0), x, y, z],
  Front: ({ x, y, z }) => [axis(-1, 0, 0), axis(0, 1, 0), x, y, z],
  Top: ({ x, y, z }) => [axis(-1, 0, 0), axis(0, 0, 1), x, z, y],
  Bottom: ({ x, y, z }) => [axis(1, 0, 0), axis(0, 0, 1), x, z, y],
};

/** The objects that show GUIs. `height` is that of the view in pixels, and `field` how many degrees it sees. */
export function surfaces(guis: Gui[], images: Images, height: number, field: number) {
  const made: three.Object3D[] = [];
  for (const gui of guis) {
    const { at, frames = [], size } = gui;
    if (at.Enabled === "false" || !frames.length) continue;
    const frame = frames.map(matrixOf).reduce((all, one) => all.multiply(one));
    const [x = 0, y = 0, z = 0] = numbers(size);
    const [u, v, across, up, depth] = FACES[at.Face ?? ""]?.({ x, y, z }) ?? [];
    const isSurface = gui.kind === "SurfaceGui" && u !== undefined;
    const [xs = 0, xo = 0, ys = 0, yo = 0] = numbers(at.Size);
    const perStud = Number(at.PixelsPerStud ?? 50) || 50;
    const given = at.SizingMode === "PixelsPerStud" ? [across * perStud, up * perStud] : numbers(at.CanvasSize);
    const pixels = (isSurface ? given : [xs * perStud + xo, ys * perStud + yo]).map((length) => Math.max(1, Math.min(length, 8192)));
    const scale = Math.min(1, 2048 / Math.max(...pixels));
    const canvas = Object.assign(document.createElement("canvas"), { width: Math.ceil(pixels[0] * scale), height: Math.ceil(pixels[1] * scale) });
    draw(canvas, [gui], images, pixels);
    const map = new three.CanvasTexture(canvas);
    Object.assign(map, { colorSpace: three.SRGBColorSpace, anisotropy: 4 });
    const look = { map, transparent: true, toneMapped: false, depthWrite: false, depthTest: at.AlwaysOnTop !== "true" };
    if (isSurface) {
      const one = new three.Mesh(new three.PlaneGeometry(across, up), new three.MeshBasicMaterial({ ...look, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2 }));
      const out = new three.Vector3().crossVectors(u, v);
      one.matrixAutoUpdate = false;
      one.matrix.makeBasis(u, v, out).setPosition(out.clone().multiplyScalar(depth / 2 + 0.005 + Number(at.ZOffset ?? 0) * 0.001)).premultiply(frame);
      made.push(one);
      continue;
    }
    if (gui.kind === "SurfaceGui") continue;
    // A size in studs, or in pixels of the screen, whatever the distance is.
    const one = new three.Sprite(new three.SpriteMaterial({ ...look, sizeAttenuation: xs + ys > 0 }));
    const pixel = (2 * Math.tan((field * Math.PI) / 360)) / height;
    one.scale.set(xs + ys > 0 ? pixels[0] / perStud : xo * pixel, xs + ys > 0 ? pixels[1] / perStud : yo * pixel, 1);
    one.position.setFromMatrixPosition(frame).add(new three.Vector3(...numbers(at.StudsOffsetWorldSpace))).add(new three.Vector3(...numbers(at.StudsOffset)));
    one.userData.reach = Number(at.MaxDistance) || Infinity;
    made.push(one);
  }
  return made;
}
