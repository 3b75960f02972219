// Prepares scenes in the worker, so that the page only has to draw them: where everything is, what is drawn by one call,
// and the boxes around it.

import type { Asset, Scene } from "rezkit";

/** The names of nodes that contain collision shapes. */
const HULLS = /_(PHYS|BOUNDS|HULL\d+)$/;
/** Meshes that at least this many nodes share are drawn by one call. */
const SHARED = 20;
/** What is farther away from the origin is not drawn. */
const FAR = 1e12;
/** The id of no instance. */
const NONE = 2 ** 32 - 1;
/** The name of a material of a Roblox document: that of Studio, and its colour. */
export const MATERIAL = /(?<=^Terrain\.)\w+$|^\w+(?= [0-9A-F]{6}$)/;
/** The colour of what has no material. */
export const PLAIN = [0.6, 0.62, 0.66, 1];

/** The least and the largest x, y and z. */
export type Box = [number, number, number, number, number, number];
/** What identifies an instance, or another node by its path. */
export type Key = number | string;

/** A mesh at one place, or at many. */
export interface Draw {
  mesh: number;
  nodes: Uint32Array<ArrayBuffer>;
  /** The instances or the paths that are shown. */
  keys: (Key | null)[];
  /** A matrix of 16 numbers for each place. */
  matrices: Float32Array<ArrayBuffer>;
  /** For each primitive, the colours of the places, if these differ. */
  colors?: Float32Array<ArrayBuffer>[];
  box: Box;
  isShared: boolean;
  isHull: boolean;
}

type Primitives = ({ material: number | null } & ReturnType<Scene["primitive"]>)[];
type Meshes = { name: string; weights: number[]; primitives: Primitives }[];

const EMPTY: Box = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];

function join(into: Box, [a, b, c, d, e, f]: Box) {
  into[0] = Math.min(into[0], a), into[1] = Math.min(into[1], b), into[2] = Math.min(into[2], c);
  into[3] = Math.max(into[3], d), into[4] = Math.max(into[4], e), into[5] = Math.max(into[5], f);
}

/** The box around a box that a matrix moves. */
function moved([a, b, c, d, e, f]: Box, m: Float64Array, at: number): Box {
  const [x, y, z] = [(a + d) / 2, (b + e) / 2, (c + f) / 2];
  const [w, h, l] = [(d - a) / 2, (e - b) / 2, (f - c) / 2];
  const found = [...EMPTY] as Box;
  for (let axis = 0; axis < 3; axis += 1) {
    const middle = m[at + axis] * x + m[at + 4 + axis] * y + m[at + 8 + axis] * z + m[at + 12 + axis];
    const reach = Math.abs(m[at + axis]) * w + Math.abs(m[at + 4 + axis]) * h + Math.abs(m[at + 8 + axis]) * l;
    found[axis] = middle - reach;
    found[axis + 3] = middle + reach;
  }
  return found;
}

/** Writes the matrix of a transform, in the axes of a matrix in the same list. */
function place(all: Float64Array, at: number, { translation: t, rotation: [x, y, z, w], scale: s }: any, above: number | undefined) {
  const own = [
    (1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y + z * w) * s[0], 2 * (x * z - y * w) * s[0], 0,
    2 * (x * y - z * w) * s[1], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z + x * w) * s[1], 0,
    2 * (x * z + y * w) * s[2], 2 * (y * z - x * w) * s[2], (1 - 2 * (x * x + y * y)) * s[2], 0,
    t[0], t[1], t[2], 1,
  ];
  if (above === undefined) return all.set(own, at);
  for (let column = 0; column < 16; column += 4) {
    for (let line = 0; line < 4; line += 1) {
      let sum = 0;
      for (let step = 0; step < 4; step += 1) sum += all[above + step * 4 + line] * own[column + step];
      all[at + column + line] = sum;
    }
  }
}

/** Replaces NaN and infinite coordinates by 0, so that the other vertices are drawn. Returns the box around them. */
function bounded(primitives: Primitives): Box {
  const box = [...EMPTY] as Box;
  for (const { positions } of primitives) {
    for (let at = 0; at < positions.length; at += 1) {
      if (!Number.isFinite(positions[at])) positions[at] = 0;
      const [value, axis] = [positions[at], at % 3];
      if (value < box[axis]) box[axis] = value;
      if (value > box[axis + 3]) box[axis + 3] = value;
    }
  }
  return box[0] <= box[3] ? box : [0, 0, 0, 0, 0, 0];
}

function hash(values: any) {
  if (!values) return 0;
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  let sum = bytes.length;
  for (let at = 0; at < bytes.length; at += 1) sum = (Math.imul(sum, 31) + bytes[at]) | 0;
  return sum;
}

/** A key that meshes have in common if only their colours differ. Large ones have a key of their own. */
function shape(primitives: Primitives, materials: any[], mesh: number) {
  if (primitives.some(({ positions, targets }) => positions.length > 10_000 || targets.length)) return `${mesh}`;
  const key = ({ positions, indices, normals, uvs, colors, material }: Primitives[0]) => {
    const { name, base_color, ...look } = materials[material ?? -1] ?? {};
    return [JSON.stringify(look), MATERIAL.exec(name ?? "")?.[0], base_color?.[3], ...[positions, indices, normals, colors, ...uvs].map(hash)];
  };
  return primitives.map(key).join();
}

/** The box around what is together: without the few boxes that are many times farther away than the others. */
function core(boxes: Box[], all: Box): Box {
  if (boxes.length < SHARED) return all;
  const centers = boxes.map(([a, b, c, d, e, f]) => [(a + d) / 2, (b + e) / 2, (c + f) / 2]);
  const middle = [0, 1, 2].map((axis) => Float64Array.from(centers, (center) => center[axis]).sort()[centers.length >> 1]);
  const far = Float64Array.from(centers, (center) => Math.hypot(...center.map((value, axis) => value - middle[axis])));
  const limit = 4 * far.slice().sort()[Math.floor(far.length * 0.75)];
  const found = [...EMPTY] as Box;
  boxes.forEach((box, at) => far[at] <= limit && join(found, box));
  return found;
}

/** A scene as plain objects and typed arrays. One on another rig than the asset's shows nothing that can be selected. */
export function pack(asset: Asset, scene: Scene, isOwn = true) {
  const { nodes, materials } = scene as { nodes: any[]; materials: any[] };
  const meshes: Meshes = scene.meshes.map(({ name, weights, primitives }, mesh) => ({
    name,
    weights,
    primitives: primitives.map(({ material }, index) => ({ material, ...scene.primitive(mesh, index) })),
  }));
  const ids = isOwn && asset.kind.hasInstances ? asset.nodeIds(scene) : undefined;
  const keys: (Key | null)[] = ids ? Array.from(ids, (id) => (id === NONE ? null : id)) : isOwn ? asset.nodePaths(scene) : nodes.map(() => null);
  // In double precision, as the transforms are.
  const world = new Float64Array(nodes.length * 16);
  const isHidden = new Uint8Array(nodes.length);
  // A stack instead of recursion, so that deep scenes cannot overflow the call stack.
  const open: [number, number | undefined][] = scene.roots.map((root) => [root, undefined]);
  for (let next = open.pop(); next; next = open.pop()) {
    const [index, above] = next;
    place(world, index * 16, nodes[index].transform, above === undefined ? undefined : above * 16);
    isHidden[index] = Number(nodes[index].hidden || (above !== undefined && isHidden[above]));
    // A node that shows nothing of its own belongs to the node above it.
    if (above !== undefined) keys[index] ??= keys[above];
    for (const child of nodes[index].children) open.push([child, index]);
  }
  const boxes = meshes.map(({ primitives }) => bounded(primitives));
  const isAnimated = scene.animations.length > 0;
  let far = 0;
  const users = new Map<string, { meshes: Set<number>; nodes: number[] }>();
  const alone: number[] = [];
  const shapes = new Map<number, string>();
  nodes.forEach(({ name, mesh, skin, weights }, index) => {
    if (mesh === null || mesh === undefined || isHidden[index]) return;
    if ([12, 13, 14].some((at) => !(Math.abs(world[index * 16 + at]) < FAR))) return void (far += 1);
    if (isAnimated || (skin ?? null) !== null || weights.length || HULLS.test(name)) return void alone.push(index);
    if (!shapes.has(mesh)) shapes.set(mesh, shape(meshes[mesh].primitives, materials, mesh));
    const key = shapes.get(mesh)!;
    if (!users.has(key)) users.set(key, { meshes: new Set(), nodes: [] });
    users.get(key)!.meshes.add(mesh);
    users.get(key)!.nodes.push(index);
  });
  const [all, each]: [Box, Box[]] = [[...EMPTY], []];
  const color = (mesh: number, primitive: number): number[] => (materials[meshes[mesh].primitives[primitive].material ?? -1]?.base_color ?? PLAIN).slice(0, 3);
  const draw = (mesh: number, of: number[], isMixed: boolean, isShared: boolean): Draw => {
    const matrices = new Float32Array(of.length * 16);
    const box = [...EMPTY] as Box;
    of.forEach((index, at) => {
      matrices.set(world.subarray(index * 16, index * 16 + 16), at * 16);
      const own = moved(boxes[nodes[index].mesh], world, index * 16);
      each.push(own);
      join(box, own);
    });
    join(all, box);
    const colors = isMixed ? meshes[mesh].primitives.map((_, primitive) => Float32Array.from(of.flatMap((index) => color(nodes[index].mesh, primitive)))) : undefined;
    return { mesh, nodes: Uint32Array.from(of), keys: of.map((index) => keys[index]), matrices, colors, box, isShared, isHull: HULLS.test(nodes[of[0]].name) };
  };
  const draws: Draw[] = [];
  for (const { meshes, nodes: of } of users.values()) {
    if (of.length >= SHARED) draws.push(draw([...meshes][0], of, meshes.size > 1, true));
    else alone.push(...of);
  }
  // In the order of the file, so that what is together appears together.
  for (const index of alone.sort((a, b) => a - b)) draws.push(draw(nodes[index].mesh, [index], false, false));
  // A place has a mesh for each colour, of which those that are drawn as others need not be sent.
  const drawn = new Set(draws.map(({ mesh }) => mesh));
  const isFlat = draws.length > 0 && !isAnimated && !scene.skins.length;
  const cameras = nodes.flatMap(({ camera, extras }, index) => (camera ? [{ matrix: [...world.slice(index * 16, index * 16 + 16)], isCurrent: Boolean(extras.CurrentCamera) }] : []));
  return {
    name: scene.name,
    /** The nodes, if something moves them. */
    nodes: isFlat ? undefined : nodes,
    roots: scene.roots,
    draws,
    meshes: meshes.map((mesh, index) => (drawn.has(index) ? mesh : { ...mesh, primitives: [] })),
    materials,
    images: scene.images.map((image, index) => ({ ...image, bytes: scene.image(index) })),
    skins: scene.skins.map((skin, index) => ({ ...skin, inverseBind: scene.inverseBind(index) })),
    animations: scene.animations.map((animation, index) => ({
      ...animation,
      channels: animation.channels.map((channel, number) => ({ ...channel, ...scene.channel(index, number) })),
    })),
    cameras,
    front: scene.front,
    far,
    box: all,
    core: core(each, all),
    extras: scene.extras,
    losses: scene.losses,
  };
}
/** A scene, and the figure of another rig that moves in the same way. */
export type SceneData = ReturnType<typeof pack> & { other?: SceneData };
