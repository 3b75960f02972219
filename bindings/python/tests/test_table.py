"""Tables of many assets: known rows, whatever library provides the batch."""

import gc

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


def test_capsules_of_arrow_are_taken_and_released() -> None:
    """Errors of a stream arrive, what is no table is refused, wishes for other types are for who makes them, and no memory
    stays allocated."""
    batch = pyarrow.record_batch({"bytes": [TRIANGLE]})

    def failing() -> object:
        yield batch
        raise RuntimeError("no more batches")

    with pytest.raises(ValueError, match="no more batches"):
        rezkit.scan(pyarrow.RecordBatchReader.from_batches(batch.schema, failing()))
    several = pyarrow.RecordBatchReader.from_batches(batch.schema, iter([batch, batch]))
    assert [row["path"] for row in pyarrow.table(rezkit.scan(several)).to_pylist()] == ["#0", "#1"]
    with pytest.raises(ValueError, match="expected a table, found an array of Int64"):
        rezkit.scan(pyarrow.array([1, 2]))
    with pytest.raises(ValueError, match="all of them valid"):
        rezkit.scan(pyarrow.array([{"bytes": TRIANGLE}, None], pyarrow.struct([("bytes", pyarrow.binary())])))
    with pytest.raises(ValueError, match="__arrow_c_stream__"):
        rezkit.scan([TRIANGLE])  # type: ignore[arg-type]
    doc = rezkit.RobloxDocument.new("place")
    for name in ("A", "B"):
        doc.insert("Workspace", "Part", Name=name)
    names = doc.columns("Part", ["Name"])["Name"]
    assert pyarrow.array(names).type == pyarrow.large_string() and pyarrow.array(names, type=pyarrow.string()).to_pylist() == ["A", "B"]
    # Types that have the same values are made if they are asked for.
    wanted = pyarrow.schema([("Name", pyarrow.string()), ("Transparency", pyarrow.float64())])
    assert pyarrow.table(doc.columns("Part", ["Name", "Transparency"]), schema=wanted).schema == wanted
    gc.collect()
    before = pyarrow.total_allocated_bytes()
    for _ in range(20):
        made = rezkit.scan(pyarrow.table({"bytes": [TRIANGLE] * 100}))
        assert len(made) == 100 and "100 rows" in repr(made)
        doc.set_columns("Part", pyarrow.table({"Name": ["A", "B"], "Size.X": pyarrow.array([2, 3], pyarrow.float32())}))
        doc.set_columns("Part", {"Name": pyarrow.chunked_array([["A"], ["B"]])})
    del made
    gc.collect()
    assert pyarrow.total_allocated_bytes() == before
