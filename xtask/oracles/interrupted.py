#!/usr/bin/env python3
"""Kills rezkit at random moments while it writes, and lets it write to a disk that is too small. Each file must then
be the complete old one or the complete new one, and a run that fails must leave no new file:

    cargo build --release -p rezkit
    xtask/oracles/interrupted.py target/release/rezkit [--times 100] [--write]

With --write, the figures are written into docs/ROBUSTNESS.md. Needs Linux. The small disk is a tmpfs of 64 kB, which
only root can mount; without that right, the test with it is left out.
"""

import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEMPORARY = ".rezkit-"


def place(parts, name="Part"):
    """A document with this many scripts, each with the id of an asset."""
    item = (
        '<Item class="Script"><Properties><string name="Name">{name}{at}</string>'
        '<ProtectedString name="Source">print({at})</ProtectedString>'
        '<string name="Image">rbxassetid://123</string></Properties></Item>'
    )
    items = "".join(item.format(name=name, at=at) for at in range(parts))
    return f'<roblox version="4">{items}</roblox>'.encode()


def operations(program):
    """The operations: a name, a function that fills a folder, the arguments of a run in it, the number of scripts for runs
    that are killed, and the numbers for runs on the small disk, which has 16 pages."""

    def one(folder, parts):
        (folder / "a.rbxmx").write_bytes(place(parts))
        (folder / "map.csv").write_text("123,4567890\n")

    def many(folder, parts):
        (folder / "in").mkdir()
        for number in range(8):
            (folder / "in" / f"{number}.rbxmx").write_bytes(place(max(1, parts // 8), f"P{number}_"))

    def over(folder, parts):
        one(folder, parts)
        (folder / "b.rbxm").write_bytes(b"old")

    def beside(folder, parts):
        one(folder, parts)
        (folder / "out" / "src").mkdir(parents=True)
        (folder / "out" / "default.project.json").write_text("old")

    extract = [program, "extract", "a.rbxmx", "-o", "out"]
    sizes, few = range(20, 320, 4), range(1, 16)
    return [
        ("set", one, [program, "set", "a.rbxmx", "Part0.Image", "rbxassetid://99999999"], 15000, sizes),
        ("convert", one, [program, "convert", "a.rbxmx", "b.rbxm"], 15000, sizes),
        ("convert over a file", over, [program, "convert", "a.rbxmx", "b.rbxm"], 15000, sizes),
        ("assets --replace", one, [program, "assets", "--replace", "map.csv", "a.rbxmx"], 15000, sizes),
        ("extract", one, extract, 1500, few),
        ("extract into a folder", beside, [*extract, "--force"], 1500, few),
        ("a folder", many, [program, "convert", "in", "out", "--to", "rbxm"], 15000, sizes),
    ]


def content(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def compare(name, moment, before, after, now):
    """Counts the files that are neither the complete old one nor the complete new one, or that are gone."""
    wrong = 0
    for path, data in now.items():
        # A temporary file, or a file in a temporary folder.
        if any(part.startswith(TEMPORARY) for part in pathlib.Path(path).parts):
            continue
        if data not in (before.get(path), after.get(path)):
            print(f"{name}, {moment}: {path} is neither the old file nor the new one ({len(data)} bytes)")
            wrong += 1
    for path in before:
        if path not in now:
            print(f"{name}, {moment}: {path} is gone")
            wrong += 1
    return wrong


def paths(folder):
    """The names of all files and folders in a folder."""
    return [(at, sorted(folders), sorted(files)) for at, folders, files in os.walk(folder)]


def started(arguments, folder):
    return subprocess.Popen(arguments, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def writes(process, folder, old):
    """Waits until a file or a folder appears in the folder, or the process ends."""
    while process.poll() is None and paths(folder) == old:
        pass


def kills(program, times, only, figures):
    total, rng = 0, random.Random(40)
    for name, fill, arguments, parts, _ in operations(program):
        if only and name not in only:
            continue
        with tempfile.TemporaryDirectory() as top:
            folder = pathlib.Path(top) / "run"

            def fresh():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                fill(folder, parts)
                return paths(folder)

            # How long the program runs before it writes, and how long it writes.
            waits, spans = [], []
            for _ in range(5):
                old = fresh()
                before, start = content(folder), time.monotonic()
                process = started(arguments, folder)
                writes(process, folder, old)
                first = time.monotonic()
                assert process.wait() == 0, name
                waits.append(first - start)
                spans.append(time.monotonic() - first)
            wait, span = sorted(waits)[2], sorted(spans)[2]
            after = content(folder)
            assert before != after, name
            states, wrong, during = {"old": 0, "new": 0, "between": 0}, 0, 0
            for turn in range(times):
                old = fresh()
                process = started(arguments, folder)
                # One run in five is killed at any moment, the others while they write.
                if turn % 5 == 0:
                    time.sleep(rng.uniform(0, wait + span))
                else:
                    writes(process, folder, old)
                    end = time.monotonic() + rng.uniform(0, span)
                    while time.monotonic() < end:
                        pass
                begun = turn % 5 != 0 or paths(folder) != old
                process.send_signal(signal.SIGKILL if turn % 2 else signal.SIGTERM)
                during += begun and process.wait() != 0
                process.wait()
                now = content(folder)
                wrong += compare(name, f"kill {turn}", before, after, now)
                kept = {path: data for path, data in now.items() if TEMPORARY not in path}
                states["old" if kept == before else "new" if kept == after else "between"] += 1
                if turn % 2 == 0 and any(TEMPORARY in path for path in map(str, folder.rglob("*"))):
                    print(f"{name}: asked to end, it left something temporary")
                    wrong += 1
            print(
                f"{name}: {times} kills, {during} of them while it wrote ({span:.3f} of {wait + span:.3f} s), "
                f"{states['old']} before, {states['new']} after, {states['between']} between files"
            )
            figures[name] = [times, during, *states.values(), wrong]
            total += wrong
    return total


def small_disk(program, figures):
    total = 0
    with tempfile.TemporaryDirectory() as top:
        top = pathlib.Path(top)
        disk = top / "disk"
        disk.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True
        )
        if mounted.returncode != 0:
            print("the small disk is left out: no right to mount one")
            return 0
        try:
            for name, fill, arguments, _, sizes in operations(program):
                tried, refused, wrong = 0, 0, 0
                for parts in sizes:
                    (top / "whole").mkdir()
                    fill(top / "whole", parts)
                    before = content(top / "whole")
                    subprocess.run(arguments, cwd=top / "whole", check=True, capture_output=True)
                    after = content(top / "whole")
                    shutil.rmtree(top / "whole")
                    try:
                        fill(disk, parts)
                    except OSError:
                        clear(disk)
                        break
                    tried += 1
                    run = subprocess.run(arguments, cwd=disk, capture_output=True, text=True)
                    now = content(disk)
                    wrong += compare(name, f"{parts} parts on a small disk", before, after, now)
                    if any(TEMPORARY in path for path in map(str, disk.rglob("*"))):
                        print(f"{name}: {parts} parts on a small disk left a temporary file")
                        wrong += 1
                    if run.returncode == 0 and now != after:
                        print(f"{name}: {parts} parts on a small disk: status 0, and not all is there")
                        wrong += 1
                    if run.returncode != 0:
                        refused += 1
                        single = name != "a folder"
                        if single and now != before:
                            print(f"{name}: {parts} parts on a small disk: refused, and something changed")
                            wrong += 1
                    clear(disk)
                print(f"{name}: on a disk of 64 kB, {refused} refused")
                if refused == 0:
                    print(f"{name}: the disk was never full")
                    wrong += 1
                figures.setdefault(name, ["-"] * 6).extend([tried, refused, wrong])
                total += wrong
        finally:
            subprocess.run(["umount", disk], check=True)
    return total


def commit():
    """The commit of the sources, with -dirty if files other than pages of figures have uncommitted changes."""
    git = lambda *arguments: subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()
    changed = git("status", "--porcelain", "--", ".", ":!docs")
    return git("rev-parse", "--short", "HEAD") + ("-dirty" if changed else "")


def write(figures, commit):
    """Writes the figures into the page, between the comments for this program."""
    page = ROOT / "docs" / "ROBUSTNESS.md"
    begin, end = "<!-- `xtask/oracles/interrupted.py` writes from here -->\n", "<!-- to here -->\n"
    before, rest = page.read_text().split(begin)
    after = rest.split(end, 1)[1]
    heads = [
        "operation", "kills", "while writing", "all old", "all new", "old and new", "wrong", "runs on 64 kB", "failed", "wrong on 64 kB", "commit",
    ]
    rows = [heads, ["---"] + ["--:"] * (len(heads) - 1)]
    rows += [[name, *of, *["-"] * (9 - len(of)), commit] for name, of in figures.items()]
    table = "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)
    page.write_text(f"{before}{begin}\n{table}\n\n{end}{after}")


def clear(folder):
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--only", action="append", metavar="NAME", help="kill in this operation alone; may be repeated")
    parser.add_argument("--write", action="store_true", help="put the figures into docs/ROBUSTNESS.md")
    options = parser.parse_args()
    program = str(options.program.resolve())
    figures, of = {}, commit()
    wrong = kills(program, options.times, options.only, figures) + small_disk(program, figures)
    print(f"{wrong} wrong")
    if options.write:
        write(figures, of)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
