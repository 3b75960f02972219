"""Documents, scenes and assets made from nothing, asked and changed."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rezkit

FORMS = pytest.mark.parametrize("form", ["binary", "xml"])
TETRA = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]


def place(form: Any = "binary") -> rezkit.RobloxDocument:
    """Three parts below Workspace, one above another, and a light."""
    doc = rezkit.RobloxDocument.new("place", form)
    for height in range(3):
        doc.insert("Workspace", "Part", Name=f"P{height}", Size=(4, height + 1, 2), Position=(0, height, 0),
                   Anchored=height == 0, Material="Neon" if height else "Grass", Color="#ff8800")
    doc["Workspace/P0"].insert("PointLight", Brightness=2)
    return doc


@FORMS
def test_a_new_place(form: Any) -> None:
    doc = place(form)
    assert doc["Workspace"].class_name == "Workspace" and doc.version == rezkit.load(doc.to_bytes()).version
    again = rezkit.RobloxDocument.load(doc.to_bytes())
    assert [instance.path for instance in again] == [instance.path for instance in doc]
    part = again["Workspace/P1"]
    assert part.Size == (4, 2, 2) and part["Color"] == (255, 136, 0) and part.get("Nothing", 1) == 1
    assert part.Position == (0, 1, 0) and part.Name == part.name == "P1" and part.ClassName == "Part"
    assert part.Parent == part.parent == again["Workspace"]
    assert rezkit.RobloxDocument.new("model", form).children == []
    with pytest.raises(rezkit.Error, match="expected model or place"):
        rezkit.RobloxDocument.new("palce")  # type: ignore[arg-type]
    assert {"Size", "Color", "Material", "Position", "name", "get"} <= set(dir(part))


def test_a_new_document_is_saved_under_both_extensions(tmp_path: Path) -> None:
    place().save(tmp_path / "a.rbxl")
    rezkit.RobloxDocument.new("model").save(tmp_path / "a.rbxm")
    assert len(rezkit.RobloxDocument.load(tmp_path / "a.rbxl")) == len(place())


@FORMS
def test_properties_are_set(form: Any) -> None:
    doc = place(form)
    part = doc["Workspace/P0"]
    part.Size = (1, 2, 3)
    part["Color"] = rezkit.Color3(0, 0, 1)
    part.Name = "Base"
    part.Position = (5, 6, 7)
    part.Orientation = (0, 90, 0)
    assert doc["Workspace/Base"] == part and part.Size == (1, 2, 3) and part.Color == (0, 0, 255)
    assert part.Position == (5, 6, 7)
    np.testing.assert_allclose(part.Orientation, (0, 90, 0), atol=1e-4)
    # In Roblox, 90 degrees about y turn x to -z.
    np.testing.assert_allclose(part.CFrame[:3, :3] @ [1, 0, 0], [0, 0, -1], atol=1e-6)
    for angles in [(10, 20, 30), (-80, 170, 5)]:
        part.Orientation = angles
        np.testing.assert_allclose(part.Orientation, angles, atol=1e-3)
    part.Parent = doc["ServerStorage"]
    assert part.path == "ServerStorage/Base"
    part.Parent = None
    assert part.path == "Base"
    with pytest.raises(AttributeError, match="misspelling of Size"):
        part.Sise
    with pytest.raises(AttributeError, match="cannot be set"):
        part.path = "x"  # type: ignore[misc]
    assert not hasattr(part, "__array__")


@FORMS
def test_a_document_is_rebuilt_from_its_values(form: Any) -> None:
    doc = place(form)
    doc["Workspace/P2"].set("Old", 1.5, type="Float32")
    new, made = rezkit.RobloxDocument.new("place", form), dict[rezkit.Instance, rezkit.Instance]()
    for service in new.children:
        service.remove()
    for instance in doc:
        parent = made.get(instance.parent) if instance.parent else None
        made[instance] = new.insert(parent, instance.class_name, types=instance.types, **instance.properties)
    assert rezkit.diff(doc, new) == [] and doc["Workspace/P2"].types["Old"] == "Float32"


@FORMS
def test_a_class_that_roblox_does_not_have(form: Any) -> None:
    doc = rezkit.RobloxDocument.new("model", form)
    with pytest.raises(rezkit.Error, match="there is no class Timer; .*needs `types`"):
        doc.insert(None, "Timer", Name="T")
    timer = doc.insert(None, "Timer", types={"Name": "String", "Ticks": "Int32"}, Name="T", Ticks=3)
    sound = doc.insert(timer, "Sound", types={"RollOffMinDistance": "Float32"}, RollOffMinDistance=4, Volume=0.5)
    assert sound.properties["RollOffMinDistance"] == 4 and "EmitterSize" not in sound.properties
    part = doc.insert(timer, "Part", types={"Old": "Bool"}, Old=True, Size=(1, 2, 3))
    assert part.properties["size"] == (1, 2, 3) and "Size" not in part.properties
    again = rezkit.RobloxDocument.load(doc.to_bytes())
    assert again["T"].class_name == "Timer" and again["T"].Ticks == 3 and again["T/Sound"].Volume == 0.5


@FORMS
def test_instances_are_copied(form: Any) -> None:
    doc, other = place(form), place("xml" if form == "binary" else "binary")
    again = doc.insert("Workspace", doc["Workspace/P0"], Name="Again", Position=(9, 9, 9))
    assert again.Position == (9, 9, 9) and again.Material == "Grass" and doc["Workspace/Again/PointLight"].Brightness == 2
    assert doc["Workspace/P0"].Position == (0, 0, 0)
    losses: list[rezkit.Loss] = []
    weld = other["Workspace/P0"].insert("WeldConstraint", Part0Internal=other["Workspace/P0"], Part1Internal=other["Workspace/P1"])
    copy = doc["ServerStorage"].insert(other["Workspace/P0"], losses=losses)
    assert copy.path == "ServerStorage/P0" and copy.Size == (4, 1, 2) and len(list(copy)) == 2
    copied = doc["ServerStorage/P0/WeldConstraint"]
    assert copied.Part0Internal == copy and copied.Part1Internal is None
    assert weld.Part1Internal == other["Workspace/P1"] and any("replaced by null" in loss.what for loss in losses)
    before = doc.to_bytes()
    with pytest.raises(rezkit.PropertyTypeError):
        doc.insert("Workspace", again, Size="large")
    with pytest.raises(TypeError, match="or an Instance to copy"):
        doc.insert("Workspace", other)  # type: ignore[arg-type]
    assert doc.to_bytes() == before


@FORMS
def test_enum_items_as_attributes(form: Any) -> None:
    """In Roblox's bytes, an item of an enum is the name of the enum and a number."""
    part = place(form)["Workspace/P1"]
    part.attributes["Look"] = part.Material
    item = part.attributes["Look"]
    assert item == part.Material and repr(item) == "Enum.Material.Neon" and item.name == "Neon"
    assert b"\x08\0\0\0Material\x20\x01\0\0" in part.properties["AttributesSerialize"].encode()
    document = part.document
    assert document.query("[$Look = Neon]") == document.query("[$Look = Enum.Material.Neon]") == [part]
    assert document.query("[$Look = 288]") == [part] and document.query("[$Look = Grass]") == []
    part.attributes["Look"] = rezkit.EnumItem("NewEnum", None, 7)
    assert part.attributes["Look"] == 7 and repr(part.attributes["Look"]) == "Enum.NewEnum.7"


def test_enums_are_numbers_and_names() -> None:
    part = place()["Workspace/P1"]
    item = part.Material
    assert str(item) == repr(item) == "Enum.Material.Neon" and item == 288 == item.real and item == "Neon"
    assert item == "Enum.Material.Neon" and item != "Grass" and item != 289 and {288: 1}[item] == 1
    assert (item.enum, item.name) == ("Material", "Neon")
    part.Material = "Grass"
    part.Material = item
    assert part.Material == "Neon"
    with pytest.raises(rezkit.Error, match="not an item of the enum Material"):
        part.Material = part.Shape
    attributes = part.properties
    assert attributes["Material"].name == "Neon"


def test_a_path_in_errors_has_one_meaning() -> None:
    doc = place()
    part = doc["Workspace/P0"]
    calls: list[tuple[Any, str]] = [
        (lambda: part.set("Size", "big"), "Workspace/P0.Size"),
        (lambda: part.set("Sise", 1), "Workspace/P0.Sise"),
        (lambda: part.set("Material", "Nylon"), "Workspace/P0.Material"),
        (lambda: part.set("Transparency", True), "Workspace/P0.Transparency"),
        (lambda: doc.set("Part", Size=(1, 2)), "Workspace/P0.Size"),
        (lambda: doc.insert("Workspace", "Part", Name="New", Size=1), "Workspace/New.Size"),
        (lambda: doc.insert("Workspace", "Part", Nothing=1), "Workspace/Part.Nothing"),
        (lambda: part.attributes.update(A=object()), "Workspace/P0.AttributesSerialize.A"),
        (lambda: part.set("Position", 1), "Workspace/P0.Position"),
    ]
    for call, path in calls:
        with pytest.raises(rezkit.Error) as raised:
            call()
        assert raised.value.path == path and str(raised.value).startswith(path + ": "), str(raised.value)
    for call in (calls[0][0], calls[4][0], calls[5][0]):
        with pytest.raises(TypeError):
            call()
        with pytest.raises(rezkit.PropertyTypeError):
            call()


@FORMS
def test_queries(form: Any) -> None:
    doc = place(form)
    assert [part.Name for part in doc.query("Part[Anchored = false]")] == ["P1", "P2"]
    assert [part.Name for part in doc.query("BasePart[Material = Neon][Size.Y > 2]")] == ["P2"]
    assert doc["Workspace"].query("PointLight") == doc["Workspace/P0"].children
    assert doc.set("Part[Anchored = false]", Anchored=True, Transparency=0.5) == 2
    assert [part.Transparency for part in doc.query("Part")] == [0, 0.5, 0.5]
    assert doc.set(doc.query("#P0"), Position=(1, 1, 1)) == 1 and doc["Workspace/P0"].Position == (1, 1, 1)
    before = doc.to_bytes()
    with pytest.raises(rezkit.Error):
        doc.set("BasePart", Anchored=False, Shape="Round")
    assert doc.to_bytes() == before and doc.query("Decal") == [] and doc.set("Decal", Name="x") == 0
    with pytest.raises(KeyError, match="did you mean Part"):
        doc.query("Prat")
    with pytest.raises(rezkit.Error) as raised:
        doc.query("Part[")
    assert raised.value.path == "selector"


@FORMS
def test_columns_for_data_frames(form: Any) -> None:
    doc = place(form)
    columns = doc.columns("Part", ["Name", "Size", "Color", "Material", "Position", "ClassName"], enums="names")
    assert list(columns["Name"]) == ["P0", "P1", "P2"] and list(columns["Material"]) == ["Grass", "Neon", "Neon"]
    assert columns["Size"].tolist() == [[4, 1, 2], [4, 2, 2], [4, 3, 2]] and columns["Color"].dtype == np.uint8
    assert columns["Size.Y"].base is not None and columns["Position.Y"].tolist() == [0, 1, 2]
    assert list(columns) == ["Name", "Size.X", "Size.Y", "Size.Z", "Color.R", "Color.G", "Color.B", "Material",
                             "Position.X", "Position.Y", "Position.Z", "ClassName"]
    assert doc.columns("Part", ["Material"])["Material"].tolist() == [1280, 288, 288]
    everything = doc.columns("Part")
    assert everything["Size.Y"].tolist() == everything["size.Y"].tolist() and "Size" in everything
    mixed = doc.columns("Part, PointLight", ["Size", "Brightness", "Anchored", "Name", "Shadows"])
    assert np.isnan(mixed["Size"]).tolist()[1] == [True] * 3 and np.isnan(mixed["Brightness"]).tolist()[0]
    assert mixed["Anchored"].tolist() == [True, None, False, False]
    assert len(doc.columns("Decal", ["Name"])["Name"]) == 0
    with pytest.raises(KeyError, match="did you mean Size"):
        doc.columns("Part", ["Sise"])
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(columns)
    assert frame.shape == (3, 12) and frame["Size.Y"].sum() == 6 and frame["Name"].tolist() == ["P0", "P1", "P2"]
    assert pandas.DataFrame(mixed)["Brightness"].isna().tolist() == [True, False, True, True]
    pandas.DataFrame(everything)


def test_columns_for_polars() -> None:
    polars = pytest.importorskip("polars")
    doc = place()
    frame = polars.DataFrame(doc.columns("Part", ["Name", "Size", "Anchored"]))
    assert frame.shape == (3, 5) and frame["Name"].to_list() == ["P0", "P1", "P2"]
    assert frame.schema["Size.X"] == polars.Float32 and frame.schema["Name"] == polars.String
    mixed = polars.DataFrame(doc.columns("Part, PointLight", ["Name", "Anchored", "Brightness"]))
    assert mixed["Anchored"].to_list() == [True, None, False, False]
    polars.DataFrame(doc.columns("Part"))


@FORMS
def test_diff_and_merge(form: Any) -> None:
    base = place(form)
    ours, theirs = (rezkit.RobloxDocument.load(base.to_bytes()) for _ in range(2))
    ours["Workspace/P0"].Transparency = 0.5
    ours["Workspace/P1"].Size = (9, 9, 9)
    theirs["Workspace/P1"].Size = (8, 8, 8)
    theirs["Workspace/P2"].Name = "Top"
    changes = rezkit.diff(base, theirs)
    assert ("changed", "Workspace/P1.size") in {(change.change, change.path) for change in changes}
    merged = rezkit.RobloxDocument.merge(base, ours, theirs)
    doc = merged.document
    assert doc["Workspace/P0"].Transparency == 0.5 and doc["Workspace/Top"].class_name == "Part"
    [conflict] = merged.conflicts
    assert conflict.path == "Workspace/P1.size" and (conflict.ours, conflict.theirs) == ("9, 9, 9", "8, 8, 8")
    assert doc["Workspace/P1"].Size == (9, 9, 9)
    resolved = rezkit.RobloxDocument.merge(base, ours, theirs, decisions={conflict.path: "theirs"})
    assert resolved.conflicts == [] and resolved.document["Workspace/P1"].Size == (8, 8, 8)
    assert rezkit.RobloxDocument.merge(base, ours, theirs, prefer="theirs").document["Workspace/P1"].Size == (8, 8, 8)
    assert ours["Workspace/P1"].Size == (9, 9, 9) and rezkit.diff(base, base) == []


@FORMS
def test_extract_and_pack(form: Any, tmp_path: Path) -> None:
    doc = rezkit.RobloxDocument.new("place", form)
    doc.insert("ServerScriptService", "Script", Name="Main", Source="print(1)\n")
    files = doc.extract()
    [path] = [path for path in files.files if path.endswith(".luau")]
    packed = doc.pack({**files.files, path: b"print(2)\n"})
    assert packed.changed == ["ServerScriptService/Main.Source"]
    assert doc["ServerScriptService/Main"].Source == "print(2)\n"
    files.save(tmp_path / "place")
    (tmp_path / "place" / path).write_bytes(b"print(3)\n")
    doc.pack(tmp_path / "place")
    assert doc["ServerScriptService/Main"].Source == "print(3)\n"
    with pytest.raises(rezkit.Error, match="leads out"):
        rezkit.Extracted({"../x": b""}, []).save(tmp_path / "place")
    with pytest.raises(FileNotFoundError):
        doc.pack(tmp_path / "nowhere")


def test_upload(tmp_path: Path) -> None:
    scene = rezkit.Scene.from_arrays(TETRA, FACES, name="tetra")
    made = rezkit.upload(scene, levels=[0.5, 4, 4], physics="hulls")
    assert {"tetra.llmesh", "report.json"} <= set(made.files) and 0 < made.land_impact < 2
    asset = rezkit.SecondLifeMesh.load(made.files["tetra.llmesh"])
    assert list(asset.levels()) == ["high", "medium", "low", "lowest"] and len(asset.hulls()) == 1
    assert made.report["name"] == "tetra" and json.dumps(made.report)
    made.save(tmp_path / "out")
    assert (tmp_path / "out" / "tetra.llmesh").read_bytes() == made.files["tetra.llmesh"]
    scene.save(tmp_path / "tetra.glb")
    assert "tetra.llmesh" in rezkit.upload(tmp_path / "tetra.glb", physics="box").files
    wrongs: list[dict[str, Any]] = [{"levels": [1]}, {"levels": [2.5, 1, 1]}, {"physics": "round"}, {"concavity": 7}]
    for wrong in wrongs:
        with pytest.raises(rezkit.Error) as raised:
            rezkit.upload(scene, **wrong)
        assert raised.value.path == next(iter(wrong))


def rebuilt(scene: rezkit.Scene) -> rezkit.Scene:
    return rezkit.Scene(
        name=scene.name, nodes=scene.nodes, roots=scene.roots, meshes=scene.meshes, materials=scene.materials,
        images=scene.images, skins=scene.skins, animations=scene.animations, copyright=scene.copyright,
        front=scene.front, extras=scene.extras)


def full_scene() -> rezkit.Scene:
    """A scene with everything that a scene can have."""
    image = rezkit.render(rezkit.Scene.from_arrays(TETRA, FACES), 8)
    texture = rezkit.Texture(0, 1, (0.5, 0), 0.25, (2, 2), ("clamp", "mirror"), ("linear", None, "nearest"))
    primitive = {
        "positions": TETRA, "triangles": FACES, "normals": np.ones((4, 3)), "uvs": np.zeros((4, 2)),
        "more_uvs": [np.ones((4, 2))], "tangents": np.ones((4, 4)), "colors": [[0.5, 1, 0, 1]] * 4,
        "joints": [[0, 1, 0, 0]] * 4, "weights": [[0.5, 0.5, 0, 0]] * 4, "material": 0,
        "targets": [rezkit.Target("up", np.ones((4, 3), np.float32)), {"name": "n", "normals": np.ones((4, 3))}],
    }
    coat = {"factor": 0.5, "texture": texture, "roughness": 0.1, "normal_scale": 2}
    material = {
        "name": "m", "base_color": [1, 0, 0, 0.5], "metallic": 0.5, "roughness": 0.25, "emissive": [0, 1, 0],
        "emissive_strength": 3, "alpha": "mask", "alpha_cutoff": 0.25, "double_sided": True, "unlit": True, "ior": 1.4,
        "transmission": 0.5, "specular": [1, 0, 0, 0.5], "clearcoat": coat, "normal_scale": 0.5,
        "occlusion_strength": 0.5, "textures": {"base_color": texture, "normal": 0}, "extras": {"a": [1, {"b": None}]},
    }
    nodes: list[Any] = [
        {"name": "root", "children": [1, 2], "extras": {"x": 1}},
        {"name": "mesh", "mesh": 0, "skin": 0, "translation": [1, 2, 3], "rotation": [0, 1, 0, 0], "weights": [1, 0]},
        {"name": "joint", "matrix": np.diag([2, 2, 2, 1]), "children": [3], "hidden": True},
        {"light": rezkit.Light("spot", (1, 0, 0), 2, 3, 0.1, 0.2), "camera": rezkit.Camera(1, 0.5, 7, 2)},
    ]
    channels = [
        {"node": 1, "path": "translation", "times": [0, 1], "values": [[0, 0, 0], [1, 1, 1]]},
        {"node": 1, "path": "rotation", "interpolation": "step", "times": [0], "values": [[0, 0, 0, 1]]},
        {"node": 2, "path": "scale", "interpolation": "cubic", "times": [0], "values": np.ones((3, 3))},
        {"node": 1, "path": "weights", "times": [0, 1], "values": [0, 1, 1, 0]},
    ]
    return rezkit.Scene(
        name="all", nodes=nodes, meshes=[{"name": "t", "primitives": [primitive], "weights": [0.5, 0.5], "extras": {"y": 1}}],
        materials=[material], images=[{"name": "i", "data": image.tobytes()}, {"uri": "a.png"}],
        skins=[{"name": "s", "joints": [2, 3], "inverse_bind": [np.eye(4), np.diag([2, 2, 2, 1])]}],
        animations=[{"name": "walk", "channels": channels, "extras": {"Loop": True}}], copyright="me", front=90,
        extras={"z": "z"})


def test_a_scene_from_arrays_and_back() -> None:
    scene = full_scene()
    assert scene.roots == (0,) and scene.nodes[2].scale == (2, 2, 2) and scene.extras == {"z": "z"}
    assert rebuilt(scene) == scene != rezkit.Scene() and rebuilt(scene).materials[0].extras == {"a": [1, {"b": None}]}
    assert scene.meshes[0].primitives[0].geometry.colors[0].tolist() == [32768, 65535, 0, 65535]  # type: ignore[index]
    assert scene.materials[0].textures["base_color"].wrap == ("clamp", "mirror")
    assert scene.skins[0].inverse_bind[1, 0, 0] == 2 and scene.nodes[3].camera == (1, 0.5, 7, 2)


@pytest.mark.parametrize(("change", "path"), [
    ({"nodes": [{"mesh": 7}]}, "nodes[0].mesh"),
    ({"nodes": [{"translation": [1]}]}, "nodes[0].translation"),
    ({"meshes": [{"primitives": [{"positions": [[0, 0]]}]}]}, "meshes[0].primitives[0].positions"),
    ({"meshes": [{"primitives": [{"positions": TETRA, "triangles": [[0, 1, 4]]}]}]}, "meshes[0].primitives[0].triangles"),
    ({"materials": [{"alpha": "glass"}]}, "materials[0].alpha"),
    ({"animations": [{"channels": [{"node": 0, "path": "color"}]}]}, "animations[0].channels[0].path"),
])
def test_errors_of_scenes_have_paths(change: Any, path: str) -> None:
    with pytest.raises(rezkit.Error) as raised:
        rezkit.Scene(**change)
    assert raised.value.path.startswith(path), raised.value
    with pytest.raises(TypeError, match="unknown key nmae; expected name"):
        rezkit.Scene(meshes=[{"nmae": "x"}])


@pytest.mark.parametrize("parts", [
    {"nodes": [5]}, {"nodes": ["abc"]}, {"meshes": [{"primitives": ["oops"]}]}, {"images": [b"data"]}, {"materials": ["red"]},
    {"nodes": [{"rotation": (0, 2, 0, 2)}]}, {"nodes": [{"matrix": np.eye(4), "translation": (1, 0, 0)}]},
    {"nodes": [{"matrix": [[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]}]},
])
def test_parts_that_are_no_parts(parts: Any) -> None:
    with pytest.raises(TypeError):
        rezkit.Scene(**parts)


def test_colours_of_eight_bits() -> None:
    colors = np.array([[255, 0, 51, 255]] * 4, np.uint8)
    for given in (colors, colors / 255):
        scene = rezkit.Scene.from_arrays(TETRA, FACES, colors=given)
        made = scene.meshes[0].primitives[0].geometry.colors
        assert made is not None and made[0].tolist() == [65535, 0, 13107, 65535]
    with pytest.raises(TypeError):
        rezkit.Scene.from_arrays(None, FACES)  # type: ignore[arg-type]
    # What would be lost later.
    parts: list[dict[str, Any]] = [
        {"joints": [[0] * 4] * 4}, {"weights": [[1, 0, 0, 0]] * 4}, {"normals": [[0, 1, 0]] * 3},
    ]
    for part in parts:
        with pytest.raises(rezkit.Error, match="joints|normals"):
            rezkit.Scene.from_arrays(TETRA, FACES, **part)
    # Bytes, or 0 to 65535? NaN is no colour.
    wrong: Any
    for wrong in ([[255, 0, 0, 255]] * 4, np.full((4, 4), np.nan)):
        with pytest.raises(rezkit.Error, match="colors"):
            rezkit.Scene.from_arrays(TETRA, FACES, colors=wrong)


@FORMS
def test_columns_without_rows_have_types(form: Any) -> None:
    doc = rezkit.RobloxDocument.new("place", form)
    columns = doc.columns("BasePart", ["Name", "Size", "Anchored", "Parent", "Nothing"])
    assert columns["Size"].shape == (0, 3) and columns["Size"].dtype == np.float32
    assert columns["Size.X"].shape == (0,) and columns["Anchored"].dtype == np.bool_
    assert columns["Parent"].dtype == np.int64 and len(columns["Name"]) == 0


@FORMS
def test_sequences_as_attributes(form: Any) -> None:
    part = place(form)["Workspace/P0"]
    numbers = (rezkit.NumberKeypoint(0, 1, 0), rezkit.NumberKeypoint(1, 0.5, 0.25))
    colors = (rezkit.ColorKeypoint(0, rezkit.Color3(1, 0, 0), 0), rezkit.ColorKeypoint(1, rezkit.Color3(0, 0, 1), 0))
    part.attributes = {"numbers": numbers, "colors": colors}
    part.attributes = part.attributes
    assert dict(part.attributes) == {"numbers": numbers, "colors": colors}


@FORMS
def test_several_values_at_once(form: Any) -> None:
    doc = place(form)
    part = doc["Workspace/P0"]
    part.attributes = {"keep": 1.0, "hp": 5}
    with pytest.raises(TypeError):
        part.attributes = {"hp": 6, "pos": (1, 2, 3)}
    assert dict(part.attributes) == {"keep": 1.0, "hp": 5}
    part.attributes = {"hp": 6}
    assert dict(part.attributes) == {"hp": 6}
    with pytest.raises(rezkit.Error):
        part.attributes["id"] = 2**53 + 1
    for tags in ({"a"}, iter(["a"]), {"a": 1}.keys()):
        part.tags = tags
        assert list(part.tags) == ["a"]
    part.tags |= {"b"}
    assert set(part.tags) == {"a", "b"}
    with pytest.raises(TypeError):
        part.tags = "ab"
    assert list(doc.columns("Part", ["Name", "Name"])["Name"]) == ["P0", "P1", "P2"]


def test_scenes_become_files_and_assets(tmp_path: Path) -> None:
    scene = rezkit.Scene.from_arrays(TETRA, FACES, name="tetra", uvs=np.zeros((4, 2)), material={"base_color": [1, 0, 0, 1]})
    assert rezkit.convert(scene, "glb").data[:4] == b"glTF" and rezkit.convert(scene, ".obj", name="a").extension == "obj"
    for name in ["x.m3d", "x.glb", "x.gltf", "x.stl"]:
        scene.save(tmp_path / name)
        assert rezkit.scene(tmp_path / name).triangle_count == 4, name
    losses: list[rezkit.Loss] = []
    mesh = rezkit.RobloxMesh.from_scene(scene, losses=losses)
    assert {tuple(row) for row in mesh.positions} == {tuple(row) for row in TETRA} and losses
    assert rezkit.M3d.from_scene(scene).name == "tetra" and rezkit.M3d.from_scene(scene, "a3d").to_bytes()[:5] == b"3dmod"
    assert len(rezkit.SecondLifeMesh.from_scene(scene).levels()["high"][0].positions) == 4
    assert rezkit.SecondLifeMesh.from_scene(scene, "slm").mesh_count == 1
    keys = {"node": 0, "path": "translation", "times": [0, 1], "values": [[0, 0, 0], [0, 1, 0]]}
    walk = rezkit.Scene(nodes=[{"name": "LowerTorso"}], animations=[{"name": "walk", "channels": [keys]}])
    assert rezkit.RobloxDocument.from_scene(walk, rig="R15").query("KeyframeSequence")
    with pytest.raises(rezkit.Error, match="cannot be created from a scene"):
        rezkit.Llsd.from_scene(scene)


def scene_bytes(scene: rezkit.Scene) -> bytes:
    return rezkit.convert(scene, "glb").data


def test_second_life_levels_come_from_the_nodes() -> None:
    scene = rezkit.Scene.from_arrays(TETRA, FACES, name="tetra")
    asset = rezkit.SecondLifeMesh.load(rezkit.upload(scene, levels=[4, 4, 4]).files["tetra.llmesh"])
    whole = rezkit.scene(asset, levels="all", hulls=True)
    again = rezkit.SecondLifeMesh.from_scene(rebuilt(whole))
    assert list(again.levels()) == list(asset.levels()) and len(again.hulls()) == len(asset.hulls()) == 1
    for name, faces in asset.levels().items():
        assert [face.positions.tolist() for face in faces] == [face.positions.tolist() for face in again.levels()[name]]


def test_arrays_of_a_mesh_are_replaced() -> None:
    mesh = rezkit.RobloxMesh.from_arrays(TETRA, FACES, version="5.00")
    mesh.set_skin([[0]] * 4, [[1.0]] * 4, [("Root", None, np.eye(4))])
    tangents = [[1, 0, 0, 1], [0, 1, 0, -1], [0, 0, 1, 1], [0, 0, 0, 0]]
    new = mesh.replace(positions=mesh.positions * 2, tangents=tangents, colors=[[1, 2, 3, 4]] * 4, uvs=np.ones((4, 2)),
                       normals=np.ones((4, 3)), triangles=mesh.triangles[::-1])
    assert new.positions.tolist() == (mesh.positions * 2).tolist() and new.bone_names == ["Root"]
    assert new.levels == mesh.levels and new.triangles.tolist() == mesh.triangles[::-1].tolist()
    assert new.tangents is not None and new.tangents.tolist() == tangents and new.colors[3].tolist() == [1, 2, 3, 4]
    same = mesh.replace(positions=mesh.positions, normals=mesh.normals, uvs=mesh.uvs, colors=mesh.colors)
    assert same.to_bytes() == mesh.to_bytes() and rezkit.load(new.to_bytes()).to_bytes() == new.to_bytes()
    levels = rezkit.RobloxMesh.from_arrays(TETRA, FACES, levels=[slice(0, 3), slice(3, 4)])
    assert levels.levels == [slice(0, 3, 1), slice(3, 4, 1)] and levels.level(1).triangles.tolist() == [[0, 1, 2]]
    for wrong in ([slice(0, 3)], [slice(1, 4)], [slice(0, 2), slice(3, 4)], [slice(0, 4, 2)]):
        with pytest.raises(rezkit.Error, match="levels: "):
            rezkit.RobloxMesh.from_arrays(TETRA, FACES, levels=wrong)
    with pytest.raises(rezkit.Error, match="cannot represent"):
        rezkit.RobloxMesh.from_arrays(TETRA, FACES, levels=levels.levels, version="2.00")
    assert mesh.replace(tangents=new.tangent_bytes).tangent_bytes.tolist() == new.tangent_bytes.tolist()
    with pytest.raises(rezkit.Error, match="expected 4 rows"):
        mesh.replace(positions=[[0, 0, 0]])
    with pytest.raises(rezkit.Error, match="as before"):
        mesh.replace(triangles=[[0, 1, 2]])


def test_trimesh() -> None:
    trimesh = pytest.importorskip("trimesh")
    scene = rezkit.Scene.from_arrays(TETRA, FACES, name="tetra")
    mesh = scene.to_trimesh().to_geometry()
    assert mesh.is_watertight and abs(mesh.volume - 1 / 6) < 1e-6
    assert rezkit.Scene.from_trimesh(trimesh.creation.box()).triangle_count == 12
    assert rezkit.Scene.from_trimesh(scene.to_trimesh()).triangle_count == 4
    assert rezkit.Scene.from_gltf(io.BytesIO(scene_bytes(scene))).triangle_count == 4


def test_arrow() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    doc = place()
    doc.insert(None, "ParticleEmitter", Size=((0, 1, 0), (1, 2, 0)))
    columns = doc.columns("Part", ["Name", "Size", "CFrame", "Anchored", "Material", "Color"], enums="names")
    table = pyarrow.RecordBatchReader.from_stream(columns).read_all()
    assert table.column_names == ["Name", "Size", "CFrame", "Anchored", "Material", "Color"] and table.num_rows == 3
    assert table["Size"].to_pylist() == columns["Size"].tolist() and table["Color"][0].as_py() == [255, 136, 0]
    assert table["CFrame"].to_pylist() == columns["CFrame"].tolist() and table["Name"].to_pylist() == ["P0", "P1", "P2"]
    # The memory is shared.
    values = table["Size"].chunk(0).values
    assert values.buffers()[1].address == columns["Size"].ctypes.data
    mixed = pyarrow.RecordBatchReader.from_stream(doc.columns("Part, PointLight", ["Anchored", "Size", "Brightness"])).read_all()
    assert mixed["Anchored"].to_pylist() == [True, None, False, False] and mixed["Size"][1].as_py() is None
    assert mixed["Brightness"].to_pylist() == [None, 2, None, None]
    sizes = pyarrow.RecordBatchReader.from_stream(doc.columns("ParticleEmitter", ["Size"])).read_all()
    assert sizes["Size"].to_pylist() == [[[0, 1, 0], [1, 2, 0]]]
    pyarrow.RecordBatchReader.from_stream(doc.columns("Instance")).read_all()
    # Values that the file does not store are the same in all rows.
    everything = doc.columns("Part")
    table = pyarrow.RecordBatchReader.from_stream(everything).read_all()
    assert table["CanCollide"].to_pylist() == everything["CanCollide"].tolist() == [True] * 3
    assert table["Velocity"].to_pylist() == everything["Velocity"].tolist() == [[0, 0, 0]] * 3
    assert everything["Velocity.X"].tolist() == [0, 0, 0]
    assert pyarrow.array(columns["Name"]).to_pylist() == ["P0", "P1", "P2"]
    geometry = rezkit.Scene.from_arrays(TETRA, FACES).meshes[0].primitives[0].geometry
    vertices = pyarrow.array(geometry)
    assert vertices.field("positions").to_pylist() == TETRA
    assert vertices.field("positions").values.buffers()[1].address == geometry.positions.ctypes.data


def test_normals_are_not_rounded_again() -> None:
    """Integers have no unit vectors: (0, 90, 90) / 127 has the length 1.002, and this normal is written as it is."""
    normal = np.array([0, 90, 90], np.float32) / np.float32(127)
    model = rezkit.M3d.from_scene(rezkit.Scene.from_arrays(TETRA, FACES, normals=[normal] * 4))
    assert (rezkit.scene(model).meshes[0].primitives[0].geometry.normals == normal).all()  # type: ignore[union-attr]
    random = np.random.default_rng(0)
    positions, normals = random.random((300, 3)), random.standard_normal((300, 3))
    positions[:2] = [[0, 0, 0], [1, 1, 1]]
    scene = rezkit.Scene.from_arrays(positions, np.arange(300).reshape(100, 3), normals=normals)
    asset = rezkit.SecondLifeMesh.from_scene(scene)
    again = rezkit.SecondLifeMesh.from_scene(rezkit.scene(asset))
    [one], [other] = asset.levels()["high"], again.levels()["high"]
    assert one.normals is not None and other.normals is not None and (one.normals == other.normals).all()


@pytest.mark.parametrize(("weight", "bones"), [(1.0, ["arm"]), (0.5, ["arm", "static"])])
def test_vertices_without_a_bone_stay_so(weight: float, bones: list[str]) -> None:
    """The joint that stands for no bone is none in Model 3D, unless a vertex has another one, too."""
    primitive = {"positions": TETRA, "triangles": FACES, "joints": [[0, 0, 0, 0]] * 3 + [[1, 0, 0, 0]],
                 "weights": [[1, 0, 0, 0]] * 3 + [[weight, 1 - weight, 0, 0]]}
    scene = rezkit.Scene(
        nodes=[{"name": "skeleton", "children": [1, 2]}, {"name": "arm"}, {"name": "static"}, {"mesh": 0, "skin": 0}],
        meshes=[{"primitives": [primitive]}], skins=[{"joints": [1, 2]}])
    model = rezkit.M3d.from_scene(scene)
    [(_, group)] = model.groups()
    assert model.bone_names == bones and group.weights is not None
    assert sorted(group.weights.sum(axis=1).round(3).tolist()) == [float(weight < 1), 1, 1, 1]


def test_joints_of_equal_weights_keep_their_order() -> None:
    bones = [(name, None, np.eye(4)) for name in "abcd"]
    mesh = rezkit.RobloxMesh.from_arrays(TETRA, FACES, joints=[[3, 1, 2, 0]] * 4, weights=[[0.25] * 4] * 4, bones=bones)
    assert mesh.joints is not None and mesh.joints.tolist() == [[3, 1, 2, 0]] * 4


def test_an_inserted_part_keeps_the_colours_of_the_others() -> None:
    """In the palette, 21 is bright red (196 40 28). New files store `Color3uint8`, older ones `BrickColor`."""
    red = rezkit.Color3uint8(196, 40, 28)
    doc = rezkit.RobloxDocument.new()
    old = doc.insert(None, "Part", Name="Old", types={"BrickColor": "BrickColor"}, BrickColor=21)
    losses: list[rezkit.Loss] = []
    new = doc.insert(None, "Part", Name="New", Color=(1, 2, 3), losses=losses)
    assert (old.Color, new.Color) == (red, (1, 2, 3))
    assert ("Part.BrickColor", "stored under the name Color3uint8") in [(loss.path, loss.what) for loss in losses]
    doc = rezkit.RobloxDocument.new()
    doc.insert(None, "Part", Color=(1, 2, 3))
    assert doc.insert(None, "Part", BrickColor=21).Color == red
    label = doc.insert(None, "TextLabel", Font="Gotham")
    face = rezkit.Font("rbxasset://fonts/families/Arial.json", 700, 1, "")
    assert doc.insert(None, "TextLabel", FontFace=face).FontFace == face
    assert label.FontFace.family == "rbxasset://fonts/families/GothamSSm.json"


def test_bytes_are_stored_as_bytes() -> None:
    """XML has two types for what the binary form stores as strings."""
    made = rezkit.RobloxDocument.new("model", "xml")
    part = made.insert(None, "Part", Name="P")
    part.tags.add("Lava")
    part.attributes["n"] = 1
    copied = rezkit.RobloxDocument.new("model", "xml")
    copied.insert(None, part.class_name, types=part.types, **part.properties)
    assert b'<BinaryString name="Tags">TGF2YQ==</BinaryString>' in copied.to_bytes()
    odd = copied.insert(None, "Odd", types={"P": "BinaryString"}, P=b"\0")
    odd.set("Q", b"\1", type="BinaryString")
    assert copied.to_bytes().count(b"<BinaryString") == 4


def test_tags_that_are_not_text() -> None:
    part = rezkit.RobloxDocument.new().insert(None, "Part", Tags=b"\xff\0ok")
    part.tags.add("new")
    part.tags.discard("ok")
    assert list(part.tags) == [b"\xff", "new"]


def test_colours_of_vertices_and_properties() -> None:
    triangle = {"positions": np.eye(3), "triangles": [[0, 1, 2]]}
    for kind in ("f2", "f4", "f8"):
        for width, last in ((4, 32768), (3, 65535)):
            primitive = {**triangle, "colors": np.full((3, width), 0.5, kind)}
            scene = rezkit.Scene(nodes=[{"mesh": 0}], meshes=[{"primitives": [primitive]}])
            colors = scene.meshes[0].primitives[0].geometry.colors
            assert colors is not None and colors[0].tolist() == [32768, 32768, 32768, last]
    label = rezkit.RobloxDocument.new().insert(None, "TextLabel", TextColor3=(1, 0, 0.5))
    with pytest.raises(rezkit.Error, match="expected three numbers from 0 to 1"):
        label.TextColor3 = (255, 0, 0)


def test_an_instance_is_in_its_document() -> None:
    doc = rezkit.RobloxDocument.new()
    part = doc.insert(None, "Part")
    assert part in doc and part not in rezkit.RobloxDocument.new()
    part.remove()
    assert part not in doc
