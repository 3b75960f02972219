"""A table of all assets below a folder, with Spark: python examples/spark_scan.py FOLDER [TABLE]

On a cluster: spark-submit, without the line with `local`, and a folder that all of its machines see.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

import rezkit

folder, table = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "assets"


def scanned(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        paths = batch["path"].to_pylist()
        assets = pa.record_batch({"path": paths, "bytes": [Path(path).read_bytes() for path in paths]})
        yield signed(pa.record_batch(rezkit.scan(assets, table)))


def signed(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Spark has no unsigned numbers."""
    fields = [pa.field(f.name, pa.int64() if f.type == pa.uint64() else f.type, f.nullable) for f in rows.schema]
    return rows.cast(pa.schema(fields))


# As on a cluster, a task is tried up to four times if its worker is lost. The workers run the same Python as this program.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
spark = SparkSession.builder.master("local[*,4]").getOrCreate()
files = sorted(str(path) for path in folder.rglob("*") if path.is_file())
empty = pa.record_batch({"path": ["x"], "bytes": [b""]})
schema = from_arrow_schema(signed(pa.record_batch(rezkit.scan(empty, table))).schema)
frame = spark.createDataFrame([(path,) for path in files], "path string").repartition(max(2, len(files) // 256))
rows = frame.mapInArrow(scanned, schema)
rows.write.mode("overwrite").parquet(f"{table}.parquet")
print(f"{len(files)} files, {spark.read.parquet(f'{table}.parquet').count()} rows in {table}.parquet")
spark.stop()
