# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene of the kit as objects of Blender. All geometry goes by NumPy."""

import json
import math
from contextlib import contextmanager

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from . import materials
from .weld import layers, target_of, weld

# Scenes have y up, Blender has z up.
TURN = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]], dtype=np.float64)
BACK = TURN.T
# Blender interpolates quaternions by their components. Keys of one part are never farther apart, so that this is within 0.1
# degrees of the shorter arc.
FARTHEST = math.radians(40)
# In an action: the manual frame range that the import set, and the first and the last frame with a key.
RANGE = "imported_range"


def turned(matrix) -> Matrix:
    """A transform of the scene in Blender's axes."""
    return Matrix((TURN @ np.asarray(matrix, dtype=np.float64) @ BACK).tolist())


def add_keys(curve: bpy.types.FCurve, frames, values, kind: str = "LINEAR", slopes=None) -> None:
    """Adds keys to a curve: `LINEAR` or `CONSTANT` or, with the two slopes of each key in values per frame, cubic."""
    points = curve.keyframe_points
    points.add(len(frames))
    points.foreach_set("co", np.stack([frames, values], axis=1).astype(np.float32).ravel())
    items = bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items
    kind = "BEZIER" if slopes is not None else kind
    points.foreach_set("interpolation", np.full(len(frames), items[kind].value, dtype=np.int32))
    if slopes is not None:
        spans = np.diff(frames)
        before, after = np.concatenate([[1.0], spans]) / 3, np.concatenate([spans, [1.0]]) / 3
        for side, step, slope in (("left", -before, slopes[:, 0]), ("right", after, slopes[:, 1])):
            points.foreach_set(f"handle_{side}", np.stack([frames + step, values + step * slope], axis=1).astype(np.float32).ravel())
            free = bpy.types.Keyframe.bl_rna.properties["handle_left_type"].enum_items["FREE"].value
            points.foreach_set(f"handle_{side}_type", np.full(len(frames), free, dtype=np.int32))
    curve.update()


def near(times, turns):
    """Inserts keys between those that are far apart."""
    made = [(times[0], turns[0])] if len(times) else []
    for (start, a), (end, b) in zip(zip(times, turns, strict=True), list(zip(times, turns, strict=True))[1:], strict=False):
        count = max(math.ceil(a.rotation_difference(b).angle / FARTHEST - 1e-6), 1)
        made += [(start + (end - start) * part / count, a.slerp(b, part / count)) for part in range(1, count)]
        made.append((end, b))
    return np.array([time for time, _ in made]), [turn for _, turn in made]


def mark(action: bpy.types.Action, animation, fps: float) -> None:
    """Stores how an animation is played, and its markers, in the action."""
    extras = animation.extras
    action.use_frame_range = True
    action.frame_start, action.frame_end = 0, max(animation.duration * fps, 1)
    action[RANGE] = [action.frame_start, action.frame_end, *action.curve_frame_range]
    action.use_cyclic = bool(extras.get("Loop", True))
    if "Priority" in extras:
        action["Priority"] = extras["Priority"]
    markers = extras.get("Markers", [])
    if markers:
        action["Markers"] = json.dumps(markers)
    for marker in markers:
        action.pose_markers.new(marker["name"]).frame = round(marker["time"] * fps)


def span(action: bpy.types.Action) -> tuple[float, float]:
    """The first and the last frame of an action that are exported: its manual frame range or, if that is still the one of the
    import, the same moved along with the first and the last key."""
    start, end = action.frame_range
    known = list(action.get(RANGE, ()))
    if not action.use_frame_range or known[:2] != [start, end]:
        return start, end
    first, last = action.curve_frame_range
    return start + first - known[2], end + last - known[3]


@contextmanager
def in_object_mode(context):
    """Switches to object mode; restores the active object and its mode afterwards."""
    layer = context.view_layer
    active = layer.objects.active
    mode = active.mode if active is not None else "OBJECT"
    if mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    try:
        yield
    finally:
        layer.objects.active = active
        if active is not None and active.mode != mode:
            bpy.ops.object.mode_set(mode=mode)


def add(context, scene, name: str) -> int:
    """Adds a scene as a collection with this name; returns the number of triangles that Blender cannot represent."""
    adding = Adding(context, scene, name)
    is_free = context.mode == "OBJECT"
    with in_object_mode(context):
        adding.run()
    if is_free:
        choose(context, list(adding.root.all_objects))
    return adding.dropped


def choose(context, objects: list[bpy.types.Object]) -> None:
    """Selects objects alone, and makes the first the active one."""
    for each in context.selected_objects:
        each.select_set(False)
    for each in objects:
        each.select_set(True)
    if objects:
        context.view_layer.objects.active = objects[0]


class Adding:
    def __init__(self, context, scene, name: str) -> None:
        self.context, self.scene = context, scene
        self.nodes = scene.nodes
        self.world = scene.world_matrices()
        self.root = bpy.data.collections.new(name)
        context.scene.collection.children.link(self.root)
        self.dropped = 0
        self.meshes: dict[int, bpy.types.Mesh] = {}
        # The materials of meshes without colours, and those of meshes with colours.
        self.plain = {part.material for mesh in scene.meshes if not materials.is_colored(mesh) for part in mesh.primitives}
        self.colored: dict[int, bpy.types.Material] = {}
        # For each mesh, the first vertex of the scene that became each vertex in Blender.
        self.firsts: dict[int, np.ndarray] = {}
        # By the index of a node, its object, or the collection that its children are in.
        self.objects: dict[int, bpy.types.Object] = {}
        self.groups: dict[int, bpy.types.Collection] = {}
        self.armatures: list[bpy.types.Object] = []
        # The names of the bones of each armature, in the order of the skin's joints.
        self.names: list[list[str]] = []
        # For each joint, its bind transform without scale, like that of the bone.
        self.scales: dict[int, Matrix] = {}
        # For each armature, the transform that moves all of it.
        self.moved: dict[bpy.types.Object, np.ndarray] = {}
        # By the index of a joint, its armature and the name of its bone.
        self.bones: dict[int, tuple[bpy.types.Object, str]] = {}
        self.parents = {child: index for index, node in enumerate(self.nodes) for child in node.children}
        # A group that moves is an object, since a collection does not move.
        self.animated = {channel.node for animation in scene.animations for channel in animation.channels}

    def run(self) -> None:
        self.materials = materials.all_of(self.scene)
        for skin in self.scene.skins:
            self.armatures.append(self.armature(skin))
        order = list(reversed(self.scene.roots))
        while order:
            index = order.pop()
            self.node(index)
            order.extend(reversed(self.nodes[index].children))
        made = [self.action(animation) for animation in self.scene.animations]
        # The first animation is the active one; the others can be chosen, and are exported from their tracks.
        for actions in reversed(made):
            for target, action in actions.items():
                self.assign(target, action)

    def collection(self, index: int) -> bpy.types.Collection:
        """The collection for a node: that of the nearest group above it, or the one for its level of detail in that collection."""
        parent = self.parents.get(index)
        while parent is not None and parent not in self.groups:
            parent = self.parents.get(parent)
        group = self.root if parent is None else self.groups[parent]
        level = self.level(index)
        return group if not level else self.child(group, f"{self.root.name} LOD {level}")

    def level(self, index: int) -> int:
        return (self.nodes[index].extras or {}).get("lod", 0)

    @staticmethod
    def child(parent: bpy.types.Collection, name: str) -> bpy.types.Collection:
        found = parent.children.get(name)
        if found is None:
            found = bpy.data.collections.new(name)
            parent.children.link(found)
        return found

    def node(self, index: int) -> None:
        node = self.nodes[index]
        if index in self.bones:
            return
        plain = node.mesh is None and node.light is None and node.camera is None and index not in self.animated
        if plain and node.children and np.array_equal(self.world[index], np.eye(4)):
            # A folder or a model without a transform becomes a collection.
            group = bpy.data.collections.new(node.name or self.root.name)
            self.collection(index).children.link(group)
            self.groups[index] = group
            return
        made = bpy.data.objects.new(node.name or self.root.name, self.data(node))
        self.collection(index).objects.link(made)
        self.objects[index] = made
        if self.level(index):
            # The export writes a level for each value.
            made["lod"] = self.level(index)
        if node.mesh is not None:
            self.shapes(made, node.mesh)
        made.hide_viewport = made.hide_render = node.hidden
        if node.skin is not None and node.mesh is not None:
            self.bind(made, node)
            return
        parent = self.parents.get(index)
        if parent in self.bones:
            armature, bone = self.bones[parent]
            made.parent, made.parent_type, made.parent_bone = armature, "BONE", bone
            made.matrix_world = turned(self.world[index])
        elif parent in self.objects:
            made.parent = self.objects[parent]
            made.matrix_local = self.looking(turned(node.matrix), node)
        else:
            made.matrix_local = self.looking(turned(self.world[index]), node)

    @staticmethod
    def looking(matrix: Matrix, node) -> Matrix:
        """Lights and cameras look along -z in both, so that for them the axes are not turned."""
        if node.light is None and node.camera is None:
            return matrix
        return matrix @ Matrix(TURN.tolist())

    def data(self, node):
        if node.mesh is not None:
            return self.mesh(node.mesh)
        if node.light is not None:
            kind = {"directional": "SUN", "point": "POINT", "spot": "SPOT"}[node.light.kind]
            light = bpy.data.lights.new(node.name or "Light", kind)
            light.color = node.light.color
            # Candela to watts of radiant flux, as Blender's glTF importer takes them.
            light.energy = node.light.intensity * (1.0 if kind == "SUN" else 4 * np.pi / 683)
            if kind == "SPOT" and node.light.outer:
                light.spot_size = 2 * node.light.outer
            return light
        if node.camera is not None:
            camera = bpy.data.cameras.new(node.name or "Camera")
            camera.sensor_fit, camera.angle = "VERTICAL", node.camera.yfov
            camera.clip_start = node.camera.znear
            return camera
        return None

    def mesh(self, index: int) -> bpy.types.Mesh:
        if index in self.meshes:
            return self.meshes[index]
        source = self.scene.meshes[index]
        mesh = self.meshes[index] = bpy.data.meshes.new(source.name or self.root.name)
        parts = [(primitive, primitive.geometry) for primitive in source.primitives]
        counts = [len(geometry.positions) for _, geometry in parts]
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

        def column(name: str, width: int, missing: float) -> np.ndarray | None:
            columns = [getattr(geometry, name) for _, geometry in parts]
            if all(each is None for each in columns):
                return None
            filled = [
                np.full((count, width), missing, dtype=np.float32) if each is None else each
                for each, count in zip(columns, counts, strict=True)
            ]
            return np.concatenate(filled)

        positions = column("positions", 3, 0)
        if positions is None:
            return mesh
        colors = column("colors", 4, 65535)
        first, welded = weld(source, positions, colors)
        triangles, slots = [np.empty((0, 3), dtype=np.int64)], [np.empty(0, dtype=np.int32)]
        used: list[int | None] = []
        for (primitive, geometry), start in zip(parts, starts, strict=False):
            if primitive.material not in used:
                used.append(primitive.material)
            kept = geometry.triangles.astype(np.int64) + start
            a, b, c = welded[kept].T
            kept = kept[(a != b) & (b != c) & (a != c)]
            self.dropped += len(geometry.triangles) - len(kept)
            triangles.append(kept)
            slots.append(np.full(len(kept), used.index(primitive.material), dtype=np.int32))
        corners = np.concatenate(triangles).ravel().astype(np.int32)
        used_by = welded[corners]
        # The second and further triangles of the same three vertices get their own, since Blender deletes such triangles.
        layer = np.repeat(layers(used_by.reshape(-1, 3)), 3)
        if layer.any():
            own, used_by[layer > 0] = np.unique(used_by[layer > 0] + layer[layer > 0] * len(first), return_inverse=True)
            used_by[layer > 0] += len(first)
            first = np.concatenate([first, first[own % len(first)]])
        self.firsts[index] = first
        mesh.vertices.add(len(first))
        mesh.vertices.foreach_set("co", self.points(positions[first]).ravel())
        mesh.loops.add(len(corners))
        mesh.loops.foreach_set("vertex_index", used_by.astype(np.int32))
        mesh.polygons.add(len(corners) // 3)
        mesh.polygons.foreach_set("loop_start", np.arange(0, len(corners), 3, dtype=np.int32))
        mesh.polygons.foreach_set("material_index", np.concatenate(slots))
        is_colored = materials.is_colored(source)
        for material in used:
            mesh.materials.append(None if material is None else self.material(material, is_colored))
        uvs = column("uvs", 2, 0)
        if uvs is not None:
            layer = mesh.uv_layers.new(name="UVMap")
            flipped = (uvs * np.float32([1, -1]) + np.float32([0, 1]))[corners]
            layer.uv.foreach_set("vector", flipped.ravel())
        if colors is not None:
            attribute = mesh.color_attributes.new("Color", "BYTE_COLOR", "POINT")
            attribute.data.foreach_set("color", (colors[first].astype(np.float32) / 65535).ravel())
        mesh.update(calc_edges=True)
        normals = column("normals", 3, 0)
        if normals is not None and len(corners):
            # Blender expects unit vectors.
            length = np.linalg.norm(normals, axis=1, keepdims=True)
            mesh.normals_split_custom_set(self.points(normals / np.where(length > 0, length, 1))[corners])
        return mesh

    def material(self, index: int, is_colored: bool) -> bpy.types.Material:
        """A material of the scene, or the one that also shows the colours of vertices."""
        if not is_colored:
            return self.materials[index]
        if index not in self.colored:
            found = self.materials[index]
            self.colored[index] = found.copy() if index in self.plain else found
            materials.color(self.colored[index], "Color")
        return self.colored[index]

    @staticmethod
    def points(vectors: np.ndarray) -> np.ndarray:
        x, y, z = vectors.T
        return np.stack([x, -z, y], axis=1)

    def shapes(self, made: bpy.types.Object, index: int) -> None:
        """Adds morph targets as shape keys, which Blender adds to a mesh only by way of an object."""
        parts = self.scene.meshes[index].primitives
        names = next((part.targets for part in parts if part.targets), [])
        if not names or made.data.shape_keys:
            return
        made.shape_key_add(name="Basis", from_mix=False)
        base = np.empty(3 * len(made.data.vertices), dtype=np.float32)
        made.data.vertices.foreach_get("co", base)
        for number, (name, _) in enumerate(names):
            offsets = np.concatenate([target_of(part, number) for part in parts])[self.firsts[index]]
            key = made.shape_key_add(name=name or f"target {number}", from_mix=False)
            key.data.foreach_set("co", base + self.points(offsets).ravel())

    def bind(self, made: bpy.types.Object, node) -> None:
        """Binds an object to its armature. The weights of each joint become a vertex group."""
        armature = self.armatures[node.skin]
        made.parent = armature
        modifier = made.modifiers.new("Armature", "ARMATURE")
        modifier.object = armature
        groups = [made.vertex_groups.new(name=name) for name in self.names[node.skin]]
        joints, weights = [], []
        for geometry in (primitive.geometry for primitive in self.scene.meshes[node.mesh].primitives):
            is_bound = geometry.joints is not None and geometry.weights is not None
            none = np.zeros((len(geometry.positions), 4), dtype=np.float32)
            joints.append(geometry.joints.astype(np.int64) if is_bound else none.astype(np.int64))
            weights.append(geometry.weights if is_bound else none)
        firsts = self.firsts.get(node.mesh, [])
        if not len(firsts):
            return
        vertices = np.repeat(np.arange(len(firsts)), 4)
        joints, weights = np.concatenate(joints)[firsts].ravel(), np.concatenate(weights)[firsts].ravel()
        kept = (weights > 0) & (joints < len(groups))
        vertices, joints, weights = vertices[kept], joints[kept], weights[kept]
        # One call adds all vertices with the same joint and the same weight, since calls are slow.
        order = np.lexsort((weights, joints))
        vertices, joints, weights = vertices[order], joints[order], weights[order]
        new = np.flatnonzero((np.diff(joints) != 0) | (np.diff(weights) != 0)) + 1
        for part in np.split(np.arange(len(joints)), new):
            if len(part):
                first = part[0]
                groups[joints[first]].add(vertices[part].tolist(), float(weights[first]), "ADD")

    def armature(self, skin) -> bpy.types.Object:
        armature = bpy.data.armatures.new(skin.name or f"{self.root.name} bones")
        made = bpy.data.objects.new(armature.name, armature)
        self.root.objects.link(made)
        joints = list(skin.joints)
        bind = {}
        for joint, inverse in zip(joints, skin.inverse_bind.astype(np.float64), strict=False):
            try:
                bind[joint] = turned(np.linalg.inv(inverse))
            except np.linalg.LinAlgError:
                bind[joint] = turned(self.world[joint])
        heads = {joint: matrix.translation for joint, matrix in bind.items()}
        size = max((head.length for head in heads.values()), default=1.0) or 1.0
        # Bones can be created only in edit mode, which always applies to the active object.
        layer = self.context.view_layer
        before = layer.objects.active
        layer.objects.active = made
        bpy.ops.object.mode_set(mode="EDIT")
        edit = {}
        for joint, matrix in bind.items():
            bone = armature.edit_bones.new(self.nodes[joint].name or f"joint {joint}")
            below = [(heads[child] - heads[joint]).length for child in self.nodes[joint].children if child in heads]
            bone.head, bone.tail = (0, 0, 0), (0, max([*below, 0.02 * size][0], 1e-4), 0)
            # Bones keep the axes of the file, as the exporter writes them.
            bone.matrix = matrix @ Matrix(TURN.tolist())
            edit[joint] = bone
        for joint, bone in edit.items():
            above = self.parents.get(joint)
            while above is not None and above not in edit:
                above = self.parents.get(above)
            bone.parent = edit.get(above)
        names = {joint: bone.name for joint, bone in edit.items()}
        bpy.ops.object.mode_set(mode="OBJECT")
        layer.objects.active = before
        self.names.append([names[joint] for joint in joints if joint in names])
        # The transform from the bind pose to the scene, computed from the first joint. In most files, it is the same
        # for all joints.
        first = self.world[joints[0]].astype(np.float64) @ skin.inverse_bind[0] if joints else np.eye(4)
        self.moved[made] = first
        made.matrix_world = turned(first)
        for joint, name in names.items():
            self.bones.setdefault(joint, (made, name))
            self.scales[joint] = bind[joint].inverted_safe() @ armature.bones[name].matrix_local
        for joint, name in names.items():
            bone = armature.bones[name]
            basis = self.rest(bone).inverted() @ self.local(joint, made, turned(self.nodes[joint].matrix))
            if max(abs(a - b) for row, unit in zip(basis, Matrix.Identity(4), strict=True) for a, b in zip(row, unit, strict=True)) > 1e-4:
                made.pose.bones[name].matrix_basis = basis
        return made

    @staticmethod
    def rest(bone: bpy.types.Bone) -> Matrix:
        """The rest transform of a bone, relative to its parent."""
        return bone.matrix_local if bone.parent is None else bone.parent.matrix_local.inverted() @ bone.matrix_local

    def local(self, joint: int, armature: bpy.types.Object, transform: Matrix) -> Matrix:
        """Converts the transform of a joint to that of its bone, relative to the parent bone."""
        between, above = transform, self.parents.get(joint)
        while above is not None and self.bones.get(above, (None, ""))[0] != armature:
            between = turned(self.nodes[above].matrix) @ between
            above = self.parents.get(above)
        if above is None:
            between = turned(np.linalg.inv(self.moved[armature])) @ between
        else:
            between = self.scales[above].inverted_safe() @ between
        return between @ self.scales[joint]

    def action(self, animation) -> dict[bpy.types.ID, bpy.types.Action]:
        """Creates an action for each object, armature and set of shape keys that the animation moves."""
        render = self.context.scene.render
        fps = render.fps / render.fps_base
        moved: dict[int, dict[str, tuple[np.ndarray, np.ndarray, bool]]] = {}
        actions: dict[bpy.types.ID, bpy.types.Action] = {}

        def of(target: bpy.types.ID) -> bpy.types.Action:
            if target not in actions:
                actions[target] = bpy.data.actions.new(animation.name or self.root.name)
                # Blender does not save actions without a user.
                actions[target].use_fake_user = True
                self.assign(target, actions[target])
            return actions[target]

        for channel in animation.channels:
            values = channel.values
            if channel.path == "weights":
                made = self.objects.get(channel.node)
                keys = made.data.shape_keys if made is not None and made.type == "MESH" else None
                # Objects that share a mesh share its shape keys, which only the first channel animates.
                if keys is not None and keys not in actions:
                    self.weights(keys, of(keys), channel, fps)
                continue
            if channel.interpolation == "cubic":
                values = values[1::3]
            moved.setdefault(channel.node, {})[channel.path] = (channel.times, values, channel.interpolation == "step")
        for index, paths in moved.items():
            target = self.bones[index][0] if index in self.bones else self.objects.get(index)
            if target is None:
                continue
            times = np.unique(np.concatenate([times for times, _, _ in paths.values()]))
            keys = [self.at(index, paths, time) for time in times]
            prefix = ""
            if index in self.bones:
                bone = target.data.bones[self.bones[index][1]]
                keys = [self.rest(bone).inverted() @ self.local(index, target, key) for key in keys]
                prefix = f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].'
                target.pose.bones[bone.name].rotation_mode = "QUATERNION"
            else:
                target.rotation_mode = "QUATERNION"
            parts = [key.decompose() for key in keys]
            rotations = [rotation for _, rotation, _ in parts]
            for before, after in zip(rotations, rotations[1:], strict=False):
                after.make_compatible(before)
            tables = {"location": [place for place, _, _ in parts], "rotation_quaternion": rotations, "scale": [scale for _, _, scale in parts]}
            for (name, rows), path in zip(tables.items(), ("translation", "rotation", "scale"), strict=True):
                is_step = path in paths and paths[path][2]
                own, rows = near(times, rows) if path == "rotation" and not is_step else (times, rows)
                for axis, column in enumerate(np.array(rows, dtype=np.float32).T):
                    curve = self.curve(of(target), target, prefix + name, axis)
                    add_keys(curve, own * fps, column, "CONSTANT" if is_step else "LINEAR")
        for target, action in actions.items():
            mark(action, animation, fps)
            self.track(target, action)
        return actions

    def weights(self, keys: bpy.types.Key, action: bpy.types.Action, channel, fps: float) -> None:
        """Animates shape keys with the weights of morph targets."""
        rows = channel.values.reshape(len(channel.times), 3 if channel.interpolation == "cubic" else 1, -1)
        rows = rows[:, rows.shape[1] // 2]
        kind = "CONSTANT" if channel.interpolation == "step" else "LINEAR"
        for block, column in zip(keys.key_blocks[1:], rows.T, strict=False):
            block.slider_min, block.slider_max = min(0.0, float(column.min())), max(1.0, float(column.max()))
            path = f'key_blocks["{bpy.utils.escape_identifier(block.name)}"].value'
            add_keys(self.curve(action, keys, path, 0), channel.times * fps, column, kind)

    @staticmethod
    def assign(target: bpy.types.Object, action: bpy.types.Action) -> None:
        """Makes an action the active action of an object."""
        data = target.animation_data_create()
        data.action = action
        if getattr(action, "slots", None) and data.action_slot is None:
            data.action_slot = action.slots[0]

    @staticmethod
    def track(target: bpy.types.Object, action: bpy.types.Action) -> None:
        """Puts an action on its own muted NLA track. Exporters write the actions of all tracks."""
        track = target.animation_data_create().nla_tracks.new()
        track.name = action.name
        strip = track.strips.new(action.name, int(action.frame_range[0]), action)
        if getattr(action, "slots", None) and strip.action_slot is None:
            strip.action_slot = action.slots[0]
        track.mute = True

    def at(self, index: int, paths, time: float) -> Matrix:
        """The transform of a node at a time, in Blender's axes."""
        node = self.nodes[index]
        found = {"translation": node.translation, "rotation": node.rotation, "scale": node.scale}
        for path, (times, values, step) in paths.items():
            after = int(np.searchsorted(times, time, side="right"))
            low, high = max(after - 1, 0), min(after, len(times) - 1)
            span = times[high] - times[low]
            part = 0.0 if step or span <= 0 else float((time - times[low]) / span)
            if path == "rotation":
                a, b = (Quaternion((w, x, y, z)) for x, y, z, w in (values[low].tolist(), values[high].tolist()))
                w, x, y, z = a.slerp(b, part)
                found[path] = [x, y, z, w]
            else:
                found[path] = (values[low] + (values[high] - values[low]) * part).tolist()
        x, y, z, w = found["rotation"]
        matrix = Matrix.LocRotScale(found["translation"], Quaternion((w, x, y, z)), found["scale"])
        return turned(np.array(matrix))

    @staticmethod
    def curve(action: bpy.types.Action, target: bpy.types.Object, path: str, axis: int):
        if hasattr(action, "fcurve_ensure_for_datablock"):
            return action.fcurve_ensure_for_datablock(target, path, index=axis)
        return action.fcurves.new(path, index=axis)
