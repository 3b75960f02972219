// Arranges what is selected: groups, alignment, even distances, and what lies on the ground. Each is one edit.

import * as three from "three";
import { type Doc, many, names, parentOf, type Row, say, tops } from "./files";
import { matrixOf } from "./frames";
import { numbers } from "./tree";
import { changed, type Frames } from "./handles";
import type { View } from "./three";

/** A part, or a model with all its parts, and the box around them. */
interface Body {
  frames: Frames;
  box: three.Box3;
}

const ONE = new three.Vector3(1, 1, 1);
const AXES = ["x", "y", "z"] as const;

/** The box around a part, whatever it is shaped like. */
function around(frame: string, size: string) {
  const half = new three.Vector3(...numbers(size)).multiplyScalar(0.5);
  return new three.Box3(half.clone().negate(), half).applyMatrix4(matrixOf(frame));
}

/** The bodies of what is selected, of those that have parts. */
async function bodies(doc: Doc): Promise<Body[]> {
  const paths = tops(doc.selection.value);
  const { parts, models } = await doc.ask<Frames>("frames", [paths], 0);
  const found = new Map(paths.map((path): [string, Body] => [path, { frames: { parts: [], models: [] }, box: new three.Box3() }]));
  const of = (path: string): Body => found.get(path) ?? of(parentOf(path));
  for (const part of parts) {
    const { frames, box } = of(part.path);
    frames.parts.push(part);
    box.union(around(part.frame, part.size));
  }
  for (const model of models) of(model.path).frames.models.push(model);
  return [...found.values()].filter(({ frames }) => frames.parts.length);
}

/** Moves bodies, each by its own distance. */
async function shift(doc: Doc, label: string, all: Body[], by: (three.Vector3 | undefined)[]) {
  const moved = all.flatMap(({ frames }, at) => (by[at] && by[at].length() > 1e-6 ? [{ frames, by: by[at] }] : []));
  if (!moved.length) return say("Nothing had to be moved.");
  const edits = moved.flatMap(({ frames, by }) => changed(frames, new three.Matrix4().setPosition(by), ONE, by));
  const of = moved.flatMap(({ frames }) => [...frames.parts, ...frames.models].map(({ path }) => path));
  await doc.edit(`${label} ${many(moved.length, "instance")}`, edits.map((edit) => ({ do: "set" as const, ...edit })), { of, names: ["CFrame"] });
}

/** Brings the low ends (-1), the middles (0) or the high ends (1) of what is selected to where those of all of it are. */
export async function align(doc: Doc, axis: number, side: number) {
  const all = await bodies(doc);
  const at = ({ min, max }: three.Box3) => (min.getComponent(axis) * (1 - side) + max.getComponent(axis) * (1 + side)) / 2;
  const to = at(all.reduce((sum, { box }) => sum.union(box), new three.Box3()));
  await shift(doc, "Aligned", all, all.map(({ box }) => new three.Vector3().setComponent(axis, to - at(box))));
}

/** Makes the gaps equal between what is selected; the first and the last one stay. */
export async function distribute(doc: Doc, axis: number) {
  const ends = ({ box: { min, max } }: Body) => [min.getComponent(axis), max.getComponent(axis)];
  const all = (await bodies(doc)).sort((a, b) => ends(a)[0] + ends(a)[1] - ends(b)[0] - ends(b)[1]);
  if (all.length < 3) return say("Select at least three things with parts.", true);
  const length = all.reduce((sum, one) => sum + ends(one)[1] - ends(one)[0], 0);
  const gap = (ends(all.at(-1)!)[1] - ends(all[0])[0] - length) / (all.length - 1);
  let next = ends(all[0])[0];
  const by = all.map((one) => {
    const offset = next - ends(one)[0];
    next += ends(one)[1] - ends(one)[0] + gap;
    return new three.Vector3().setComponent(axis, offset);
  });
  await shift(doc, `Distributed along ${AXES[axis]}:`, all, by);
}

/** Lowers what is selected until it lies on something. */
export async function drop(doc: Doc, view: View) {
  const all = (await bodies(doc)).sort((a, b) => a.box.min.y - b.box.min.y);
  const own = new Set(await doc.ask<Iterable<number>>("under", [doc.selection.value], 0));
  const dropped: three.Box3[] = [];
  const by = all.map(({ frames, box }) => {
    // What sinks into the ground is raised; a table is not put on the chair below it.
    const from = frames.parts.length > 1 ? box.min.y : (box.min.y + box.max.y) / 2;
    const isUnder = (other: three.Box3) => other.max.y <= from && AXES.every((axis) => axis === "y" || (other.min[axis] < box.max[axis] && other.max[axis] > box.min[axis]));
    const grounds = [view.under(box, from, own), ...dropped.filter(isUnder).map(({ max }) => max.y)].filter((y) => y !== undefined);
    const offset = grounds.length ? new three.Vector3(0, Math.max(...grounds) - box.min.y, 0) : undefined;
    dropped.push(box.clone().translate(offset ?? new three.Vector3()));
    return offset;
  });
  if (by.every((offset) => !offset)) return say("Nothing is below what is selected.", true);
  await shift(doc, "Dropped", all, by);
}

/** Puts what is selected into a new model. */
export async function group(doc: Doc) {
  const paths = tops(doc.selection.value);
  const parent = parentOf(paths[0]);
  const { count } = await doc.ask<Row>("node", [parent], 0);
  const taken = new Set((await doc.ask<Row[]>("rows", [parent, 0, count], 0)).map(({ name }) => name));
  let name = "Model";
  for (let at = 2; taken.has(name); at += 1) name = `Model${at}`;
  const to = parent ? `${parent}/${name}` : name;
  const moves = paths.map((path) => ({ do: "move" as const, path, parent: to }));
  await doc.edit(`Grouped ${names(paths)}`, [{ do: "add", class: "Model", parent, properties: [["Name", name]] }, ...moves]);
  await doc.reveal(to);
}

/** Puts what is in the selected models and folders beside them, and removes these. */
export async function ungroup(doc: Doc) {
  const nodes = await Promise.all(tops(doc.selection.value).map((path) => doc.ask<Row>("node", [path], 0)));
  const groups = nodes.filter(({ kind }) => kind === "Model" || kind === "Folder");
  if (!groups.length) return say("Select models or folders.", true);
  const children = await Promise.all(groups.map(({ path, count }) => doc.ask<Row[]>("rows", [path, 0, count], 0)));
  const moves = groups.flatMap(({ path }, at) => children[at].map((child) => ({ do: "move" as const, path: child.path, parent: parentOf(path) })));
  const inside = await doc.ask<Uint32Array>("ids", [moves.map(({ path }) => path)], 0);
  await doc.edit(`Ungrouped ${names(groups.map(({ path }) => path))}`, [...moves, ...groups.map(({ path }) => ({ do: "remove" as const, path }))]);
  doc.selection.value = await doc.ask<string[]>("paths", [inside], 0);
}
