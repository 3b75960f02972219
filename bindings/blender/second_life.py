# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel for Second Life: levels of detail, physics and costs of the selection before its upload, and hulls in the viewport."""

import bpy
import rezkit
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntVectorProperty, PointerProperty, StringProperty

from . import from_blender, to_blender
from .operators import listed, plain, saved
from .panel import chosen

# The collection with the physics shape that the panel shows.
SHOWN = "Second Life physics"
SHAPES = (
    ("hulls", "Hulls", "Convex hulls around the parts of the object"),
    ("mesh", "Mesh", "The triangles themselves"),
    ("box", "Box", "One box"),
    ("none", "None", "No physics shape: avatars collide with the convex hull of the object"),
)


class REZKIT_PG_object(bpy.types.PropertyGroup):
    """An object of the upload: the triangles of its levels, its physics shape and its land impact"""

    triangles: IntVectorProperty(size=4)
    shape: StringProperty()
    cost: FloatProperty()


class REZKIT_PG_second_life(bpy.types.PropertyGroup):
    """The options and the result of the last computation"""

    levels: FloatVectorProperty(
        name="Levels", description="The triangles of the levels medium, low and lowest as fractions of the finest level", size=3,
        default=(1 / 3, 1 / 9, 1 / 27), min=0, max=1,
    )
    physics: EnumProperty(name="Physics", items=SHAPES)
    concavity: FloatProperty(
        name="Concavity", description="The largest distance of a hull from the surface, as a fraction of the longest side", default=0.03, min=0.001, max=1,
    )
    limit: FloatProperty(name="Land impact", description="Simplify until the land impact is at most this; 0 for no limit", min=0)
    fix: BoolProperty(name="Fix", description="Change what Second Life would refuse, and list the changes")
    # The result, and the selection for which it was computed.
    of: StringProperty()
    objects: CollectionProperty(type=REZKIT_PG_object)
    cost: StringProperty()
    findings: CollectionProperty(type=bpy.types.OperatorFileListElement)


def computed(context, name: str) -> rezkit.Upload:
    """The upload of the selection with the options of the panel."""
    options = context.window_manager.rezkit_second_life
    with from_blender.selected(context):
        model = from_blender.gltf(context)
        scene = rezkit.scene(model)
        losses = from_blender.missing(context, scene)
    hulls = {"concavity": options.concavity} if options.physics == "hulls" else {}
    made = rezkit.upload(
        model, name, levels=[float(each) for each in options.levels], land_impact=options.limit or None, physics=options.physics,
        fix=options.fix, **hulls,
    )
    return made._replace(losses=losses + from_blender.named(made.losses, scene))


def shape(part: dict) -> str:
    if part["hulls"]:
        return f"{part['hulls']} hulls, {part['hull_points']} points"
    return f"{part['physics_triangles']} triangles" if part["physics_triangles"] else "convex hull"


def costs(cost: dict) -> str:
    parts = [f"download {cost['streaming']:.2f}"]
    parts += [f"physics {cost['physics']:.2f}"] if cost["physics"] is not None else ["physics only known in world"]
    return f"{cost['total']:.2f} ({', '.join(parts)}, server {cost['server']:.2f})"


def hide() -> None:
    """Removes the physics shape from the scene."""
    shown = bpy.data.collections.get(SHOWN)
    if shown is None:
        return
    for each in list(shown.all_objects):
        data = each.data
        bpy.data.objects.remove(each)
        if data is not None and data.users == 0:
            bpy.data.meshes.remove(data)
    for each in [*shown.children_recursive, shown]:
        bpy.data.collections.remove(each)


def show(context, made: rezkit.Upload, name: str) -> int:
    """Adds the physics shape as a collection of wires; returns the number of objects."""
    hide()
    chosen_before, active = list(context.selected_objects), context.view_layer.objects.active
    [part, *others] = made.report["parts"]
    several = f"{name}.slm" in made.files
    scene = rezkit.scene(made.files[f"{name}.slm" if several else f"{name}.llmesh"], hulls=True)
    physics = {index for index, node in enumerate(scene.nodes) if "_HULL" in node.name or node.name.endswith("_PHYS")}
    nodes = [node if index in physics else node.replace(mesh=None) for index, node in enumerate(scene.nodes)]
    scene = scene.replace(nodes=nodes, animations=[])
    before = set(bpy.data.objects)
    to_blender.add(context, scene, SHOWN)
    added = [each for each in bpy.data.objects if each not in before]
    for each in added:
        each.display_type, each.show_in_front, each.hide_select = "WIRE", True, True
        if each.parent is None and not several and not others:
            # An asset is centred, and its object has the position.
            each.location = [a + b for a, b in zip(each.location, part["position"], strict=True)]
    to_blender.choose(context, chosen_before)
    context.view_layer.objects.active = active
    return sum(each.type == "MESH" for each in added)


class REZKIT_OT_second_life(bpy.types.Operator):
    """Compute levels of detail, physics and land impact of the selected objects as an upload to Second Life"""

    bl_idname = "rezkit.second_life"
    bl_label = "Compute"
    bl_options = {"REGISTER", "UNDO"}

    show: BoolProperty(name="Show physics", description="Show the physics shape in the viewport", default=True)

    def execute(self, context):
        result = context.window_manager.rezkit_second_life
        result.of = ""
        try:
            made = computed(context, "object")
            if self.show:
                show(context, made, "object")
        except (rezkit.Error, OSError) as error:
            self.report({"ERROR"}, plain(str(error)))
            return {"CANCELLED"}
        result.objects.clear()
        result.findings.clear()
        for part in made.report["parts"]:
            row = result.objects.add()
            row.name, row.shape, row.cost = part["name"], shape(part), part["land_impact"]["total"]
            counts = [level["triangles"] for level in part["levels"]]
            row.triangles = (counts + counts[-1:] * 4)[:4]
        for finding in made.report["findings"]:
            result.findings.add().name = ": ".join(filter(None, (finding["path"], finding["found"] or finding["demands"])))
        result.cost = costs(made.report["land_impact"])
        result.of = chosen(context)
        for loss in made.losses:
            self.report({"WARNING"}, listed(loss))
        self.report({"INFO"}, f"Land impact: {result.cost}")
        return {"FINISHED"}


class REZKIT_OT_hide_physics(bpy.types.Operator):
    """Remove the physics shape from the viewport"""

    bl_idname = "rezkit.hide_physics"
    bl_label = "Hide physics"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, _context):
        return SHOWN in bpy.data.collections

    def execute(self, _context):
        hide()
        return {"FINISHED"}


class EXPORT_SCENE_OT_second_life_upload(bpy.types.Operator):
    """Write the files of the upload into a folder: meshes, levels, physics, materials, textures and a report"""

    bl_idname = "export_scene.second_life_upload"
    bl_label = "Export Second Life Upload"

    directory: StringProperty(subtype="DIR_PATH")

    def invoke(self, context, _event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        active = context.view_layer.objects.active
        name = active.name if active else "object"
        return saved(self, self.directory, lambda: computed(context, name))


class REZKIT_PT_second_life(bpy.types.Panel):
    bl_idname = "REZKIT_PT_second_life"
    bl_label = "Second Life"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Rezkit"

    def draw(self, context):
        layout, result = self.layout, context.window_manager.rezkit_second_life
        layout.use_property_split = True
        for name in ("levels", "physics", *(["concavity"] if result.physics == "hulls" else []), "limit", "fix"):
            layout.prop(result, name)
        row = layout.row(align=True)
        row.operator(REZKIT_OT_second_life.bl_idname)
        row.operator(REZKIT_OT_hide_physics.bl_idname)
        layout.operator(EXPORT_SCENE_OT_second_life_upload.bl_idname, text="Export the upload")
        if not result.of:
            return
        if result.of != chosen(context):
            layout.label(text="The selection has changed: compute it again", icon="INFO")
            return
        layout.label(text=f"Land impact {result.cost}")
        for each in result.objects:
            box = layout.box()
            box.label(text=f"{each.name}: {each.cost:.2f}")
            box.label(text=f"Triangles: {', '.join(map(str, each.triangles))}")
            box.label(text=f"Physics: {each.shape}")
        for finding in result.findings:
            layout.label(text=finding.name, icon="ERROR")


CLASSES = (
    REZKIT_PG_object, REZKIT_PG_second_life, REZKIT_OT_second_life, REZKIT_OT_hide_physics, EXPORT_SCENE_OT_second_life_upload, REZKIT_PT_second_life,
)


def add_properties() -> None:
    bpy.types.WindowManager.rezkit_second_life = PointerProperty(type=REZKIT_PG_second_life)


def remove_properties() -> None:
    del bpy.types.WindowManager.rezkit_second_life
