"""A table of all assets below a folder, with Ray: python examples/ray_scan.py FOLDER [TABLE]

On a cluster: ray.init(ADDRESS), and a folder that all of its machines see.
"""

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import ray

import rezkit

folder, table = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "assets"


def scanned(batch: pa.Table) -> pa.Table:
    paths = batch["path"].to_pylist()
    assets = pa.record_batch({"path": paths, "bytes": [Path(path).read_bytes() for path in paths]})
    return pa.table(rezkit.scan(assets, table))


ray.init(include_dashboard=False, log_to_driver=False)
files = sorted(str(path) for path in folder.rglob("*") if path.is_file())
data = ray.data.from_arrow(pa.table({"path": files})).repartition(max(1, len(files) // 256))
rows = pa.concat_tables(ray.get(data.map_batches(scanned, batch_format="pyarrow", batch_size=256).to_arrow_refs()))
pq.write_table(rows, f"{table}.parquet")
print(f"{len(files)} files, {rows.num_rows} rows in {table}.parquet")
