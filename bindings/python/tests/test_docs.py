"""Every example in the documentation runs, and every public item is documented."""

import doctest
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


PLACE = b"""<roblox version="4">
<Item class="Workspace" referent="0"><Properties><string name="Name">Workspace</string></Properties>
<Item class="Part" referent="1"><Properties><string name="Name">Door</string><bool name="Anchored">false</bool>
<CoordinateFrame name="CFrame"><X>0</X><Y>3</Y><Z>0</Z><R00>1</R00><R01>0</R01><R02>0</R02><R10>0</R10><R11>1</R11>
<R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CoordinateFrame>
<Vector3 name="size"><X>4</X><Y>6</Y><Z>1</Z></Vector3></Properties></Item></Item></roblox>"""


def test_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs the programs in README.md, in a folder with the files that they use."""
    monkeypatch.chdir(tmp_path)
    place = rezkit.load(PLACE)
    Path("place.rbxl").write_bytes(rezkit.convert(place, "rbxm", fill="defaults").data)
    box = rezkit.scene(place).meshes[0].primitives[0].geometry
    rezkit.RobloxMesh.from_arrays(box.positions, box.triangles, normals=box.normals).save("head.mesh")
    rezkit.Llsd({"a": 1}).save("settings.xml")
    readme = (Path(__file__).parent.parent / "README.md").read_text()
    programs = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert len(programs) == 3
    Path("readme.py").write_text("\n".join(programs))
    text, errors, status = api.run(["--strict", "--ignore-missing-imports", "readme.py"])
    assert status == 0, text + errors
    for program in programs:
        names: dict[str, Any] = {}
        exec(program, names)  # noqa: S102
        if "geometry" in names:
            assert names["geometry"].positions.shape[1] == 3
        elif "rows" in names:
            assert names["rows"]["triangles"].to_pylist() == [1]
        else:
            assert names["heights"].tolist() == [3.0]
            assert names["names"][0] == "Door"
            assert names["settings"] == {"a": 1}
    written = rezkit.RobloxDocument.load("place.rbxl")
    assert written["Workspace/Door"].get("Anchored") is True
    assert written["Workspace/Door/Code"].get("Value") == "1234"
