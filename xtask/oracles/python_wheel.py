"""Compares the wheel with other Python packages, on real files:

    pip install ./bindings/python llsd DracoPy && python xtask/oracles/python_wheel.py FOLDER

LLSD: each value must equal that of python-llsd, with the same type and numbers with the same bits, and python-llsd must
read what the wheel writes in the three encodings. Roblox meshes with a Draco stream: points and faces must equal DracoPy's.
"""

import pathlib
import struct
import sys

import DracoPy
import llsd
import numpy as np
import rezkit


def same(ours, theirs):
    if isinstance(theirs, llsd.uri):
        return type(ours) is rezkit.Uri and str(ours) == str(theirs)
    if isinstance(theirs, bytes):
        return type(ours) is bytes and ours == bytes(theirs)
    if type(theirs) is float:
        # The bits of a NaN that is read from text are not specified.
        return type(ours) is float and (struct.pack("<d", ours) == struct.pack("<d", theirs) or ours != ours and theirs != theirs)
    if type(ours) is not type(theirs):
        return False
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, dict):
        return list(ours) == list(theirs) and all(same(ours[key], theirs[key]) for key in theirs)
    return ours == theirs


def check_llsd(path, asset, data):
    try:
        theirs = llsd.parse(data)
    except llsd.LLSDParseError as error:
        return f"python-llsd refuses it: {error}"
    if not same(asset.value, theirs):
        return "DIFFERENT from python-llsd"
    for encoding in ("binary", "xml", "notation"):
        written = rezkit.Llsd(theirs, encoding).to_bytes()
        # python-llsd uses another header for the binary encoding.
        written = written.replace(b"<? LLSD/Binary ?>", b"<?llsd/binary?>", 1)
        if not same(asset.value, llsd.parse(written)):
            return f"DIFFERENT after python-llsd reads our {encoding}"
    return "llsd"


def check_draco(path, mesh, data):
    start = data.find(b"DRACO")
    if start < 0:
        return None
    theirs = DracoPy.decode(data[start:])
    if not np.array_equal(np.asarray(theirs.points, dtype=np.float32), mesh.positions):
        return "DIFFERENT points from DracoPy"
    if not np.array_equal(np.asarray(theirs.faces), mesh.triangles):
        return "DIFFERENT faces from DracoPy"
    return "draco"


def main(folder):
    counts = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if not path.is_file():
            continue
        data = path.read_bytes()
        try:
            asset = rezkit.load(data)
        except rezkit.Error:
            continue
        result = None
        if isinstance(asset, rezkit.Llsd):
            result = check_llsd(path, asset, data)
        elif isinstance(asset, rezkit.RobloxMesh):
            result = check_draco(path, asset, data)
        if result:
            counts[result] = counts.get(result, 0) + 1
            if "DIFFERENT" in result:
                print(f"{path}: {result}")
    print(counts)
    return any("DIFFERENT" in result for result in counts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
