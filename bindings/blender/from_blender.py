# SPDX-License-Identifier: GPL-3.0-or-later
"""The selected objects as a file, by Blender's glTF exporter, which applies modifiers, and the kit."""

import copy
import json
import math
import struct
import tempfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import bmesh
import bpy
import numpy as np
import rezkit
from mathutils import Matrix, Quaternion

from . import animation, to_blender


# The collection with the physics shape that the panel shows, which is not exported.
PHYSICS = "Second Life physics"
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
    """Sets the frames of actions that are exported, and extends actions that start or end between two frames to whole frames, since
    the exporter would cut them; yields the starts and ends of those by name, in frames from the first that is exported."""
    changed, spans = [], {}
    try:
        for action in actions:
            (start, end), before = to_blender.span(action), (action.use_frame_range, action.frame_start, action.frame_end)
            first, last = math.floor(start + 1e-3), math.ceil(end - 1e-3)
            if (first, last) != tuple(action.frame_range):
                changed.append((action, before))
                spans[action.name] = start - first, end - first
                action.use_frame_range, action.frame_start, action.frame_end = True, first, last
        yield spans
    finally:
        for action, (is_used, start, end) in changed:
            action.frame_start, action.frame_end, action.use_frame_range = start, end, is_used


@contextmanager
def finite():
    """Replaces custom properties that are not finite, which the exporter refuses, by 0; restores them afterwards."""
    kinds = ("objects", "meshes", "curves", "armatures", "lights", "cameras", "materials", "actions", "scenes")
    owners = [each for kind in kinds for each in getattr(bpy.data, kind)]
    owners += [bone for each in bpy.data.armatures for bone in each.bones]
    owners += [bone for each in bpy.data.objects if each.pose for bone in each.pose.bones]
    changed = []
    for owner in owners:
        for key, value in owner.items():
            numbers = value.to_list() if hasattr(value, "to_list") else value
            if np.asarray(numbers).dtype.kind == "f" and not np.isfinite(numbers).all():
                changed.append((owner, key, numbers))
                owner[key] = np.nan_to_num(numbers, posinf=0, neginf=0).tolist()
                # The exporter reads evaluated copies too.
                owner.id_data.update_tag()
    try:
        yield
    finally:
        for owner, key, numbers in changed:
            owner[key] = numbers


@contextmanager
def selected(context):
    """Adds to the selection the armatures that move the selected meshes or, if only armatures are selected, the meshes that they
    move; restores the selection afterwards."""
    layer, chosen = context.view_layer, set(context.selected_objects)
    if not chosen:
        raise rezkit.Error("nothing is selected: select a mesh or an armature")
    if all(each.type == "ARMATURE" for each in chosen):
        added = {each for each in layer.objects if each.type == "MESH" and set(armatures_of(each)) & chosen}
    else:
        added = {armature for each in chosen for armature in armatures_of(each)}
    added = [each for each in added - chosen if each in set(layer.objects)]
    before = [(each, each.hide_viewport, each.hide_select, each.hide_get()) for each in added]
    try:
        for each in added:
            each.hide_viewport = each.hide_select = False
            each.hide_set(False)
            each.select_set(True)
        yield
    finally:
        for each, hidden, fixed, is_out in before:
            each.select_set(False)
            each.hide_set(is_out)
            each.hide_viewport, each.hide_select = hidden, fixed


def armatures_of(made: bpy.types.Object) -> list[bpy.types.Object]:
    """The armatures that move an object."""
    return [each.object for each in made.modifiers if each.type == "ARMATURE" and each.object is not None]


def separated(mesh: bpy.types.Mesh) -> bpy.types.Mesh | None:
    """A copy of a mesh in which polygons with the same vertices have their own vertices, since Blender deletes such polygons
    when it exports; None if no polygons have the same vertices."""
    tried = mesh.copy()
    is_changed = tried.validate()
    bpy.data.meshes.remove(tried)
    if not is_changed:
        return None
    copy = mesh.copy()
    if mesh.has_custom_normals:
        normals = np.empty(3 * len(mesh.loops), dtype=np.float32)
        mesh.corner_normals.foreach_get("vector", normals)
        copy.attributes.new("rezkit_normal", "FLOAT_VECTOR", "CORNER").data.foreach_set("vector", normals)
    cells = bmesh.new()
    cells.from_mesh(copy)
    seen, layers = Counter(), {}
    for face in cells.faces:
        corners = frozenset(vertex.index for vertex in face.verts)
        if seen[corners]:
            layers.setdefault(seen[corners], []).append(face)
        seen[corners] += 1
    for layer in layers.values():
        bmesh.ops.split(cells, geom=layer)
    cells.to_mesh(copy)
    cells.free()
    if mesh.has_custom_normals:
        normals = np.empty(3 * len(copy.loops), dtype=np.float32)
        copy.attributes["rezkit_normal"].data.foreach_get("vector", normals)
        copy.attributes.remove(copy.attributes["rezkit_normal"])
        copy.normals_split_custom_set(normals.reshape(-1, 3))
    return copy


@contextmanager
def valid(context):
    """Replaces meshes that Blender's exporter would change by copies that it keeps; restores them afterwards."""
    objects = {each.original for each in pieces(context)} | set(context.selected_objects)
    objects = [each for each in objects if each.type == "MESH" and each.mode == "OBJECT"]
    copies = {mesh: separated(mesh) for mesh in {each.data for each in objects}}
    changed = [(each, each.data) for each in objects if copies[each.data] is not None]
    try:
        for each, mesh in changed:
            each.data = copies[mesh]
        yield
    finally:
        for each, mesh in changed:
            each.data = mesh
        for copy in copies.values():
            if copy is not None:
                bpy.data.meshes.remove(copy)


def color_of(mesh: bpy.types.Mesh) -> str:
    """The name of the colours of a mesh that are written: those that a material names, otherwise those of the renderer."""
    nodes = [node for material in mesh.materials if material and material.node_tree for node in material.node_tree.nodes]
    named = (node.layer_name for node in nodes if node.type == "VERTEX_COLOR" and node.outputs["Color"].is_linked)
    return next(filter(set(mesh.color_attributes.keys()).__contains__, named), mesh.color_attributes.default_color_name)


@contextmanager
def colored():
    """Makes the colours that are written those of the renderer, since Blender 5.2 writes no others; restores them afterwards."""
    found = [(mesh.color_attributes, color_of(mesh)) for mesh in bpy.data.meshes if len(mesh.color_attributes) > 1]
    changed = [(colors, name, colors.default_color_name) for colors, name in found if name != colors.default_color_name]
    try:
        for colors, name, _ in changed:
            colors.default_color_name = name
        yield
    finally:
        for colors, _, before in changed:
            colors.default_color_name = before


def textures(part: dict):
    """The textures of a material of a glTF document, that of the base colour first."""
    for key, value in sorted(part.items(), key=lambda each: each[0] not in ("pbrMetallicRoughness", "baseColorTexture")):
        if key.endswith("Texture"):
            yield value
        elif isinstance(value, dict):
            yield from textures(value)


def order_uvs(document: dict) -> None:
    """Moves the texture coordinates that a material or, without textures, Blender's renderer uses first to the first set, since
    most formats have only that."""
    used = [next((each.get("texCoord", 0) for each in textures(material)), None) for material in document.get("materials", [])]
    for material, first in zip(document.get("materials", []), used, strict=True):
        for texture in textures(material):
            texture["texCoord"] = {0: first, first: 0}.get(texture.get("texCoord", 0), texture.get("texCoord", 0))
    for mesh in document.get("meshes", []):
        layers = bpy.data.meshes[mesh["name"]].uv_layers if mesh["name"] in bpy.data.meshes else ()
        shown = next((number for number, layer in enumerate(layers) if layer.active_render), 0)
        for part in mesh["primitives"]:
            first = used[part["material"]] if "material" in part else None
            names, own = ["TEXCOORD_0", f"TEXCOORD_{shown if first is None else first}"], part["attributes"]
            if set(names) <= own.keys():
                own |= dict(zip(names, [own[name] for name in reversed(names)], strict=True))


def nodes_of(tree: bpy.types.NodeTree | None):
    """The nodes of a tree, with those inside of groups."""
    for node in tree.nodes if tree else ():
        yield node
        if node.type == "GROUP":
            yield from nodes_of(node.node_tree)


def shader(material: bpy.types.Material) -> bpy.types.Node | None:
    """The shader with the base colour: the Principled BSDF or, without another that the exporter knows, the one of the output."""
    tree = material.node_tree if getattr(material, "use_nodes", True) else None
    found = {node.type: node for node in nodes_of(tree)}
    if found.keys() & {"BSDF_PRINCIPLED", "EMISSION", "BACKGROUND"}:
        return found.get("BSDF_PRINCIPLED")
    links = tree.get_output_node("ALL").inputs["Surface"].links if "OUTPUT_MATERIAL" in found and tree.get_output_node("ALL") else ()
    return links[0].from_node if links and links[0].from_socket.type == "SHADER" else None


def places(context) -> dict[str, np.ndarray]:
    """The transforms, in the axes of glTF, of the objects of the selection that are shown once and do not follow bones."""
    found, counts = {}, Counter()
    for made in pieces(context):
        counts[made.name] += 1
        above = made
        while above is not None and above.parent_type != "BONE":
            above = above.parent
        if above is None:
            found[made.name] = to_blender.BACK @ np.array(made.matrix_world) @ to_blender.TURN
    return {name: place for name, place in found.items() if counts[name] == 1}


def shear(document: dict, blob: bytearray, rows, places: dict[str, np.ndarray]) -> None:
    """Applies to meshes what nodes of glTF cannot have, such as the shear of a turned child of an unevenly scaled parent."""
    nodes = document.get("nodes", [])
    above = {child: index for index, node in enumerate(nodes) for child in node.get("children", ())}
    counts = Counter(node.get("name") for node in nodes)

    def world(index: int) -> np.ndarray:
        x, y, z, w = nodes[index].get("rotation", (0, 0, 0, 1))
        place, scale = (nodes[index].get(key, (value,) * 3) for key, value in (("translation", 0), ("scale", 1)))
        own = np.array(Matrix.LocRotScale(place, Quaternion((w, x, y, z)), scale), dtype=np.float64)
        return world(above[index]) @ own if index in above else own

    for index, node in enumerate(nodes):
        if "mesh" not in node or "skin" in node or counts[node["name"]] > 1 or node["name"] not in places:
            continue
        own, wanted = world(index), places[node["name"]]
        if min(abs(np.linalg.det(own)), abs(np.linalg.det(wanted))) < 1e-12:
            continue
        rest = np.linalg.inv(own) @ wanted
        if np.allclose(rest[:3, :3], np.eye(3), atol=1e-3):
            continue
        mesh = document["meshes"][node["mesh"]]
        if sum(each.get("mesh") == node["mesh"] for each in nodes) > 1:
            mesh = copy.deepcopy(mesh)
            node["mesh"] = len(document["meshes"])
            document["meshes"].append(mesh)
        for part in mesh["primitives"]:
            for number, own in enumerate((part["attributes"], *part.get("targets", ()))):
                moved = rows(own["POSITION"]) @ rest[:3, :3].T + rest[:3, 3] * (not number)
                own["POSITION"] = animation.accessor(document, blob, moved, "VEC3")
                if "NORMAL" in own:
                    normals = rows(own["NORMAL"]) @ np.linalg.inv(rest[:3, :3])
                    lengths = 1 if number else np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
                    own["NORMAL"] = animation.accessor(document, blob, normals / lengths, "VEC3")


def prepared(data: bytes, base: float, ranges: dict[str, tuple[float, float]], places: dict[str, np.ndarray]) -> bytes:
    """A GLB of Blender as the kit expects it: all times are multiplied by `base`; animations start at 0, or at the first of their
    `ranges` in seconds from their first key, by name, and end at the second; scales that do not change are no channels;
    and surfaces have one side, since two sides are Blender's default and the formats do not know them."""
    length = struct.unpack_from("<I", data, 12)[0]
    document, blob = json.loads(data[20 : 20 + length]), bytearray(data[28 + length :])

    def rows(index: int) -> np.ndarray:
        accessor = document["accessors"][index]
        view = document["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        kind = {5126: "<f4", 5123: "<u2", 5121: "u1"}[accessor["componentType"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        count = accessor["count"] * width
        return np.frombuffer(blob, dtype=kind, count=count, offset=start).reshape(-1, width)

    for action in document.get("animations", []):
        action.get("extras", {}).pop(to_blender.RANGE, None)
        samplers = action["samplers"]
        inputs = {sampler["input"]: rows(sampler["input"]).ravel().copy() for sampler in samplers}
        first = min(times[0] for times in inputs.values())
        start, end = ranges.get(action["name"], (0, math.inf))
        # Animations share accessors.
        made = {}
        for index, times in inputs.items():
            times = np.clip((times - first) * base, start, end) - start
            made[index] = animation.accessor(document, blob, times[:, None], "SCALAR")
        for sampler in samplers:
            sampler["input"] = made[sampler["input"]]

        def is_still(channel) -> bool:
            target = channel["target"]
            rest = document["nodes"][target["node"]].get("scale", [1, 1, 1]) if "node" in target else [1, 1, 1]
            return target["path"] == "scale" and bool(np.allclose(rows(samplers[channel["sampler"]]["output"]), rest, atol=1e-5))

        action["channels"] = [each for each in action["channels"] if not is_still(each)]
    document["animations"] = [each for each in document.get("animations", []) if each["channels"]]
    if not document["animations"]:
        del document["animations"]
    for material in document.get("materials", []):
        material.pop("doubleSided", None)
        surface = shader(bpy.data.materials[material["name"]]) if material.get("name") in bpy.data.materials else None
        # The exporter writes it as white metal.
        if surface is not None and surface.type == "BSDF_DIFFUSE" and not surface.inputs["Color"].links:
            color = [*surface.inputs["Color"].default_value[:3], 1]
            material["pbrMetallicRoughness"] = {"baseColorFactor": color, "metallicFactor": 0, "roughnessFactor": 1}
    order_uvs(document)
    shear(document, blob, rows, places)
    return animation.packed(document, blob)


@contextmanager
def only(context, objects):
    """Selects only these objects; restores the selection afterwards. Objects that are hidden in the view layer stay out."""
    layer, before = context.view_layer, set(context.selected_objects)
    wanted = {each for each in objects if each.name in layer.objects}
    try:
        for each in before ^ wanted:
            each.select_set(each in wanted)
        yield
    finally:
        for each in set(context.selected_objects) ^ before:
            each.select_set(each in before)


def gltf(context, collections: bool = False) -> rezkit.Asset:
    """The selection as a glTF asset, with the armatures that move it, and with `collections` as nodes."""
    render = context.scene.render
    base = render.fps_base
    with (
        tempfile.TemporaryDirectory() as folder, to_blender.in_object_mode(context), selected(context), kept(context),
        valid(context), colored(), finite(), whole(bpy.data.actions) as spans,
    ):
        path = Path(folder, "selection.glb")
        try:
            # The exporter multiplies the frame rate by fps_base instead of dividing by it, so `prepared` applies it.
            render.fps_base = 1
            bpy.ops.export_scene.gltf(
                filepath=str(path), export_format="GLB", use_selection=True, export_apply=True, export_tangents=False,
                export_animations=True, export_extras=True, export_all_influences=False, export_vertex_color="ACTIVE",
                export_current_frame=True, export_try_sparse_sk=False,
                export_all_vertex_colors=False, export_hierarchy_full_collections=collections,
            )
        finally:
            render.fps_base = base
        data = path.read_bytes()
    ranges = {name: np.array(span) * base / render.fps for name, span in spans.items()}
    return rezkit.load(prepared(data, base, ranges, places(context)))


# Types of objects that have no polygons in Blender, and that no form can represent.
OTHERS = {"LIGHT", "LIGHT_PROBE", "CAMERA", "SPEAKER", "LATTICE", "VOLUME", "POINTCLOUD", "CURVES", "GREASEPENCIL"}


def pieces(context):
    """The evaluated objects that Blender shows for the selection, with instances."""
    selected = set(context.selected_objects)
    for each in context.evaluated_depsgraph_get().object_instances:
        source = each.parent if each.is_instance else each.object
        if source is None or source.original not in selected or not (each.is_instance or each.show_self):
            continue
        above = each.object.parent
        # Blender shows instances in place of this object.
        if each.is_instance or above is None or above.instance_type not in {"VERTS", "FACES"}:
            yield each.object


def shown(context) -> tuple[Counter[str], Counter[str]]:
    """The numbers of triangles and of loose edges that Blender shows for the selection, by the names of objects: with modifiers,
    and counting each instance."""
    counts, triangles, edges = {}, Counter(), Counter()
    for made in pieces(context):
        data, name = made.data, made.original.name
        # The polygons of curves, texts and metaballs are listed as an instance of a mesh.
        if made.type != "MESH" or data is None:
            continue
        key = data.as_pointer()
        if key not in counts:
            data.calc_loop_triangles()
            counts[key] = len(data.loop_triangles), sum(edge.is_loose for edge in data.edges)
        triangles[name] += counts[key][0]
        edges[name] += counts[key][1]
    return triangles, edges


def influences(made: bpy.types.Object):
    """What the exporter changes in the weights of an object: numbers of vertices, kind and description of the loss."""
    found = armatures_of(made) if made.type == "MESH" else []
    if not found:
        return
    if not found[0].select_get():
        yield 1, "left-out", f"the skin, since the armature {found[0].name} is not in this view layer"
        return
    bones = {bone.name for bone in found[0].data.bones}
    groups = {group.index for group in made.vertex_groups if group.name in bones}
    # The exporter ignores smaller weights.
    counts = [sum(each.group in groups and each.weight > 1e-4 for each in vertex.groups) for vertex in made.data.vertices]
    if more := sum(count > 4 for count in counts):
        yield more, "approximated", "more than four bones per vertex: the four with the greatest weights are kept"
    if none := sum(count == 0 for count in counts):
        yield none, "approximated", "a vertex that follows no bone: bound to an additional bone, neutral_bone"


# Attributes that Blender uses itself: what they change is in the mesh that is exported.
USED = {"position", "material_index", "sharp_edge", "sharp_face", "custom_normal", "crease_edge", "crease_vert"}
USED |= {"bevel_weight_edge", "bevel_weight_vert", "freestyle_edge", "freestyle_face"}


def attributes(mesh: bpy.types.Mesh) -> list[str]:
    """The names of attributes and colours of a mesh that the exporter does not write."""
    colors = {each.name for each in mesh.color_attributes}
    written = {each.name for each in mesh.uv_layers} | {color_of(mesh)} | USED
    names = [each.name for each in mesh.attributes if not (each.is_internal or each.name.startswith("."))]
    return [f"the colours {name}" if name in colors else f"the attribute {name}" for name in names if name not in written]


def is_computed(material: bpy.types.Material, images: set[str]) -> bool:
    """Whether nodes compute the base colour of a material, so that the exporter writes another one; `images` are the names of
    materials that were written with an image."""
    surface = shader(material)
    if surface is None or surface.type not in ("BSDF_PRINCIPLED", "BSDF_DIFFUSE"):
        return surface is not None
    base = surface.inputs[0]
    # The exporter writes colours of vertices.
    is_written = surface.type == "BSDF_PRINCIPLED" and is_vertex_color(base)
    return base.is_linked and not is_written and material.name not in images


def is_vertex_color(socket: bpy.types.NodeSocket) -> bool:
    """Whether a socket has a fixed colour or those of vertices, or the product of them."""
    nodes = [link.from_node for link in socket.links]
    products = [node for node in nodes if node.type == "MIX" and node.blend_type == "MULTIPLY"]
    return all(node.type in {"VERTEX_COLOR", "ATTRIBUTE"} or node in products and all(map(is_vertex_color, node.inputs)) for node in nodes)


def missing(context, scene: rezkit.Scene) -> list[rezkit.Loss]:
    """Losses for everything in the selection that Blender's glTF exporter does not write."""
    found = []

    def lost(name: str, what: str, count: int) -> None:
        found.append(rezkit.Loss("left-out", name, what, count))

    unit = context.scene.unit_settings.scale_length
    if context.scene.unit_settings.system != "NONE" and abs(unit - 1) > 1e-6:
        lost(context.scene.name, f"the unit scale {unit:.6g}: one unit is one metre or stud", 1)
    written, targets = Counter(), Counter()
    for node in scene.nodes:
        parts = scene.meshes[node.mesh].primitives if node.mesh is not None else ()
        written[node.name] += sum(len(each.geometry.triangles) for each in parts)
        targets[node.name] = max((len(each.targets) for each in parts), default=0)
    triangles, edges = shown(context)
    for name, count in triangles.items():
        if count > written[name]:
            lost(name, f"triangles (the object has {count})", count - written[name])
    for name, count in edges.items():
        if count:
            lost(name, "edges without a polygon", count)
    images = {each.name for each in scene.materials if "base_color" in each.textures}
    used = {slot.material for made in context.selected_objects for slot in made.material_slots if slot.material}
    for material in sorted(used, key=lambda each: each.name):
        if is_computed(material, images):
            lost(material.name, "the base colour, which nodes compute: bake it to an image to keep it", 1)
    for made in context.selected_objects:
        for what in attributes(made.data) if made.type == "MESH" else ():
            lost(made.name, what, 1)
        keys = getattr(made.data, "shape_keys", None)
        count = len(keys.key_blocks) - 1 if keys else 0
        if count > targets[made.name]:
            lost(made.name, "shape keys", count - targets[made.name])
        for count, kind, what in influences(made):
            found.append(rezkit.Loss(kind, made.name, what, count))
        if made.type in OTHERS:
            lost(made.name, made.type.lower().replace("_", " "), 1)
        if made.type == "ARMATURE":
            names = {each.name for each in scene.animations}
            for action in animation.actions_of(made):
                if action.name not in names:
                    lost(made.name, f"the action {action.name}, which is not on an NLA track", 1)
                found += animation.outside(action)
    return found


def named(losses: list[rezkit.Loss], scene: rezkit.Scene) -> list[rezkit.Loss]:
    """Losses with the names of objects, materials and actions in place of paths such as `meshes[0].primitives[0]`."""
    names = {
        "nodes": [each.name for each in scene.nodes], "meshes": [each.name for each in scene.meshes],
        "materials": [each.name for each in scene.materials], "animations": [each.name for each in scene.animations],
    }
    for node in scene.nodes:
        if node.mesh is not None:
            names["meshes"][node.mesh] = node.name
    return animation.renamed(losses, names)


def convert(context, form: str, name: str, allow_loss: bool) -> rezkit.Converted:
    """The selection in a form: a version of Roblox meshes, `llmesh`, `slm` or `m3d`."""
    with selected(context):
        model = gltf(context)
        scene = rezkit.scene(model)
        losses = missing(context, scene)
    if form[0].isdigit():
        mesh = rezkit.convert(model, "mesh", name=name)
        losses += named(mesh.losses, scene)
        made = rezkit.convert(mesh.data, form, name=name, allow_loss=allow_loss)
    else:
        made = rezkit.convert(model, form, name=name, allow_loss=allow_loss)
        made = made._replace(losses=named(made.losses, scene))
    kept = rezkit.scene(made.data, levels="all", hulls=True).triangle_count
    if kept < scene.triangle_count:
        count = scene.triangle_count - kept
        losses.append(rezkit.Loss("left-out", name, f"triangles (the selection has {scene.triangle_count})", count))
    return made._replace(losses=losses + made.losses)
