"""What is built from the arrays and values of a real file equals the file's content."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import rezkit
from rezkit import llsd

CORPUS = Path(__file__).parents[4] / "shared/corpus"
COLUMNS = ["positions", "triangles", "normals", "uvs", "tangents", "colors", "joints", "weights"]
# Half a step of a 32-bit float at the size of a value, as a share.
ROUNDED = 2.0**-23

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="no real files beside the checkout")


def assets(*classes: type[Any]) -> Iterator[tuple[str, Any]]:
    """All real files of the classes."""
    for path in sorted(path for path in CORPUS.rglob("*") if path.is_file()):
        if rezkit.detect(path) is not None:
            try:
                asset = rezkit.load(path)
            except rezkit.Error as error:
                # It is recognized, but not read; or it is made so that no program reads it.
                of_other_versions = "glTF version 1.0 is not supported", "expected an FBX file of version 6.0 to 7.9"
                if any(text in str(error) for text in of_other_versions) or "_fail_" in path.name:
                    continue
                raise
            if isinstance(asset, classes):
                yield path.relative_to(CORPUS).as_posix(), asset


def test_roblox_meshes() -> None:
    """Bit for bit. A skin with more than 26 bones reorders the vertices, and the faces of each level."""
    count = 0
    for name, mesh in assets(rezkit.RobloxMesh):
        columns = {"positions": mesh.positions, "normals": mesh.normals, "uvs": mesh.uvs, "colors": mesh.colors,
                   "tangents": mesh.tangent_bytes}
        made = rezkit.RobloxMesh.from_arrays(triangles=mesh.triangles, levels=mesh.levels, version=mesh.version, **columns)
        order = np.arange(len(mesh.positions), dtype=np.uint32)
        if mesh.joints is not None and mesh.weights is not None:
            bones = [(bone_name, int(bone["parent"]), bone["bind_pose"], float(bone["culling"]), int(bone["lod_parent"]))
                     for bone_name, bone in zip(mesh.bone_names, mesh.bones)]
            order = made.set_skin(mesh.joints, mesh.weights, bones)
            for ours, theirs in [(made.joints, mesh.joints), (made.weights, mesh.weights)]:
                assert ours is not None and ours.tobytes() == theirs[order].tobytes(), name
        for column in ["positions", "normals", "uvs", "colors", "tangent_bytes"]:
            assert getattr(made, column).tobytes() == getattr(mesh, column)[order].tobytes(), (name, column)
        assert (made.levels, made.bone_names, made.bones.tobytes()) == (mesh.levels, mesh.bone_names, mesh.bones.tobytes())
        for level in mesh.levels:
            assert Counter(map(tuple, order[made.triangles[level]])) == Counter(map(tuple, mesh.triangles[level])), name
        same = mesh.replace(triangles=mesh.triangles, **columns)
        assert same.to_bytes() == mesh.to_bytes(), name
        count += 1
    assert count >= 21


def arrays(scene: rezkit.Scene) -> rezkit.Scene:
    """A scene from the arrays of another one."""
    def geometry(primitive: rezkit.Primitive) -> dict[str, Any]:
        return {column: getattr(primitive.geometry, column) for column in COLUMNS} | {
            "material": primitive.material, "more_uvs": primitive.more_uvs, "targets": primitive.targets}

    return rezkit.Scene(
        name=scene.name, nodes=scene.nodes, roots=scene.roots, materials=scene.materials, images=scene.images,
        meshes=[{"name": mesh.name, "weights": mesh.weights, "extras": mesh.extras,
                 "primitives": [geometry(primitive) for primitive in mesh.primitives]} for mesh in scene.meshes],
        skins=[{"name": skin.name, "joints": skin.joints, "inverse_bind": skin.inverse_bind} for skin in scene.skins],
        animations=[{"name": animation.name, "extras": animation.extras, "channels": [
            {name: getattr(channel, name) for name in ("node", "path", "interpolation", "times", "values")}
            for channel in animation.channels]} for animation in scene.animations],
        copyright=scene.copyright, front=scene.front, extras=scene.extras)


def test_scenes() -> None:
    """Bit for bit. A mesh whose vertices are NaN equals nothing, so its bytes are compared."""
    count = 0
    for name, asset in assets(rezkit.RobloxMesh, rezkit.RobloxDocument, rezkit.SecondLifeMesh, rezkit.M3d):
        try:
            scene = rezkit.scene(asset, levels="all", hulls=True)
        except rezkit.Error as error:
            assert error.kind == "empty", (name, error)
            continue
        made = arrays(scene)
        for mesh, other in zip(made.meshes, scene.meshes):
            for primitive, one in zip(mesh.primitives, other.primitives):
                for column in COLUMNS:
                    ours, theirs = getattr(primitive.geometry, column), getattr(one.geometry, column)
                    assert (ours is None) == (theirs is None) and (ours is None or ours.tobytes() == theirs.tobytes()), name
        assert made == scene or scene != scene, name
        count += 1
    assert count >= 82


def corners(scene: rezkit.Scene) -> list[tuple[str, dict[str, npt.NDArray[Any]]]]:
    """The materials and the corners of all triangles of each mesh, moved by nodes and joints."""
    world = scene.world_matrices().astype(float)
    found: list[tuple[str, dict[str, npt.NDArray[Any]]]] = []
    for index, node in enumerate(scene.nodes):
        for primitive in scene.meshes[node.mesh].primitives if node.mesh is not None else []:
            geometry, material = primitive.geometry, primitive.material
            columns = {column: getattr(geometry, column) for column in COLUMNS if getattr(geometry, column) is not None}
            matrices = np.broadcast_to(world[index], (len(geometry.positions), 4, 4))
            if node.skin is not None and geometry.joints is not None and geometry.weights is not None:
                skin = scene.skins[node.skin]
                moved = world[list(skin.joints)] @ skin.inverse_bind
                matrices = np.einsum("vj,vjab->vab", geometry.weights, moved[geometry.joints])
                names = np.array([scene.nodes[joint].name for joint in skin.joints])[geometry.joints]
                # The order of joints with equal weights may change.
                order = np.argsort(np.where(geometry.weights > 0, names, ""), axis=-1)
                columns["joints"] = np.take_along_axis(np.where(geometry.weights > 0, names, ""), order, -1)
                columns["weights"] = np.take_along_axis(geometry.weights, order, -1)
            columns["positions"] = np.einsum("vab,vb->va", matrices[:, :3, :3], geometry.positions) + matrices[:, :3, 3]
            if geometry.normals is not None:
                turned = np.einsum("vba,vb->va", np.linalg.inv(matrices[:, :3, :3]), geometry.normals)
                columns["normals"] = turned / np.maximum(np.linalg.norm(turned, axis=-1, keepdims=True), 1e-9)
            triangles = columns.pop("triangles")
            name = scene.materials[material].name if material is not None else ""
            found.append((name, {column: rows[triangles] for column, rows in columns.items()}))
    return found


def assert_equal_corners(name: str, made: rezkit.Scene, scene: rezkit.Scene, steps: dict[str, float]) -> None:
    """Compares all columns; `steps` is what a format rounds, of positions in units of the largest coordinate."""
    ours, theirs = corners(made), corners(scene)
    assert [material for material, _ in ours] == [material for material, _ in theirs], name
    size = max(float(np.abs(columns["positions"]).max()) for _, columns in theirs)
    for (_, one), (_, other) in zip(ours, theirs):
        assert list(one) == list(other), name
        for column, rows in one.items():
            assert rows.shape == other[column].shape, (name, column)
            if column == "joints":
                assert (rows == other[column]).all(), name
                continue
            allowed = steps.get(column, 0.0) * (size if column == "positions" else 1.0)
            difference = float(np.abs(rows.astype(float) - other[column]).max())
            assert difference <= allowed, (name, column, difference, allowed)


def test_model_3d() -> None:
    """Normals, colours and names are equal. A new scale rounds positions; weights become steps of 1/255 again, also if
    those of the file do not sum to 255."""
    count = 0
    for name, model in assets(rezkit.M3d):
        try:
            scene = rezkit.scene(model)
        except rezkit.Error as error:
            assert error.kind == "empty", (name, error)
            continue
        if scene.triangle_count == 0:  # Shapes, which are not triangles.
            continue
        for form in ("m3d", "a3d"):
            made = rezkit.M3d.from_scene(arrays(scene), form)
            again = rezkit.scene(made)
            steps = {"positions": 4 * ROUNDED, "normals": 4 * ROUNDED, "uvs": ROUNDED, "weights": 1 / 255}
            assert_equal_corners(name, again, scene, steps)
            assert made.bone_names == model.bone_names, name
            assert made.bones["parent"].tolist() == model.bones["parent"].tolist(), name
            np.testing.assert_allclose(made.bones["inverse_bind"], model.bones["inverse_bind"], atol=1e-5, err_msg=name)
            # An action ends with its last frame, also if the file states an earlier end.
            ends = [max(float(channel.times[-1]) for channel in animation.channels) for animation in scene.animations]
            assert [action for action, _ in made.actions] == [action for action, _ in model.actions], name
            np.testing.assert_allclose([end for _, end in made.actions], ends, atol=5e-4, err_msg=name)
        count += 1
    assert count >= 21


def test_second_life_meshes() -> None:
    """All levels as they are posed at rest: within a step of the file's 16 bits. The bind pose of a rigged asset becomes
    that of the avatar, and it gets no hull, since it does not collide."""
    count = 0
    for name, asset in assets(rezkit.SecondLifeMesh):
        scene = rezkit.scene(asset, levels="all", hulls=True)
        form = "slm" if name.endswith(".slm") else "llmesh"
        made = rezkit.SecondLifeMesh.from_scene(arrays(scene), form)
        assert made.joint_names() == asset.joint_names(), name
        assert {level: len(faces) for level, faces in made.levels().items()} == {
            level: len(faces) for level, faces in asset.levels().items()}, name
        again = rezkit.scene(made, levels="all", hulls=True)

        def without_hulls(scene: rezkit.Scene) -> rezkit.Scene:
            nodes: list[Any] = [{"name": node.name, "matrix": node.matrix, "children": node.children, "skin": node.skin,
                                 "mesh": None if node.name.endswith("_BOUNDS") else node.mesh} for node in scene.nodes]
            return rezkit.Scene(nodes=nodes, meshes=scene.meshes, materials=scene.materials, skins=scene.skins)

        if asset.joint_names():
            again, scene = without_hulls(again), without_hulls(scene)
        step = 1 / 65_535
        assert_equal_corners(name, again, scene, {"positions": step, "normals": 4 * step, "uvs": step, "weights": step})
        count += 1
    assert count >= 3


def test_llsd() -> None:
    """The value, with its types, in the file's encoding and through `rezkit.llsd`."""
    count = 0
    for name, document in assets(rezkit.Llsd):
        made = rezkit.Llsd(document.value, document.version)
        again = rezkit.Llsd.load(made.to_bytes())
        assert repr(again.value) == repr(made.value) == repr(document.value), name
        value = llsd.parse(document.to_bytes())
        for write in (llsd.format_xml, llsd.format_binary, llsd.format_notation):
            assert repr(llsd.parse(write(value))) == repr(value), (name, write)
        count += 1
    assert count >= 147


def copied(document: rezkit.RobloxDocument, kind: Any) -> rezkit.RobloxDocument:
    """A document from the classes, types and values of another one."""
    new = rezkit.RobloxDocument.new(kind, "xml" if document.format == "rbxxml" else "binary")
    for service in new.children:
        service.remove()
    made = dict[rezkit.Instance, rezkit.Instance]()
    for instance in document:
        parent = made[instance.parent] if instance.parent else None
        values: dict[str, Any] = {name: None if isinstance(value, rezkit.Instance) else value for name, value in instance.properties.items()}
        made[instance] = new.insert(parent, instance.class_name, types=instance.types, **values)
    for instance in document:
        for name, value in instance.properties.items():
            if isinstance(value, rezkit.Instance):
                made[instance].set(name, made[value])
    return new


def test_roblox_documents() -> None:
    """By value. The metadata of Studio's models are those of a new model; older models have none, as places. A new
    instance has a name, and a property whose type no version of Roblox has cannot be set."""
    equal, other = 0, Counter[str]()
    for name, document in assets(rezkit.RobloxDocument):
        if any(set(instance.properties) != set(instance.types) for instance in document):
            other["unknown type"] += 1
            continue
        changes = min((rezkit.diff(document, copied(document, kind)) for kind in ("model", "place")), key=len)
        if changes and all(change.change == "added" and change.path.endswith(".Name") for change in changes):
            other["no name"] += 1
            continue
        assert changes == [], name
        equal += 1
    assert equal >= 147 and other["unknown type"] == 1 and other["no name"] <= 1, (equal, other)
