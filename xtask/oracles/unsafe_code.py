#!/usr/bin/env python3
"""Counts unsafe code in the dependencies of our published crates, as a table for SECURITY.md:

    xtask/oracles/unsafe_code.py

Prints a row for each dependency with `unsafe` in its sources, without its tests, benchmarks and examples: how often the
word occurs in code (not in comments, strings, or lints that forbid it), which of our crates depend on it, and whether only
the command line does. Features decide which code is compiled, so the count is the most that can be compiled.
"""

import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Matches what is not code: comments, raw strings, strings and character literals.
NO_CODE = re.compile(
    r"//[^\n]*|/\*.*?\*/|r(#*)\".*?\"\1|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])'", re.DOTALL
)
WORD = re.compile(r"\bunsafe\b(?!_)")
OURS = [
    "mesh-geom", "llsd-format", "m3d-format", "rbxbinary", "rbxblobs", "rbxcore", "rbxmesh", "rbxxml", "rezstd",
    "slmesh", "rezkit-core", "rezkit-scene", "rezkit-render", "rezkit-upload", "rezkit",
]


def count(folder):
    total = 0
    for path in sorted((folder / "src").rglob("*.rs")):
        if {"tests", "benches", "examples"} & set(path.relative_to(folder).parts):
            continue
        text = NO_CODE.sub(" ", path.read_text(encoding="utf-8", errors="replace"))
        total += len(WORD.findall(text))
    return total


def metadata(*features):
    command = ["cargo", "metadata", "--locked", "--format-version=1", "--filter-platform", "x86_64-unknown-linux-gnu"]
    return json.loads(subprocess.run([*command, *features], cwd=ROOT, check=True, capture_output=True).stdout)


def reached(graph, macros, package):
    """The packages that a library needs at run time, without those for builds, tests and macros."""
    open_, seen = [package], set()
    while open_:
        node = open_.pop()
        if node in seen or node in macros:
            continue
        seen.add(node)
        for dependency in graph[node]["deps"]:
            kinds = dependency["dep_kinds"]
            if any(kind["kind"] is None for kind in kinds):
                open_.append(dependency["pkg"])
    return seen


def main():
    whole = metadata("--all-features")
    packages = {package["id"]: package for package in whole["packages"]}
    graph = {node["id"]: node for node in whole["resolve"]["nodes"]}
    macros = {
        package["id"] for package in whole["packages"] if any("proc-macro" in target["kind"] for target in package["targets"])
    }
    ours = {package["name"]: package["id"] for package in whole["packages"] if package["source"] is None}
    users = {}
    for name in OURS:
        for dependency in reached(graph, macros, ours[name]):
            if packages[dependency]["source"] is not None:
                users.setdefault(dependency, []).append(name)
    rows = []
    for dependency, names in users.items():
        package = packages[dependency]
        found = count(pathlib.Path(package["manifest_path"]).parent)
        if found:
            # Crates that only need it through another of our crates are left out.
            first = [
                name for name in names
                if not any(
                    other != name and ours[other] in reached(graph, macros, ours[name]) for other in names
                )
            ]
            rows.append((package["name"], package["version"], found, first))
    print("| dependency | version | `unsafe` | needed by |")
    print("|---|---|--:|---|")
    only = [row for row in rows if row[3] == ["rezkit"]]
    for name, version, found, first in sorted((row for row in rows if row not in only), key=lambda row: (-row[2], row[0])):
        print(f"| `{name}` | {version} | {found} | {', '.join(f'`{each}`' for each in first)} |")
    names = ", ".join(f"`{name}` {found}" for name, _, found, _ in sorted(only, key=lambda row: (-row[2], row[0])))
    print(f"\nOnly `rezkit` depends on the following, nearly all of them for the command line: {names}.")


if __name__ == "__main__":
    main()
