// The 3D view, drawn with three.js.

import * as three from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import grain from "./grain.glsl?raw";
import { TURNS } from "./ui";
import { MATERIAL, PLAIN, type Box, type Draw, type Key, type SceneData } from "./pack";

const WRAPS: Record<string, three.Wrapping> = {
  Repeat: three.RepeatWrapping,
  Mirror: three.MirroredRepeatWrapping,
  Clamp: three.ClampToEdgeWrapping,
};
/** A mesh with more triangles is marked by a box instead of its edges. */
const EDGES = 20_000;
/** The milliseconds for each piece of a scene. */
const PIECE = 30;
const ACCENT = 0x2f81f7;
/** Where the keys of the walk lead. */
const WALK: Record<string, number[]> = { KeyW: [0, 0, -1], KeyS: [0, 0, 1], KeyA: [-1, 0, 0], KeyD: [1, 0, 0], KeyE: [0, 1, 0], KeyQ: [0, -1, 0] };
/** The speed of the walk in studs or metres each second, and how many times as fast it is with Shift. */
const [PACE, FAST] = [25, 4];
export type Look = "shaded" | "unlit" | "wireframe" | "normals" | "uvs";

/** What is drawn by one call, with the keys of what it shows, one for each place. */
type Drawn = three.Mesh & { userData: { surface: three.Material; keys: (Key | null)[]; piece: Piece; tints?: three.InstancedBufferAttribute | null } };

/** A scene, the objects of its nodes if they move, how many of its meshes are still drawn, and what all of it is in. */
interface Piece {
  scene: SceneData;
  objects: three.Object3D[];
  skeletons: three.Object3D[][];
  drawn: number;
  group: three.Group;
}

/** What shaders are compiled with before there is a scene. */
const SHAPE = new three.BoxGeometry();
const FRAME = new three.EdgesGeometry(SHAPE);
const boxOf = ([a, b, c, d, e, f]: Box) => new three.Box3(new three.Vector3(a, b, c), new three.Vector3(d, e, f));
const color = ([red, green, blue]: number[]) => new three.Color().setRGB(red, green, blue, three.LinearSRGBColorSpace);

/** Where one of the places of a mesh is. */
function matrixAt(mesh: three.Mesh, at: number) {
  const made = mesh.matrixWorld.clone();
  if (mesh instanceof three.InstancedMesh) mesh.getMatrixAt(at, made);
  return made;
}

/** Decodes the images. One that the browser cannot decode is undefined, and its texture is omitted. */
const textures = (scene: SceneData) =>
  Promise.all(
    scene.images.map(async ({ bytes, mediaType }) => {
      if (!bytes || !mediaType) return undefined;
      return createImageBitmap(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: mediaType })).catch(() => undefined);
    }),
  );

/** The grain of Roblox's materials: its scale, its strength, and the width and height of bricks in studs. */
const GRAINS: Record<string, number[]> = {
  Grass: [5, 0.55], LeafyGrass: [3, 0.6], Ground: [2, 0.45], Mud: [1.5, 0.4], Sand: [8, 0.25], Snow: [5, 0.1], Salt: [6, 0.15], Rock: [1, 0.5], Basalt: [2, 0.4], Slate: [1.5, 0.4],
  Granite: [9, 0.5], Marble: [0.7, 0.3], Limestone: [2, 0.25], Sandstone: [2, 0.25, 4, 2], Concrete: [3, 0.2], Asphalt: [10, 0.35], Pavement: [4, 0.2, 4, 4], Brick: [4, 0.25, 2, 1],
  Cobblestone: [3, 0.35, 1.2, 1.2], Pebble: [4, 0.5, 0.7, 0.7], CeramicTiles: [1, 0.04, 2, 2], ClayRoofTiles: [3, 0.2, 1, 1.5], RoofShingles: [4, 0.3, 1.5, 1], Wood: [0.9, 0.35], WoodPlanks: [1.1, 0.3, 9, 1],
  Fabric: [14, 0.25], Carpet: [12, 0.4], Cardboard: [4, 0.12], Plaster: [3, 0.1], CorrodedMetal: [2, 0.6], DiamondPlate: [4, 0.2, 0.6, 0.6], CrackedLava: [1.5, 0.7], Ice: [1, 0.15], Glacier: [0.7, 0.3], Leather: [8, 0.2],
};

/** Draws the grain of a material that has no texture, where it is in the world. */
function grained(made: any) {
  const [scale, strength, width = 0, height = 0] = GRAINS[made.name] ?? [];
  if (!scale || made.map || !made.isMeshStandardMaterial) return;
  made.customProgramCacheKey = () => "grain";
  made.onBeforeCompile = (shader: any) => {
    shader.uniforms.grain = { value: new three.Vector4(scale, strength, width, height) };
    const place = "mat4 grainTo = modelMatrix;\n#ifdef USE_INSTANCING\ngrainTo *= instanceMatrix;\n#endif\ngrainAt = (grainTo * vec4(transformed, 1.0)).xyz;\ngrainNormal = mat3(grainTo) * objectNormal;";
    shader.vertexShader = `varying vec3 grainAt, grainNormal;\n${shader.vertexShader.replace("#include <project_vertex>", (all: string) => `${all}\n${place}`)}`;
    shader.fragmentShader = grain + shader.fragmentShader.replace("#include <color_fragment>", (all: string) => `${all}\ndiffuseColor.rgb = grained(diffuseColor.rgb);`);
  };
}

/** The sky by the height of the sun, from -1 to 1: its colours from below to above. */
function sky(height: number) {
  const [day, dusk] = [Math.max(0, Math.min(1, height * 3 + 0.35)), Math.max(0, 1 - Math.abs(height) * 4)];
  const mix = (at: number[], to: number[], part: number) => at.map((value, of) => value + (to[of] - value) * part);
  const [above, near, below] = [mix([14, 20, 42], [84, 138, 214], day), mix(mix([34, 42, 68], [206, 224, 242], day), [240, 160, 100], dusk * 0.7), mix([16, 18, 24], [120, 128, 138], day)];
  const rows = Array.from({ length: 64 }, (_, row) => [...(row < 31 ? below : mix(near, above, Math.min(1, ((row - 31) / 20) ** 0.6))), 255]);
  const made = new three.DataTexture(new Uint8Array(rows.flat()), 1, 64);
  return Object.assign(made, { colorSpace: three.SRGBColorSpace, magFilter: three.LinearFilter, needsUpdate: true });
}

function material(base: any, images: (ImageBitmap | undefined)[]) {
  const use = (texture: any, space: string) => {
    const image = texture && images[texture.image];
    if (!image) return null;
    const made = new three.Texture(image);
    made.flipY = false;
    made.colorSpace = space;
    made.channel = Math.min(texture.set, 3);
    [made.wrapS, made.wrapT] = texture.sampler.wrap.map((wrap: string) => WRAPS[wrap]);
    made.offset.fromArray(texture.transform.offset);
    made.repeat.fromArray(texture.transform.scale);
    made.rotation = texture.transform.rotation;
    made.anisotropy = 4;
    if (texture.sampler.mag === "Nearest") made.magFilter = three.NearestFilter;
    made.needsUpdate = true;
    return made;
  };
  // Back faces are drawn, as in pictures: a plane seen from behind would be invisible.
  const made: any = new (base.unlit ? three.MeshBasicMaterial : three.MeshStandardMaterial)({ side: three.DoubleSide });
  const [red, green, blue, alpha] = base.base_color ?? PLAIN;
  made.color = color([red, green, blue]);
  made.name = MATERIAL.exec(base.name ?? "")?.[0] ?? "";
  made.map = use(base.base_texture, three.SRGBColorSpace);
  if (base.alpha === "Blend") Object.assign(made, { transparent: true, opacity: alpha, depthWrite: false, forceSinglePass: true });
  if (base.alpha?.Mask !== undefined) made.alphaTest = Math.max(base.alpha.Mask, 0.001);
  if (!base.unlit) {
    made.metalness = base.metallic ?? 0;
    made.roughness = base.roughness ?? 1;
    made.normalMap = use(base.normal_texture, three.NoColorSpace);
    made.metalnessMap = made.roughnessMap = use(base.metallic_roughness_texture, three.NoColorSpace);
    made.emissive = color(base.emissive ?? [0, 0, 0]);
    made.emissiveMap = use(base.emissive_texture, three.SRGBColorSpace);
  }
  return made as three.Material;
}

function geometry(columns: SceneData["meshes"][0]["primitives"][0]) {
  const made = new three.BufferGeometry();
  const attribute = (name: string, values: any, width: number, normalized = false) =>
    values && made.setAttribute(name, new three.BufferAttribute(values, width, normalized));
  attribute("position", columns.positions, 3);
  made.setIndex(new three.BufferAttribute(columns.indices, 1));
  if (columns.normals) attribute("normal", columns.normals, 3);
  else made.computeVertexNormals();
  columns.uvs.forEach((uvs, set) => set < 4 && attribute(set ? `uv${set}` : "uv", uvs, 2));
  attribute("color", columns.colors, 4, true);
  if (columns.joints) {
    attribute("skinIndex", columns.joints, 4);
    attribute("skinWeight", columns.weights, 4);
  }
  const targets = columns.targets.filter((target) => target.positions);
  if (targets.length) {
    made.morphAttributes.position = targets.map((target) => new three.BufferAttribute(target.positions!, 3));
    made.morphTargetsRelative = true;
  }
  return made;
}

/** A checked texture whose colours show the direction of the texture coordinates. */
function checker() {
  const data = new Uint8Array(64 * 64 * 4);
  for (let pixel = 0; pixel < 64 * 64; pixel += 1) {
    const [x, y] = [pixel % 64, pixel >> 6];
    const light = ((x >> 3) + (y >> 3)) & 1 ? 255 : 150;
    data.set([light * (x / 64), light * (1 - x / 128), light * (y / 64), 255], pixel * 4);
  }
  const map = new three.DataTexture(data, 64, 64);
  map.wrapS = map.wrapT = three.RepeatWrapping;
  map.needsUpdate = true;
  return new three.MeshBasicMaterial({ map, side: three.DoubleSide });
}

/** Lines on the ground. */
const grid = (size: number, parts: number) => {
  const made = new three.GridHelper(size, parts, 0x8a919c, 0x8a919c);
  Object.assign(made.material, { transparent: true, opacity: 0.28, depthWrite: false });
  return made as three.GridHelper & { material: three.Material };
};

export class View {
  readonly renderer: three.WebGLRenderer;
  readonly camera = new three.PerspectiveCamera(45, 1, 0.01, 1000);
  readonly world = new three.Scene();
  readonly controls: OrbitControls;
  private sun = new three.DirectionalLight(0xffffff, 1.35);
  private model = new three.Group();
  private marks = new three.Group();
  private guis = new three.Group();
  private bones?: three.LineSegments;
  private grid?: three.GridHelper;
  private pieces: Piece[] = [];
  meshes: Drawn[] = [];
  private mixer?: three.AnimationMixer;
  private clips: three.AnimationClip[] = [];
  private posed = -1;
  private frame = 0;
  private bounds?: three.Box3;
  /** The places of what is drawn, by the keys of what is shown. */
  private places = new Map<Key, [Drawn, number][]>();
  private observer: ResizeObserver;
  private edges = new WeakMap<three.BufferGeometry, three.EdgesGeometry>();
  /** A view that shows something else as this one's camera sees it. */
  twin?: View;
  /** The box around what is marked. */
  selected = new three.Box3();
  /** Whether a handle is dragged. */
  isDragging = false;
  /** What is moved before it is edited, with its matrices. */
  private moved?: { mesh: Drawn; at: number; matrix: three.Matrix4 }[];
  private hull = new three.MeshStandardMaterial({ color: ACCENT, transparent: true, opacity: 0.35, depthWrite: false });
  private checker = checker();
  /** The sky, around the camera. */
  private dome = new three.Mesh(new three.SphereGeometry(1, 32, 32), new three.MeshBasicMaterial({ map: sky(1), side: three.BackSide, depthTest: false, depthWrite: false }));
  private line = new three.LineBasicMaterial({ color: ACCENT, depthTest: false, transparent: true, opacity: 0.9 });
  /** The direction of the sun of a place; otherwise light comes from the camera. */
  private day?: three.Vector3;
  private held = new Set<string>();
  /** What shaders were compiled for, or when they will be. */
  private compiled = new Map<string, Promise<void> | true>();
  private flat = new Map<three.Material, three.Material>();
  look: Look = "shaded";
  hasGrid = true;
  hasSkeleton = false;
  picked?: (key: Key | undefined, event: { add: boolean }) => void;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new three.WebGLRenderer({ canvas, antialias: true, alpha: true });
    // To ask for them, the page would wait for the compiler.
    this.renderer.debug.checkShaderErrors = false;
    this.world.add(new three.HemisphereLight(0xffffff, 0x7d8596, 1.6), this.sun, this.dome, this.model, this.marks, this.guis);
    Object.assign(this.dome, { visible: false, renderOrder: -1, frustumCulled: false });
    this.marks.matrixAutoUpdate = false;
    this.controls = new OrbitControls(this.camera, canvas);
    Object.assign(this.controls, { zoomToCursor: true, screenSpacePanning: true, listenToKeyEvents: undefined });
    this.controls.addEventListener("change", () => this.soon());
    this.observer = new ResizeObserver(() => void this.fit());
    this.observer.observe(canvas);
    let down: PointerEvent | undefined;
    canvas.addEventListener("pointerdown", (event) => (down = event));
    canvas.addEventListener("pointerup", (event) => {
      if (!down || event.button || this.isDragging || Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > 4) return;
      this.picked?.(this.pick(event), { add: event.ctrlKey || event.metaKey || event.shiftKey });
    });
    canvas.addEventListener("keydown", (event) => (WALK[event.code] ? this.walk(event) : this.key(event)));
    canvas.addEventListener("keyup", ({ code }) => this.held.delete(code));
    canvas.addEventListener("blur", () => this.held.clear());
    this.warm();
  }

  /** Walks while keys are held. What is looked at is near then, so that a drag turns the view around the eye. */
  private walk(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const isWalking = this.held.size > 0;
    this.held.add(event.code);
    if (isWalking) return;
    const [reach, { camera, controls }] = [this.box().getSize(new three.Vector3()).length() || 1, this];
    let before = performance.now() - 16;
    const step = (now: number) => {
      const by = new three.Vector3();
      for (const code of this.held) by.add(new three.Vector3(...WALK[code]));
      const far = (Math.min(reach / 4, PACE) * Math.min(now - before, 100)) / 1000;
      before = now;
      camera.position.add(by.applyQuaternion(camera.quaternion).setLength(by.length() && far * (event.shiftKey ? FAST : 1)));
      controls.target.copy(camera.position).addScaledVector(camera.getWorldDirection(new three.Vector3()), Math.min(reach / 50, PACE / 5));
      this.draw();
      if (this.held.size) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  /** Shows the sky and the sun of a place by the time of its day, or neither. */
  private shine(time?: string) {
    const [hours, minutes = 0] = (time ?? "").split(":").map(Number);
    const angle = ((hours + minutes / 60 - 6) / 12) * Math.PI;
    this.dome.material.map?.dispose();
    this.day = time && Number.isFinite(angle) ? new three.Vector3(Math.cos(angle), Math.abs(Math.sin(angle)), 0.5).normalize() : undefined;
    this.dome.visible = this.day !== undefined;
    this.dome.material.map = sky(Math.sin(angle));
    this.sun.intensity = this.day ? Math.max(0.5, Math.min(1.9, 1.2 + Math.sin(angle) * 2)) : 1.35;
  }

  private key(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const turn = TURNS[event.key];
    if (!turn) return;
    event.preventDefault();
    this.controls.rotateLeft(turn[0] * -0.12);
    this.controls.rotateUp(turn[1] * -0.12);
    this.controls.dollyIn(turn[2]);
  }

  /**
   * Adds a scene to what is shown, in pieces, in place of what has these keys. `isWanted` gets the part that is shown so
   * far, and says whether to go on.
   */
  async add(scene: SceneData, isWanted: (part: number) => boolean = () => true, replaced: Iterable<Key> = []) {
    const images = await textures(scene);
    if (!isWanted(0)) return this.sums();
    this.remove(replaced);
    const materials = new Map<number, three.Material>();
    const materialOf = (index: number) => {
      if (!materials.has(index)) materials.set(index, material(scene.materials[index] ?? {}, images));
      return materials.get(index)!;
    };
    const made = new Map<number, three.BufferGeometry[]>();
    const geometries = (mesh: number) => {
      if (!made.has(mesh)) made.set(mesh, scene.meshes[mesh].primitives.map((one) => geometry(one)));
      return made.get(mesh)!;
    };
    const group = new three.Group();
    this.model.add(group);
    const piece: Piece = { scene, objects: this.objects(scene, group), skeletons: [], drawn: 0, group };
    this.bounds = this.pieces.length ? this.box().union(boxOf(scene.box)) : undefined;
    if (!this.pieces.length) this.shine(scene.extras["Lighting.TimeOfDay"] as string);
    this.pieces.push(piece);
    const surface = (mesh: number, number: number, shape: three.BufferGeometry) => {
      const own = materialOf(scene.meshes[mesh].primitives[number].material ?? -1);
      return shape.attributes.color ? Object.assign(own.clone(), { vertexColors: true }) : own;
    };
    const waits = new Set<Promise<void> | undefined>();
    let since = performance.now();
    for (const [done, draw] of scene.draws.entries()) {
      geometries(draw.mesh).forEach((shape, number) => {
        const own = surface(draw.mesh, number, shape);
        const one = (draw.isShared ? this.instanced(draw, number, shape, own, piece) : this.single(draw, shape, own, piece)) as unknown as Drawn;
        Object.assign(one.userData, { surface: own, keys: [...draw.keys], piece });
        if (draw.isShared) one.userData.surface = one.material as three.Material;
        grained(one.userData.surface);
        waits.add(this.prepared(one));
        piece.drawn += 1;
        this.meshes.push(one);
        draw.keys.forEach((key, at) => {
          if (key === null) return;
          const known = this.places.get(key);
          if (known) known.push([one, at]);
          else this.places.set(key, [[one, at]]);
        });
      });
      if (performance.now() - since < PIECE) continue;
      // Lets the browser draw what is there, and hear what the user does.
      this.soon();
      await new Promise((drawn) => setTimeout(drawn));
      since = performance.now();
      if (!isWanted((done + 1) / scene.draws.length)) return this.sums();
    }
    await Promise.all(waits);
    if (!isWanted(0)) return this.sums();
    if (piece.objects.length) this.model.updateMatrixWorld(true);
    this.animate(piece);
    this.setLook(this.look);
    this.showSkeleton(this.hasSkeleton);
    if (this.pieces.length === 1) this.showGrid(this.hasGrid);
    this.soon();
    return this.sums();
  }

  /** Compiles what most scenes need before one is opened. */
  private warm() {
    for (const alpha of [undefined, "Blend"]) {
      for (const name of ["", "Grass FFFFFF"]) {
        const own = material({ name, alpha }, []) as three.MeshStandardMaterial;
        grained(own);
        const [mesh, shared, tinted] = [new three.Mesh(SHAPE, own), new three.InstancedMesh(SHAPE, own, 1), new three.InstancedMesh(SHAPE, own, 1)];
        tinted.instanceColor = new three.InstancedBufferAttribute(new Float32Array(3), 3);
        for (const one of [mesh, shared, tinted]) void this.prepared(one as unknown as Drawn);
      }
    }
    for (const one of [this.dome, new three.LineSegments(FRAME, this.line), grid(1, 2)]) void this.compile(one);
  }

  /** Compiles shaders, and asks for their variables once that does not make the page wait. */
  private async compile(like: three.Object3D & { material: three.Material }) {
    const compiled = this.renderer.compileAsync(like, this.camera, this.world);
    const { currentProgram } = this.renderer.properties.get(like.material) as any;
    await compiled;
    // Not every browser knows when a program is linked.
    await this.idle();
    currentProgram?.getUniforms();
  }

  /** Waits, while the page answers, until what it told the graphics card is done. */
  private async idle() {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    const done = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    while (done && gl.getSyncParameter(done, gl.SYNC_STATUS) === gl.UNSIGNALED) await new Promise((later) => setTimeout(later, 10));
    gl.deleteSync(done);
  }

  /** Draws in the size of the canvas. */
  private async fit() {
    // A change of the size waits for what is drawn, and the page with it.
    await this.idle();
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ratio = Math.min(devicePixelRatio, 2);
    if (!width || !height || (this.canvas.width === Math.floor(width * ratio) && this.canvas.height === Math.floor(height * ratio))) return;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.draw();
  }

  /** Hides a mesh until its shaders are compiled: to draw it before, the page would wait for the compiler. */
  private prepared(mesh: Drawn) {
    const own = mesh.material as three.MeshStandardMaterial;
    const isShared = mesh instanceof three.InstancedMesh;
    const tints = isShared && mesh.instanceColor !== null;
    const { color } = mesh.geometry.attributes;
    const { morphAttributes } = mesh.geometry;
    const maps = [own.map, own.normalMap, own.roughnessMap, own.emissiveMap].map((map) => map?.channel);
    const key = [isShared, own.type, own.transparent, own.alphaTest > 0, own.vertexColors && Boolean(color), own.customProgramCacheKey(), tints, Object.keys(morphAttributes), maps].join();
    let compiled = this.compiled.get(key);
    if (compiled === true || mesh instanceof three.SkinnedMesh) return undefined;
    if (!compiled) {
      const done = () => void this.compiled.set(key, true);
      compiled = this.compile(mesh as three.Mesh & { material: three.Material }).then(done, done);
      this.compiled.set(key, compiled);
    }
    mesh.visible = false;
    return compiled.then(() => {
      mesh.visible = true;
      this.soon();
    });
  }

  /** The objects of the nodes, if something moves them. */
  private objects({ nodes, roots }: SceneData, group: three.Group): three.Object3D[] {
    const objects = (nodes ?? []).map((node: any) => {
      const object = new three.Object3D();
      object.name = node.name;
      object.visible = !node.hidden;
      object.position.fromArray(node.transform.translation);
      object.quaternion.fromArray(node.transform.rotation);
      object.scale.fromArray(node.transform.scale);
      return object;
    });
    nodes?.forEach((node: any, index: number) => node.children.forEach((child: number) => objects[index].add(objects[child])));
    if (!nodes) return objects;
    roots.forEach((root) => group.add(objects[root]));
    this.model.updateMatrixWorld(true);
    return objects;
  }

  /** A mesh at many places, possibly in different colours. */
  private instanced({ matrices, colors, box }: Draw, number: number, shape: three.BufferGeometry, own: three.Material, { group }: Piece) {
    const one = new three.InstancedMesh(shape, colors ? Object.assign(own.clone(), { color: color([1, 1, 1]) }) : own, 0);
    one.instanceMatrix = new three.InstancedBufferAttribute(number ? matrices.slice() : matrices, 16);
    if (colors) one.instanceColor = new three.InstancedBufferAttribute(colors[number], 3);
    one.count = matrices.length / 16;
    one.boundingBox = boxOf(box);
    one.boundingSphere = one.boundingBox.getBoundingSphere(new three.Sphere());
    one.userData.tints = one.instanceColor;
    group.add(one);
    return one;
  }

  private single({ mesh, nodes: [node], matrices, isHull }: Draw, shape: three.BufferGeometry, own: three.Material, { scene, objects, skeletons, group }: Piece) {
    const of: any = scene.nodes?.[node];
    const skin = shape.attributes.skinIndex ? scene.skins[of?.skin ?? -1] : undefined;
    // Collision shapes are translucent, so that the geometry inside stays visible.
    const one = new (skin ? three.SkinnedMesh : three.Mesh)(shape, isHull ? this.hull : own);
    if (skin && one instanceof three.SkinnedMesh) {
      const joints = skin.joints.map((joint) => objects[joint]);
      const inverses = joints.map((_, joint) => new three.Matrix4().fromArray(skin.inverseBind, joint * 16));
      // As in glTF, only the joints place a skinned mesh; the transform of its node is ignored.
      one.bindMode = three.DetachedBindMode;
      one.bind(new three.Skeleton(joints as three.Bone[], inverses), new three.Matrix4());
      one.frustumCulled = false;
      skeletons.push(joints);
    }
    if (of && !skin) objects[node].add(one);
    // Its joints are where the group is.
    else (skin ? this.model : group).add(one);
    if (!of) {
      one.matrixAutoUpdate = false;
      one.matrix.fromArray(matrices);
      one.updateMatrixWorld(true);
    }
    const weights: number[] | undefined = of?.weights.length ? of.weights : scene.meshes[mesh].weights;
    weights?.forEach((weight, target) => one.morphTargetInfluences && (one.morphTargetInfluences[target] = weight));
    return one;
  }

  /** Removes what has these keys. */
  remove(keys: Iterable<Key>) {
    const gone = new Set<Drawn>();
    for (const key of keys) {
      const places = this.places.get(key) ?? [];
      for (let next = places.pop(); next; next = places.pop()) {
        const [mesh, at] = next;
        const { keys: all, piece, tints } = mesh.userData;
        const last = all.length - 1;
        if (mesh instanceof three.InstancedMesh && last > 0) {
          // The place that becomes free is taken by the last one.
          mesh.instanceMatrix.array.copyWithin(at * 16, last * 16, last * 16 + 16);
          tints?.array.copyWithin(at * 3, last * 3, last * 3 + 3);
          for (const one of (all[last] !== null && this.places.get(all[last])) || []) if (one[0] === mesh && one[1] === last) one[1] = at;
          all[at] = all[last];
          all.length = mesh.count = last;
          mesh.instanceMatrix.needsUpdate = true;
          if (tints) tints.needsUpdate = true;
          continue;
        }
        mesh.removeFromParent();
        gone.add(mesh);
        piece.drawn -= 1;
      }
      this.places.delete(key);
    }
    this.soon();
    if (!gone.size) return this.sums();
    this.meshes = this.meshes.filter((mesh) => !gone.has(mesh));
    for (const { geometry, userData } of gone) if (!userData.piece.drawn) geometry.dispose();
    const isSeen = ({ drawn, scene }: Piece) => drawn > 0 || !scene.draws.length;
    for (const { group } of this.pieces.filter((piece) => !isSeen(piece))) group.removeFromParent();
    this.pieces = this.pieces.filter((piece, at) => !at || isSeen(piece));
    return this.sums();
  }

  /** The keys of nodes at paths and below them. For instances, the engine knows them. */
  below(paths: string[]) {
    return paths.length ? [...this.places.keys()].filter((key) => paths.some((path) => key === path || String(key).startsWith(`${path}/`))) : [];
  }

  sums() {
    const sums = { triangles: 0, vertices: 0, joints: 0, far: 0, size: this.box().getSize(new three.Vector3()).toArray() };
    for (const { geometry, userData } of this.meshes) {
      sums.triangles += (geometry.index!.count / 3) * userData.keys.length;
      sums.vertices += geometry.attributes.position.count * userData.keys.length;
    }
    for (const { scene, objects } of this.pieces) [sums.far, sums.joints] = [sums.far + scene.far, sums.joints + objects.length];
    return sums;
  }

  private animate({ scene, objects }: Piece) {
    if (!scene.animations.length) return;
    const types: Record<string, string> = { translation: "position", rotation: "quaternion", scale: "scale" };
    this.mixer = new three.AnimationMixer(this.model);
    const clips = scene.animations.map(({ name, duration, channels }) => {
      const tracks = channels.flatMap(({ node, property, times, values, interpolation }) => {
        if (!types[property] || !times.length) return [];
        const width = property === "rotation" ? 4 : 3;
        let keys = values;
        // Cubic splines are approximated: their tangents are dropped.
        if (interpolation === "Cubic") {
          keys = new Float32Array(times.length * width);
          times.forEach((_, key) => keys.set(values.subarray((key * 3 + 1) * width, (key * 3 + 2) * width), key * width));
        }
        const Track = property === "rotation" ? three.QuaternionKeyframeTrack : three.VectorKeyframeTrack;
        const mode = interpolation === "Step" ? three.InterpolateDiscrete : three.InterpolateLinear;
        return [new Track(`${objects[node].uuid}.${types[property]}`, times as any, keys as any, mode)];
      });
      return new three.AnimationClip(name, duration, tracks);
    });
    // A second figure moves with the first one.
    if (this.pieces.length > 1) this.clips.forEach((clip, at) => clip.tracks.push(...(clips[at]?.tracks ?? [])));
    else this.clips = clips;
    this.posed = -1;
  }

  /** Adds a figure at the side of the one that is shown, which faces the same direction and is as tall. */
  async addBeside(scene: SceneData) {
    const [own, before] = [this.box(), this.pieces.length];
    const [{ scene: first }] = this.pieces;
    await this.add(scene);
    const { group, objects } = this.pieces[before];
    const other = boxOf(scene.box);
    if (other.isEmpty()) for (const object of objects) other.expandByPoint(object.getWorldPosition(new three.Vector3()));
    group.rotation.y = ((first.front - scene.front) * Math.PI) / 180;
    group.scale.setScalar((own.max.y - own.min.y) / Math.max(other.max.y - other.min.y, 1e-6));
    group.updateMatrixWorld(true);
    other.applyMatrix4(group.matrixWorld);
    group.position.set(own.max.x - other.min.x + (own.max.x - own.min.x) / 4, own.min.y - other.min.y, 0);
    this.model.updateMatrixWorld(true);
    this.bounds = own.union(other.translate(group.position));
    this.showSkeleton(this.hasSkeleton);
    this.showGrid(this.hasGrid);
    this.home();
    return this.sums();
  }

  clear() {
    this.model.traverse((object: any) => {
      object.geometry?.dispose();
      if (object instanceof three.InstancedMesh) object.dispose();
      for (const one of [object.material, object.userData.surface].flat().filter(Boolean)) {
        if (one === this.hull || one === this.checker) continue;
        for (const value of Object.values(one)) if (value instanceof three.Texture) value.dispose();
        one.dispose();
      }
    });
    this.model.clear();
    this.flat.clear();
    this.bounds = undefined;
    this.places.clear();
    [this.meshes, this.pieces, this.clips] = [[], [], []];
    this.mark([]);
    this.bones?.removeFromParent();
    this.grid?.removeFromParent();
    this.shine();
    delete this.canvas.dataset.triangles;
    this.soon();
  }

  setLook(look: Look) {
    this.look = look;
    const normals = new three.MeshNormalMaterial({ side: three.DoubleSide });
    const wires = new three.MeshBasicMaterial({ color: ACCENT, wireframe: true });
    const unlit = (surface: any) => {
      const { map, color, vertexColors, transparent, opacity, alphaTest } = surface;
      const made = new three.MeshBasicMaterial({ map, color, vertexColors, transparent, opacity, alphaTest, side: three.DoubleSide });
      this.flat.set(surface, made);
      return made;
    };
    for (const mesh of this.meshes) {
      const { surface } = mesh.userData;
      const looks = { shaded: () => surface, unlit: () => this.flat.get(surface) ?? unlit(surface), wireframe: () => wires, normals: () => normals, uvs: () => this.checker };
      mesh.material = looks[look]();
      if (mesh instanceof three.InstancedMesh) mesh.instanceColor = ("shaded unlit".includes(look) && mesh.userData.tints) || null;
    }
    this.soon();
  }

  showGrid(shown: boolean) {
    this.hasGrid = shown;
    this.grid?.removeFromParent();
    this.grid?.dispose();
    const box = this.box();
    if (shown && !box.isEmpty()) {
      const size = box.getSize(new three.Vector3());
      const step = 10 ** Math.ceil(Math.log10(Math.max(size.x, size.z, size.y, 1e-6)) - 1);
      const extent = Math.min(Math.ceil(Math.max(size.x, size.z) / step) * 2 + 4, 60);
      this.grid = grid(extent * step, extent);
      const center = box.getCenter(new three.Vector3());
      this.grid.position.set(Math.round(center.x / step) * step, box.min.y, Math.round(center.z / step) * step);
      this.world.add(this.grid);
    }
    this.soon();
  }

  /** Shows or hides lines from each joint to its parent. */
  showSkeleton(shown: boolean) {
    this.hasSkeleton = shown;
    this.bones?.removeFromParent();
    this.bones?.geometry.dispose();
    this.bones = undefined;
    const pieces = this.pieces.filter(({ drawn, objects }) => shown || (!drawn && objects.length));
    if (pieces.length) {
      const points: three.Vector3[] = [];
      for (const joints of pieces.flatMap(({ skeletons, objects }) => (skeletons.length ? skeletons : [objects]))) {
        const all = new Set(joints);
        for (const joint of joints) {
          if (!joint.parent || !all.has(joint.parent)) continue;
          points.push(joint.getWorldPosition(new three.Vector3()), joint.parent.getWorldPosition(new three.Vector3()));
        }
      }
      this.bones = new three.LineSegments(new three.BufferGeometry().setFromPoints(points), new three.LineBasicMaterial({ color: 0xe8590c, depthTest: false }));
      this.bones.renderOrder = 2;
      this.world.add(this.bones);
    }
    this.soon();
  }

  /** Shows an animation at a time in seconds. The index -1 shows the rest pose. */
  pose(index: number, time: number) {
    if (!this.mixer) return;
    if (this.posed !== index) {
      this.mixer.stopAllAction();
      if (this.clips[index]) this.mixer.clipAction(this.clips[index]).play();
      this.posed = index;
    }
    this.mixer.setTime(time);
    if (this.bones) this.showSkeleton(this.hasSkeleton);
    this.soon();
  }

  private pick(event: PointerEvent) {
    const box = this.canvas.getBoundingClientRect();
    const at = new three.Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    const ray = new three.Raycaster();
    ray.setFromCamera(at, this.camera);
    const [hit] = ray.intersectObjects(this.meshes, false);
    if (!hit) return undefined;
    return (hit.object as Drawn).userData.keys[hit.instanceId ?? 0] ?? undefined;
  }

  /** The height of what is below a box, from a height on, without what has these keys; undefined if nothing is there. */
  under({ min, max }: three.Box3, from: number, ignored: Set<Key>) {
    const ray = new three.Raycaster();
    const heights: number[] = [];
    for (const [x, z] of [0.02, 0.5, 0.98].flatMap((x) => [0.02, 0.5, 0.98].map((z) => [x, z]))) {
      ray.set(new three.Vector3(min.x + (max.x - min.x) * x, from + 1e-4, min.z + (max.z - min.z) * z), new three.Vector3(0, -1, 0));
      const hits = ray.intersectObjects<Drawn>(this.meshes, false);
      const hit = hits.find(({ object, instanceId = 0 }) => !ignored.has(object.userData.keys[instanceId] as Key));
      if (hit) heights.push(hit.point.y);
    }
    return heights.length ? Math.max(...heights) : undefined;
  }

  private set(mesh: Drawn, at: number, matrix: three.Matrix4) {
    if (mesh instanceof three.InstancedMesh) {
      mesh.setMatrixAt(at, matrix);
      mesh.instanceMatrix.needsUpdate = true;
    } else if (!mesh.matrixAutoUpdate) {
      mesh.matrix.copy(matrix);
      mesh.updateMatrixWorld(true);
    }
  }

  /** Shows what has these keys moved, until it is drawn again or `settle` is called. */
  move(keys: Key[], by: three.Matrix4) {
    this.moved ??= keys.flatMap((key) => this.places.get(key) ?? []).map(([mesh, at]) => ({ mesh, at, matrix: matrixAt(mesh, at) }));
    for (const one of this.moved) this.set(one.mesh, one.at, one.matrix.clone().premultiply(by));
    this.marks.matrix.copy(by);
    this.soon();
  }

  /** Shows what was moved where it was. */
  settle() {
    for (const { mesh, at, matrix } of this.moved ?? []) this.set(mesh, at, matrix);
    this.moved = undefined;
    this.marks.matrix.identity();
    this.soon();
  }

  /** Shows user interfaces, in place of those before. */
  showGuis(objects: three.Object3D[]) {
    this.guis.traverse(({ material }: any) => (material?.map.dispose(), material?.dispose()));
    this.guis.clear();
    if (objects.length) this.guis.add(...objects);
    this.soon();
  }

  private edged(shape: three.EdgesGeometry, place: three.Matrix4) {
    const edges = new three.LineSegments(shape, this.line);
    edges.matrixAutoUpdate = false;
    edges.matrix.copy(place);
    edges.renderOrder = 1;
    return edges;
  }

  /** Marks what has these keys. Returns its box. */
  mark(keys: Iterable<Key>) {
    this.moved = undefined;
    this.marks.matrix.identity();
    const places = [...keys].flatMap((key) => this.places.get(key) ?? []);
    this.marks.clear();
    const all = new three.Box3();
    let left = EDGES;
    for (const [{ geometry }] of places) left -= geometry.index!.count / 3;
    for (const [mesh, at] of places) {
      if (mesh instanceof three.SkinnedMesh) {
        all.expandByObject(mesh, true);
        continue;
      }
      if (!mesh.geometry.boundingBox) mesh.geometry.computeBoundingBox();
      const place = matrixAt(mesh, at);
      all.union(mesh.geometry.boundingBox!.clone().applyMatrix4(place));
      if (left < 0) continue;
      if (!this.edges.has(mesh.geometry)) this.edges.set(mesh.geometry, new three.EdgesGeometry(mesh.geometry, 30));
      this.marks.add(this.edged(this.edges.get(mesh.geometry)!, place));
    }
    if (!all.isEmpty() && !this.marks.children.length) this.marks.add(this.edged(FRAME, new three.Matrix4().makeScale(...all.getSize(new three.Vector3()).toArray()).setPosition(all.getCenter(new three.Vector3()))));
    this.canvas.dataset.marked = String(this.marks.children.length);
    this.selected = all;
    this.soon();
    return all;
  }

  /** The box around everything, in the rest pose. */
  box() {
    if (this.bounds) return this.bounds.clone();
    const all = new three.Box3();
    for (const { scene } of this.pieces) all.union(boxOf(scene.box));
    for (const mesh of this.meshes) if (mesh instanceof three.SkinnedMesh) all.expandByObject(mesh, true);
    // Without meshes, the nodes are shown as a skeleton, which the animation moves.
    const { duration = 0 } = this.clips[0] ?? {};
    for (let at = 0; !this.meshes.length && at <= 16; at += 1) {
      this.pose(this.clips.length ? 0 : -1, (duration * at) / 16);
      for (const { objects } of this.pieces) for (const object of objects) all.expandByPoint(object.getWorldPosition(new three.Vector3()));
    }
    this.bounds = all.clone();
    return all;
  }

  /** Moves the camera so that a box fills the view; the direction stays unless one is given. */
  frameOf(box: three.Box3, direction?: three.Vector3, margin = 1.08) {
    if (box.isEmpty()) return;
    const center = box.getCenter(new three.Vector3());
    const toCamera = (direction ?? this.camera.position.clone().sub(this.controls.target)).normalize();
    const up = Math.abs(toCamera.y) > 0.999 ? new three.Vector3(0, 0, 1) : new three.Vector3(0, 1, 0);
    const right = up.cross(toCamera).normalize();
    const top = toCamera.clone().cross(right);
    const { clientWidth, clientHeight } = this.canvas;
    const slope = Math.tan((this.camera.fov * Math.PI) / 360);
    const aspect = Math.max(clientWidth, 1) / Math.max(clientHeight, 1);
    let distance = 1e-4;
    for (let corner = 0; corner < 8; corner += 1) {
      const at = new three.Vector3(...[0, 1, 2].map((axis) => (corner >> axis) & 1 ? box.max.getComponent(axis) : box.min.getComponent(axis))).sub(center);
      const reach = Math.max(Math.abs(at.dot(right)) / (slope * aspect), Math.abs(at.dot(top)) / slope);
      distance = Math.max(distance, at.dot(toCamera) + reach * margin);
    }
    this.controls.target.copy(center);
    this.camera.position.copy(center).addScaledVector(toCamera, distance);
    this.controls.update();
    this.soon();
  }

  /** The first view: the camera of the place, if it has one that sees something, or everything from its front. */
  home(camera?: [number[], number[]]) {
    if (camera) {
      this.camera.position.fromArray(camera[0]);
      this.controls.target.fromArray(camera[1]);
      this.controls.update();
      return this.soon();
    }
    const front = ((this.pieces[0]?.scene.front ?? 0) * Math.PI) / 180;
    const [yaw, pitch] = [front + 0.55, 0.38];
    const direction = new three.Vector3(Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), Math.cos(yaw) * Math.cos(pitch));
    const of = this.pieces[0]?.scene;
    this.frameOf(of?.draws.length && !of.animations.length ? boxOf(of.core) : this.box(), direction);
    const through = of?.cameras.find(({ isCurrent }) => isCurrent) ?? of?.cameras[0];
    if (through) this.through(new three.Matrix4().fromArray(through.matrix));
  }

  /** Where the camera is, and what it looks at, for `home`. */
  place(): [number[], number[]] {
    return [this.camera.position.toArray(), this.controls.target.toArray()];
  }

  private through(camera: three.Matrix4) {
    const [box, at] = [this.box(), new three.Vector3().setFromMatrixPosition(camera)];
    const forward = new three.Vector3(0, 0, -1).transformDirection(camera);
    const hit = new three.Ray(at, forward).intersectBox(box, new three.Vector3());
    if (!hit || box.containsPoint(at)) return;
    this.camera.position.copy(at);
    this.controls.target.copy(hit);
    this.controls.update();
    this.soon();
  }

  soon() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    const box = this.box();
    const reach = box.isEmpty() ? 1 : box.getSize(new three.Vector3()).length();
    const distance = this.camera.position.distanceTo(this.controls.target);
    const away = box.isEmpty() ? 1 : box.distanceToPoint(this.camera.position);
    this.camera.aspect = width / height;
    this.camera.near = Math.max(Math.min(distance, away + reach * 0.01) / 100, reach / 1e5);
    this.camera.far = (distance + reach * 3) * 2;
    this.camera.updateProjectionMatrix();
    this.sun.position.copy(this.day ?? this.camera.position);
    this.dome.position.copy(this.camera.position);
    this.dome.scale.setScalar(this.camera.near * 9);
    for (const one of this.guis.children) if (one.userData.reach) one.visible = one.position.distanceTo(this.camera.position) < one.userData.reach;
    this.renderer.render(this.world, this.camera);
    if (!this.twin) return;
    this.twin.camera.copy(this.camera);
    this.twin.controls.target.copy(this.controls.target);
    this.twin.draw();
  }

  /** The view as a PNG file. */
  async png() {
    this.draw();
    return new Promise<Blob>((resolve) => this.canvas.toBlob((blob) => resolve(blob!), "image/png"));
  }

  dispose() {
    cancelAnimationFrame(this.frame);
    this.clear();
    this.observer.disconnect();
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}
