# SPDX-License-Identifier: GPL-3.0-or-later
"""Roblox animations on armatures: a bone for each part of a rig, with its head at the joint that moves the part."""

import json
import math
import re
import struct
from contextlib import contextmanager
from typing import NamedTuple

import bpy
import numpy as np
import rezkit
from mathutils import Matrix, Quaternion, Vector

from . import materials, to_blender

# The rig that an armature was made for: R6, R15 or the path of a file.
RIG = "roblox_rig"
# The name of the part of a bone that has another name, since names of bones are unique and at most 63 bytes long.
PART = "roblox_part"
# In an armature whose bones have names of their own: the bone of each part, as chosen in the export.
TABLE = "roblox_bones"
# The parts that move, by rig.
PARTS = {
    "R6": ("Torso", "Head", "Right Arm", "Left Arm", "Right Leg", "Left Leg"),
    "R15": (
        "LowerTorso", "UpperTorso", "Head", "RightUpperArm", "RightLowerArm", "RightHand", "LeftUpperArm", "LeftLowerArm", "LeftHand",
        "RightUpperLeg", "RightLowerLeg", "RightFoot", "LeftUpperLeg", "LeftLowerLeg", "LeftFoot",
    ),
}


class Joint(NamedTuple):
    part: str
    # The name of its bone in a new armature.
    name: str
    # The node that animations move, and that of the joint above.
    node: int
    above: int | None
    # At rest, in Blender's axes: the joint, and the middle of the part.
    place: Matrix
    middle: Vector


class Rig(NamedTuple):
    # The part names of a rig that is not in the file, but was chosen for the animation.
    name: str | None
    root: Joint
    joints: list[Joint]
    # The joint of each node that is a part.
    parts: dict[int, Joint]


def plain(name: str) -> str:
    """A name reduced to letters and digits, so that `Left_Arm` equals `Left Arm`."""
    return "".join(each for each in name.lower() if each.isalnum())


def unused(part: str, names: set[str]) -> str:
    """A name for the bone of a part that no other bone has, as Blender itself would choose it."""
    found, number = part.encode()[:63].decode(errors="ignore"), 0
    while found in names:
        number += 1
        found = part.encode()[:58].decode(errors="ignore") + f".{number:03}"
    return found


def rigs(scene) -> list[Rig]:
    """The rigs of a scene that was a Roblox document: below a part, `NAME C0`, `NAME pose` and the part NAME."""
    nodes, world = scene.nodes, scene.world_matrices().astype(np.float64)
    parents = {child: index for index, node in enumerate(nodes) for child in node.children}
    matrices = [Matrix((to_blender.TURN @ matrix).tolist()) for matrix in world]
    found: dict[int, Rig] = {}
    of_part: dict[int, int] = {}
    for index, node in enumerate(nodes):
        part, above = node.name.removesuffix(" pose"), parents.get(index)
        if part == node.name or above is None or nodes[above].name != f"{part} C0":
            continue
        own = next((child for child in node.children if nodes[child].name == part), None)
        holder = parents.get(above)
        if own is None or holder is None:
            continue
        if holder not in of_part:
            # A part that is welded to another one is on the bone of that part.
            held = holder
            while held is not None and held not in of_part:
                held = parents.get(held)
            if held is not None:
                of_part[holder] = of_part[held]
                found[of_part[held]].parts[holder] = found[of_part[held]].parts[held]
        if holder not in of_part:
            part0 = nodes[holder].name
            root = Joint(part0, unused(part0, set()), holder, None, matrices[holder], matrices[holder].translation)
            name = (nodes[holder].extras or {}).get("Rig")
            found[holder] = Rig(name, root, [], {holder: root})
            of_part[holder] = holder
        rig = found[of_part[holder]]
        of_part[own] = of_part[holder]
        name = unused(part, {joint.name for joint in rig.parts.values()})
        rig.parts[own] = Joint(part, name, index, rig.parts[holder].node, matrices[index], matrices[own].translation)
        rig.joints.append(rig.parts[own])
    return list(found.values())


def make(context, scene, rig: Rig, name: str) -> bpy.types.Object:
    """Creates an armature of a rig, with the parts' meshes on its bones."""
    adding = to_blender.Adding(context, scene, name)
    adding.materials = materials.all_of(scene)
    data = bpy.data.armatures.new(rig.name or name)
    armature = bpy.data.objects.new(data.name, data)
    adding.root.objects.link(armature)
    layer = context.view_layer
    before, layer.objects.active = layer.objects.active, armature
    bpy.ops.object.mode_set(mode="EDIT")
    bones: dict[int, bpy.types.EditBone] = {}
    for joint in (rig.root, *rig.joints):
        head = joint.place.translation
        below = [other.place.translation for other in rig.joints if other.above == joint.node]
        ends = [end for end in below if (end - head).length > 0.05] if len(below) == 1 else []
        ends.append(head + 2 * (joint.middle - head))
        ends.append(head + Vector((0, 0, 0.5)))
        bones[joint.node] = bone = data.edit_bones.new(joint.name)
        bone.head, bone.tail = head, next(end for end in ends if (end - head).length > 0.05)
        bone.parent = bones.get(joint.above)
    names = {node: bone.name for node, bone in bones.items()}
    bpy.ops.object.mode_set(mode="OBJECT")
    layer.objects.active = before
    for joint in rig.parts.values():
        if names[joint.node] != joint.part:
            data.bones[names[joint.node]][PART] = joint.part
    armature.show_in_front = True
    world = scene.world_matrices()
    for index, node in enumerate(scene.nodes):
        above = index
        while above is not None and above not in rig.parts:
            above = adding.parents.get(above)
        if node.mesh is None or above is None:
            continue
        made = bpy.data.objects.new(node.name, adding.mesh(node.mesh))
        adding.root.objects.link(made)
        made.parent, made.parent_type, made.parent_bone = armature, "BONE", names[rig.parts[above].node]
        context.view_layer.update()
        made.matrix_world = to_blender.turned(world[index])
        made.hide_viewport = made.hide_render = node.hidden
        made.hide_select = True
    return armature


def parts_of(rig: str | bytes | None) -> list[str]:
    """The parts that a rig moves, given as for the kit; those of R15 if the kit would choose."""
    if not isinstance(rig, bytes):
        return list(PARTS[rig or "R15"])
    return [joint.part for each in rigs(rezkit.scene(rig)) for joint in each.joints]


def table_of(armature: bpy.types.Object, parts: list[str]) -> dict[str, str]:
    """The bone of each part, as far as the armature remembers one, or a bone has the name of the part."""
    bones, kept = armature.data.bones, armature.get(TABLE, {})
    known = {plain(bone.get(PART, bone.name)): bone.name for bone in bones}
    found = {part: kept[part] if kept.get(part, "") in bones else known.get(plain(part)) for part in parts}
    return {part: bone for part, bone in found.items() if bone}


def remember(armature: bpy.types.Object, bones: dict[str, str]) -> None:
    """Stores the bone of each part in the armature, for the next export and for imports."""
    if not bones:
        raise rezkit.Error("the table names no bone: choose the bone of each part that moves")
    if armature.library is None and dict(armature.get(TABLE, {})) != bones:
        armature[TABLE] = bones


def bones_of(armature: bpy.types.Object, rig: Rig) -> dict[int, bpy.types.Bone]:
    """The bone of each joint, by the joint's node: the one that was chosen for its part, otherwise the one that a new armature has,
    otherwise one with nearly that name."""
    bones, kept = armature.data.bones, armature.get(TABLE, {})
    found = {joint.node: bones[kept[joint.part]] for joint in rig.joints if kept.get(joint.part, "") in bones}
    taken = set(found.values())
    found |= {
        joint.node: bones[joint.name]
        for joint in rig.joints
        if joint.node not in found and joint.name in bones and bones[joint.name] not in taken
    }
    known = {plain(bone.name): bone for bone in bones if bone not in found.values()}
    for joint in rig.joints:
        if joint.node not in found and plain(joint.name) in known:
            found[joint.node] = known.pop(plain(joint.name))
    return found


def standing(armature: bpy.types.Object) -> Matrix:
    """The transform from an armature's axes and units to those in which it stands on the ground, however the object is placed:
    the axis to its head is up or, if that is not clear, z in an armature that the import made, and in others that of the scene."""
    _, turn, scale = (Matrix() if RIG in armature else armature.matrix_world).decompose()
    head = next((bone for bone in armature.data.bones if bone.parent and plain(bone.name).endswith("head")), None)
    way = (head.head_local - head.parent_recursive[-1].head_local).normalized() if head else Vector((0, 0, 0))
    up = max((axis for sign in (1, -1) for axis in Matrix.Scale(sign, 3)), key=way.dot)
    if way.dot(up) > 0.8:
        turn = up.rotation_difference(Vector((0, 0, 1)))
    return turn.to_matrix().to_4x4() @ Matrix.Scale(sum(map(abs, scale)) / 3, 4)


def fit(armature: bpy.types.Object, rig: Rig, bones: dict[int, bpy.types.Bone]) -> tuple[Quaternion, float]:
    """The rotation about the vertical from a rig's front to an armature's, in the armature's axes, and the ratio of their sizes."""
    places = {joint.node: joint.place.translation for joint in (rig.root, *rig.joints)}
    upright = standing(armature)
    heads = {node: upright @ bone.head_local for node, bone in bones.items()}
    nodes = {joint.part: joint.node for joint in rig.joints if joint.node in bones}
    pairs = [(node, nodes.get(part.replace("Right", "Left"))) for part, node in nodes.items() if "Right" in part]
    pairs = [(right, left) for right, left in pairs if left is not None]
    rights = [sum((ends[right] - ends[left] for right, left in pairs), Vector()) for ends in (places, heads)]
    its, own = (math.atan2(right.y, right.x) for right in rights)
    yaw = own - its if all(right.to_2d().length > 1e-6 for right in rights) else 0.0
    links = [(joint.node, joint.above) for joint in rig.joints if {joint.node, joint.above} <= bones.keys()]
    own = sum((bones[node].head_local - bones[above].head_local).length for node, above in links)
    its = sum((places[node] - places[above]).length for node, above in links)
    size = own / its if min(own, its) > 1e-6 else 1.0
    turn = upright.to_quaternion().inverted()
    if abs(yaw) > 1e-3:
        turn = turn @ Quaternion((0, 0, 1), yaw)
    return turn, size if abs(size - 1) > 1e-3 else 1.0


def play(context, armature: bpy.types.Object, rig: Rig, animation) -> bpy.types.Action | None:
    """Adds an animation of a rig to an armature as an action; None if it moves no bone."""
    bones = bones_of(armature, rig)
    of_node = {joint.node: joint for joint in rig.joints if joint.node in bones}
    channels = [channel for channel in animation.channels if channel.node in of_node and channel.path in ("translation", "rotation")]
    if not channels:
        return None
    turn, size = fit(armature, rig, bones)
    fps = context.scene.render.fps / context.scene.render.fps_base
    action = bpy.data.actions.new(animation.name or "Animation")
    # Without a user Blender drops it when the file is saved.
    action.use_fake_user = True
    to_blender.Adding.assign(armature, action)
    for channel in channels:
        joint = of_node[channel.node]
        bone = bones[joint.node]
        # From the joint's axes to those of the bone.
        axes = bone.matrix_local.to_quaternion().inverted() @ turn @ joint.place.to_quaternion()
        pose = armature.pose.bones[bone.name]
        path = f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].'
        times, values = channel.times.astype(np.float64), channel.values
        slopes = None
        if channel.interpolation == "cubic":
            slopes, values = values[0::3], values[1::3]
            slopes = np.stack([slopes, channel.values[2::3]], axis=1)
        if channel.path == "translation":
            def moved(row):
                return list(axes @ Vector([float(each) for each in row]) * size)

            handles = None if slopes is None else np.array([[moved(a), moved(b)] for a, b in slopes])
            rows, path = np.array([moved(row) for row in values]), path + "location"
        else:
            turns = [axes @ Quaternion((w, x, y, z)) @ axes.inverted() for x, y, z, w in values.tolist()]
            for before, after in zip(turns, turns[1:], strict=False):
                after.make_compatible(before)
            if channel.interpolation != "step":
                times, turns = to_blender.near(times, turns)
            handles = None
            name, rows = rotations(pose.rotation_mode, turns)
            path += name
        kind = "CONSTANT" if channel.interpolation == "step" else "LINEAR"
        for axis in range(rows.shape[1]):
            curve = to_blender.Adding.curve(action, armature, path, axis)
            slope = None if handles is None else handles[:, :, axis] / fps
            to_blender.add_keys(curve, times * fps, rows[:, axis], kind, slope)
    to_blender.mark(action, animation, fps)
    to_blender.Adding.track(armature, action)
    return action


def rotations(mode: str, turns: list[Quaternion]) -> tuple[str, np.ndarray]:
    """The rotation property of a pose bone, and its values."""
    if mode == "QUATERNION":
        return "rotation_quaternion", np.array([list(turn) for turn in turns])
    if mode == "AXIS_ANGLE":
        return "rotation_axis_angle", np.array([[angle, *axis] for axis, angle in (turn.to_axis_angle() for turn in turns)])
    rows, before = [], None
    for turn in turns:
        before = turn.to_euler(mode) if before is None else turn.to_euler(mode, before)
        rows.append(list(before))
    return "rotation_euler", np.array(rows)


def outside(action: bpy.types.Action) -> list[rezkit.Loss]:
    """A loss for the keys that are outside of the action's frame range."""
    start, end = to_blender.span(action)
    frames = [point.co[0] for curve in curves_of(action) for point in curve.keyframe_points]
    count = sum(not start - 1e-3 < frame < end + 1e-3 for frame in frames)
    return [rezkit.Loss("left-out", action.name, "keys outside of its manual frame range", count)] if count else []


def extras_of(action: bpy.types.Action, start: float, fps: float) -> dict:
    """The playback options of an action, and its markers, as stored by `to_blender.mark`."""
    extras = {}
    if action.use_frame_range:
        extras["Loop"] = action.use_cyclic
    if isinstance(action.get("Priority"), int):
        extras["Priority"] = action["Priority"]
    known, markers = json.loads(action.get("Markers", "[]")), []
    for marker in action.pose_markers:
        time = max((marker.frame - start) / fps, 0.0)
        same = (each for each in known if each["name"] == marker.name and abs(each["time"] - time) <= 0.6 / fps)
        # A marker that was not moved has its own time and value.
        markers.append(next(same, {"time": time, "name": marker.name, "value": ""}))
    if markers:
        extras["Markers"] = markers
    return extras


def curves_of(action: bpy.types.Action):
    if getattr(action, "layers", None):
        bags = (bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags)
        return [curve for bag in bags for curve in bag.fcurves]
    return list(getattr(action, "fcurves", ()))


def keyed(action: bpy.types.Action) -> set[str]:
    """The names of the bones with keys in an action."""
    paths = (re.match(r'pose\.bones\["(.*)"\]\.', curve.data_path) for curve in curves_of(action))
    return {bpy.utils.unescape_identifier(path[1]) for path in paths if path}


def played_by(made: bpy.types.Object) -> set[bpy.types.Action]:
    """The active action of an object and those on its tracks."""
    data = made.animation_data
    if data is None:
        return set()
    strips = {strip.action for track in data.nla_tracks for strip in track.strips}
    return {action for action in {data.action, *strips} if action is not None}


def playing(armature: bpy.types.Object) -> list[bpy.types.Action]:
    """The actions with keys for its bones that an armature plays: the active one or, without it, those of its tracks."""
    data = armature.animation_data
    if data is None:
        return []
    strips = [strip for track in data.nla_tracks if not track.mute for strip in track.strips if not strip.mute]
    actions = {data.action} if data.action else {strip.action for strip in strips}
    return [action for action in actions_of(armature) if action in actions]


def unwritten(action: bpy.types.Action) -> list[rezkit.Loss]:
    """Losses for keys that Roblox animations cannot contain."""
    counts = {"keys that scale bones": 0, "keys that move the armature itself": 0}
    for curve in curves_of(action):
        values = [point.co[1] for point in curve.keyframe_points]
        if not values:
            continue
        if re.fullmatch(r'pose\.bones\[".*"\]\.scale', curve.data_path):
            counts["keys that scale bones"] += len(values) * any(abs(value - 1) > 1e-4 for value in values)
        elif re.fullmatch(r"location|rotation_\w+|scale|delta_\w+", curve.data_path):
            counts["keys that move the armature itself"] += len(values) * (max(values) - min(values) > 1e-4)
    return [rezkit.Loss("left-out", action.name, what, count) for what, count in counts.items() if count]


def actions_of(armature: bpy.types.Object) -> list[bpy.types.Action]:
    """All actions that have keys of the armature's bones, the active one first."""
    names = {bone.name for bone in armature.data.bones}
    active = armature.animation_data and armature.animation_data.action
    others = {action for each in bpy.data.objects if each != armature for action in played_by(each)} - played_by(armature)
    found = [action for action in bpy.data.actions if keyed(action) & names and action not in others]
    return sorted(found, key=lambda action: action != active)


@contextmanager
def kept(context, armature: bpy.types.Object):
    """Restores the armature's pose, action and the time afterwards."""
    scene, data = context.scene, armature.animation_data_create()
    before = data.action, getattr(data, "action_slot", None), data.use_nla, scene.frame_current, scene.frame_subframe
    poses = {bone.name: bone.matrix_basis.copy() for bone in armature.pose.bones}
    try:
        data.use_nla = False
        yield data
    finally:
        data.use_nla = before[2]
        data.action = before[0]
        if before[1] is not None:
            data.action_slot = before[1]
        scene.frame_set(before[3], subframe=before[4])
        if before[0] is None:
            for name, pose in poses.items():
                armature.pose.bones[name].matrix_basis = pose


def accessor(gltf: dict, blob: bytearray, rows: np.ndarray, kind: str) -> int:
    """Adds rows of numbers to a document and its buffer; returns the index of the accessor."""
    rows = np.ascontiguousarray(rows, dtype=np.float32).reshape(len(rows), -1)
    gltf["bufferViews"].append({"buffer": 0, "byteOffset": len(blob), "byteLength": rows.nbytes})
    made = {"bufferView": len(gltf["bufferViews"]) - 1, "componentType": 5126, "count": len(rows), "type": kind}
    made |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
    blob.extend(rows.tobytes())
    gltf["accessors"].append(made)
    return len(gltf["accessors"]) - 1


def glb(context, armature: bpy.types.Object, actions: list[bpy.types.Action], table: dict[str, str] | None = None) -> bytes:
    """The bones of an armature and actions as glTF: poses as Blender shows them, at each frame and each key, so that
    constraints and drivers count. With a table of the bones of parts, no other bone has the name of a part."""
    scene = context.scene
    fps = scene.render.fps / scene.render.fps_base
    bones = list(armature.data.bones)
    index = {bone.name: number + 1 for number, bone in enumerate(bones)}
    blob = bytearray()
    gltf = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "accessors": [], "bufferViews": [], "animations": []}

    def node(name: str, matrix: Matrix, children) -> dict:
        place, (w, x, y, z), scale = matrix.decompose()
        made = {"name": name, "translation": list(place), "rotation": [x, y, z, w], "scale": list(scale)}
        return made | ({"children": children} if children else {})

    rest = {bone.name: to_blender.Adding.rest(bone) for bone in bones}
    upright = Matrix(to_blender.BACK.tolist()) @ standing(armature)
    gltf["nodes"] = [node(armature.name, upright, [index[bone.name] for bone in bones if bone.parent is None])]
    part_of = {bone: part for part, bone in (table or {}).items()}

    def named(bone: bpy.types.Bone) -> str:
        return bone.get(PART, bone.name) if table is None else part_of.get(bone.name, f"{index[bone.name]}: no part")

    gltf["nodes"] += [node(named(bone), rest[bone.name], [index[child.name] for child in bone.children]) for bone in bones]
    with kept(context, armature):
        for action in actions:
            to_blender.Adding.assign(armature, action)
            start, end = to_blender.span(action)
            points = (point.co[0] for curve in curves_of(action) for point in curve.keyframe_points)
            frames = sorted({start, end, *map(float, range(math.ceil(start), math.floor(end) + 1)), *(p for p in points if start <= p <= end)})
            # Frames within a thousandth are one: times are 32 bits.
            frames = [frame for frame, before in zip(frames, [-math.inf, *frames], strict=False) if frame - before > 1e-3]
            rows = {bone.name: ([], []) for bone in bones}
            for frame in frames:
                scene.frame_set(math.floor(frame), subframe=frame % 1.0)
                shown = armature.evaluated_get(context.evaluated_depsgraph_get()).pose.bones
                for bone in bones:
                    own = shown[bone.name].matrix
                    local = own if bone.parent is None else shown[bone.parent.name].matrix.inverted_safe() @ own
                    place, turn, _ = local.decompose()
                    places, turns = rows[bone.name]
                    if turns:
                        turn.make_compatible(Quaternion((turns[-1][3], *turns[-1][:3])))
                    places.append(list(place))
                    turns.append([turn.x, turn.y, turn.z, turn.w])
            names = keyed(action)
            times = accessor(gltf, blob, (np.array(frames) - start) / fps, "SCALAR")
            made = {"name": action.name, "channels": [], "samplers": [], "extras": extras_of(action, start, fps)}
            for bone in bones:
                place, turn, _ = rest[bone.name].decompose()
                places, turns = (np.array(each) for each in rows[bone.name])
                # By more than the rounding of 32 bits: a bone without keys can follow others.
                is_moved = np.abs(places - np.array(place)).max() > 1e-4
                still = np.array([turn.x, turn.y, turn.z, turn.w])
                is_turned = np.minimum(np.abs(turns - still), np.abs(turns + still)).max() > 1e-4
                if not (is_moved or is_turned or bone.name in names):
                    continue
                for path, values, kind in (("translation", places, "VEC3"), ("rotation", turns, "VEC4")):
                    made["samplers"].append({"input": times, "output": accessor(gltf, blob, values, kind)})
                    target = {"node": index[bone.name], "path": path}
                    made["channels"].append({"sampler": len(made["samplers"]) - 1, "target": target})
            gltf["animations"].append(made)
    return packed(gltf, blob)


def packed(gltf: dict, blob: bytearray) -> bytes:
    """A GLB of a document and its buffer."""
    if blob:
        gltf["buffers"] = [{"byteLength": len(blob)}]
    text = json.dumps(gltf).encode()
    text += b" " * (-len(text) % 4)
    blob = blob + b"\0" * (-len(blob) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(blob), 0x004E4942) + blob
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


def renamed(losses: list[rezkit.Loss], names: dict[str, list[str]]) -> list[rezkit.Loss]:
    """Losses with names in place of paths such as `meshes[0].primitives[0]`; `names` has a list for `meshes` and others."""

    def name(path: str) -> str:
        start = re.match(r"(\w+)\[(\d+)\](\.primitives\[\d+\])?", path)
        known = names.get(start[1], []) if start else []
        return known[int(start[2])] + path[start.end() :] if start and int(start[2]) < len(known) else path

    return [rezkit.Loss(loss.kind, name(loss.path), loss.what, loss.count) for loss in losses]


def convert(
    context, armature: bpy.types.Object, actions: list[bpy.types.Action], form: str, table: dict[str, str] | None = None, **options,
) -> rezkit.Converted:
    """Actions of an armature as a Roblox document, `rbxm` or `rbxmx`, or as another form of motion."""
    if not actions:
        raise rezkit.Error("the armature plays no action with keys for its bones")
    made = rezkit.convert(rezkit.load(glb(context, armature, actions, table)), form, **options)
    lost = [loss for action in actions for loss in (*unwritten(action), *outside(action))]
    return made._replace(losses=lost + renamed(made.losses, {"animations": [action.name for action in actions]}))
