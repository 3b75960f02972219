// The 3D view, drawn with three.js.

import * as three from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { SceneData } from "./worker";

const WRAPS: Record<string, three.Wrapping> = {
  Repeat: three.RepeatWrapping,
  Mirror: three.MirroredRepeatWrapping,
  Clamp: three.ClampToEdgeWrapping,
};
/** The names of nodes that contain collision shapes. */
const HULLS = /_(PHYS|BOUNDS|HULL\d+)$/;
/** A mesh with more triangles is marked by a box instead of its edges. */
const EDGES = 20_000;
/** Meshes that at least this many nodes share are drawn by one call. */
const SHARED = 20;
/** The milliseconds for each piece of a scene. */
const PIECE = 30;
const ACCENT = 0x2f81f7;
/** The colour of what has no material. */
const PLAIN = [0.6, 0.62, 0.66, 1];
/** What is farther away from the origin is not drawn. */
const FAR = 1e12;

export type Look = "shaded" | "unlit" | "wireframe" | "normals" | "uvs";

type Drawn = three.Mesh & { userData: { surface: three.Material; nodes: number[]; piece: Piece } };

interface Piece {
  scene: SceneData;
  objects: three.Object3D[];
}

const color = ([red, green, blue]: number[]) => new three.Color().setRGB(red, green, blue, three.LinearSRGBColorSpace);

/** Decodes the images. One that the browser cannot decode is undefined, and its texture is omitted. */
const textures = (scene: SceneData) =>
  Promise.all(
    scene.images.map(async ({ bytes, mediaType }) => {
      if (!bytes || !mediaType) return undefined;
      return createImageBitmap(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: mediaType })).catch(() => undefined);
    }),
  );

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
  made.map = use(base.base_texture, three.SRGBColorSpace);
  if (base.alpha === "Blend") Object.assign(made, { transparent: true, opacity: alpha, depthWrite: false });
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

/** The colour of a primitive of a mesh. */
const tint = (scene: SceneData, mesh: number, number: number) =>
  color((scene.materials[scene.meshes[mesh].primitives[number].material ?? -1]?.base_color ?? PLAIN).slice(0, 3));

/** A key that meshes have in common if only their colours differ. Large ones have a key of their own. */
function shape(scene: SceneData, mesh: number) {
  const { primitives } = scene.meshes[mesh];
  if (primitives.some(({ positions, targets }) => positions.length > 10_000 || targets.length)) return `${mesh}`;
  const hash = (values: any) => {
    if (!values) return 0;
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    let sum = bytes.length;
    for (let at = 0; at < bytes.length; at += 1) sum = (Math.imul(sum, 31) + bytes[at]) | 0;
    return sum;
  };
  const key = ({ positions, indices, normals, uvs, colors, material }: (typeof primitives)[0]) => {
    const { name, base_color, ...look } = scene.materials[material ?? -1] ?? {};
    return [JSON.stringify(look), base_color?.[3], ...[positions, indices, normals, colors, ...uvs].map(hash)];
  };
  return primitives.map(key).join();
}

/** Replaces NaN and infinite coordinates by 0, so that the other vertices are drawn. */
function finite(values: Float32Array) {
  for (let index = 0; index < values.length; index += 1) if (!Number.isFinite(values[index])) values[index] = 0;
  return values;
}

function geometry(columns: SceneData["meshes"][0]["primitives"][0]) {
  const made = new three.BufferGeometry();
  const attribute = (name: string, values: any, width: number, normalized = false) =>
    values && made.setAttribute(name, new three.BufferAttribute(values, width, normalized));
  attribute("position", finite(columns.positions), 3);
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

export class View {
  readonly renderer: three.WebGLRenderer;
  readonly camera = new three.PerspectiveCamera(45, 1, 0.01, 1000);
  readonly world = new three.Scene();
  readonly controls: OrbitControls;
  private sun = new three.DirectionalLight(0xffffff, 1.35);
  private model = new three.Group();
  private marks = new three.Group();
  private bones?: three.LineSegments;
  private grid?: three.GridHelper;
  private pieces: Piece[] = [];
  meshes: Drawn[] = [];
  private skeletons: three.Object3D[][] = [];
  private mixer?: three.AnimationMixer;
  private clips: three.AnimationClip[] = [];
  private posed = -1;
  private frame = 0;
  private bounds?: three.Box3;
  /** The number of nodes that are too far away to be drawn. */
  private far = 0;
  private observer: ResizeObserver;
  private marked: string[] = [];
  private hull = new three.MeshStandardMaterial({ color: ACCENT, transparent: true, opacity: 0.35, depthWrite: false });
  private checker = checker();
  private flat = new Map<three.Material, three.Material>();
  look: Look = "shaded";
  hasGrid = true;
  hasSkeleton = false;
  picked?: (path: string | undefined, event: { add: boolean }) => void;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new three.WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.world.add(new three.HemisphereLight(0xffffff, 0x7d8596, 1.6), this.sun, this.model, this.marks);
    this.controls = new OrbitControls(this.camera, canvas);
    Object.assign(this.controls, { zoomToCursor: true, screenSpacePanning: true, listenToKeyEvents: undefined });
    this.controls.addEventListener("change", () => this.soon());
    this.observer = new ResizeObserver(() => this.soon());
    this.observer.observe(canvas);
    let down: PointerEvent | undefined;
    canvas.addEventListener("pointerdown", (event) => (down = event));
    canvas.addEventListener("pointerup", (event) => {
      if (!down || event.button || Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > 4) return;
      this.picked?.(this.pick(event), { add: event.ctrlKey || event.metaKey || event.shiftKey });
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const turns: Record<string, [number, number, number]> = {
      ArrowLeft: [-0.12, 0, 1],
      ArrowRight: [0.12, 0, 1],
      ArrowUp: [0, -0.12, 1],
      ArrowDown: [0, 0.12, 1],
      "+": [0, 0, 0.85],
      "=": [0, 0, 0.85],
      "-": [0, 0, 1.18],
    };
    const turn = turns[event.key];
    if (!turn) return;
    event.preventDefault();
    const offset = this.camera.position.clone().sub(this.controls.target);
    const round = new three.Spherical().setFromVector3(offset);
    round.theta += turn[0];
    round.phi = Math.max(0.02, Math.min(Math.PI - 0.02, round.phi + turn[1]));
    round.radius *= turn[2];
    this.camera.position.copy(this.controls.target).add(offset.setFromSpherical(round));
    this.controls.update();
    this.soon();
  }

  /** Adds a scene to what is shown, in pieces. `isWanted` gets the part that is shown so far, and says whether to go on. */
  async add(scene: SceneData, isWanted: (part: number) => boolean = () => true) {
    const images = await textures(scene);
    const materials = new Map<number, three.Material>();
    const materialOf = (index: number) => {
      if (!materials.has(index)) materials.set(index, material(scene.materials[index] ?? {}, images));
      return materials.get(index)!;
    };
    const made = new Map<number, three.BufferGeometry[]>();
    const geometries = (mesh: number) => {
      if (!made.has(mesh)) made.set(mesh, scene.meshes[mesh].primitives.map(geometry));
      return made.get(mesh)!;
    };
    const objects = scene.nodes.map((node) => {
      const object = new three.Object3D();
      object.name = node.name;
      object.visible = !node.hidden;
      object.position.fromArray(node.transform.translation);
      object.quaternion.fromArray(node.transform.rotation);
      object.scale.fromArray(node.transform.scale);
      return object;
    });
    scene.nodes.forEach((node, index) => node.children.forEach((child) => objects[index].add(objects[child])));
    if (!isWanted(0)) return this.sums();
    scene.roots.forEach((root) => this.model.add(objects[root]));
    this.model.updateMatrixWorld(true);
    // The numbers of a view with something at 1e20 overflow.
    const isFar = ({ matrixWorld: { elements } }: three.Object3D) => [12, 13, 14].some((at) => !(Math.abs(elements[at]) < FAR));
    const far = new Set(objects.flatMap((object, index) => (isFar(object) ? [index] : [])));
    this.far += scene.nodes.filter(({ mesh }, index) => (mesh ?? undefined) !== undefined && far.has(index)).length;
    const piece = { scene, objects };
    this.pieces.push(piece);
    const surface = (mesh: number, number: number, shape: three.BufferGeometry) => {
      const own = materialOf(scene.meshes[mesh].primitives[number].material ?? -1);
      return shape.attributes.color ? Object.assign(own.clone(), { vertexColors: true }) : own;
    };
    const draw = (mesh: three.Mesh, nodes: number[], parent: three.Object3D) => {
      Object.assign(mesh.userData, { surface: mesh.material, nodes, piece });
      parent.add(mesh);
      this.meshes.push(mesh as Drawn);
    };
    let since = performance.now();
    let counted = this.meshes.length;
    /** Lets the browser draw what is there, and hear what the user does. */
    const goesOn = async (done: number) => {
      if (performance.now() - since < PIECE) return true;
      this.model.updateMatrixWorld(true);
      this.bounds ??= new three.Box3();
      for (const mesh of this.meshes.slice(counted)) this.bounds.union(this.boxOf(mesh));
      counted = this.meshes.length;
      this.soon();
      await new Promise((drawn) => setTimeout(drawn));
      since = performance.now();
      return isWanted(done / scene.nodes.length);
    };
    const groups = this.shared(piece);
    const shared = new Set(groups.flatMap(({ meshes }) => meshes));
    for (const { meshes, nodes: all } of groups) {
      const [mesh] = meshes;
      const nodes = all.filter((index) => !far.has(index));
      geometries(mesh).forEach((shape, number) => {
        const own = surface(mesh, number, shape);
        const one = new three.InstancedMesh(shape, meshes.length > 1 ? Object.assign(own.clone(), { color: color([1, 1, 1]) }) : own, nodes.length);
        nodes.forEach((index, at) => {
          one.setMatrixAt(at, objects[index].matrixWorld);
          if (meshes.length > 1) one.setColorAt(at, tint(scene, scene.nodes[index].mesh!, number));
        });
        draw(one, nodes, this.model);
        one.userData.tints = one.instanceColor;
      });
      if (!(await goesOn(0))) return this.sums();
    }
    for (const [index, node] of scene.nodes.entries()) {
      if (node.mesh === null || node.mesh === undefined || shared.has(node.mesh) || far.has(index)) continue;
      geometries(node.mesh).forEach((shape, number) => {
        const skin = shape.attributes.skinIndex ? scene.skins[node.skin ?? -1] : undefined;
        const mesh = new (skin ? three.SkinnedMesh : three.Mesh)(shape, surface(node.mesh!, number, shape));
        // Collision shapes are translucent, so that the geometry inside stays visible.
        if (HULLS.test(node.name)) mesh.material = this.hull;
        if (skin && mesh instanceof three.SkinnedMesh) {
          const joints = skin.joints.map((joint) => objects[joint]);
          const inverses = joints.map((_, joint) => new three.Matrix4().fromArray(skin.inverseBind, joint * 16));
          // As in glTF, only the joints place a skinned mesh; the transform of its node is ignored.
          mesh.bindMode = three.DetachedBindMode;
          mesh.bind(new three.Skeleton(joints as three.Bone[], inverses), new three.Matrix4());
          mesh.frustumCulled = false;
          this.skeletons.push(joints);
        }
        draw(mesh, [index], skin ? this.model : objects[index]);
        const weights = node.weights.length ? node.weights : scene.meshes[node.mesh!].weights;
        weights?.forEach((weight, target) => mesh.morphTargetInfluences && (mesh.morphTargetInfluences[target] = weight));
      });
      if (!(await goesOn(index))) return this.sums();
    }
    this.bounds = undefined;
    this.model.updateMatrixWorld(true);
    this.animate(piece);
    this.setLook(this.look);
    this.mark(this.marked);
    this.showSkeleton(this.hasSkeleton);
    this.showGrid(this.hasGrid);
    return this.sums();
  }

  sums() {
    const sums = { triangles: 0, vertices: 0, far: this.far, size: this.box().getSize(new three.Vector3()).toArray() };
    for (const { geometry, userData } of this.meshes) {
      sums.triangles += (geometry.index!.count / 3) * userData.nodes.length;
      sums.vertices += geometry.attributes.position.count * userData.nodes.length;
    }
    return sums;
  }

  /**
   * The meshes that many visible nodes share, or that differ only in their colour, with these nodes; none if the scene is
   * animated.
   */
  private shared({ scene, objects }: Piece) {
    const users = new Map<number, number[] | undefined>();
    const seen = (object: three.Object3D | null): boolean => !object || (object.visible && seen(object.parent));
    scene.nodes.forEach(({ mesh, skin, weights }, index) => {
      if (mesh === null || mesh === undefined) return;
      if (skin !== null || weights.length) users.set(mesh, undefined);
      else if (!users.has(mesh)) users.set(mesh, [index]);
      else users.get(mesh)?.push(index);
    });
    if (scene.animations.length) return [];
    const alike = new Map<string, { meshes: number[]; nodes: number[] }>();
    for (const [mesh, nodes] of users) {
      if (!nodes || nodes.some((index) => HULLS.test(scene.nodes[index].name))) continue;
      const key = shape(scene, mesh);
      if (!alike.has(key)) alike.set(key, { meshes: [], nodes: [] });
      const group = alike.get(key)!;
      group.meshes.push(mesh);
      group.nodes.push(...nodes);
    }
    const groups = [...alike.values()].filter(({ nodes }) => nodes.length >= SHARED);
    return groups.map(({ meshes, nodes }) => ({ meshes, nodes: nodes.filter((index) => seen(objects[index])) }));
  }

  private animate({ scene, objects }: Piece) {
    if (!scene.animations.length) return;
    const types: Record<string, string> = { translation: "position", rotation: "quaternion", scale: "scale" };
    this.mixer = new three.AnimationMixer(this.model);
    this.clips = scene.animations.map(({ name, duration, channels }) => {
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
    this.posed = -1;
  }

  clear() {
    this.model.traverse((object: any) => {
      object.geometry?.dispose();
      for (const one of [object.material, object.userData.surface].flat().filter(Boolean)) {
        if (one === this.hull || one === this.checker) continue;
        for (const value of Object.values(one)) if (value instanceof three.Texture) value.dispose();
        one.dispose();
      }
    });
    this.model.clear();
    this.flat.clear();
    [this.bounds, this.far] = [undefined, 0];
    [this.meshes, this.pieces, this.skeletons, this.clips] = [[], [], [], []];
    this.mark([]);
    this.bones?.removeFromParent();
    this.grid?.removeFromParent();
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
      if (mesh instanceof three.InstancedMesh) mesh.instanceColor = ["shaded", "unlit"].includes(look) ? mesh.userData.tints : null;
    }
    this.soon();
  }

  showGrid(shown: boolean) {
    this.hasGrid = shown;
    this.grid?.removeFromParent();
    const box = this.box();
    if (shown && !box.isEmpty()) {
      const size = box.getSize(new three.Vector3());
      const step = 10 ** Math.ceil(Math.log10(Math.max(size.x, size.z, size.y, 1e-6)) - 1);
      const extent = Math.min(Math.ceil(Math.max(size.x, size.z) / step) * 2 + 4, 60);
      this.grid = new three.GridHelper(extent * step, extent, 0x8a919c, 0x8a919c);
      Object.assign(this.grid.material, { transparent: true, opacity: 0.28, depthWrite: false });
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
    if (shown || (!this.meshes.length && this.pieces.length)) {
      const points: three.Vector3[] = [];
      for (const joints of this.skeletons.length ? this.skeletons : this.pieces.map(({ objects }) => objects)) {
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
    const { nodes, piece } = (hit.object as Drawn).userData;
    let index: number | undefined = nodes[hit.instanceId ?? 0];
    // A node without a path belongs to the node above it.
    while (index !== undefined && !piece.scene.nodes[index].path) {
      const child: number = index;
      index = piece.scene.nodes.findIndex((node) => node.children.includes(child));
      if (index < 0) return undefined;
    }
    return piece.scene.nodes[index].path ?? undefined;
  }

  /** Marks the nodes at paths and below them. Returns their box. */
  mark(paths: string[]) {
    this.marked = paths;
    this.marks.traverse((object: any) => object.geometry?.dispose());
    this.marks.clear();
    const wanted = (path: string | null) => path !== null && paths.some((one) => path === one || path.startsWith(`${one}/`));
    const all = new three.Box3();
    let left = EDGES;
    const line = new three.LineBasicMaterial({ color: ACCENT, depthTest: false, transparent: true, opacity: 0.9 });
    for (const mesh of paths.length ? this.meshes : []) {
      const { nodes, piece } = mesh.userData;
      mesh.geometry.computeBoundingBox();
      nodes.forEach((node) => {
        if (!wanted(piece.scene.nodes[node].path)) return;
        const place = mesh instanceof three.InstancedMesh ? piece.objects[node].matrixWorld : mesh.matrixWorld;
        const box = mesh instanceof three.SkinnedMesh ? new three.Box3().setFromObject(mesh, true) : mesh.geometry.boundingBox!.clone().applyMatrix4(place);
        all.union(box);
        left -= mesh.geometry.index!.count / 3;
        if (left < 0 || mesh instanceof three.SkinnedMesh) return;
        const edges = new three.LineSegments(new three.EdgesGeometry(mesh.geometry, 30), line);
        edges.matrixAutoUpdate = false;
        edges.matrix.copy(place);
        this.marks.add(edges);
      });
    }
    if (left < 0) this.marks.clear();
    if (!all.isEmpty() && !this.marks.children.length) this.marks.add(new three.Box3Helper(all, ACCENT));
    for (const mark of this.marks.children) mark.renderOrder = 1;
    this.canvas.dataset.marked = String(this.marks.children.length);
    this.soon();
    return all;
  }

  private boxOf(mesh: Drawn) {
    if (mesh instanceof three.InstancedMesh) return (mesh.computeBoundingBox(), mesh.boundingBox!);
    if (mesh instanceof three.SkinnedMesh) return new three.Box3().expandByObject(mesh, true);
    if (!mesh.geometry.boundingBox) mesh.geometry.computeBoundingBox();
    return mesh.geometry.boundingBox!.clone().applyMatrix4(mesh.matrixWorld);
  }

  /** The box around everything, in the rest pose. */
  box() {
    if (this.bounds) return this.bounds.clone();
    const all = new three.Box3();
    for (const mesh of this.meshes) all.union(this.boxOf(mesh));
    // Without meshes, the nodes are shown as a skeleton, which the animation moves.
    const { duration = 0 } = this.clips[0] ?? {};
    for (let at = 0; !this.meshes.length && at <= 16; at += 1) {
      this.pose(this.clips.length ? 0 : -1, (duration * at) / 16);
      for (const { objects } of this.pieces) for (const object of objects) all.expandByPoint(object.getWorldPosition(new three.Vector3()));
    }
    this.bounds = all.clone();
    return all;
  }

  /** The box around what is together: without the few objects that are many times farther away than the others. */
  private core() {
    const boxes = this.meshes.flatMap(({ geometry, userData: { nodes, piece } }) => {
      geometry.computeBoundingBox();
      return nodes.map((node) => geometry.boundingBox!.clone().applyMatrix4(piece.objects[node].matrixWorld));
    });
    if (boxes.length < SHARED) return this.box();
    const centers = boxes.map((box) => box.getCenter(new three.Vector3()));
    const middle = new three.Vector3(...(["x", "y", "z"] as const).map((axis) => centers.map((one) => one[axis]).sort((a, b) => a - b)[centers.length >> 1]));
    const far = centers.map((center) => center.distanceTo(middle));
    const limit = 4 * [...far].sort((a, b) => a - b)[Math.floor(far.length * 0.75)];
    return boxes.reduce((all, box, at) => (far[at] <= limit ? all.union(box) : all), new three.Box3());
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
    this.frameOf(this.core(), direction);
    for (const { scene, objects } of this.pieces) {
      const cameras = scene.nodes.map((node, at) => (node.camera && node.path ? at : -1)).filter((at) => at >= 0);
      const index = cameras.find((at) => scene.nodes[at].extras.CurrentCamera) ?? cameras[0];
      if (index !== undefined) this.through(objects[index]);
    }
  }

  /** Where the camera is, and what it looks at, for `home`. */
  place(): [number[], number[]] {
    return [this.camera.position.toArray(), this.controls.target.toArray()];
  }

  private through(camera: three.Object3D) {
    const [box, at, turn] = [this.box(), new three.Vector3(), new three.Quaternion()];
    camera.getWorldPosition(at);
    const forward = new three.Vector3(0, 0, -1).applyQuaternion(camera.getWorldQuaternion(turn));
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
    const ratio = Math.min(devicePixelRatio, 2);
    if (this.canvas.width !== Math.floor(width * ratio) || this.canvas.height !== Math.floor(height * ratio)) {
      this.renderer.setPixelRatio(ratio);
      this.renderer.setSize(width, height, false);
    }
    const box = this.box();
    const reach = box.isEmpty() ? 1 : box.getSize(new three.Vector3()).length();
    const distance = this.camera.position.distanceTo(this.controls.target);
    const away = box.isEmpty() ? 1 : box.distanceToPoint(this.camera.position);
    this.camera.aspect = width / height;
    this.camera.near = Math.max(Math.min(distance, away + reach * 0.01) / 100, reach / 1e5);
    this.camera.far = (distance + reach * 3) * 2;
    this.camera.updateProjectionMatrix();
    this.sun.position.copy(this.camera.position);
    this.renderer.render(this.world, this.camera);
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
  }
}
