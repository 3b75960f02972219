# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports Roblox models, motions and uploads from Blender: `pip install bpy numpy` and the wheel, then `python test/exports.py`."""

import math
import re
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion, Vector

sys.path[:0] = map(str, (Path(__file__).parent, Path(__file__).parents[2]))
import blender as extension  # noqa: E402
import rezkit  # noqa: E402
from blender import animation, exports, operators, panel, second_life  # noqa: E402
from running import run  # noqa: E402

FOLDER = Path(tempfile.mkdtemp())


class Layout:
    """A layout that checks the names of what is drawn, and keeps the texts."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def prop(self, data, name: str, **_options) -> None:
        getattr(data, name)

    def prop_search(self, data, name: str, where, names: str, **_options) -> None:
        assert getattr(data, name) in getattr(where, names)

    def operator(self, name: str, **_options) -> SimpleNamespace:
        module, name = name.split(".")
        getattr(getattr(bpy.ops, module), name).get_rna_type()
        self.made = SimpleNamespace()
        return self.made

    def label(self, text: str, **_options) -> None:
        self.texts.append(text)

    def row(self, **_options) -> "Layout":
        return self

    box = column = split = row


def drawn(panel_or_operator, **properties) -> list[str]:
    """The texts that a panel or the dialog of an operator shows."""
    layout = Layout()
    panel_or_operator.draw(SimpleNamespace(layout=layout, **properties), bpy.context)
    return layout.texts


def fresh() -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)


def linked(count: int) -> list[bpy.types.Object]:
    """Objects with the same mesh, each moved, turned and scaled."""
    bpy.ops.mesh.primitive_monkey_add()
    data = bpy.context.object.data
    material = bpy.data.materials.new("orange")
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (1, 0.2462, 0, 1)
    data.materials.append(material)
    made = [bpy.context.object]
    for number in range(1, count):
        each = bpy.data.objects.new(f"Monkey{number}", data)
        bpy.context.scene.collection.objects.link(each)
        made.append(each)
    for number, each in enumerate(made):
        each.location = (4 * (number % 20), 4 * (number // 20), number % 7)
        each.rotation_euler = (0.1 * number, 0.2 * (number % 3), 0.3 * number)
        each.scale = (1, 1 + number % 2, 1 + (number % 3) / 2)
    bpy.ops.object.select_all(action="SELECT")
    bpy.context.view_layer.update()
    return made


def corners(each: bpy.types.Object) -> np.ndarray:
    """The corners of the box around an object's vertices in the world."""
    at = np.array([each.matrix_world @ vertex.co for vertex in each.data.vertices])
    return np.stack([at.min(axis=0), at.max(axis=0)])


def linked_objects_share_a_mesh() -> None:
    """200 linked objects become a model with 200 mesh parts and one mesh, which comes back as linked objects."""
    fresh()
    made = linked(200)
    boxes = {each.name: corners(each) for each in made}
    for name in ("monkeys.rbxm", "monkeys.rbxmx"):
        assert bpy.ops.export_scene.roblox_model(filepath=str(FOLDER / name)) == {"FINISHED"}
        model = rezkit.load(FOLDER / name)
        parts = model.query("MeshPart")
        assert len(parts) == 200 and len({str(part.MeshId) for part in parts}) == 1, len(parts)
        assert {part.Name for part in parts} == boxes.keys()
        assert {tuple(part.Color) for part in parts} == {(255, 136, 0)}, parts[0].Color
        files = sorted(path.name for path in (FOLDER / "monkeys-assets").iterdir())
        assert len(files) == 2 and "manifest.json" in files, files
    fresh()
    assert bpy.ops.import_scene.roblox_place(filepath=str(FOLDER / "monkeys.rbxm")) == {"FINISHED"}
    back = [each for each in bpy.data.objects if each.type == "MESH"]
    assert len(back) == 200 and len({each.data for each in back}) == 1, (len(back), len({each.data for each in back}))
    for each in back:
        assert np.allclose(corners(each), boxes[each.name], atol=1e-3), (each.name, corners(each), boxes[each.name])


def objects_go_into_a_place() -> None:
    """Nothing else of the place changes; collections become models, exact boxes parts."""
    place = rezkit.RobloxDocument.new("place")
    place.insert("Workspace", "Part", Name="Floor", Size=(64, 1, 64))
    place.insert("Workspace", "Folder", Name="Things")
    place.save(FOLDER / "place.rbxl")
    fresh()
    bpy.ops.mesh.primitive_cube_add(size=2)
    box = bpy.context.object
    bpy.ops.mesh.primitive_monkey_add(location=(5, 0, 1))
    inner = bpy.data.collections.new("Inner")
    bpy.context.scene.collection.children.link(inner)
    bpy.context.scene.collection.objects.unlink(bpy.context.object)
    inner.objects.link(bpy.context.object if bpy.context.object else bpy.data.objects["Suzanne"])
    box.select_set(True)
    path = FOLDER / "out.rbxl"
    options = {"filepath": str(path), "place": str(FOLDER / "place.rbxl"), "parent": "Workspace/Things", "source": "COLLECTION", "parts": True}
    before = [each.name for each in bpy.context.selected_objects]
    assert bpy.ops.export_scene.roblox_model(**options) == {"FINISHED"}
    assert [each.name for each in bpy.context.selected_objects] == before
    found = rezkit.RobloxDocument.load(path)
    assert found["Workspace/Floor"].Size == (64, 1, 64)
    [part] = found.query("#Things >> Part")
    assert part.Name == "Cube" and part.Size == (2, 2, 2), part.Size
    [mesh] = found.query("#Things >> MeshPart")
    assert mesh.Position.x == 5 and "/Inner/" in mesh.path, mesh.path
    # Without the new parts, it is the old place.
    for each in found["Workspace/Things"].children:
        each.remove()
    changes = rezkit.diff(place, found)
    assert not [change for change in changes if not change.path.startswith("Workspace/Things")], changes
    # A place of its own, and errors.
    assert bpy.ops.export_scene.roblox_model(filepath=str(FOLDER / "new.rbxlx"), source="COLLECTION") == {"FINISHED"}
    assert len(rezkit.load(FOLDER / "new.rbxlx").query("Workspace >> MeshPart")) == 2
    for options, text in (({"place": str(FOLDER / "none.rbxl")}, "none.rbxl"), ({"place": str(FOLDER / "place.rbxl"), "parent": "Workspace/No"}, "No")):
        try:
            bpy.ops.export_scene.roblox_model(filepath=str(path), source="COLLECTION", **options)
        except RuntimeError as error:
            assert text in str(error) and "Error: '" not in str(error), error
        else:
            raise AssertionError(text)


def own_rig() -> bpy.types.Object:
    """An armature of a figure of fifteen bones with names of their own, moved by a control bone with a constraint."""
    data = bpy.data.armatures.new("figure")
    made = bpy.data.objects.new("figure", data)
    bpy.context.scene.collection.objects.link(made)
    bpy.context.view_layer.objects.active = made
    bpy.ops.object.mode_set(mode="EDIT")
    heads = {
        "LowerTorso": (None, (0, 0, 2)), "UpperTorso": ("LowerTorso", (0, 0, 2.4)), "Head": ("UpperTorso", (0, 0, 4)),
        **{
            f"{side}{part}": (above and (above if above[:2] in ("Up", "Lo") and above.endswith("Torso") else f"{side}{above}"), (sign * x, 0, z))
            for side, sign in (("Left", -1), ("Right", 1))
            for part, above, x, z in (
                ("UpperArm", "UpperTorso", 1, 3.6), ("LowerArm", "UpperArm", 1, 2.8), ("Hand", "LowerArm", 1, 2),
                ("UpperLeg", "LowerTorso", 0.5, 1.9), ("LowerLeg", "UpperLeg", 0.5, 1), ("Foot", "LowerLeg", 0.5, 0.2),
            )
        },
    }
    bones = {}
    for number, (part, (above, head)) in enumerate(heads.items()):
        bones[part] = bone = data.edit_bones.new(f"joint.{number:02}")
        bone.head = head
        down = -0.7 if part.startswith(("Left", "Right")) else 0.7
        bone.tail = Vector(head) + Vector((0, -0.3, 0) if part.endswith("Foot") else (0, 0, down))
        bone.parent = bones.get(above)
    names = {part: bone.name for part, bone in bones.items()}
    control = data.edit_bones.new("LeftHand")
    control.head, control.tail = (3, 0, 0), (3, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    follow = made.pose.bones[names["RightUpperArm"]].constraints.new("COPY_ROTATION")
    follow.target, follow.subtarget, follow.target_space, follow.owner_space = made, "LeftHand", "LOCAL", "LOCAL"
    follow.mix_mode = "ADD"
    action = bpy.data.actions.new("wave")
    made.animation_data_create().action = action
    bone = made.pose.bones["LeftHand"]
    bone.rotation_mode = "QUATERNION"
    for frame, degrees in ((1, 0), (25, 90)):
        bone.rotation_quaternion = Euler((math.radians(degrees), 0, 0)).to_quaternion()
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    made["names"] = names
    return made


def bones_go_to_parts_by_a_table() -> None:
    """A rig with names of its own, moved by a control bone, poses R15 as the table of the dialog says."""
    fresh()
    made = own_rig()
    names = dict(made["names"])
    table = [{"name": part, "part": part, "bone": bone} for part, bone in names.items()]
    path = FOLDER / "wave.rbxmx"
    assert bpy.ops.export_scene.roblox_animation(filepath=str(path), rig="R15", use_table=True, table=table) == {"FINISHED"}
    document = rezkit.load(path)
    last = max(document.query("Keyframe"), key=lambda each: each.Time)
    poses = [pose for pose in document.query("Pose") if pose.path.startswith(last.path + "/")]
    moved = {}
    for pose in poses:
        turn = np.array(pose.CFrame)[:3, :3]
        angle = math.degrees(math.acos(max(-1.0, min(1.0, (np.trace(turn) - 1) / 2))))
        if angle > 1:
            moved[pose.Name] = angle
    assert moved.keys() == {"RightUpperArm"} and abs(moved["RightUpperArm"] - 90) < 0.5, moved
    # The arm of the figure and that of the avatar point the same way.
    bpy.context.scene.frame_set(25)
    bone = made.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[names["RightUpperArm"]]
    points = (bone.tail - bone.head).normalized()
    x, y, z = np.array(next(each for each in poses if each.Name == "RightUpperArm").CFrame)[:3, :3] @ (0, -1, 0)
    assert (Vector((x, -z, y)) - points).length < 0.02, (Vector((x, -z, y)), points)
    rows = [SimpleNamespace(**row) for row in table]
    options = {name: None for name in ("actions", "rig_file", "curves", "priority", "loop", "degrees", "studs")}
    texts = drawn(operators.EXPORT_SCENE_OT_roblox_animation, rig="FILE", use_table=True, table=rows, **options)
    assert texts == list(names), texts
    texts = drawn(operators.EXPORT_SCENE_OT_roblox_animation, rig="FILE", use_table=True, table=[], **options)
    assert texts == ["Choose a Rig file that has joints"], texts
    # The armature remembers the table, for the next export and for the import.
    assert animation.table_of(made, list(names)) == names
    assert bpy.ops.export_scene.roblox_animation(filepath=str(path), rig="R15", use_table=True) == {"FINISHED"}
    assert len(rezkit.load(path).query("Keyframe")) > 1
    fresh_names = {action.name for action in bpy.data.actions}
    assert bpy.ops.import_scene.roblox_animation(filepath=str(path), onto="ACTIVE") == {"FINISHED"}
    [action] = [action for action in bpy.data.actions if action.name not in fresh_names]
    assert animation.keyed(action) >= {names["RightUpperArm"]}, animation.keyed(action)
    # Without the table, no bone has the name of a part but the control.
    try:
        bpy.ops.export_scene.roblox_animation(filepath=str(path), rig="R15", use_table=True, table=[{"name": "Head", "part": "Head", "bone": ""}])
    except RuntimeError as error:
        raise AssertionError(error) from error


def motions_go_out() -> None:
    """An action becomes `.anim` and `.bvh`, which come back with the same turn."""
    fresh()
    bones = {"mPelvis": None, "mTorso": "mPelvis", "mChest": "mTorso"}
    data = bpy.data.armatures.new("avatar")
    made = bpy.data.objects.new("avatar", data)
    bpy.context.scene.collection.objects.link(made)
    bpy.context.view_layer.objects.active = made
    bpy.ops.object.mode_set(mode="EDIT")
    for number, (name, above) in enumerate(bones.items()):
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = (0, 0, 1 + number * 0.2), (0, 0, 1.2 + number * 0.2)
        bone.parent = data.edit_bones.get(above or "")
    bpy.ops.object.mode_set(mode="OBJECT")
    action = bpy.data.actions.new("bow")
    made.animation_data_create().action = action
    pose = made.pose.bones["mTorso"]
    for frame, degrees in ((1, 0), (25, 30)):
        pose.rotation_quaternion = Euler((math.radians(degrees), 0, 0)).to_quaternion()
        pose.keyframe_insert("rotation_quaternion", frame=frame)
    for name in ("bow.anim", "bow.bvh"):
        assert bpy.ops.export_scene.second_life_motion(filepath=str(FOLDER / name)) == {"FINISHED"}
        scene = rezkit.scene(FOLDER / name)
        [played] = scene.animations
        assert abs(played.duration - 1) < 0.05, (name, played.duration)
        [turns] = [each.values for each in played.channels if scene.nodes[each.node].name == "mTorso" and each.path == "rotation"]
        first, last = (Quaternion((w, x, y, z)) for x, y, z, w in (turns[0].tolist(), turns[-1].tolist()))
        assert abs(math.degrees(first.rotation_difference(last).angle) - 30) < 0.5, (name, first, last)
        before = set(bpy.data.actions)
        assert bpy.ops.import_scene.second_life(filepath=str(FOLDER / name)) == {"FINISHED"}
        # BVH has no name of its own.
        [action] = set(bpy.data.actions) - before
        assert action.name.startswith("bow"), action.name
        bpy.context.view_layer.objects.active = made
    bpy.ops.mesh.primitive_cube_add()
    for operator in (bpy.ops.export_scene.second_life_motion, bpy.ops.export_scene.roblox_animation):
        try:
            operator(filepath=str(FOLDER / "none"))
        except RuntimeError as error:
            assert "has to be an armature" in str(error), error
        else:
            raise AssertionError(operator)
    assert drawn(exports.EXPORT_SCENE_OT_motion, priority=3, loop=True, ease=(0, 0), joints="") == []
    assert ".anim" in extension.operators.FORMATS[2][2] and ".bvh" in extension.operators.FORMATS[2][2]


def several_objects_are_a_linkset() -> None:
    """Several objects are objects of the uploader's file."""
    fresh()
    bpy.ops.mesh.primitive_cube_add(size=2)
    bpy.ops.mesh.primitive_monkey_add(location=(4, 1, 0.5))
    bpy.ops.object.select_all(action="SELECT")
    boxes = {each.name: corners(each) for each in bpy.context.selected_objects}
    assert bpy.ops.export_scene.rezkit(filepath=str(FOLDER / "set.slm"), form="slm") == {"FINISHED"}
    fresh()
    assert bpy.ops.import_scene.second_life(filepath=str(FOLDER / "set.slm")) == {"FINISHED"}
    back = {each.name: each for each in bpy.data.objects if each.type == "MESH"}
    assert len(back) == 2, list(back)
    for each in back.values():
        name = next(name for name in boxes if each.name.startswith(name) or each.parent and each.parent.name.startswith(name))
        assert np.allclose(corners(each), boxes[name], atol=2e-3), (name, corners(each), boxes[name])


def uploads_are_computed() -> None:
    """The panel has levels, physics and land impact; hulls are shown around the object, and hidden again."""
    fresh()
    bpy.ops.mesh.primitive_monkey_add(location=(3, 2, 1))
    monkey = bpy.context.object
    result = bpy.context.window_manager.rezkit_second_life
    assert bpy.ops.rezkit.second_life() == {"FINISHED"}
    assert result.of == panel.chosen(bpy.context) and result.cost[0].isdigit(), result.cost
    texts = drawn(second_life.REZKIT_PT_second_life)
    assert texts[0].startswith("Land impact") and any(text.startswith("Physics: ") for text in texts), texts
    [row] = result.objects
    counts = list(row.triangles)
    assert counts == sorted(counts, reverse=True) and counts[0] == 968 and counts[3] < 100, counts
    assert row.shape.endswith("points") and row.cost > 0, row.shape
    shown = bpy.data.collections[second_life.SHOWN]
    hulls = [each for each in shown.all_objects if each.type == "MESH"]
    assert len(hulls) == int(row.shape.split()[0]) > 1, (len(hulls), row.shape)
    boxes = np.array([corners(each) for each in hulls])
    assert np.allclose([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)], corners(monkey), atol=0.05), (boxes, corners(monkey))
    # Nothing but hulls with the name of the object, in several colours; they are neither rendered nor exported.
    assert list(shown.all_objects) == hulls and {each.name for each in hulls} == {f"Suzanne_HULL{n}" for n in range(len(hulls))}
    assert len({tuple(each.active_material.diffuse_color) for each in hulls}) == 8 and all(each.hide_render for each in hulls)
    assert bpy.ops.export_scene.roblox_model(filepath=str(FOLDER / "hulls.rbxm"), source="COLLECTION") == {"FINISHED"}
    assert len(rezkit.load(FOLDER / "hulls.rbxm").query("MeshPart")) == 1
    # Places have Blender's axes: the hulls of the ear are above the ground.
    [finding] = [each.name for each in result.findings if "near" in each.name]
    place = [float(each) for each in re.search(r"near x (\S+), y (\S+), z ([\d.-]+)\)", finding).groups()]
    low, high = corners(monkey)
    assert (low - 0.3 < place).all() and (place < high + 0.3).all(), finding
    assert [each.name for each in bpy.context.selected_objects] == [monkey.name]
    # Again, with other options.
    result.physics, result.limit = "mesh", 0.5
    assert not result.of and drawn(second_life.REZKIT_PT_second_life) == []
    assert bpy.ops.rezkit.second_life() == {"FINISHED"}
    assert "triangles" in result.objects[0].shape and result.objects[0].cost <= 0.5 + 1e-3, result.cost
    [shape] = bpy.data.collections[second_life.SHOWN].all_objects
    assert shape.name == "Suzanne_PHYS" and len(shape.data.polygons) == int(result.objects[0].shape.split()[0]), shape
    assert np.allclose(corners(shape).mean(axis=0), corners(monkey).mean(axis=0), atol=0.3), (corners(shape), corners(monkey))
    result.physics = "none"
    assert bpy.ops.rezkit.second_life() == {"FINISHED"} and second_life.SHOWN not in bpy.data.collections
    result.physics = "mesh"
    assert bpy.ops.rezkit.second_life() == {"FINISHED"}
    assert bpy.ops.rezkit.hide_physics() == {"FINISHED"}
    assert second_life.SHOWN not in bpy.data.collections and len(bpy.data.objects) == 1 == len(bpy.data.meshes)
    assert not bpy.data.materials
    folder = FOLDER / "upload"
    folder.mkdir()
    result.physics, result.limit = "hulls", 0
    assert bpy.ops.export_scene.second_life_upload(directory=str(folder)) == {"FINISHED"}
    assert {"Suzanne.llmesh", "report.html"} <= {path.name for path in folder.iterdir()}
    # Several objects.
    bpy.ops.mesh.primitive_cube_add(location=(-3, 0, 0))
    bpy.ops.object.select_all(action="SELECT")
    assert bpy.ops.rezkit.second_life() == {"FINISHED"}
    assert len(result.objects) == 2
    boxes = np.array([corners(each) for each in bpy.data.collections[second_life.SHOWN].all_objects if each.type == "MESH"])
    wanted = np.array([corners(each) for each in bpy.context.selected_objects])
    assert np.allclose(boxes[:, 0].min(axis=0), wanted[:, 0].min(axis=0), atol=0.05), boxes
    assert np.allclose(boxes[:, 1].max(axis=0), wanted[:, 1].max(axis=0), atol=0.05), boxes
    # A cube has one hull.
    assert {each.name: each.shape for each in result.objects}["Cube"] == "1 hull, 8 points"
    # Many objects: the dearest come first, and most of the others are only counted.
    fresh()
    for number in range(25):
        bpy.ops.mesh.primitive_cube_add(size=0.5 if number else 2, location=(number, 0, 0))
    bpy.ops.mesh.primitive_monkey_add()
    bpy.ops.object.select_all(action="SELECT")
    bpy.context.window_manager.rezkit_second_life.concavity = 0.3
    assert bpy.ops.rezkit.second_life() == {"FINISHED"}
    texts = drawn(second_life.REZKIT_PT_second_life)
    rows = [text for text in texts if re.fullmatch(r"(Cube|Suzanne)[.\d]*: [\d.]+", text)]
    assert len(rows) == second_life.MOST and rows[0].startswith("Suzanne"), rows
    assert "each: 6" in " ".join(texts), texts


def findings_have_names() -> None:
    """Objects that are too large are named, without the numbers of their parts in a file."""
    fresh()
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=260, y_subdivisions=260)
    result = bpy.context.window_manager.rezkit_second_life
    result.physics = "none"
    assert bpy.ops.rezkit.second_life() == {"FINISHED"}
    assert any(each.name.startswith("Grid: expected at most") for each in result.findings), [each.name for each in result.findings]
    bpy.context.window_manager.rezkit_profile = "secondlife-upload"
    assert bpy.ops.rezkit.check() == {"FINISHED"}
    paths = [item.path for item in bpy.context.window_manager.rezkit_findings]
    assert paths and not any("primitives" in path for path in paths), paths
    result.physics = "hulls"


def units_are_listed() -> None:
    """A scale of the scene's units, which only Blender applies, is listed."""
    fresh()
    bpy.ops.mesh.primitive_cube_add()
    scales = {"": 1, "the unit scale 0.01": 0.01}
    for text, scale in scales.items():
        bpy.context.scene.unit_settings.scale_length = scale
        losses = second_life.computed(bpy.context, "cube").losses
        assert [loss.what.split(":")[0] for loss in losses if "unit" in loss.what] == [text] * bool(text), losses
    bpy.context.scene.unit_settings.system = "NONE"
    assert not any("unit" in loss.what for loss in second_life.computed(bpy.context, "cube").losses)


def texts_fit_into_the_panel() -> None:
    """Long texts become several lines; the export has the format of the chosen platform."""
    layout = Layout()
    text = "the physics hulls do not fill openings of an object, such as doorways; " * 3
    panel.paragraph(bpy.context, layout, text, "ERROR")
    assert " ".join(layout.texts) == text.strip() and max(map(len, layout.texts)) < 40, layout.texts
    for profile, form in (("roblox-upload", "4.01"), ("secondlife-upload", "slm")):
        bpy.context.window_manager.rezkit_profile = profile
        layout = Layout()
        panel.REZKIT_PT_check.draw(SimpleNamespace(layout=layout), bpy.context)
        assert layout.made.form == form


def avatar_items_are_checked() -> None:
    """The panel lists what the marketplace would refuse: a hat that is too large, by the names of exchange files."""
    fresh()
    bpy.ops.mesh.primitive_monkey_add(size=9)
    bpy.context.object.name = "Cap"
    point = bpy.data.objects.new("HatAttachment_Att", None)
    bpy.context.scene.collection.objects.link(point)
    point.parent = bpy.context.object
    bpy.ops.object.select_all(action="SELECT")
    manager = bpy.context.window_manager
    manager.rezkit_profile = "roblox-avatar"
    assert bpy.ops.rezkit.check() == {"FINISHED"}
    rules = {item.rule for item in manager.rezkit_findings}
    assert drawn(panel.REZKIT_PT_check)
    assert "roblox-avatar.box" in rules, rules
    # Another type has another attachment, and other numbers another box.
    manager.rezkit_item = "Neck"
    assert not manager.rezkit_checked
    assert bpy.ops.rezkit.check() == {"FINISHED"}
    assert "roblox-avatar.attachment" in {item.rule for item in manager.rezkit_findings}
    manager.rezkit_item = "none"
    numbers = FOLDER / "rules.json"
    numbers.write_text('{"AccessoryRules": {"Hat": {"Attachments": [{"Name": "HatAttachment", "Size": [40, 40, 40], "Offset": [0, 0, 0]}]}}}')
    manager.rezkit_rules = str(numbers)
    assert bpy.ops.rezkit.check() == {"FINISHED"}
    rules = {item.rule for item in manager.rezkit_findings}
    assert "roblox-avatar.box" not in rules and drawn(panel.REZKIT_PT_check), rules
    manager.rezkit_rules = ""
    for name in panel.ITEMS:
        rezkit.RobloxDocument.new("model").avatar_items(item_type=name)


run(
    extension, linked_objects_share_a_mesh, objects_go_into_a_place, bones_go_to_parts_by_a_table, motions_go_out,
    several_objects_are_a_linkset, uploads_are_computed, findings_have_names, units_are_listed, texts_fit_into_the_panel, avatar_items_are_checked,
)
