"""Tests assets of every format: the values of the Rust tests again, and features that only Python has."""

import base64
import copy
import datetime
import errno
import gc
import io
import pickle
import struct
import threading
import uuid
import weakref
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rezkit

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=np.float32)
ONE = [[0, 1, 2]]


def triangle(version: str = "5.00") -> rezkit.RobloxMesh:
    return rezkit.RobloxMesh.from_arrays(TRIANGLE, ONE, version=version)


def test_inputs(tmp_path: Path) -> None:
    data = triangle().to_bytes()
    path = tmp_path / "a.mesh"
    path.write_bytes(data)
    with path.open("rb") as file:
        for x in (data, bytearray(data), memoryview(data), path, str(path), io.BytesIO(data), file):
            assert isinstance(rezkit.load(x), rezkit.RobloxMesh)
    assert rezkit.detect(path) == ("rbxmesh", "5.00", "Roblox mesh")
    with pytest.raises(FileNotFoundError, match="missing.mesh") as missing:
        rezkit.load(tmp_path / "missing.mesh")
    assert (missing.value.errno, missing.value.filename) == (errno.ENOENT, str(tmp_path / "missing.mesh"))
    with pytest.raises(FileNotFoundError) as missing:
        triangle().save(tmp_path / "nowhere" / "a.mesh")
    assert missing.value.errno == errno.ENOENT
    with pytest.raises(rezkit.Error, match="max_bytes: expected 0"):
        rezkit.load(data, max_bytes=-1)
    with pytest.raises(rezkit.Error, match="class RobloxDocument, found Roblox mesh"):
        rezkit.RobloxDocument.load(data)
    assert rezkit.RobloxMesh.load(path).version == "5.00"
    with pytest.raises(TypeError, match="text mode"), path.open("r", encoding="latin-1") as text:
        rezkit.load(text)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="found int"):
        rezkit.load(3)  # type: ignore[arg-type]


def test_errors() -> None:
    with pytest.raises(rezkit.Error) as unknown:
        rezkit.load(b"hello")
    assert (unknown.value.kind, unknown.value.path, unknown.value.offset) == ("unknown", "", None)
    # Cut within the names of the bones, which follow the header of 16 bytes, as in the crate's own test.
    data = triangle().to_bytes()
    with pytest.raises(rezkit.Error) as cut:
        rezkit.load(data[:60])
    assert cut.value.kind == "unreadable"
    assert cut.value.offset is not None and cut.value.path
    with pytest.raises(rezkit.Error) as limit:
        rezkit.load(data, max_bytes=len(data) - 1)
    assert limit.value.kind == "limit"
    again = pickle.loads(pickle.dumps(cut.value))
    assert (str(again), again.kind, again.path, again.offset) == (
        str(cut.value), cut.value.kind, cut.value.path, cut.value.offset)
    assert issubclass(rezkit.Error, ValueError)


@pytest.mark.parametrize("version", ["1.00", "1.01", "2.00", "3.00", "3.01", "4.00", "4.01", "5.00", "6.00", "7.00"])
def test_every_version_is_read_as_it_was_made(version: str) -> None:
    mesh = triangle(version)
    again = rezkit.load(mesh.to_bytes())
    assert isinstance(again, rezkit.RobloxMesh)
    assert again.version == version
    assert again.positions.tolist() == TRIANGLE.tolist()
    assert again.triangles.tolist() == ONE
    assert again.to_bytes() == mesh.to_bytes()


def test_columns() -> None:
    normals = [[0.0, 0.0, 1.0]] * 3
    uvs = [[0, 0.25], [1, 0.5], [0.125, 1]]
    colors = [[1, 2, 3, 4], [5, 6, 7, 8], [255, 0, 255, 0]]
    tangents = [[1, 0, 0, 1], [0, 1, 0, -1], [0, 0, 0, 0]]
    mesh = rezkit.RobloxMesh.from_arrays(TRIANGLE, ONE, normals=normals, uvs=uvs, colors=colors, tangents=tangents)
    assert mesh.normals.tolist() == normals
    assert mesh.uvs.tolist() == uvs
    assert mesh.colors.tolist() == colors
    assert mesh.colors.dtype == np.uint8 and mesh.triangles.dtype == np.uint32
    # A byte b means (b - 127) / 127.
    assert mesh.tangent_bytes.tolist() == [[254, 127, 127, 254], [127, 254, 127, 0], [0, 0, 0, 0]]
    assert mesh.tangents is not None and mesh.tangents.tolist() == tangents
    assert triangle().tangents is None and triangle().joints is None and triangle().weights is None
    level = mesh.level(0)
    assert level.positions.tolist() == TRIANGLE.tolist()
    with pytest.raises(rezkit.Error, match="the number of levels of detail is 1"):
        mesh.level(1)


def test_arrays_are_views_that_outlive_the_mesh() -> None:
    mesh = triangle()
    positions, again = mesh.positions, mesh.positions
    assert positions.ctypes.data == again.ctypes.data
    # A vertex has 40 bytes: position, normal, uv, tangent, color.
    assert positions.strides == (40, 4) and mesh.normals.ctypes.data == positions.ctypes.data + 12
    for array in (positions, mesh.triangles, mesh.uvs, mesh.colors, mesh.bones):
        assert not array.flags.writeable
        with pytest.raises(ValueError, match="read-only|WRITEABLE"):
            array[...] = 0
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
    part = positions[1:]
    del mesh, positions, again
    gc.collect()
    _ = [bytearray(1000) for _ in range(1000)]
    assert part.tolist() == TRIANGLE[1:].tolist()


def test_an_edit_leaves_arrays_as_they_were() -> None:
    mesh = rezkit.RobloxMesh.from_arrays(TRIANGLE, ONE)
    before, bones = mesh.positions, mesh.bones
    came_from = mesh.set_skin([[0, 1]] * 3, [[1.0, 0.0], [0.5, 0.5], [0.2, 0.8]],
                              [("Root", None, np.eye(4)), ("Arm", 0, np.array([[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]]))])
    assert came_from.tolist() == [0, 1, 2]
    assert before.tolist() == TRIANGLE.tolist() and len(bones) == 0
    assert mesh.positions.ctypes.data != before.ctypes.data
    # The numbers in the documentation of `Mesh::set_skin`.
    assert mesh.joints is not None and mesh.weights is not None
    assert mesh.joints[2].tolist() == [1, 0, 0, 0]
    np.testing.assert_array_equal(mesh.weights[2], np.array([204, 51, 0, 0], dtype=np.float32) / np.float32(255))
    assert mesh.bone_names == ["Root", "Arm"]
    assert mesh.bones["parent"].tolist() == [-1, 0]
    assert mesh.bones["bind_pose"][1].tolist() == [[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert [finding.rule for finding in mesh.check()] == ["rbxmesh.normals"] * 3 + ["rbxmesh.facs-missing"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"positions": [[0.0, 0.0]]}, r"positions: expected numbers of shape \(n, 3\), found float64 of shape \(1, 2\)"),
        ({"positions": np.zeros(3)}, r"positions: .* found float64 of shape \(3,\)"),
        ({"positions": [["a", "b", "c"]]}, r"positions: .* found <U1 of shape \(1, 3\)"),
        ({"positions": TRIANGLE.astype(complex)}, "positions: .* found complex128"),
        ({"triangles": [[0, 1, 3]]}, "triangles: 3 in row 0: expected an index below 3"),
        ({"triangles": [[0, 1, -1]]}, "triangles: -1 in row 0"),
        ({"triangles": [[0.0, 1.0, 2.0]]}, "triangles: expected integers"),
        ({"triangles": np.array([[0, 1, 2**64 - 1]], dtype=np.uint64)}, "triangles: "),
        ({"normals": [[0, 0, 1]]}, "normals: expected 3 rows, one for each vertex, found 1"),
        ({"uvs": TRIANGLE}, r"uvs: expected numbers of shape \(n, 2\)"),
        ({"colors": [[0, 0, 0, 256]] * 3}, "colors: 256 in row 0"),
        ({"version": "9.00"}, "version: "),
        ({"joints": [[0, 0, 0, 0]] * 3}, "joints: expected joints, weights and bones together"),
    ],
)
def test_wrong_arrays(arguments: dict[str, object], text: str) -> None:
    all_arguments: dict[str, object] = {"positions": TRIANGLE, "triangles": ONE} | arguments
    with pytest.raises(rezkit.Error, match=text) as raised:
        rezkit.RobloxMesh.from_arrays(**all_arguments)  # type: ignore[arg-type]
    assert raised.value.path == next(iter(arguments))


def test_wrong_skins() -> None:
    bones = [("Root", None, np.eye(4))]
    for joints, weights, skeleton, path in [
        ([[1]] * 3, [[1.0]] * 3, bones, "joints"),
        ([[0]] * 2, [[1.0]] * 3, bones, "joints"),
        ([[0]] * 3, [[1.0]] * 2, bones, "weights"),
        ([[0]] * 3, [["a"]] * 3, bones, "weights"),
        ([[0] * 9] * 3, [[1.0] * 9] * 3, bones, "joints"),
        ([[0]] * 3, [[1.0]] * 3, [("Root", None)], "bones"),
        ([[0]] * 3, [[1.0]] * 3, [("Root", None, np.eye(3))], "bones"),
        ([[0]] * 3, [[1.0]] * 3, [("Root", 0, np.eye(4))], "bones[0].parent"),
        ([[0]] * 3, [[1.0]] * 3, [("A", 1, np.eye(4)), ("B", 0, np.eye(4))], "bones[0].parent"),
    ]:
        mesh = triangle()
        with pytest.raises(rezkit.Error) as raised:
            mesh.set_skin(joints, weights, skeleton)  # type: ignore[arg-type]
        assert raised.value.path == path
        assert mesh.bone_names == []


def test_a_form_that_loses_something_is_refused() -> None:
    mesh = rezkit.RobloxMesh.from_arrays(
        TRIANGLE, ONE, joints=[[0, 0, 0, 0]] * 3, weights=[[1, 0, 0, 0]] * 3, bones=[("Root", None, np.eye(4))])
    with pytest.raises(rezkit.Error) as raised:
        mesh.to_bytes("2.00")
    assert raised.value.kind == "unwritable"
    old, lost = mesh.to_version("2.00")
    assert old.version == "2.00" and any("bones" in what for what in lost)
    assert mesh.to_bytes("2.00", allow_loss=True) == old.to_bytes()
    with pytest.raises(rezkit.Error, match="not a version"):
        mesh.to_bytes("nonsense")


XML = b"""<roblox version="4">
<Item class="Folder" referent="a"><Properties><string name="Name">Box</string></Properties>
<Item class="ObjectValue" referent="b"><Properties><string name="Name">One</string><Ref name="Value">a</Ref></Properties></Item>
<Item class="ObjectValue" referent="c"><Properties><string name="Name">Two</string><Ref name="Value">null</Ref></Properties></Item>
</Item>
<Item class="Part" referent="d"><Properties><string name="Name">Door</string>
<CoordinateFrame name="CFrame"><X>1</X><Y>2</Y><Z>3</Z><R00>0</R00><R01>0</R01><R02>1</R02><R10>0</R10><R11>1</R11>
<R12>0</R12><R20>-1</R20><R21>0</R21><R22>0</R22></CoordinateFrame>
<Vector3 name="size"><X>4</X><Y>5</Y><Z>6</Z></Vector3><bool name="Anchored">true</bool></Properties></Item>
</roblox>"""
FRAME = [[0, 0, 1, 1], [0, 1, 0, 2], [-1, 0, 0, 3], [0, 0, 0, 1]]


def xml() -> rezkit.RobloxDocument:
    loaded = rezkit.load(XML)
    assert isinstance(loaded, rezkit.RobloxDocument)
    return loaded


def binary() -> rezkit.RobloxDocument:
    loaded = rezkit.load(rezkit.convert(xml(), "rbxm").data)
    assert isinstance(loaded, rezkit.RobloxDocument) and loaded.format == "rbxbinary"
    return loaded


BOTH = pytest.mark.parametrize("make", [xml, binary])


@BOTH
def test_documents(make: object) -> None:
    doc = make()  # type: ignore[operator]
    assert isinstance(doc, rezkit.RobloxDocument)
    assert [instance.name for instance in doc] == ["Box", "One", "Two", "Door"]
    assert [instance.class_name for instance in doc.children] == ["Folder", "Part"]
    assert len(doc) == 4 and "Box/Two" in doc and "Box/Three" not in doc
    box = doc["Box"]
    assert [child.path for child in box.children] == ["Box/One", "Box/Two"]
    assert doc["Box/Two"].parent == box == doc["Box"] and box.find("Two") == doc["Box/Two"] and box.parent is None and {box, doc["Box"]} == {box}
    assert doc["Box/One"].get("Value") == box and doc["Box/Two"].get("Value") is None
    assert doc["Box/Two"].get("Nothing", 7) == 7 and doc["Box/Two"].get("Nothing", None) is None
    door = doc["Door"]
    for name, why in [("Sise", "Sise: property name looks like a misspelling of Size"), ("Disabled", "Part has no stored property Disabled")]:
        with pytest.raises(KeyError, match=why):
            door.get(name)
    # The class's default, and a name that scripts use.
    assert door.get("CanCollide") is True and door.get("Size") == door.get("size")
    assert door.get("CanCollide", None, stored=True) is None
    assert door.get("size") == rezkit.Vector3(4, 5, 6)
    assert door.get("CFrame").tolist() == FRAME
    with pytest.raises(KeyError, match="did you mean Box/Two"):
        doc["Box/Twp"]
    with pytest.raises(KeyError):
        doc["Box/Three"]

    door.set("size", (1, 2.5, 3))
    door.set("CFrame", np.eye(4))
    door.set("Anchored", False)
    assert door.get("size") == (1, 2.5, 3) and door.get("CFrame").tolist() == np.eye(4).tolist()
    for property, value in (("size", (1, 2)), ("size", "big"), ("Anchored", "yes"), ("CFrame", np.eye(3)), ("Name", 3)):
        before = door.properties[property]
        with pytest.raises(rezkit.Error):
            door.set(property, value)
        np.testing.assert_equal(door.properties[property], before)

    new = box.insert("ObjectValue", Name="New", Value=door)
    assert new.get("Value") == door and new.path == "Box/New"
    new.Parent = None
    assert [instance.name for instance in doc.children] == ["Box", "Door", "New"]
    assert box.remove() == 3 and len(doc) == 2
    with pytest.raises(rezkit.Error, match="removed"):
        box.name
    assert "removed" in repr(box)
    other = make()  # type: ignore[operator]
    with pytest.raises(rezkit.Error, match="same document"):
        new.set("Value", other["Door"])
    with pytest.raises(rezkit.Error, match="same document"):
        new.Parent = other["Door"]
    again = rezkit.load(doc.to_bytes())
    assert isinstance(again, rezkit.RobloxDocument)
    assert [instance.path for instance in again] == ["Door", "New"] and again["New"].get("Value") == again["Door"]


@BOTH
def test_values_that_are_given(make: object) -> None:
    """Colours, numbers, names and the rows of columns; 194 is Medium stone grey, and 256 is Plastic."""
    doc = make()  # type: ignore[operator]
    door = doc["Door"]

    def stored(property: str, value: object) -> Any:
        door.set(property, value, fill="defaults")
        return door.get(property, stored=True)

    assert stored("Color", rezkit.Color3(1, 0.5, 0)) == (255, 128, 0)
    assert stored("Color", (1, 0, 0)) == (1, 0, 0)
    assert stored("Color", np.array([255, 0, 1], np.uint8)) == (255, 0, 1)
    assert stored("Transparency", np.float32(0.5)) == 0.5 and stored("Transparency", float("inf")) == float("inf")
    assert stored("size", np.array([1, 2, 3])) == (1, 2, 3)
    assert stored("Material", "Plastic") == 256 == stored("Material", "Enum.Material.Plastic")
    light = doc.insert(None, "PointLight", Color=rezkit.Color3uint8(255, 0, 51))
    np.testing.assert_allclose(light.get("Color"), (1, 0, 0.2))
    value = doc.insert(None, "BrickColorValue", Value="Medium stone grey")
    assert value.get("Value") == 194
    for property, given, why in [
        ("Transparency", 1e300, "out of range"), ("Transparency", True, "expected Float32"), ("size", (1e300, 1, 1), "out of range"),
        ("Color", rezkit.Color3(2, 0, 0), "from 0 to 1"), ("Material", "Plastik", "did you mean Plastic"),
        ("CFrame", np.eye(4) * 2, "last row 0 0 0 1"), ("CFrame", np.eye(3), r"shape \(4, 4\)"),
    ]:
        with pytest.raises(rezkit.Error, match=why):
            door.set(property, given, fill="defaults")
    frame = doc.insert(None, "Frame", Size=((0.5, 3), (1, -2)))
    assert frame.get("Size") == ((0.5, 3), (1, -2))
    frame.set("Size", doc.columns("Frame")["Size"][0])
    assert frame.get("Size") == ((0.5, 3), (1, -2))
    with pytest.raises(KeyError, match="did you mean Door"):
        doc["Dor"]


@BOTH
def test_copies(make: object) -> None:
    doc = make()  # type: ignore[operator]
    doc["Door"].set("size", (7, 8, 9))
    for again in (copy.copy(doc), copy.deepcopy(doc), pickle.loads(pickle.dumps(doc))):
        assert again["Door"].get("size") == (7, 8, 9) and again.to_bytes() == doc.to_bytes()
        again["Door"].set("size", (1, 1, 1))
        assert doc["Door"].get("size") == (7, 8, 9)


def test_copies_of_other_assets(tmp_path: Path) -> None:
    obj = tmp_path / "a.obj"
    obj.write_bytes(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    json = rezkit.load(b'{"a": 1}', form="json")
    for asset in (triangle(), rezkit.Llsd({"a": 1}, "binary"), rezkit.Llsd([1], "notation"), json, rezkit.load(obj)):
        for again in (copy.deepcopy(asset), pickle.loads(pickle.dumps(asset))):
            assert type(again) is type(asset) and again.to_bytes() == asset.to_bytes() and repr(again) == repr(asset)


def test_motion_is_no_mesh(tmp_path: Path) -> None:
    """An animation of Second Life has no levels of detail, so it is a `Model`."""
    bvh = tmp_path / "a.bvh"
    bvh.write_text(
        "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Xrotation Yrotation Zrotation\n"
        "End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 3\nFrame Time: 0.1\n"
        "0 0 0 0 0 0\n0 0 0 0 10 0\n0 0 0 0 20 0\n"
    )
    motion = rezkit.load(rezkit.convert(bvh, "anim", allow_loss=True).data)
    assert type(motion) is rezkit.Model and motion.format == "slmesh"


@BOTH
def test_document_columns(make: object) -> None:
    doc = make()  # type: ignore[operator]
    columns = doc.columns("Part")
    assert columns["size"].tolist() == [[4, 5, 6]] and columns["CFrame"].tolist() == [FRAME]
    assert columns["Anchored"].dtype == bool and not columns["size"].flags.writeable
    values = doc.columns("ObjectValue")
    assert values["Value"].tolist() == [0, -1]
    assert columns["CanCollide"].tolist() == [True] and "CanCollide" not in doc.columns("Part", stored=True)
    names = values["Name"]
    assert isinstance(values["Name"], Sequence) and isinstance(values["Name"], Iterable) and "Two" in names
    assert list(reversed(names)) == ["Two", "One"] and names.index("Two") == 1 and names.count("One") == 1
    assert list(names[:1]) == ["One"] and list(names[::-1]) == ["Two", "One"] and list(names[5:]) == []
    assert list(iter(names)) == ["One", "Two"]
    assert list(names) == ["One", "Two"] and len(names) == 2 and names[-1] == "Two"
    assert names.offsets.tolist() == [0, 3, 6] and names.data.tobytes() == b"OneTwo"
    with pytest.raises(IndexError):
        names[2]
    assert doc.columns("Model") == {}
    with pytest.raises(rezkit.Error) as raised:
        doc.columns("Part", max_bytes=10)
    assert raised.value.kind == "limit"


def test_attributes() -> None:
    """Known bytes of a document of 2026: 1.5 and a TweenInfo, an array with a hole, a reference."""
    blob = (b"\x03\0\0\0\x01\0\0\0a\x06\0\0\0\0\0\0\xf8\x3f"
            b"\x01\0\0\0b\x24\0\0\xc0\x3f\0\0\xd0\x40\x04\0\0\0\x01\0\0\0\x02\0\0\0\0"
            b"\x01\0\0\0c\x07\x03\0\0\0\x06\0\0\0\0\0\0\xf8\x3f\x01\x03\x01")
    text = base64.b64encode(blob).decode()
    doc = rezkit.load(f'<roblox version="4"><Item class="Part" referent="0"><Properties><string name="Name">P</string>'
                      f'<BinaryString name="AttributesSerialize">{text}</BinaryString><Ref name="__attrRef_d">0</Ref>'
                      f"</Properties></Item></roblox>".encode())
    for made in [doc, rezkit.load(rezkit.convert(doc, "rbxm", fill="defaults").data)]:
        assert isinstance(made, rezkit.RobloxDocument)
        attributes = made["P"].attributes
        assert attributes["a"] == 1.5 and attributes["c"] == [1.5, None, True] and attributes["d"] == made["P"]
        assert attributes["b"]["TweenInfo"] == {"time": 1.5, "delay": 6.5, "repeats": 4, "style": 1, "direction": 2, "reverses": False}


def test_columns_with_rows_without_a_value() -> None:
    doc = rezkit.load(b'<roblox version="4">'
                      b'<Item class="Odd" referent="0"><Properties><int name="A">1</int></Properties></Item>'
                      b'<Item class="Odd" referent="1"><Properties><string name="B">x</string><Ref name="C">0</Ref></Properties>'
                      b"</Item></roblox>")
    assert isinstance(doc, rezkit.RobloxDocument)
    columns = doc.columns("Odd")
    assert columns["A"].tolist() == [1, None] and columns["C"].tolist() == [None, 0]
    assert list(columns["B"]) == [None, "x"] == list(columns["B"][:])
    # One property in two types has two columns; a part without a colour has the default, one with a BrickColor its colour.
    mixed = rezkit.load(b'<roblox version="4">'
                        b'<Item class="Odd" referent="0"><Properties><string name="B">x</string></Properties></Item>'
                        b'<Item class="Odd" referent="1"><Properties><float name="B">0.5</float></Properties></Item>'
                        b'<Item class="Part" referent="2"><Properties></Properties></Item>'
                        b'<Item class="Part" referent="3"><Properties><int name="BrickColor">23</int></Properties></Item></roblox>')
    assert isinstance(mixed, rezkit.RobloxDocument)
    assert mixed.columns("Odd")["B (Float32)"][1] == 0.5
    parts = mixed.columns("Part")
    assert parts["size"].tolist() == [pytest.approx([4, 1.2, 2])] * 2
    assert parts["Color3uint8"].tolist() == [[163, 162, 165], [13, 105, 172]]
    assert set(mixed.columns("Part", stored=True)) == {"BrickColor"}


def test_an_unedited_document_is_written_as_it_was() -> None:
    assert xml().to_bytes() == XML
    doc = xml()
    doc["Door"].set("Anchored", False)
    assert doc.to_bytes() == XML.replace(b">true<", b">false<")


def test_a_binary_instance_that_lacks_properties() -> None:
    doc = binary()
    with pytest.raises(rezkit.Error):
        doc["Box"].insert("Part", fill="none")
    filled: list[rezkit.Loss] = []
    small = doc["Box"].insert("Part", Name="Small", losses=filled)
    assert small.class_name == "Part" and {loss.path for loss in filled} >= {"Part.size"}
    with pytest.raises(rezkit.Error, match="neutral"):
        doc["Box"].insert("Part", fill="something")  # type: ignore[arg-type]


@BOTH
def test_attributes_tags_and_derived_classes(make: object) -> None:
    """In the bytes of Roblox, 3 is the type of a boolean; tags are separated by zero bytes."""
    doc = make()  # type: ignore[operator]
    door = doc["Door"]
    door.attributes["Open"] = True
    door.attributes.update(Count=3, To=doc["Box"])
    assert door.attributes == {"Count": 3.0, "Open": True, "To": doc["Box"]}
    del door.attributes["Count"]
    door.attributes["To"] = None
    assert door.get("AttributesSerialize", stored=True).encode().startswith(b"\x01\0\0\0\x04\0\0\0Open\x03\x01")
    with pytest.raises(rezkit.Error, match="expected None, a str, bytes, a bool, a number"):
        door.attributes["Odd"] = object()
    door.attributes["Text"] = "a"
    for other in (5, True, rezkit.Vector3(1, 2, 3)):
        with pytest.raises(rezkit.Error, match="expected String, the type of the attribute"):
            door.attributes["Text"] = other
    del door.attributes["Text"]
    assert list(door.tags) == []
    door.tags = ["Lava"]
    doc["Door"].tags.add("Hot")
    assert list(door.tags) == ["Lava", "Hot"] and door.tags == {"Hot", "Lava"} and door.get("Tags", stored=True) == "Lava\0Hot"
    assert doc.query("BasePart") == [door]
    assert doc.columns("BasePart")["size"].tolist() == [[4, 5, 6]]
    assert doc.paths() == [instance.path for instance in doc]
    # Removing instances while visiting them.
    for instance in doc:
        if instance.class_name == "Folder":
            instance.remove()
    assert [instance.path for instance in doc] == ["Door"]


@BOTH
def test_properties_that_files_do_not_store(make: object) -> None:
    doc = make()  # type: ignore[operator]
    door = doc["Door"]
    before = doc.to_bytes()
    with pytest.raises(rezkit.Error, match="Part has no stored property Foo"):
        door.set("Foo", 5)
    for name, value, why in [("Parent", doc["Box"], "move the instance"), ("Foo", 5, "Part has no stored property Foo")]:
        with pytest.raises(rezkit.Error, match=why):
            doc.insert(None, "Part", **{name: value})
    assert doc.to_bytes() == before
    door.set("Foo", 5, type="Float32", fill="defaults")
    assert door.get("Foo", stored=True) == 5.0
    with pytest.raises(rezkit.Error, match="no type"):
        door.set("Foo", 5, type="Flot")


def test_setting_a_property_that_no_binary_instance_stores() -> None:
    """BrickColor 21 is Bright red, (196, 40, 28) in Roblox's table of colours."""
    part = ('<Item class="Part" referent="{0}"><Properties><string name="Name">{0}</string>'
            '<int name="BrickColor">21</int></Properties></Item>')
    text = '<roblox version="4">' + part.format("A") + part.format("B") + "</roblox>"
    doc = rezkit.load(rezkit.convert(text.encode(), "rbxm").data)
    assert isinstance(doc, rezkit.RobloxDocument)
    before = doc.to_bytes()
    with pytest.raises(rezkit.Error, match="no value for 1 of 2 instances") as raised:
        doc["A"].set("Transparency", 0.5, fill="none")
    assert raised.value.path == "A.Transparency" and doc.to_bytes() == before
    losses: list[rezkit.Loss] = []
    doc["A"].set("Transparency", 0.5, losses=losses)
    assert [(loss.path, loss.kind) for loss in losses] == [("Part.Transparency", "filled-in")]
    assert doc["A"].get("Transparency", stored=True) == 0.5 and doc["B"].get("Transparency", stored=True) == 0
    # The older form is a value: no default is needed.
    losses = []
    doc["A"].set("Color", (0, 0, 1), losses=losses)
    assert [loss.path for loss in losses] == ["Part.Color3uint8"] and "BrickColor" in losses[0].what
    assert tuple(doc["B"].get("Color", stored=True)) == (196, 40, 28)


def test_llsd_of_json_is_edited() -> None:
    llsd = rezkit.load(b'{"a": 1, "b": [true]}', form="json")
    assert isinstance(llsd, rezkit.Llsd)
    llsd["a"] = 2
    assert "b/0" in llsd and "b/1" not in llsd and len(llsd) == 2 and list(llsd) == ["a", "b"]
    del llsd["b"]
    assert llsd.value == {"a": 2} and b'"a"' in llsd.to_bytes()


def test_llsd() -> None:
    value: dict[str, object] = {
        "undef": None,
        "boolean": True,
        "integer": -(2**31),
        "real": -0.0,
        "nan": float("nan"),
        "uuid": uuid.UUID("67153d5b-3659-afb4-8510-adda2c034649"),
        "string": "grün\n\t&<",
        "uri": rezkit.Uri("https://example.org/?a=1&b=2"),
        "binary": bytes(range(256)),
        "date": datetime.datetime(2006, 2, 1, 14, 29, 53, 430000),
        "array": [1, [2, [3]], {}],
        "": {"": []},
    }
    for encoding in ("binary", "xml", "notation"):
        llsd = rezkit.Llsd(value, encoding)
        again = rezkit.load(llsd.to_bytes(encoding))
        assert isinstance(again, rezkit.Llsd) and again.version == encoding
        assert repr(again.value) == repr(value)
        assert list(again.value) == list(value)
        assert type(again["uri"]) is rezkit.Uri and again["array/1/1/0"] == 3
    llsd["string"] = "new"
    llsd["array/0"] = 5
    del llsd["nan"]
    assert llsd["string"] == "new" and llsd["array"][0] == 5 and "nan" not in llsd.value
    with pytest.raises(KeyError):
        llsd["nothing"]
    zone = datetime.timezone(datetime.timedelta(hours=2))
    numbers = {"a": np.float32(1.5), "b": np.int64(7), "c": np.bool_(True), "d": np.array([[1, 2], [3, 4]])}
    assert rezkit.Llsd(numbers).value == {"a": 1.5, "b": 7, "c": True, "d": [[1, 2], [3, 4]]}
    assert rezkit.Llsd(datetime.datetime(2020, 1, 1, 2, tzinfo=zone)).value == datetime.datetime(2020, 1, 1)


@pytest.mark.parametrize("wrong", [2**31, object(), {1: 2}, {"a": [1, {"b": 1j}]}, {"a": {1, 2}}])
def test_values_that_llsd_does_not_have(wrong: object) -> None:
    with pytest.raises(rezkit.Error) as raised:
        rezkit.Llsd(wrong)
    assert raised.value.kind == "argument" and str(raised.value).startswith("value")


def test_llsd_that_python_cannot_hold() -> None:
    deep: list[object] = []
    for _ in range(1000):
        deep = [deep]
    with pytest.raises(rezkit.Error, match="nested"):
        rezkit.Llsd(deep)
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(rezkit.Error, match="nested"):
        rezkit.Llsd(loop)
    far = rezkit.load(b"<? LLSD/Binary ?>\nd" + np.array([1e300]).tobytes())
    assert isinstance(far, rezkit.Llsd)
    with pytest.raises(rezkit.Error, match="datetime"):
        far.value
    assert rezkit.load(far.to_bytes()).to_bytes() == far.to_bytes()
    odd = rezkit.Llsd("\udcff\udcfe")
    assert odd.to_bytes("binary").endswith(b"s\x00\x00\x00\x02\xff\xfe") and odd.value == "\udcff\udcfe"


def test_conversions(tmp_path: Path) -> None:
    mesh = triangle()
    for to in ("glb", "ply", "stl", "obj", "llmesh", "m3d"):
        made = rezkit.convert(mesh, to)
        again = rezkit.scene(rezkit.load(made.data) if to not in ("obj", "stl") else mesh)
        assert again.triangle_count == 1, to
    skinned = rezkit.RobloxMesh.from_arrays(
        TRIANGLE, ONE, joints=[[0, 0, 0, 0]] * 3, weights=[[1, 0, 0, 0]] * 3, bones=[("Root", None, np.eye(4))])
    lost = rezkit.convert(skinned, "ply").losses
    # PLY has no bones; the text of the loss is tested in Rust.
    assert lost and all(loss.what and loss.kind in ("left-out", "approximated") for loss in lost)
    ids = [loss.id for loss in lost]
    assert "scene.skins" in ids
    with pytest.raises(rezkit.Error, match="the loss scene.skins is denied"):
        rezkit.convert(skinned, "ply", deny=["scene.skins"])
    assert rezkit.convert(skinned, "ply", deny=["all"], allow=ids).losses == []
    with pytest.raises(rezkit.Error, match="unknown rule scene.nothing"):
        rezkit.convert(skinned, "ply", deny=["scene.nothing"])
    rezkit.convert(mesh, "gltf", name="one").save(tmp_path / "one.gltf")
    assert rezkit.scene(tmp_path / "one.gltf").triangle_count == 1
    with pytest.raises(rezkit.Error) as raised:
        rezkit.convert(mesh, "docx")
    assert raised.value.kind == "argument" and "glb" in str(raised.value)
    with pytest.raises(rezkit.Error, match="geometry"):
        rezkit.scene(rezkit.Llsd(1))


def test_files_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files beside a relative path are found, but not through links out of the folder, and not beyond the limit."""
    monkeypatch.chdir(tmp_path)
    inside, outside = tmp_path / "in", tmp_path / "outside.bin"
    inside.mkdir()
    rezkit.convert(triangle(), "gltf", name="one").save(inside / "one.gltf")
    monkeypatch.chdir(inside)
    assert rezkit.scene("one.gltf").triangle_count == 1
    (inside / "one.bin").write_bytes((inside / "one.bin").read_bytes() + bytes(100_000))
    with pytest.raises(rezkit.Error, match="not enough memory is left for the file one.bin"):
        rezkit.load("one.gltf", max_bytes=100_000)
    (inside / "one.bin").rename(outside)
    (inside / "one.bin").symlink_to(outside)
    with pytest.raises(rezkit.Error, match="the external file one.bin was not found"):
        rezkit.scene("one.gltf")


def test_pictures_have_the_limit_of_their_asset() -> None:
    """A picture takes 62 bytes of memory for each pixel."""
    asset = rezkit.load(triangle().to_bytes(), max_bytes=1_000_000)
    for thing in (asset, rezkit.scene(asset)):
        assert rezkit.render(thing, 64).shape == (64, 64, 4)
        with pytest.raises(rezkit.Error, match="memory"):
            rezkit.render(thing, 512)


def test_assets_beside_a_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files to which a place refers by id are found beside it, as by the command line."""
    place = b"""<roblox version="4"><Item class="MeshPart"><Properties><string name="Name">A</string>
        <CoordinateFrame name="CFrame"><X>0</X><Y>0</Y><Z>0</Z><R00>1</R00><R01>0</R01><R02>0</R02>
        <R10>0</R10><R11>1</R11><R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CoordinateFrame>
        <Vector3 name="size"><X>1</X><Y>1</Y><Z>1</Z></Vector3>
        <Content name="MeshId"><url>rbxassetid://123</url></Content></Properties></Item></roblox>"""
    (tmp_path / "place.rbxmx").write_bytes(place)
    # If the mesh is missing, a box of its size is shown.
    assert rezkit.scene(tmp_path / "place.rbxmx").triangle_count == 12
    triangle().save(tmp_path / "123.mesh")
    monkeypatch.chdir(tmp_path)
    for path in ("place.rbxmx", str(tmp_path / "place.rbxmx")):
        scene = rezkit.scene(path)
        assert scene.triangle_count == 1 and not scene.losses, path


def test_scene() -> None:
    scene = rezkit.scene(xml())
    (primitive,) = scene.meshes[0].primitives
    # A block of 4 x 5 x 6 studs, rotated by 90 degrees about y.
    points = primitive.geometry.positions
    world = scene.world_matrices()
    node = next(index for index, node in enumerate(scene.nodes) if node.mesh == 0)
    placed = points @ world[node][:3, :3].T + world[node][:3, 3]
    np.testing.assert_allclose(np.ptp(placed, axis=0), [6, 5, 4], atol=1e-5)
    np.testing.assert_allclose((placed.min(axis=0) + placed.max(axis=0)) / 2, [1, 2, 3], atol=1e-5)
    picture = rezkit.render(scene, (32, 24))
    assert picture.shape == (24, 32, 4) and picture.dtype == np.uint8 and len(np.unique(picture[..., 0])) > 1


def test_files_by_reference() -> None:
    asked: list[object] = []
    place = b"""<roblox version="4"><Item class="Part" referent="0"><Properties>
        <CoordinateFrame name="CFrame"><X>0</X><Y>0</Y><Z>0</Z><R00>1</R00><R01>0</R01><R02>0</R02><R10>0</R10><R11>1</R11>
        <R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CoordinateFrame><Vector3 name="size"><X>1</X><Y>1</Y><Z>1</Z></Vector3></Properties>
        <Item class="SpecialMesh" referent="1"><Properties><token name="MeshType">5</token>
        <Content name="MeshId"><url>rbxassetid://42</url></Content></Properties></Item></Item></roblox>"""

    def files(reference: int | str) -> bytes:
        asked.append(reference)
        return triangle().to_bytes()

    scene = rezkit.scene(place, files=files)
    assert asked == [42] and scene.triangle_count == 1

    def fail(_: object) -> bytes:
        raise LookupError("not today")

    with pytest.raises(LookupError, match="not today"):
        rezkit.scene(place, files=fail)


def test_threads() -> None:
    """Several threads read arrays of one object, edit it, write it and convert it."""
    mesh, doc = triangle(), xml()
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for step in range(30):
                assert mesh.positions.tolist() == TRIANGLE.tolist()
                mesh.set_skin([[0]] * 3, [[1.0]] * 3, [("Root", None, np.eye(4))])
                rezkit.load(mesh.to_bytes())
                new = doc["Box"].insert("Folder", Name=f"{number}-{step}")
                assert new.get("Name") == f"{number}-{step}"
                assert new.remove() == 1
                rezkit.convert(mesh, "glb")
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(doc) == 4


def test_python_goes_on_while_rust_works() -> None:
    """The interpreter's lock is released: another thread counts while a picture is drawn."""
    count, stop = 0, threading.Event()

    def counting() -> None:
        nonlocal count
        while not stop.is_set():
            count += 1

    thread = threading.Thread(target=counting)
    scene = rezkit.scene(xml())
    thread.start()
    try:
        before = count
        rezkit.render(scene, 1500)
        assert count > before + 100
    finally:
        stop.set()
        thread.join()


def test_objects_are_what_they_seem() -> None:
    mesh = triangle()
    assert repr(mesh) == "<Roblox mesh 5.00: 3 vertices, 1 triangles>" and mesh.format == "rbxmesh" and "7.00" in mesh.forms
    assert isinstance(mesh, rezkit.Asset)
    with pytest.raises(TypeError):
        rezkit.RobloxMesh()
    assert mesh.describe()["vertices"] == 3
    findings = mesh.check(["roblox-upload"])
    assert mesh.check("roblox-upload") == findings
    bones = [("Root", -1, np.eye(4))]
    mesh.set_skin([[0]] * 3, [[1.0]] * 3, bones)
    assert mesh.bones["parent"].tolist() == [-1]
    with pytest.raises(rezkit.Error, match="allow_loss=True"):
        rezkit.convert(mesh, "2.00")
    assert rezkit.convert(mesh, ".glb").extension == "glb"
    with pytest.raises(rezkit.Error, match="angle"):
        rezkit.render(mesh, 8, angle=(float("nan"), 0))
    with pytest.raises(TypeError, match="unexpected keyword argument 'angel'"):
        rezkit.render(mesh, 8, angel=3)
    shown = rezkit.render(mesh, 8, background="none")
    assert shown[..., 3].min() == 0 and np.array_equal(shown, rezkit.render(mesh, "8x8", background=[0] * 4))  # type: ignore[arg-type]
    assert findings and {finding.severity for finding in findings} <= {"error", "warning"}
    with pytest.raises(rezkit.Error, match="unknown profile"):
        mesh.check(["nobody"])
    with pytest.raises(TypeError):
        weakref.ref(mesh)


def test_motions_are_played_otherwise() -> None:
    """The bytes of priority, loop, ease and hand pose in a keyframe motion."""
    head = struct.pack("<HHif", 1, 0, 3, 2.0) + b"\0"
    keys = (0, 32768, 32768, 32768, 65535, 32768, 32768, 50000)
    joint = b"mHead\0" + struct.pack("<ii8Hii", -1, 2, *keys, 0, 0)
    data = head + struct.pack("<ffiffII", 0.0, 2.0, 0, 0.5, 0.5, 1, 1) + joint
    assert rezkit.convert(data, "anim").data == data
    options: dict[str, Any] = {"priority": 5, "loop": (0.5, 1.5), "ease": (0.25, 1.0), "hand_pose": "point right"}
    expected = struct.pack("<HHif", 1, 0, 5, 2.0) + b"\0"
    expected += struct.pack("<ffiffII", 0.5, 1.5, 1, 0.25, 1.0, 8, 1) + joint
    assert rezkit.convert(data, "anim", **options).data == expected
    glb = rezkit.convert(data, "glb", **options).data
    assert rezkit.convert(glb, "anim").data[: len(expected) - len(joint)] == expected[: -len(joint)]
    looped = rezkit.convert(data, "anim", loop=True, hand_pose=3).data
    assert struct.unpack_from("<ffiffI", looped, 13) == (0.0, 2.0, 1, 0.5, 0.5, 3)
    wrong: dict[str, Any] = {"priority": 7, "loop": "no", "hand_pose": "wave"}
    for name, value in wrong.items():
        with pytest.raises(rezkit.Error, match=name):
            rezkit.convert(data, "anim", **{name: value})
