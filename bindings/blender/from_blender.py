# SPDX-License-Identifier: GPL-3.0-or-later
"""The selected objects as a file: by way of Blender's own glTF exporter, which applies modifiers, and the kit."""

import tempfile
from pathlib import Path

import bpy
import rezkit


def gltf(context) -> rezkit.Asset:
    """The selection as glTF. An armature comes with the meshes that it moves."""
    if not context.selected_objects:
        raise rezkit.Error("nothing is selected")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "selection.glb")
        bpy.ops.export_scene.gltf(
            filepath=str(path), export_format="GLB", use_selection=True, export_apply=True, export_tangents=False,
            export_animations=True, export_extras=True, export_all_influences=False, export_vertex_color="ACTIVE",
        )
        return rezkit.load(path.read_bytes())


def convert(context, form: str, name: str, allow_loss: bool) -> rezkit.Converted:
    """The selection in a form: a version of Roblox's mesh, `llmesh`, `slm` or `m3d`."""
    model = gltf(context)
    if not form[0].isdigit():
        return rezkit.convert(model, form, name=name, allow_loss=allow_loss)
    mesh = rezkit.convert(model, "mesh", name=name)
    made = rezkit.convert(mesh.data, form, name=name, allow_loss=allow_loss)
    return made._replace(losses=mesh.losses + made.losses)
