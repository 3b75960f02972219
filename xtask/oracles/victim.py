#!/usr/bin/env python3
"""Reads broken files with an installed program, in a process of its own that may die. `cargo xtask robustness` calls it
like `victim` in xtask/peers:

    xtask/oracles/victim.py              lists the readers: name, format, whose
    xtask/oracles/victim.py NAME FORMAT  answers each input, a u32 length and its bytes, with a line: `o` read, `e` refused

assimp is the program of that name (Debian: assimp-utils), f3d the Python package (pip install f3d). Both detect the
format of a file by its name. If an input kills the program, this one dies, too.
"""

import importlib.util
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

FORMATS = ["gltf", "obj", "stl", "ply"]


def with_assimp():
    def read(path):
        # The caller stops waiting after 10 seconds, so this is a hang.
        try:
            code = subprocess.run(["assimp", "info", path], stdout=-3, stderr=-3, timeout=9.8).returncode
        except subprocess.TimeoutExpired:
            time.sleep(60)
            return False
        # Killed by a signal, or the exit status with which a shell reports that: abort as well.
        if code < 0 or code > 128:
            os.abort()
        return code == 0

    return read


def with_f3d():
    import f3d

    f3d.Log.set_verbose_level(f3d.Log.QUIET)
    engine = f3d.Engine.create_none()
    f3d.Engine.autoload_plugins()

    def read(path):
        engine.scene.clear()
        try:
            engine.scene.add(path)
        except RuntimeError:
            return False
        return True

    return read


READERS = {"assimp": with_assimp, "f3d": with_f3d}


def main():
    if len(sys.argv) < 3:
        found = {"assimp": shutil.which("assimp"), "f3d": importlib.util.find_spec("f3d")}
        for name in READERS:
            for form in FORMATS if found[name] else []:
                print(name, form, "theirs")
        return
    read = READERS[sys.argv[1]]()
    source, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb", buffering=0)
    # The output of the program must not mix with the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with tempfile.TemporaryDirectory() as folder:
        while length := source.read(4):
            data = source.read(struct.unpack("<I", length)[0])
            ending = "glb" if data.startswith(b"glTF") else sys.argv[2]
            path = os.path.join(folder, f"a.{ending}")
            with open(path, "wb") as file:
                file.write(data)
            answers.write(b"o\n" if read(path) else b"e\n")


main()
