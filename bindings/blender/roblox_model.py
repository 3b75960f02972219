# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects as a Roblox model with mesh parts, alone or in a place."""

from pathlib import Path

import bpy
import rezkit

from . import from_blender


def objects_of(context, source: str) -> list:
    """The objects to export: `SELECTION`, or those of the active `COLLECTION` and of the collections below it."""
    if source == "SELECTION":
        return list(context.selected_objects)
    physics = bpy.data.collections.get(from_blender.PHYSICS)
    shown = set(physics.all_objects) if physics else ()
    found = [each for each in context.collection.all_objects if each.visible_get() and each not in shown]
    if not found:
        raise rezkit.Error(f"the collection {context.collection.name} has no visible objects")
    return found


def convert(context, source: str, name: str, form: str, **options) -> rezkit.Converted:
    """The objects as `rbxm` or `rbxmx`: a mesh part for each, objects with the same data share a mesh. Meshes and images are
    files in the folder `NAME-assets`."""
    with from_blender.only(context, objects_of(context, source)), from_blender.selected(context):
        model = from_blender.gltf(context, collections=source == "COLLECTION")
        scene = rezkit.scene(model)
        losses = from_blender.missing(context, scene)
    made = rezkit.convert(model, form, name=name, assets=f"{name}-assets", **options)
    return made._replace(losses=losses + from_blender.named(made.losses, scene))


def placed(made: rezkit.Converted, place: str, parent: str, extension: str) -> rezkit.Converted:
    """The model below an instance of a place or of another model, with its path; without a `place`, of a new one."""
    kind, form = "place" if extension.startswith("rbxl") else "model", "xml" if extension.endswith("x") else "binary"
    document = rezkit.RobloxDocument.load(place) if place else rezkit.RobloxDocument.new(kind, form)
    losses = list(made.losses)
    for instance in rezkit.RobloxDocument.load(made.data).children:
        document.insert(parent or None, instance, losses=losses)
    is_other = place and Path(place).suffix[1:].lower() != extension
    data = rezkit.convert(document, extension).data if is_other else document.to_bytes()
    return made._replace(data=data, losses=losses, extension=extension)
