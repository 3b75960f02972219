# SPDX-License-Identifier: GPL-3.0-or-later
"""The export operators for Roblox models and for motions of Second Life."""

from pathlib import Path

import bpy
import rezkit
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty, StringProperty
from bpy_extras.io_utils import ExportHelper

from . import animation, roblox_model
from .operators import RELATIVE, extended, has_armature, saved

DOCUMENTS = (".rbxm", ".rbxmx", ".rbxl", ".rbxlx")
MOTIONS = (".anim", ".bvh")


class Export(ExportHelper):
    """The common part: the extension is kept if it is one of the `extensions`."""

    extensions: tuple[str, ...] = ()

    def check(self, _context):
        if Path(self.filepath).suffix in self.extensions:
            return False
        path = extended(self.filepath, self.filename_ext, ())
        changed = path != self.filepath
        self.filepath = path
        return changed

    def execute(self, context):
        self.check(context)
        path = Path(self.filepath)
        return saved(self, self.filepath, lambda: self.made(context, path.stem, path.suffix[1:]))


class EXPORT_SCENE_OT_roblox_model(Export, bpy.types.Operator):
    """Export objects as a Roblox model: a MeshPart for each, with the meshes and images as files in a folder beside it"""

    bl_idname = "export_scene.roblox_model"
    bl_label = "Export Roblox Model or Place"
    filename_ext = ".rbxm"
    extensions = DOCUMENTS

    filter_glob: StringProperty(default=";".join(f"*{extension}" for extension in DOCUMENTS), options={"HIDDEN"})
    source: EnumProperty(
        name="Objects",
        items=(
            ("SELECTION", "Selected", "The selected objects"),
            ("COLLECTION", "Collection", "The visible objects of the active collection; the collections below it become models"),
        ),
    )
    place: StringProperty(
        name="Into", description="A place or model to which the objects are added; by default, a new file", subtype="FILE_PATH", options=RELATIVE,
    )
    parent: StringProperty(
        name="Below", description="The path of the instance below which they are added, such as Workspace/Cars; by default Workspace in places",
    )
    scale: FloatProperty(name="Studs per unit", default=1, min=1e-4, soft_max=10)
    parts: BoolProperty(
        name="Parts", description="Untextured meshes that are exactly a box, a wedge, a cylinder or a ball become parts without a mesh",
    )
    fit: BoolProperty(
        name="Fit", description="Split meshes above 20,000 triangles or 2,048 studs, and reduce images to 4,096 pixels a side, as Roblox demands",
    )

    def made(self, context, name: str, extension: str) -> rezkit.Converted:
        # The kit takes a number, or a text with one.
        options = {"scale": self.scale, "parts": self.parts, "fit": self.fit}
        is_place = extension.startswith("rbxl")
        form = "rbxmx" if extension.endswith("x") else "rbxm"
        made = roblox_model.convert(context, self.source, name, form, **options)
        place = bpy.path.abspath(self.place)
        if not (place or is_place):
            return made
        is_below_place = Path(place).suffix.startswith(".rbxl") if place else is_place
        return roblox_model.placed(made, place, self.parent or ("Workspace" if is_below_place else ""), extension)


class EXPORT_SCENE_OT_motion(Export, bpy.types.Operator):
    """Export the action of the active armature as a motion of Second Life (.anim) or as BVH"""

    bl_idname = "export_scene.second_life_motion"
    bl_label = "Export Second Life Animation or BVH"
    filename_ext = ".anim"
    extensions = MOTIONS

    filter_glob: StringProperty(default=";".join(f"*{extension}" for extension in MOTIONS), options={"HIDDEN"})
    priority: IntProperty(name="Priority", description="Of two animations that move a joint, the one with the higher priority does", default=3, min=0, max=6)
    loop: BoolProperty(name="Loop", description="Repeat the animation until it is stopped")
    ease: FloatVectorProperty(name="Ease", description="Seconds in which it is blended in and out", size=2, default=(0.8, 0.8), min=0)
    joints: StringProperty(
        name="Joints", description="A text file that maps bones to joints of the avatar, a line for each, such as `Bip01 Pelvis = mPelvis`",
        subtype="FILE_PATH", options=RELATIVE,
    )

    @classmethod
    def poll(cls, context):
        return has_armature(cls, context)

    def draw(self, _context):
        self.layout.use_property_split = True
        for name in ("priority", "loop"):
            self.layout.prop(self, name)
        column = self.layout.column(align=True)
        for index, name in enumerate(("Ease In", "Out")):
            column.prop(self, "ease", index=index, text=name)
        self.layout.prop(self, "joints")

    def made(self, context, name: str, extension: str) -> rezkit.Converted:
        armature = context.view_layer.objects.active
        options = {"name": name}
        if extension == "anim":
            joints = Path(bpy.path.abspath(self.joints)).read_text() if self.joints else None
            options |= {"priority": self.priority, "loop": self.loop, "ease": tuple(self.ease), "joints": joints}
        return animation.convert(context, armature, animation.playing(armature)[:1], extension, **options)


CLASSES = (EXPORT_SCENE_OT_roblox_model, EXPORT_SCENE_OT_motion)


def menu(menu, _context) -> None:
    menu.layout.operator(EXPORT_SCENE_OT_roblox_model.bl_idname, text="Roblox Model or Place (.rbxm, .rbxmx, .rbxl, .rbxlx)")
    menu.layout.operator(EXPORT_SCENE_OT_motion.bl_idname, text="Second Life Animation (.anim, .bvh)")
