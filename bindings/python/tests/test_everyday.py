"""Columns are written back, scenes are changed and pickled, what prompts and notebooks show, limits and their remedies."""

import _thread
import collections
import copy
import inspect
import io
import pickle
import threading
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
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


def test_form_names_bytes_that_are_not_recognized() -> None:
    scene = triangle()
    for form in ("glb", "ply", "obj", "stl"):
        data = rezkit.convert(scene, form).data
        assert rezkit.scene(data, form=form if form in ("obj", "stl") else None).triangle_count == 1
    assert rezkit.convert(data, "glb", form="stl").data[:4] == b"glTF"
    assert rezkit.render(data, 16, form="stl").shape == (16, 16, 4)
    assert rezkit.upload(data, form="stl", physics="box").files and rezkit.diff(data, data, form="stl") == []
    with pytest.raises(rezkit.Error, match="form='stl'"):
        rezkit.scene(data)
    with pytest.raises(rezkit.Error, match="form: "):
        rezkit.convert(scene, "glb", form="stl")


def test_columns_are_written() -> None:
    doc = place(3)
    sizes = doc.columns("Part", ["Size"])["Size"] * 2
    assert doc.set_columns("Part", {"Size": sizes}) == 3
    assert [part.Size.x for part in doc.query("Part")] == [2, 4, 6]
    # What is read is written: no byte changes.
    before = doc.to_bytes()
    doc.set_columns("Part", doc.columns("Part", ["Name", "Size", "Color", "Material", "CFrame", "Anchored", "Transparency"]))
    assert doc.to_bytes() == before


@pytest.mark.parametrize("form", ["binary", "xml"])
def test_columns_of_all_types_are_written(form: Any) -> None:
    doc = rezkit.RobloxDocument.new("place", form)
    for n in range(4):
        doc.insert("Workspace", "Part", Name=f"P{n}", Position=(n, 2, 3))
        doc.insert("Workspace", "Frame", Size=rezkit.UDim2(rezkit.UDim(n, 2), rezkit.UDim(0.5, n)))
        doc.insert("Workspace", "ObjectValue", Value=doc["Workspace/P0"])
    parts = doc.query("Part")
    table: dict[str, Any] = {
        "Name": ["a", None, "c", "d"],
        "Color": np.arange(12, dtype="uint8").reshape(4, 3),
        "Material": ["Grass", "Neon", None, rezkit.EnumItem("Material", "Wood", 512)],
        "Transparency": [0.5, np.nan, 0.25, 1.0],
        "Anchored": np.array([True, None, False, True], object),
        "Position": np.ma.masked_array(np.full((4, 3), 7.0), [[False] * 3, [True] * 3, [False] * 3, [False] * 3]),
        "Size.Y": [9, 8, 7, 6],
        "CustomPhysicalProperties": [rezkit.PhysicalProperties(1, 0.5, 0.5, 1, 1, None), None, None, None],
    }
    assert doc.set_columns("Part", table) == 4
    assert [part.Name for part in parts] == ["a", "P1", "c", "d"] and parts[3].Color == (9, 10, 11)
    assert [part.Material.name for part in parts] == ["Grass", "Neon", "Plastic", "Wood"]
    assert [part.Transparency for part in parts] == [0.5, 0, 0.25, 1] and [part.Anchored for part in parts[:3]] == [True, False, False]
    assert [part.Position for part in parts[:2]] == [(7, 7, 7), (1, 2, 3)] and parts[2].Size.y == 7 and parts[2].Size.x == 4
    assert parts[0].CustomPhysicalProperties.density == 1 and parts[1].CustomPhysicalProperties is None
    frames = doc.columns("Frame", ["Size"])["Size"].copy()
    frames[:, 0, 1] = 5
    doc.set_columns("Frame", {"Size": frames})
    assert [frame.Size.x for frame in doc.query("Frame")] == [(n, 5) for n in range(4)]
    order = list(doc)
    doc.set_columns("ObjectValue", {"Value": np.array([order.index(parts[3]), -1, order.index(parts[1]), 0])})
    assert [of.Value for of in doc.query("ObjectValue")] == [parts[3], None, parts[1], order[0]]
    again = rezkit.load(doc.to_bytes())
    assert isinstance(again, rezkit.RobloxDocument) and rezkit.diff(doc, again) == []


def test_columns_are_one_edit() -> None:
    doc = place(3)
    before = doc.to_bytes()
    for table, found in (
        ({"Size": np.ones((2, 3))}, "Size: expected 3 rows"),
        ({"Size": np.ones((3, 2))}, "Size: expected float32 of shape"),
        ({"Anchored": [1, 0, 1]}, "Anchored: expected bool"),
        ({"Color": [(256, 0, 0)] * 3}, "Color: expected integers from 0 to 255"),
        ({"Size": np.ones((3, 3)), "Material": [0, 1, 2]}, "Material"),
        ({"Name": ["a", "b", 3]}, "Workspace/P2.Name"),
        ({"CFrame": np.ones((3, 4, 4))}, "Workspace/P0.CFrame"),
        ({"Size": np.ones((3, 3)), "Size.X": [1, 2, 3]}, "Size: expected the whole column or its parts"),
    ):
        with pytest.raises(rezkit.Error, match=found):
            doc.set_columns("Part", table)
        assert doc.to_bytes() == before, found
    with pytest.raises(KeyError, match="Sise"):
        doc.set_columns("Part", {"Sise": np.ones((3, 3))})
    with pytest.raises(TypeError, match="expected a dict"):
        doc.set_columns("Part", 3)


def test_tables_of_other_packages_are_taken() -> None:
    pa, pd, pl = (pytest.importorskip(name) for name in ("pyarrow", "pandas", "polars"))
    columns = place(3).columns("Part", ["Name", "Size", "Material", "Anchored"], enums="names")
    columns["Size.X"] = np.array([7, 8, 9], "float32")
    stream = pa.RecordBatchReader.from_stream(place(3).columns("Part", ["Name", "Size", "Material", "Anchored"])).read_all()
    plain = {**{name: list(column) for name, column in columns.items()}, "Name": ["a", None, "c"]}
    frame = pd.DataFrame({**columns, "Name": ["a", None, "c"]})
    for table in (
        frame,
        frame.assign(Material=frame["Material"].astype("category")),
        pl.DataFrame(plain),
        pl.DataFrame(plain).with_columns(pl.col("Material").cast(pl.Categorical)),
        pa.table(plain),
        {name: pl.Series(values) for name, values in plain.items()},
    ):
        doc = place(3)
        assert doc.set_columns("Part", table) == 3
        assert [part.Size.x for part in doc.query("Part")] == [7, 8, 9], type(table)
        assert [part.Name for part in doc.query("Part")] == ["a", "P1", "c"]
    doc = place(3)
    doc.set("Part", Size=(5, 5, 5))
    assert doc.set_columns("Part", stream) == 3 and [part.Size.x for part in doc.query("Part")] == [1, 2, 3]


def test_one_edit_is_one_difference() -> None:
    base = place(20)
    ours = copy.copy(base)
    ours["Workspace/P3"].Transparency = 0.5
    changes = rezkit.diff(base, ours)
    assert [change.path for change in changes] == ["Workspace/P3.Transparency"] and isinstance(changes, rezkit.Changes)
    assert "Workspace/P3.Transparency" in changes._repr_html_() and "<table>" in changes._repr_html_()


def test_a_rename_beside_a_new_property_is_no_conflict() -> None:
    base = place(6)
    ours, theirs = copy.copy(base), copy.copy(base)
    ours["Workspace/P4"].Name = "Door"
    ours["Workspace/P3"].Transparency = 0.5
    theirs["Workspace/P4"].Material = "Grass"
    merged = rezkit.RobloxDocument.merge(base, ours, theirs)
    assert merged.conflicts == [] and merged.document["Workspace/Door"].Material == "Grass" and len(merged.document) == len(base)
    assert len(repr(merged)) < 200


def test_old_names_are_read() -> None:
    cells = "".join(f"<R{row}{column}>{int(row == column)}</R{row}{column}>" for row in range(3) for column in range(3))
    model = rezkit.load(b'<roblox version="1"><Item class="Part" referent="0"><Properties><string name="Name">P</string>'
                        b'<CoordinateFrame name="CoordinateFrame"><X>5</X><Y>6</Y><Z>7</Z>' + cells.encode() +
                        b"</CoordinateFrame></Properties></Item></roblox>")
    assert isinstance(model, rezkit.RobloxDocument)
    part = model.children[0]
    assert part.Position == (5, 6, 7) and part.CFrame[:3, 3].tolist() == [5, 6, 7] and part["Position.Y"] == part["CFrame.Y"] == 6
    assert model.columns("Part", ["Position"])["Position"].tolist() == [[5, 6, 7]]
    assert model.columns("Part", ["Position.X"])["Position.X"].tolist() == [5]
    assert model.query("Part[Position.X = 5]") == [part] and rezkit.scene(model).nodes[-1].translation == (5, 6, 7)
    part["Position.X"] = 8
    assert part.Position == (8, 6, 7) and "CFrame" not in part.properties
    part["Size.Y"] = 3
    assert part.Size.y == 3


def test_limits_name_their_remedy(tmp_path: Path) -> None:
    doc = place(500)
    small = rezkit.load(doc.to_bytes(), max_bytes=100_000)
    works: list[Callable[..., Any]] = [
        lambda **limit: rezkit.convert(small, "rbxlx", **limit),
        lambda **limit: rezkit.scene(small, **limit),
        lambda **limit: rezkit.render(small, 32, **limit),
    ]
    for work in works:
        with pytest.raises(rezkit.Error, match="max_bytes=… allows more") as caught:
            work()
        assert caught.value.kind == "limit"
        work(max_bytes=1 << 30)
    for name in ("convert", "scene", "render", "upload", "diff"):
        assert {"max_bytes", "form"} <= set(inspect.signature(getattr(rezkit, name)).parameters), name
    # A path is read within the limit, too.
    path = tmp_path / "zeros.zip"
    with ZipFile(path, "w", compression=8) as archive:
        archive.writestr("zeros.mesh", bytes(64 << 20))
    paths: list[Callable[..., Any]] = [
        lambda: rezkit.convert(path, "glb", max_bytes=1 << 20),
        lambda: rezkit.scene(path, max_bytes=1 << 20),
        lambda: rezkit.render(path, max_bytes=1 << 20),
        lambda: rezkit.upload(path, max_bytes=1 << 20),
        lambda: rezkit.diff(path, path, max_bytes=1 << 20),
    ]
    for work in paths:
        with pytest.raises(rezkit.Error) as caught:
            work()
        assert caught.value.kind == "limit", caught.value


def test_long_calls_are_interrupted() -> None:
    """Ctrl+C ends the call, while the work still waits for a file."""
    doc = rezkit.RobloxDocument.new("model")
    doc.insert(None, "MeshPart", MeshId="rbxassetid://1")
    works: list[Callable[..., Any]] = [
        lambda files: rezkit.scene(doc, files=files),
        lambda files: rezkit.convert(doc, "glb", files=files),
        lambda files: rezkit.render(doc, 16, files=files),
        lambda files: doc.check("roblox-upload", files=files),
    ]
    for work in works:
        ended = threading.Event()

        def files(_reference: int | str) -> bytes | None:
            _thread.interrupt_main()
            ended.wait(60)
            return None

        with pytest.raises(KeyboardInterrupt):
            work(files)
        ended.set()
    assert rezkit.scene(doc).triangle_count == 12


def test_progress_is_called_while_work_is_done() -> None:
    """With seconds or, for tables, with assets; an exception ends the call, and a bar of tqdm takes both."""
    doc = rezkit.RobloxDocument.new("model")
    doc.insert(None, "MeshPart", MeshId="rbxassetid://1")

    def files(_reference: int | str) -> bytes | None:
        time.sleep(0.3)
        return None

    works: list[Callable[..., Any]] = [
        lambda progress: rezkit.scene(doc, files=files, progress=progress),
        lambda progress: rezkit.convert(doc, "glb", files=files, progress=progress),
        lambda progress: rezkit.render(doc, 16, files=files, progress=progress),
        lambda progress: doc.check("roblox-upload", files=files, progress=progress),
    ]
    for work in works:
        seconds: list[float] = []
        work(seconds.append)
        assert len(seconds) >= 3 and 0.25 < sum(seconds) < 30, seconds
        with pytest.raises(ZeroDivisionError):
            work(lambda _seconds: 1 / 0)
    # What is done at once calls it at least once.
    data, scene = doc.to_bytes(), rezkit.scene(doc)
    quick_works: list[Callable[..., Any]] = [
        lambda progress: rezkit.load(data, progress=progress), lambda progress: rezkit.diff(doc, doc, progress=progress),
        lambda progress: rezkit.upload(scene, progress=progress), lambda progress: doc.avatar_items(progress=progress),
        lambda progress: rezkit.RobloxDocument.merge(doc, doc, doc, progress=progress),
    ]
    for quick in quick_works:
        calls: list[float] = []
        quick(calls.append)
        assert calls
    pyarrow, tqdm = pytest.importorskip("pyarrow"), pytest.importorskip("tqdm")
    batch = pyarrow.record_batch({"path": ["a.rbxm"] * 5, "bytes": [data] * 5})
    counts: list[int] = []
    rezkit.scan(batch, progress=counts.append)
    assert sum(counts) == 5
    with tqdm.tqdm(total=len(batch), file=io.StringIO()) as bar:
        rezkit.scan(batch, progress=bar.update)
        assert bar.n == 5
    with tqdm.tqdm(unit="s", file=io.StringIO()) as bar:
        rezkit.convert(doc, "glb", files=files, progress=bar.update)
        assert bar.n > 0.25


def test_editing_calls_are_interrupted_and_change_nothing() -> None:
    """Ctrl+C during `fit` leaves the document as it was; the same for an edit of another thread meanwhile."""
    doc, ended = hat(18), threading.Event()
    before = doc.to_bytes()

    def files(_reference: int | str) -> bytes | None:
        # What continues afterwards asks for more files.
        if not ended.is_set():
            _thread.interrupt_main()
            ended.wait(60)
        return None

    with pytest.raises(KeyboardInterrupt):
        doc.fit(files=files)
    ended.set()
    time.sleep(0.2)
    assert doc.to_bytes() == before

    def edited(_reference: int | str) -> bytes | None:
        if "Cap" in doc:
            doc["Cap"].Name = "Other"
        return None

    with pytest.raises(rezkit.Error, match="another thread changed it"):
        doc.fit(files=edited)
    assert doc["Other/Handle"].Anchored


def test_changes_of_many_instances_are_interrupted_as_a_whole() -> None:
    """Wherever Ctrl+C comes, all instances have the old value or all have the new one."""
    doc = place(20_000)
    for number in range(4):
        ready = threading.Event()

        def interrupt(delay: float, ready: threading.Event = ready) -> None:
            ready.wait(60)
            time.sleep(delay)
            _thread.interrupt_main()

        thread = threading.Thread(target=interrupt, args=(0.02 * number,))
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            ready.set()
            for step in range(1_000_000):
                doc.set("Part", Anchored=step % 2 == 0, Transparency=(step % 2) / 2)
        thread.join()
        found = doc.columns("Part", ["Anchored", "Transparency"])
        assert len(set(zip(found["Anchored"].tolist(), found["Transparency"].tolist(), strict=True))) == 1


def test_scenes_are_tuples_and_can_be_replaced() -> None:
    scene = triangle(material={"name": "m"})
    with pytest.raises(AttributeError):
        scene.nodes.append(scene.nodes[0])  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        scene.materials[0].base_color[0] = 0.0  # type: ignore[index]
    with pytest.raises(TypeError):
        scene.nodes[0].translation[0] = 5.0  # type: ignore[index]
    red = scene.materials[0].replace(base_color=(1, 0, 0, 1))
    new = scene.replace(materials=[red], name="red", nodes=[*scene.nodes, scene.nodes[0].replace(translation=(1, 2, 3))])
    assert new.materials[0].base_color == (1, 0, 0, 1) and new.materials[0].name == "m" and new.name == "red"
    assert new.roots == (0, 1) and new.nodes[1].translation == (1, 2, 3) and scene.materials[0].base_color == (1, 1, 1, 1)
    assert new.meshes[0].primitives[0].geometry.positions.tolist() == scene.meshes[0].primitives[0].geometry.positions.tolist()
    assert scene.__replace__() == scene.replace() == scene
    with pytest.raises(rezkit.Error):
        scene.replace(roots=[5])


def test_scenes_columns_and_instances_are_pickled() -> None:
    png = rezkit.Scene.from_arrays(TRIANGLE, [[0, 1, 2]])._repr_png_()
    assert png is not None
    scene = rezkit.Scene(
        nodes=[{"mesh": 0, "skin": 0, "light": rezkit.Light("point", (1, 0, 0), 2, None, None, None)}, {"name": "bone", "translation": [1, 2, 3]}],
        meshes=[{"primitives": [{"positions": TRIANGLE, "triangles": [[0, 1, 2]], "normals": [[0, 0, 1]] * 3, "uvs": [[0, 0]] * 3,
                                 "colors": np.full((3, 4), 65535, "uint16"), "joints": [[0, 0, 0, 0]] * 3, "weights": [[1, 0, 0, 0]] * 3,
                                 "material": 0, "targets": [{"name": "t", "positions": TRIANGLE}]}]}],
        materials=[{"alpha": "mask", "alpha_cutoff": 0.25, "textures": {"base_color": 0}, "clearcoat": {"factor": 0.5}, "extras": {"a": [1]}}],
        images=[{"data": png}], skins=[{"joints": [1]}],
        animations=[{"channels": [{"node": 1, "path": "rotation", "times": [0, 1], "values": [[0, 0, 0, 1]] * 2}]}],
        copyright="me", front=90.0, extras={"z": 1})
    again = pickle.loads(pickle.dumps(scene))
    assert again == scene and again.copyright == "me" and again.nodes[0].light == scene.nodes[0].light
    doc = place(3)
    assert pickle.loads(pickle.dumps(rezkit.scene(doc))) == rezkit.scene(doc)
    columns = doc.columns("Part", ["Name", "Size", "Material"])
    twice = pickle.loads(pickle.dumps(columns))
    assert list(twice) == list(columns) and (twice["Size"] == columns["Size"]).all() and list(twice["Name"]) == ["P0", "P1", "P2"]
    assert isinstance(twice["Name"], rezkit.Strings) and list(pickle.loads(pickle.dumps(columns["Name"][1:]))) == ["P1", "P2"]
    one, other = pickle.loads(pickle.dumps(doc.query("Part")[:2]))
    assert (one.path, other.Size) == ("Workspace/P0", (2, 1, 1)) and one.document is other.document


def test_files_are_written_to_file_objects() -> None:
    scene, doc = triangle(), place(2)
    file = io.BytesIO()
    doc.save(file)
    assert file.getvalue() == doc.to_bytes()
    file = io.BytesIO()
    scene.save(file, "glb")
    assert file.getvalue() == rezkit.convert(scene, "glb").data
    file = io.BytesIO()
    rezkit.convert(scene, "ply").save(file)
    assert rezkit.scene(file.getvalue()).triangle_count == 1
    with pytest.raises(rezkit.Error, match="to: "):
        scene.save(io.BytesIO())
    with pytest.raises(rezkit.Error, match="files beside"):
        rezkit.convert(triangle(material={"name": "m"}), "obj").save(io.BytesIO())


def test_what_prompts_and_notebooks_show() -> None:
    doc, scene = place(2), triangle(name="one", material={"name": "m"})
    assert repr(doc) == "<Roblox binary document 0: 10 instances>"
    assert repr(rezkit.Llsd({"a": 1})) == "<LLSD xml: a map of 1>" and "vertices" in repr(rezkit.M3d.from_scene(scene))
    assert repr(scene.nodes[0]) == 'Node("one", mesh 0, 0 children)'
    assert repr(scene.meshes[0]) == 'SceneMesh("one", 1 primitives, 1 triangles)'
    assert repr(scene.meshes[0].primitives[0]) == "Primitive(3 vertices, 1 triangles, material 0)"
    assert repr(scene.materials[0]).startswith('Material("m", base_color=(1.000, 1.000, 1.000, 1.000)')
    shown: list[Any] = [rezkit.convert(scene, "glb"), rezkit.upload(scene), doc.extract(), doc.columns("Part"), rezkit.M3d.from_scene(scene)]
    for one in shown:
        assert len(repr(one)) < 2000 and "\\x" not in repr(one)
    mesh = rezkit.RobloxMesh.from_arrays(TRIANGLE, [[0, 1, 2]])
    pictured: list[rezkit.Asset | rezkit.Scene] = [doc, scene, mesh, rezkit.M3d.from_scene(scene), rezkit.SecondLifeMesh.from_scene(scene)]
    for of in pictured:
        png = of._repr_png_()
        assert png is not None and png[:8] == b"\x89PNG\r\n\x1a\n" and len(png) < 400_000, of
        assert "<table>" in of._repr_html_() and "<img" in of._repr_html_()
        assert set(of._repr_mimebundle_()) == {"text/html", "image/png", "text/plain"}
    assert rezkit.Llsd({})._repr_png_() is None and "<table>" in doc.columns("Part", ["Name"])._repr_html_()


def test_mappings_and_buffers_are_llsd() -> None:
    for value in (collections.UserDict(a=1), types.MappingProxyType({"a": 1}), collections.ChainMap({"a": 1})):
        assert llsd.format_xml(value) == llsd.format_xml({"a": 1}) and llsd.format_notation(value) == b"{'a':i1}"
        assert llsd.parse_binary(llsd.format_binary(value)) == {"a": 1} == rezkit.Llsd(value).value
    for buffer in (memoryview(b"ab"), memoryview(bytearray(b"a-b"))[::2]):
        assert llsd.parse(llsd.format_xml(buffer)) == b"ab" == rezkit.Llsd(buffer).value


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


def hat(size: float) -> rezkit.RobloxDocument:
    doc = rezkit.RobloxDocument.new("model")
    item = doc.insert(None, "Accessory", Name="Cap", AccessoryType="Hat")
    handle = doc.insert(item, "Part", Name="Handle", Size=(size, 1, 1), Anchored=True)
    doc.insert(handle, "Attachment", Name="HatAttachment", Position=(0, -0.5, 0))
    doc.insert(handle, "SpecialMesh", Name="Mesh", MeshType="FileMesh", MeshId="rbxassetid://1", TextureId="rbxassetid://2")
    return doc


def test_avatar_items_are_checked_and_mended() -> None:
    """A hat of 18 studs does not fit into the 3 studs of its box."""
    mesh = rezkit.RobloxMesh.from_arrays([[-9, 0, 0], [9, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    doc = hat(18)

    def files(reference: int | str) -> bytes | None:
        return mesh.to_bytes() if reference == 1 else None

    found = {finding.rule: finding.path for finding in doc.check("roblox-avatar", files=files)}
    assert found.keys() >= {"roblox-avatar.anchored", "roblox-avatar.box"} and found["roblox-avatar.anchored"] == "Cap/Handle.Anchored"
    assert "roblox-avatar.box" not in {finding.rule for finding in doc.check("roblox-avatar")}
    # With the rules of the format, and with numbers of one's own.
    assert {finding.rule for finding in doc.check(["roblox-avatar", "roblox-upload"], files=files)} >= found.keys()
    tables: list[Any] = [{}, b"{}"]
    for numbers in tables:
        assert {finding.rule for finding in doc.check("roblox-avatar", files=files, rules=numbers)} == found.keys()
    with pytest.raises(rezkit.Error, match="item_type: expected one of Hat"):
        doc.check("roblox-avatar", item_type="Boat")
    with pytest.raises(rezkit.Error, match="not JSON"):
        doc.check("roblox-avatar", rules=b"?")
    # The table of an item: what is broken, what could not be seen, and what is kept.
    [item] = doc.avatar_items(files=files)
    assert (item.path, item.type, item.scale, item.accepted) == ("Cap", "Hat", "Classic", False)
    rows = {row.rule: row for row in item.rows}
    assert rows["roblox-avatar.box"].allowed == "within 3 x 4 x 3 around the attachment" and rows["roblox-avatar.box"].verdict == "failed"
    assert {row.rule for row in item.rows if row.verdict == "failed"} == found.keys()
    assert "would be refused" in str(item) and "Cap/Handle.Anchored" in str(item) and len(repr(item)) < 100
    [unseen] = doc.avatar_items()
    assert {row.verdict for row in unseen.rows if row.rule == "roblox-avatar.box"} == {"unseen"}
    small = {"AccessoryRules": {"Hat": {"Attachments": [{"Name": "HatAttachment", "Size": [1, 1, 1], "Offset": [0, 0, 0]}]}}}
    [item] = doc.avatar_items(files=files, rules=small)
    assert "within 1 x 1 x 1 around the attachment" in {row.allowed for row in item.rows}
    [item] = doc.avatar_items(files=files, item_type="Neck")
    assert item.type == "Neck" and "roblox-avatar.attachment" in {row.rule for row in item.rows if row.verdict == "failed"}
    fitted = doc.fit(files=files)
    assert ("roblox-avatar.anchored", "Cap/Handle.Anchored", "true", "false") in fitted.changes
    assert not doc["Cap/Handle"].Anchored and abs(doc["Cap/Handle/Mesh"].Scale.x - 3 / 18) < 1e-3
    assert list(fitted.meshes) == [1] and not doc.check("roblox-avatar", files=lambda of: fitted.meshes.get(of) if of == 1 else None)
    before, other = hat(18).to_bytes(), hat(18)
    with pytest.raises(ValueError, match="out of reach"):
        other.fit(files=fails)
    assert other.to_bytes() == before


def fails(_reference: int | str) -> bytes | None:
    raise ValueError("out of reach")
