// Runs the engine in a worker, so that the page stays responsive. Calls run one after the other, and each answer contains
// the id of its call.

import { diff, init, load, needed, unpack } from "./kit/index.js";

/** The memory limit for each file, in bytes. */
const MAX_BYTES = 2 ** 30;
/** Files with more instances get no thumbnail in the list. */
const FEW = 5000;

/** The number of children that a search for a path reads at once. */
const STEP = 1000;

const assets = new Map();

const opened = (key) => {
  const asset = assets.get(key);
  if (!asset) throw Object.assign(new Error("not open"), { kind: "closed" });
  return asset;
};

/** The data that the list of files shows about an open asset. */
function about(asset) {
  const info = asset.describe();
  return { info, findings: asset.check(), targets: asset.targets() };
}

/** Loads a file, calls `get` with the asset, and frees the asset. */
function once(bytes, name, get) {
  const asset = load(bytes, { name, maxBytes: MAX_BYTES });
  try {
    return get(asset);
  } finally {
    asset.free();
  }
}

function thumbnail(asset) {
  const { facts } = asset.describe();
  if (facts.instances > FEW) return undefined;
  try {
    const scene = asset.scene();
    try {
      return scene.picture({ size: 96, background: "none" });
    } finally {
      scene.free();
    }
  } catch (error) {
    if (error.kind === "crash") throw error;
    return undefined;
  }
}

/** Copies a scene into plain objects and typed arrays, which can be sent to the page. */
function sceneData(scene, paths) {
  const meshes = scene.meshes.map(({ name, primitives }, mesh) => ({
    name,
    primitives: primitives.map((primitive, index) => ({
      material: primitive.material,
      ...scene.primitive(mesh, index),
    })),
  }));
  return {
    name: scene.name,
    nodes: scene.nodes.map((node, index) => ({ ...node, path: paths[index] })),
    roots: scene.roots,
    meshes,
    materials: scene.materials,
    images: scene.images.map((image, index) => ({ ...image, bytes: scene.image(index) })),
    skins: scene.skins.map((skin, index) => ({ ...skin, inverseBind: scene.inverseBind(index) })),
    animations: scene.animations.map((animation, index) => ({
      ...animation,
      channels: animation.channels.map((channel, number) => ({ ...channel, ...scene.channel(index, number) })),
    })),
    front: scene.front,
    losses: scene.losses,
  };
}

/** Finds the buffers of all typed arrays in a value, so that they can be transferred instead of copied. */
function buffers(value, found = new Set()) {
  if (ArrayBuffer.isView(value)) found.add(value.buffer);
  else if (value && typeof value === "object") for (const inner of Object.values(value)) buffers(inner, found);
  return found;
}

const calls = {
  start: (source) => init(source),
  /** Detects and checks a file for the list. If `key` is given, the file stays open. */
  scan: (bytes, name, key) => (key === undefined ? once(bytes, name, about) : calls.open(key, bytes, name)),
  /** Renders a thumbnail for the list, if the file is small. */
  thumbnail: (bytes, name) => once(bytes, name, thumbnail),
  unpack: (bytes) => unpack(bytes, { maxBytes: MAX_BYTES }),
  needed: (bytes, name) => needed(bytes, { name, maxBytes: MAX_BYTES }),
  /** Opens a file. If `known` is true, the page already has the data that `scan` returns, and the result omits it. */
  open(key, bytes, name, files, known) {
    calls.close(key);
    const asset = load(bytes, { name, files, maxBytes: MAX_BYTES });
    assets.set(key, asset);
    return { ...(known ? {} : about(asset)), root: { ...asset.tree } };
  },
  close(key) {
    assets.get(key)?.free();
    assets.delete(key);
  },
  rows: (key, path, from, max) =>
    opened(key).node(path).children(from, max).map((row) => ({ ...row })),
  /** The child index at each level, from the root to the node at a path. */
  trail(key, path) {
    const asset = opened(key);
    const steps = [];
    let above = asset.tree;
    while (above.path !== path) {
      let next;
      for (let from = 0; from < above.count && !next; from += STEP) {
        const children = above.children(from, STEP);
        const at = children.findIndex((child) => child.path === path || path.startsWith(`${child.path}/`));
        if (at < 0) continue;
        steps.push(from + at);
        next = children[at];
      }
      if (!next) throw Object.assign(new Error(`no node exists at the path ${path}`), { kind: "argument" });
      above = next;
    }
    return steps;
  },
  assets: (key) => opened(key).assets(),
  properties: (key, path) => opened(key).node(path).properties(),
  find(key, text, max) {
    const { nodes, all } = opened(key).find(text, max);
    return { rows: nodes.map((row) => ({ ...row })), all };
  },
  get: (key, path) => opened(key).get(path),
  set: (key, path, value) => opened(key).set(path, value),
  check: (key, profiles) => opened(key).check(profiles),
  scripts: (key) => opened(key).scripts(),
  convert: (key, to, options) => opened(key).convert(to, options),
  extract: (key) => opened(key).extract(),
  save: (key) => opened(key).save(),
  diff: (old, now, max) => diff(opened(old), opened(now), { max }),
  scene(key, options) {
    const scene = opened(key).scene(options);
    try {
      return sceneData(scene, opened(key).nodePaths(scene));
    } finally {
      scene.free();
    }
  },
  picture(key, options) {
    const scene = opened(key).scene();
    try {
      return scene.picture(options);
    } finally {
      scene.free();
    }
  },
};

onmessage = async ({ data: { id, call, args } }) => {
  try {
    const result = await calls[call](...args);
    postMessage({ id, result }, [...buffers(result)]);
  } catch (error) {
    if (error.kind === "crash") assets.clear();
    const { kind = "unexpected", path = "", offset = null } = error;
    postMessage({ id, error: { kind, path, offset, text: String(error.message ?? error) } });
  }
};
