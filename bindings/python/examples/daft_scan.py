"""A table of all assets below a folder, with Daft: python examples/daft_scan.py FOLDER [TABLE]

On a cluster: daft.context.set_runner_ray(ADDRESS) before the first call.
"""

import sys
from pathlib import Path

import daft
import pyarrow as pa
import pyarrow.parquet as pq

import rezkit

folder, table = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "assets"
schema = pa.record_batch(rezkit.scan(pa.record_batch({"path": ["x"], "bytes": [b""]}), table)).schema
fields = daft.DataType.struct({field.name: daft.DataType.from_arrow_type(field.type) for field in schema})


@daft.func.batch(return_dtype=daft.DataType.list(fields), batch_size=256)
def scanned(paths: daft.Series) -> list[list[dict[str, object]]]:
    names = paths.to_pylist()
    batch = pa.record_batch({"path": names, "bytes": [Path(name).read_bytes() for name in names]})
    # An asset has any number of rows, so all rows of the batch are one list, which `explode` splits.
    return [pa.record_batch(rezkit.scan(batch, table)).to_pylist(), *([[]] * (len(names) - 1))]


files = sorted(str(path) for path in folder.rglob("*") if path.is_file())
frame = daft.from_pydict({"path": files}).select(scanned(daft.col("path")).alias("row")).explode("row")
frame = frame.where(daft.col("row").not_null())
frame = frame.select(*(daft.col("row")[name].alias(name) for name in schema.names))
rows = frame.to_arrow()
pq.write_table(rows, f"{table}.parquet")
print(f"{len(files)} files, {rows.num_rows} rows in {table}.parquet")
