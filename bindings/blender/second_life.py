# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel for Second Life: levels of detail, physics and costs of the selection before its upload, and hulls in the viewport."""

import bpy
import rezkit
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntVectorProperty, PointerProperty, StringProperty
from mathutils import Color, Matrix

from . import from_blender, to_blender
from .operators import listed, plain, saved
from .panel import chosen, paragraph

SHOWN = from_blender.PHYSICS
# The most objects that the panel lists.
MOST = 20
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


def forget(options, _context) -> None:
    """Hides the result when an option changes, since it no longer holds."""
    options.of = ""


class REZKIT_PG_second_life(bpy.types.PropertyGroup):
    """The options and the result of the last computation"""

    levels: FloatVectorProperty(
        name="Levels", description="The triangles of the levels medium, low and lowest as fractions of the finest level", size=3,
        default=(1 / 3, 1 / 9, 1 / 27), min=0, max=1, precision=3, update=forget,
    )
    physics: EnumProperty(name="Physics", items=SHAPES, update=forget)
    concavity: FloatProperty(
        name="Concavity", description="The largest distance of a hull from the surface, as a fraction of the longest side", default=0.03, min=0.001, max=1,
        update=forget,
    )
    limit: FloatProperty(name="Max Impact", description="Simplify until the land impact is at most this; 0 for no limit", min=0, update=forget)
    fix: BoolProperty(name="Fix", description="Change what Second Life would refuse, and list the changes", update=forget)
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
        return f"{part['hulls']} hull{'s' if part['hulls'] > 1 else ''}, {part['hull_points']} points"
    return f"{part['physics_triangles']} triangles" if part["physics_triangles"] else "convex hull"


def costs(cost: dict) -> str:
    physics = f"physics {cost['physics']:.2f}" if cost["physics"] is not None else "physics only known in world"
    return f"{'' if cost['physics'] is not None else 'at least '}{cost['total']:.2f}, the highest of download {cost['streaming']:.2f}, {physics}, server {cost['server']:.2f}"


def hide() -> None:
    """Removes the physics shape from the scene."""
    shown = bpy.data.collections.get(SHOWN)
    if shown is None:
        return
    for data in {each.data for each in shown.all_objects if each.type == "MESH"}:
        used = [each for each in data.materials if each]
        # Its objects are removed with it.
        bpy.data.meshes.remove(data)
        for each in used:
            if each.users == 0:
                bpy.data.materials.remove(each)
    for each in list(shown.all_objects):
        bpy.data.objects.remove(each)
    for each in [*shown.children_recursive, shown]:
        bpy.data.collections.remove(each)


def paint(number: int) -> bpy.types.Material:
    """A transparent material for the hull with this number: neighbours have different colours."""
    color = Color()
    color.hsv = number * 0.382 % 1, 0.8, 0.9
    made = bpy.data.materials.new(f"{SHOWN} {number + 1}")
    made.diffuse_color = *color, 0.4
    if made.node_tree is None:
        made.use_nodes = True
    made.surface_render_method = "BLENDED"
    surface = next(node for node in made.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    surface.inputs["Base Color"].default_value = *color, 1
    surface.inputs["Alpha"].default_value = 0.4
    return made


def show(context, made: rezkit.Upload, name: str) -> None:
    """Adds the physics shape, if there is one, as a collection of transparent objects with wires."""
    hide()
    chosen_before, active = list(context.selected_objects), context.view_layer.objects.active
    [part, *others] = made.report["parts"]
    several = f"{name}.slm" in made.files
    # A mesh for physics is among the levels.
    scene = rezkit.scene(made.files[f"{name}.slm" if several else f"{name}.llmesh"], levels="all", hulls=True)
    physics = {index for index, node in enumerate(scene.nodes) if "_HULL" in node.name or node.name.endswith("_PHYS")}
    if not physics:
        return
    nodes = [node if index in physics else node.replace(mesh=None) for index, node in enumerate(scene.nodes)]
    scene = scene.replace(nodes=nodes, animations=[])
    known = set(bpy.data.materials)
    to_blender.add(context, scene, SHOWN)
    context.view_layer.update()
    shown = bpy.data.collections[SHOWN]
    hulls = [each for each in shown.all_objects if each.type == "MESH"]
    places = [each.matrix_world.copy() for each in hulls]
    for each in [each for each in shown.all_objects if each.type != "MESH"]:
        bpy.data.objects.remove(each)
    for each in set(bpy.data.materials) - known:
        bpy.data.materials.remove(each)
    paints = [paint(number) for number in range(min(len(hulls), 8))]
    for number, (each, place) in enumerate(zip(hulls, places, strict=True)):
        if not several:
            # An asset is centred, and its object has the name and the position.
            each.name = each.name.replace("model", part["name"], 1)
            place = Matrix.Translation(part["position"]) @ place if not others else place
        each.parent, each.matrix_world = None, place
        for group in each.users_collection:
            group.objects.unlink(each)
        shown.objects.link(each)
        each.data.materials.clear()
        each.data.materials.append(paints[number % len(paints)])
        each.color = each.data.materials[0].diffuse_color
        each.show_wire, each.show_in_front, each.hide_select, each.hide_render = True, True, True, True
    for each in shown.children_recursive:
        bpy.data.collections.remove(each)
    to_blender.choose(context, chosen_before)
    context.view_layer.objects.active = active


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
            result.findings.add().name = plain(": ".join(filter(None, (finding["path"], finding["found"] or finding["demands"]))))
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
        column = layout.column(align=True)
        for index, name in enumerate(("Level Medium", "Low", "Lowest")):
            column.prop(result, "levels", index=index, text=name)
        for name in ("physics", *(["concavity"] if result.physics == "hulls" else []), "limit", "fix"):
            layout.prop(result, name)
        row = layout.row(align=True)
        row.operator(REZKIT_OT_second_life.bl_idname)
        row.operator(REZKIT_OT_hide_physics.bl_idname)
        layout.operator(EXPORT_SCENE_OT_second_life_upload.bl_idname, text="Export the upload")
        if not result.of:
            return
        if result.of != chosen(context):
            paragraph(context, layout, "The selection has changed: compute it again", "INFO")
            return
        paragraph(context, layout, f"Land impact: {result.cost}")
        ranked = sorted(result.objects, key=lambda each: -each.cost)
        for each in ranked[:MOST]:
            column = layout.box().column(align=True)
            column.scale_y = 0.8
            column.label(text=f"{each.name}: {each.cost:.2f}")
            column.label(text=f"Triangles: {', '.join(map(str, each.triangles))}")
            column.label(text=f"Physics: {each.shape}")
        if others := ranked[MOST:]:
            paragraph(context, layout, f"More objects, at most {others[0].cost:.2f} each: {len(others)}")
        for finding in result.findings:
            paragraph(context, layout, finding.name, "ERROR")


CLASSES = (
    REZKIT_PG_object, REZKIT_PG_second_life, REZKIT_OT_second_life, REZKIT_OT_hide_physics, EXPORT_SCENE_OT_second_life_upload, REZKIT_PT_second_life,
)


def add_properties() -> None:
    bpy.types.WindowManager.rezkit_second_life = PointerProperty(type=REZKIT_PG_second_life)


def remove_properties() -> None:
    del bpy.types.WindowManager.rezkit_second_life
