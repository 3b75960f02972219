# SPDX-License-Identifier: GPL-3.0-or-later
"""The selected objects as a file, by Blender's glTF exporter, which applies modifiers, and the kit."""

import json
import math
import struct
import tempfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import bpy
import numpy as np
import rezkit

from . import animation, to_blender


PLACED = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")


@contextmanager
def kept(context):
    """Restores the current frame, the transforms of objects and bones, and the values of shape keys afterwards."""
    scene = context.scene
    frame, part = scene.frame_current, scene.frame_subframe

    # Everything is found by name, since Blender recreates bones when the mode changes.
    def placed():
        for made in scene.objects:
            yield made.name, made
            for bone in made.pose.bones if made.pose else ():
                yield (made.name, bone.name), bone

    def blocks():
        for keys in (getattr(made.data, "shape_keys", None) for made in scene.objects):
            yield from ((keys.name, block.name, block) for block in keys.key_blocks) if keys else ()

    places = {name: [tuple(getattr(each, key)) for key in PLACED] for name, each in placed()}
    values = {(keys, name): block.value for keys, name, block in blocks()}
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=part)
        for name, each in placed():
            for key, value in zip(PLACED, places[name], strict=True):
                if tuple(getattr(each, key)) != value:
                    setattr(each, key, value)
        for keys, name, block in blocks():
            block.value = values[keys, name]
        context.view_layer.update()


@contextmanager
def whole(actions):
    """Extends actions that end between two frames to the next frame, since the exporter would cut them; yields their ends."""
    changed = []
    try:
        for action in actions:
            (start, end), before = action.frame_range, (action.use_frame_range, action.frame_start, action.frame_end)
            if end % 1 > 1e-3:
                changed.append((action, before, end))
                action.use_frame_range, action.frame_start, action.frame_end = True, start, math.ceil(end)
        yield {action.name: end for action, _, end in changed}
    finally:
        for action, (is_used, start, end), _ in changed:
            action.frame_start, action.frame_end, action.use_frame_range = start, end, is_used


def timed(data: bytes, base: float, ends: dict[str, float]) -> bytes:
    """A GLB with all times multiplied by `base`. `ends` are the ends of animations in seconds, by name: a last key after the
    end is moved there."""
    length = struct.unpack_from("<I", data, 12)[0]
    document, blob = json.loads(data[20 : 20 + length]), bytearray(data[28 + length :])
    done = set()
    for animation in document.get("animations", []):
        end = ends.get(animation["name"], math.inf)
        for index in {sampler["input"] for sampler in animation["samplers"]} - done:
            done.add(index)
            accessor = document["accessors"][index]
            view = document["bufferViews"][accessor["bufferView"]]
            start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
            times = np.frombuffer(blob, dtype="<f4", count=accessor["count"], offset=start) * np.float32(base)
            if len(times) > 1 and times[-2] < end < times[-1]:
                times[-1] = end
            blob[start : start + times.nbytes] = times.tobytes()
            accessor |= {"min": [float(times[0])], "max": [float(times[-1])]}
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(blob), 0x004E4942) + bytes(blob)
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


def gltf(context) -> rezkit.Asset:
    """The selection as a glTF asset. An armature brings the meshes that it moves."""
    if not context.selected_objects:
        raise rezkit.Error("nothing is selected: select a mesh or an armature")
    render = context.scene.render
    base = render.fps_base
    with tempfile.TemporaryDirectory() as folder, to_blender.in_object_mode(context), kept(context), whole(bpy.data.actions) as ends:
        path = Path(folder, "selection.glb")
        try:
            # The exporter multiplies the frame rate by fps_base instead of dividing by it, so `timed` applies it.
            render.fps_base = 1
            bpy.ops.export_scene.gltf(
                filepath=str(path), export_format="GLB", use_selection=True, export_apply=True, export_tangents=False,
                export_animations=True, export_extras=True, export_all_influences=False, export_vertex_color="ACTIVE",
            )
        finally:
            render.fps_base = base
        data = path.read_bytes()
    return rezkit.load(timed(data, base, {name: end * base / render.fps for name, end in ends.items()}))


# Types of objects that have no polygons in Blender, and that no form can represent.
OTHERS = {"LIGHT", "LIGHT_PROBE", "CAMERA", "SPEAKER", "LATTICE", "VOLUME", "POINTCLOUD", "CURVES", "GREASEPENCIL"}


def shown(context) -> tuple[Counter[str], Counter[str]]:
    """The numbers of triangles and of loose edges that Blender shows for the selection, by the names of objects: with modifiers,
    and counting each instance."""
    graph = context.evaluated_depsgraph_get()
    selected, counts = set(context.selected_objects), {}
    triangles, edges = Counter(), Counter()
    for each in graph.object_instances:
        source = each.parent if each.is_instance else each.object
        if source is None or source.original not in selected or not (each.is_instance or each.show_self):
            continue
        above = each.object.parent
        # Blender shows instances in place of this object.
        if not each.is_instance and above is not None and above.instance_type in {"VERTS", "FACES"}:
            continue
        data, name = each.object.data, each.object.original.name
        # The polygons of curves, texts and metaballs are listed as an instance of a mesh.
        if each.object.type != "MESH" or data is None:
            continue
        key = data.as_pointer()
        if key not in counts:
            data.calc_loop_triangles()
            counts[key] = len(data.loop_triangles), sum(edge.is_loose for edge in data.edges)
        triangles[name] += counts[key][0]
        edges[name] += counts[key][1]
    return triangles, edges


def missing(context, scene: rezkit.Scene) -> list[rezkit.Loss]:
    """Losses for everything in the selection that Blender's glTF exporter does not write."""
    found = []

    def lost(name: str, what: str, count: int) -> None:
        found.append(rezkit.Loss("left-out", name, what, count))

    written, targets = Counter(), Counter()
    for node in scene.nodes:
        parts = scene.meshes[node.mesh].primitives if node.mesh is not None else ()
        written[node.name] += sum(len(each.geometry.triangles) for each in parts)
        targets[node.name] = max((len(each.targets) for each in parts), default=0)
    triangles, edges = shown(context)
    for name, count in triangles.items():
        if count > written[name]:
            lost(name, f"{count - written[name]} of {count} triangles", count - written[name])
    for name, count in edges.items():
        if count:
            lost(name, "edges without a polygon", count)
    for made in context.selected_objects:
        keys = getattr(made.data, "shape_keys", None)
        count = len(keys.key_blocks) - 1 if keys else 0
        if count > targets[made.name]:
            lost(made.name, "shape keys", count - targets[made.name])
        if made.type in OTHERS:
            lost(made.name, made.type.lower().replace("_", " "), 1)
        if made.type == "ARMATURE":
            names = {each.name for each in scene.animations}
            for action in animation.actions_of(made):
                if action.name not in names:
                    lost(made.name, f"the action {action.name}, which is not on a track", 1)
    return found


def convert(context, form: str, name: str, allow_loss: bool) -> rezkit.Converted:
    """The selection in a form: a version of Roblox meshes, `llmesh`, `slm` or `m3d`."""
    model = gltf(context)
    scene = rezkit.scene(model)
    losses = missing(context, scene)
    if form[0].isdigit():
        mesh = rezkit.convert(model, "mesh", name=name)
        losses += mesh.losses
        made = rezkit.convert(mesh.data, form, name=name, allow_loss=allow_loss)
    else:
        made = rezkit.convert(model, form, name=name, allow_loss=allow_loss)
    kept = rezkit.load(made.data).describe().get("triangles", 0)
    if kept < scene.triangle_count:
        count = scene.triangle_count - kept
        losses.append(rezkit.Loss("left-out", "", f"{count} of {scene.triangle_count} triangles", count))
    return made._replace(losses=losses + made.losses)
