# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the extension: python build.py WHEEL... OUTPUT.zip

The wheels are those of bindings/python, one for each platform: `maturin build --release` there.
"""

import re
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
FILES = (
    "__init__.py", "animation.py", "exports.py", "from_blender.py", "materials.py", "operators.py", "panel.py", "roblox_model.py",
    "second_life.py", "to_blender.py", "weld.py", "LICENSE",
)
# The names of platforms in wheels, and those of Blender.
PLATFORMS = {
    "linux_x86_64": "linux-x64",
    "linux_aarch64": "linux-arm64",
    "macosx_x86_64": "macos-x64",
    "macosx_arm64": "macos-arm64",
    "win_amd64": "windows-x64",
    "win_arm64": "windows-arm64",
}


def platform(wheel: Path) -> str:
    tag = re.sub(r"(manylinux\d*|musllinux)_\d+_\d+_", "linux_", wheel.stem.split("-")[-1].split(".")[0])
    tag = re.sub(r"macosx_\d+_\d+_", "macosx_", tag)
    return PLATFORMS[tag]


def build(wheels: list[Path], output: Path) -> None:
    manifest = (HERE / "blender_manifest.toml").read_text()
    names = ", ".join(f'"./wheels/{wheel.name}"' for wheel in wheels)
    platforms = ", ".join(f'"{each}"' for each in sorted({platform(wheel) for wheel in wheels}))
    manifest = manifest.replace("wheels = []", f"wheels = [{names}]\nplatforms = [{platforms}]")
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("blender_manifest.toml", manifest)
        for name in FILES:
            archive.write(HERE / name, name)
        for wheel in wheels:
            archive.write(wheel, f"wheels/{wheel.name}", zipfile.ZIP_STORED)


if __name__ == "__main__":
    *wheels, output = map(Path, sys.argv[1:])
    build(wheels, output)
