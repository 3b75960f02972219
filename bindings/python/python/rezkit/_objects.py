"""Pickling, and what notebooks and prompts show."""

from __future__ import annotations

import base64
import html
import struct
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._rezkit import Geometry, Instance, RobloxDocument, Scene
    from ._types import Loss

_PARTS = {
    "Scene": "name nodes roots meshes materials images skins animations copyright front extras",
    "Node": "name translation rotation scale children mesh skin weights hidden light camera extras",
    "SceneMesh": "name primitives weights extras",
    "Primitive": "geometry material more_uvs targets",
    "Geometry": "positions triangles normals tangents uvs colors joints weights",
    "Material": "name base_color metallic roughness emissive emissive_strength alpha alpha_cutoff double_sided textures "
    "normal_scale occlusion_strength unlit ior transmission specular clearcoat extras",
    "Image": "name data uri",
    "Skin": "name joints inverse_bind",
    "Animation": "name channels extras",
    "Channel": "node path interpolation times values",
}


def plain(part: Any) -> Any:
    """A scene or a part of one as dicts, lists and arrays, from which `Scene` makes it again."""
    names = _PARTS.get(type(part).__name__)
    if names is not None:
        made = {name: plain(getattr(part, name)) for name in names.split()}
        geometry = made.pop("geometry", None)
        return {**made, **geometry} if geometry else made
    if isinstance(part, (list, tuple)) and not hasattr(part, "_fields"):
        return [plain(one) for one in part]
    return part


def scene(parts: dict[str, Any], losses: list[Loss], max_bytes: int) -> Scene:
    from ._rezkit import _scene

    return _scene(parts, [(loss.kind, loss.path, loss.what, loss.count, loss.id) for loss in losses], max_bytes)


def geometry(columns: dict[str, Any]) -> Geometry:
    from ._rezkit import Scene

    return Scene.from_arrays(**columns).meshes[0].primitives[0].geometry


def instance(document: RobloxDocument, path: str) -> Instance:
    return document[path]


# A picture takes at most this much memory, and some tenths of a second.
_MAX_BYTES = 256 << 20
_MAX_INSTANCES = 50_000
_MAX_TRIANGLES = 2_000_000
_SIZE = 256


def png(shown: Any) -> bytes | None:
    """A small picture as PNG; `None` if there is nothing to draw, or drawing it would take long."""
    from ._rezkit import RobloxDocument, Scene, render
    from ._types import Error

    if isinstance(shown, RobloxDocument) and len(shown) > _MAX_INSTANCES:
        return None
    if isinstance(shown, Scene) and shown.triangle_count > _MAX_TRIANGLES:
        return None
    try:
        pixels = render(shown, _SIZE, max_bytes=_MAX_BYTES)
    except (Error, OSError):
        return None
    height, width = pixels.shape[:2]
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)

    def chunk(tag: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + tag + data + struct.pack(">I", zlib.crc32(tag + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    compressed = zlib.compress(lines, 6)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", compressed) + chunk(b"IEND", b"")


def _short(value: Any, length: int = 120) -> str:
    # The numbers of arrays have their type in their `repr`.
    text = value if isinstance(value, str) else str(value) if hasattr(value, "dtype") else repr(value)
    return text if len(text) <= length else text[: length - 1] + "…"


def table(rows: Any, head: tuple[str, ...] = ()) -> str:
    """A table of HTML."""
    cells = ["".join(f"<th>{html.escape(name)}</th>" for name in head)] if head else []
    cells += ["".join(f"<td>{html.escape(_short(cell))}</td>" for cell in row) for row in rows]
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def _facts(shown: Any) -> list[tuple[str, str]]:
    from ._rezkit import Scene

    if isinstance(shown, Scene):
        found: dict[str, Any] = {
            "nodes": len(shown.nodes),
            "meshes": len(shown.meshes),
            "triangles": shown.triangle_count,
            "materials": [material.name for material in shown.materials],
            "images": len(shown.images),
            "animations": [animation.name for animation in shown.animations],
            "losses": len(shown.losses),
        }
    else:
        found = shown.describe()
    facts = []
    for name, fact in found.items():
        if isinstance(fact, (list, tuple)) and all(isinstance(one, str) for one in fact):
            fact = ", ".join(fact)
        if fact != "" and fact != 0:
            facts.append((name, _short(fact)))
    return facts[:12]


def bundle(shown: Any) -> dict[str, Any]:
    """What a notebook shows of an asset or a scene: a picture and a short table."""
    picture = png(shown)
    text = f"<p><code>{html.escape(_short(repr(shown)))}</code></p>" + table(_facts(shown))
    if picture is not None:
        data = base64.b64encode(picture).decode()
        text = f'<img width="{_SIZE}" alt="" src="data:image/png;base64,{data}">' + text
    shapes = {"text/html": text, "image/png": picture, "text/plain": repr(shown)}
    return {kind: shape for kind, shape in shapes.items() if shape is not None}
