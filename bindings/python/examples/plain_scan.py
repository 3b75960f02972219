"""A table of all assets below a folder, on all cores: python examples/plain_scan.py FOLDER [TABLE]"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import rezkit

folder, table = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "assets"


def scanned(paths: list[Path]) -> pa.RecordBatch:
    contents = pa.array([path.read_bytes() for path in paths], pa.binary())
    assets = pa.record_batch({"path": pa.array(map(str, paths), pa.string()), "bytes": contents})
    # `scan` runs without the interpreter's lock, so that the other threads continue.
    return pa.record_batch(rezkit.scan(assets, table))


files = sorted(path for path in folder.rglob("*") if path.is_file())
batches = [files[first : first + 64] for first in range(0, len(files), 64)]
schema = scanned([]).schema
count = 0
with ThreadPoolExecutor(os.cpu_count()) as pool, pq.ParquetWriter(f"{table}.parquet", schema) as writer:
    for rows in pool.map(scanned, batches):
        writer.write_batch(rows)
        count += rows.num_rows
print(f"{len(files)} files, {count} rows in {table}.parquet")
