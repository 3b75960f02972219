"""Prepares each GLB below a folder for Second Life: python examples/glbs_to_second_life.py FOLDER OUTPUT"""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import rezkit

folder, output = Path(sys.argv[1]), Path(sys.argv[2])


def prepared(path: Path) -> str:
    try:
        made = rezkit.upload(path, fix=True)
    except rezkit.Error as error:
        return f"{path}: {error}"
    made.save(output / path.relative_to(folder).with_suffix(""))
    return f"{path}: land impact {made.land_impact:.1f}, {len(made.losses)} changes"


with ThreadPoolExecutor() as pool:
    for line in pool.map(prepared, sorted(folder.rglob("*.glb"))):
        print(line)
