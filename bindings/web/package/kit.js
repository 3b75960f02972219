// The functions and classes of the package. They call the engine, which is a WebAssembly module.

import { lastPanic } from "./panic.js";
import { setPart } from "./part.js";

/** The default of `maxBytes`: 1 GiB. */
const MAX_BYTES = 2 ** 30;

/** The error of all functions. Only `init` can also throw others, if the WebAssembly module cannot be loaded. */
export class RezkitError extends Error {
  constructor(kind, text, path = "", offset = null) {
    super(text);
    this.kind = kind;
    this.path = path;
    this.offset = offset;
  }
}
RezkitError.prototype.name = "RezkitError";

const argument = (text) => new RezkitError("argument", text);

/** Options with these names, or with any if `names` is missing. */
function given(options, names) {
  if (typeof (options ?? {}) !== "object") throw argument(`expected options as an object, found ${typeof options}`);
  const other = names && Object.keys(options ?? {}).find((name) => !names.includes(name));
  if (other !== undefined) throw argument(`unknown option ${JSON.stringify(other)}: expected ${names.join(", ")}`);
  return options ?? {};
}

/** A number, or the type of another value, for errors. */
function shown(value) {
  if (typeof value === "number" || value === null) return String(value);
  return typeof value === "object" ? (value.constructor?.name ?? "object") : typeof value;
}

function bytesOf(bytes, maxBytes) {
  let view;
  if (bytes instanceof Uint8Array) view = bytes;
  else if (bytes instanceof ArrayBuffer) view = new Uint8Array(bytes);
  else if (ArrayBuffer.isView(bytes)) view = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  else throw argument(`expected bytes (an ArrayBuffer or a Uint8Array), found ${shown(bytes)}`);
  if (view.length > maxBytes) {
    throw new RezkitError("limit", `the file has ${view.length} bytes, but maxBytes allows only ${maxBytes}`);
  }
  return view;
}

function limit(maxBytes = MAX_BYTES) {
  if (!(maxBytes >= 0)) throw argument(`maxBytes: expected a number of at least 0, found ${shown(maxBytes)}`);
  return Math.min(maxBytes, 2 ** 32 - 1);
}

const text = (value, name) => {
  if (typeof value !== "string") throw argument(`${name}: expected a string, found ${shown(value)}`);
  return value;
};
/** The options as JSON and, if the rig is a document, its bytes, which JSON cannot contain. */
function settings({ rig, ...options }) {
  const isName = rig === undefined || rig === null || typeof rig === "string";
  return [JSON.stringify(isName ? { ...options, rig } : options), isName ? undefined : bytesOf(rig, MAX_BYTES)];
}
const optional = (value, name) => (value === undefined || value === null ? undefined : text(value, name));
/** The numbers and the type with which avatar items are checked. */
function items(options) {
  const { rules, type } = given(options, ["rules", "type"]);
  const isBytes = rules instanceof ArrayBuffer || ArrayBuffer.isView(rules);
  const numbers = isBytes ? new TextDecoder().decode(rules) : typeof (rules ?? "") === "object" ? JSON.stringify(rules) : rules;
  return [optional(numbers, "rules"), optional(type, "type")];
}
const whole = (value, name) => {
  if (!Number.isInteger(value) || value < 0) throw argument(`${name}: expected an integer of at least 0, found ${shown(value)}`);
  return Math.min(value, 2 ** 32 - 1);
};

/** Wraps the option `files` (a function, or a Map or object with names as keys) for the engine. */
function beside(files) {
  if (files === undefined || files === null) return undefined;
  let find = files;
  if (typeof files !== "function") {
    const all = new Map(files instanceof Map ? files : Object.entries(files));
    const stems = new Map();
    const file = (name) => name.slice(name.lastIndexOf("/") + 1);
    for (const name of all.keys()) stems.set(file(name).replace(/\.[^.]*$/, ""), name);
    find = (kind, name) => {
      if (kind === "id") return all.get(name) ?? all.get(stems.get(name));
      if (all.has(name)) return all.get(name);
      for (const [other, bytes] of all) if (other.endsWith(`/${name}`)) return bytes;
      return undefined;
    };
  }
  return {
    get(kind, name) {
      try {
        const found = find(kind, name);
        return found === undefined || found === null ? undefined : bytesOf(found, MAX_BYTES);
      } catch (error) {
        // The engine accepts only strings as errors.
        throw String(error?.message ?? error);
      }
    },
  };
}

/** A module from what `init` accepts. */
async function compiled(from) {
  if (from instanceof WebAssembly.Module) return from;
  if (!(from instanceof Response)) return WebAssembly.compile(from);
  if (!from.ok) throw new Error(`${from.url}: HTTP status ${from.status}`);
  return WebAssembly.compile(await from.arrayBuffer());
}

/** Creates the functions of the package for an engine. `sources` return its two parts if `init` is called without them. */
export function kit(engine, sources) {
  let exports;
  let generation = 0;
  let starting;
  let part;

  setPart(() => {
    try {
      if (typeof part === "function") part = part();
      if (!(part instanceof WebAssembly.Module)) part = new WebAssembly.Module(part);
    } catch (error) {
      // The call cannot continue, so the engine is restarted as after a trap.
      throw new WebAssembly.RuntimeError(`its second part could not be loaded: ${error.message}`);
    }
    new WebAssembly.Instance(part, { first: exports });
  });

  /** Calls the engine, and converts everything that it throws to a RezkitError. */
  function call(run) {
    if (!exports) throw argument("the engine is not loaded: call `await init()` first");
    try {
      return run();
    } catch (error) {
      if (error instanceof RezkitError) throw error;
      if (typeof error === "string") {
        const { kind, text, path, offset } = JSON.parse(error);
        throw new RezkitError(kind, text, path, offset);
      }
      if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
        // The engine stopped in the middle of a call, so its memory may be inconsistent. It is restarted with empty
        // memory, and `generation` invalidates all handles.
        generation += 1;
        engine.__wbg_reset_state();
        exports = engine.initSync();
        throw new RezkitError("crash", lastPanic() || `the engine stopped: ${error.message}`);
      }
      throw new RezkitError("argument", String(error?.message ?? error));
    }
  }

  const parsed = (run) => JSON.parse(call(run));

  /** Copies a typed array from the engine's memory. Returns undefined if it is empty. */
  const copy = (Type, width, [address, count]) =>
    count ? new Type(exports.memory.buffer, address, count * width).slice() : undefined;

  /** A handle of an object in the engine's memory. */
  class Handle {
    #raw;
    #generation = generation;

    constructor(raw) {
      this.#raw = raw;
    }

    /** The engine's object. Throws if it was freed, or if the engine was restarted after it was created. */
    get raw() {
      if (this.#generation !== generation) {
        throw new RezkitError("crash", "the engine crashed and was restarted: load the file again");
      }
      if (!this.#raw) throw argument("the object was used after free()");
      return this.#raw;
    }

    free() {
      if (this.#raw && this.#generation === generation) this.#raw.free();
      this.#raw = undefined;
    }
  }
  if (Symbol.dispose) Handle.prototype[Symbol.dispose] = Handle.prototype.free;

  /** Runs a function that returns files and losses, and copies them from the engine's memory. */
  function output(run) {
    const raw = call(run);
    try {
      const files = call(() => raw.paths()).map((path, index) => ({
        path,
        bytes: copy(Uint8Array, 1, raw.bytes(index)) ?? new Uint8Array(),
      }));
      return { files, losses: JSON.parse(raw.losses()) };
    } finally {
      raw.free();
    }
  }

  class TreeNode {
    #asset;

    constructor(asset, row) {
      this.#asset = asset;
      Object.assign(this, row);
    }

    /** At most `max` children, from the index `from`. */
    children(from = 0, max = 1000) {
      const rows = parsed(() => this.#asset.raw.rows(this.path, whole(from, "from"), whole(max, "max")));
      return rows.map((row) => new TreeNode(this.#asset, row));
    }

    /** The properties of the node. */
    properties() {
      return parsed(() => this.#asset.raw.properties(this.path));
    }

    toJSON() {
      return { ...this };
    }
  }

  class Scene extends Handle {
    constructor(raw, asset) {
      super(raw);
      Object.defineProperty(this, "asset", { value: asset });
      const [nodes, materials, losses, rest] = parsed(() => raw.json());
      Object.assign(this, rest, { nodes, materials, losses });
    }

    /** The vertex attributes and indices of a primitive as typed arrays. Missing attributes are undefined. */
    primitive(mesh, primitive) {
      if (!this.meshes[mesh]?.primitives[primitive]) throw argument(`primitive: the scene has no mesh ${shown(mesh)} with a primitive ${shown(primitive)}`);
      const column = (Type, width, name, index = 0) =>
        copy(Type, width, call(() => this.raw.column(whole(mesh, "mesh"), whole(primitive, "primitive"), name, index)));
      const { uvSets = 1, targets = [] } = this.meshes[mesh]?.primitives[primitive] ?? {};
      return {
        positions: column(Float32Array, 3, "positions") ?? new Float32Array(),
        indices: column(Uint32Array, 3, "triangles") ?? new Uint32Array(),
        normals: column(Float32Array, 3, "normals"),
        tangents: column(Float32Array, 4, "tangents"),
        uvs: Array.from({ length: uvSets }, (_, set) => column(Float32Array, 2, "uvs", set)),
        colors: column(Uint16Array, 4, "colors"),
        joints: column(Uint16Array, 4, "joints"),
        weights: column(Float32Array, 4, "weights"),
        targets: targets.map((name, index) => ({
          name,
          positions: column(Float32Array, 3, "target positions", index),
          normals: column(Float32Array, 3, "target normals", index),
        })),
      };
    }

    /** The inverse bind matrices of a skin: 16 numbers for each joint, column by column. */
    inverseBind(skin) {
      if (!this.skins[skin]) throw argument(`skin: the scene has no skin ${shown(skin)}`);
      return copy(Float32Array, 16, call(() => this.raw.inverse_bind(whole(skin, "skin")))) ?? new Float32Array();
    }

    /** The keyframes of an animation's channel: times in seconds, and values. */
    channel(animation, channel) {
      if (!this.animations[animation]?.channels[channel]) throw argument(`channel: the scene has no animation ${shown(animation)} with a channel ${shown(channel)}`);
      const places = call(() => this.raw.channel(whole(animation, "animation"), whole(channel, "channel")));
      const { property } = this.animations[animation]?.channels[channel] ?? {};
      const width = { rotation: 4, weights: 1 }[property] ?? 3;
      return {
        times: copy(Float32Array, 1, places.slice(0, 2)) ?? new Float32Array(),
        values: copy(Float32Array, width, places.slice(2)) ?? new Float32Array(),
      };
    }

    /** The bytes of an image file (PNG, JPEG, WebP or GIF); undefined if it is external. */
    image(index) {
      return copy(Uint8Array, 1, call(() => this.raw.image(whole(index, "index"))));
    }

    /** Renders the scene. `data` contains red, green, blue and alpha of each pixel, row by row. */
    picture(options = {}) {
      const { buffer, byteOffset } = call(() => this.raw.picture(JSON.stringify(options)));
      const [width, height] = new Uint32Array(buffer, byteOffset, 2);
      return { width, height, data: new Uint8ClampedArray(buffer, byteOffset + 8, width * height * 4) };
    }
  }

  class Asset extends Handle {
    #info;
    #name;

    constructor(raw, name) {
      super(raw);
      this.#name = name;
    }

    get name() {
      return this.#name;
    }

    get format() {
      return this.kind.format;
    }

    get version() {
      return this.kind.version;
    }

    /** The format and the version, without the counts of `describe`. */
    get kind() {
      return parsed(() => this.raw.kind());
    }

    /** The format, the size and a summary of the asset. */
    describe() {
      this.#info ??= parsed(() => this.raw.info());
      return structuredClone(this.#info);
    }

    /** The root of the asset's tree; the other nodes are created on demand. */
    get tree() {
      return this.node("");
    }

    /** The node at a path. */
    node(path) {
      const row = parsed(() => this.raw.node(text(path, "path")));
      return new TreeNode(this, { path, value: null, ...row });
    }

    /** The nodes whose name, class or type contains a string. */
    find(wanted, max = 1000) {
      const { rows, all } = parsed(() => this.raw.find(text(wanted, "text"), whole(max, "max")));
      return { nodes: rows.map((row) => new TreeNode(this, row)), all };
    }

    /** The value at a path: names separated by `/`, and `.` before a property. */
    get(path) {
      const json = call(() => this.raw.get(text(path, "path")));
      // JavaScript's numbers do not have all integers beyond 2^53.
      return /^\s*-?\d+\s*$/.test(json) && !Number.isSafeInteger(Number(json)) ? json.trim() : JSON.parse(json);
    }

    /** The content as it is now, which `restore` brings back. */
    state() {
      return new Handle(call(() => this.raw.content()));
    }

    /** Brings the asset back to a state that it had. */
    restore(state) {
      call(() => this.raw.restore(state.raw));
      this.#info = undefined;
    }

    /** The memory of the content as it was opened, in bytes. */
    get held() {
      return this.raw.held();
    }

    /** Sets the value at a path. Its type stays unless `kind` is given. Returns what else changed. */
    set(path, value, kind) {
      if (!["string", "number", "boolean", "bigint"].includes(typeof value) && !Array.isArray(value)) {
        throw argument(`value: expected a string, a number, a boolean or an array, found ${shown(value)}`);
      }
      this.#info = undefined;
      return parsed(() => this.raw.set(text(path, "path"), String(value), optional(kind, "kind")));
    }

    /** The instances that a selector means: the first `max`, and the number of all. */
    query(selector, max = 1000) {
      const { rows, count, hints } = parsed(() => this.raw.query(text(selector, "selector"), whole(max, "max")));
      return { nodes: rows.map((row) => new TreeNode(this, row)), count, hints };
    }

    /** The paths of all that a selector means, or whose name or class contains a text. */
    found(wanted, isSelector = false) {
      return call(() => this.raw.found(text(wanted, "text"), isSelector));
    }

    /** The ids of the instances at paths, which they keep over edits; 2^32 - 1 where nothing is. */
    ids(paths) {
      return call(() => this.raw.ids(paths));
    }

    /** The paths of instances by their ids; empty for those that were removed. */
    paths(ids) {
      return call(() => this.raw.paths(ids));
    }

    /** The ids of instances and of all their descendants. */
    below(ids) {
      return call(() => this.raw.below(ids));
    }

    /** For each instance, the part in which it is, or itself; undefined if others look different, too. */
    parts(ids) {
      return call(() => this.raw.parts(ids));
    }

    /** A number that is larger than all ids. */
    nextId() {
      return call(() => this.raw.next_id());
    }

    /** The instances whose ids are at least a number, without those below others of them. */
    added(since) {
      return call(() => this.raw.added(whole(since, "since")));
    }

    /** Whether the scene can depend on these properties of these instances. */
    dependsOn(ids, properties) {
      return call(() => this.raw.depends_on(ids, properties));
    }

    /** The text of a property at each of many paths. */
    texts(paths, name) {
      return parsed(() => this.raw.texts(paths, text(name, "name")));
    }

    textsOf(ids, name) {
      return parsed(() => this.raw.texts_of(ids, text(name, "name")));
    }

    /** Applies all edits, or none. `models` provides inserted models by name. Returns copied models, and losses. */
    edit(edits, all) {
      const { models, atOnce = false, ...options } = given(all);
      this.#info = undefined;
      const list = [edits].flat();
      if (list.some((edit) => typeof edit?.do !== "string")) throw argument('edit: expected edits, such as { do: "remove", path: "Door" }');
      const json = JSON.stringify(list, (_, value) => (value === null ? undefined : value));
      return output(() => this.raw.edit(json, beside(models), JSON.stringify(options), atOnce === true));
    }

    /** Puts edited files that `extract` returned back into the document. Texts by path. */
    pack(files, options) {
      const { remove = false } = given(options, ["remove"]);
      if (typeof (files ?? 0) !== "object") throw argument("pack: expected texts by path");
      this.#info = undefined;
      return parsed(() => this.raw.pack(JSON.stringify(files), remove));
    }

    /** Joins what `theirs` changed since `base`, from which both come. */
    merge(base, theirs, options) {
      const { prefer = "" } = given(options, ["prefer"]);
      if (!(base instanceof Asset && theirs instanceof Asset)) throw argument("merge: expected two assets that load() returned");
      this.#info = undefined;
      return parsed(() => this.raw.merge(base.raw, theirs.raw, text(prefer, "prefer")));
    }

    /** Takes single differences from another asset, by the paths that `diff` lists. */
    take(other, paths) {
      if (!(other instanceof Asset)) throw argument("take: expected an asset that load() returned");
      this.#info = undefined;
      return output(() => this.raw.take(other.raw, [paths].flat().map((path) => text(path, "path"))));
    }

    /** Checks the rules of the asset's format and of the profiles. Returns a finding for each violation. */
    check(...profiles) {
      const all = profiles.flat();
      const options = typeof (all.at(-1) ?? "") === "object" ? items(all.pop()) : [];
      return parsed(() => this.raw.check(all.map((profile) => text(profile, "profile")), ...options));
    }

    /** The avatar items of the asset, with the verdict of each rule. */
    avatarItems(options) {
      return parsed(() => this.raw.avatar_items(...items(options)));
    }

    /** The formats that the asset can be converted to. */
    targets() {
      return parsed(() => this.raw.targets());
    }

    /** Converts the asset to another format, or to another encoding of its format. Returns the files and the losses. */
    convert(to, all) {
      const { name, deny = [], allow = [], ...options } = given(all);
      const rules = [deny, allow].map((list) => [list].flat().map((rule) => text(rule, "rule")));
      return output(() => this.raw.convert(text(to, "to"), optional(name, "name"), ...settings(options), ...rules));
    }

    /** Converts the asset to a scene. */
    scene(options = {}) {
      return new Scene(call(() => this.raw.scene(...settings(options))), this);
    }

    /** The animations on the rig of the options, with its figure; undefined if that is the rig of the file. */
    sceneOnRig(options) {
      const moved = call(() => this.raw.scene_on_rig(...settings(options)));
      return moved && new Scene(moved, this);
    }

    /** The scene of some instances of a Roblox document, with their descendants. */
    sceneOf(ids, options = {}) {
      return new Scene(call(() => this.raw.scene_of(ids, settings(options)[0])), this);
    }

    /** For each node of the asset's scene, the id of the instance that it was made from. */
    nodeIds(scene) {
      if (!(scene instanceof Scene && scene.asset === this)) throw argument("scene: expected a scene of this asset");
      return call(() => this.raw.node_ids(scene.raw));
    }

    /** For each node of the asset's scene, the path of the tree node that it was made from, or null. */
    nodePaths(scene) {
      if (!(scene instanceof Scene && scene.asset === this)) throw argument("scene: expected a scene of this asset");
      return parsed(() => this.raw.node_paths(scene.raw));
    }

    /** Prepares an upload to Second Life. Returns the files, the losses, and a report with the cost. */
    secondLife(options = {}) {
      const name = this.#name.replace(/^.*[/\\]/, "").replace(/\.[^.]*$/, "") || "model";
      const { scale = 1 } = options;
      if (!Number.isFinite(scale)) throw argument(`scale: expected a finite number, found ${shown(scale)}`);
      const made = output(() => this.raw.second_life(name, JSON.stringify(options)));
      const report = made.files.find(({ path }) => path === "report.json");
      return { ...made, report: JSON.parse(new TextDecoder().decode(report.bytes)) };
    }

    /** The embedded files: scripts, textures, and properties stored as bytes. */
    extract(options) {
      const { models } = given(options, ["models"]);
      return output(() => this.raw.extract(optional(models, "models")));
    }

    /** The scripts in the asset, with lines to review. */
    scripts() {
      return parsed(() => this.raw.scripts());
    }

    /** The assets that the file refers to, each with the paths that refer to it. */
    assets() {
      return parsed(() => this.raw.assets());
    }

    /** The original bytes with the changes applied. */
    save() {
      return call(() => this.raw.save());
    }
  }

  return {
    /** Loads the engine, by default from the package. `second` may be a function that loads it when it is needed. */
    init(first, second) {
      const fetched = async (from) => (typeof from === "string" || from instanceof URL ? fetch(from) : from);
      starting ??= (async () => {
        const given = [first ?? sources[0](), second ?? sources[1]()];
        const [one, two] = await Promise.all(given.map(async (from) => fetched(await from)));
        part = typeof two === "function" ? two : await compiled(two);
        exports = await engine.default({ module_or_path: one });
      })();
      starting.catch(() => (starting = undefined));
      return starting;
    },
    detect(bytes, name = "") {
      const found = call(() => engine.detect(bytesOf(bytes, Infinity).subarray(0, 2 ** 20), text(name, "name")));
      return found === undefined ? null : JSON.parse(found);
    },
    /** The engine's memory in bytes. It grows on demand and never shrinks. */
    memory: () => call(() => exports.memory.buffer.byteLength),
    about: () => parsed(() => engine.about()),
    classes: () => parsed(() => engine.classes()).map(([name, base, isService]) => ({ name, base, isService })),
    unpack(bytes, options) {
      const { maxBytes, region = false } = given(options, ["maxBytes", "region"]);
      const max = limit(maxBytes);
      const { files, losses } = output(() => engine.unpack(bytesOf(bytes, max), max, region === true));
      const others = new Set(losses.map(({ path }) => path));
      return files.map(({ path, bytes }) => ({ name: path, bytes, isAsset: !others.has(path) }));
    },
    load(bytes, options) {
      const { maxBytes, name = "", form, files } = given(options, ["maxBytes", "name", "form", "files"]);
      const max = limit(maxBytes);
      const others = [text(name, "name"), max, optional(form, "form"), beside(files)];
      return new Asset(call(() => new engine.Asset(bytesOf(bytes, max), ...others)), name);
    },
    needed(bytes, options) {
      const { maxBytes, name = "" } = given(options, ["maxBytes", "name"]);
      const max = limit(maxBytes);
      const pairs = parsed(() => engine.needed(bytesOf(bytes, max), text(name, "name"), max));
      return pairs.map(([kind, name]) => ({ kind, name }));
    },
    diff(old, now, options) {
      const { max = 1000 } = given(options, ["max"]);
      if (!(old instanceof Asset && now instanceof Asset)) throw argument("diff: expected two assets that load() returned");
      return parsed(() => engine.diff(old.raw, now.raw, whole(max, "max")));
    },
  };
}
