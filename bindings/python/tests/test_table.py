"""Tables of many assets: known rows, whatever library provides the batch."""

import pytest

import rezkit

pyarrow = pytest.importorskip("pyarrow")

TRIANGLE = b"v 0 0 0\nv 2 0 0\nv 0 3 -1\nf 1 2 3\n"
MODEL = (
    b'<roblox version="4"><Item class="Folder" referent="A"><Properties><string name="Name">Box</string></Properties>'
    b'<Item class="Decal" referent="B"><Properties><string name="Name">D</string>'
    b'<Content name="Texture"><url>rbxassetid://1818</url></Content></Properties></Item></Item></roblox>'
)


def rows(batch: object, table: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = pyarrow.table(rezkit.scan(batch, table)).to_pylist()  # type: ignore[arg-type]
    return found


def test_batches_and_streams() -> None:
    columns = {"path": ["t.obj", "m.rbxmx", "b.mesh"], "bytes": [TRIANGLE, MODEL, b"version 9.99\n"]}
    batch = pyarrow.record_batch(columns)
    made = pyarrow.record_batch(rezkit.scan(batch))
    assert made["triangles"].to_pylist() == [1, None, None]
    assert made["instances"].to_pylist() == [None, 2, None]
    assert made["error_kind"].to_pylist() == [None, None, "unreadable"]
    assert rows(pyarrow.table(columns), "assets") == made.to_pylist()
    assert [row["instance"] for row in rows(batch, "instances")] == ["Box", "Box/D"]
    [reference] = rows(batch, "references")
    assert (reference["asset"], reference["property"], reference["at"]) == (1818, "Texture", "Box/D")
    assert any(row["path"] == "b.mesh" and row["rule"] == "unreadable" for row in rows(batch, "findings"))


def test_columns_of_other_names_and_types() -> None:
    large = pyarrow.table({"content": pyarrow.array([MODEL], pyarrow.large_binary())})
    made = pyarrow.table(rezkit.scan(large, bytes="content"))
    # Without paths, rows have the numbers of the input's rows.
    assert (made["path"].to_pylist(), made["instances"].to_pylist()) == (["#0"], [2])
    with pytest.raises(ValueError, match="no column"):
        rezkit.scan(large)
    with pytest.raises(rezkit.Error, match="expected one of assets"):
        rezkit.scan(large, "nothing", bytes="content")  # type: ignore[arg-type]
