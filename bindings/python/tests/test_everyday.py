"""What people who use the package every day met."""

import copy
import io
from pathlib import Path
from typing import Any

import pytest

import rezkit
from rezkit import llsd

TRIANGLE = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


def triangle(**more: Any) -> rezkit.Scene:
    return rezkit.Scene.from_arrays(TRIANGLE, [[0, 1, 2]], **more)


def place(count: int) -> rezkit.RobloxDocument:
    doc = rezkit.RobloxDocument.new("place")
    for n in range(count):
        doc.insert("Workspace", "Part", Name=f"P{n}", Size=(n + 1, 1, 1), Position=(9 * n, 0, 0))
    return doc


# QAvimator's files end with more than the frames, and a line can have two numbers.
def test_qavimator_files_are_read(tmp_path: Path) -> None:
    joint = "  JOINT a%d\n  {\n    OFFSET 0 1 0\n    CHANNELS 3 Xrotation Zrotation Yrotation\n    End Site\n    {\n      OFFSET 0 1 0\n    }\n  }\n"
    head = ("HIERARCHY\nROOT hip\n{\n  OFFSET 0 0 0\n  CHANNELS 6 Xposition Yposition Zposition Xrotation Zrotation Yrotation\n"
            + joint % 1 + joint % 2 + "}\nMOTION\nFrames:\t2\nFrame Time:\t0.033\n" + ("0 43 0 0 0 0 0 0 0 5 0 0 \n" * 2))
    for end in ("", "Positions: 0 \n", "Positions: 0 \nPositionsEase: 1 0 \n"):
        path = tmp_path / "pose.avm"
        path.write_text(head + "0 \n1 1 \n0 \nProperties\n1 0 \n2 0 0 \n1 0 \nScale: 1.0\nLoopIn: 1\n" + end)
        assert rezkit.load(path).format == "bvh"


def test_a_rename_beside_a_new_property_is_no_conflict() -> None:
    base = place(6)
    ours, theirs = copy.copy(base), copy.copy(base)
    ours["Workspace/P4"].Name = "Door"
    ours["Workspace/P3"].Transparency = 0.5
    theirs["Workspace/P4"].Material = "Grass"
    merged = rezkit.RobloxDocument.merge(base, ours, theirs)
    assert merged.conflicts == [] and merged.document["Workspace/Door"].Material == "Grass" and len(merged.document) == len(base)
    assert len(repr(merged)) < 200

def test_llsd_has_hooks_for_own_types() -> None:
    from rezkit.llsd.base import LLSDBaseFormatter
    from rezkit.llsd.serde_binary import LLSDBinaryParser
    from rezkit.llsd.serde_notation import LLSDNotationFormatter
    from rezkit.llsd.serde_xml import LLSDXMLFormatter, LLSDXMLPrettyFormatter

    class Point(tuple[int, int]):
        pass

    class Own(LLSDBaseFormatter):
        def __init__(self) -> None:
            super().__init__()
            self.type_map[Point] = lambda point: self.MAP({"x": point[0], "y": point[1]})

    class Notation(LLSDNotationFormatter, Own):
        def STRING(self, v: Any) -> bytes:
            return super().STRING(v).replace(b"\n", b"\\n")

    class Xml(LLSDXMLFormatter, Own):
        pass

    class Pretty(LLSDXMLPrettyFormatter, Own):
        pass

    value: dict[str, Any] = {"a": [Point((1, 2)), "b\n", {}, [], None, b"c", 1.5], "d": {"e": llsd.uri("f")}}
    plain = {**value, "a": [{"x": 1, "y": 2}, *value["a"][1:]]}
    assert Notation().format(value) == llsd.format_notation(plain).replace(b"\n", b"\\n")
    assert Xml().format(value) == llsd.format_xml(plain) and Pretty().format(value) == llsd.format_pretty_xml(plain)

    class Parser(LLSDBinaryParser):
        def __init__(self) -> None:
            super().__init__()
            self._dispatch[ord("i")] = lambda: Point((int.from_bytes(self._getc(4), "big"), 0))

    data = llsd.format_binary({"a": [1, "b", 2.5, None, True, b"c"]}).partition(b"\n")[2]
    assert Parser().parse(data) == {"a": [Point((1, 0)), "b", 2.5, None, True, b"c"]}
    for broken in (data[:-1], b"{\0\0\0\1x", b"?", b"["):
        with pytest.raises(llsd.LLSDParseError):
            Parser().parse(broken)


def test_results_are_short_and_go_to_files() -> None:
    scene, doc = triangle(name="one", material={"name": "m"}), place(2)
    shown: list[Any] = [rezkit.convert(scene, "glb"), rezkit.upload(scene), doc.extract(), doc.columns("Part")]
    for one in shown:
        assert len(repr(one)) < 2000 and "\\x" not in repr(one)
    file = io.BytesIO()
    rezkit.convert(scene, "ply").save(file)
    assert rezkit.scene(file.getvalue()).triangle_count == 1
    with pytest.raises(rezkit.Error, match="files beside"):
        rezkit.convert(triangle(material={"name": "m"}), "obj").save(io.BytesIO())
