/** The only error that functions and methods of this package throw. */
export class RezkitError extends Error {
  constructor(kind: ErrorKind, text: string, path?: string, offset?: number | null);
  readonly name: "RezkitError";
  readonly kind: ErrorKind;
  /** The path within the file; empty if it is unknown. */
  readonly path: string;
  /** The offset of the byte, if it is known. */
  readonly offset: number | null;
}

/**
 * `unknown`: the format is unknown. `unreadable`: the file cannot be read. `unwritable`: the target cannot represent the
 * content. `incomplete`: the target needs values that the content lacks; `fill` fills them in. `empty`: the file has
 * nothing for the target, such as triangles. `limit`: more memory than `maxBytes` is needed. `effort`: more work is needed
 * than is allowed for one file. `argument`: an argument is wrong, or nothing is at the path. `crash`: the engine stopped;
 * it was restarted, and everything loaded before is lost.
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

/** Loads the engine: await it once before any other call. `source` is the WebAssembly module or its URL, if it is not in the package. */
export function init(
  source?: string | URL | Response | BufferSource | WebAssembly.Module | Promise<Response | BufferSource>,
): Promise<void>;

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
  demands: string;
  source: string;
}

/** All kinds of files, rules and profiles. */
export function about(): {
  kinds: { name: string; format: string; title: string; extensions: string[]; forms: string[] }[];
  rules: Rule[];
  profiles: string[];
};

/** The engine's memory in bytes. It grows on demand and never shrinks. */
export function memory(): number;

/** The files in a gzip or ZIP file, or in a file that concatenates several; otherwise the file itself. */
export function unpack(bytes: Bytes, options?: { maxBytes?: number }): { name: string; bytes: Uint8Array }[];

export type ReferenceKind = "beside" | "id" | "local";

/**
 * The files that a file refers to, by name; or a function that returns them, given the kind of reference (`beside`: a path
 * relative to the file; `id`: the id of a Roblox asset; `local`: a file of Roblox's installation) and the name.
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
  /** The format of content that cannot be recognized: `binary`, `xml`, `notation` or `json` for LLSD without a header. */
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
  /** The kind of the node, if all of it was added or removed. */
  node: string | null;
  old: unknown;
  new: unknown;
  change: "changed" | "added" | "removed" | "moved" | "reordered";
  /** The new path of an instance that was moved or renamed. */
  to?: string;
  /** The smallest set of children whose moves explain the new order. */
  order?: { child: string; from: number; to: number }[];
}

/** The differences between two assets: the first `max` (1000 by default), and the number of all. */
export function diff(old: Asset, now: Asset, options?: { max?: number }): { changes: Change[]; count: number };

export interface Info extends Detected {
  /** The size of the asset in bytes, without gzip or ZIP. */
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
  kind: "left-out" | "approximated" | "filled-in" | "missing";
  path: string;
  what: string;
  count: number;
}

export interface Output {
  /** For a conversion, first the converted file, then the files that it refers to. */
  files: { path: string; bytes: Uint8Array }[];
  losses: Loss[];
}

export interface Target {
  /** The name for `convert`. */
  name: string;
  title: string;
  extension: string;
  /** Whether the conversion goes through a scene, and keeps only its content. */
  by_scene: boolean;
}

export interface Script {
  path: string;
  class: string;
  source: string;
  /** Lines to review; a keyword search, not an analysis. */
  suspicious: { line: number; what: string; text: string }[];
}

export interface SceneOptions {
  /** The levels of detail: `finest` by default; a number selects one level, 0 the finest. */
  levels?: "finest" | "all" | number;
  /** Whether to include the convex physics hulls of Second Life meshes. */
  hulls?: boolean;
  /** The path of the instance of a Roblox document to use, with its descendants. */
  path?: string;
  /** The resolution of terrain: one sample per this number of voxels, or `none` to omit terrain. By default, the finest resolution with less than a million triangles. */
  terrain?: 1 | 2 | 4 | 8 | "none";
  /** How unions are represented: by default by the first available of mesh, hulls and operands. */
  unions?: "mesh" | "operands" | "hulls" | "box";
  /** The rig for animations without one, and for animations written for Roblox: an avatar, or the bytes of a document with a model
   * that has joints. By default R6 or R15, according to the names of the joints. */
  rig?: "R6" | "R15" | ArrayBuffer | Uint8Array;
}

export interface ConvertOptions extends SceneOptions {
  /** The file name of the output: `model` with the target's extension by default. */
  name?: string;
  /** Drop and list what the target format cannot represent; without this option, it is an error. */
  allowLoss?: boolean;
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
  /** Convert a BVH file exactly, with its own rest pose and all of its frames. Without this option, the file is converted
   * as by Second Life's uploader, which does not play the first frame and drops redundant frames. */
  exact?: boolean;
  /** Convert only the animation with this name or index. */
  action?: string | number;
  /** Write CurveAnimations instead of KeyframeSequences (Roblox). */
  curves?: boolean;
  /** Remove keyframes if this changes rotations by at most this many degrees and positions by at most this many studs
   * (Roblox): `[0.1, 0.001]` by default. */
  tolerance?: [number, number];
  /** The number of keyframes per second to write if an animation is transferred to another rig (Roblox): 30 by default. */
  fps?: number;
  /** A map of joints to those of Second Life's avatar, one per line, such as `Bip01 Pelvis = mPelvis`. */
  joints?: string;
}

/** A node of a file's tree. */
export interface TreeNode {
  readonly path: string;
  readonly name: string;
  /** The class or the type. */
  readonly kind: string;
  /** The value of a leaf, shortened to one line. */
  readonly value: string | null;
  /** The number of children. */
  readonly count: number;
  /** At most `max` (1000 by default) children, from the index `from` (0 by default). */
  children(from?: number, max?: number): TreeNode[];
  /** Its properties. `text` is the value as `set` accepts it, if it is short. */
  properties(): { name: string; kind: string; summary: string; text: string | null; fields: boolean }[];
}

/** Memory of the engine, released by `free` or some time after the last use. */
export interface Handle {
  free(): void;
}

/** An open file. */
export interface Asset extends Handle {
  readonly name: string;
  readonly format: string;
  readonly version: string;
  describe(): Info;
  readonly tree: TreeNode;
  node(path: string): TreeNode;
  /** The nodes whose name, class or type contains a text: the first `max` (1000 by default), and whether these are all. */
  find(text: string, max?: number): { nodes: TreeNode[]; all: boolean };
  /** The value at a path: names separated by `/`, and `.` before a property. */
  get(path: string): unknown;
  /** Sets the value at a path. Its type stays unless `kind` is given. */
  set(path: string, value: string | number | boolean, kind?: string): void;
  /** Checks the rules of its format and of profiles (`roblox-upload`, `roblox-animation`, `secondlife-upload`). */
  check(...profiles: string[]): Finding[];
  targets(): Target[];
  convert(to: string, options?: ConvertOptions): Output;
  scene(options?: SceneOptions): Scene;
  /** For each node of the asset's scene, the tree path of what it shows, such as a Roblox instance; otherwise null. */
  nodePaths(scene: Scene): (string | null)[];
  /** The embedded files: scripts, textures, and properties stored as bytes. */
  extract(options?: { models?: "rbxm" | "rbxmx" }): Output;
  scripts(): Script[];
  /** The assets that the file refers to, each with the paths that refer to it. */
  assets(): Record<string, string[]>;
  /** The original bytes with the changes applied. */
  save(): Uint8Array;
}

/**
 * Triangles as columns with one row for each vertex. Coordinates are right-handed with y up, triangles counter-clockwise; v grows
 * downwards.
 */
export interface Columns {
  /** x, y, z. */
  positions: Float32Array;
  /** Three vertex indices for each triangle. */
  indices: Uint32Array;
  normals?: Float32Array;
  /** x, y, z, and the sign of the bitangent. */
  tangents?: Float32Array;
  /** The texture coordinates u, v of each set. */
  uvs: (Float32Array | undefined)[];
  /** Red, green, blue, alpha. */
  colors?: Uint8Array;
  /** Four indices into the joints of the skin. */
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

/** A scene in glTF's terms. References are indices. */
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
  /** The direction of the model's front: degrees about y, from +z. */
  readonly front: number;
  readonly copyright: string;
  readonly losses: Loss[];
  /** The columns of a primitive, copied. */
  primitive(mesh: number, primitive: number): Columns;
  /** The inverse bind matrices, from the mesh to each joint: 16 numbers each, column by column. */
  inverseBind(skin: number): Float32Array;
  channel(animation: number, channel: number): { times: Float32Array; values: Float32Array };
  /** The bytes of an image file (PNG, JPEG, WebP or GIF); undefined if it is external. */
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
