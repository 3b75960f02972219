# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices of the kit, which have one normal each, as those of Blender, which have one for each corner."""

import numpy as np


def target_of(primitive, number: int) -> np.ndarray:
    """The offsets of a morph target of a primitive; zeros if the primitive lacks it."""
    found = primitive.targets[number][1] if number < len(primitive.targets) else []
    return found if len(found) else np.zeros((len(primitive.geometry.positions), 3), dtype=np.float32)


def layers(triangles: np.ndarray) -> np.ndarray:
    """For each triangle, the number of earlier triangles with the same three vertices."""
    a, b, c = np.sort(triangles.astype(np.int64), axis=1).T
    order = np.lexsort((c, b, a))
    rows = np.stack([a, b, c])[:, order]
    is_new = np.concatenate([[True], (np.diff(rows) != 0).any(axis=0)])[: len(order)]
    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.arange(len(order)) - np.maximum.accumulate(np.where(is_new, np.arange(len(order)), 0))
    return found


def weld(source, positions: np.ndarray, colors: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """For each vertex in Blender, the first of the scene's vertices that it replaces; and for each of the scene's vertices, its
    vertex in Blender. Vertices that differ only in normals and texture coordinates are merged, since Blender stores those for
    each corner."""
    columns = [positions + np.float32(0)]
    if colors is not None:
        columns.append(colors.astype(np.float32))
    parts = source.primitives
    for name in ("joints", "weights"):
        if any(getattr(part.geometry, name) is not None for part in parts):
            filled = [getattr(part.geometry, name) for part in parts]
            columns.append(np.concatenate([
                np.zeros((len(part.geometry.positions), 4), dtype=np.float32) if each is None else np.asarray(each, dtype=np.float32)
                for each, part in zip(filled, parts, strict=True)
            ]))
    for number in range(max((len(part.targets) for part in parts), default=0)):
        columns.append(np.concatenate([target_of(part, number) for part in parts]))
    rows = np.ascontiguousarray(np.concatenate(columns, axis=1))
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    # Vertices keep the order of the scene.
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.ravel()]
