#!/usr/bin/env python3
"""Scans a folder with a loop, Daft, Ray and Spark, which must return the same rows for all tables.

    pip install ./bindings/python pyarrow "daft>=0.7" "ray[data]>=2.60" "pyspark>=4.3" pandas
    xtask/oracles/table_engines.py FOLDER [--assets N] [--kill] [TABLE...]

With --assets, N assets are made from FOLDER in a temporary folder: half of them are files of at most 64 kB from FOLDER,
the other half are generated, and one in a hundred is damaged. With --kill, a worker of Ray and one of Spark are killed
while they work; the loop and Daft have no worker processes. Each engine runs its program of bindings/python/examples in
its own local mode; engines that are not installed are left out.
"""

import argparse
import importlib.util
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pyarrow.parquet as pq

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "bindings/python/examples"
ENGINES = {"plain": "pyarrow", "daft": "daft", "ray": "ray", "spark": "pyspark"}
TABLES = ["assets", "findings", "instances", "references"]
SEED = 37


def generated(rng):
    """A mesh of a few triangles, or a document of a few numbers."""
    if rng.random() < 0.5:
        faces = rng.randrange(1, 40)
        vertex = lambda: "".join(f"[{','.join(f'{rng.uniform(-9, 9):.4f}' for _ in range(3))}]" for _ in range(3))
        return ".mesh", f"version 1.00\n{faces}\n{''.join(vertex() for _ in range(3 * faces))}".encode()
    members = "".join(f"<key>{rng.randrange(1 << 40):x}</key><real>{rng.random()}</real>" for _ in range(rng.randrange(40)))
    return ".xml", f"<?xml version=\"1.0\" ?><llsd><map>{members}</map></llsd>".encode()


def damaged(rng, data):
    data = bytearray(data)
    for _ in range(rng.randrange(1, 8)):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data[: rng.randrange(len(data) + 1)] if rng.random() < 0.3 else data)


def make(source, folder, count):
    rng = random.Random(SEED)
    paths = sorted(path for path in source.rglob("*") if path.is_file() and path.stat().st_size <= 65536)
    real = [(path.suffix, path.read_bytes()) for path in paths]
    hostile = 0
    for number in range(count):
        suffix, data = rng.choice(real) if number % 2 else generated(rng)
        if number % 100 == 99:
            data = damaged(rng, data)
            hostile += 1
        below = folder / f"{number // 1000:03}"
        below.mkdir(exist_ok=True)
        (below / f"{number:06}{suffix}").write_bytes(data)
    print(f"{count} assets, {hostile} of them damaged, seed {SEED}")


def worker(engine):
    """The id of a worker process that scans, found by the names that the engines give to such processes."""
    for entry in os.listdir("/proc"):
        try:
            command = pathlib.Path(f"/proc/{entry}/cmdline").read_bytes().decode(errors="replace") if entry.isdigit() else ""
            parent = pathlib.Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1] if command else "0"
            above = pathlib.Path(f"/proc/{parent}/cmdline").read_bytes().decode(errors="replace") if parent != "0" else ""
        except OSError:
            continue
        if engine == "ray" and command.startswith("ray::") and "scanned" in command:
            return int(entry)
        if engine == "spark" and "pyspark.daemon" in command and "pyspark.daemon" in above:
            return int(entry)
    return None


def kill_one(engine, process, killed):
    while process.poll() is None and not killed:
        found = worker(engine)
        if found is None:
            time.sleep(0.02)
            continue
        time.sleep(0.5)
        try:
            os.kill(found, signal.SIGKILL)
            killed.append(found)
        except ProcessLookupError:
            pass


def rows(engine, table, folder, kill):
    with tempfile.TemporaryDirectory() as below:
        start = time.monotonic()
        program = [sys.executable, str(EXAMPLES / f"{engine}_scan.py"), str(folder), table]
        with open(pathlib.Path(below) / "stderr", "w+b") as errors:
            process = subprocess.Popen(program, cwd=below, stdout=subprocess.DEVNULL, stderr=errors)
            killed = []
            if kill and engine in ("ray", "spark"):
                threading.Thread(target=kill_one, args=(engine, process, killed), daemon=True).start()
            if process.wait() != 0:
                errors.seek(0)
                sys.exit(f"{engine}: {errors.read().decode(errors='replace')[-4000:]}")
        found = pq.read_table(pathlib.Path(below) / f"{table}.parquet").to_pylist()
        return sorted(repr(list(row.values())) for row in found), time.monotonic() - start, bool(killed)


def compare(folder, tables, kill):
    wrong = 0
    for table in tables:
        expected, seconds, _ = rows("plain", table, folder, kill)
        print(f"{table}: {len(expected)} rows, loop {seconds:.1f} s", end="", flush=True)
        for engine, module in ENGINES.items():
            if engine == "plain" or importlib.util.find_spec(module) is None:
                continue
            found, seconds, killed = rows(engine, table, folder, kill)
            wrong += found != expected
            notes = " with a worker killed" * killed + " DIFFERS" * (found != expected)
            print(f", {engine} {seconds:.1f} s{notes}", end="", flush=True)
        print()
    print(f"{wrong} wrong")
    return wrong > 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--assets", type=int)
    parser.add_argument("--kill", action="store_true")
    options = parser.parse_args()
    if options.assets is None:
        return compare(options.folder.resolve(), options.tables, options.kill)
    with tempfile.TemporaryDirectory() as made:
        make(options.folder, pathlib.Path(made), options.assets)
        return compare(pathlib.Path(made), options.tables, options.kill)


if __name__ == "__main__":
    sys.exit(main())
