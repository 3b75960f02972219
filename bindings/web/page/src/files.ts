// The open files: their states, edits, undo and redo, and what is kept over a reload.

import { batch, computed, effect, signal } from "@preact/signals";
import type { AvatarReport, Edit, Finding, Info, Loss, Property, Setting, TreeNode } from "rezkit";
import { createStore, del, entries, set } from "idb-keyval";
import { host, type Hosted } from "./host";
import { back, EngineError, front, setSiblings } from "./engine";
import { inventory, type Packed } from "./inventory";
import { parentOf, Tree, type Row } from "./tree";
import type { SceneData } from "./pack";
import type { Calls, Step } from "./worker";

/** The maximum size of a file in bytes. WebAssembly addresses 4 GB, and a file needs a multiple of its size. */
const LARGEST = 600e6;
/** Files that are shown in 3D first. */
const MODEL = /\.(mesh|m3d|a3d|llmesh|slm|glb|gltf|obj|stl|ply|bvh|anim)$/i;
/** Files that belong to other ones. */
const BESIDE = /\.(bin|mtl)$/i;
/** Files that only belong to others if any of these is opened together with them. */
const PICTURE = /\.(png|jpe?g|webp|gif|bmp|tga|dds)$|(^|\/)manifest\.json$/i;
/** Archives that are known by their names: those of OpenSim are such, too. */
const ARCHIVE = /\.(oar|tar|tgz|tar\.gz)$/i;
const INVENTORY = /\.iar$/i;
/** How many of what a search found are listed. */
const FOUND = 2000;
/** How many scenes are kept. */
const SCENES = 4;
/** How long findings wait after an edit, in milliseconds. */
const PAUSE = 600;

export type Kind = { name: string; format: string; title: string; version: string; hasInstances: boolean; hasGeometry: boolean };
export type Status = "waiting" | "reading" | "open" | "failed" | "cancelled";

/** What is stored over a reload: the bytes and the handle of the file once, and its state after each change. */
type Kept = { file: Blob; path: string; isBeside?: boolean; handle?: FileSystemFileHandle };
type State = { steps: Step[]; at: number; saved: number; disk?: Disk };
/** What distinguishes versions of a file on the disk. */
type Disk = { time: number; size: number };

const diskOf = (file: Blob): Disk | undefined => (file instanceof File ? { time: file.lastModified, size: file.size } : undefined);
/** The bytes of a file. A `File` of the browser cannot be read any more once the file on the disk has changed. */
const bytesOf = async (file: Blob) => (file instanceof File ? new Blob([await file.arrayBuffer()]) : file);

const store = createStore("rezkit", "files");
const states = createStore("rezkit-states", "states");
let last = Date.now();
/** A number that no other file, step or content has, also after a reload. */
const fresh = () => (last = Math.max(last + 1, Date.now()));

export class Doc {
  readonly key: number;
  file: Blob;
  /** Distinguishes contents of the file. */
  base = fresh();
  readonly path: string;
  readonly name: string;
  status = signal<Status>("waiting");
  error = signal("");
  kind = signal<Kind | undefined>(undefined);
  steps = signal<Step[]>([]);
  /** The number of steps that are not undone. */
  at = signal(0);
  /** The number of steps when the file was saved last; -1 if that state cannot be reached any more. */
  saved = signal(0);
  changed = computed(() => this.at.value !== this.saved.value);
  /** Counts changes of the content. A state that is reached again is another version: what was read before may be of neither. */
  version = signal(0);
  tree: Tree;
  selection = signal<string[]>([]);
  selected = computed(() => new Set(this.selection.value));
  query = signal("");
  /** What a search found: the first rows, and the number of all. After an edit it may be out of date. */
  found = signal<Found | undefined>(undefined);
  mode = signal<string | undefined>(undefined);
  /** The line of a script that the editor goes to. */
  line = signal<{ path: string; line: number } | undefined>(undefined);
  /** Where the camera of the 3D view is, and what it looks at. */
  camera?: [number[], number[]];
  /** Where the file was loaded from. */
  address?: string;
  info = signal<Info | undefined>(undefined);
  /** The rules by which the file is checked beside those of its format; the numbers and the type of avatar items. */
  checks = signal<{ profile?: string; rules?: string; type?: string }>({});
  /** The tables of the avatar items, if these are checked. */
  items = signal<AvatarReport | undefined>(undefined);
  findings = signal<Finding[] | undefined>(undefined);
  /** Why the findings are not known. */
  checked = signal("");
  losses = signal<{ title: string; losses: Lost[] } | undefined>(undefined);
  private timer = 0;
  /** Whether the content is stored. */
  isKept = false;
  /** The version on the disk that was read or written last, if the file has a handle. */
  disk?: Disk;

  /** `isBeside` says that it only belongs to other files, such as their textures, and has no tab. */
  constructor(file: Blob, path: string, key = fresh(), readonly handle?: FileSystemFileHandle, readonly isBeside = false) {
    this.key = key;
    this.file = file;
    this.disk = diskOf(file);
    this.path = path;
    this.name = path.slice(path.lastIndexOf("/") + 1);
    this.tree = new Tree((at, from, max) => this.ask("rows", [at, from, max], 0) as Promise<Row[]>);
  }

  /** The state of the file that calls apply to. */
  source(at = this.at.value) {
    return { key: this.key, file: this.file, base: this.base, name: this.name, path: this.path, steps: this.steps.value.slice(0, at) };
  }

  /** Asks the worker that answers at once. */
  ask = <T = any>(call: keyof Calls, args: any[] = [], urgency = 1) => front.ask(this.source(), call, args, urgency) as Promise<T>;

  /** Asks the worker for what may take long. */
  later<T = any>(call: any, args: any[] = [], urgency = 5, signal?: AbortSignal): Promise<T> {
    return back.ask(this.source(), call, args, urgency, [], signal) as Promise<any>;
  }

  /** The scene. Those of the last files are kept. */
  scene(options: object): Promise<SceneData> {
    const wanted = `${this.version.value} ${JSON.stringify(options)}`;
    const made = scenes.get(this);
    const scene = made?.wanted === wanted ? made.scene : this.ask<SceneData>("scene", [options], 4);
    // The last used scene is the last of the map.
    scenes.delete(this);
    scenes.set(this, { wanted, scene });
    if (scenes.size > SCENES) scenes.delete(scenes.keys().next().value!);
    scene.catch(() => scenes.delete(this));
    return scene;
  }

  /** The steps that lead to the present state. */
  applied = () => this.steps.value.slice(0, this.at.value);

  /**
   * What a scene that was made after some steps lacks: the instances that look different now; undefined if that is not
   * known. The scene that is kept is no longer used, since the view changes it.
   */
  since(before: Step[]): Uint32Array<ArrayBuffer> | undefined {
    const now = this.applied();
    const same = now.findIndex((step, at) => step !== before[at]);
    const from = same < 0 ? now.length : same;
    const all = [...before.slice(from), ...now.slice(from)].map(({ touched }) => touched);
    scenes.delete(this);
    return all.includes(undefined) ? undefined : Uint32Array.from(new Set(all.flatMap((ids) => [...ids!])));
  }

  async open() {
    this.status.value = "reading";
    try {
      if (this.file.size > LARGEST) throw new Error(`The file has ${size(this.file.size)}; the limit is ${size(LARGEST)}.`);
      this.file = await bytesOf(this.file);
      if (INVENTORY.test(this.name)) return await this.browse();
      // What is only a model is computed while it is opened.
      if (MODEL.test(this.name) && current.value === this) void this.scene({ levels: "finest", hulls: false }).catch(() => {});
      const { kind, root, rows } = await this.ask("open", [], 0);
      if (this.status.value !== "reading") return;
      this.kind.value = kind;
      this.tree.reset(root, rows);
      this.status.value = "open";
      if (!this.selection.value.length && root.count && kind.hasInstances) this.tree.show();
      this.look();
    } catch (error: any) {
      if (error.kind === "cancelled") return void (this.status.value = "cancelled");
      const seems = await front.call("detect", [this.file, this.name], 1).catch(() => null);
      this.error.value = sentence(error) + (seems && !error.message.includes(seems.title) ? `. It seems to be: ${seems.title} ${seems.version}` : "");
      if (/\.(png|jpe?g|webp|gif|bmp)$/i.test(this.name)) return this.picture();
      this.status.value = "failed";
    }
  }

  /** An image, which the browser shows. */
  private async picture() {
    const { width, height } = await createImageBitmap(this.file).catch(() => ({ width: 0, height: 0 }));
    this.status.value = width ? "open" : "failed";
    this.kind.value = { name: "image", format: "image", title: "Image", version: `${width} × ${height}`, hasInstances: false, hasGeometry: false };
  }

  /** Shows the file as an inventory: its folders and items. */
  private async browse() {
    const files = (await front.call("unpack", [this.file, false], 0)) as Packed[];
    const found = (this.inventory = inventory(files));
    if (!found) throw new Error("The archive contains no inventory");
    const { answers, facts, all } = found;
    this.ask = (async (call: string, args: any[]) => answers[call](...args)) as any;
    this.kind.value = { name: "iar", format: "archive", title: "Inventory of OpenSim", version: "", hasInstances: false, hasGeometry: false };
    [this.info.value, this.findings.value] = [{ facts } as any, []];
    this.inside = files.map(({ name, bytes }) => [`${this.path}/${name}`, new Blob([bytes])]);
    const { row } = all.get("")!;
    this.tree.reset(row, answers.rows("", 0, row.count) as Row[]);
    this.status.value = "open";
    told();
    await this.tree.show();
  }
  inventory?: ReturnType<typeof inventory>;
  /** The files in an inventory, by their paths. */
  inside: [string, Blob][] = [];

  /** Lets the workers close the file. */
  forget() {
    clearTimeout(this.timer);
    scenes.delete(this);
    for (const engine of [front, back]) engine.forget(this.key);
  }

  /** Computes counts and findings after a pause. They never delay an answer. */
  look() {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(async () => {
      const { value: version } = this.version;
      this.checked.value = "";
      try {
        const { value: checks } = this.checks;
        const { profile, ...avatar } = checks;
        const findings = await this.later<Finding[]>("check", profile ? [profile, avatar] : [avatar], 7);
        const items = profile === "roblox-avatar" ? await this.later<AvatarReport>("avatarItems", [avatar], 7) : undefined;
        if (this.version.value === version && this.checks.value === checks) [this.findings.value, this.items.value] = [findings, items];
        const info = await this.later<Info>("describe", [], 8);
        if (this.version.value === version) this.info.value = info;
      } catch (error: any) {
        if (error.kind !== "cancelled") this.checked.value = sentence(error);
      }
    }, PAUSE);
  }

  /** The last change, which the next one and saving wait for. */
  private changing: Promise<unknown> = Promise.resolve();

  next<T>(change: () => Promise<T>): Promise<T> {
    const made = this.changing.then(change);
    this.changing = made.catch(() => {});
    return made;
  }

  /**
   * Applies edits as one undo step; those that are made of the present state are made in turn. Returns the copied files;
   * undefined if the edits are refused, with a message.
   */
  edit = (label: string, edits: Edit[] | (() => Promise<Edit[]>), more: Partial<Step> = {}) =>
    this.next(async () => this.apply(label, typeof edits === "function" ? await edits() : edits, more));

  private async apply(label: string, edits: Edit[], more: Partial<Step>): Promise<{ path: string; bytes: Uint8Array }[] | undefined> {
    const step: Step = { id: fresh(), label, ...more, ...(edits.length ? { edits } : {}) };
    const { value: at } = this.at;
    try {
      if (host && (this !== hosted || isReadOnly)) throw new Error(`${plain(this.name)} cannot be changed here. Extract or save it as a file of its own first`);
      const followed = await this.followed(step);
      const { files, losses, touched } = await this.ask("step", [step], 0);
      step.touched = touched;
      batch(() => {
        if (this.saved.value > at) this.saved.value = -1;
        this.steps.value = [...this.steps.value.slice(0, at), step];
        this.at.value = at + 1;
        this.version.value += 1;
        if (losses.length) this.losses.value = { title: label, losses };
      });
      host?.edited(step, at);
      const others = losses.length ? ` ${losses.length} other changes or losses are listed below.` : "";
      await this.after(followed);
      say(`${label}.${others}`);
      return files;
    } catch (error: any) {
      if (error.kind === "crash") say(`The engine stopped and was started again; this edit was not applied. ${error.message}`, true);
      else failed(error);
      throw error;
    }
  }

  /** Before a change: the instances that are selected and found, if the change may give them other paths. */
  private async followed(step: Step): Promise<Uint32Array | undefined> {
    const paths = [...this.selection.value, ...(this.found.value?.rows ?? []).map(({ path }) => path)];
    if (this.kind.value?.hasInstances && step.names && !/^(Name|Parent)$/.test(step.names.join())) return undefined;
    return this.kind.value?.hasInstances && !step.merge ? this.ask("ids", [paths], 0) : new Uint32Array();
  }

  /** After a change: the tree, the paths of what is selected and found, what is stored, and later the findings. */
  private async after(followed?: Uint32Array) {
    void this.keep();
    if (followed) {
      const { root } = await this.ask("open", [], 0);
      await this.tree.refresh(root);
      const [chosen, found] = [this.selection.value, this.found.value];
      if (followed.length) {
        const paths: string[] = await this.ask("paths", [followed], 0);
        this.selection.value = paths.slice(0, chosen.length).filter(Boolean);
        const rows = found?.rows.map((row, at) => ({ ...row, path: paths[chosen.length + at], name: nameOf(paths[chosen.length + at]) }));
        if (found) this.found.value = { ...found, rows: rows!.filter(({ path }) => path) };
      } else if (chosen.length) this.selection.value = await this.ask("existing", [chosen], 0);
      if (found && !followed.length) void this.search(this.query.value);
    }
    if (this.found.value) this.found.value = { ...this.found.value, isOld: true };
    this.look();
  }

  travel = (by: -1 | 1) => this.next(() => this.go(by));

  private async go(by: -1 | 1) {
    const to = this.at.value + by;
    if (to < 0 || to > this.steps.value.length) return;
    const step = this.steps.value[by < 0 ? to : to - 1];
    const followed = await this.followed(step);
    batch(() => [(this.at.value = to), (this.version.value += 1)]);
    if (this.losses.value?.title === step.label) this.losses.value = undefined;
    await this.after(followed);
    say(`${by < 0 ? "Undone" : "Done again"}: ${step.label}`);
  }

  private isSelector = (text: string) => this.kind.value?.hasInstances && /[[\]#.>:,$]/.test(text);

  async search(text: string) {
    this.query.value = text;
    if (!text.trim()) return void (this.found.value = undefined);
    const none = (error: unknown): Found => ({ rows: [], error: sentence(error) });
    const found = await this.ask<Found>(this.isSelector(text) ? "query" : "find", [text, FOUND], 1).catch(none);
    if (this.query.value === text) this.found.value = found;
  }

  /** Selects all that the search finds, not only what is listed. */
  async selectFound() {
    const { value: text } = this.query;
    const { value: found } = this.found;
    if (found?.isOld || (found && found.count === found.rows.length)) return void (this.selection.value = found.rows.map(({ path }) => path));
    this.selection.value = await this.ask("found", [text, this.isSelector(text)], 0);
    say(`Selected ${many(this.selection.value.length, "instance")}.`);
  }

  /** Selects nodes, and shows one of them in the tree. */
  async reveal(path: string, all = [path]) {
    this.selection.value = all;
    this.query.value = "";
    this.found.value = undefined;
    await this.ask("trail", [path], 0).then((steps) => this.tree.reveal(steps)).catch(failed);
  }

  bytes = () => this.next(() => this.present());

  /** The bytes of the present state. */
  async present(): Promise<Uint8Array<ArrayBuffer>> {
    return this.changed.value || this.steps.value.length ? ((await this.ask("save", [], 0)) as any) : new Uint8Array(await this.file.arrayBuffer());
  }

  settled = () => this.changing;

  async keep() {
    if (host) return;
    const { path, steps, at, saved, isBeside, handle, disk } = this;
    try {
      this.file = await bytesOf(this.file);
      if (!this.isKept) await set(this.key, { file: this.file, path, isBeside, handle } satisfies Kept, store);
      this.isKept = true;
      // The ids of instances may be others when the page is loaded again.
      const kept = steps.value.map(({ touched, ...step }) => step);
      await set(this.key, { steps: kept, at: at.value, saved: saved.value, disk } satisfies State, states);
    } catch {
      say("The browser does not store this file; it is lost on a reload.", true);
    }
  }
}

export type Source = ReturnType<Doc["source"]>;

/** A loss, or a conflict of a merge with the value of the other file. */
export type Lost = Loss & { theirs?: string | null };

/** What a search found; `hints` say what may be misspelled. */
export type Found = { rows: Row[]; count?: number; error?: string; hints?: string[]; isOld?: boolean };

/** The last scenes of files. */
const scenes = new Map<Doc, { wanted: string; scene: Promise<SceneData> }>();
/** The file that belongs to the host. */
let hosted: Doc | undefined;
let isReadOnly = false;

/** All open files, and those with tabs. */
export const files = signal<Doc[]>([]);
export const shown = computed(() => files.value.filter(({ isBeside }) => !isBeside));
export const current = signal<Doc | undefined>(undefined);
export const message = signal<{ text: string; bad: boolean; at: number }>({ text: "", bad: false, at: 0 });
/** What the engine tells about itself. */
export const about = signal<{ settings: Setting[] }>({ settings: [] });
/** Files that are still to be read. */
export const waiting = computed(() => shown.value.filter(({ status }) => status.value === "waiting").length);
effect(() => current.value && localStorage.setItem("shown", String(current.value.key)));
/** What Copy and Cut keep. */
export const clipboard = signal<{ name: string; models: { path: string; bytes: Uint8Array }[] } | undefined>(undefined);

export function say(text: string, bad = false) {
  message.value = { text, bad, at: Date.now() };
}

/** Says why something failed, unless it was cancelled. */
export const failed = (error: any) => error.kind !== "cancelled" && say(sentence(error), true);

/** An error as a sentence for people. */
export function sentence(error: any) {
  const { message = String(error), path, kind } = error;
  if (kind === "crash") return `The engine stopped and was started again; your changes are kept. ${message}`;
  const text = plain(path && !message.includes(path) ? `${path}: ${message}` : message);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Escapes control characters, invisible characters and direction marks, so that a string from a file cannot mislead. */
export const plain = (text: unknown) =>
  String(text).replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, (char) =>
    char === "\n" ? "\\n" : `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );

/** The last step of a path. */
const LAST = /(?:[^/\\]|\\.)*$/s;

/** The name of the instance at a path: without escapes, and without its number among siblings of one name. */
export const nameOf = (path: string) => path.match(LAST)![0].replace(/\\(.)|\[\d+\]$/gs, (_, char) => char ?? "");

/** What is at paths, for people. */
export const names = (paths: string[]) => (paths.length === 1 ? plain(nameOf(paths[0])) : many(paths.length, "instance"));

/** Without the paths below other paths of the list. */
export function tops(paths: string[]) {
  const all = new Set(paths);
  const isBelow = (path: string): boolean => path !== "" && (all.has(path) || isBelow(parentOf(path)));
  return paths.filter((path) => !isBelow(parentOf(path)));
}

export function size(bytes: number) {
  const unit = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 3);
  return `${unit ? (bytes / 1000 ** unit).toPrecision(3) : bytes} ${["bytes", "KB", "MB", "GB"][unit]}`;
}

export const many = (number: number, what: string, end = "s") => `${count(number)} ${number === 1 ? what : what + end}`;
const formatted = new Intl.NumberFormat("en");
export const count = (number: number) => formatted.format(number);

function told() {
  setSiblings(new Map(files.value.flatMap(({ path, file, inside }) => [[path, file], ...inside])));
}

/** Adds files, and reads them one after the other; the first that can be read is shown. */
export async function add(found: { file: Blob; path: string; handle?: FileSystemFileHandle; isBeside?: boolean }[], prepare?: (first: Doc) => void) {
  const arePictures = found.every(({ path }) => PICTURE.test(path));
  const belongs = (path: string) => found.length > 1 && (BESIDE.test(path) || (!arePictures && PICTURE.test(path)));
  const all = found.map(({ file, path, handle, isBeside }) => new Doc(file, path, undefined, handle, isBeside ?? belongs(path)));
  prepare?.(all[0]);
  // A scene may lack what is opened now.
  scenes.clear();
  files.value = [...files.value, ...all];
  told();
  const docs = all.filter(({ isBeside }) => !isBeside);
  for (const doc of all) if (doc.isBeside) await doc.keep();
  if (docs.length) current.value = docs[0];
  for (const doc of docs) {
    if (!files.value.includes(doc) || doc.status.value !== "waiting") continue;
    const head = new Uint8Array(await doc.file.slice(0, 4).arrayBuffer());
    const isZip = head[0] === 0x50 && head[1] === 0x4b && head[2] === 3;
    if (isZip || ARCHIVE.test(doc.name)) await archive(doc);
    else {
      await doc.open();
      void doc.keep();
    }
    // A file that cannot be read gives way to one that can.
    if (current.value?.status.value === "failed" && docs.includes(current.value)) {
      const readable = docs.find(({ status }) => status.value === "open");
      if (readable) current.value = readable;
    }
  }
  told();
}

/** Shows the host's file in its state, instead of what was shown. */
export async function adopt({ name, bytes, beside, ...state }: Hosted) {
  const [selection, camera] = [hosted?.selection.value ?? [], hosted?.camera];
  files.value.forEach(close);
  isReadOnly = state.isReadOnly;
  const others = beside.map((one) => ({ file: new Blob([one.bytes]), path: one.name, isBeside: true }));
  await add([{ file: new Blob([bytes]), path: name, isBeside: false }, ...others], (doc) => {
    [doc.steps.value, doc.at.value, doc.camera, hosted] = [state.steps, state.at, camera, doc];
  });
  if (hosted?.status.value === "open" && selection.length) hosted.selection.value = await hosted.ask("existing", [selection], 0);
}

/** The host's file; an error if it cannot be read. */
export function own(): Doc {
  if (hosted?.status.value === "failed") throw new Error(hosted.error.value);
  return hosted!;
}

/** Replaces an archive by the files in it. */
async function archive(doc: Doc) {
  doc.status.value = "reading";
  try {
    const parts = (await front.call("unpack", [doc.file, /\.oar$/i.test(doc.name)], 0)) as { name: string; bytes: Uint8Array<ArrayBuffer>; isAsset: boolean }[];
    if (!parts.some(({ isAsset }) => isAsset)) throw new Error("The archive contains no file that can be shown");
    close(doc);
    // A region is one scene, at the path of its first object.
    const isRegion = parts.length > 1 && parts[0].name === parts[1].name;
    if (isRegion) parts[0].name = `${parts[0].name.replace(/[^/]*$/, "")}${stemOf(doc.name)}.xml`;
    await add(parts.map(({ name, bytes, isAsset }, at) => ({ file: new Blob([bytes]), path: `${doc.path}/${name}`, isBeside: isRegion ? at > 0 : !isAsset })));
  } catch (error) {
    doc.status.value = "failed";
    doc.error.value = sentence(error);
  }
}

/** Stops reading the files that still wait, and what runs. */
export function cancel() {
  for (const doc of shown.value) if (doc.status.value === "waiting") doc.status.value = "cancelled";
  front.stop();
}

export function close(doc: Doc) {
  const at = shown.value.indexOf(doc);
  files.value = files.value.filter((other) => other !== doc);
  if (current.value === doc) current.value = shown.value[Math.min(at, shown.value.length - 1)];
  say("");
  doc.forget();
  for (const one of [store, states]) void del(doc.key, one).catch(() => {});
  told();
  // Without tabs, the files beside them belong to nothing.
  if (!shown.value.length) files.value.forEach(close);
  if (!files.value.length) for (const engine of [front, back]) engine.rest();
}

/** Opens the files of the last visit with their edits: first the one that was shown. */
export async function restore() {
  const [kept, known] = await Promise.all([entries<number, Kept>(store), entries<number, State>(states)]).catch(() => [[], []]);
  const state = new Map(known);
  // Keys grow in the order in which files were opened.
  const docs = kept.sort(([a], [b]) => a - b).map(([key, { file, path, isBeside, handle }]) => {
    const doc = new Doc(file, path, key, handle, isBeside);
    doc.isKept = true;
    const { steps = [], at = 0, saved = 0, disk } = state.get(key) ?? {};
    [doc.steps.value, doc.at.value, doc.saved.value, doc.disk] = [steps, at, saved, disk];
    return doc;
  });
  files.value = docs;
  if (!shown.value.length) return docs.forEach(close);
  told();
  const first = (current.value = shown.value.find(({ key }) => String(key) === localStorage.getItem("shown")) ?? shown.value[0]);
  await first.open();
  void (async () => {
    for (const doc of shown.value) if (doc.status.value === "waiting") await doc.open();
  })();
}

/** Writes a file in its own form: in place if it was opened from the disk, otherwise as a download. Changes wait for it. */
export const save = (doc: Doc) => doc.next(() => write(doc)).catch(failed);

async function write(doc: Doc) {
  const bytes = await doc.present();
  const { handle } = doc;
  if (handle && (await (handle as any).requestPermission({ mode: "readwrite" })) === "granted") {
    const now = diskOf(await handle.getFile().catch(() => new Blob()));
    const isSame = !now || !doc.disk || (now.time === doc.disk.time && now.size === doc.disk.size);
    if (!isSame && !confirm(`${plain(doc.name)} was changed by another program since it was opened. Replace that version?`)) {
      return say(`${plain(doc.name)} is not saved: another program changed it. Open it again to compare or merge the two.`, true);
    }
    const writable = await handle.createWritable();
    await writable.write(bytes);
    await writable.close();
    doc.disk = diskOf(await handle.getFile());
  } else download(doc.name, bytes);
  doc.saved.value = doc.at.value;
  void doc.keep();
  say(`Saved ${plain(doc.name)} (${size(bytes.length)}).`);
}

export async function download(name: string, bytes: Uint8Array | Blob) {
  if (host) return host.download(name, bytes instanceof Blob ? new Uint8Array(await bytes.arrayBuffer()) : bytes);
  const url = URL.createObjectURL(bytes instanceof Blob ? bytes : new Blob([bytes as Uint8Array<ArrayBuffer>]));
  const link = Object.assign(document.createElement("a"), { href: url, download: name.split("/").pop()! });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Downloads one file, or several as a ZIP archive. */
export async function downloads(found: { path: string; bytes: Uint8Array }[], stem: string) {
  if (found.length === 1) return download(found[0].path, found[0].bytes);
  const { zipSync } = await import("fflate");
  const zipped = zipSync(Object.fromEntries(found.map(({ path, bytes }) => [path, bytes])), { level: 6 });
  download(`${stem}.zip`, zipped);
}

export const stemOf = (name: string) => name.replace(/\.[^.]*$/, "");
export type { Edit, Finding, Info, Loss, Property, TreeNode, Row };
export { EngineError, parentOf };
