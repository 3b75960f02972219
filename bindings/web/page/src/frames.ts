// Frames of Roblox as texts, and as matrices.

import * as three from "three";
import { numbers, short } from "./tree";


/** The matrix of a frame: a position and a rotation row by row, or the position alone. */
export function matrixOf(frame: string) {
  const [x, y, z, ...r] = numbers(frame);
  const [a, b, c, d, e, f, g, h, i] = r.length === 9 ? r : [1, 0, 0, 0, 1, 0, 0, 0, 1];
  return new three.Matrix4().set(a, b, c, x, d, e, f, y, g, h, i, z, 0, 0, 0, 1);
}

/** A matrix as a frame. A rotation by right angles is exact. */
export function frameOf({ elements: m }: three.Matrix4) {
  const exact = (value: number) => (Math.abs(value - Math.round(value)) < 1e-9 ? Math.round(value) + 0 : value);
  const rotation = [0, 4, 8, 1, 5, 9, 2, 6, 10].map((at) => exact(m[at]));
  return [...[12, 13, 14].map((at) => short(m[at])), ...rotation].join(", ");
}
