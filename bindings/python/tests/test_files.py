"""Reading and writing files, and values that do not exist."""

import io
import mmap
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rezkit

MODEL = b"""<roblox version="4"><Item class="Part" referent="1"><Properties><string name="Name">Door</string>
<bool name="Anchored">true</bool><Vector3 name="size"><X>4</X><Y>6</Y><Z>1</Z></Vector3></Properties></Item></roblox>"""
TRIANGLE = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


def mesh() -> rezkit.RobloxMesh:
    return rezkit.RobloxMesh.from_arrays([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], version="2.00")


def document(data: bytes = MODEL) -> rezkit.RobloxDocument:
    loaded = rezkit.load(data)
    assert isinstance(loaded, rezkit.RobloxDocument)
    return loaded


class Counting(io.BytesIO):
    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.taken += len(data)
        return data


def test_detect_looks_at_the_first_bytes(tmp_path: Path) -> None:
    data = mesh().to_bytes()
    file = Counting(data + bytes(10_000_000))
    found = rezkit.detect(file)
    assert found is not None and found.format == "rbxmesh"
    assert file.taken < 100_000 and file.tell() == 0
    # A sparse file of 3 GiB exceeds the limit for reading.
    path = tmp_path / "large.mesh"
    with path.open("wb") as sparse:
        sparse.write(data)
        sparse.truncate(3 << 30)
    assert rezkit.detect(path) == found
    with path.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert rezkit.detect(mapped) == found
    # In JSON, the key by which glTF is detected can come last.
    gltf = b'{"buffers": [{"uri": "' + b"A" * 200_000 + b'"}], "asset": {"version": "2.0"}}'
    assert getattr(rezkit.detect(gltf), "format", None) == "gltf"
    assert getattr(rezkit.detect(io.BytesIO(gltf)), "format", None) == "gltf"


def test_buffers_are_read_from_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "a.mesh"
    path.write_bytes(mesh().to_bytes())
    with path.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert rezkit.load(mapped).to_bytes() == rezkit.load(mapped).to_bytes() == path.read_bytes()
    assert rezkit.load(memoryview(path.read_bytes())).format == "rbxmesh"
    assert rezkit.load(bytearray(path.read_bytes())).format == "rbxmesh"


def test_streams_that_return_less_than_they_are_asked_for() -> None:
    class Raw(io.RawIOBase):
        """As a pipe without a buffer."""

        def __init__(self, data: bytes) -> None:
            self.data = io.BytesIO(data)

        def readable(self) -> bool:
            return True

        def readinto(self, to: Any) -> int:
            some = self.data.read(min(len(to), 10))
            to[: len(some)] = some
            return len(some)

    data = rezkit.RobloxDocument.new("model", "xml").to_bytes()
    assert rezkit.load(Raw(data)).to_bytes() == data


def test_a_file_is_saved_under_an_extension_of_its_own(tmp_path: Path) -> None:
    others = ["x.glb", "x.obj", "x.rbxm", "x.llmesh", "x.xml", "x.GLB"]
    for name in others:
        with pytest.raises(rezkit.Error, match="rezkit.convert"):
            mesh().save(tmp_path / name)
        assert not (tmp_path / name).exists()
    for name in ["x.mesh", "x.MESH", "x", "x.dat"]:
        mesh().save(tmp_path / name)
        assert (tmp_path / name).read_bytes() == mesh().to_bytes()
    mesh().save(tmp_path / "x.mesh.gz")
    assert (tmp_path / "x.mesh.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert rezkit.load(tmp_path / "x.mesh.gz").to_bytes() == mesh().to_bytes()
    document().save(tmp_path / "x.rbxlx")
    with pytest.raises(rezkit.Error):
        document().save(tmp_path / "x.rbxm")
    llsd = rezkit.Llsd({"a": 1}, "binary")
    llsd.save(tmp_path / "x.llsd")
    with pytest.raises(rezkit.Error, match='use form="xml"'):
        llsd.save(tmp_path / "x.xml")
    llsd.save(tmp_path / "x.xml", form="xml")
    triangle = tmp_path / "t.obj"
    triangle.write_bytes(TRIANGLE)
    with pytest.raises(rezkit.Error):
        rezkit.load(triangle).save(tmp_path / "t.stl")
    rezkit.load(triangle).save(tmp_path / "u.obj")


def test_a_conversion_is_saved_under_its_extension(tmp_path: Path) -> None:
    made = rezkit.convert(mesh(), "glb")
    with pytest.raises(rezkit.Error, match="rezkit.convert"):
        made.save(tmp_path / "x.obj")
    made.save(tmp_path / "x.glb")
    assert (tmp_path / "x.glb").read_bytes() == made.data
    obj = rezkit.convert(mesh(), "obj", name="t")
    with pytest.raises(rezkit.Error):
        obj.save(tmp_path / "t.stl")
    assert os.listdir(tmp_path) == ["x.glb"]
    obj.save(tmp_path / "below.obj")
    assert {"below.obj", *obj.files} <= set(os.listdir(tmp_path))


def test_files_beside_conversions_have_the_name_of_the_input(tmp_path: Path) -> None:
    for name in ["one", "two"]:
        mesh().save(tmp_path / f"{name}.mesh")
        rezkit.convert(tmp_path / f"{name}.mesh", "gltf").save(tmp_path / f"{name}.gltf")
    assert {"one.bin", "two.bin"} <= set(os.listdir(tmp_path))
    assert list(rezkit.convert(mesh(), "gltf").files) == ["model.bin"]


@pytest.mark.skipif(os.name != "posix", reason="permissions and links of Unix")
def test_save_is_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.mesh"
    mesh().save(path)
    before = path.read_bytes()
    # A hard link keeps the old content, since the file is replaced and not overwritten.
    os.link(path, tmp_path / "b.mesh")
    path.chmod(0o640)
    changed = rezkit.RobloxMesh.from_arrays([[0, 0, 0], [2, 0, 0], [0, 1, 0]], [[0, 1, 2]], version="2.00")
    changed.save(path)
    assert path.read_bytes() == changed.to_bytes() != before == (tmp_path / "b.mesh").read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    link = tmp_path / "c.mesh"
    link.symlink_to(path)
    mesh().save(link)
    assert link.is_symlink() and path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["a.mesh", "b.mesh", "c.mesh"]
    # A new file has the default permissions.
    (tmp_path / "plain").write_bytes(b"")
    mesh().save(tmp_path / "new.mesh")
    assert (tmp_path / "new.mesh").stat().st_mode == (tmp_path / "plain").stat().st_mode
    monkeypatch.chdir(tmp_path)
    mesh().save("here.mesh")
    with pytest.raises(OSError, match="nowhere"):
        mesh().save(tmp_path / "nowhere" / "a.mesh")
    # A folder has the name of the second file, so nothing is written.
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "buffer.bin").mkdir()
    made = rezkit.Converted(rezkit.convert(mesh(), "glb").data, {"data/buffer.bin": b"1"}, [], "glb")
    with pytest.raises(OSError, match=r"buffer\.bin"):
        made.save("z.glb")
    assert not Path("z.glb").exists()


def of_door(call: Callable[[rezkit.Instance], Any]) -> Callable[[], Any]:
    return lambda: call(document()["Door"])


MISSING: list[tuple[str, Callable[[], Any]]] = [
    ("get", of_door(lambda door: door.get("Colour3"))),
    ("get stored", of_door(lambda door: door.get("Transparency", stored=True))),
    ("set", of_door(lambda door: door.set("Ancored", True))),
    ("instance", lambda: document()["Nowhere"]),
    ("instance below", of_door(lambda door: door["Nowhere"])),
    ("query", lambda: document().query("Prat")),
    ("columns", lambda: document().columns("Prat")),
    ("column", lambda: document().columns("Part")["Colour"]),
    ("insert", lambda: document().insert(None, "Prat")),
    ("insert property", lambda: document().insert(None, "Part", Ancored=True)),
    ("llsd", lambda: rezkit.Llsd({"a": 1})["b"]),
    ("level", lambda: mesh().level(1)),
    ("scene level", lambda: rezkit.scene(mesh(), levels=7)),
    ("levels", lambda: rezkit.scene(mesh(), levels="coarse")),  # type: ignore[arg-type]
    ("profile", lambda: mesh().check(["roblox"])),
    ("form", lambda: mesh().to_bytes("9.00")),
    ("conversion", lambda: rezkit.convert(mesh(), "blend")),
    ("action", lambda: rezkit.convert(mesh(), "glb", action="walk")),
    ("animation", lambda: rezkit.render(mesh(), 16, action=3)),
    ("read form", lambda: rezkit.load(b"", form="nothing")),
    ("rig", lambda: rezkit.scene(mesh(), rig="R7")),  # type: ignore[arg-type]
    ("fill", lambda: document().insert(None, "Part", fill="all")),  # type: ignore[arg-type]
    ("hand pose", lambda: rezkit.convert(mesh(), "anim", hand_pose="wave")),
]


@pytest.mark.parametrize("call", [call for _, call in MISSING], ids=[name for name, _ in MISSING])
def test_a_name_that_does_not_exist_is_an_error(call: Callable[[], Any]) -> None:
    with pytest.raises((rezkit.Error, KeyError)):
        call()


def test_names_of_studio() -> None:
    for data in (MODEL, rezkit.convert(document(), "rbxm", fill="defaults").data):
        door = document(data)["Door"]
        assert door.get("Size") == door.get("size") == door.get("Size", stored=True) == (4, 6, 1)
        door.set("Size", (1, 2, 3))
        assert door.properties["size"] == (1, 2, 3) and "Size" not in door.properties
        columns = door.document.columns("Part")
        assert columns["Size"].tolist() == columns["size"].tolist() == [[1, 2, 3]]
        assert "Size" in columns and columns.get("Size") is columns["size"]
        assert columns.get("Colour", 3) == 3 and "Colour" not in columns
        # BrickColor is stored as a colour, which scripts call Color.
        assert door.get("Color") == door.get("Color3uint8")
    assert document().query("Model") == [] and len(document().columns("Model")) == 0


def test_faces_are_those_of_second_life() -> None:
    described = mesh().describe()
    assert described["triangles"] == 1 and "faces" not in described
    asset = rezkit.load(rezkit.convert(mesh(), "llmesh").data).describe()
    assert (asset["triangles"], asset["faces"]) == (1, 1)


def test_kinds_of_errors_are_documented() -> None:
    found = set()
    calls: list[Callable[[], Any]] = [
        lambda: rezkit.load(b"hello"),
        lambda: rezkit.load(b"version 2.00\n"),
        lambda: rezkit.load(TRIANGLE * 1000, max_bytes=100),
        lambda: rezkit.convert(document(), "blend"),
        lambda: rezkit.convert(document(MODEL.replace(b"Part", b"Folder")), "glb"),
        lambda: document(MODEL.replace(b"</roblox>", MODEL[MODEL.index(b"<Item") :].replace(b"Anchored", b"Locked"))).to_bytes(),
        lambda: rezkit.convert(
            document(MODEL.replace(b"</roblox>", b'<Item class="Part"><Properties></Properties></Item></roblox>')), "rbxm", fill="none"
        ),
    ]
    for call in calls:
        try:
            call()
        except rezkit.Error as error:
            found.add(error.kind)
    assert {"unknown", "unreadable", "limit", "argument", "empty", "incomplete"} <= found
    assert all(f"`{kind}`" in (rezkit.Error.__doc__ or "") for kind in found)


def test_columns_of_a_table_that_do_not_exist() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    batch = pyarrow.record_batch({"name": ["a.rbxmx"], "bytes": [MODEL]})
    with pytest.raises(ValueError, match="no column"):
        rezkit.scan(batch, path="file")
    with pytest.raises(ValueError, match="unknown profile"):
        rezkit.scan(batch, "findings", profiles=["roblox"])
    rows = pyarrow.table(rezkit.scan(batch, "properties", path="name")).to_pylist()
    found = {row["property"]: (row["value"], row["source"]) for row in rows}
    assert found["size"] == ("4, 6, 1", "stored") and found["Transparency"] == ("0", "default")
    assert len(pyarrow.table(rezkit.scan(batch, "properties", path="name", stored=True))) == 3
