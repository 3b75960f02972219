# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports and exports Roblox animations in Blender: `pip install bpy numpy` and the wheel, then `python test/animation.py`.

The expected positions of parts are computed here from the tables of R6 and R15, with
`part1 = part0 · C0 · Transform · C1⁻¹`, and from the XML that is written.
"""

import math
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion, Vector

sys.path[:0] = map(str, (Path(__file__).parent, Path(__file__).parents[2]))
import blender as extension  # noqa: E402
import rezkit  # noqa: E402
from blender import animation, from_blender  # noqa: E402
from running import run  # noqa: E402

NONE, UP = ((1, 0, 0), (0, 1, 0), (0, 0, 1)), ((-1, 0, 0), (0, 0, 1), (0, 1, 0))
RIGHT, LEFT = ((0, 0, 1), (0, 1, 0), (-1, 0, 0)), ((0, 0, -1), (0, 1, 0), (1, 0, 0))
R6 = [
    ("HumanoidRootPart", "Torso", (0, 0, 0), (0, 0, 0), UP),
    ("Torso", "Head", (0, 1, 0), (0, -0.5, 0), UP),
    ("Torso", "Right Arm", (1, 0.5, 0), (-0.5, 0.5, 0), RIGHT),
    ("Torso", "Left Arm", (-1, 0.5, 0), (0.5, 0.5, 0), LEFT),
    ("Torso", "Right Leg", (1, -1, 0), (0.5, 1, 0), RIGHT),
    ("Torso", "Left Leg", (-1, -1, 0), (-0.5, 1, 0), LEFT),
]
R15 = [
    ("HumanoidRootPart", "LowerTorso", (0, -1, 0), (0, -0.2, 0), NONE),
    ("LowerTorso", "UpperTorso", (0, 0.2, 0), (0, -0.8, 0), NONE),
    ("UpperTorso", "Head", (0, 0.8, 0), (0, -0.5, 0), NONE),
    ("UpperTorso", "RightUpperArm", (1, 0.563, 0), (-0.5, 0.394, 0), NONE),
    ("RightUpperArm", "RightLowerArm", (0, -0.334, 0), (0, 0.2587, 0), NONE),
    ("RightLowerArm", "RightHand", (0, -0.501, 0), (0, 0.125, 0), NONE),
    ("UpperTorso", "LeftUpperArm", (-1, 0.563, 0), (0.5, 0.394, 0), NONE),
    ("LeftUpperArm", "LeftLowerArm", (0, -0.334, 0), (0, 0.2587, 0), NONE),
    ("LeftLowerArm", "LeftHand", (0, -0.501, 0), (0, 0.125, 0), NONE),
    ("LowerTorso", "RightUpperLeg", (0.5, -0.2, 0), (0, 0.4208, 0), NONE),
    ("RightUpperLeg", "RightLowerLeg", (0, -0.401, 0), (0, 0.379, 0), NONE),
    ("RightLowerLeg", "RightFoot", (0, -0.547, 0), (0, 0.102, 0), NONE),
    ("LowerTorso", "LeftUpperLeg", (-0.5, -0.2, 0), (0, 0.4208, 0), NONE),
    ("LeftUpperLeg", "LeftLowerLeg", (0, -0.401, 0), (0, 0.379, 0), NONE),
    ("LeftLowerLeg", "LeftFoot", (0, -0.547, 0), (0, 0.102, 0), NONE),
]
# From Roblox's axes to Blender's.
TURN = Matrix(((1, 0, 0, 0), (0, 0, -1, 0), (0, 1, 0, 0), (0, 0, 0, 1)))
PARTS = ("Pos", "X Y Z"), ("R", "00 01 02 10 11 12 20 21 22")
NUMBERS = ("X", "Y", "Z", "R00", "R01", "R02", "R10", "R11", "R12", "R20", "R21", "R22")


def frame(place, rows) -> Matrix:
    made = Matrix(rows).to_4x4()
    made.translation = place
    return made


def pose(place=(0, 0, 0), degrees=(0, 0, 0)) -> Matrix:
    return Matrix.Translation(place) @ Euler([math.radians(each) for each in degrees]).to_matrix().to_4x4()


def places(rig, poses: dict[str, Matrix]) -> dict[str, Matrix]:
    """The frames of the parts relative to the root."""
    found = {"HumanoidRootPart": Matrix()}
    for part0, part1, c0, c1, rows in rig:
        found[part1] = found[part0] @ frame(c0, rows) @ poses.get(part1, Matrix()) @ frame(c1, rows).inverted()
    return found


def text(rig, sequences) -> str:
    """A document with a KeyframeSequence for each name. Its keys are times and poses of parts."""
    def cframe(matrix):
        numbers = [*matrix.translation, *(each for row in matrix.to_3x3() for each in row)]
        inner = "".join(f"<{name}>{number:.9g}</{name}>" for name, number in zip(NUMBERS, numbers, strict=True))
        return f'<CoordinateFrame name="CFrame">{inner}</CoordinateFrame>'

    def posed(part, poses):
        inner = "".join(posed(part1, poses) for part0, part1, *_ in rig if part0 == part)
        weight = int(part in poses)
        return (
            f'<Item class="Pose"><Properties><string name="Name">{part}</string>{cframe(poses.get(part, Matrix()))}'
            f'<float name="Weight">{weight}</float></Properties>{inner}</Item>'
        )

    def one(name, keys, markers=(), loop="true", priority=2):
        frames = "".join(
            f'<Item class="Keyframe"><Properties><string name="Name">Keyframe</string><float name="Time">{time}</float></Properties>'
            + posed("HumanoidRootPart", poses)
            + "".join(
                f'<Item class="KeyframeMarker"><Properties><string name="Name">{marker}</string>'
                f'<string name="Value">{value}</string></Properties></Item>'
                for at, marker, value in markers
                if at == time
            )
            + "</Item>"
            for time, poses in keys
        )
        return (
            f'<Item class="KeyframeSequence"><Properties><string name="Name">{name}</string><bool name="Loop">{loop}</bool>'
            f'<token name="Priority">{priority}</token></Properties>{frames}</Item>'
        )

    return f'<roblox version="4">{"".join(one(*sequence) for sequence in sequences)}</roblox>'


def read(path) -> dict[str, dict]:
    """Parses the KeyframeSequences of an XML document."""
    def value(item, name):
        return next((each.text for each in item.find("Properties") if each.get("name") == name), None)

    def matrix(item):
        cframe = next(each for each in item.find("Properties") if each.get("name") == "CFrame")
        numbers = [float(cframe.find(name).text) for name in NUMBERS]
        return frame(numbers[:3], (numbers[3:6], numbers[6:9], numbers[9:12]))

    found = {}
    for sequence in ET.parse(path).getroot().iter("Item"):
        if sequence.get("class") != "KeyframeSequence":
            continue
        keys, markers = {}, []
        for item in (each for each in sequence.iter("Item") if each.get("class") == "Keyframe"):
            time = float(value(item, "Time"))
            for each in item.iter("Item"):
                if each.get("class") == "Pose" and float(value(each, "Weight") or 1) > 0:
                    keys.setdefault(value(each, "Name"), []).append((time, matrix(each)))
                elif each.get("class") == "KeyframeMarker":
                    markers.append((time, value(each, "Name"), value(each, "Value")))
        found[value(sequence, "Name")] = {
            "keys": keys, "markers": markers, "loop": value(sequence, "Loop"), "priority": int(value(sequence, "Priority"))
        }
    return found


def at(keys, time) -> Matrix:
    """The pose at a time, interpolated between two keys along the shorter arc."""
    before = max((key for key in keys if key[0] <= time), key=lambda key: key[0], default=keys[0])
    after = min((key for key in keys if key[0] > time), key=lambda key: key[0], default=before)
    part = 0 if after[0] <= before[0] else (time - before[0]) / (after[0] - before[0])
    made = before[1].to_quaternion().slerp(after[1].to_quaternion(), part).to_matrix().to_4x4()
    made.translation = before[1].translation.lerp(after[1].translation, part)
    return made


def shown(armature, rig, rest) -> dict[str, Matrix]:
    """The frames of the parts that follow the bones, in Roblox's axes, relative to the root at rest."""
    graph = bpy.context.evaluated_depsgraph_get()
    bones = armature.evaluated_get(graph).pose.bones
    found = {}
    for _, part, *_ in rig:
        bone = bones[part]
        moved = bone.matrix @ bone.bone.matrix_local.inverted()
        found[part] = TURN.inverted() @ moved @ TURN @ rest[part]
    return found


def far(a: Matrix, b: Matrix) -> tuple[float, float]:
    """The distance between two frames, in studs and degrees."""
    turn = math.degrees(a.to_quaternion().rotation_difference(b.to_quaternion()).angle)
    return (a.translation - b.translation).length, min(turn, 360 - turn)


def fresh(fps=30):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = fps


def file(content: str) -> str:
    path = Path(tempfile.mkdtemp(), "anim.rbxmx")
    path.write_text(content)
    return str(path)


WAVE = {
    "R15": (R15, [
        (0, {"LowerTorso": pose((0, 0.1, 0)), "RightUpperArm": pose(degrees=(0, 0, 20)), "RightLowerArm": pose()}),
        (0.5, {"LowerTorso": pose((0.2, -0.3, 0.1), (0, 25, 0)), "RightUpperArm": pose((0, 0.1, 0), (10, 0, 110)), "RightLowerArm": pose(degrees=(70, 0, 0))}),
        (1.3, {"LowerTorso": pose(degrees=(5, -10, 0)), "RightUpperArm": pose(degrees=(0, 30, 60)), "RightLowerArm": pose(degrees=(15, 0, 30))}),
    ]),
    "R6": (R6, [
        (0, {"Torso": pose((0, 0.1, 0.2)), "Left Arm": pose(degrees=(0, 0, -30)), "Head": pose(degrees=(10, 0, 0))}),
        (0.4, {"Torso": pose((0.1, 0, 0), (0, 0, 35)), "Left Arm": pose(degrees=(20, 0, -120)), "Head": pose(degrees=(-10, 0, 40))}),
        (1, {"Torso": pose(), "Left Arm": pose(degrees=(0, 0, 30)), "Head": pose()}),
    ]),
}


def plays_as_in_roblox() -> None:
    """The import makes an armature whose bones move the parts as the formula demands, at 20 times."""
    for name, (rig, keys) in WAVE.items():
        fresh()
        assert bpy.ops.import_scene.roblox_animation(filepath=file(text(rig, [("wave", keys)]))) == {"FINISHED"}
        armature = next(each for each in bpy.data.objects if each.type == "ARMATURE")
        assert {bone.name for bone in armature.data.bones} == {part for row in rig for part in row[:2]}
        # The feet of the built-in avatars are on the ground.
        up = TURN.inverted() @ armature.data.bones["HumanoidRootPart"].matrix_local.translation
        rest = {part: Matrix.Translation(up) @ matrix for part, matrix in places(rig, {}).items()}
        tracks = {part: [(time, poses[part]) for time, poses in keys if part in poses] for part in keys[0][1]}
        worst = [0.0, 0.0]
        for step in range(20):
            time = keys[-1][0] * step / 19
            bpy.context.scene.frame_set(int(time * 30), subframe=time * 30 % 1)
            expected = places(rig, {part: at(track, time) for part, track in tracks.items()})
            for part, place in shown(armature, rig, rest).items():
                studs, degrees = far(place, Matrix.Translation(up) @ expected[part])
                worst = [max(worst[0], studs), max(worst[1], degrees)]
        print(name, "imported:", worst)
        assert worst[0] < 5e-3 and worst[1] < 0.2, (name, worst)
        boxes = [each for each in bpy.data.objects if each.type == "MESH"]
        assert len(boxes) >= len(rig), boxes


def comes_back() -> None:
    """Imported keys are exported again: poses at 100 times, name, loop, priority and markers are the same."""
    for name, (rig, keys) in WAVE.items():
        fresh(60)
        markers = [(keys[1][0], "Hit", "left")]
        content = text(rig, [("wave", keys, markers, "false", 3), ("other", keys[:2], (), "true", 1)])
        bpy.ops.import_scene.roblox_animation(filepath=file(content))
        armature = next(each for each in bpy.data.objects if each.type == "ARMATURE")
        bpy.context.view_layer.objects.active = armature
        assert armature.animation_data.action.name == "wave"
        out = str(Path(tempfile.mkdtemp(), "out.rbxmx"))
        bpy.ops.export_scene.roblox_animation(filepath=out, actions="ALL", degrees=0.005, studs=1e-5)
        found = read(out)
        assert list(found) == ["wave", "other"], list(found)
        assert [found["wave"][each] for each in ("loop", "priority")] == ["false", 3]
        assert [found["other"][each] for each in ("loop", "priority")] == ["true", 1]
        [(time, marker, value)] = found["wave"]["markers"]
        assert (marker, value) == ("Hit", "left") and abs(time - keys[1][0]) < 1e-6
        assert found["wave"]["keys"].keys() == keys[0][1].keys(), found["wave"]["keys"].keys()
        worst = [0.0, 0.0]
        for part, track in found["wave"]["keys"].items():
            own = [(time, poses[part]) for time, poses in keys]
            # Between keys, Blender's linear interpolation is within 0.1 degrees of the arc.
            times = [time for time, _ in own]
            for time in times:
                studs, degrees = far(at(track, time), at(own, time))
                worst = [max(worst[0], studs), max(worst[1], degrees)]
        print(name, "back:", worst)
        assert worst[0] < 1e-4 and worst[1] < 0.01, worst
        bpy.ops.export_scene.roblox_animation(filepath=out, actions="ACTIVE", priority="IDLE", loop="ON")
        found = read(out)
        assert list(found) == ["wave"] and (found["wave"]["loop"], found["wave"]["priority"]) == ("true", 0)


def later_keys_count() -> None:
    """Keys after or before those of the import are exported, as all keys are if they are moved; those outside of a frame range
    that was set by hand are listed. A pause at the start of the file stays."""
    keys = [(0.5, {"LowerTorso": pose()}), (1, {"LowerTorso": pose(degrees=(0, 30, 0))})]
    out = str(Path(tempfile.mkdtemp(), "out.rbxmx"))

    def times() -> list[float]:
        assert bpy.ops.export_scene.roblox_animation(filepath=out) == {"FINISHED"}
        return [round(time, 3) for time, _ in read(out)["wave"]["keys"]["LowerTorso"]]

    fresh()
    bpy.ops.import_scene.roblox_animation(filepath=file(text(R15, [("wave", keys)])))
    armature = bpy.context.object
    action = armature.animation_data.action
    assert times()[-1] == 1 and action.frame_range[:] == (0, 30), action.frame_range[:]
    bone = armature.pose.bones["LowerTorso"]
    bone.rotation_quaternion = (1, 0, 0, 0)
    bone.keyframe_insert("rotation_quaternion", frame=75)
    assert times() == [0, 0.5, 1, 2.5], times()
    # Other forms too, and the range itself stays.
    for made in bpy.data.objects:
        made.hide_select = False
        made.select_set(True)
    [made] = rezkit.scene(from_blender.gltf(bpy.context)).animations
    assert abs(made.duration - 2.5) < 1e-3 and action.frame_range[:] == (0, 30), made.duration
    for curve in animation.curves_of(action):
        for point in curve.keyframe_points:
            point.co.x -= 100
    assert times() == [0, 0.5, 1, 2.5], times()
    action.frame_start, action.frame_end = -85, -70
    assert times() == [0, 0.5], times()
    for made in (animation.convert(bpy.context, armature, [action], "rbxm", rig="R15"), from_blender.convert(bpy.context, "m3d", "x", False)):
        [count] = [loss.count for loss in made.losses if "manual frame range" in loss.what]
        assert count == 4, made.losses


def onto_an_armature() -> None:
    """An armature in another direction, twice as large, with Euler angles and other bones above: limbs point the same way."""
    rig, keys = WAVE["R15"]
    fresh()
    data = bpy.data.armatures.new("hero")
    hero = bpy.data.objects.new("hero", data)
    bpy.context.scene.collection.objects.link(hero)
    bpy.context.view_layer.objects.active = hero
    hero.rotation_euler = (0, 0, math.radians(30))
    bpy.context.view_layer.update()
    bpy.ops.object.mode_set(mode="EDIT")
    rest = places(rig, {})
    # Roblox looks along -z, and this armature along Blender's -y, with 2 units for a stud.
    about = Matrix.Rotation(math.pi, 4, "Z") @ TURN @ Matrix.Scale(2, 4)
    bones = {}
    for part0, part1, c0, _, rows in rig:
        bone = bones[part1] = data.edit_bones.new(part1.replace("Right", "Right_").replace("Left", "left "))
        bone.head = about @ (rest[part0] @ Vector(c0))
        bone.tail = bone.head + Vector((0.3, 0.2, 0.7))
        bone.roll = 0.4
        bone.parent = bones.get(part0)
    names = {part: bone.name for part, bone in bones.items()}
    bpy.ops.object.mode_set(mode="OBJECT")
    hero.pose.bones[names["RightUpperArm"]].rotation_mode = "XYZ"
    bpy.ops.import_scene.roblox_animation(filepath=file(text(rig, [("wave", keys)])), onto="ACTIVE")
    assert len([each for each in bpy.data.objects if each.type == "ARMATURE"]) == 1
    worst = 0.0
    for time, poses in keys:
        bpy.context.scene.frame_set(round(time * 30))
        expected = places(rig, poses)
        shown = hero.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        for part0, part1, c0, *_ in rig:
            if part1 not in poses:
                continue
            joint = about @ ((expected[part0] @ Vector(c0)) + (expected[part0] @ frame(c0, NONE) @ poses[part1]).translation - expected[part0] @ Vector(c0))
            worst = max(worst, (shown[names[part1]].head - joint).length)
    print("onto an armature:", worst)
    assert worst < 2e-3, worst


def objects_do_not_matter() -> None:
    """Positions and rotations are the same wherever the armature's object is, however it is turned, and whatever its scale."""
    out = str(Path(tempfile.mkdtemp(), "out.rbxmx"))
    for name, (rig, keys) in WAVE.items():
        # The second time as an armature of an artist, whose y axis is up.
        for is_own in (True, False):
            fresh()
            bpy.ops.import_scene.roblox_animation(filepath=file(text(rig, [("wave", keys)])))
            armature = bpy.context.object
            if not is_own:
                del armature[animation.RIG]
                armature.data.transform(Matrix.Rotation(-math.pi / 2, 4, "X"))
            scales = (1, 2, 0.01) if is_own or name == "R15" else (1,)
            for angles in ((0, 0, 0), (85, 0, 0), (90, 0, 0), (0, 180, 0), (20, 30, 100)):
                for scale in scales:
                    turn = Euler([math.radians(each) for each in angles])
                    armature.matrix_world = Matrix.LocRotScale((5, 6, 7), turn, (scale,) * 3)
                    bpy.context.view_layer.update()
                    bpy.ops.export_scene.roblox_animation(filepath=out, degrees=0.005, studs=1e-5)
                    for part, track in read(out)["wave"]["keys"].items():
                        own = [(time, poses[part]) for time, poses in keys]
                        for time, _ in own:
                            studs, degrees = far(at(track, time), at(own, time))
                            assert studs < 1e-3 and degrees < 0.05, (name, is_own, angles, scale, part, studs, degrees)
    # The import onto an armature that lies.
    bpy.ops.import_scene.roblox_animation(filepath=file(text(rig, [("again", keys)])), onto="ACTIVE")
    bpy.ops.export_scene.roblox_animation(filepath=out, degrees=0.005, studs=1e-5)
    [(_, found)] = read(out).items()
    for part, track in found["keys"].items():
        assert max(far(at(track, time), poses[part])[1] for time, poses in keys) < 0.05, part


def only_its_own() -> None:
    """Actions of another armature are not exported, and keys that are not written are listed."""
    fresh()
    content = file(text(R15, [("wave", WAVE["R15"][1])]))
    for _ in range(2):
        assert bpy.ops.import_scene.roblox_animation(filepath=content, onto="NEW") == {"FINISHED"}
    hero = bpy.context.view_layer.objects.active
    [action] = animation.actions_of(hero)
    assert action == hero.animation_data.action and bpy.context.selected_objects == [hero]
    head = hero.pose.bones["Head"]
    for frame_, size in ((0, 1), (10, 2)):
        head.scale = (size, 1, 1)
        head.keyframe_insert("scale", index=0, frame=frame_)
        hero.location.x = frame_
        hero.keyframe_insert("location", index=0, frame=frame_)
    found = animation.convert(bpy.context, hero, [action], "rbxm", rig="R15").losses
    lost = {loss.what: (loss.path, loss.count) for loss in found if loss.kind == "left-out"}
    assert lost == {"keys that scale bones": (action.name, 2), "keys that move the armature itself": (action.name, 2)}, lost


def model(joints, sequences) -> str:
    """A document of a model with a rig: `joints` have the numbers of two parts, and `names` are those of the parts."""
    names, links = joints
    numbers = "".join(f"<{name}>{int(name in ('R00', 'R11', 'R22'))}</{name}>" for name in NUMBERS)

    def item(kind, name, inner, number=""):
        return f'<Item class="{kind}" referent="{number}"><Properties><string name="Name">{name}</string>{inner}</Properties></Item>'

    made = "".join(
        item("Part", name, f'<CoordinateFrame name="CFrame">{numbers.replace("<Y>0", f"<Y>{number}")}</CoordinateFrame>'
             '<Vector3 name="size"><X>1</X><Y>1</Y><Z>1</Z></Vector3>', f"p{number}")
        for number, name in enumerate(names)
    )
    made += "".join(
        item("Motor6D", names[b], f'<Ref name="Part0">p{a}</Ref><Ref name="Part1">p{b}</Ref>'
             f'<CoordinateFrame name="C0">{numbers.replace("<Y>0", f"<Y>{b - a}")}</CoordinateFrame>'
             f'<CoordinateFrame name="C1">{numbers}</CoordinateFrame>')
        for a, b in links
    )
    rig = [(names[a], names[b]) for a, b in links]
    made += text(rig, sequences).removeprefix('<roblox version="4">').removesuffix("</roblox>").replace("HumanoidRootPart", names[0])
    return f'<roblox version="4"><Item class="Model"><Properties><string name="Name">Bot</string></Properties>{made}</Item></roblox>'


def tracks_are_played() -> None:
    """Without an active action, the actions on the tracks that are not muted are exported; without these, the error says so."""
    fresh()
    bpy.ops.import_scene.roblox_animation(filepath=file(text(R15, [(name, WAVE["R15"][1]) for name in ("one", "two", "three")])))
    data = bpy.context.object.animation_data
    data.action = None
    out = str(Path(tempfile.mkdtemp(), "out.rbxmx"))
    try:
        bpy.ops.export_scene.roblox_animation(filepath=out)
    except RuntimeError as error:
        assert "plays no action" in str(error), error
    else:
        raise AssertionError("all tracks are muted")
    data.nla_tracks["two"].mute = False
    assert bpy.ops.export_scene.roblox_animation(filepath=out) == {"FINISHED"}
    assert list(read(out)) == ["two"]
    data.action = bpy.data.actions["one"]
    assert bpy.ops.export_scene.roblox_animation(filepath=out) == {"FINISHED"}
    assert list(read(out)) == ["one"]


def names_of_parts_stay() -> None:
    """Parts have their own bones if their names are the same or nearly so, or longer than those of bones can be."""
    long = "A long name with é " * 6
    names = ("HumanoidRootPart", "Arm", "Left Hand", "LeftHand", "Arm", long)
    keys = [(0, {"Left Hand": pose(), "LeftHand": pose(), long: pose()}), (1, {
        "Left Hand": pose(degrees=(0, 30, 0)), "LeftHand": pose(degrees=(0, -20, 0)), long: pose(degrees=(0, 50, 0)),
    })]
    for count in (6, 4):
        fresh()
        links = [(0, 1), (1, 2), (1, 3), (0, 4), (4, 5)]
        if count == 4:
            # Without a second Arm, since the export refuses such rigs.
            links = [(0, 1), (1, 2), (1, 3), (1, 5)]
        parts = (names, links) if count == 6 else (names[:4] + ("Other", long), links)
        path = file(model(parts, [("wave", keys)]))
        for _ in range(2):
            # The second time onto the armature that the first made.
            assert bpy.ops.import_scene.roblox_animation(filepath=path) == {"FINISHED"}
        [armature] = [each for each in bpy.data.objects if each.type == "ARMATURE"]
        bpy.context.scene.frame_set(30)
        turned = {bone.name: round(math.degrees(bone.matrix_basis.to_quaternion().angle)) for bone in armature.pose.bones}
        wanted = {"HumanoidRootPart": 0, "Arm": 0, "Left Hand": 30, "LeftHand": 20, long.encode()[:63].decode(errors="ignore"): 50}
        assert turned == wanted | ({"Arm.001": 0} if count == 6 else {}), turned
    out = str(Path(tempfile.mkdtemp(), "out.rbxmx"))
    assert bpy.ops.export_scene.roblox_animation(filepath=out) == {"FINISHED"}
    [found] = read(out).values()
    assert {"Left Hand", long} <= found["keys"].keys(), found


def errors() -> None:
    fresh()
    content = file(text(R15, [("wave", WAVE["R15"][1])]))
    try:
        bpy.ops.import_scene.roblox_animation(filepath=content, rig="FILE")
    except RuntimeError as error:
        assert "Rig file" in str(error), error
    else:
        raise AssertionError("a rig without a file")
    for content, expected in (
        ('<roblox version="4"><Item class="Folder"><Properties><string name="Name">x</string></Properties></Item></roblox>', "Folder"),
        (text([("HumanoidRootPart", "Wing", (0, 0, 0), (0, 0, 0), NONE)], [("fly", [(0, {"Wing": pose()}), (1, {"Wing": pose(degrees=(0, 9, 0))})])]), "Wing"),
    ):
        try:
            bpy.ops.import_scene.roblox_animation(filepath=file(content))
        except RuntimeError as error:
            assert expected in str(error), error
        else:
            raise AssertionError(expected)


run(
    extension, plays_as_in_roblox, comes_back, later_keys_count, onto_an_armature, objects_do_not_matter, only_its_own,
    tracks_are_played, names_of_parts_stay, errors,
)
