// The 3D view, rendered with three.js.

import * as three from "./three/three.module.js";

const WRAPS = { Repeat: three.RepeatWrapping, Mirror: three.MirroredRepeatWrapping, Clamp: three.ClampToEdgeWrapping };

function color([red, green, blue]) {
  return new three.Color().setRGB(red, green, blue, three.LinearSRGBColorSpace);
}

/** Decodes the images. An image that the browser cannot decode is undefined, and its texture is omitted. */
async function textures(scene) {
  const decode = async ({ bytes, mediaType }) => {
    if (!bytes || !mediaType) return undefined;
    try {
      return await createImageBitmap(new Blob([bytes], { type: mediaType }));
    } catch {
      return undefined;
    }
  };
  return Promise.all(scene.images.map(decode));
}

function material(description, images) {
  const use = (texture, space) => {
    const image = texture && images[texture.image];
    if (!image) return null;
    const made = new three.Texture(image);
    made.flipY = false;
    made.colorSpace = space;
    made.channel = Math.min(texture.set, 3);
    [made.wrapS, made.wrapT] = texture.sampler.wrap.map((wrap) => WRAPS[wrap]);
    made.offset.fromArray(texture.transform.offset);
    made.repeat.fromArray(texture.transform.scale);
    made.rotation = texture.transform.rotation;
    if (texture.sampler.mag === "Nearest") made.magFilter = three.NearestFilter;
    made.needsUpdate = true;
    return made;
  };
  const base = description ?? {};
  const made = new (base.unlit ? three.MeshBasicMaterial : three.MeshStandardMaterial)();
  const [red, green, blue, alpha] = base.base_color ?? [0.8, 0.8, 0.8, 1];
  made.color = color([red, green, blue]);
  made.map = use(base.base_texture, three.SRGBColorSpace);
  // As in pictures: a plane seen from behind would be invisible.
  made.side = three.DoubleSide;
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
  return made;
}

/** Replaces NaN and infinite coordinates by 0, so that three.js can render the other vertices. */
function finite(values) {
  for (let index = 0; index < values.length; index += 1) if (!Number.isFinite(values[index])) values[index] = 0;
  return values;
}

function geometry(columns) {
  const made = new three.BufferGeometry();
  made.setAttribute("position", new three.BufferAttribute(finite(columns.positions), 3));
  made.setIndex(new three.BufferAttribute(columns.indices, 1));
  if (columns.normals) made.setAttribute("normal", new three.BufferAttribute(columns.normals, 3));
  else made.computeVertexNormals();
  columns.uvs.forEach((uvs, set) => {
    if (uvs && set < 4) made.setAttribute(set ? `uv${set}` : "uv", new three.BufferAttribute(uvs, 2));
  });
  if (columns.colors) made.setAttribute("color", new three.BufferAttribute(columns.colors, 4, true));
  if (columns.joints) {
    made.setAttribute("skinIndex", new three.BufferAttribute(columns.joints, 4));
    made.setAttribute("skinWeight", new three.BufferAttribute(columns.weights, 4));
  }
  const targets = columns.targets.filter((target) => target.positions);
  if (targets.length) {
    made.morphAttributes.position = targets.map((target) => new three.BufferAttribute(target.positions, 3));
    made.morphTargetsRelative = true;
  }
  return made;
}

/** The names of nodes that contain collision shapes. */
const HULLS = /_(PHYS|BOUNDS|HULL\d+)$/;

export class View {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new three.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.camera = new three.PerspectiveCamera(40, 1, 0.01, 1000);
    this.world = new three.Scene();
    this.world.add(new three.HemisphereLight(0xffffff, 0x8890a0, 2.2));
    this.sun = new three.DirectionalLight(0xffffff, 1.6);
    this.world.add(this.sun);
    this.model = new three.Group();
    this.world.add(this.model);
    this.look = "shaded";
    this.observer = new ResizeObserver(() => this.soon());
    this.observer.observe(canvas);
    this.control();
    this.home();
  }

  /** Shows a scene. Returns its number of triangles and vertices, and its size. */
  async show(scene) {
    this.clear();
    const images = await textures(scene);
    const materials = scene.materials.map((description) => material(description, images));
    const plainMaterial = material(undefined, images);
    const geometries = scene.meshes.map((mesh) => mesh.primitives.map(geometry));
    const nodes = scene.nodes.map((node) => {
      const object = new three.Object3D();
      object.name = node.name;
      object.visible = !node.hidden;
      object.position.fromArray(node.transform.translation);
      object.quaternion.fromArray(node.transform.rotation);
      object.scale.fromArray(node.transform.scale);
      return object;
    });
    scene.nodes.forEach((node, index) => node.children.forEach((child) => nodes[index].add(nodes[child])));
    scene.roots.forEach((root) => this.model.add(nodes[root]));
    this.model.updateMatrixWorld(true);
    this.scene = scene;
    this.objects = nodes;
    this.last = undefined;
    const sums = { triangles: 0, vertices: 0 };
    this.meshes = [];
    this.skeletons = [];
    const drawn = this.instances(scene, nodes, geometries, materials, plainMaterial, sums);
    scene.nodes.forEach((node, index) => {
      if (node.mesh === null || node.mesh === undefined || drawn.has(node.mesh)) return;
      scene.meshes[node.mesh].primitives.forEach((primitive, number) => {
        const shape = geometries[node.mesh][number];
        let surface = materials[primitive.material] ?? plainMaterial;
        if (shape.attributes.color) surface = Object.assign(surface.clone(), { vertexColors: true });
        const skin = shape.attributes.skinIndex && scene.skins[node.skin];
        const mesh = new (skin ? three.SkinnedMesh : three.Mesh)(shape, surface);
        mesh.name = node.name || scene.meshes[node.mesh].name;
        mesh.userData.surface = surface;
        mesh.userData.node = index;
        // Collision shapes are translucent, so that the geometry inside stays visible.
        if (HULLS.test(node.name)) mesh.userData.surface = mesh.material = this.hull;
        if (skin) {
          const inverses = skin.joints.map((_, joint) => new three.Matrix4().fromArray(skin.inverseBind, joint * 16));
          const skeleton = new three.Skeleton(skin.joints.map((joint) => nodes[joint]), inverses);
          // As in glTF, only the joints place a skinned mesh; the transform of its node is ignored.
          mesh.bindMode = three.DetachedBindMode;
          mesh.bind(skeleton, new three.Matrix4());
          mesh.frustumCulled = false;
          this.model.add(mesh);
          this.skeletons.push({ joints: skin.joints.map((joint) => nodes[joint]) });
        } else nodes[index].add(mesh);
        const weights = node.weights.length ? node.weights : [];
        weights.forEach((weight, target) => mesh.morphTargetInfluences && (mesh.morphTargetInfluences[target] = weight));
        this.meshes.push(mesh);
        sums.triangles += shape.index.count / 3;
        sums.vertices += shape.attributes.position.count;
      });
    });
    this.mixer = new three.AnimationMixer(this.model);
    this.clips = scene.animations.map(({ name, duration, channels }) => {
      const tracks = channels.flatMap(({ node, property, times, values, interpolation }) => {
        const types = { translation: "position", rotation: "quaternion", scale: "scale" };
        if (!types[property] || !times.length) return [];
        let keys = values;
        const width = property === "rotation" ? 4 : 3;
        // Cubic splines are approximated: their tangents are dropped, and their values interpolated linearly.
        if (interpolation === "Cubic") {
          keys = new Float32Array(times.length * width);
          for (let key = 0; key < times.length; key += 1) {
            keys.set(values.subarray((key * 3 + 1) * width, (key * 3 + 2) * width), key * width);
          }
        }
        const Track = property === "rotation" ? three.QuaternionKeyframeTrack : three.VectorKeyframeTrack;
        const mode = interpolation === "Step" ? three.InterpolateDiscrete : three.InterpolateLinear;
        return [new Track(`${nodes[node].uuid}.${types[property]}`, times, keys, mode)];
      });
      return new three.AnimationClip(name, duration, tracks);
    });
    const box = new three.Box3().setFromObject(this.model, true);
    const size = box.isEmpty() ? new three.Vector3() : box.getSize(new three.Vector3());
    this.target.copy(box.isEmpty() ? new three.Vector3() : box.getCenter(new three.Vector3()));
    this.radius = Math.max(size.length() / 2, 1e-4);
    this.front = ((scene.front ?? 0) * Math.PI) / 180;
    this.home();
    this.setLook(this.look);
    return { ...sums, size: size.toArray() };
  }

  /** Renders each mesh that many nodes share with one draw call, if the scene has no animations. Returns these meshes. */
  instances(scene, nodes, geometries, materials, plainMaterial, sums) {
    const drawn = new Set();
    if (scene.animations.length) return drawn;
    const users = new Map();
    const seen = (object) => !object || (object.visible && seen(object.parent));
    scene.nodes.forEach(({ mesh, skin, weights }, index) => {
      if (mesh === null || mesh === undefined) return;
      if (skin !== null || weights.length) users.set(mesh, undefined);
      else if (!users.has(mesh)) users.set(mesh, [index]);
      else users.get(mesh)?.push(index);
    });
    for (const [mesh, all] of users) {
      if (!all || all.length < 20) continue;
      drawn.add(mesh);
      const visible = all.filter((index) => seen(nodes[index]));
      scene.meshes[mesh].primitives.forEach((primitive, number) => {
        const shape = geometries[mesh][number];
        let surface = materials[primitive.material] ?? plainMaterial;
        if (shape.attributes.color) surface = Object.assign(surface.clone(), { vertexColors: true });
        const one = new three.InstancedMesh(shape, surface, visible.length);
        visible.forEach((index, at) => one.setMatrixAt(at, nodes[index].matrixWorld));
        one.userData.surface = surface;
        one.userData.nodes = visible;
        this.model.add(one);
        this.meshes.push(one);
        sums.triangles += (shape.index.count / 3) * visible.length;
        sums.vertices += shape.attributes.position.count * visible.length;
      });
    }
    return drawn;
  }

  clear() {
    this.model.traverse((object) => {
      object.geometry?.dispose();
      const all = [object.material, object.userData.surface].flat().filter(Boolean);
      for (const one of all) {
        for (const value of Object.values(one)) if (value?.isTexture) value.dispose();
        one.dispose();
      }
    });
    this.model.clear();
    this.bones?.removeFromParent();
    this.bones = undefined;
    this.marked?.removeFromParent();
    this.meshes = [];
  }

  setLook(look) {
    this.look = look;
    for (const mesh of this.meshes ?? []) {
      const { surface } = mesh.userData;
      if (look === "wireframe") mesh.material = new three.MeshBasicMaterial({ color: 0x3c7dd9, wireframe: true });
      else if (look === "normals") mesh.material = new three.MeshNormalMaterial({ side: three.DoubleSide });
      else if (look === "uvs") mesh.material = this.checker;
      else mesh.material = surface;
    }
    this.soon();
  }

  get hull() {
    return (this.hulls ??= new three.MeshStandardMaterial({ color: 0x3c7dd9, transparent: true, opacity: 0.35, depthWrite: false }));
  }

  get checker() {
    if (!this.checkers) {
      const data = new Uint8Array(64 * 64 * 4);
      for (let pixel = 0; pixel < 64 * 64; pixel += 1) {
        const [x, y] = [pixel % 64, pixel >> 6];
        const light = ((x >> 3) + (y >> 3)) & 1 ? 255 : 150;
        data.set([light * (x / 64), light * (1 - x / 128), light * (y / 64), 255], pixel * 4);
      }
      const texture = new three.DataTexture(data, 64, 64);
      texture.wrapS = texture.wrapT = three.RepeatWrapping;
      texture.needsUpdate = true;
      this.checkers = new three.MeshBasicMaterial({ map: texture, side: three.DoubleSide });
    }
    return this.checkers;
  }

  /** Shows or hides lines from each joint to its parent. */
  showSkeleton(shown) {
    this.bones?.removeFromParent();
    this.bones = undefined;
    if (shown) {
      const points = [];
      for (const { joints } of this.skeletons ?? []) {
        for (const joint of joints) {
          if (!joints.includes(joint.parent)) continue;
          points.push(joint.getWorldPosition(new three.Vector3()), joint.parent.getWorldPosition(new three.Vector3()));
        }
      }
      const lines = new three.BufferGeometry().setFromPoints(points);
      this.bones = new three.LineSegments(lines, new three.LineBasicMaterial({ color: 0xd9541e, depthTest: false }));
      this.bones.renderOrder = 1;
      this.world.add(this.bones);
    }
    this.skeletonShown = shown;
    this.soon();
  }

  /** Shows an animation at a time in seconds. The index -1 shows the rest pose. */
  pose(index, time) {
    if (this.posed !== index) {
      this.mixer.stopAllAction();
      if (this.clips[index]) this.mixer.clipAction(this.clips[index]).play();
      this.posed = index;
    }
    this.mixer.setTime(time);
    if (this.skeletonShown) this.showSkeleton(true);
    this.soon();
  }

  home() {
    this.target ??= new three.Vector3();
    this.radius ??= 1;
    this.yaw = (this.front ?? 0) + 0.55;
    this.pitch = 0.35;
    this.distance = this.radius / Math.sin((this.camera.fov * Math.PI) / 360);
    this.soon();
  }

  turn(yaw, pitch, zoom = 1) {
    this.yaw += yaw;
    this.pitch = Math.max(-1.55, Math.min(1.55, this.pitch + pitch));
    this.distance = Math.max(this.radius * 0.02, Math.min(this.radius * 60, this.distance * zoom));
    this.soon();
  }

  control() {
    const { canvas } = this;
    let at;
    let moved = 0;
    const pointers = new Map();
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, event);
      at = event;
      moved = 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!pointers.has(event.pointerId)) return;
      const before = pointers.get(event.pointerId);
      pointers.set(event.pointerId, event);
      const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
      moved += Math.abs(dx) + Math.abs(dy);
      if (pointers.size === 2) {
        const other = [...pointers.values()].find((pointer) => pointer.pointerId !== event.pointerId);
        const gap = (a) => Math.hypot(a.clientX - other.clientX, a.clientY - other.clientY);
        this.turn(0, 0, gap(before) / Math.max(gap(event), 1));
      } else if (event.shiftKey || event.buttons & 6) {
        const scale = (this.distance / canvas.clientHeight) * 0.7;
        const right = new three.Vector3().setFromMatrixColumn(this.camera.matrix, 0);
        const up = new three.Vector3().setFromMatrixColumn(this.camera.matrix, 1);
        this.target.addScaledVector(right, -dx * scale).addScaledVector(up, dy * scale);
        this.soon();
      } else this.turn(-dx * 0.008, dy * 0.008);
    });
    const up = (event) => {
      pointers.delete(event.pointerId);
      if (event.type === "pointerup" && moved < 4 && at) this.pick(event);
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.turn(0, 0, Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.004));
      },
      { passive: false },
    );
    const keys = {
      ArrowLeft: [-0.12, 0],
      ArrowRight: [0.12, 0],
      ArrowUp: [0, 0.12],
      ArrowDown: [0, -0.12],
      "+": [0, 0, 0.85],
      "=": [0, 0, 0.85],
      "-": [0, 0, 1.18],
    };
    canvas.addEventListener("keydown", (event) => {
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.turn(...keys[event.key]);
    });
  }

  pick(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * 2 - 1;
    const y = 1 - ((event.clientY - box.top) / box.height) * 2;
    const ray = new three.Raycaster();
    ray.setFromCamera(new three.Vector2(x, y), this.camera);
    const hit = ray.intersectObjects(this.meshes ?? [], false)[0];
    if (!hit) return;
    const { object, instanceId, point } = hit;
    const index = object.userData.nodes?.[instanceId] ?? object.userData.node;
    const { path, name } = this.scene.nodes[index];
    const distance = this.last?.distanceTo(point);
    this.last = point;
    this.frameOf([index]);
    const triangles = object.geometry.index.count / 3;
    this.picked?.({ path, name: name || object.name, triangles, point: point.toArray(), distance });
  }

  /** Marks the node at a path and its descendants, and moves the camera to them. Returns false if they have no geometry. */
  mark(path) {
    const isIn = (other) => other === path || other?.startsWith(`${path}/`);
    const indices = this.scene.nodes.map((_, index) => index).filter((index) => isIn(this.scene.nodes[index].path));
    const box = this.frameOf(indices);
    if (!box) return false;
    box.getCenter(this.target);
    const size = Math.max(box.getSize(new three.Vector3()).length() / 2, this.radius * 0.01);
    this.distance = (size * 1.6) / Math.sin((this.camera.fov * Math.PI) / 360);
    this.soon();
    return true;
  }

  /** Draws a box around the meshes of nodes. Returns the box, or undefined if no node has a mesh. */
  frameOf(indices) {
    const box = new three.Box3();
    const wanted = new Set(indices);
    const moved = new three.Box3();
    for (const mesh of this.meshes) {
      mesh.geometry.computeBoundingBox();
      const one = mesh.geometry.boundingBox;
      if (mesh.isSkinnedMesh && wanted.has(mesh.userData.node)) box.expandByObject(mesh, true);
      else if (mesh.userData.nodes) {
        for (const index of mesh.userData.nodes.filter((node) => wanted.has(node))) {
          box.union(moved.copy(one).applyMatrix4(this.objects[index].matrixWorld));
        }
      } else if (wanted.has(mesh.userData.node)) box.union(moved.copy(one).applyMatrix4(mesh.matrixWorld));
    }
    this.marked?.removeFromParent();
    this.marked = undefined;
    if (box.isEmpty()) return undefined;
    this.marked = new three.Box3Helper(box, 0xd9541e);
    this.marked.renderOrder = 1;
    this.world.add(this.marked);
    this.canvas.dataset.marked = indices.length;
    this.soon();
    return box;
  }

  soon() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.draw();
    });
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.near = this.distance / 200;
    this.camera.far = this.distance + this.radius * 20;
    const flat = Math.cos(this.pitch) * this.distance;
    const offset = [flat * Math.sin(this.yaw), Math.sin(this.pitch) * this.distance, flat * Math.cos(this.yaw)];
    this.camera.position.copy(this.target).add(new three.Vector3(...offset));
    this.camera.lookAt(this.target);
    this.camera.updateProjectionMatrix();
    this.sun.position.copy(this.camera.position);
    this.renderer.render(this.world, this.camera);
  }

  /** Renders the model from `count` directions around it. Yields PNG files. */
  async *turntable(count) {
    const before = this.yaw;
    for (let frame = 0; frame < count; frame += 1) {
      this.yaw = before + (frame / count) * 2 * Math.PI;
      yield await this.png();
    }
    this.yaw = before;
    this.soon();
  }

  /** The view as a PNG file. */
  async png() {
    this.draw();
    const blob = await new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
    return new Uint8Array(await blob.arrayBuffer());
  }

  dispose() {
    this.clear();
    this.observer.disconnect();
    this.renderer.dispose();
  }
}
