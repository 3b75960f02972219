"""The Rust part of the package."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, ClassVar, Literal, Protocol, Self, SupportsIndex, final, overload

import numpy as np
import numpy.typing as npt
from typing_extensions import Buffer, disjoint_base

from ._types import (
    Attributes,
    AvatarItem,
    Camera,
    Changes,
    Columns,
    Converted,
    Detected,
    Extracted,
    Finding,
    Fitted,
    Light,
    Loss,
    Merged,
    Packed,
    Tags,
    Target,
    Texture,
    Upload,
)

__all__ = [
    "Animation",
    "Asset",
    "Channel",
    "Geometry",
    "Image",
    "Instance",
    "Instances",
    "Llsd",
    "M3d",
    "Material",
    "Model",
    "Node",
    "Primitive",
    "RobloxDocument",
    "RobloxMesh",
    "Scene",
    "SceneMesh",
    "SecondLifeMesh",
    "Skin",
    "Strings",
    "__version__",
    "_llsd_format",
    "_llsd_parse",
    "_load",
    "_save",
    "_scene",
    "_strings",
    "_write",
    "convert",
    "detect",
    "diff",
    "load",
    "render",
    "scan",
    "scene",
    "upload",
]

__version__: str

class _Reader(Protocol):
    def read(self, length: int, /) -> bytes: ...

type _Input = str | os.PathLike[str] | Buffer | _Reader
type _Asset = Asset | _Input
type _Fill = Literal["defaults", "neutral", "none"]
type _Part = Mapping[str, Any]
type _Files = Callable[[int | str], bytes | None]
type _Levels = Literal["finest", "all"] | int
type _Bone = (
    tuple[str, int | None, npt.ArrayLike]
    | tuple[str, int | None, npt.ArrayLike, float, int | None]
)

def _save(
    path: str | os.PathLike[str], data: bytes, extension: str, beside: list[tuple[str, bytes]]
) -> None: ...
def _write(folder: str | os.PathLike[str], files: list[tuple[str, bytes]]) -> None: ...
def _llsd_parse(data: Buffer, encoding: str | None, ignore_binary: bool) -> tuple[Any, int]: ...
def _llsd_format(value: Any, form: str) -> bytes: ...
def _load(
    bytes: bytes, name: str, folder: str | os.PathLike[str] | None, form: str | None, max_bytes: int
) -> Asset: ...
def _scene(
    parts: dict[str, Any], losses: list[tuple[str, str, str, int, str]], max_bytes: int
) -> Scene: ...
def _strings(offsets: npt.NDArray[np.int64], data: bytes, present: list[bool]) -> Strings: ...
def detect(x: _Input) -> Detected | None: ...
def load(
    x: _Input, *, max_bytes: int | None = None, form: str | None = None, progress: Callable[[Any], object] | None = None
) -> Asset: ...
def diff(
    old: _Asset,
    new: _Asset,
    *,
    max_bytes: int | None = None,
    form: str | None = None,
    progress: Callable[[Any], object] | None = None,
) -> Changes: ...
def convert(
    x: _Asset | Scene,
    to: str,
    *,
    name: str | None = None,
    files: _Files | None = None,
    max_bytes: int | None = None,
    form: str | None = None,
    progress: Callable[[Any], object] | None = None,
    deny: Sequence[str] = (),
    allow: Sequence[str] = (),
    levels: _Levels | None = None,
    hulls: bool = False,
    path: str | None = None,
    terrain: Literal[1, 2, 4, 8, "none"] | None = None,
    unions: Literal["mesh", "operands", "hulls", "box"] | None = None,
    unit: Literal["m", "cm", "mm", "in"] | None = None,
    allow_loss: bool = False,
    client: str | None = None,
    compression: str | None = None,
    share: bool = False,
    pretty: bool = False,
    fill: _Fill = "defaults",
    priority: int | None = None,
    loop: bool | tuple[float, float] | None = None,
    ease: tuple[float, float] | None = None,
    hand_pose: int | str | None = None,
    curves: bool = False,
    tolerance: tuple[float, float] | None = None,
    rig: str | bytes | None = None,
    fps: float | None = None,
    action: str | int | None = None,
    joints: str | None = None,
    exact: bool = False,
    speed: float | None = None,
    drop_joints: str | None = None,
    mirror: bool = False,
    in_place: bool = False,
    trim: tuple[float, float] | None = None,
    reduce: tuple[float, float] | None = None,
    then: bytes | None = None,
    blend: float | None = None,
    pose: bytes | None = None,
    pose_joints: str | None = None,
    assets: str | None = None,
    prefix: str | None = None,
    parts: bool = False,
    scale: float | Literal["m"] | None = None,
    max_texture: int | None = None,
    mesh_version: str | None = None,
    fit: bool = False,
) -> Converted: ...
class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

def scan(
    batch: _ArrowArray | _ArrowStream,
    table: Literal["assets", "findings", "instances", "references", "properties"] = "assets",
    *,
    bytes: str = "bytes",
    path: str = "path",
    profiles: str | Sequence[str] | None = None,
    stored: bool = False,
    max_bytes: int | None = None,
    progress: Callable[[Any], object] | None = None,
) -> Any: ...
def scene(
    x: _Asset,
    *,
    files: _Files | None = None,
    max_bytes: int | None = None,
    form: str | None = None,
    progress: Callable[[Any], object] | None = None,
    levels: _Levels | None = None,
    hulls: bool = False,
    path: str | None = None,
    terrain: Literal[1, 2, 4, 8, "none"] | None = None,
    unions: Literal["mesh", "operands", "hulls", "box"] | None = None,
    unit: Literal["m", "cm", "mm", "in"] | None = None,
    rig: Literal["R6", "R15", "Rthro", "Rthro-narrow"] | bytes | None = None,
) -> Scene: ...
def upload(
    x: _Asset | Scene,
    name: str | None = None,
    *,
    levels: Sequence[float] | None = None,
    land_impact: float | None = None,
    physics: Literal["hulls", "mesh", "box", "none"] = "hulls",
    concavity: float | None = None,
    scale: float = 1.0,
    fix: bool = False,
    joint_positions: bool = False,
    joints: str | None = None,
    max_bytes: int | None = None,
    form: str | None = None,
    progress: Callable[[Any], object] | None = None,
) -> Upload: ...
def render(
    x: _Asset | Scene,
    size: int | tuple[int, int] | None = None,
    *,
    files: _Files | None = None,
    max_bytes: int | None = None,
    form: str | None = None,
    progress: Callable[[Any], object] | None = None,
    **options: bool | float | str | Sequence[float] | None,
) -> npt.NDArray[np.uint8]: ...

@disjoint_base
class Asset:
    @property
    def format(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def forms(self) -> list[str]: ...
    @classmethod
    def load(
        cls,
        x: _Input,
        *,
        max_bytes: int | None = None,
        form: str | None = None,
        progress: Callable[[Any], object] | None = None,
    ) -> Self: ...
    @classmethod
    def from_scene(
        cls, scene: Scene, form: str | None = None, *, losses: list[Loss] | None = None, **options: Any
    ) -> Self: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: Any, /) -> Self: ...
    def check(
        self,
        profiles: str | Sequence[str] | None = None,
        *,
        files: _Files | None = None,
        rules: Mapping[str, Any] | _Input | None = None,
        item_type: str | None = None,
        progress: Callable[[Any], object] | None = None,
    ) -> list[Finding]: ...
    def avatar_items(
        self,
        *,
        files: _Files | None = None,
        rules: Mapping[str, Any] | _Input | None = None,
        item_type: str | None = None,
        progress: Callable[[Any], object] | None = None,
    ) -> list[AvatarItem]: ...
    def describe(self) -> dict[str, Any]: ...
    def to_bytes(self, form: str | None = None, *, allow_loss: bool = False) -> bytes: ...
    def save(
        self,
        path: str | os.PathLike[str] | BinaryIO,
        form: str | None = None,
        *,
        allow_loss: bool = False,
    ) -> None: ...
    def _repr_png_(self) -> bytes | None: ...
    def _repr_html_(self) -> str: ...
    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]: ...

@final
class Model(Asset): ...

@final
class RobloxMesh(Asset):
    @classmethod
    def from_arrays(
        cls,
        positions: npt.ArrayLike,
        triangles: npt.ArrayLike,
        *,
        normals: npt.ArrayLike | None = None,
        uvs: npt.ArrayLike | None = None,
        tangents: npt.ArrayLike | None = None,
        colors: npt.ArrayLike | None = None,
        joints: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
        bones: Iterable[_Bone] | None = None,
        levels: Iterable[slice] | None = None,
        version: str = "5.00",
    ) -> RobloxMesh: ...
    def replace(
        self,
        *,
        positions: npt.ArrayLike | None = None,
        triangles: npt.ArrayLike | None = None,
        normals: npt.ArrayLike | None = None,
        uvs: npt.ArrayLike | None = None,
        tangents: npt.ArrayLike | None = None,
        colors: npt.ArrayLike | None = None,
    ) -> RobloxMesh: ...
    @property
    def positions(self) -> npt.NDArray[np.float32]: ...
    @property
    def normals(self) -> npt.NDArray[np.float32]: ...
    @property
    def uvs(self) -> npt.NDArray[np.float32]: ...
    @property
    def colors(self) -> npt.NDArray[np.uint8]: ...
    @property
    def tangent_bytes(self) -> npt.NDArray[np.uint8]: ...
    @property
    def tangents(self) -> npt.NDArray[np.float32] | None: ...
    @property
    def triangles(self) -> npt.NDArray[np.uint32]: ...
    @property
    def joints(self) -> npt.NDArray[np.uint16] | None: ...
    @property
    def weights(self) -> npt.NDArray[np.float32] | None: ...
    @property
    def levels(self) -> list[slice]: ...
    def level(self, index: int = 0) -> Geometry: ...
    @property
    def bones(self) -> npt.NDArray[np.void]: ...
    @property
    def bone_names(self) -> list[str | bytes]: ...
    def set_skin(
        self, joints: npt.ArrayLike, weights: npt.ArrayLike, bones: Iterable[_Bone]
    ) -> npt.NDArray[np.uint32]: ...
    def to_version(self, version: str) -> tuple[RobloxMesh, list[str]]: ...

@final
class SecondLifeMesh(Asset):
    @property
    def mesh_count(self) -> int: ...
    def levels(self, index: int = 0) -> dict[str, list[Geometry]]: ...
    def joint_names(self, index: int = 0) -> list[str | bytes]: ...
    def inverse_bind(self, index: int = 0) -> npt.NDArray[np.float32]: ...
    def hulls(self, index: int = 0) -> list[npt.NDArray[np.float32]]: ...

@final
class M3d(Asset):
    @property
    def name(self) -> str | bytes: ...
    def groups(self) -> list[tuple[str | bytes, Geometry]]: ...
    @property
    def bones(self) -> npt.NDArray[np.void]: ...
    @property
    def bone_names(self) -> list[str | bytes]: ...
    @property
    def actions(self) -> list[tuple[str | bytes, float]]: ...
    def extract(self) -> Extracted: ...

@final
class Llsd(Asset):
    def __new__(cls, value: Any, encoding: Literal["binary", "xml", "notation"] = "xml") -> Llsd: ...
    @property
    def value(self) -> Any: ...
    def __contains__(self, path: str, /) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __getitem__(self, path: str, /) -> Any: ...
    def __setitem__(self, path: str, value: Any, /) -> None: ...
    def __delitem__(self, path: str, /) -> None: ...

@final
class RobloxDocument(Asset):
    @staticmethod
    def new(kind: Literal["model", "place"] = "model", form: Literal["binary", "xml"] = "binary") -> RobloxDocument: ...
    def __getitem__(self, path: str, /) -> Instance: ...
    def __contains__(self, path: str | Instance, /) -> bool: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Instance]: ...
    def find(self, path: str) -> Instance | None: ...
    @property
    def children(self) -> list[Instance]: ...
    def query(self, selector: str) -> list[Instance]: ...
    def set(
        self,
        query: str | Instance | Iterable[Instance],
        /,
        *,
        fill: _Fill = "defaults",
        losses: list[Loss] | None = None,
        **properties: Any,
    ) -> int: ...
    def set_columns(
        self,
        query: str | Instance | Iterable[Instance],
        table: Any,
        /,
        *,
        fill: _Fill = "defaults",
        losses: list[Loss] | None = None,
    ) -> int: ...
    def paths(self, *, max_bytes: int | None = None) -> list[str]: ...
    def insert(
        self,
        parent: str | Instance | None,
        class_name: str | Instance,
        /,
        *,
        fill: _Fill = "defaults",
        losses: list[Loss] | None = None,
        types: Mapping[str, str] | None = None,
        **properties: Any,
    ) -> Instance: ...
    def columns(
        self,
        query: str | Instance | Iterable[Instance],
        names: Sequence[str] | None = None,
        *,
        enums: Literal["numbers", "names"] = "numbers",
        stored: bool = False,
        max_bytes: int | None = None,
        progress: Callable[[Any], object] | None = None,
    ) -> Columns: ...
    @staticmethod
    def merge(
        base: RobloxDocument,
        ours: RobloxDocument,
        theirs: RobloxDocument,
        *,
        prefer: Literal["ours", "theirs"] | None = None,
        decisions: dict[str, Literal["ours", "theirs"]] | None = None,
        markers: bool = False,
        unrelated: bool = False,
        progress: Callable[[Any], object] | None = None,
    ) -> Merged: ...
    def extract(self, *, models: Literal["rbxm", "rbxmx"] | None = None) -> Extracted: ...
    def pack(self, files: dict[str, bytes] | str | os.PathLike[str], *, remove: bool = False) -> Packed: ...
    def references(self) -> dict[str, list[str]]: ...
    def fit(
        self,
        *,
        files: _Files | None = None,
        rules: Mapping[str, Any] | _Input | None = None,
        item_type: str | None = None,
    ) -> Fitted: ...

@final
class Instance:
    @property
    def document(self) -> RobloxDocument: ...
    @property
    def class_name(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def parent(self) -> Instance | None: ...
    @property
    def children(self) -> list[Instance]: ...
    @property
    def properties(self) -> dict[str, Any]: ...
    @property
    def types(self) -> dict[str, str]: ...
    @property
    def attributes(self) -> Attributes: ...
    @attributes.setter
    def attributes(self, attributes: Mapping[str, Any]) -> None: ...
    @property
    def tags(self) -> Tags: ...
    @tags.setter
    def tags(self, tags: Iterable[str | bytes]) -> None: ...
    def _attributes(self) -> dict[str, Any]: ...
    def _set_attribute(self, name: str, value: Any) -> None: ...
    def _tags(self) -> list[str | bytes]: ...
    def __iter__(self) -> Iterator[Instance]: ...
    def __getitem__(self, property: str, /) -> Any: ...
    def __setitem__(self, property: str, value: Any, /) -> None: ...
    def __getattribute__(self, name: str, /) -> Any: ...
    def __setattr__(self, name: str, value: Any, /) -> None: ...
    def __dir__(self) -> list[str]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def find(self, path: str) -> Instance | None: ...
    def query(self, selector: str) -> list[Instance]: ...
    def get(self, property: str, default: Any = ..., *, stored: bool = False) -> Any: ...
    def set(
        self,
        property: str,
        value: Any,
        *,
        type: str | None = None,
        fill: _Fill = "defaults",
        losses: list[Loss] | None = None,
    ) -> None: ...
    def insert(
        self,
        class_name: str | Instance,
        /,
        *,
        fill: _Fill = "defaults",
        losses: list[Loss] | None = None,
        types: Mapping[str, str] | None = None,
        **properties: Any,
    ) -> Instance: ...
    def remove(self) -> int: ...

@final
class Instances:
    def __iter__(self) -> Iterator[Instance]: ...
    def __next__(self) -> Instance: ...
    def __length_hint__(self) -> int: ...

@final
class Strings(Sequence[Any]):
    @property
    def data(self) -> npt.NDArray[np.uint8]: ...
    @property
    def offsets(self) -> npt.NDArray[np.int64]: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> Any: ...
    @overload
    def __getitem__(self, index: slice, /) -> Strings: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...
    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int: ...
    def count(self, value: Any) -> int: ...

@final
class Geometry:
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...
    @property
    def positions(self) -> npt.NDArray[np.float32]: ...
    @property
    def triangles(self) -> npt.NDArray[np.uint32]: ...
    @property
    def normals(self) -> npt.NDArray[np.float32] | None: ...
    @property
    def tangents(self) -> npt.NDArray[np.float32] | None: ...
    @property
    def uvs(self) -> npt.NDArray[np.float32] | None: ...
    @property
    def colors(self) -> npt.NDArray[np.uint16] | None: ...
    @property
    def joints(self) -> npt.NDArray[np.uint16] | None: ...
    @property
    def weights(self) -> npt.NDArray[np.float32] | None: ...

@final
class Scene:
    def __new__(
        cls,
        *,
        name: str = "",
        nodes: Iterable[Node | _Part] = (),
        roots: Sequence[int] | None = None,
        meshes: Iterable[SceneMesh | _Part] = (),
        materials: Iterable[Material | _Part] = (),
        images: Iterable[Image | _Part] = (),
        skins: Iterable[Skin | _Part] = (),
        animations: Iterable[Animation | _Part] = (),
        copyright: str = "",
        front: float = 0.0,
        extras: dict[str, Any] | None = None,
    ) -> Scene: ...
    @staticmethod
    def from_arrays(
        positions: npt.ArrayLike,
        triangles: npt.ArrayLike,
        *,
        name: str = "",
        material: Material | _Part | None = None,
        normals: npt.ArrayLike | None = None,
        uvs: npt.ArrayLike | None = None,
        tangents: npt.ArrayLike | None = None,
        colors: npt.ArrayLike | None = None,
        joints: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
    ) -> Scene: ...
    @staticmethod
    def from_trimesh(mesh: Any) -> Scene: ...
    def to_trimesh(self) -> Any: ...
    @staticmethod
    def from_gltf(x: Any) -> Scene: ...
    def save(
        self, path: str | os.PathLike[str] | BinaryIO, to: str | None = None, **options: Any
    ) -> list[Loss]: ...
    def replace(
        self,
        *,
        name: str = ...,
        nodes: Iterable[Node | _Part] = ...,
        roots: Sequence[int] | None = ...,
        meshes: Iterable[SceneMesh | _Part] = ...,
        materials: Iterable[Material | _Part] = ...,
        images: Iterable[Image | _Part] = ...,
        skins: Iterable[Skin | _Part] = ...,
        animations: Iterable[Animation | _Part] = ...,
        copyright: str = ...,
        front: float = ...,
        extras: dict[str, Any] | None = ...,
    ) -> Scene: ...
    def __replace__(self, **parts: Any) -> Scene: ...
    def _repr_png_(self) -> bytes | None: ...
    def _repr_html_(self) -> str: ...
    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]: ...
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
    @property
    def copyright(self) -> str: ...
    @property
    def front(self) -> float: ...
    @property
    def extras(self) -> dict[str, Any]: ...
    @property
    def name(self) -> str: ...
    @property
    def nodes(self) -> tuple[Node, ...]: ...
    @property
    def roots(self) -> tuple[int, ...]: ...
    @property
    def meshes(self) -> tuple[SceneMesh, ...]: ...
    @property
    def materials(self) -> tuple[Material, ...]: ...
    @property
    def images(self) -> tuple[Image, ...]: ...
    @property
    def skins(self) -> tuple[Skin, ...]: ...
    @property
    def animations(self) -> tuple[Animation, ...]: ...
    @property
    def losses(self) -> list[Loss]: ...
    @property
    def triangle_count(self) -> int: ...
    def world_matrices(self) -> npt.NDArray[np.float32]: ...

@final
class Node:
    def replace(self, **values: Any) -> Node: ...
    def __replace__(self, **values: Any) -> Node: ...
    @property
    def name(self) -> str: ...
    @property
    def children(self) -> tuple[int, ...]: ...
    @property
    def mesh(self) -> int | None: ...
    @property
    def skin(self) -> int | None: ...
    @property
    def hidden(self) -> bool: ...
    @property
    def translation(self) -> tuple[float, float, float]: ...
    @property
    def rotation(self) -> tuple[float, float, float, float]: ...
    @property
    def scale(self) -> tuple[float, float, float]: ...
    @property
    def matrix(self) -> npt.NDArray[np.float32]: ...
    @property
    def light(self) -> Light | None: ...
    @property
    def camera(self) -> Camera | None: ...
    @property
    def weights(self) -> tuple[float, ...]: ...
    @property
    def extras(self) -> dict[str, Any]: ...

@final
class SceneMesh:
    def replace(self, **values: Any) -> SceneMesh: ...
    def __replace__(self, **values: Any) -> SceneMesh: ...
    @property
    def name(self) -> str: ...
    @property
    def weights(self) -> tuple[float, ...]: ...
    @property
    def extras(self) -> dict[str, Any]: ...
    @property
    def primitives(self) -> tuple[Primitive, ...]: ...

@final
class Primitive:
    @property
    def geometry(self) -> Geometry: ...
    @property
    def material(self) -> int | None: ...
    @property
    def more_uvs(self) -> tuple[npt.NDArray[np.float32], ...]: ...
    @property
    def targets(self) -> tuple[Target, ...]: ...

@final
class Material:
    def replace(self, **values: Any) -> Material: ...
    def __replace__(self, **values: Any) -> Material: ...
    @property
    def name(self) -> str: ...
    @property
    def base_color(self) -> tuple[float, float, float, float]: ...
    @property
    def metallic(self) -> float: ...
    @property
    def roughness(self) -> float: ...
    @property
    def emissive(self) -> tuple[float, float, float]: ...
    @property
    def emissive_strength(self) -> float: ...
    @property
    def alpha(self) -> Literal["opaque", "mask", "blend"]: ...
    @property
    def alpha_cutoff(self) -> float | None: ...
    @property
    def double_sided(self) -> bool: ...
    @property
    def textures(self) -> dict[str, Texture]: ...
    @property
    def normal_scale(self) -> float: ...
    @property
    def occlusion_strength(self) -> float: ...
    @property
    def unlit(self) -> bool: ...
    @property
    def ior(self) -> float | None: ...
    @property
    def transmission(self) -> float | None: ...
    @property
    def specular(self) -> tuple[float, float, float, float] | None: ...
    @property
    def clearcoat(self) -> dict[str, Any] | None: ...
    @property
    def extras(self) -> dict[str, Any]: ...

@final
class Image:
    def replace(self, **values: Any) -> Image: ...
    def __replace__(self, **values: Any) -> Image: ...
    @property
    def name(self) -> str: ...
    @property
    def data(self) -> bytes | None: ...
    @property
    def uri(self) -> str | None: ...
    @property
    def media_type(self) -> str | None: ...

@final
class Skin:
    def replace(self, **values: Any) -> Skin: ...
    def __replace__(self, **values: Any) -> Skin: ...
    @property
    def name(self) -> str: ...
    @property
    def joints(self) -> tuple[int, ...]: ...
    @property
    def inverse_bind(self) -> npt.NDArray[np.float32]: ...

@final
class Animation:
    def replace(self, **values: Any) -> Animation: ...
    def __replace__(self, **values: Any) -> Animation: ...
    @property
    def name(self) -> str: ...
    @property
    def duration(self) -> float: ...
    @property
    def extras(self) -> dict[str, Any]: ...
    @property
    def channels(self) -> tuple[Channel, ...]: ...

@final
class Channel:
    @property
    def node(self) -> int: ...
    @property
    def path(self) -> Literal["translation", "rotation", "scale", "weights"]: ...
    @property
    def interpolation(self) -> Literal["linear", "step", "cubic"]: ...
    @property
    def times(self) -> npt.NDArray[np.float32]: ...
    @property
    def values(self) -> npt.NDArray[np.float32]: ...
