"""Installs the extension into an empty profile of Blender and tests it, without a display:

    pip install bpy==5.0.1 && python bindings/blender/build.py WHEEL /tmp/rezkit.zip
    python xtask/oracles/blender_extension.py /tmp/rezkit.zip FILE...

First, two files are dropped at once, the panel checks a selection, and the import of a million triangles is timed. Then
each FILE is imported: its objects must have the triangles, bones, weighted vertices and actions that `rezkit` reports, with
points at the positions of the scene. Its meshes are exported as a Roblox mesh, which must have the same triangles.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp()

import bpy  # noqa: E402, I001
# Available only after bpy is imported.
import addon_utils  # noqa: E402
import numpy as np  # noqa: E402

OPERATORS = {
    "rbxmesh": "roblox_mesh",
    "rbxbinary": "roblox_place",
    "rbxxml": "roblox_place",
    "slmesh": "second_life",
    "m3d": "model_3d",
}


def install(extension):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon_utils.enable("bl_pkg")
    done = bpy.ops.extensions.package_install_files(filepath=extension, repo="user_default", enable_on_install=True)
    assert done == {"FINISHED"}, done
    import rezkit

    profile = os.environ["BLENDER_USER_RESOURCES"]
    assert Path(rezkit.__file__).is_relative_to(profile), rezkit.__file__
    return rezkit


def is_whole(triangles):
    a, b, c = triangles.T
    return (a != b) & (b != c) & (a != c)


def expected(scene):
    """Triangles, bones, weighted vertices, actions, and all points of meshes at their positions in the scene."""
    world = scene.world_matrices().astype(np.float64)
    triangles = weighted = 0
    points = [np.empty((0, 3))]
    for index, node in enumerate(scene.nodes):
        if node.mesh is None:
            continue
        for primitive in scene.meshes[node.mesh].primitives:
            geometry = primitive.geometry
            triangles += int(is_whole(geometry.triangles).sum())
            flat = np.concatenate([geometry.positions, np.ones((len(geometry.positions), 1))], axis=1)
            if node.skin is None:
                points.append((flat @ world[index].T)[:, :3])
                continue
            skin = scene.skins[node.skin]
            moves = world[skin.joints] @ skin.inverse_bind
            if geometry.weights is None:
                continue
            has = geometry.weights.sum(axis=1) > 0
            weighted += int(has.sum())
            each = np.einsum("vjab,vb->vja", moves[geometry.joints], flat)[..., :3]
            points.append(np.einsum("vja,vj->va", each, geometry.weights)[has])
    bones = sum(len(skin.joints) for skin in scene.skins)
    x, y, z = np.concatenate(points).T
    return triangles, bones, weighted, np.stack([x, -z, y], axis=1)


def found():
    meshes = [each for each in bpy.data.objects if each.type == "MESH"]
    for each in bpy.data.objects:
        # Without actions, so that the file is at rest.
        if each.animation_data:
            each.animation_data.action = None
            for bone in each.pose.bones if each.pose else ():
                bone.matrix_basis.identity()
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    triangles = weighted = 0
    points = [np.empty((0, 3))]
    for each in meshes:
        triangles += len(each.data.polygons)
        has = np.array([bool(vertex.groups) for vertex in each.data.vertices], dtype=bool)
        weighted += int(has.sum())
        evaluated = each.evaluated_get(graph)
        mesh = evaluated.to_mesh()
        flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", flat)
        matrix = np.array(evaluated.matrix_world)
        placed = flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
        points.append(placed[has] if each.parent and each.parent.type == "ARMATURE" else placed)
    bones = sum(len(each.data.bones) for each in bpy.data.objects if each.type == "ARMATURE")
    return triangles, bones, weighted, np.concatenate(points)


def distance(a, b):
    """The distance between two sets of points relative to their size, by their bounding boxes and their means."""
    if len(a) != len(b):
        return float("inf")
    if not len(a) or not np.isfinite(a).all():
        return 0.0
    size = max(np.ptp(a, axis=0).max(), 1e-6)
    measures = [(points.min(axis=0), points.max(axis=0), points.mean(axis=0)) for points in (a, b)]
    return float(max(np.abs(x - y).max() for x, y in zip(*measures, strict=True)) / size)


def exported(rezkit, triangles, path):
    """Exports the selection as a Roblox mesh, reads it again, and compares its triangles."""
    for each in bpy.data.objects:
        each.select_set(True)
    out = str(Path(tempfile.mkdtemp(), "out.mesh"))
    try:
        done = bpy.ops.export_scene.rezkit(filepath=out, form="5.00")
    except RuntimeError as error:
        return f"export: {str(error).strip()[:200]}"
    again = rezkit.load(out)
    count = int(is_whole(again.triangles[again.levels[0]]).sum())
    return "" if done == {"FINISHED"} and count == triangles else f"export: {count} of {triangles} triangles"


def empty():
    for each in list(bpy.data.objects):
        bpy.data.objects.remove(each)
    bpy.ops.outliner.orphans_purge(do_recursive=True)
    for each in list(bpy.data.actions):
        bpy.data.actions.remove(each)


def grid(rezkit, side):
    """A mesh of side * side squares with two triangles each."""
    x, y = (axis.ravel() for axis in np.meshgrid(*[np.linspace(0, 1, side + 1)] * 2))
    corner = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).ravel().astype(np.uint32)
    square = [corner, corner + 1, corner + side + 2, corner, corner + side + 2, corner + side + 1]
    positions = np.stack([x, np.sin(9 * x) * y / 9, y], axis=1).astype(np.float32)
    return rezkit.RobloxMesh.from_arrays(positions, np.stack(square, axis=1).reshape(-1, 3), version="5.00")


def dropped(rezkit):
    """Drops files onto the view, by calling the operator of a file handler as Blender does."""
    empty()
    handler = bpy.types.REZKIT_FH_roblox_mesh
    folder = tempfile.mkdtemp()
    for name in ("a.mesh", "b.mesh"):
        grid(rezkit, 2).save(str(Path(folder, name)))
    module, operator = handler.bl_import_operator.split(".")
    files = [{"name": "a.mesh"}, {"name": "b.mesh"}]
    getattr(getattr(bpy.ops, module), operator)("INVOKE_DEFAULT", directory=folder, files=files)
    triangles = [len(each.data.polygons) for each in bpy.data.objects if each.type == "MESH"]
    return "" if triangles == [8, 8] and handler.bl_file_extensions == ".mesh" else f"dropped: triangles {triangles}"


def checked():
    """The panel must find that Roblox refuses a sphere of more than 20,000 triangles, and nothing about a cube."""
    manager = bpy.context.window_manager
    manager.rezkit_profile = "roblox-upload"
    wrong = []
    for make, expected in (
        (lambda: bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=6), ["roblox-upload.triangles"]),
        (lambda: bpy.ops.mesh.primitive_cube_add(), []),
    ):
        empty()
        make()
        bpy.ops.rezkit.check()
        rules = [each.rule for each in manager.rezkit_findings if each.severity == "error"]
        if rules != expected:
            wrong.append(f"the panel: {rules}, expected {expected}")
    return "; ".join(wrong)


def timed(rezkit):
    """Prints how many seconds the import of a file with a million triangles takes; the goal is 2."""
    empty()
    path = str(Path(tempfile.mkdtemp(), "grid.mesh"))
    grid(rezkit, 708).save(path)
    before = time.perf_counter()
    bpy.ops.import_scene.roblox_mesh(filepath=path)
    seconds = time.perf_counter() - before
    triangles = sum(len(each.data.polygons) for each in bpy.data.objects if each.type == "MESH")
    print(f"{triangles} triangles in {seconds:.2f} s")


def main(extension, paths):
    rezkit = install(extension)
    wrong = [what for what in (dropped(rezkit), checked()) if what]
    timed(rezkit)
    failed = len(wrong)
    print(*(f"FAILED {what}" for what in wrong), sep="\n", end="")
    for path in paths:
        try:
            asset = rezkit.load(path)
            scene = rezkit.scene(asset)
        except rezkit.Error:
            continue
        operator = OPERATORS.get(asset.format)
        if operator is None:
            continue
        empty()
        getattr(bpy.ops.import_scene, operator)(filepath=str(path))
        actions = len({each.name.split(".")[0] for each in bpy.data.actions})
        *counts, points = expected(scene)
        *arrived, placed = found()
        wrong = []
        if counts != arrived:
            wrong.append(f"triangles, bones, weighted vertices {arrived}, expected {counts}")
        if bool(scene.animations) != bool(actions):
            wrong.append(f"{actions} actions, expected {len(scene.animations)}")
        if (away := distance(points, placed)) > 1e-3:
            wrong.append(f"points are {away:.3} away")
        if asset.format == "rbxmesh" and counts[0] and (what := exported(rezkit, counts[0], path)):
            wrong.append(what)
        failed += bool(wrong)
        print("FAILED" if wrong else "ok", path, *counts, actions, *wrong, flush=True)
    print(f"{failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
