# SPDX-License-Identifier: GPL-3.0-or-later
"""Roblox, Second Life and Model 3D in Blender: import, export, and checks before an upload."""

import bpy

from . import exports, operators, panel, second_life

CLASSES = (*operators.CLASSES, *exports.CLASSES, *panel.CLASSES, *second_life.CLASSES)


def register() -> None:
    for each in CLASSES:
        bpy.utils.register_class(each)
    panel.add_properties()
    second_life.add_properties()
    bpy.types.TOPBAR_MT_file_import.append(operators.import_menu)
    bpy.types.TOPBAR_MT_file_export.append(operators.export_menu)
    bpy.types.TOPBAR_MT_file_export.append(exports.menu)


def unregister() -> None:
    bpy.types.TOPBAR_MT_file_export.remove(exports.menu)
    bpy.types.TOPBAR_MT_file_export.remove(operators.export_menu)
    bpy.types.TOPBAR_MT_file_import.remove(operators.import_menu)
    second_life.remove_properties()
    panel.remove_properties()
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
