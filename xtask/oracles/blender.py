"""Imports glTF files into Blender without a display (PyPI package bpy) and prints the result:

    pip install bpy && python3 xtask/oracles/blender.py FILE.glb...

For each file, prints a line with a JSON object: file, meshes, triangles, bones, weighted vertices, actions, materials,
images, bounds.
"""

import json
import sys

import bpy


def measure(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path)
    meshes = [o for o in bpy.data.objects if o.type == "MESH" and not o.name.startswith("Icosphere")]
    triangles = weighted = 0
    low, high = [float("inf")] * 3, [float("-inf")] * 3
    depsgraph = bpy.context.evaluated_depsgraph_get()
    for o in meshes:
        o.data.calc_loop_triangles()
        triangles += len(o.data.loop_triangles)
        weighted += sum(1 for v in o.data.vertices if v.groups)
        mesh = o.evaluated_get(depsgraph).to_mesh()
        for v in mesh.vertices:
            # Convert from Blender's z up to glTF's y up.
            x, y, z = o.matrix_world @ v.co
            for i, c in enumerate((x, z, -y)):
                low[i], high[i] = min(low[i], c), max(high[i], c)
    bones = sum(len(o.data.bones) for o in bpy.data.objects if o.type == "ARMATURE")
    return {
        "file": path,
        "meshes": len(meshes),
        "triangles": triangles,
        "bones": bones,
        "weighted": weighted,
        "actions": len(bpy.data.actions),
        "materials": len(bpy.data.materials),
        "images": len(bpy.data.images),
        "bounds": [[round(c, 4) for c in low], [round(c, 4) for c in high]],
    }


for name in sys.argv[1:]:
    print(json.dumps(measure(name)), flush=True)
