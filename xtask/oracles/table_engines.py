#!/usr/bin/env python3
"""The rows of all tables of a folder from a loop, Daft, Ray and Spark, which must be the same.

    pip install ./bindings/python pyarrow "daft>=0.7" "ray[data]>=2.60" "pyspark>=4.3" pandas
    xtask/oracles/table_engines.py FOLDER

Each engine runs its program of bindings/python/examples in its own local mode; one that is not installed is left out.
"""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import time

import pyarrow.parquet as pq

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "bindings/python/examples"
ENGINES = {"plain": "pyarrow", "daft": "daft", "ray": "ray", "spark": "pyspark"}
TABLES = ["assets", "findings", "instances", "references"]


def rows(engine, table, folder):
    with tempfile.TemporaryDirectory() as below:
        start = time.monotonic()
        program = [sys.executable, str(EXAMPLES / f"{engine}_scan.py"), str(folder), table]
        subprocess.run(program, cwd=below, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        found = pq.read_table(pathlib.Path(below) / f"{table}.parquet").to_pylist()
        return sorted(repr(list(row.values())) for row in found), time.monotonic() - start


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    wrong = 0
    for table in TABLES:
        expected, seconds = rows("plain", table, folder)
        print(f"{table}: {len(expected)} rows, loop {seconds:.1f} s", end="", flush=True)
        for engine, module in ENGINES.items():
            if engine == "plain" or importlib.util.find_spec(module) is None:
                continue
            found, seconds = rows(engine, table, folder)
            wrong += found != expected
            print(f", {engine} {seconds:.1f} s{'' if found == expected else ' DIFFERS'}", end="", flush=True)
        print()
    print(f"{wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
