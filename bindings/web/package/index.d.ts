/** The error that functions and methods of this package throw. `init` throws others if it cannot load the module. */
export class RezkitError extends Error {
  constructor(kind: ErrorKind, text: string, path?: string, offset?: number | null);
  readonly name: "RezkitError";
  readonly kind: ErrorKind;
  /** The path within the file; empty if it is unknown. */
  readonly path: string;
  /** The offset of the error in the file, in bytes; null if it is unknown. */
  readonly offset: number | null;
}

/**
 * The cause of an error:
 *
 * - `unknown`: The file's format was not recognized.
 * - `unreadable`: The file cannot be read.
 * - `unwritable`: The target format cannot represent some of the data. The option `allowLoss` drops it.
 * - `incomplete`: The target format requires values that the file lacks. The option `fill` fills them in.
 * - `empty`: The file contains nothing that the target format can store, such as triangles.
 * - `limit`: The file needs more memory than `maxBytes` allows.
 * - `effort`: The file needs more computation than is allowed for one file.
 * - `argument`: An argument is invalid, or the path does not exist.
 * - `crash`: The engine stopped and was restarted. Load all files again.
 */
export type ErrorKind =
  | "unknown"
  | "unreadable"
  | "unwritable"
  | "incomplete"
  | "empty"
  | "limit"
  | "effort"
  | "argument"
  | "crash";

/** Bytes. The engine copies them once and does not keep the buffer. */
export type Bytes = Uint8Array | ArrayBuffer | ArrayBufferView;

/** A WebAssembly module, or where it is. */
export type Source = string | URL | Response | BufferSource | WebAssembly.Module | Promise<Response | BufferSource>;

/**
 * Loads the engine. Await it once before any other call. By default, the two modules in the package are loaded: `first`
 * opens, queries, edits and saves documents, and `second` has everything else, such as meshes, scenes, conversions and
 * checks. If `second` is a function, it is called when that is needed first, and returns the module at once.
 */
export function init(first?: Source, second?: Source | (() => BufferSource | WebAssembly.Module)): Promise<void>;

export interface Detected {
  format: string;
  version: string;
  title: string;
}

/** Detects the format of a file by its first bytes or, for formats such as OBJ and STL, by its name. */
export function detect(bytes: Bytes, name?: string): Detected | null;

export interface Rule {
  id: string;
  severity: "warning" | "error";
  /** The rule as a sentence. */
  demands: string;
  /** The document that defines the rule. */
  source: string;
}

/** All supported kinds of files, rules and profiles of `check`, and options of conversions. */
export function about(): {
  kinds: { name: string; format: string; title: string; extensions: string[]; forms: string[] }[];
  rules: Rule[];
  profiles: string[];
  settings: Setting[];
};

/** An option of conversions. */
export interface Setting {
  name: string;
  /** What its value is; empty for a switch. */
  value: string;
  help: string;
  topic: "Result" | "Scene" | "Levels" | "Rig" | "Played" | "Motion" | "Bvh" | "Curves" | "Joints";
  /** All values, if they are few. */
  values: string[];
}

/** The classes of Roblox, each after its base class. */
export function classes(): { name: string; base: string | null; isService: boolean }[];

/** The engine's memory in bytes. It grows on demand and never shrinks. */
export function memory(): number;

/**
 * Unpacks a gzip or ZIP file, or a file that consists of several concatenated files. Returns any other file unchanged.
 * Files of an archive that are no assets, such as the textures of a model, come last: they can be the `files` of `load`.
 * With `region`, the first asset of an archive of OpenSim is all of its objects with the ground; it refers to the others.
 */
export function unpack(bytes: Bytes, options?: { maxBytes?: number; region?: boolean }): { name: string; bytes: Uint8Array<ArrayBuffer>; isAsset: boolean }[];

export type ReferenceKind = "beside" | "id" | "local";

/**
 * The files that a file refers to: a Map or an object with their names as keys, or a function that returns the file for a
 * kind of reference and a name. The kinds are `beside` (a path relative to the file), `id` (the id of a Roblox asset) and
 * `local` (a file of Roblox's installation).
 */
export type Files =
  | Map<string, Bytes>
  | Record<string, Bytes>
  | ((kind: ReferenceKind, name: string) => Bytes | null | undefined);

export interface LoadOptions {
  /** The memory limit for reading and for each result, in bytes: 1 GiB by default. */
  maxBytes?: number;
  /** The file's name. Its extension identifies formats without a magic number. */
  name?: string;
  /** The form of a file that cannot be recognized: `binary`, `xml` or `notation` for LLSD without a header, `json` for
   * LLSD as JSON, or `gltf`, `obj` or `stl`. */
  form?: string;
  /** The files that the file refers to, such as textures. `needed` lists them. */
  files?: Files;
}

/** Opens a file of any format. */
export function load(bytes: Bytes, options?: LoadOptions): Asset;

/** Lists the files that a file refers to. To load them together with the file, use the option `files`. */
export function needed(
  bytes: Bytes,
  options?: { maxBytes?: number; name?: string },
): { kind: ReferenceKind; name: string }[];

export interface Change {
  path: string;
  /** The class or type of the node, if the whole node was added or removed; otherwise null. */
  node: string | null;
  /** The type of the values; null if the whole node was added or removed and has no value. */
  type: string | null;
  old: unknown;
  new: unknown;
  change: "changed" | "added" | "removed" | "moved" | "reordered";
  /** The new path of an instance that was moved or renamed. */
  to?: string;
  /** The smallest set of children whose moves explain the new order. */
  order?: { child: string; from: number; to: number }[];
}

/** Compares two assets. Returns the first `max` differences (1000 by default), and in `count` the number of all. */
export function diff(old: Asset, now: Asset, options?: { max?: number }): { changes: Change[]; count: number };

export interface Info extends Detected {
  /** The size of the asset in bytes, without gzip or ZIP. */
  bytes: number;
  facts: Record<string, number | string | string[] | number[][]>;
}

export interface Finding {
  rule: string;
  severity: "warning" | "error";
  /** The rule as a sentence. */
  demands: string;
  path: string;
  /** The problem in the file. */
  found: string;
  /** The number of equal findings. */
  count: number;
  /** The line in a text file; null if it is unknown. */
  line: number | null;
  /** The found and the allowed amount, if the rule is a limit of a platform. */
  limit: { found: number; allowed: number } | null;
}

/** How avatar items are checked. */
export interface AvatarOptions {
  /** The table of `AvatarCreationService:GetValidationRules()`, as JSON or as an object. Missing numbers are built in. */
  rules?: string | object | ArrayBuffer | Uint8Array;
  /** The type, such as `Hat`, if the file does not tell it; the error for another one lists all. */
  type?: string;
}

export interface AvatarReport {
  items: {
    path: string;
    /** The type; null if it is not known. */
    kind: string | null;
    scale: "Classic" | "ProportionsSlender" | "ProportionsNormal";
    /** First those of broken rules. */
    rows: {
      rule: string;
      severity: "warning" | "error";
      path: string;
      found: string;
      allowed: string;
      /** `unseen`: what the rule needs is missing, such as a mesh. */
      verdict: "passed" | "failed" | "unseen";
      remedy: string;
    }[];
  }[];
  /** What cannot be seen in files. */
  notes: string[];
}

/** What both sides of a merge changed differently: the path in the base, and the values as text if it is about one. */
export interface Conflict {
  path: string;
  what: string;
  base: string | null;
  ours: string | null;
  theirs: string | null;
}

export interface Loss {
  /** The id of its rule, such as `gltf.tangents`; `rezkit docs --rules` lists all. */
  id: string;
  /** `left-out`: dropped. `approximated`: changed. `missing`: a file was not found. */
  kind: "left-out" | "approximated" | "filled-in" | "missing" | "warning";
  path: string;
  what: string;
  /** What to do about it, if something can be done. */
  advice?: string;
  count: number;
}

export interface Output {
  /** After a conversion, the converted file, followed by the files that it refers to. */
  files: { path: string; bytes: Uint8Array<ArrayBuffer> }[];
  losses: Loss[];
}

export interface Target {
  /** The name to pass to `convert`. */
  name: string;
  title: string;
  extension: string;
  /** Whether the asset is converted to a scene first. If so, data that scenes cannot represent is lost. */
  by_scene: boolean;
  /** The names of the options that apply. */
  options: string[];
}

export interface Script {
  path: string;
  class: string;
  source: string;
}

export interface SceneOptions {
  /** The levels of detail to include: `finest` by default. A number selects one level; 0 is the finest. */
  levels?: "finest" | "all" | number;
  /** Whether to include the convex physics hulls of Second Life meshes. */
  hulls?: boolean;
  /** The path of an instance in a Roblox document. The scene contains only this instance and its descendants. */
  path?: string;
  /** The resolution of terrain: the distance between two samples of the surface, 1, 2, 4 or 8 voxels, or `none` to omit
   * terrain. By default, the smallest distance with at most a million triangles, otherwise 8. */
  terrain?: 1 | 2 | 4 | 8 | "none";
  /** How to represent unions. By default, the first available of mesh, hulls, operands and box is used. */
  unions?: "mesh" | "operands" | "hulls" | "box";
  /** The unit of the lengths in an STL, OBJ or PLY file: the scene is scaled to metres. By default, lengths are
   * unchanged. */
  unit?: "m" | "cm" | "mm" | "in";
  /** The rig for animations that have no rig, and for conversions of animations and `sceneOnRig`: `R6`, `R15`, `bento` or
   * another name that `rezkit convert` knows, or the bytes of a document that contains a model with joints. By default, R6
   * or R15, depending on the names of the joints. */
  rig?: string | ArrayBuffer | Uint8Array;
}

export interface ConvertOptions extends SceneOptions {
  /** The file name of the output. By default, `model` with the target's extension. */
  name?: string;
  /** Drop or replace content that the target format cannot represent, and list it; without this option, that content is
   * an error, except in conversions to scenes such as glTF, which always drop and list it. */
  allowLoss?: boolean;
  /** The month of a Roblox client, such as `2016-04`. The engine of this package has no table of clients, and refuses it. */
  client?: string;
  /** The compression of a binary Roblox document: `none`, `lz4`, `zstd`, or zstd with a level, such as `zstd:19`. */
  compression?: string;
  /** Store bytes that several unions or meshes of a Roblox document have alike once, as shared strings. */
  share?: boolean;
  /** Losses that are an error: ids such as `gltf.tangents`, the part before their dot, `all`, `dropped` or `changed`. */
  deny?: string | string[];
  /** Losses that are accepted even if `deny` names them, and not listed. */
  allow?: string | string[];
  /** Indent LLSD that is written as XML or notation, with an entry on each line. */
  pretty?: boolean;
  /** Fill in and list values that the file lacks but the target format requires. */
  fill?: "neutral" | "defaults";
  /** The priority of an animation: 0 to 6 for Second Life, 0 to 5 or 1000 for Roblox. */
  priority?: number;
  /** Whether the animation loops or, for Second Life, the start and end of the loop in seconds. */
  loop?: boolean | [number, number];
  /** The fade-in and fade-out time in seconds (Second Life). */
  ease?: [number, number];
  /** The hand pose: a name such as `point right`, or 0 to 13 (Second Life). */
  handPose?: number | string;
  /** Convert a BVH file exactly, with its own rest pose and all of its frames. Without this option, a file whose
   * first joint is hip or mPelvis is converted in the same way as by Second Life's uploader: the first frame is not
   * played, and redundant frames are dropped. */
  exact?: boolean;
  /** Play animations this number of times as fast: all times are divided by it, also those of the loop and of fading. */
  speed?: number;
  /** Remove these joints from animations: names separated by commas, in which `*` stands for any text. */
  dropJoints?: string;
  /** Exchange the left and the right side of animations. */
  mirror?: boolean;
  /** Keep the hips above the place where they begin. */
  inPlace?: boolean;
  /** Keep only the part between two times in seconds. */
  trim?: [number, number];
  /** Remove keys that straight lines yield within a number of degrees and a length. */
  reduce?: [number, number];
  /** A file whose first animation follows. */
  then?: Uint8Array;
  /** The seconds in which both animations are blended: 0.3 by default. */
  blend?: number;
  /** A file whose first animation, or pose, replaces the motion of the joints of `poseJoints`. */
  pose?: Uint8Array;
  /** The joints that `pose` moves, with all below them: names separated by commas; by default, all. */
  poseJoints?: string;
  /** Convert only the animation with this name or index. */
  action?: string | number;
  /** Write CurveAnimations instead of KeyframeSequences (Roblox). */
  curves?: boolean;
  /** Remove keyframes of an animation that is transferred to another rig, and add keys to curves, so that rotations change
   * by at most this many degrees and positions by at most this many studs (Roblox): `[0.1, 0.001]` by default. */
  tolerance?: [number, number];
  /** The number of samples per second if an animation is transferred to another rig; `tolerance` then reduces them to
   * fewer keyframes (Roblox). By default, 30. For BVH, the number of frames per second; by default, that of the file if
   * its keys are regular, otherwise 30. */
  fps?: number;
  /** Maps the file's joints to joints of Second Life's avatar: one pair per line, such as `Bip01 Pelvis = mPelvis`. */
  joints?: string;
  /** The folder for the meshes and images of a Roblox model; without it, they are not written. */
  assets?: string;
  /** The beginning of the addresses of these files: `rbxasset://` and the name of the folder by default. */
  prefix?: string;
  /** Meshes that are exactly a box, a wedge, a corner wedge, a cylinder or a ball become parts of a Roblox model. */
  parts?: boolean;
  /** The number of studs in a unit of a scene that becomes a Roblox model, 1 by default; `m` is 1/0.28. */
  scale?: number | "m";
  /** The maximum width and height of the images of a Roblox model, in pixels. */
  maxTexture?: number;
  /** The version of the meshes of a Roblox model, such as `4.00`. */
  meshVersion?: string;
  /** Splits, scales down and reduces what Roblox would refuse. */
  fit?: boolean;
}

/** A node of a file's tree. */
export interface TreeNode {
  readonly path: string;
  readonly name: string;
  /** The class of an instance, or the type of a value. */
  readonly kind: string;
  /** The value of a leaf, shortened to one line. */
  readonly value: string | null;
  /** The number of children. */
  readonly count: number;
  /** At most `max` (1000 by default) children, from the index `from` (0 by default). */
  children(from?: number, max?: number): TreeNode[];
  /** The properties of the node; those of an instance include the ones that the file does not store. */
  properties(): Property[];
}

export interface SecondLifeOptions {
  /** The land impact to reach by simplifying the levels of detail. */
  landImpact?: number;
  /** The shape for physics: convex hulls by default. */
  physics?: "hulls" | "mesh" | "box" | "none";
  /** The scale at which the object is used. */
  scale?: number;
  /** Change what Second Life would refuse or change. */
  fix?: boolean;
}

/** The report of an upload to Second Life: the cost of all objects, and of each. */
export interface SecondLifeReport {
  name: string;
  land_impact: { streaming: number; physics: number | null; server: number; total: number; shown: number };
  parts: {
    name: string;
    /** The levels, the finest first. */
    levels: { triangles: number; vertices: number; bytes: number }[];
    hulls: number;
    land_impact: { total: number };
  }[];
  findings: unknown[];
  losses: Loss[];
}

/** A property of a node, or a field of one. */
export interface Property {
  /** The name in the file; empty for the value of the node itself. */
  name: string;
  /** The name that Studio shows. */
  title: string;
  kind: string;
  /** The value, shortened to one line. */
  summary: string;
  /** The value in the notation of `set`; null if it is long. */
  text: string | null;
  /** The parts of a value such as attributes and tags: the first 200. */
  fields: Property[] | null;
  /** The items of the enum, or the names of all BrickColors. */
  items: string[] | null;
  /** `stored` in the file, the `default` of the class, or computed from an `older` property that the file stores. */
  source: "stored" | "default" | "older";
}

/** An edit of the instances of a Roblox document. Paths are those of tree nodes; an empty parent is the root. */
export type Edit =
  | { do: "set"; path: string; value: string; kind?: string }
  | { do: "add"; class: string; parent: string; properties?: [string, string][] }
  | { do: "insert"; model: string; parent: string }
  | { do: "copy"; path: string; model: string }
  | { do: "move"; path: string; parent: string }
  | { do: "rename"; path: string; name: string }
  | { do: "tag"; path: string; tag: string; remove?: boolean }
  | { do: "attribute"; path: string; name: string; value?: string }
  | { do: "remove"; path: string };

/** An object in the engine's memory. `free` releases it immediately; otherwise the garbage collector releases it later. */
export interface Handle {
  free(): void;
}

/** An open file. */
export interface Asset extends Handle {
  readonly name: string;
  readonly format: string;
  readonly version: string;
  /** The format without the counts of `describe`. `name` is the kind of `about`, such as `rbxm`. */
  readonly kind: Detected & { name: string; hasInstances: boolean; hasGeometry: boolean };
  describe(): Info;
  readonly tree: TreeNode;
  node(path: string): TreeNode;
  /** Finds nodes whose name, class or type contains a string. Returns the first `max` (1000 by default). `all` is true if
   * these are all. */
  find(text: string, max?: number): { nodes: TreeNode[]; all: boolean };
  /** The value at a path: names separated by `/`, and `.` before a property. An integer beyond 2^53 is a string. */
  get(path: string): unknown;
  /** Sets the value at a path. Its type stays unless `kind` is given. Returns what else changed: in the binary form of
   * Roblox documents, a new property is filled in for the other instances of the class. */
  set(path: string, value: string | number | boolean | bigint | number[], kind?: string): Loss[];
  /** Finds the instances that a selector of Roblox's `QueryDescendants` means, such as `Part[Anchored = false]`: the first
   * `max` (1000 by default), the number of all, and what may be misspelled in the selector. */
  query(selector: string, max?: number): { nodes: TreeNode[]; count: number; hints: string[] };
  /** The paths of all that a selector means, or of all nodes whose name, class or type contains a text. */
  found(text: string, isSelector?: boolean): string[];
  /** The ids of the instances at paths of a Roblox document, which they keep until they are removed, whatever is edited;
   * 2^32 - 1 where nothing is. */
  ids(paths: string[]): Uint32Array<ArrayBuffer>;
  /** The paths of instances by their ids; empty for those that were removed. */
  paths(ids: Uint32Array): string[];
  /** The ids of instances and of all their descendants. */
  below(ids: Uint32Array): Uint32Array<ArrayBuffer>;
  /** The parts in which instances are, or they themselves: what to draw again after a change. Undefined if others may look
   * different, too, such as a rope after a change of its attachment. */
  parts(ids: Uint32Array): Uint32Array<ArrayBuffer> | undefined;
  /** The content as it is now, for `restore`: its bytes, its ids and all else. Until it is freed, it holds its memory. */
  state(): Handle;
  /** Brings the asset back to a state that it had. */
  restore(state: Handle): void;
  /** The memory of the content as it was opened, in bytes. */
  readonly held: number;
  /** A number that is larger than the ids of all instances. */
  nextId(): number;
  /** The instances whose ids are at least a number, without those below others of them. */
  added(since: number): Uint32Array<ArrayBuffer>;
  /** Whether the scene can depend on these properties, by their names in files, of these instances. */
  dependsOn(ids: Uint32Array, properties: string[]): boolean;
  /** The text of a property, by its name in files, at each of many paths; null where there is none. */
  texts(paths: string[], property: string): (string | null)[];
  /** The same for the ids of instances, which is faster. */
  textsOf(ids: Uint32Array, property: string): (string | null)[];
  /** Applies all edits in order, or none of them. `models` provides the models of `insert`, by name; the result contains
   * those of `copy`, whose extension is their form. With `atOnce`, paths are those before the first edit, whatever the
   * edits rename or move, and nothing is inserted. The other options are those of converting inserted animations. */
  edit(edits: Edit | Edit[], options?: ConvertOptions & { models?: Files; atOnce?: boolean }): Output;
  /** Puts edited texts of `extract` (scripts and meta files, by path) back. `remove` removes scripts without a file. */
  pack(files: Record<string, string>, options?: { remove?: boolean }): { changed: string[]; losses: Loss[] };
  /** Joins what `theirs` changed since `base`, from which both come: Roblox documents by instance and property, LLSD by
   * key. What both changed differently is a conflict, of which this asset's side stays; `prefer` resolves all of them. */
  merge(base: Asset, theirs: Asset, options?: { prefer?: "ours" | "theirs" }): { conflicts: Conflict[]; losses: Loss[] };
  /** Takes single differences from `other`: those at these paths, as `diff` lists them, such as `House/Door.Color3uint8`;
   * of an instance that was moved, `path` and `to`. Throws if one depends on others. */
  take(other: Asset, paths: string | string[]): Output;
  /** Checks the rules of the asset's format and of the profiles (`roblox-upload`, `roblox-import`, `roblox-animation`,
   * `roblox-avatar`, `secondlife-upload`). The last argument can be options for avatar items.
   * Returns a finding for each violation of a rule; equal ones in a row are one finding. */
  check(...profiles: (string | AvatarOptions)[]): Finding[];
  /** The avatar items of the asset, with the verdict of each rule: what the marketplace would refuse. */
  avatarItems(options?: AvatarOptions): AvatarReport;
  /** The formats that the asset can be converted to. */
  targets(): Target[];
  /** Converts the asset to the target with the name `to`. */
  convert(to: string, options?: ConvertOptions): Output;
  scene(options?: SceneOptions): Scene;
  /** The animations on the rig of the options, with its figure; undefined if that is the rig of the file. */
  sceneOnRig(options: SceneOptions): Scene | undefined;
  /** The scene of some instances of a Roblox document, by their ids, with their descendants; it may be empty. */
  sceneOf(ids: Uint32Array, options?: SceneOptions): Scene;
  /** For each node of the asset's scene, the id of the instance that it was made from, or 2^32 - 1. */
  nodeIds(scene: Scene): Uint32Array<ArrayBuffer>;
  /** For each node of the asset's scene, the path of the tree node that it was made from, such as a Roblox instance, or
   * null. */
  nodePaths(scene: Scene): (string | null)[];
  /** The files of an upload to Second Life: a mesh asset and glTF files with levels of detail and a shape for physics. */
  secondLife(options?: SecondLifeOptions): Output & { report: SecondLifeReport };
  /** The embedded files: scripts, textures, and properties stored as bytes. */
  extract(options?: { models?: "rbxm" | "rbxmx" }): Output;
  scripts(): Script[];
  /** The assets that the file refers to, each with the paths that refer to it. */
  assets(): Record<string, string[]>;
  /** The original bytes with the changes applied. */
  save(): Uint8Array<ArrayBuffer>;
}

/**
 * The triangles of a primitive. Except for `indices`, each array has one entry for each vertex. Coordinates are
 * right-handed with y up. Front faces are counter-clockwise. The texture coordinate v increases downwards.
 */
export interface Columns {
  /** x, y and z of each vertex. */
  positions: Float32Array;
  /** Three vertex indices for each triangle. */
  indices: Uint32Array;
  normals?: Float32Array;
  /** x, y, z and the sign of the bitangent of each vertex. */
  tangents?: Float32Array;
  /** One array of u and v for each set of texture coordinates. */
  uvs: (Float32Array | undefined)[];
  /** Red, green, blue and alpha of each vertex, linear; 65535 is 1. */
  colors?: Uint16Array;
  /** Four indices into the joints of the skin for each vertex. */
  joints?: Uint16Array;
  weights?: Float32Array;
  targets: { name: string; positions?: Float32Array; normals?: Float32Array }[];
}

export interface SceneNode {
  name: string;
  transform: { translation: number[]; rotation: number[]; scale: number[] };
  children: number[];
  mesh: number | null;
  skin: number | null;
  weights: number[];
  hidden: boolean;
  light: unknown;
  camera: unknown;
  extras: Record<string, unknown>;
}

/** A scene with the structure of a glTF file: objects refer to each other by index. */
export interface Scene extends Handle {
  readonly name: string;
  readonly nodes: SceneNode[];
  readonly roots: number[];
  readonly meshes: {
    name: string;
    weights: number[];
    primitives: { vertices: number; triangles: number; material: number | null; uvSets: number; targets: string[] }[];
  }[];
  readonly materials: Record<string, unknown>[];
  readonly images: { name: string; mediaType: string | null; uri: string | null }[];
  readonly skins: { name: string; joints: number[] }[];
  readonly animations: {
    name: string;
    duration: number;
    channels: {
      node: number;
      property: "translation" | "rotation" | "scale" | "weights";
      interpolation: "Linear" | "Step" | "Cubic";
    }[];
  }[];
  /** The direction of the model's front, as an angle about y in degrees. 0 is +z. */
  readonly front: number;
  readonly copyright: string;
  /** Values of the file for which glTF has no place, such as `Lighting.TimeOfDay` of a Roblox place. */
  readonly extras: Record<string, unknown>;
  readonly losses: Loss[];
  /** A copy of the vertex attributes and indices of a primitive. */
  primitive(mesh: number, primitive: number): Columns;
  /** The inverse bind matrices of a skin: 16 numbers for each joint, column by column. */
  inverseBind(skin: number): Float32Array;
  channel(animation: number, channel: number): { times: Float32Array; values: Float32Array };
  /** The bytes of an image file (PNG, JPEG, WebP or GIF); undefined if it is external. */
  image(index: number): Uint8Array<ArrayBuffer> | undefined;
  /** Renders the scene. `data` contains red, green, blue and alpha of each pixel, row by row. The options are those of
   * `rezkit render` for images, such as `{ size: [96, 96], angle: [30, 20], wireframe: true, background: "none" }`. */
  picture(options?: {
    [name: string]: boolean | number | string | readonly number[] | undefined;
  }): { width: number; height: number; data: Uint8ClampedArray<ArrayBuffer> };
}
