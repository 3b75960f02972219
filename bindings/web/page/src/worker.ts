// Runs the engine in a worker. The page runs two: one answers at once, the other computes what may take long. Each call
// comes with the state of its file that the page wants, which the worker brings about first.

import { PAGE, parentOf } from "./tree";
import type { Gui } from "./gui";
import { pack, type SceneData } from "./pack";
import { about, classes, detect, diff, init, load, unpack, type Asset, type Edit, type Handle, type Scene, type TreeNode } from "rezkit";

/** The memory limit for each file, in bytes. */
const MAX_BYTES = 2 ** 30;
/** The number of children that a search for a path reads at once. */
const STEP = 1000;

/** One change of a file, as one undo step. */
export interface Step {
  id: number;
  label: string;
  edits?: Edit[];
  /** The instances whose properties are set, and the names of these in files, if the step does nothing else. */
  of?: string[];
  names?: string[];
  /** The instances that look different after the step, by their ids; undefined if they are not known. */
  touched?: Uint32Array;
  /** The models of `insert`, by name. */
  models?: Record<string, Uint8Array>;
  /** The new content of a text file. */
  text?: string;
  /** Edited texts of an extracted project, by path. */
  pack?: Record<string, string>;
  /** Differences that are taken from another file, by their paths. */
  take?: { other: Blob; name: string; paths: string[] };
  /** The two other files of a merge. */
  merge?: { base: Blob; theirs: Blob; name: string };
}

/** How a file gets to the state that the page wants: opened from bytes, or as it is, and then changed by steps. */
export interface Sync {
  key: number;
  open?: { file: Blob; base: number; name: string; path: string };
  steps: Step[];
}

/** What is searched in the lines of scripts, and what replaces it. */
export interface Grep {
  text: string;
  isRegex: boolean;
  isCase: boolean;
  replacement?: string;
}

/** The scripts with matches: the first lines of them, and the numbers of all. */
export interface Grepped {
  scripts: { path: string; lines: { line: number; text: string; spans: [number, number][]; after?: string }[] }[];
  /** Scripts with matches, all scripts, and matches. */
  count: number;
  all: number;
  matches: number;
  /** Scripts that are no text. They are searched, but not changed. */
  skipped: number;
  isCut: boolean;
}

/** The largest numbers of user interfaces that are drawn, and of the objects in them. */
const [GUIS, OBJECTS] = [200, 3000];
/** The largest number of lines that a search lists, and of characters of a line. */
const [LINES, WIDTH] = [1000, 400];

/** The bytes that earlier states of a file may hold. One is kept in any case. */
const KEPT = 2 ** 27;

/** A file that is open; the step that led to its state, 0 for none; and its states before steps, by the steps that led to them. */
interface Open {
  asset: Asset;
  base: number;
  name: string;
  path: string;
  last: number;
  states: Map<number, Handle>;
}

let siblings = new Map<string, Blob>();
const opened = new Map<number, Open>();
const reader = new FileReaderSync();

const of = (key: number): Asset => {
  const found = opened.get(key);
  if (!found) throw Object.assign(new Error("the file is not open"), { kind: "closed" });
  return found.asset;
};

/** The ids of the last paths that were asked for; a search for many takes time. */
let known: { asset: Asset; paths: string[]; ids: Uint32Array<ArrayBuffer> } | undefined;

function idsOf(asset: Asset, paths: string[]) {
  const isKnown = known?.asset === asset && known.paths.length === paths.length && paths.every((path, at) => path === known!.paths[at]);
  if (!isKnown) known = { asset, paths, ids: asset.ids(paths) };
  // A copy, since the page gets it.
  return known!.ids.slice();
}

/** A path without `..`. */
const normal = (path: string) => path.split("/").reduce<string[]>((steps, step) => (step === ".." ? steps.slice(0, -1) : [...steps, step]), []).join("/");

/** The bytes of a file that was opened together with this one. */
function beside(path: string) {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return (kind: string, name: string) => {
    const known = kind === "id" ? undefined : (siblings.get(normal(folder + name)) ?? siblings.get(name));
    const fits = (other: string) => (kind === "id" ? /[^/.]*(?=(\.[^/]*)?$)/.exec(other)![0] === name : kind === "local" && other.endsWith(`/${name}`));
    const found = known ?? [...siblings].findLast(([other]) => fits(other))?.[1];
    return found && bytesOf(found);
  };
}

const bytesOf = (file: Blob) => new Uint8Array(reader.readAsArrayBuffer(file));
const opening = (bytes: Uint8Array, name: string) => load(bytes, { name, maxBytes: MAX_BYTES });

/** Uses an object of the engine, and frees it. */
function using<O extends Asset | Scene, T>(made: O, get: (made: O) => T): T {
  try {
    return get(made);
  } finally {
    made.free();
  }
}

function put(key: number, bytes: Uint8Array, { name, path, base }: { name: string; path: string; base: number }) {
  calls.close(key);
  opened.set(key, { asset: load(bytes, { name, files: beside(path), maxBytes: MAX_BYTES }), base, name, path, last: 0, states: new Map() });
}

/** Keeps the present state of a file. Of those before, the first and the last ones stay. */
function keep({ asset, last, states }: Open) {
  if (!states.has(last)) states.set(last, asset.state());
  for (const [step, state] of [...states].slice(1, -Math.max(1, Math.floor(KEPT / asset.held)))) {
    state.free();
    states.delete(step);
  }
}

/** Brings a file to its kept state after the most of some steps, or opens it. Returns how many steps these are. */
function restored(key: number, open: NonNullable<Sync["open"]>, steps: Step[]) {
  const now = opened.get(key);
  for (let count = now?.base === open.base ? steps.length : -1; count >= 0; count -= 1) {
    const last = steps[count - 1]?.id ?? 0;
    const state = now!.states.get(last);
    if (last === now!.last) return count;
    if (!state) continue;
    now!.asset.restore(state);
    now!.last = last;
    known = undefined;
    return count;
  }
  put(key, bytesOf(open.file), open);
  return 0;
}

/** Applies a step. Returns the files that it copied, and what else changed. */
function apply(key: number, step: Step) {
  const open = opened.get(key)!;
  keep(open);
  // If it fails, the state is none that is known.
  open.last = -1;
  // Values of properties change no path.
  if (!step.names || /^(Name|Parent)$/.test(step.names.join())) known = undefined;
  if (step.text !== undefined) {
    put(key, new TextEncoder().encode(step.text), open);
  }
  const asset = of(key);
  if (step.merge) {
    const { base, theirs, name } = step.merge;
    const { conflicts, losses } = using(opening(bytesOf(base), name), (before) => using(opening(bytesOf(theirs), name), (other) => asset.merge(before, other)));
    const shown = (value: string | null) => value ?? "not stored";
    const told = conflicts.map(({ path, what, ours, theirs }) => ({
      kind: "warning" as const,
      path,
      what: `Conflict: ${what}${ours === null && theirs === null ? "" : `; this file has ${shown(ours)}, the other one ${shown(theirs)}`}`,
      count: 1,
      theirs,
    }));
    return { files: [], losses: [...told, ...losses] };
  }
  const { take } = step;
  if (take) return using(opening(bytesOf(take.other), take.name), (other) => asset.take(other, take.paths));
  if (step.pack) return { files: [], losses: asset.pack(step.pack).losses };
  if (!step.edits) return { files: [], losses: [] };
  if (asset.kind.hasInstances) return asset.edit(step.edits, step.models ? { models: step.models, allowLoss: true } : { atOnce: true });
  const set = (edit: Edit) => (edit.do === "set" ? asset.set(edit.path, edit.value, edit.kind) : []);
  return { files: [], losses: step.edits.flatMap(set) };
}

/** Whether a step only sets whole values of properties: several such steps are applied as one. */
const isSetting = ({ edits, names }: Step) => edits !== undefined && names !== undefined && !/^(Name|Parent|Tags|Attributes.*)$/.test(names.join());

function sync({ key, open, steps }: Sync) {
  for (let at = open ? restored(key, open, steps) : 0; at < steps.length; ) {
    const same: Step[] = [];
    while (at < steps.length && isSetting(steps[at])) same.push(steps[(at += 1) - 1]);
    if (same.length) apply(key, { ...same[0], edits: same.flatMap(({ edits = [] }) => edits) });
    else apply(key, steps[(at += 1) - 1]);
    opened.get(key)!.last = steps[at - 1].id;
  }
}

/** The instances that a step changes so that they look different, by their ids; undefined if they are not known. */
function changes(asset: Asset, { edits = [], of, names, ...more }: Step) {
  const none = new Uint32Array();
  if (!asset.kind.hasInstances || more.merge || more.pack || more.text !== undefined) return () => undefined;
  if (names) {
    const ids = idsOf(asset, of!);
    return () => (asset.dependsOn(ids, names) ? ids : none);
  }
  if (more.take || edits.some((edit) => !["add", "insert", "move", "remove", "rename", "copy"].includes(edit.do))) return () => undefined;
  const next = asset.nextId();
  const ids = idsOf(asset, edits.flatMap((edit) => (edit.do === "move" || edit.do === "remove" ? [edit.path] : [])));
  return () => Uint32Array.from([...ids, ...asset.added(next)]);
}

/** The expression of a search, and what makes the new text of a line. */
function expression({ text, isRegex, isCase, replacement = "" }: Grep) {
  const regex = new RegExp(isRegex ? text : text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), isCase ? "g" : "gi");
  if (regex.test("")) throw Object.assign(new Error("the expression matches the empty text"), { kind: "argument" });
  regex.lastIndex = 0;
  return { regex, renewed: (line: string) => (isRegex ? line.replace(regex, replacement) : line.replace(regex, () => replacement)) };
}

/** Each line of a source, without its end. */
const LINE = /[^\r\n]+/g;
const isText = (source: string) => !source.includes("\ufffd");

const plain = (node: any) => ({ path: node.path, name: node.name, kind: node.kind, value: node.value, count: node.count });

/** The engine's second part, once the page has sent it; until then it is loaded when a call needs it. */
let second: WebAssembly.Module | undefined;

function loaded(url: string) {
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.responseType = "arraybuffer";
  request.send();
  if (request.status !== 200) throw new Error(`HTTP status ${request.status}`);
  return request.response as ArrayBuffer;
}

const calls = {
  start: (first: WebAssembly.Module, url: string) => init(first, () => second ?? loaded(url)),
  siblings: (files: Map<string, Blob>) => void (siblings = files),
  about: () => ({ ...about(), classes: classes() }),
  detect: (file: Blob, name: string) => detect(bytesOf(file.slice(0, 2 ** 16)), name),
  unpack: (file: Blob, region: boolean) => unpack(bytesOf(file), { maxBytes: MAX_BYTES, region }),
  open: (key: number) => ({ kind: of(key).kind, root: plain(of(key).tree), rows: calls.rows(key, "", 0, PAGE) }),
  close(key: number) {
    const now = opened.get(key);
    for (const one of now ? [now.asset, ...now.states.values()] : []) one.free();
    opened.delete(key);
  },
  /** Applies a step that the page only keeps if it succeeds. */
  step(key: number, step: Step) {
    const touched = changes(of(key), step);
    const result = apply(key, step);
    opened.get(key)!.last = step.id;
    return { ...result, touched: touched() };
  },
  rows: (key: number, path: string, from: number, max: number): any[] => of(key).node(path).children(from, max).map(plain),
  node: (key: number, path: string) => plain(of(key).node(path)),
  /** The child index at each level, from the root to the node at a path. */
  trail(key: number, path: string) {
    const steps: number[] = [];
    let above = of(key).tree;
    while (above.path !== path) {
      let next;
      for (let from = 0; from < above.count && !next; from += STEP) {
        const children = above.children(from, STEP);
        const at = children.findIndex((child) => child.path === path || path.startsWith(`${child.path}/`));
        if (at < 0) continue;
        steps.push(from + at);
        next = children[at];
      }
      if (!next) throw Object.assign(new Error(`nothing is at ${path}`), { kind: "argument" });
      above = next;
    }
    return steps;
  },
  find(key: number, text: string, max: number) {
    const asset = of(key);
    const { nodes, all } = asset.find(text, max);
    // A text that nothing contains may be a misspelt class.
    const hints = !nodes.length && asset.kind.hasInstances && /^\w+$/.test(text) ? asset.query(text, 0).hints : [];
    return { rows: nodes.map(plain), count: all ? nodes.length : undefined, hints };
  },
  query(key: number, selector: string, max: number) {
    const { nodes, count, hints } = of(key).query(selector, max);
    return { rows: nodes.map(plain), count, hints };
  },
  grep(key: number, grep: Grep): Grepped {
    const { regex, renewed } = expression(grep);
    const found: Grepped = { scripts: [], count: 0, all: 0, matches: 0, skipped: 0, isCut: false };
    let left = LINES;
    for (const { path, source } of of(key).scripts()) {
      found.all += 1;
      const lines: Grepped["scripts"][0]["lines"] = [];
      const before = found.matches;
      // Lines end as the editor ends them.
      source.split(/\r\n|\r|\n/).forEach((line, at) => {
        const spans = [...line.matchAll(regex)].filter(([match]) => match).map(({ 0: match, index }): [number, number] => [index, index + match.length]);
        if (!spans.length) return;
        found.matches += spans.length;
        if ((left -= 1) < 0) return void (found.isCut = true);
        // Of a long line, what is around the first match.
        const from = Math.max(0, spans[0][0] - WIDTH / 4);
        const seen = spans.filter(([, to]) => to <= from + WIDTH).map(([start, to]): [number, number] => [start - from, to - from]);
        const cut = (text: string) => text.slice(from, from + WIDTH);
        lines.push({ line: at + 1, text: cut(line), spans: seen.length ? seen : [[spans[0][0] - from, WIDTH]], after: grep.replacement === undefined ? undefined : cut(renewed(line)) });
      });
      if (found.matches === before) continue;
      found.count += 1;
      if (!isText(source)) found.skipped += 1;
      if (lines.length) found.scripts.push({ path, lines });
    }
    return found;
  },
  /** The new sources of the scripts in which something is replaced. */
  replaced(key: number, grep: Grep) {
    const { renewed } = expression(grep);
    const made = of(key).scripts().filter(({ source }) => isText(source));
    return made.map(({ path, source }) => ({ path, source: source.replace(LINE, renewed), old: source })).filter(({ source, old }) => source !== old);
  },
  ids: (key: number, paths: string[]) => idsOf(of(key), paths),
  /** Those of the paths at which something is. */
  existing: (key: number, paths: string[]) =>
    paths.filter((path) => {
      try {
        return Boolean(of(key).node(path));
      } catch {
        return false;
      }
    }),
  properties: (key: number, path: string) => of(key).node(path).properties(),
  /** The properties of the first of several nodes, each with the texts that it has at the others. */
  common(key: number, paths: string[]) {
    const [first, ...others] = paths.map((path) => of(key).node(path).properties());
    const texts = others.map((all) => new Map(all.map(({ name, text, summary }) => [name, text ?? summary])));
    return first.map((one) => ({ ...one, others: [...new Set(texts.flatMap((at) => at.get(one.name) ?? []))] }));
  },
  /** The value of a property of each node as text. */
  texts: (key: number, paths: string[], name: string) => (of(key).kind.hasInstances ? of(key).textsOf(idsOf(of(key), paths), name) : of(key).texts(paths, name)),
  /** The differences between the bytes of a file and its present state. */
  changes: (key: number, old: Blob, name: string) => using(opening(bytesOf(old), name), (before) => diff(before, of(key), { max: 1000 })),
  /** The bytes of an asset that the file refers to by an id, or by a path of rbxasset://. */
  sibling: (key: number, name: string) => beside(opened.get(key)!.path)(/^\d+$/.test(name) ? "id" : "local", name),
  scene(key: number, options: any): SceneData {
    const other = options.rig ? of(key).sceneOnRig(options) : undefined;
    const own = using(of(key).scene(options), (made) => pack(of(key), made));
    return other ? { ...own, other: using(other, (made) => pack(of(key), made, false)), losses: [...own.losses, ...other.losses] } : own;
  },
  /** What instances and those below them look like now, with the ids of all of these; undefined if others depend on them. */
  part(key: number, ids: Uint32Array<ArrayBuffer>, options: any) {
    const asset = of(key);
    const parts = asset.parts(ids);
    if (!parts) return undefined;
    const made = parts.length ? using(asset.sceneOf(parts, options), (made) => pack(asset, made)) : undefined;
    return { replaced: Uint32Array.from([...ids, ...asset.below(parts)]), scene: made };
  },
  /** Copies of instances as models, one for each path, with values that are set in them. */
  copies(key: number, paths: string[], changes: { path: string; value: string }[] = []) {
    const asset = of(key);
    const end = asset.kind.format === "rbxxml" ? "rbxmx" : "rbxm";
    const { files } = asset.edit(paths.map((path, at) => ({ do: "copy" as const, path, model: `copy-${at}.${end}` })));
    return files.map((file, at) => {
      // In the model, the instance has no siblings.
      const root = paths[at].match(/(?:[^/\\]|\\.)*$/s)![0].replace(/(?<!\\)\[\d+\]$/, "");
      const own = changes.filter(({ path }) => path.startsWith(paths[at]) && "./".includes(path[paths[at].length]));
      if (!own.length) return file;
      const edits = own.map(({ path, value }) => ({ do: "set" as const, path: root + path.slice(paths[at].length), value }));
      return { ...file, bytes: using(opening(file.bytes, file.path), (model) => (model.edit(edits), model.save())) };
    });
  },
  /** The frames and sizes of the parts at paths and below them, as texts, and the frames of models. */
  frames(key: number, paths: string[]) {
    const asset = of(key);
    const ids = asset.below(idsOf(asset, paths));
    const all = asset.paths(ids);
    const [frames, sizes, pivots] = ["CFrame", "size", "WorldPivotData"].map((name) => asset.textsOf(ids, name));
    const parts = all.flatMap((path, at) => (frames[at] && sizes[at] ? [{ path, frame: frames[at], size: sizes[at] }] : []));
    return { parts, models: all.flatMap((path, at) => (pivots[at] && pivots[at] !== "null" ? [{ path, frame: pivots[at] }] : [])) };
  },
  /** The user interfaces, with the parts that they are on. */
  guis(key: number): Gui[] {
    const asset = of(key);
    let left = OBJECTS;
    const read = ({ path, kind, ...node }: TreeNode): Gui => {
      left -= 1;
      const own = asset.node(path);
      const at = Object.fromEntries(own.properties().map(({ name, title, text, summary }) => [title || name, text ?? summary]));
      return { path, kind, at, children: node.count && left > 0 ? own.children(0, left).map(read) : [] };
    };
    return asset.query("SurfaceGui, BillboardGui, ScreenGui", GUIS).nodes.map((node) => {
      const gui = read(node);
      const { Adornee: named } = gui.at;
      const path = named && named !== "null" ? named : parentOf(node.path);
      const text = (path: string, name: string) => (path ? (asset.texts([path], name)[0] ?? undefined) : undefined);
      const frame = text(path, "CFrame");
      // An attachment is in a part.
      const [above, size] = [parentOf(path), text(path, "size")];
      const own = size ? undefined : text(above, "CFrame");
      return frame && gui.kind !== "ScreenGui" ? { ...gui, frames: own ? [own, frame] : [frame], size } : gui;
    });
  },
  /** The ids of the instances at paths and below them. */
  under: (key: number, paths: string[]) => of(key).below(idsOf(of(key), paths)),
  picture(key: number, { angle: [yaw, pitch], ...options }: any) {
    return using(of(key).scene(), (made) => made.picture({ ...options, angle: [made.front + yaw, pitch] }));
  },
};
/** What the page asks of a file as it is. */
type Own = "avatarItems" | "check" | "convert" | "describe" | "extract" | "found" | "get" | "paths" | "save" | "secondLife" | "targets";
export type Calls = typeof calls & { [name in Own]: (key: number, ...args: any[]) => ReturnType<Asset[name]> };

/** The buffers of all typed arrays in a value, which are transferred instead of copied. */
function buffers(value: any, found = new Set<ArrayBuffer>()) {
  if (ArrayBuffer.isView(value)) found.add(value.buffer as ArrayBuffer);
  else if (value && typeof value === "object") for (const inner of Object.values(value)) buffers(inner, found);
  return found;
}

onmessage = async ({ data: { call, args, syncs, part } }) => {
  try {
    second ??= part;
    for (const one of syncs as Sync[]) sync(one);
    const [key, ...rest] = args;
    const result = await (call in calls ? (calls as any)[call](...args) : (of(key) as any)[call as Own](...rest));
    postMessage({ result }, [...buffers(result)]);
  } catch (error: any) {
    if (error.kind === "crash") opened.clear();
    const { kind = "unexpected", path = "", offset = null } = error;
    postMessage({ error: { kind, path, offset, text: String(error.message ?? error) } });
  }
};
