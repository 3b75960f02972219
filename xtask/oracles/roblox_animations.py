"""Computes from the XML where animations of Roblox documents move parts, and compares this with the GLB that rezkit makes:

    python xtask/oracles/roblox_animations.py [--keep FOLDER] REZKIT [FILE...]

The program reads the XML on its own (rezkit first converts binary documents to XML) and computes
`part1 = part0 · C0 · Transform · C1⁻¹` at 20 times of each animation. It also reads the nodes and the animations of the
GLB on its own. Then rezkit makes XML documents from the GLB, as keyframes and as curves, whose poses are compared with the
originals at 100 times: within 1e-4 studs and 0.01 degrees. Keyframe sequences are not compared as curves, whose times are
multiples of 1/2,400 s. Without files, the program makes documents with each easing style and direction, curves of each
kind, both avatars, and rigs. Prints how many animations are equal, and each that is not.
"""

import base64
import json
import math
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np

ROTATIONS = {
    "-": np.eye(3),
    "A": np.array([[-1, 0, 0], [0, 0, 1], [0, 1, 0]]),
    "B": np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
    "C": np.array([[0, 0, -1], [0, 1, 0], [1, 0, 0]]),
}
R6 = """HumanoidRootPart>Torso 0,0,0 0,0,0 A|Torso>Head 0,1,0 0,-.5,0 A|Torso>Right Arm 1,.5,0 -.5,.5,0 B
Torso>Left Arm -1,.5,0 .5,.5,0 C|Torso>Right Leg 1,-1,0 .5,1,0 B|Torso>Left Leg -1,-1,0 -.5,1,0 C"""
R15 = """HumanoidRootPart>LowerTorso 0,-1,0 0,-.2,0 -|LowerTorso>UpperTorso 0,.2,0 0,-.8,0 -|UpperTorso>Head 0,.8,0 0,-.5,0 -
UpperTorso>RightUpperArm 1,.563,0 -.5,.394,0 -|RightUpperArm>RightLowerArm 0,-.334,0 0,.2587,0 -
RightLowerArm>RightHand 0,-.501,0 0,.125,0 -|UpperTorso>LeftUpperArm -1,.563,0 .5,.394,0 -
LeftUpperArm>LeftLowerArm 0,-.334,0 0,.2587,0 -|LeftLowerArm>LeftHand 0,-.501,0 0,.125,0 -
LowerTorso>RightUpperLeg .5,-.2,0 0,.4208,0 -|RightUpperLeg>RightLowerLeg 0,-.401,0 0,.379,0 -
RightLowerLeg>RightFoot 0,-.547,0 0,.102,0 -|LowerTorso>LeftUpperLeg -.5,-.2,0 0,.4208,0 -
LeftUpperLeg>LeftLowerLeg 0,-.401,0 0,.379,0 -|LeftLowerLeg>LeftFoot 0,-.547,0 0,.102,0 -"""
TIMES = 20


def framed(place, rotation) -> np.ndarray:
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = rotation, place
    return made


def avatar(text: str):
    """Parses a table of joints: for each joint both parts, C0 and C1."""
    made = []
    for row in text.replace("\n", "|").split("|"):
        names, c0, c1, letter = row.rsplit(" ", 3)
        part0, part1 = names.split(">")
        frames = [framed([float(each) for each in c.split(",")], ROTATIONS[letter]) for c in (c0, c1)]
        made.append((part0, part1, *frames))
    return made


def quaternion(m: np.ndarray) -> np.ndarray:
    """The quaternion (x, y, z, w) of a rotation, computed from its largest component."""
    k = np.array([
        [m[0, 0] - m[1, 1] - m[2, 2], 0, 0, 0],
        [m[0, 1] + m[1, 0], m[1, 1] - m[0, 0] - m[2, 2], 0, 0],
        [m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], m[2, 2] - m[0, 0] - m[1, 1], 0],
        [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], m[0, 0] + m[1, 1] + m[2, 2]],
    ])
    values, vectors = np.linalg.eigh(k / 3)
    return vectors[:, np.argmax(values)]


def matrix(q: np.ndarray) -> np.ndarray:
    x, y, z, w = q / np.linalg.norm(q)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])


def slerp(a, b, part):
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    dot = float(a @ b)
    if dot < 0:
        b, dot = -b, -dot
    angle = math.acos(min(dot, 1))
    if angle < 1e-9:
        return a
    # The formula below is inaccurate for small angles, so that these are interpolated linearly.
    if angle < 1e-4:
        return a + (b - a) * part
    return (math.sin((1 - part) * angle) * a + math.sin(part * angle) * b) / math.sin(angle)


def bounce(x):
    for end, start, up in ((1, 0, 0), (2, 1.5, 0.75), (2.5, 2.25, 0.9375), (9, 2.625, 0.984375)):
        if x < end / 2.75:
            return 7.5625 * (x - start / 2.75) ** 2 + up
    return 1.0


def eased(style, direction, x):
    """The progress of a pose. Styles: Linear, Constant, Elastic, Cubic, Bounce, CubicV2; directions: In, Out, InOut."""
    if style == 1:
        return {0: 1.0, 1: 0.0, 2: float(x >= 0.5)}[direction]
    if style == 2:
        if direction == 1:
            return 1 + 2 ** (-10 * x) * math.sin(2 * math.pi * (x - 0.075) / 0.3)
        if direction == 0:
            return -(2 ** (10 * x - 10)) * math.sin(2 * math.pi * (x - 1.075) / 0.3)
        sine = math.sin(2 * math.pi * (2 * x - 1.1125) / 0.45)
        return -0.5 * 2 ** (20 * x - 10) * sine if x < 0.5 else 1 + 0.5 * 2 ** (10 - 20 * x) * sine
    out = {3: lambda x: 1 - (1 - x) ** 3, 4: bounce, 5: lambda x: 1 - (1 - x) ** 3}.get(style)
    if out is None:
        return x
    if direction == 1:
        return out(x)
    if direction == 0:
        return 1 - out(1 - x)
    return (1 - out(1 - 2 * x)) / 2 if x < 0.5 else (1 + out(2 * x - 1)) / 2


class Item:
    def __init__(self, element, parent):
        self.type, self.parent = element.get("class"), parent
        self.props = {each.get("name"): each for each in element.find("Properties") if each.get("name")} if element.find("Properties") is not None else {}
        self.referent = element.get("referent")
        self.children = [Item(each, self) for each in element if each.tag == "Item"]

    def text(self, name, default=""):
        found = self.props.get(name)
        return default if found is None else found.text or ""

    @property
    def name(self):
        return self.text("Name", self.type)

    def frame(self, name):
        found = self.props.get(name)
        if found is None:
            return np.eye(4)
        numbers = {each.tag: float(each.text) for each in found}
        return framed([numbers[each] for each in "XYZ"], np.array([[numbers[f"R{row}{column}"] for column in range(3)] for row in range(3)]))

    def below(self):
        for child in self.children:
            yield child
            yield from child.below()

    def above(self):
        at = self.parent
        while at is not None:
            yield at
            at = at.parent


def curve(item):
    """The keys of a FloatCurve: times in seconds, modes, values, left and right slopes."""
    data = base64.b64decode(item.text("ValuesAndTimes"))
    if not data:
        return []
    version, count = struct.unpack_from("<II", data)
    width = 14 if version >= 2 or len(data) == 16 + 18 * count else 13
    keys = []
    for index in range(count):
        at = 8 + index * width
        mode = data[at]
        value, left, right = struct.unpack_from("<fff", data, at + width - 12)
        time = struct.unpack_from("<i", data, 8 + count * width + 8 + 4 * index)[0] / 2400
        keys.append((time, mode, value, left, right))
    return keys


def at_curve(keys, time):
    if not keys:
        return 0.0
    after = next((index for index, key in enumerate(keys) if key[0] > time), len(keys))
    if after == 0:
        return keys[0][2]
    start, mode, value, _, right = keys[after - 1]
    if after == len(keys) or mode == 0:
        return value
    end, _, other, left, _ = keys[after]
    span = end - start
    t = (time - start) / span
    if mode == 1:
        return value + (other - value) * t
    return (2 * t**3 - 3 * t**2 + 1) * value + (t**3 - 2 * t**2 + t) * span * right + (3 * t**2 - 2 * t**3) * other + (t**3 - t**2) * span * left


def turns(item):
    """The keys of a RotationCurve: times in seconds, whether constant, quaternions."""
    data = base64.b64decode(item.text("ValuesAndTimes"))
    if not data:
        return []
    _, count = struct.unpack_from("<II", data)
    keys = []
    for index in range(count):
        mode, *quat = struct.unpack_from("<Bffff", data, 8 + index * 25)
        keys.append((struct.unpack_from("<i", data, 16 + count * 25 + 4 * index)[0] / 2400, mode == 12, np.array(quat)))
    return keys


AXES = {0: "XYZ", 1: "XZY", 2: "YZX", 3: "YXZ", 4: "ZXY", 5: "ZYX"}


def about(axis, angle):
    quat = np.zeros(4)
    quat["XYZ".index(axis)], quat[3] = math.sin(angle / 2), math.cos(angle / 2)
    return matrix(quat)


def tracks(sequence):
    """For each part a function of the time; and the times of all keys, and those at which values jump."""
    found, times, jumps = {}, {0.0}, set()
    if sequence.type == "KeyframeSequence":
        keys = {}
        frames = sorted((max(float(each.text("Time", "0")), 0.0), index, each) for index, each in enumerate(sequence.children) if each.type == "Keyframe")
        for time, _, keyframe in frames:
            times.add(time)
            for pose in keyframe.below():
                if pose.type == "Pose" and float(pose.text("Weight", "1")) != 0:
                    own = keys.setdefault(pose.name, [])
                    own[:] = [key for key in own if key[0] != time]
                    own.append((time, pose.frame("CFrame"), int(pose.text("EasingStyle", "0")), int(pose.text("EasingDirection", "0"))))

        def of(own):
            def at(time):
                after = next((index for index, key in enumerate(own) if key[0] > time), len(own))
                if after in (0, len(own)):
                    return own[min(after, len(own) - 1)][1]
                (start, a, style, direction), (end, b, *_) = own[after - 1], own[after]
                part = eased(style, direction, (time - start) / (end - start))
                turn = slerp(quaternion(a[:3, :3]), quaternion(b[:3, :3]), part)
                return framed(a[:3, 3] + (b[:3, 3] - a[:3, 3]) * part, matrix(turn))

            return at

        for name, own in keys.items():
            found[name] = of(own)
            for (start, _, style, direction), (end, *_) in zip(own, own[1:]):
                if style == 1:
                    jumps |= {start, end, (start + end) / 2}
                elif style == 2:
                    # Elastic easing starts and ends a thousandth away from the values of the keys.
                    jumps |= {start, end}
        return found, times, jumps
    for part in sequence.below():
        rotation = place = None
        for child in part.children:
            axes = {each.name: curve(each) for each in child.children if each.type == "FloatCurve"}
            for keys in axes.values():
                times |= {key[0] for key in keys}
                jumps |= {later[0] for key, later in zip(keys, keys[1:]) if key[1] == 0}
            if child.type == "Vector3Curve":
                place = lambda time, axes=axes: np.array([at_curve(axes.get(axis, []), time) for axis in "XYZ"])
            elif child.type == "EulerRotationCurve":
                order = AXES[int(child.text("RotationOrder", "0"))]
                rotation = lambda time, axes=axes, order=order: np.linalg.multi_dot([about(axis, at_curve(axes.get(axis, []), time)) for axis in order])
            elif child.type == "RotationCurve":
                keys = turns(child)
                times |= {key[0] for key in keys}
                jumps |= {later[0] for key, later in zip(keys, keys[1:]) if key[1]}

                def rotation(time, keys=keys):
                    after = next((index for index, key in enumerate(keys) if key[0] > time), len(keys))
                    if not keys:
                        return np.eye(3)
                    if after in (0, len(keys)) or keys[after - 1][1]:
                        return matrix(keys[max(after - 1, 0)][2])
                    (start, _, a), (end, _, b) = keys[after - 1], keys[after]
                    return matrix(slerp(a, b, (time - start) / (end - start)))
        if rotation is not None or place is not None:
            found[part.name] = lambda time, place=place, rotation=rotation: framed(
                np.zeros(3) if place is None else place(time), np.eye(3) if rotation is None else rotation(time)
            )
    return found, times, jumps


def rig(sequence, by_referent, posed):
    """The joints that an animation moves: those of the model that contains it, of the model to which an ObjectValue
        above it refers, or of an avatar."""
    for item in sequence.above():
        model = by_referent.get(item.text("Value")) if item.type == "ObjectValue" else item if item.type == "Model" else None
        if model is None:
            continue
        joints = []
        for each in model.below():
            ends = [by_referent.get(each.text(name)) for name in ("Part0", "Part1")]
            if each.type in ("Motor6D", "Weld", "Motor", "Snap", "ManualWeld") and all(ends):
                joints.append((*ends, each.frame("C0"), each.frame("C1")))
        if any(joint[1].name in posed for joint in joints) and any(each.type == "Motor6D" for each in model.below()):
            return [(a.name, b.name, c0, c1) for a, b, c0, c1 in joints]
    # Poses without a weight and folders without curves count, too.
    names = {each.name for each in sequence.below()}
    if names & {"UpperTorso", "LowerTorso"}:
        return avatar(R15)
    return avatar(R6) if names & {"Torso", "Right Arm", "Left Arm", "Right Leg", "Left Leg"} else []


def placed(joints, moves, time):
    """The root of each part's assembly, and the part's frame relative to that root."""
    known = {}
    targets = {joint[1] for joint in joints}
    for part0, *_ in joints:
        if part0 not in targets:
            known[part0] = (part0, np.eye(4))
    for _ in joints:
        for part0, part1, c0, c1 in joints:
            if part0 in known and part1 not in known:
                root, frame = known[part0]
                transform = moves[part1](time) if part1 in moves else np.eye(4)
                known[part1] = (root, frame @ c0 @ transform @ np.linalg.inv(c1))
    return known


class Glb:
    def __init__(self, data):
        size = struct.unpack_from("<I", data, 12)[0]
        self.json, self.blob = json.loads(data[20 : 20 + size]), data[28 + size :]
        self.nodes = self.json.get("nodes", [])
        self.parents = {child: index for index, node in enumerate(self.nodes) for child in node.get("children", [])}

    def accessor(self, index):
        of = self.json["accessors"][index]
        view = self.json["bufferViews"][of["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[of["type"]]
        start = view.get("byteOffset", 0) + of.get("byteOffset", 0)
        values = np.frombuffer(self.blob, "<f4", of["count"] * width, start)
        return values.reshape(-1, width) if width > 1 else values

    def posed(self, animation, time):
        """The local matrices of all nodes at a time of an animation."""
        local = [{"translation": node.get("translation", [0, 0, 0]), "rotation": node.get("rotation", [0, 0, 0, 1]), "scale": node.get("scale", [1, 1, 1])} for node in self.nodes]
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            times, values = (self.accessor(sampler[name]).astype(np.float64) for name in ("input", "output"))
            path, kind = channel["target"]["path"], sampler.get("interpolation", "LINEAR")
            if path == "weights":
                continue
            cubic = kind == "CUBICSPLINE"
            own = values[1::3] if cubic else values
            after = int(np.searchsorted(times, time, side="right"))
            if after == 0 or after == len(times):
                value = own[min(after, len(times) - 1)]
            else:
                t = (time - times[after - 1]) / (times[after] - times[after - 1])
                a, b = own[after - 1], own[after]
                if kind == "STEP":
                    value = a
                elif cubic:
                    span = times[after] - times[after - 1]
                    value = (2 * t**3 - 3 * t**2 + 1) * a + (t**3 - 2 * t**2 + t) * span * values[3 * after - 1] + (3 * t**2 - 2 * t**3) * b + (t**3 - t**2) * span * values[3 * after]
                else:
                    value = slerp(a, b, t) if path == "rotation" else a + (b - a) * t
            local[channel["target"]["node"]][path] = value
        made = []
        for node, each in zip(self.nodes, local):
            if "matrix" in node:
                made.append(np.array(node["matrix"]).reshape(4, 4).T)
            else:
                made.append(framed(each["translation"], matrix(np.array(each["rotation"], dtype=float)) * np.array(each["scale"])))
        return made

    def world(self, local, index):
        made = local[index]
        while index in self.parents:
            index = self.parents[index]
            made = local[index] @ made
        return made


def compare(rezkit, path, folder):
    """Compares the animations of a document: their number, how many are equal, the greatest distance, and what is wrong."""
    xml = Path(path)
    if xml.read_bytes()[:8] == b"<roblox!":
        xml = folder / (xml.stem + ".rbxlx")
        subprocess.run([rezkit, "convert", "--force", "--allow-loss", "--fill", "defaults", path, xml], check=True, capture_output=True)
    items = document(xml)
    by_referent = {item.referent: item for item in items if item.referent}
    sequences = [item for item in items if item.type in ("KeyframeSequence", "CurveAnimation")]
    out = folder / (Path(path).stem + ".glb")
    done = subprocess.run([rezkit, "convert", "--force", "--verbose", path, out], capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if "nimation" in line]
    glb = Glb(out.read_bytes()) if done.returncode == 0 else None
    left = list(glb.json.get("animations", [])) if glb else []
    worst, arrived, wrong = 0.0, 0, []
    for sequence in sequences:
        made = next((each for each in left if each.get("name") == sequence.name), None)
        if made is None:
            moves, _, _ = tracks(sequence)
            wrong.append(f"{sequence.name}: did not arrive ({'poses ' + ', '.join(sorted(moves)[:4]) if moves else 'poses nothing'}): {'; '.join(said)[:200]}")
            continue
        left.remove(made)
        moves, times, jumps = tracks(sequence)
        joints = rig(sequence, by_referent, set(moves))
        top = made["channels"][0]["target"]["node"]
        while top in glb.parents and not glb.nodes[glb.parents[top]]["name"] == "Workspace":
            top = glb.parents[top]
        inside, open_ = {}, [top]
        while open_:
            at = open_.pop()
            parent = glb.nodes[glb.parents[at]]["name"] if at in glb.parents else ""
            name = glb.nodes[at].get("name", "")
            if at == top or parent == f"{name} pose":
                inside[name] = at
            open_ += glb.nodes[at].get("children", [])
        end, far, compared = max(times), 0.0, set()
        for step in range(TIMES):
            time = end * (step + 0.37) / TIMES
            if any(abs(time - jump) < 0.004 for jump in jumps):
                continue
            local = glb.posed(made, time)
            for part, (base, frame) in placed(joints, moves, time).items():
                if part in inside and base in inside:
                    found = np.linalg.inv(glb.world(local, inside[base])) @ glb.world(local, inside[part])
                    # Points one stud from the middle show differences of rotations, too.
                    for point in np.vstack([np.zeros(3), np.eye(3)]):
                        far = max(far, float(np.linalg.norm((found - frame) @ [*point, 1 if not point.any() else 1])))
                    compared.add(part)
        missing = {part for part in moves if any(joint[1] == part for joint in joints)} - compared
        if missing or not compared or far > 1e-3:
            wrong.append(f"{sequence.name}: {far:.5f} studs away, parts compared {len(compared)}, missing {sorted(missing)}")
        else:
            arrived += 1
        worst = max(worst, far)
    return len(sequences), arrived, worst, wrong


def document(path):
    element = ET.parse(path).getroot()
    outer = ET.Element("Item")
    outer.extend(element)
    return [item for item in Item(outer, None).below()]


def angle(a, b):
    """The angle between two rotations in degrees, which is exact for small angles."""
    turn = a.T @ b
    return math.degrees(2 * math.asin(min(np.linalg.norm(turn - np.eye(3)) / math.sqrt(8), 1)))


def returned(rezkit, path, folder):
    """Compares the poses of documents made from the GLB, as keyframes and as curves, at 100 times: the greatest
        differences in studs and degrees."""
    glb, wrong, worst = folder / (Path(path).stem + ".glb"), [], [0.0, 0.0]
    before = {item.name: item for item in document(path) if item.type in ("KeyframeSequence", "CurveAnimation")}
    for options in ([], ["--curves", "--tolerance", "0.005,0.00005"]):
        out = folder / "back.rbxmx"
        subprocess.run([rezkit, "convert", "--force", glb, out, *options], check=True, capture_output=True)
        after = {item.name: item for item in document(out) if item.type in ("KeyframeSequence", "CurveAnimation")}
        if before.keys() != after.keys():
            wrong.append(f"names {before.keys() ^ after.keys()}")
        for name in before.keys() & after.keys():
            for each in ("Loop", "Priority"):
                if before[name].text(each) != after[name].text(each):
                    wrong.append(f"{name}: {each} {after[name].text(each)}")
            (own, times, jumps), (its, _, more) = tracks(before[name]), tracks(after[name])
            if own.keys() != its.keys():
                wrong.append(f"{name}: parts {own.keys() ^ its.keys()}")
            for step in range(100):
                time = max(times) * (step + 0.37) / 100
                if any(abs(time - jump) < 0.004 for jump in jumps | more):
                    continue
                for part in own.keys() & its.keys():
                    a, b = own[part](time), its[part](time)
                    far = [float(np.linalg.norm(a[:3, 3] - b[:3, 3])), angle(a[:3, :3], b[:3, :3])]
                    if options and before[name].type == "KeyframeSequence":
                        continue
                    # Euler angles are less exact if a rotation turns over, since keys are at least 1/60 s apart.
                    turns_over = bool(options) and any(each.type == "RotationCurve" for each in before[name].below())
                    if far[0] > 1e-4 or far[1] > (0.1 if turns_over else 0.01):
                        wrong.append(f"{' '.join(options[:1])} {name} {part} at {time:.3f}: {far[0]:.6f} studs, {far[1]:.4f} degrees")
                    worst = [max(pair) for pair in zip(worst, far)]
    return worst, wrong


def cframe(name, m):
    numbers = dict(zip("XYZ", m[:3, 3])) | {f"R{row}{column}": m[row, column] for row in range(3) for column in range(3)}
    return f'<CoordinateFrame name="{name}">' + "".join(f"<{key}>{value:.9g}</{key}>" for key, value in numbers.items()) + "</CoordinateFrame>"


def item(kind, name, props="", inner="", referent=""):
    own = f' referent="{referent}"' if referent else ""
    return f'<Item class="{kind}"{own}><Properties><string name="Name">{name}</string>{props}</Properties>{inner}</Item>'


def made_files(folder):
    """Makes documents with animations of every kind."""
    random = np.random.default_rng(60)

    def pose(turn=2.0, way=0.4):
        axis = random.normal(size=3)
        angle = random.uniform(0, turn) / np.linalg.norm(axis) / 2
        quat = np.array([*(axis * math.sin(angle * np.linalg.norm(axis)) / np.linalg.norm(axis)), math.cos(angle * np.linalg.norm(axis))])
        return framed(random.uniform(-way, way, 3), matrix(quat))

    def posed(joints, part, chosen, style, direction):
        inner = "".join(posed(joints, part1, chosen, style, direction) for part0, part1, *_ in joints if part0 == part)
        has = part in chosen
        props = cframe("CFrame", pose()) + f'<float name="Weight">{int(has)}</float><token name="EasingStyle">{style}</token><token name="EasingDirection">{direction}</token>'
        return item("Pose", part, props, inner)

    def keyframes(name, joints, chosen, style=0, direction=0, times=(0, 0.35, 0.8, 1.5)):
        frames = list(times)
        random.shuffle(frames)
        root = joints[0][0]
        return item("KeyframeSequence", name, '<bool name="Loop">true</bool><token name="Priority">2</token>', "".join(
            item("Keyframe", "Keyframe", f'<float name="Time">{time}</float>', posed(joints, root, chosen, style, direction)) for time in frames
        ))

    def floats(mode, count, scale):
        keys = b"".join(struct.pack("<BBfff", mode if mode < 3 else index % 3, 3, *random.normal(size=3) * scale) for index in range(count))
        times = struct.pack("<II", 1, count) + b"".join(struct.pack("<i", index * 900 + (index * 37) % 11) for index in range(count))
        return base64.b64encode(struct.pack("<II", 2, count) + keys + times).decode()

    def rotation(count, constant):
        keys = b"".join(struct.pack("<Bffffff", 12 if constant and index % 2 else 13, *(q / np.linalg.norm(q)), 0, 0) for index, q in enumerate(random.normal(size=(count, 4))))
        times = struct.pack("<II", 1, count) + b"".join(struct.pack("<i", index * 1100) for index in range(count))
        return base64.b64encode(struct.pack("<II", 1, count) + keys + times).decode()

    def curves(name, joints, chosen, mode, order, quaternions=False):
        def blob(kind, label, text):
            return item(kind, label, f'<BinaryString name="ValuesAndTimes">{text}</BinaryString>')

        def folder_of(part):
            inner = "".join(folder_of(part1) for part0, part1, *_ in joints if part0 == part)
            if part in chosen:
                axes = lambda scale: "".join(blob("FloatCurve", axis, floats(mode, 4, scale)) for axis in "XYZ")
                inner += item("Vector3Curve", "Position", "", axes(0.3))
                inner += blob("RotationCurve", "Rotation", rotation(4, mode == 0)) if quaternions else item("EulerRotationCurve", "Rotation", f'<token name="RotationOrder">{order}</token>', axes(0.7))
            return item("Folder", part, "", inner)

        return item("CurveAnimation", name, '<bool name="Loop">false</bool><token name="Priority">4</token>', folder_of(joints[0][0]))

    def document(*items):
        return f'<roblox version="4">{"".join(items)}</roblox>'

    names = ["Linear", "Constant", "Elastic", "Cubic", "Bounce", "CubicV2"]
    for label, table, parts in (("r6", R6, ("Torso", "Head", "Right Arm", "Left Leg")), ("r15", R15, ("LowerTorso", "UpperTorso", "RightUpperArm", "RightHand", "LeftLowerLeg"))):
        joints = avatar(table)
        eases = [keyframes(f"{name} {direction}", joints, parts, style, direction) for style, name in enumerate(names) for direction in range(3)]
        all_curves = [curves(f"mode {mode} order {order}", joints, parts, mode, order) for mode in range(4) for order in range(6)]
        all_curves += [curves(f"quaternions {mode}", joints, parts, mode, 0, True) for mode in (0, 1)]
        (folder / f"{label}.rbxmx").write_text(document(*eases, *all_curves))
    # Rigs in a document: a chain of rotated joints with a sword that is welded on, next to a model with the same names.
    def model(name, at, inner, referent):
        joints, parts, frames = [], [], {"Root": at}
        chain = [("Root", "Body"), ("Body", "Arm One"), ("Arm One", "Claw"), ("Body", "Tail")]
        for part0, part1 in chain:
            c0, c1 = pose(), pose()
            frames[part1] = frames[part0] @ c0 @ np.linalg.inv(c1)
            refs = f'<Ref name="Part0">{referent}{part0}</Ref><Ref name="Part1">{referent}{part1}</Ref>'
            joints.append((part0, part1, c0, c1, item("Motor6D", part1, refs + cframe("C0", c0) + cframe("C1", c1))))
        sword = item("Part", "Hilt", cframe("CFrame", pose()), referent=f"{referent}Hilt") + item("Part", "Blade", cframe("CFrame", pose()), item("Weld", "Weld", f'<Ref name="Part0">{referent}Hilt</Ref><Ref name="Part1">{referent}Blade</Ref>'), f"{referent}Blade")
        for part, frame in frames.items():
            own = "".join(joint[4] for joint in joints if joint[0] == part)
            parts.append(item("Part", part, cframe("CFrame", frame) + '<Vector3 name="size"><X>1</X><Y>2</Y><Z>1</Z></Vector3>', own, f"{referent}{part}"))
        random.shuffle(parts)
        return joints, item("Model", name, "", sword + "".join(parts) + inner, referent)

    joints, _ = model("x", np.eye(4), "", "x")
    bare = [joint[:4] for joint in joints]
    saves = item("Folder", "AnimSaves", "", keyframes("in the rig", bare, ("Body", "Claw"), 3, 2) + curves("curves of the rig", bare, ("Arm One", "Tail"), 3, 2))
    _, first = model("Beast", pose(), saves, "m")
    _, second = model("Beast", pose(), "", "n")
    value = item("ObjectValue", "Beast", '<Ref name="Value">n</Ref>', keyframes("by a value", bare, ("Body", "Tail")))
    storage = item("ServerStorage", "ServerStorage", "", item("Model", "RBX_ANIMSAVES", "", value), "S")
    (folder / "rigs.rbxlx").write_text(document(item("Workspace", "Workspace", "", first + second, "W"), storage))
    return [folder / name for name in ("r6.rbxmx", "r15.rbxmx", "rigs.rbxlx")]


def main(args):
    keep = Path(args[args.index("--keep") + 1]) if "--keep" in args else None
    args = [each for index, each in enumerate(args) if each != "--keep" and (index == 0 or args[index - 1] != "--keep")]
    folder = keep or Path(tempfile.mkdtemp())
    rezkit, *paths = args
    total = there = failed = 0
    for path in paths or made_files(folder):
        count, arrived, worst, wrong = compare(rezkit, path, folder)
        total, there = total + count, there + arrived
        print(f"{path}: {arrived} of {count} animations, at most {worst:.6f} studs away", *wrong, sep="\n  ", flush=True)
        if Path(path).suffix in (".rbxmx", ".rbxlx") and arrived:
            far, wrong = returned(rezkit, path, folder)
            failed += bool(wrong)
            print(f"  back: at most {far[0]:.6f} studs and {far[1]:.4f} degrees away", *wrong[:20], sep="\n    ", flush=True)
    print(f"{there} of {total} animations arrived, each within 1e-3 studs")
    return there < total or failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
