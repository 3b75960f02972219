"""Reads broken files with the wheel: it must not crash, raise nothing but `rezkit.Error`, and not leak.

    pip install ./bindings/python && python xtask/oracles/python_hostile.py FOLDER [COUNT]

Each of COUNT files (10,000 by default) is a real file in FOLDER with bytes changed, cut off or doubled. Its arrays,
columns, values and findings are read, and arrays are kept longer than their asset. Prints the memory of the process after
each tenth of the files, and fails if the second half needs over 5 % more memory than the first.

    python xtask/oracles/python_hostile.py --limits FOLDER

Reads each unchanged file in FOLDER under limits of 16, 64 and 256 MB and 1 GiB, in a process of its own, which also
converts and draws it. Fails if a process needs more than 1.25 times the limit and 16 MB, or if its steps need more than a
second of processor time each, for each megabyte of the file.
"""

import gc
import os
import pathlib
import random
import resource
import sys

import numpy as np
import rezkit


def mutate(data, random):
    data = bytearray(data)
    for _ in range(random.choice([1, 1, 1, 2, 4])):
        if not data:
            break
        at = random.randrange(len(data))
        match random.choice([0, 0, 0, 0, 1, 2, 3, 4]):
            case 0:
                data[at] = random.randrange(256)
            case 1:
                data[at : at + 4] = random.choice([b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"\0\0\0\x80"])
            case 2:
                del data[at:]
            case 3:
                data[at:at] = data[at : at + random.randrange(64)]
            case 4:
                del data[at : at + random.randrange(16)]
    return bytes(data)


def look(asset):
    """All arrays of an asset."""
    kept = []
    if isinstance(asset, rezkit.RobloxMesh):
        kept += [asset.positions, asset.triangles, asset.colors, asset.joints, asset.bones]
        kept += [asset.level(level).positions for level in range(len(asset.levels))]
    elif isinstance(asset, rezkit.RobloxDocument):
        for instance in list(asset)[:20]:
            _ = instance.properties, instance.path
            kept += [each for each in asset.columns(instance.class_name, max_bytes=1 << 24).values() if hasattr(each, "dtype")]
    elif isinstance(asset, rezkit.SecondLifeMesh):
        for index in range(asset.mesh_count):
            kept += [face.positions for faces in asset.levels(index).values() for face in faces]
            kept += asset.hulls(index)
    elif isinstance(asset, rezkit.M3d):
        kept += [geometry.positions for _, geometry in asset.groups()]
    elif isinstance(asset, rezkit.Llsd):
        _ = asset.value
    asset.check()
    return kept


def rss():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def everything(path, limit):
    """Does everything that the wheel can do with a file, and ignores its own errors."""
    def load():
        return rezkit.load(path, max_bytes=limit)

    forms = ["glb", "rbxm", "rbxmx", "mesh", "m3d", "llmesh", "slm", "obj", "ply", "anim"]
    steps = [lambda: look(load()), lambda: load().to_bytes(), lambda: rezkit.scene(load()), lambda: rezkit.render(load())]
    steps += [lambda form=form: rezkit.convert(load(), form, allow_loss=True) for form in forms]
    for step in steps:
        try:
            step()
        except rezkit.Error:
            pass


def limits(folder):
    failures, count, start = 0, 0, rss()
    for path in sorted(path for path in pathlib.Path(folder).rglob("*") if path.is_file()):
        for limit in [16 << 20, 64 << 20, 256 << 20, 1 << 30]:
            child = os.fork()
            if child == 0:
                try:
                    everything(path, limit)
                except BaseException as error:
                    print(f"{path}: {error!r}")
                    os._exit(1)
                os._exit(0)
            _, status, used = os.wait4(child, 0)
            took, memory = used.ru_utime + used.ru_stime, (used.ru_maxrss - start) << 10
            # A second per megabyte for each of the 14 steps.
            slow = took > 14 * max(path.stat().st_size / 1e6, 1.0)
            count += 1
            if status or slow or memory > limit * 1.25 + (16 << 20):
                failures += 1
                print(f"{path}: {limit >> 20} MB: status {status}, {took:.1f} s, {memory / 1e6:.0f} MB")
    print(f"{count} runs, {failures} failures")
    return failures > 0


def main(folder, count):
    files = [path.read_bytes() for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file()]
    files = [data for data in files if len(data) < 300_000]
    chance = random.Random(37)
    errors, read, memory = {}, 0, []
    for number in range(count):
        data = mutate(chance.choice(files), chance)
        try:
            asset = rezkit.load(data, max_bytes=1 << 26)
            kept = look(asset)
            del asset
            for array in kept:
                if isinstance(array, np.ndarray) and array.dtype.kind == "f":
                    with np.errstate(all="ignore"):
                        array.sum()
            read += 1
        except rezkit.Error as error:
            errors[error.kind] = errors.get(error.kind, 0) + 1
        if (number + 1) % max(count // 10, 1) == 0:
            gc.collect()
            with open("/proc/self/statm") as statm:
                memory.append(int(statm.read().split()[1]) * 4096 >> 20)
    print(f"{count} files: {read} read, errors {errors}; MiB {memory}, at most {rss() >> 10}")
    half = len(memory) // 2
    return max(memory[half:]) > 1.05 * max(memory[:half]) + 5


if __name__ == "__main__":
    if sys.argv[1] == "--limits":
        sys.exit(limits(sys.argv[2]))
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000))
