"""A table of all assets below a folder, one batch after the other: python examples/plain_scan.py FOLDER [TABLE]"""

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import rezkit

folder, table = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "assets"
files = sorted(path for path in folder.rglob("*") if path.is_file())
writer = None
count = 0
for first in range(0, len(files), 256):
    some = files[first : first + 256]
    batch = pa.record_batch({"path": [str(path) for path in some], "bytes": [path.read_bytes() for path in some]})
    rows = pa.record_batch(rezkit.scan(batch, table))
    writer = writer or pq.ParquetWriter(f"{table}.parquet", rows.schema)
    writer.write_batch(rows)
    count += rows.num_rows
if writer:
    writer.close()
print(f"{len(files)} files, {count} rows in {table}.parquet")
