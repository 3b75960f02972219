/** What can go wrong. Functions and methods of this package throw nothing else. */
export class RezkitError extends Error {
  constructor(kind: ErrorKind, text: string, path?: string, offset?: number | null);
  readonly name: "RezkitError";
  readonly kind: ErrorKind;
  /** Where in the file's structure it is; empty if that is not known. */
  readonly path: string;
  /** The offset of the byte where it is, where that is known. */
  readonly offset: number | null;
}

/**
 * `unknown`: of an unknown format. `unreadable`: its format's reader refuses it. `unwritable`: the target cannot
 * represent the content. `incomplete`: the target needs values that the content lacks; `fill` gives them. `empty`: nothing
 * in the file is of the target's kind, such as triangles. `limit`: more memory than `maxBytes`. `effort`: more work than a
 * file may ask for. `argument`: a wrong argument, or nothing at the path. `crash`: the engine stopped; it was restarted, and
 * what was loaded before is gone.
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

/** Bytes. They are copied once, and stay the caller's. */
export type Bytes = Uint8Array | ArrayBuffer | ArrayBufferView;

/** Loads the engine: call it once, and wait for it. `source` is the module, or its address, if it is not beside this file. */
export function init(
  source?: string | URL | Response | BufferSource | WebAssembly.Module | Promise<Response | BufferSource>,
): Promise<void>;

export interface Detected {
  format: string;
  version: string;
  title: string;
}

/** What a file is, from its first bytes, and where they tell nothing, as in OBJ and STL, from its name. */
export function detect(bytes: Bytes, name?: string): Detected | null;

export interface Rule {
  id: string;
  severity: "warning" | "error";
  demands: string;
  source: string;
}

/** All kinds of files, rules and profiles. */
export function about(): {
  kinds: { name: string; format: string; title: string; extensions: string[]; forms: string[] }[];
  rules: Rule[];
  profiles: string[];
};

/** How many bytes of memory the engine has taken. It takes more where it needs more, and gives none back. */
export function memory(): number;

/** The files in a file: in gzip, in a ZIP archive, one after the other; the file itself where it is no such thing. */
export function unpack(bytes: Bytes, options?: { maxBytes?: number }): { name: string; bytes: Uint8Array }[];

export type ReferenceKind = "beside" | "id" | "local";

/**
 * Gives the files that a file refers to: by their names, or a function of the kind of reference (`beside`: a path beside
 * the file; `id`: an asset of Roblox; `local`: a file of Roblox's installation) and the name.
 */
export type Files =
  | Map<string, Bytes>
  | Record<string, Bytes>
  | ((kind: ReferenceKind, name: string) => Bytes | null | undefined);

export interface LoadOptions {
  /** The most bytes that reading, and all that is made of it, may take: 1 GiB unless set. */
  maxBytes?: number;
  /** The file's name, by which formats without a mark of their own are known, and after which output is named. */
  name?: string;
  /** Reads bytes that do not tell what they are: `binary`, `xml`, `notation` or `json` are LLSD without a header. */
  form?: string;
  files?: Files;
}

/** Opens a file of any format. */
export function load(bytes: Bytes, options?: LoadOptions): Asset;

/** The files that a file refers to. */
export function needed(
  bytes: Bytes,
  options?: { maxBytes?: number; name?: string },
): { kind: ReferenceKind; name: string }[];

export interface Change {
  path: string;
  /** The kind of the node where all of it was added or removed. */
  node: string | null;
  old: unknown;
  new: unknown;
  change: "changed" | "added" | "removed" | "moved" | "reordered";
  /** The path after, of an instance that was moved or renamed. */
  to?: string;
  /** The children whose order changed, as few as explain it. */
  order?: { child: string; from: number; to: number }[];
}

/** What differs between two assets: the first `max` (1000) differences, and how many there are. */
export function diff(old: Asset, now: Asset, options?: { max?: number }): { changes: Change[]; count: number };

export interface Info extends Detected {
  /** How many bytes the asset has, unwrapped. */
  bytes: number;
  facts: Record<string, number | string | string[] | number[][]>;
}

export interface Finding {
  rule: string;
  severity: "warning" | "error";
  demands: string;
  path: string;
  found: string;
  count: number;
  limit: { found: number; allowed: number } | null;
}

export interface Loss {
  kind: "left-out" | "approximated" | "filled-in";
  path: string;
  what: string;
  count: number;
}

export interface Output {
  /** Of a conversion, the file first; then those that it refers to. */
  files: { path: string; bytes: Uint8Array }[];
  losses: Loss[];
}

export interface Target {
  /** By which `convert` takes it. */
  name: string;
  title: string;
  extension: string;
  /** Whether only a scene is kept of what is converted. */
  by_scene: boolean;
}

export interface Script {
  path: string;
  class: string;
  source: string;
  /** What to look at; the list proves nothing. */
  suspicious: { line: number; what: string; text: string }[];
}

export interface SceneOptions {
  /** `finest` unless set; a number is a level of detail, 0 the finest. */
  levels?: "finest" | "all" | number;
  /** Whether convex hulls become nodes. */
  hulls?: boolean;
  /** Of a Roblox document, the instance that becomes a scene. */
  path?: string;
}

export interface ConvertOptions extends SceneOptions {
  /** The name of the output; `model` with the target's extension unless set. */
  name?: string;
  /** Leave out what the target cannot represent, and list it, instead of refusing. */
  allowLoss?: boolean;
  /** Fill in what the target needs and the file does not have. */
  fill?: "neutral" | "defaults";
  /** The priority of an animation: 0 to 6 for Second Life, 0 to 5 or 1000 for Roblox. */
  priority?: number;
  /** Whether it is repeated, or, for Second Life, from and to which second. */
  loop?: boolean | [number, number];
  /** How long it fades in and out, in seconds. */
  ease?: [number, number];
  /** What the hands do: a name such as `point right`, or 0 to 13. */
  handPose?: number | string;
  /** Convert BVH to a motion of Second Life by the pose at rest and with all frames, not as the viewer's upload does. */
  exact?: boolean;
  /** Of several animations, convert this one only: its name or its index. */
  action?: string | number;
  /** Write CurveAnimations for Roblox, not KeyframeSequences. */
  curves?: boolean;
  /** What sampled keys may differ by from those that are left out, for Roblox: degrees and studs; `[0.1, 0.001]` unless set. */
  tolerance?: [number, number];
  /** Samples per second of an animation of another rig, for Roblox: 30 unless set. */
  fps?: number;
  /** The rig of animations for Roblox, and of those that have none beside them: the bytes of a document with a model that has joints,
   * or an avatar; that by the names of joints unless set. */
  rig?: "R6" | "R15" | ArrayBuffer | Uint8Array;
  /** Maps joints to those of the avatar of Second Life, as `Bip01 Pelvis = mPelvis` on each line. */
  joints?: string;
}

/** A node of what is in a file. */
export interface TreeNode {
  readonly path: string;
  readonly name: string;
  /** The class, or the type. */
  readonly kind: string;
  /** The value of a node that is nothing else, shortened to one line. */
  readonly value: string | null;
  /** How many nodes are in it. */
  readonly count: number;
  /** The nodes in it, from an index on: the first `max` (1000). */
  children(from?: number, max?: number): TreeNode[];
  /** Its properties. `text` is the value where it is short, as `set` takes it. */
  properties(): { name: string; kind: string; summary: string; text: string | null; fields: boolean }[];
}

/** Memory of the engine. It is given back by `free`, or some time after the last use. */
export interface Handle {
  free(): void;
}

/** A file that is open. */
export interface Asset extends Handle {
  readonly name: string;
  readonly format: string;
  readonly version: string;
  describe(): Info;
  readonly tree: TreeNode;
  node(path: string): TreeNode;
  /** The nodes whose name, class or type contains a text: the first `max` (1000), and whether these are all. */
  find(text: string, max?: number): { nodes: TreeNode[]; all: boolean };
  /** The value at a path: names with `/` between them, and `.` before a property. */
  get(path: string): unknown;
  /** Sets the value at a path, which keeps its type unless another is named. */
  set(path: string, value: string | number | boolean, kind?: string): void;
  /** The rules that it breaks: of its format, and of profiles (`roblox-upload`, `roblox-animation`, `secondlife-upload`). */
  check(...profiles: string[]): Finding[];
  targets(): Target[];
  convert(to: string, options?: ConvertOptions): Output;
  scene(options?: SceneOptions): Scene;
  /** Where in the tree each node of a scene of it is, such as the instance of a Roblox document that it shows. */
  nodePaths(scene: Scene): (string | null)[];
  /** The files in it: scripts, textures, and what is stored as bytes. */
  extract(options?: { models?: "rbxm" | "rbxmx" }): Output;
  scripts(): Script[];
  /** The assets that it refers to, with the paths that do. */
  assets(): Record<string, string[]>;
  /** Its bytes as it was read, with what was set. */
  save(): Uint8Array;
}

/** The columns of triangles; one value for each vertex. Right-handed, y up, counter-clockwise, v downwards. */
export interface Columns {
  /** x, y, z. */
  positions: Float32Array;
  /** Three for each triangle. */
  indices: Uint32Array;
  normals?: Float32Array;
  /** x, y, z, and the sign of the bitangent. */
  tangents?: Float32Array;
  /** u, v of each set. */
  uvs: (Float32Array | undefined)[];
  /** Red, green, blue, alpha. */
  colors?: Uint8Array;
  /** Four indices of the skin's joints. */
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

/** A scene in glTF's terms. What refers to something else does by index. */
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
  /** Which way its front faces, in degrees about y from +z. */
  readonly front: number;
  readonly copyright: string;
  readonly losses: Loss[];
  /** The columns of a primitive, copied. */
  primitive(mesh: number, primitive: number): Columns;
  /** Matrices of four columns, from the mesh to each joint. */
  inverseBind(skin: number): Float32Array;
  channel(animation: number, channel: number): { times: Float32Array; values: Float32Array };
  /** A PNG or JPEG file; undefined where it is a file elsewhere. */
  image(index: number): Uint8Array | undefined;
  /** A picture: red, green, blue and alpha of each pixel. Angles in degrees. */
  picture(options?: {
    width?: number;
    height?: number;
    yaw?: number;
    pitch?: number;
    zoom?: number;
    wireframe?: boolean;
    background?: number[];
  }): { width: number; height: number; data: Uint8ClampedArray };
}
