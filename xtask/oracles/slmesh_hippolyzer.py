"""Checks that Hippolyzer reads a rigged asset that the crate slmesh builds.

    pip install hippolyzer
    cargo run -p slmesh --example sphere -- FILE
    python xtask/oracles/slmesh_hippolyzer.py FILE

The example builds a sphere that bends between two joints. This program reads the file with Hippolyzer, compares every
vertex with the formulas of the sphere, and reads again what Hippolyzer writes.
"""

import pathlib
import sys

import hippolyzer.lib.base.serialization as se
from hippolyzer.lib.base.mesh import LLMeshSerializer, positions_from_domain

RINGS = {"high_lod": 32, "medium_lod": 16, "low_lod": 8, "lowest_lod": 4}
STEP = 1 / 65535


def level(name, faces):
    """The differences between a level of detail and a sphere with the number of rings that this level has."""
    rings = RINGS[name]
    [face] = faces
    triangles = 4 * rings * (rings - 1)
    if len(face["TriangleList"]) != triangles:
        yield f"{len(face['TriangleList'])} triangles, not {triangles}"
    points = list(positions_from_domain(face["Position"], face["PositionDomain"]))
    if len({len(points), len(face["Normal"]), len(face["TexCoord0"]), len(face["Weights"])}) != 1:
        yield "columns of different lengths"
    if {index for triangle in face["TriangleList"] for index in triangle} != set(range(len(points))):
        yield "indices that are not those of the vertices"
    for vertex, (point, normal, weights) in enumerate(zip(points, face["Normal"], face["Weights"])):
        if abs(sum(x * x for x in point) ** 0.5 - 0.5) > 2 * STEP:
            yield f"vertex {vertex} is not on the sphere"
        if any(abs(2 * x - n) > 4 * STEP for x, n in zip(point, normal)):
            yield f"vertex {vertex} has another normal"
        found = {weight.joint_idx: weight.weight for weight in weights}
        expected = {0: 0.5 - point[2], 1: 0.5 + point[2]}
        if any(abs(found.get(joint, 0.0) - share) > 2 * STEP for joint, share in expected.items()):
            yield f"vertex {vertex} follows {found}, not {expected}"


def skin(found):
    if found["joint_names"] != ["mPelvis", "mTorso"]:
        yield f"joints {found['joint_names']}"
    for matrix, z in zip(found["inverse_bind_matrix"], [-1.067, -1.151]):
        expected = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, z, 1]
        if any(abs(a - b) > 1e-6 for a, b in zip(matrix, expected)):
            yield f"inverse bind matrix {matrix}"


def differences(mesh):
    found = [f"skin: {what}" for what in skin(mesh.segments["skin"])]
    for name in RINGS:
        found += [f"{name}: {what}" for what in level(name, mesh.segments[name])]
    return found


def read(data):
    return se.BufferReader("!", data).read(LLMeshSerializer(parse_segment_contents=True))


def main(path):
    mesh = read(pathlib.Path(path).read_bytes())
    writer = se.BufferWriter("!")
    writer.write(LLMeshSerializer(parse_segment_contents=True), mesh)
    again = read(writer.copy_buffer())
    for name, asset in [("ours", mesh), ("rewritten by Hippolyzer", again)]:
        found = differences(asset)
        vertices = sum(len(asset.segments[level][0]["Position"]) for level in RINGS)
        print(f"{name}: {vertices} vertices, {len(found)} differences")
        if found:
            sys.exit("\n".join(found[:10]))


main(sys.argv[1])
