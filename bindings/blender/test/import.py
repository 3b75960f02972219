# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports scenes into Blender: `pip install bpy numpy`, then `python test/import.py`. The wheel is not needed."""

import importlib
import json
import sys
import tempfile
import types
from pathlib import Path
from types import SimpleNamespace as Made

import bpy
import numpy as np

sys.modules["extension"] = types.ModuleType("extension")
sys.modules["extension"].__path__ = [str(Path(__file__).parents[1])]
to_blender = importlib.import_module("extension.to_blender")


def scene(animations=(), meshes=()):
    node = Made(
        name="box", children=[], extras=None, matrix=np.eye(4), translation=[0, 0, 0], rotation=[0, 0, 0, 1], scale=[1, 1, 1],
        mesh=0 if meshes else None, skin=None, camera=None, light=None, hidden=False,
    )
    return Made(
        nodes=[node], roots=[0], images=[], materials=[], skins=[], meshes=list(meshes), animations=list(animations),
        world_matrices=lambda: [np.eye(4)],
    )


def played(name: str, channels):
    return Made(name=name, channels=channels, duration=max(channel.times[-1] for channel in channels), extras={})


def animation(name: str, seconds: float):
    values = np.array([[0, 0, 0], [1, 0, 0]], dtype=float)
    times = np.array([0.0, seconds])
    return played(name, [Made(path="translation", node=0, interpolation="linear", times=times, values=values)])


def actions_stay() -> None:
    """Each animation is an action that a saved file keeps, and is exported with its duration, whatever the frame rate."""
    lengths = {"walk": 1.0, "run": 2.0, "jump": 0.5}
    for fps, base in [(24, 1.0), (30, 1.001), (60, 1.0)]:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = fps, base
        to_blender.add(bpy.context, scene([animation(name, length) for name, length in lengths.items()]), "test")
        with tempfile.TemporaryDirectory() as folder:
            file, exported = str(Path(folder, "a.blend")), Path(folder, "a.glb")
            bpy.ops.wm.save_as_mainfile(filepath=file)
            bpy.ops.wm.open_mainfile(filepath=file)
            assert sorted(action.name for action in bpy.data.actions) == sorted(lengths)
            target = next(made for made in bpy.data.objects if made.animation_data)
            assert target.animation_data.action.name == "walk"
            target.select_set(True)
            bpy.ops.export_scene.gltf(filepath=str(exported), export_format="GLB", use_selection=True)
            data = exported.read_bytes()
            gltf = json.loads(data[20 : 20 + int.from_bytes(data[12:16], "little")])
        found = {
            made["name"]: max(gltf["accessors"][sampler["input"]]["max"][0] for sampler in made["samplers"])
            for made in gltf["animations"]
        }
        assert found.keys() == lengths.keys(), found
        assert all(abs(found[name] - length) < 0.04 for name, length in lengths.items()), (fps, base, found)


def vertices_are_welded() -> None:
    """A cube of 24 vertices gets 8, with the normals of its corners and with its morph target."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    positions, normals, triangles = [], [], []
    for axis in range(3):
        for sign in (-1, 1):
            first = len(positions)
            for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                position, normal = [0.0] * 3, [0.0] * 3
                position[axis], normal[axis] = sign, sign
                position[(axis + 1) % 3], position[(axis + 2) % 3] = u * sign, v
                positions.append(position)
                normals.append(normal)
            triangles += [[first, first + 1, first + 2], [first, first + 2, first + 3]]
    positions, normals = (np.array(rows, dtype=np.float32) for rows in (positions, normals))
    triangles = np.array(triangles, dtype=np.uint32)
    geometry = Made(positions=positions, normals=normals, uvs=None, colors=None, triangles=triangles, joints=None, weights=None)
    target = ("up", np.tile(np.float32([0, 1, 0]), (24, 1)))
    mesh = Made(name="cube", primitives=[Made(material=None, geometry=geometry, targets=[target])])
    assert to_blender.add(bpy.context, scene(meshes=[mesh]), "test") == 0
    made = bpy.data.meshes["cube"]
    assert (len(made.vertices), len(made.edges), len(made.polygons)) == (8, 18, 12)
    corners = np.empty(3 * len(made.loops), dtype=np.float32)
    made.corner_normals.foreach_get("vector", corners)
    wanted = to_blender.Adding.points(normals)[triangles.ravel()]
    assert np.abs(corners.reshape(-1, 3) - wanted).max() < 1e-4
    assert [key.name for key in made.shape_keys.key_blocks] == ["Basis", "up"]


def weights_move() -> None:
    """Morph targets get the weights of the animation, also above 1, and saved files keep their actions."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 24
    positions = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    geometry = Made(positions=positions, normals=None, uvs=None, colors=None, triangles=np.uint32([[0, 1, 2]]), joints=None, weights=None)
    targets = [(name, np.tile(np.float32(offset), (3, 1))) for name, offset in (("up", [0, 1, 0]), ("out", [0, 0, 1]))]
    mesh = Made(name="face", primitives=[Made(material=None, geometry=geometry, targets=targets)])
    # A weight for each target, at 0 and at 1 second.
    smile = played("smile", [Made(
        path="weights", node=0, interpolation="linear", times=np.float32([0, 1]), values=np.float32([0, 0, 1, 2]),
    )])
    to_blender.add(bpy.context, scene([smile, animation("walk", 1.0)], [mesh]), "test")
    bpy.context.scene.frame_set(12)
    keys = bpy.data.meshes["face"].shape_keys
    found = [block.value for block in keys.evaluated_get(bpy.context.evaluated_depsgraph_get()).key_blocks]
    assert np.allclose(found[1:], [0.5, 1.0], atol=1e-3), found
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "a.blend"))
        bpy.ops.wm.save_as_mainfile(filepath=file)
        bpy.ops.wm.open_mainfile(filepath=file)
        assert sorted(action.name for action in bpy.data.actions) == ["smile", "walk"]


def keys_are_interpolated() -> None:
    """A great turn has the same speed everywhere; a channel with steps keeps its value until the next key."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 24
    half = np.radians(170) / 2
    turns = np.array([[0, 0, 0, 1], [0, np.sin(half), 0, np.cos(half)], [0, 0, 0, 1]])
    places = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0]], dtype=float)
    times = np.array([0.0, 1.0, 2.0])
    channels = [
        Made(path="rotation", node=0, interpolation="linear", times=times, values=turns),
        Made(path="translation", node=0, interpolation="step", times=times + 0.5, values=places),
    ]
    flip = Made(path="rotation", node=0, interpolation="step", times=times, values=turns)
    to_blender.add(bpy.context, scene([played("turn", channels), played("flip", [flip])]), "test")
    box = bpy.data.objects["box"]

    def shown(time: float) -> tuple[float, float]:
        bpy.context.scene.frame_set(int(time * 24), subframe=time * 24 % 1)
        return np.degrees(box.matrix_world.to_euler().z), box.matrix_world.translation.x

    for time, degrees, place in ((0.25, 42.5, 0), (0.4, 68, 0), (0.75, 127.5, 0), (0.9, 153, 0), (1.4, 102, 0), (1.6, 68, 1), (2, 0, 1)):
        found = shown(time)
        assert abs(found[0] - degrees) < 0.15 and abs(found[1] - place) < 1e-5, (time, found)
    to_blender.Adding.assign(box, bpy.data.actions["flip"])
    for time, degrees in ((0.5, 0), (0.9, 0), (1, 170), (1.9, 170), (2, 0)):
        assert abs(shown(time)[0] - degrees) < 0.01, (time, shown(time))


def groups_move() -> None:
    """An animated node with children is an object with its action, and its children move with it."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    made = scene([animation("walk", 1.0)])
    below = Made(**{**vars(made.nodes[0]), "name": "below"})
    made.nodes[0].children = [1]
    made.nodes.append(below)
    made.world_matrices = lambda: [np.eye(4)] * 2
    to_blender.add(bpy.context, made, "test")
    assert [action.name for action in bpy.data.actions] == ["walk"]
    bpy.context.scene.frame_set(24)
    bpy.context.view_layer.update()
    assert abs(bpy.data.objects["below"].matrix_world.translation.x - 1) < 1e-4


actions_stay()
vertices_are_welded()
weights_move()
keys_are_interpolated()
groups_move()
print("ok")
