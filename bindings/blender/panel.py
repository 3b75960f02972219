# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel in the sidebar, which checks the selection for an upload."""

import bpy
import rezkit
from bpy.props import CollectionProperty, EnumProperty, IntProperty, StringProperty

from . import animation, from_blender

PROFILES = (("roblox-upload", "Roblox", ""), ("roblox-import", "Roblox import", ""), ("roblox-animation", "Roblox animation", ""), ("roblox-avatar", "Roblox avatar item", ""), ("secondlife-upload", "Second Life", ""))


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


class REZKIT_OT_check(bpy.types.Operator):
    """List what Roblox or Second Life would refuse (errors) or change (warnings) in an upload of the selected objects"""

    bl_idname = "rezkit.check"
    bl_label = "Check the selection"

    def execute(self, context):
        manager = context.window_manager
        forget(manager)
        try:
            findings = checked(context, manager.rezkit_profile).check([manager.rezkit_profile])
        except (rezkit.Error, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for finding in findings:
            if not finding.rule.startswith(manager.rezkit_profile):
                continue
            item = manager.rezkit_findings.add()
            for name in ("rule", "severity", "demands", "path", "found", "count"):
                setattr(item, name, getattr(finding, name))
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
        self.layout.operator(REZKIT_OT_check.bl_idname)
        if manager.rezkit_checked and manager.rezkit_checked != chosen(context):
            self.layout.label(text="The selection has changed: check it again", icon="INFO")
        elif manager.rezkit_checked and not manager.rezkit_findings:
            self.layout.label(text="No problems found", icon="CHECKMARK")
        is_current = manager.rezkit_checked == chosen(context)
        for item in manager.rezkit_findings if is_current else ():
            box = self.layout.box()
            box.label(text=": ".join(filter(None, (item.path, item.found))), icon="ERROR" if item.severity == "error" else "INFO")
            box.label(text=item.demands)
        is_animation = manager.rezkit_profile == "roblox-animation"
        self.layout.operator("export_scene.roblox_animation" if is_animation else "export_scene.rezkit", text="Export")


CLASSES = (REZKIT_PG_finding, REZKIT_OT_check, REZKIT_PT_check)


def add_properties() -> None:
    bpy.types.WindowManager.rezkit_findings = CollectionProperty(type=REZKIT_PG_finding)
    bpy.types.WindowManager.rezkit_profile = EnumProperty(name="Platform", items=PROFILES, update=forget)
    bpy.types.WindowManager.rezkit_checked = StringProperty()


def remove_properties() -> None:
    del bpy.types.WindowManager.rezkit_checked
    del bpy.types.WindowManager.rezkit_profile
    del bpy.types.WindowManager.rezkit_findings
