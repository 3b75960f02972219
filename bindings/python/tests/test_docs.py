"""Every example in the documentation runs, and every public item is documented."""

import base64
import doctest
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rezkit
from mypy import api


def documented() -> Iterator[tuple[str, str]]:
    for name in rezkit.__all__:
        thing: Any = getattr(rezkit, name)
        if name == "__version__":
            continue
        yield name, thing.__doc__ or ""
        if inspect.isclass(thing) and thing.__module__ == "rezkit":
            for member, value in vars(thing).items():
                if not member.startswith("_"):
                    yield f"{name}.{member}", value.__doc__ or ""


@pytest.mark.parametrize(("name", "text"), list(documented()), ids=[name for name, _ in documented()])
def test_examples(name: str, text: str) -> None:
    assert text.strip(), f"{name} has no documentation"
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(example).failed == 0


def test_the_functions_have_examples() -> None:
    for name in ("load", "detect", "convert", "scene", "render"):
        assert ">>>" in (getattr(rezkit, name).__doc__ or "")


# A white pixel as PNG.
PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mP4DwABAQEAHLCMmQAAAABJRU5ErkJggg==")


def prepared() -> None:
    """Writes the files that the programs of README.md read."""
    place = rezkit.RobloxDocument.new("place")
    place.insert("Workspace", "Part", Name="Wall")
    place.insert("ServerScriptService", "Script", Name="Main", Source="print(1)")
    place.save("base.rbxl")
    place["Workspace/Wall"].Anchored = True
    place.save("ours.rbxl")
    place["Workspace/Wall"].Name = "Fence"
    place.save("theirs.rbxl")
    corners, faces = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    rezkit.RobloxMesh.from_arrays(corners, faces, normals=corners).save("head.mesh")
    rezkit.Scene.from_arrays(corners, faces).save("thing.m3d")
    rezkit.Llsd({"parts": [{"size": 1}]}).save("settings.xml")
    Path("grid.png").write_bytes(PIXEL)
    keys = {"node": 0, "path": "translation", "times": [0, 1], "values": [[0, 0, 0], [0, 1, 0]]}
    rezkit.Scene(nodes=[{"name": "LowerTorso"}], animations=[{"name": "walk", "channels": [keys]}]).save("walk.glb")
    Path("models").mkdir()
    model = rezkit.RobloxDocument.new("model", "xml")
    model.insert(None, place["Workspace/Fence"])
    model.save("models/one.rbxmx")


def test_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs the programs in README.md, one after the other, in a folder with the files that they use."""
    for package in ("pandas", "trimesh", "pyarrow"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    prepared()
    readme = (Path(__file__).parent.parent / "README.md").read_text()
    programs = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert len(programs) >= 20
    # Each task takes at most five lines besides its imports.
    for program in programs:
        lines = [line for line in program.splitlines() if line and not line.startswith(("import", "from"))]
        assert len(lines) <= 5, program
    Path("readme.py").write_text("\n".join(programs))
    text, errors, status = api.run(["--strict", "--ignore-missing-imports", "readme.py"])
    assert status == 0, text + errors
    names: dict[str, Any] = {}
    for program in programs:
        exec(program, names)  # noqa: S102
    door = names["door"]
    assert names["floor"].Material == "Grass" and door.path == "Workspace/Door" and door.attributes == {"Health": 50}
    assert names["doors"] == [door] and names["floor"].Transparency == 0.5 and set(door.tags) == {"Wooden"}
    assert names["table"]["Material"].tolist() == ["Grass", "Plastic"] and names["volumes"].tolist() == [4096, 24]
    assert "Workspace/Wall" in names["paths"] and names["merged"].conflicts == []
    assert "Fence" in {part.Name for part in names["merged"].document.query("Part")}
    assert names["changed"] == [] and len(names["place"].query("Part")) == 6
    assert names["printing"] == [] and names["used"] == {} and [post.Position.x for post in names["posts"]] == [0, 1, 2]
    assert names["place"]["Timer"].Ticks == 3 and names["fence"].attributes["Look"].name == "Plastic"
    assert [path.read_bytes() for path in Path("textures").iterdir()] == [PIXEL]
    assert len(names["walk"].query("KeyframeSequence")) == 1
    assert rezkit.RobloxDocument.load("models/one.rbxm")["Fence"].Anchored is True
    assert rezkit.scene("twice.mesh").triangle_count == 4 and names["whole"].triangle_count == 8
    assert names["area"] > 2 and names["pixels"].shape == (240, 320, 4) and names["bones"] == []
    assert Path("second-life/head.llmesh").is_file() and len(names["levels"]) == 4
    assert names["value"] == {"wait": 1.5, "page": "https://example.org"}
    assert rezkit.Llsd.load("settings.xml")["parts/0/size"] == 5
    assert len(set(names["counts"])) == 1 and names["copy"]["Workspace/Door"].Size == (4, 6, 1)
    assert names["rows"]["triangles"].to_pylist() == [1]


def run(name: str, *arguments: object) -> str:
    """Runs an example; those that need another package are skipped without it."""
    program = Path(__file__).parent.parent / "examples" / name
    for package in re.findall(r"^import (\w+)", program.read_text(), re.MULTILINE):
        pytest.importorskip(package)
    done = subprocess.run([sys.executable, program, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    prepared()
    np.save("heights.npy", np.add.outer(np.arange(4), np.arange(3)))
    assert run("heightmap.py", "heights.npy", "hills.rbxm") == "12 parts\n"
    hills = rezkit.RobloxDocument.load("hills.rbxm")
    assert len(hills.query("Model > Part[Anchored = true]")) == 12 and hills["Hills/2,3"].Material == "Snow"
    Path("glbs").mkdir()
    rezkit.scene("thing.m3d").save("glbs/one.glb")
    assert "land impact" in run("glbs_to_second_life.py", "glbs", "uploads")
    assert Path("uploads/one/one.llmesh").is_file()
    assert json.loads(run("llsd_to_json_lines.py", "settings.xml"))["value"] == {"parts": [{"size": 1}]}
    assert "1 rows" in run("plain_scan.py", "glbs") and Path("assets.parquet").is_file()


def test_a_place_as_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    prepared()
    pyarrow = pytest.importorskip("pyarrow.parquet")
    assert "Plastic" in run("place_to_table.py", "ours.rbxl", "parts.parquet")
    assert pyarrow.read_table("parts.parquet")["Path"].to_pylist() == ["Workspace/Wall"]


@pytest.mark.parametrize("name", ["daft_scan.py", "ray_scan.py", "spark_scan.py"])
def test_programs_of_clusters(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    prepared()
    pytest.importorskip({"daft_scan.py": "daft", "ray_scan.py": "ray", "spark_scan.py": "pyspark"}[name])
    run(name, tmp_path)
