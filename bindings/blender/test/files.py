# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports and exports files in Blender: `pip install bpy numpy` and the wheel, then `python test/files.py [FILE...]`,
or `blender -b --python test/files.py [-- FILE...]`.

Real files are imported, saved and opened again with their triangles, normals and actions. Exported actions keep their
durations, the rest of the scene does not change, and everything that is left out is listed.
"""

import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np

sys.path[:0] = map(str, (Path(__file__).parent, Path(__file__).parents[2]))
# Available only after bpy is imported.
import bmesh  # noqa: E402
import blender as extension  # noqa: E402
import rezkit  # noqa: E402
from blender import animation, from_blender, materials, operators, panel  # noqa: E402
from running import run  # noqa: E402
from mathutils import Vector  # noqa: E402

CORPUS = Path(__file__).parents[3] / "../shared/corpus"
FOLDER = Path(tempfile.mkdtemp())
OPERATORS = {
    ".mesh": "roblox_mesh", ".rbxm": "roblox_place", ".rbxmx": "roblox_place", ".llmesh": "second_life", ".slm": "second_life",
    ".m3d": "model_3d", ".a3d": "model_3d",
}


def fresh(fps=24, base=1.0) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = fps, base


def load(path: Path) -> None:
    assert getattr(bpy.ops.import_scene, OPERATORS[path.suffix])(filepath=str(path)) == {"FINISHED"}, path


def state() -> dict:
    """The state of the scene: objects, selection, modes, time, actions, tracks, data."""
    scene, layer = bpy.context.scene, bpy.context.view_layer
    found = {
        "active": layer.objects.active and layer.objects.active.name, "mode": bpy.context.mode,
        "time": (scene.frame_current, scene.frame_subframe, scene.frame_start, scene.frame_end),
        "rate": (scene.render.fps, scene.render.fps_base), "camera": scene.camera and scene.camera.name,
    }
    for made in scene.objects:
        data = made.animation_data
        found[made.name] = (
            [list(row) for row in made.matrix_world], made.select_get(), made.hide_get(), made.mode, made.data and made.data.name,
            data and (data.action and data.action.name, data.use_nla, [(track.name, track.mute) for track in data.nla_tracks]),
            [(each.name, each.show_viewport) for each in made.modifiers],
            [[list(row) for row in bone.matrix_basis] for bone in made.pose.bones] if made.pose else None,
        )
    for kind in ("objects", "meshes", "actions", "materials", "images", "armatures", "collections", "scenes", "texts"):
        found[f"data {kind}"] = sorted((each.name, each.users) for each in getattr(bpy.data, kind))
    return found


def same(before: dict, what) -> None:
    after = state()
    changed = [(key, before.get(key), after.get(key)) for key in {**before, **after} if before.get(key) != after.get(key)]
    assert not changed, (what, changed)


def figure(lengths: dict[str, float]) -> bpy.types.Object:
    """Makes an armature that moves a cube, with an action for each name and length in seconds."""
    fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    data = bpy.data.armatures.new("hero")
    hero = bpy.data.objects.new("hero", data)
    bpy.context.scene.collection.objects.link(hero)
    bpy.context.view_layer.objects.active = hero
    bpy.ops.object.mode_set(mode="EDIT")
    bone = data.edit_bones.new("root")
    bone.head, bone.tail = (0, 0, 0), (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    cube.parent = hero
    cube.modifiers.new("Armature", "ARMATURE").object = hero
    cube.vertex_groups.new(name="root").add(range(8), 1.0, "ADD")
    for name, seconds in lengths.items():
        action = bpy.data.actions.new(name)
        hero.animation_data_create().action = action
        pose = hero.pose.bones["root"]
        for time, place in ((0, 0), (seconds, 1)):
            pose.location = (place, 0, 0)
            pose.keyframe_insert("location", frame=time * fps)
        track = hero.animation_data.nla_tracks.new()
        track.name = name
        track.strips.new(name, 0, action)
        track.mute = True
    pose.location = (0, 0, 0)
    bpy.ops.object.select_all(action="DESELECT")
    for each in (hero, cube):
        each.select_set(True)
    bpy.context.view_layer.objects.active = hero
    return hero


def durations_stay() -> None:
    """Actions are exported and imported again with the same duration in seconds, at any frame rate."""
    lengths = {"walk": 1.0, "run": 2.0, "jump": 0.5, "step": 0.73}
    for fps, base in ((24, 1.0), (25, 1.0), (30, 1.001), (60, 1.0), (120, 1.0)):
        fresh(fps, base)
        figure(lengths)
        path = FOLDER / f"hero{fps}.m3d"
        assert bpy.ops.export_scene.rezkit(filepath=str(path), form="m3d") == {"FINISHED"}
        found = dict(rezkit.load(path).actions)
        assert found.keys() == lengths.keys(), found
        # This includes durations that are not whole frames, as at 29.97 frames per second. Model 3D stores
        # milliseconds.
        assert all(abs(found[name] - length) < 0.0015 for name, length in lengths.items()), (fps, found)
        # Imported at another frame rate.
        fresh(48)
        load(path)
        made = {action.name: (action.frame_range[1] - action.frame_range[0]) / 48 for action in bpy.data.actions}
        assert made.keys() == lengths.keys(), made
        assert all(abs(made[name] - found[name]) < 0.002 for name in made), made
    bpy.ops.object.select_all(action="SELECT")
    assert not from_blender.convert(bpy.context, "m3d", "x", False).losses


def actions_start_at_once() -> None:
    """The first key of an action is at 0 seconds, wherever it is in Blender, also between frames and with another action."""
    for start, fps, base in ((1, 24, 1.0), (-3, 24, 1.0), (100.5, 24, 1.0), (-2.25, 30, 1.001), (3, 25, 1.0)):
        fresh(fps, base)
        figure({"walk": 1.0, "run": 0.5, "jump": 0.73})
        for name in ("walk", "jump"):
            for curve in animation.curves_of(bpy.data.actions[name]):
                for point in curve.keyframe_points:
                    point.co.x += start
        found = rezkit.scene(from_blender.gltf(bpy.context)).animations
        lengths = {each.name: each.duration for each in found}
        assert all(abs(lengths[name] - length) < 1e-4 for name, length in {"walk": 1.0, "run": 0.5, "jump": 0.73}.items()), lengths
        for each in found:
            [moved] = [channel for channel in each.channels if channel.path == "translation"]
            assert moved.times[0] == 0 and np.all(np.diff(moved.times) > 0), moved.times
            assert np.allclose(moved.values[[0, -1], 0], [0, 1], atol=1e-5), moved.values


def nothing_else_changes() -> None:
    """Exporting, checking and importing do not change the existing scene, in any mode."""
    path = FOLDER / "before.m3d"
    fresh()
    figure({"walk": 1.0})
    bpy.ops.export_scene.rezkit(filepath=str(path), form="m3d")
    for mode in ("OBJECT", "POSE", "EDIT"):
        fresh(30)
        hero = figure({"walk": 1.0, "run": 2.0})
        scene = bpy.context.scene
        scene.frame_start, scene.frame_end = 3, 77
        scene.frame_set(11, subframe=0.25)
        bpy.ops.object.mode_set(mode=mode)
        if mode != "EDIT":
            hero.pose.bones["root"].rotation_quaternion = (0.8, 0.6, 0, 0)
        bpy.context.view_layer.update()
        before = state()
        for form in ("5.00", "llmesh", "slm", "m3d"):
            assert bpy.ops.export_scene.rezkit(filepath=str(FOLDER / "out"), form=form, check_existing=False) == {"FINISHED"}, form
            same(before, (mode, form))
        for profile in ("roblox-upload", "secondlife-upload"):
            bpy.context.window_manager.rezkit_profile = profile
            bpy.ops.rezkit.check()
            same(before, (mode, profile))
        load(path)
        after = state()
        if mode == "OBJECT":
            # The new objects are selected.
            assert {each.name for each in bpy.context.selected_objects} == set(bpy.data.objects.keys()) - set(before)
            assert bpy.context.view_layer.objects.active in bpy.context.selected_objects
            before["active"] = after["active"]
            for name in set(before) & set(bpy.data.objects.keys()):
                after[name] = (after[name][0], before[name][1], *after[name][2:])
        changed = [key for key in before if not key.startswith("data ") and after.get(key) != before[key]]
        assert not changed, (mode, [(key, before[key], after.get(key)) for key in changed])
        # New objects are added to the existing ones; the numbers of users of data do not change.
        for key in (key for key in before if key.startswith("data ") and key != "data collections"):
            assert set(before[key]) <= set(after[key]), (mode, key, before[key], after[key])


def what_is_not_written_is_listed() -> None:
    """Metaballs, edges without polygons, lights: everything that the exporter leaves out is listed with its count."""
    fresh()
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.curve.primitive_bezier_circle_add(location=(0, -3, 0))
    bpy.context.object.data.bevel_depth = 0.1
    bpy.ops.object.metaball_add(location=(6, 0, 0))
    ball = bpy.context.object
    bpy.ops.object.light_add()
    bpy.ops.object.camera_add()
    bpy.ops.mesh.primitive_plane_add(location=(12, 0, 0))
    plane = bpy.context.object
    mesh = bmesh.new()
    mesh.from_mesh(plane.data)
    mesh.edges.new([mesh.verts.new(at) for at in ((5, 5, 0), (6, 6, 0))])
    mesh.to_mesh(plane.data)
    mesh.free()
    plane.shape_key_add(name="Basis")
    plane.shape_key_add(name="High").data[0].co.z = 1
    bpy.ops.object.select_all(action="SELECT")
    shown = ball.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    shown.calc_loop_triangles()
    count = len(shown.loop_triangles)
    assert count > 100
    for form in ("2.00", "llmesh", "m3d"):
        made = from_blender.convert(bpy.context, form, "x", False)
        lost = {(loss.path, loss.count) for loss in made.losses}
        assert {(ball.name, count), (plane.name, 1), ("Point", 1), ("Camera", 1)} <= lost, (form, lost)
        # Left out by the exporter or by the form.
        assert any("shape keys" in loss.what or "morph" in loss.what for loss in made.losses), (form, made.losses)
        assert not {path for path, _ in lost} & {"Cube", "BézierCircle"}, lost
    # Everything visible is written: instances, arrays, texts.
    fresh()
    bpy.ops.mesh.primitive_cube_add()
    bpy.context.object.modifiers.new("Array", "ARRAY").count = 3
    bpy.ops.object.text_add()
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=10, y_subdivisions=10)
    grid = bpy.context.object
    grid.instance_type = "VERTS"
    child = bpy.data.objects.new("Child", bpy.data.objects["Cube"].data)
    bpy.context.scene.collection.objects.link(child)
    child.parent = grid
    collection = bpy.data.collections.new("Group")
    collection.objects.link(bpy.data.objects.new("Inner", child.data))
    bpy.ops.object.collection_instance_add(collection="Group") if collection.users else None
    placed = bpy.data.objects.new("Placed", None)
    placed.instance_type, placed.instance_collection = "COLLECTION", collection
    bpy.context.scene.collection.objects.link(placed)
    bpy.ops.object.select_all(action="SELECT")
    assert not from_blender.missing(bpy.context, rezkit.scene(from_blender.gltf(bpy.context)))
    # An action without a track is exported or listed.
    fresh()
    figure({"walk": 1.0})
    other = bpy.data.actions["walk"].copy()
    other.name, other.use_fake_user = "unused", True
    made = from_blender.convert(bpy.context, "m3d", "x", False)
    exported = [name for name, _ in rezkit.load(made.data).actions]
    assert ("unused" in exported) != any("unused" in loss.what for loss in made.losses), (exported, made.losses)


def what_is_shown_is_written() -> None:
    """A mesh has the shape and the place that Blender shows at the current frame, and armatures keep their rest pose."""
    def keyed(target, path, *values):
        for frame, value in zip((1, 25), values, strict=True):
            setattr(target, path, value)
            target.keyframe_insert(path, frame=frame)

    def written() -> np.ndarray:
        assert bpy.ops.export_scene.rezkit(filepath=str(FOLDER / "shown.mesh"), form="4.01", check_existing=False) == {"FINISHED"}
        found = rezkit.load(FOLDER / "shown.mesh").positions
        return np.stack([found.min(axis=0), found.max(axis=0)])

    fresh()
    bpy.ops.mesh.primitive_plane_add()
    plane = bpy.context.object
    displace = plane.modifiers.new("Displace", "DISPLACE")
    displace.mid_level = 0
    keyed(displace, "strength", 0.0, 2.0)
    for frame, height in ((1, 0), (13, 1), (25, 2)):
        bpy.context.scene.frame_set(frame)
        assert np.allclose(written(), [[-1, height, -1], [1, height, 1]], atol=1e-5), (frame, written())
        assert bpy.context.scene.frame_current == frame
    keyed(plane, "location", (0, 0, 0), (5, 0, 0))
    bpy.context.scene.frame_set(25)
    assert np.allclose(written(), [[4, 2, -1], [6, 2, 1]], atol=1e-5), written()
    # Not yet keyed.
    plane.location.z = 3
    assert np.allclose(written(), [[4, 5, -1], [6, 5, 1]], atol=1e-5), written()
    fresh()
    bpy.ops.mesh.primitive_plane_add()
    plane = bpy.context.object
    plane.shape_key_add(name="Basis")
    high = plane.shape_key_add(name="High")
    high.data.foreach_set("co", [x for vertex in plane.data.vertices for x in (*vertex.co.xy, 1)])
    keyed(high, "value", 0.0, 1.0)
    bpy.context.scene.frame_set(25)
    assert np.allclose(written(), [[-1, 1, -1], [1, 1, 1]], atol=1e-5), written()
    # A pose changes neither the vertices nor the bind pose.
    fresh()
    figure({"walk": 1.0})
    found = []
    for frame in (0, 12, 24):
        bpy.context.scene.frame_set(frame)
        scene = rezkit.scene(from_blender.gltf(bpy.context))
        [walk] = scene.animations
        found.append((scene.skins[0].inverse_bind, scene.meshes[0].primitives[0].geometry.positions, walk.channels[0].values))
    assert all(np.allclose(a, b, atol=1e-6) for each in found[1:] for a, b in zip(found[0], each, strict=True)), found


def any_property_is_allowed() -> None:
    """Custom properties that are not finite, which JSON cannot hold, do not hinder the export, and stay."""
    fresh()
    hero = figure({"walk": 1.0})
    material = bpy.data.materials.new("paint")
    bpy.data.objects["Cube"].data.materials.append(material)
    owners = (bpy.data.objects["Cube"], hero.pose.bones["root"], hero.data.bones["root"], material, bpy.data.actions["walk"], bpy.context.scene)
    for owner in owners:
        owner["one"], owner["many"], owner["good"], owner["text"] = np.nan, [1.5, np.inf, -np.inf], 0.5, "nan"
    assert bpy.ops.export_scene.rezkit(filepath=str(FOLDER / "nan.mesh"), check_existing=False) == {"FINISHED"}
    for owner in owners:
        assert np.isnan(owner["one"]) and owner["many"].to_list() == [1.5, np.inf, -np.inf] and owner["good"] == 0.5, owner


def shear_stays() -> None:
    """A turned child of an unevenly scaled parent has the shape that Blender shows, whether the parent is selected or not, also
    with shape keys and modifiers; shared meshes do not change."""
    fresh()
    bpy.ops.mesh.primitive_cube_add()
    parent = bpy.context.object
    parent.scale = (3, 1, 1)
    children = []
    for number in range(3):
        bpy.ops.mesh.primitive_monkey_add()
        child = bpy.context.object
        child.parent, child.rotation_euler, child.location = (parent, (0.2, 0.4, np.pi / 4), (0, 3 * number, 2))
        children.append(child)
    # A child of the child, the same mesh as another child, and one with a modifier.
    children[1].parent, children[1].data = children[0], children[0].data
    children[2].modifiers.new("Array", "ARRAY")
    children[0].shape_key_add(name="Basis")
    key = children[0].shape_key_add(name="High")
    key.data[0].co.z += 1
    key.value = 0.5
    for chosen in ([0], [1], [2], [0, 1, 2], [0, 1, 2, 3], [1, 2, 3]):
        bpy.ops.object.select_all(action="DESELECT")
        made = [[*children, parent][number] for number in chosen]
        for each in made:
            each.select_set(True)
        bpy.context.view_layer.update()
        before = state()
        scene = rezkit.scene(from_blender.gltf(bpy.context))
        same(before, chosen)
        assert len(scene.meshes) == len({node.mesh for node in scene.nodes if node.mesh is not None})
        graph = bpy.context.evaluated_depsgraph_get()
        world, shown = scene.world_matrices(), {node.name: index for index, node in enumerate(scene.nodes) if node.mesh is not None}
        for each in made:
            moved = each.evaluated_get(graph)
            wanted = np.array([moved.matrix_world @ vertex.co for vertex in moved.data.vertices])
            index = shown[each.name]
            [part] = scene.meshes[scene.nodes[index].mesh].primitives
            found = part.geometry.positions.astype(np.float64)
            if part.targets:
                found += 0.5 * part.targets[0][1]
            found = found @ world[index][:3, :3].T + world[index][:3, 3]
            found = np.stack([found[:, 0], -found[:, 2], found[:, 1]], axis=1)
            apart = np.linalg.norm(wanted[:, None] - found[None], axis=2)
            assert max(apart.min(axis=0).max(), apart.min(axis=1).max()) < 1e-4, (chosen, each.name, apart.min(axis=1).max())
            normals = part.geometry.normals
            assert np.allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-4)


def two_sided_stay() -> None:
    """Triangles with the same vertices are exported, and remain in the scene."""
    fresh()
    mesh = bpy.data.meshes.new("sheet")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [], [(0, 1, 2), (0, 2, 3), (2, 1, 0), (3, 2, 0)])
    made = bpy.data.objects.new("sheet", mesh)
    bpy.context.scene.collection.objects.link(made)
    made.vertex_groups.new(name="half").add([0, 1], 0.5, "ADD")
    made.shape_key_add(name="Basis")
    made.shape_key_add(name="High").data[2].co.z = 1
    made.select_set(True)
    for modified in (False, True):
        if modified:
            made.modifiers.new("Weld", "TRIANGULATE")
        before = state()
        assert bpy.ops.export_scene.rezkit(filepath=str(FOLDER / "sheet.mesh"), form="4.01") == {"FINISHED"}
        assert bpy.ops.rezkit.check() == {"FINISHED"}
        same(before, modified)
        assert len(mesh.polygons) == 4 and len(bpy.data.shape_keys) == 1
        written = rezkit.load(FOLDER / "sheet.mesh")
        assert sorted(np.sign(np.cross(*(written.positions[written.triangles][:, 1:] - written.positions[written.triangles][:, :1]).swapaxes(0, 1))[:, 1])) == [-1, -1, 1, 1]
    # A surface of two triangles with six vertices, which the import merges, as in files of Roblox.
    positions = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0]] * 2)
    normals = np.float32([[0, 0, 1]] * 3 + [[0, 0, -1]] * 3)
    two = rezkit.RobloxMesh.from_arrays(positions, np.uint32([[0, 1, 2], [5, 4, 3]]), normals=normals)
    two.save(FOLDER / "two.mesh")
    fresh()
    load(FOLDER / "two.mesh")
    [made] = bpy.data.objects
    made.select_set(True)
    assert not made.data.copy().validate()
    assert bpy.ops.export_scene.rezkit(filepath=str(FOLDER / "again.mesh"), form="4.01") == {"FINISHED"}
    assert len(rezkit.load(FOLDER / "again.mesh").triangles) == len(made.data.polygons) == 2


def rigged() -> rezkit.RobloxMesh:
    """Two bones, the second turned, that move a triangle."""
    c, s = np.cos(0.5), np.sin(0.5)
    turned = np.float32([[c, -s, 0, 0], [s, c, 0, 1], [0, 0, 1, 0.5], [0, 0, 0, 1]])
    bones = [("low", None, np.eye(4, dtype=np.float32)), ("high", 0, turned)]
    positions = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    joints, weights = np.uint16([[0, 1, 0, 0]] * 3), np.float32([[0.75, 0.25, 0, 0]] * 3)
    return rezkit.RobloxMesh.from_arrays(
        positions, np.uint32([[0, 1, 2]]), joints=joints, weights=weights, bones=bones, version="4.01"
    )


def skins_stay() -> None:
    """Bones keep their axes in any number of round trips, also if only the mesh or only the armature is selected."""
    rigged().save(FOLDER / "rigged.mesh")
    wanted = rezkit.scene(FOLDER / "rigged.mesh").skins[0].inverse_bind
    path = FOLDER / "rigged.mesh"
    for number, kind in enumerate(("MESH", "ARMATURE", "BOTH")):
        fresh()
        load(path)
        bpy.ops.object.select_all(action="DESELECT")
        for made in bpy.data.objects:
            made.select_set(kind in (made.type, "BOTH"))
            if made.type != kind:
                made.hide_set(kind != "BOTH" and made.type == "ARMATURE")
        before = state()
        path = FOLDER / f"rigged{number}.mesh"
        assert bpy.ops.export_scene.rezkit(filepath=str(path), form="4.01") == {"FINISHED"}
        same(before, kind)
        scene = rezkit.scene(path)
        assert [scene.nodes[joint].name for joint in scene.skins[0].joints] == ["low", "high"]
        assert np.allclose(scene.skins[0].inverse_bind, wanted, atol=1e-5), (kind, scene.skins[0].inverse_bind, wanted)
        [geometry] = [each.geometry for mesh in scene.meshes for each in mesh.primitives]
        assert np.allclose(geometry.weights[:, :2], [0.75, 0.25], atol=0.01), geometry.weights


def influences_are_listed() -> None:
    """More than four bones per vertex, and vertices without bones, are listed with their numbers."""
    fresh()
    hero = figure({"walk": 1.0})
    bpy.context.view_layer.objects.active = hero
    bpy.ops.object.mode_set(mode="EDIT")
    for number in range(5):
        bone = hero.data.edit_bones.new(f"b{number}")
        bone.head, bone.tail = (0, 0, number), (0, 0, number + 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    cube = bpy.data.objects["Cube"]
    for number in range(5):
        cube.vertex_groups.new(name=f"b{number}").add([0, 1, 2], 0.2, "ADD")
    cube.vertex_groups["root"].remove([7])
    lost = {(loss.path, loss.count): loss.what for loss in from_blender.convert(bpy.context, "4.01", "x", False).losses}
    assert "four" in lost["Cube", 3] and "neutral_bone" in lost["Cube", 1], lost


def levels_stay() -> None:
    """The levels of detail of a Roblox mesh are exported again as levels."""
    fresh()
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.mesh.primitive_plane_add()
    bpy.context.object["lod"] = 1
    bpy.ops.object.select_all(action="SELECT")
    path = FOLDER / "levels.mesh"
    for _ in range(2):
        assert bpy.ops.export_scene.rezkit(filepath=str(path), form="4.01") == {"FINISHED"}
        assert [level.stop - level.start for level in rezkit.load(path).levels] == [12, 2]
        fresh()
        assert bpy.ops.import_scene.roblox_mesh(filepath=str(path), all_levels=True) == {"FINISHED"}
        assert {made.get("lod") for made in bpy.data.objects} == {None, 1}
        bpy.ops.object.select_all(action="SELECT")
    # All four levels of detail of a Second Life mesh count.
    for path in (path for path in sorted(CORPUS.rglob("*.llmesh"))[:1] if path.exists()):
        fresh()
        bpy.ops.import_scene.second_life(filepath=str(path), all_levels=True)
        bpy.ops.object.select_all(action="SELECT")
        lost = [loss for loss in from_blender.convert(bpy.context, "llmesh", "x", False).losses if "triangles" in loss.what]
        print("levels of Second Life:", lost)
        assert all(loss.path for loss in lost)


def colors_and_normals_stay() -> None:
    """The bytes of vertex colours stay, and are sRGB; normals of any length keep their directions."""
    count = 256
    positions = np.zeros((3 * count, 3), dtype=np.float32)
    positions[:, 0] = np.arange(3 * count) // 3
    positions[1::3, 1] = positions[2::3, 2] = 0.5
    colors = np.repeat(np.arange(count), 3)[:, None].repeat(4, axis=1).astype(np.uint8)
    normals = np.tile(np.float32([[0.3, 0.1, 0.2], [1, 5, 1], [0, 0, 0.01]]), (count, 1))
    triangles = np.arange(3 * count, dtype=np.uint32).reshape(-1, 3)
    made = rezkit.RobloxMesh.from_arrays(positions, triangles, normals=normals, colors=colors, version="4.01")
    made.save(FOLDER / "colors.mesh")
    fresh()
    load(FOLDER / "colors.mesh")
    [made] = bpy.data.objects
    shown = np.empty(4 * 3 * count, dtype=np.float32)
    made.data.color_attributes[0].data.foreach_get("color_srgb", shown)
    assert np.array_equal(np.round(shown.reshape(-1, 4) * 255), colors)
    found = np.empty(9 * count, dtype=np.float32)
    made.data.corner_normals.foreach_get("vector", found)
    wanted = normals / np.linalg.norm(normals, axis=1, keepdims=True) @ np.float32([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    assert np.abs(found.reshape(-1, 3) - wanted).max() < 0.01, np.abs(found.reshape(-1, 3) - wanted).max()
    made.select_set(True)
    assert bpy.ops.export_scene.rezkit(filepath=str(FOLDER / "colors2.mesh"), form="4.01") == {"FINISHED"}
    again = rezkit.load(FOLDER / "colors2.mesh")
    assert np.array_equal(again.colors[:, 0], np.round(again.positions[:, 0])), again.colors[:20]


def layers_of_materials_are_written() -> None:
    """The texture coordinates of the base colour's image, otherwise those of the renderer, are the first; the colours that a
    material names, otherwise those of the renderer, are written, and the others are listed."""
    for kind in ("node", "image", "none"):
        fresh()
        bpy.ops.mesh.primitive_plane_add()
        plane = bpy.context.object
        mesh = plane.data
        mesh.uv_layers.new(name="Light")
        paint = mesh.uv_layers.new(name="Paint")
        for corner in paint.uv:
            corner.vector = corner.vector * 0.25 + Vector((0.5, 0.5))
        (mesh.uv_layers["Light"] if kind == "node" else paint).active_render = True
        for name, domain, color in (("Red", "CORNER", (1, 0, 0, 1)), ("Blue", "POINT", (0, 0, 1, 1))):
            for each in mesh.color_attributes.new(name, "BYTE_COLOR", domain).data:
                each.color = color
        mesh.color_attributes.active_color_name = "Red"
        mesh.color_attributes.default_color_name = "Red" if kind == "node" else "Blue"
        if kind != "none":
            mesh.materials.append(bpy.data.materials.new("paint"))
            mesh.materials[0].use_nodes = True
            tree = mesh.materials[0].node_tree
            surface = tree.nodes["Principled BSDF"]
            image = tree.nodes.new("ShaderNodeTexImage")
            image.image = bpy.data.images.new("image", 4, 4)
            tree.links.new(image.outputs["Color"], surface.inputs["Base Color"])
            # Another image with the other layer.
            glow, light = tree.nodes.new("ShaderNodeTexImage"), tree.nodes.new("ShaderNodeUVMap")
            glow.image, light.uv_map = image.image, "Light"
            tree.links.new(light.outputs[0], glow.inputs[0])
            tree.links.new(glow.outputs["Color"], surface.inputs["Emission Color"])
            surface.inputs["Emission Strength"].default_value = 1
        if kind == "node":
            layer, color, mix = (tree.nodes.new(f"ShaderNode{name}") for name in ("UVMap", "VertexColor", "Mix"))
            layer.uv_map, color.layer_name = "Paint", "Blue"
            tree.links.new(layer.outputs[0], image.inputs[0])
            mix.data_type, mix.blend_type = "RGBA", "MULTIPLY"
            mix.inputs[0].default_value = 1
            tree.links.new(image.outputs["Color"], mix.inputs[6])
            tree.links.new(color.outputs["Color"], mix.inputs[7])
            tree.links.new(mix.outputs[2], surface.inputs["Base Color"])
        made = rezkit.scene(from_blender.gltf(bpy.context))
        assert mesh.color_attributes.default_color_name == ("Red" if kind == "node" else "Blue")
        [part] = made.meshes[0].primitives
        assert np.array_equal(np.unique(part.geometry.uvs), [0.25, 0.5, 0.75]), (kind, part.geometry.uvs)
        assert np.array_equal(part.geometry.colors[0], [0, 0, 65535, 65535]), (kind, part.geometry.colors)
        if kind != "none":
            sets = {name: texture.set for name, texture in made.materials[0].textures.items()}
            assert sets["base_color"] == 0 and sets["emissive"] != 0, sets
        lost = [loss.what for loss in from_blender.convert(bpy.context, "4.01", "x", False).losses]
        assert [what for what in lost if "colours" in what] == ["the colours Red"], (kind, lost)


def other_shaders_are_listed() -> None:
    """The colour of a Diffuse BSDF is written; other colours that the exporter does not write are listed."""
    def shown(*kinds: str, linked: bool = False) -> tuple[list[float], list[str], float]:
        fresh()
        bpy.ops.mesh.primitive_plane_add()
        material = bpy.data.materials.new("cloth")
        bpy.context.object.data.materials.append(material)
        material.use_nodes = True
        tree = material.node_tree
        if kinds[0] != "Group":
            tree.nodes.clear()
            output = tree.nodes.new("ShaderNodeOutputMaterial")
        else:
            output = tree.nodes["Material Output"]
            tree.nodes.remove(tree.nodes["Principled BSDF"])
        made = [tree.nodes.new(f"ShaderNode{kind}") for kind in kinds]
        if kinds[0] == "Group":
            made[0].node_tree = bpy.data.node_groups.new("group", "ShaderNodeTree")
            made[0].node_tree.interface.new_socket("Shader", in_out="OUTPUT", socket_type="NodeSocketShader")
            inner, end = (made[0].node_tree.nodes.new(kind) for kind in ("ShaderNodeBsdfPrincipled", "NodeGroupOutput"))
            inner.inputs[0].default_value = (0, 1, 0, 1)
            made[0].node_tree.links.new(inner.outputs[0], end.inputs[0])
        else:
            made[0].inputs[0].default_value = (0, 1, 0, 1)
        if linked:
            tree.links.new(tree.nodes.new("ShaderNodeTexNoise").outputs["Color"], made[0].inputs[0])
        if len(made) > 1:
            tree.links.new(made[0].outputs[0], made[1].inputs[1])
        tree.links.new(made[-1].outputs[0], output.inputs[0])
        [written] = rezkit.scene(from_blender.gltf(bpy.context)).materials
        lost = [loss.what for loss in from_blender.convert(bpy.context, "m3d", "x", False).losses if loss.path == "cloth" and "base colour" in loss.what]
        return list(written.base_color), lost, written.metallic

    assert shown("BsdfDiffuse") == ([0, 1, 0, 1], [], 0)
    assert shown("Group") == ([0, 1, 0, 1], [], 0)
    for found in (shown("BsdfDiffuse", linked=True), shown("BsdfGlass"), shown("BsdfDiffuse", "MixShader")):
        assert len(found[1]) == 1, found
    assert not shown("Emission")[1]


def colors_are_shown() -> None:
    """The materials of parts multiply their colours by those of vertices, only in meshes that have some; they are exported again."""
    positions, triangles = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.uint32([[0, 1, 2]])
    for number, colors in enumerate(([[255, 0, 0, 255]] * 3, [[255] * 4] * 3, [[255, 0, 0, 100]] * 3)):
        made = rezkit.RobloxMesh.from_arrays(positions, triangles, colors=np.uint8(colors), version="4.01")
        made.save(FOLDER / f"{900 + number}.mesh")
    wanted = {"red and white": [0, 1], "red": [0], "clear": [2]}
    for name, numbers in wanted.items():
        parts = "".join(
            f'<Item class="MeshPart"><Properties><string name="Name">part{number}</string>'
            f'<Content name="MeshId"><url>rbxassetid://{900 + number}</url></Content></Properties></Item>'
            for number in numbers
        )
        (FOLDER / "parts.rbxmx").write_text(f'<roblox version="4"><Item class="Model"><Properties/>{parts}</Item></roblox>')
        fresh()
        load(FOLDER / "parts.rbxmx")
        assert len(bpy.data.materials) == len(numbers), (name, bpy.data.materials[:])
        for number in numbers:
            mesh = bpy.data.objects[f"part{number}"].data
            [material] = mesh.materials
            nodes = [node for node in material.node_tree.nodes if node.type == "VERTEX_COLOR"]
            assert [node.layer_name for node in nodes] == ([mesh.color_attributes[0].name] if number == 0 else []), (name, number)
            assert material.name == "Plastic A3A2A5" or len(numbers) > 1, material.name
            bpy.ops.object.select_all(action="DESELECT")
            bpy.data.objects[f"part{number}"].select_set(True)
            scene = rezkit.scene(from_blender.gltf(bpy.context))
            original = rezkit.scene(FOLDER / "parts.rbxmx", files=operators.files_of(str(FOLDER))).materials[0]
            assert np.allclose(scene.materials[0].base_color, original.base_color, atol=1e-5), scene.materials[0].base_color
            if number != 1:
                written = scene.meshes[0].primitives[0].geometry.colors[0] / 257
                assert np.array_equal(written, [255, 0, 0, 100 if number == 2 else 255]), (name, written)
            lost = [loss.what for loss in from_blender.convert(bpy.context, "4.01", "x", False).losses]
            assert not any("base colour" in what for what in lost), lost


def factors_stay() -> None:
    """Images are multiplied by the colour and the other numbers of their material, as in glTF, also when it is exported again."""
    fresh()
    image = bpy.data.images.new("opaque", 4, 4)
    image.pack()
    for base_color, metallic, roughness, emissive in (([1.0, 1.0, 1.0, 0.4], 1.0, 1.0, [1.0, 1.0, 1.0]), ([1.0, 0.5, 0.0, 0.75], 0.5, 0.25, [1.0, 0.5, 0.25])):
        bpy.ops.mesh.primitive_plane_add()
        plane = bpy.context.object
        plane.data.materials.append(materials.material(SimpleNamespace(
            name="glass", double_sided=False, base_color=base_color, metallic=metallic, roughness=roughness, alpha="blend", emissive=emissive,
            emissive_strength=1.0, textures={name: (0,) for name in ("base_color", "metallic_roughness", "emissive")},
        ), [image]))
        [made] = rezkit.scene(from_blender.gltf(bpy.context)).materials
        assert made.alpha == "blend" and made.textures.keys() >= {"base_color", "metallic_roughness", "emissive"}, made
        found = [*made.base_color, made.metallic, made.roughness, *made.emissive]
        assert np.allclose(found, [*base_color, metallic, roughness, *emissive], atol=1e-6), made


def options_work() -> None:
    """Names keep their dots, folders and errors are clear, and objects of Roblox meshes have the name of the file."""
    assert [operators.extended(path, ".mesh", {".mesh", ".m3d"}) for path in ("a/Chair v1.5", "b.m3d", "c.mesh", "a/")] == [
        "a/Chair v1.5.mesh", "b.mesh", "c.mesh", "a/",
    ]
    fresh()
    bpy.ops.mesh.primitive_cube_add()
    assert bpy.ops.export_scene.rezkit(filepath=str(FOLDER / "box.mesh")) == {"FINISHED"}
    # The default version needs no warning.
    assert not from_blender.convert(bpy.context, "4.01", "x", False).losses
    assert rezkit.load(FOLDER / "box.mesh").version == "4.01"
    load(FOLDER / "box.mesh")
    assert bpy.context.object.name == bpy.context.object.data.name == "box"
    for options, text in (({"assets": "//none"}, "Assets"),):
        try:
            bpy.ops.import_scene.roblox_mesh(filepath=str(FOLDER / "box.mesh"), **options)
        except RuntimeError as error:
            assert text in str(error), error
        else:
            raise AssertionError(text)
    for name, form, text in (
        ("none/x.mesh", "4.01", "does not exist"), ("x.m3d", "4.01", "Format"), ("x.mesh", "1.00", "Allow losses"), ("", "4.01", "irectory"),
    ):
        try:
            bpy.ops.export_scene.rezkit(filepath=str(FOLDER / name), form=form)
        except RuntimeError as error:
            assert text in str(error) and "rezkit-" not in str(error) and "Errno" not in str(error), error
        else:
            raise AssertionError(text)
    # Folders relative to the saved file.
    (FOLDER / "assets").mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(FOLDER / "saved.blend"))
    assert bpy.ops.import_scene.roblox_mesh(filepath=str(FOLDER / "box.mesh"), assets="//assets") == {"FINISHED"}
    # Findings belong to the selection and the platform.
    manager = bpy.context.window_manager
    manager.rezkit_profile = "roblox-upload"
    bpy.ops.rezkit.check()
    assert manager.rezkit_checked == panel.chosen(bpy.context)
    manager.rezkit_profile = "secondlife-upload"
    assert not manager.rezkit_checked and not manager.rezkit_findings


def triangles_of(scene, node) -> list:
    return [each.geometry for each in scene.meshes[node.mesh].primitives]


def real_files_arrive(paths: list[Path]) -> None:
    """Each mesh has its triangles, one vertex for corners that only differ in normals and texture coordinates, and the
        normals of the file. Each animation is an action, which a saved file keeps."""
    welded = loose = moving = 0
    for path in paths:
        fresh(30)
        try:
            scene = rezkit.scene(path)
        except rezkit.Error:
            continue
        load(path)
        blend = str(FOLDER / "a.blend")
        bpy.ops.wm.save_as_mainfile(filepath=blend)
        bpy.ops.wm.open_mainfile(filepath=blend)
        names = {each.name[:60] for each in scene.animations if any(each.path != "weights" for each in each.channels)}
        kept = {action.name for action in bpy.data.actions}
        assert all(any(action.startswith(name) for action in kept) for name in names if name), (path, names, kept)
        assert len(kept) >= len(names), path
        moving += len(names)
        names = [node.name for node in scene.nodes]
        for node in scene.nodes:
            is_known = node.mesh is not None and node.name and names.count(node.name) == 1
            made = bpy.data.objects.get(path.stem if path.suffix == ".mesh" else node.name) if is_known else None
            parts = triangles_of(scene, node) if made is not None and made.type == "MESH" else []
            if len(parts) != 1 or parts[0].normals is None or not len(parts[0].triangles):
                continue
            [geometry] = parts
            mesh = made.data
            columns = [geometry.positions + np.float32(0)]
            columns += [np.asarray(each, dtype=np.float32) for each in (geometry.colors, geometry.joints, geometry.weights) if each is not None]
            _, own = np.unique(np.concatenate(columns, axis=1), axis=0, return_inverse=True)
            corners = own.ravel()[geometry.triangles]
            whole = (corners[:, 0] != corners[:, 1]) & (corners[:, 1] != corners[:, 2]) & (corners[:, 0] != corners[:, 2])
            if scene.meshes[node.mesh].primitives[0].targets:
                continue
            assert len(mesh.polygons) == whole.sum(), (path, node.name)
            # Triangles with the same three vertices, as those of two-sided surfaces, have their own vertices.
            seen, again = {}, set()
            for triangle in corners[whole].tolist():
                key = tuple(sorted(triangle))
                seen[key] = seen.get(key, -1) + 1
                again |= {(seen[key], corner) for corner in key if seen[key]}
            count = own.max() + 1 + len(again)
            assert len(mesh.vertices) == count, (path, node.name, len(mesh.vertices), count)
            normals = np.empty(3 * len(mesh.loops), dtype=np.float32)
            mesh.corner_normals.foreach_get("vector", normals)
            x, y, z = geometry.normals[geometry.triangles[whole].ravel()].T
            wanted = np.stack([x, -z, y], axis=1)
            length = np.linalg.norm(wanted, axis=1)
            known = np.isfinite(length) & (np.abs(length - 1) < 0.01)
            apart = np.linalg.norm(normals.reshape(-1, 3)[known] - wanted[known] / length[known, None], axis=1)
            # Blender stores a direction in two 16-bit numbers.
            assert not len(apart) or np.quantile(apart, 0.99) < 0.01, (path, node.name, apart.max())
            welded += 1
            alone = [edge for edge in mesh.edges if edge.is_loose]
            loose += bool(alone)
    print(f"{len(paths)} files: {welded} meshes with their normals, {moving} actions")
    assert not loose


arguments = sys.argv[1:] if not bpy.app.binary_path else sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
found = [Path(each) for each in arguments]
if not found:
    found = [path for path in sorted(CORPUS.rglob("*")) if path.suffix in OPERATORS]
run(
    extension, durations_stay, actions_start_at_once, nothing_else_changes, what_is_not_written_is_listed, what_is_shown_is_written,
    any_property_is_allowed, shear_stays, two_sided_stay, skins_stay, influences_are_listed, levels_stay, colors_and_normals_stay,
    layers_of_materials_are_written, other_shaders_are_listed, colors_are_shown, factors_stay, options_work,
    lambda: real_files_arrive(found),
)
