# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel in the sidebar, which checks the selection for an upload."""

import textwrap

import bpy
import rezkit
from bpy.props import CollectionProperty, EnumProperty, IntProperty, StringProperty

from . import animation, from_blender
from .operators import plain

PROFILES = (("roblox-upload", "Roblox", ""), ("roblox-import", "Roblox import", ""), ("roblox-animation", "Roblox animation", ""), ("roblox-avatar", "Roblox avatar item", ""), ("secondlife-upload", "Second Life", ""))

ITEMS = ("Hat", "Hair", "Face", "Neck", "Shoulder", "Front", "Back", "Waist", "TShirt", "Shirt", "Pants", "Jacket", "Sweater", "Shorts", "LeftShoe", "RightShoe", "DressSkirt", "Eyebrow", "Eyelash", "Head", "Torso", "LeftArm", "RightArm", "LeftLeg", "RightLeg")


class REZKIT_PG_finding(bpy.types.PropertyGroup):
    rule: StringProperty()
    severity: StringProperty()
    demands: StringProperty()
    path: StringProperty()
    found: StringProperty()
    count: IntProperty()


def checked(context, profile: str) -> rezkit.Asset:
    """The asset to check: the selection or, for Roblox animations, the active action of the active armature."""
    active = context.view_layer.objects.active
    if profile != "roblox-animation" or active is None or active.type != "ARMATURE":
        return from_blender.gltf(context)
    return rezkit.load(animation.convert(context, active, animation.playing(active), "rbxm", curves=True).data)


def forget(manager, _context=None) -> None:
    """Removes the findings of the last check."""
    manager.rezkit_findings.clear()
    manager.rezkit_checked = ""


def chosen(context) -> str:
    """The names of the selected objects."""
    return "\n".join(sorted(each.name for each in context.selected_objects)) or "-"


def paragraph(context, layout, text: str, icon: str = "NONE") -> None:
    """Shows a text in lines that fit into the panel, since Blender cuts longer ones."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    width = context.region.width / context.preferences.system.ui_scale if context.region else 280
    for number, line in enumerate(textwrap.wrap(text, max(int(width - 80) // 6, 20))):
        column.label(text=line, icon=icon if number == 0 or icon == "NONE" else "BLANK1")


class REZKIT_OT_check(bpy.types.Operator):
    """List what Roblox or Second Life would refuse (errors) or change (warnings) in an upload of the selected objects"""

    bl_idname = "rezkit.check"
    bl_label = "Check the selection"

    def execute(self, context):
        manager = context.window_manager
        forget(manager)
        try:
            asset = checked(context, manager.rezkit_profile)
            options = {}
            if manager.rezkit_profile == "roblox-avatar":
                options = {"item_type": None if manager.rezkit_item == "none" else manager.rezkit_item, "rules": bpy.path.abspath(manager.rezkit_rules) or None}
                items = asset.avatar_items(**options)
                manager.rezkit_unseen = len({row.rule for item in items for row in item.rows if row.verdict == "unseen"})
            findings = asset.check([manager.rezkit_profile], **options)
        except (rezkit.Error, OSError) as error:
            self.report({"ERROR"}, plain(str(error)))
            return {"CANCELLED"}
        for finding in findings:
            if not finding.rule.startswith(manager.rezkit_profile):
                continue
            item = manager.rezkit_findings.add()
            item.rule, item.severity, item.count = finding.rule, finding.severity, finding.count
            for name in ("demands", "path", "found"):
                setattr(item, name, plain(getattr(finding, name)))
        manager.rezkit_checked = chosen(context)
        errors = sum(item.severity == "error" for item in manager.rezkit_findings)
        self.report({"INFO"}, f"Errors: {errors}, warnings: {len(manager.rezkit_findings) - errors}")
        return {"FINISHED"}


class REZKIT_PT_check(bpy.types.Panel):
    bl_idname = "REZKIT_PT_check"
    bl_label = "Upload"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Rezkit"

    def draw(self, context):
        manager = context.window_manager
        self.layout.prop(manager, "rezkit_profile", text="")
        is_avatar = manager.rezkit_profile == "roblox-avatar"
        if is_avatar:
            self.layout.prop(manager, "rezkit_item")
            self.layout.prop(manager, "rezkit_rules")
        self.layout.operator(REZKIT_OT_check.bl_idname)
        if manager.rezkit_checked and manager.rezkit_checked != chosen(context):
            paragraph(context, self.layout, "The selection has changed: check it again", "INFO")
        elif manager.rezkit_checked and not manager.rezkit_findings:
            self.layout.label(text="No problems found", icon="CHECKMARK")
        is_current = manager.rezkit_checked == chosen(context)
        for item in manager.rezkit_findings if is_current else ():
            box = self.layout.box()
            paragraph(context, box, ": ".join(filter(None, (item.path, item.found))), "ERROR" if item.severity == "error" else "INFO")
            paragraph(context, box, item.demands)
        if is_avatar and is_current and manager.rezkit_unseen:
            self.layout.label(text=f"Rules not seen: {manager.rezkit_unseen}", icon="QUESTION")
        is_animation = manager.rezkit_profile == "roblox-animation"
        export = self.layout.operator("export_scene.roblox_animation" if is_animation else "export_scene.rezkit", text="Export")
        if not is_animation:
            export.form = "slm" if manager.rezkit_profile == "secondlife-upload" else "4.01"


CLASSES = (REZKIT_PG_finding, REZKIT_OT_check, REZKIT_PT_check)


def add_properties() -> None:
    items = (("none", "As the names say", "The type that the attachments have"), *((name, name, "") for name in ITEMS))
    bpy.types.WindowManager.rezkit_item = EnumProperty(name="Type", description="The type of the avatar item, if its attachments leave it open", items=items, update=forget)
    rules = "A JSON file with the table of AvatarCreationService:GetValidationRules(), instead of the built-in numbers"
    bpy.types.WindowManager.rezkit_rules = StringProperty(name="Numbers", description=rules, subtype="FILE_PATH", update=forget)
    bpy.types.WindowManager.rezkit_unseen = IntProperty()
    bpy.types.WindowManager.rezkit_findings = CollectionProperty(type=REZKIT_PG_finding)
    bpy.types.WindowManager.rezkit_profile = EnumProperty(name="Platform", items=PROFILES, update=forget)
    bpy.types.WindowManager.rezkit_checked = StringProperty()


def remove_properties() -> None:
    del bpy.types.WindowManager.rezkit_unseen
    del bpy.types.WindowManager.rezkit_rules
    del bpy.types.WindowManager.rezkit_item
    del bpy.types.WindowManager.rezkit_checked
    del bpy.types.WindowManager.rezkit_profile
    del bpy.types.WindowManager.rezkit_findings
