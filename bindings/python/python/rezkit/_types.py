"""The Python part of the package."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Iterator, MutableMapping, MutableSet
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple, final

from ._rezkit import _save, _write

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ._rezkit import Instance, RobloxDocument

    _ErrorKind = Literal[
        "unknown", "unreadable", "unwritable", "incomplete", "empty", "limit", "effort", "argument"
    ]


class Error(ValueError):
    """A failed operation.

    `kind` is `unknown` (the format is unknown), `unreadable`, `unwritable` (the form cannot represent the content),
    `incomplete` (the form requires values that the content lacks: use `fill`), `empty` (the file has nothing to convert,
    such as triangles), `limit` (more memory than `max_bytes`), `effort` (more work than is allowed for one file) or
    `argument`. `path` is the field or the instance, or empty for the whole file; `offset` is the byte in the input, or
    `None`.
    """

    kind: _ErrorKind
    path: str
    offset: int | None

    def __init__(
        self, message: str, kind: _ErrorKind = "argument", path: str = "", offset: int | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.path = path
        self.offset = offset

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.kind, self.path, self.offset))


Error.__module__ = "rezkit"


class Detected(NamedTuple):
    """The format of a file, its version, and the format's title for people."""

    format: str
    version: str
    title: str


@dataclass(frozen=True)
class Finding:
    """A violation of a rule, with its path and the number of equal violations.

    If the rule is a limit of a platform, `limit` is a tuple of the found and the allowed amount, and otherwise `None`.
    """

    rule: str
    severity: str
    demands: str
    path: str
    found: str
    count: int
    limit: tuple[int, int] | None


@dataclass(frozen=True)
class Loss:
    """Something that a conversion dropped, changed or filled in, with the path of the first case and the number of cases.

    `kind` is `left-out` (dropped), `approximated` (changed), `filled-in`, `missing` (a file was not found) or `warning`.
    `id` is that of its rule, such as `gltf.tangents`; `rezkit docs --rules` lists all.
    """

    kind: str
    path: str
    what: str
    count: int
    id: str = ""


def _bytes(data: bytes) -> str:
    return f"<{len(data)} bytes>" if len(data) > 32 else repr(data)


def _named(files: dict[str, bytes]) -> str:
    shown = [f"{name!r}: {_bytes(data)}" for name, data in list(files.items())[:8]]
    return "{" + ", ".join(shown + ["…"] * (len(files) > 8)) + "}"


class Converted(NamedTuple):
    """The result of a conversion: the file, the files beside it by name, the losses, and the file's extension."""

    data: bytes
    files: dict[str, bytes]
    losses: list[Loss]
    extension: str = ""

    def save(self, path: str | os.PathLike[str] | BinaryIO) -> None:
        """Writes the file, and the files beside it into the same folder. If one cannot be prepared, none is written.

        An extension that belongs to another format is an error. A file object gets the file, if there are none beside it.
        """
        if not isinstance(path, (str, os.PathLike)):
            if self.files:
                raise Error(f"path: expected a path, since there are files beside it: {', '.join(self.files)}")
            path.write(self.data)
            return
        _save(path, self.data, self.extension, list(self.files.items()))

    def __repr__(self) -> str:
        losses = f"losses={self.losses!r}" if len(self.losses) < 4 else f"{len(self.losses)} losses"
        return f"Converted(data={_bytes(self.data)}, files={_named(self.files)}, {losses}, extension={self.extension!r})"


class PropertyTypeError(Error, TypeError):
    """A value whose type does not fit a property. `path` is that of the instance, `.` and the property."""


PropertyTypeError.__module__ = "rezkit"


class Columns(dict[str, Any]):
    """Columns of properties: a dict of columns of one dimension, such as `Size.X`.

    `columns["Size"]` is the whole array of a vector. The names that scripts use and those that files store find the same
    columns. Iterating yields the names of the columns of one dimension. As an Arrow stream, a vector is one column, a list
    of a fixed size, and shares the memory of the array: `pyarrow.RecordBatchReader.from_stream(columns).read_all()`;
    `pyarrow.table` takes the dict instead, and so no columns of keypoints.
    """

    def __init__(
        self, columns: dict[str, Any], arrays: dict[str, Any], other_names: dict[str, str], table: Any
    ) -> None:
        super().__init__(columns)
        self._arrays = arrays
        self._other_names = other_names
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        if self._table is None:
            pyarrow = importlib.import_module("pyarrow")
            return pyarrow.table(dict(self)).__arrow_c_stream__(requested_schema)
        return self._table.__arrow_c_stream__(requested_schema)

    def __missing__(self, name: str) -> Any:
        if name in self._arrays:
            return self._arrays[name]
        first, dot, rest = name.partition(".")
        stored = self._other_names.get(first)
        if stored is None:
            raise KeyError(name)
        return self[stored + dot + rest]

    def __contains__(self, name: object) -> bool:
        try:
            self[str(name)]
        except KeyError:
            return False
        return True

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default

    def __reduce__(self) -> tuple[Any, ...]:
        return (_columns, (dict(self), self._arrays, self._other_names))

    def __repr__(self) -> str:
        rows = len(next(iter(self.values()), ()))
        return f"Columns({rows} rows: {', '.join(self)})"

    def _repr_html_(self) -> str:
        from ._objects import table

        rows = len(next(iter(self.values()), ()))
        shown = [[column[row] for column in self.values()] for row in range(min(rows, 10))]
        more = f"<p>{rows} rows</p>" if rows > 10 else ""
        return table(shown, tuple(self)) + more


def _columns(columns: dict[str, Any], arrays: dict[str, Any], other_names: dict[str, str]) -> Columns:
    """The columns that `pickle` makes; as an Arrow stream they need pyarrow, and are those of one dimension."""
    return Columns(columns, arrays, other_names, None)


@final
class EnumItem(int):
    """An item of an enum: a number that also equals its name, `"Neon"` or `"Enum.Material.Neon"`.

    `enum` is the name of the enum, `name` that of the item; an item without a name has its number as its name. Sets and
    dicts find it as the number: look up `item.name` where the keys are names.
    """

    enum: str
    name: str

    def __new__(cls, enum: str, name: str | None, value: int) -> EnumItem:
        item = super().__new__(cls, value)
        item.enum = enum
        item.name = str(value) if name is None else name
        return item

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return other in (self.name, str(self))
        return int(self) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return int.__hash__(self)

    def __repr__(self) -> str:
        return f"Enum.{self.enum}.{self.name}"

    __str__ = __repr__

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.enum, self.name, int(self)))


class Attributes(MutableMapping[str, Any]):
    """The attributes of an instance; changing the mapping changes the document."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance

    def __getitem__(self, name: str) -> Any:
        return self._instance._attributes()[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._instance._set_attribute(name, value)

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise KeyError(name)
        self._instance._set_attribute(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._instance._attributes())

    def __len__(self) -> int:
        return len(self._instance._attributes())

    def __repr__(self) -> str:
        return repr(self._instance._attributes())


class Tags(MutableSet[Any]):
    """The tags of an instance, in the order of the file; changing the set changes the document."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> Any:
        return set(it)

    def __contains__(self, tag: object) -> bool:
        return tag in self._instance._tags()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._instance._tags())

    def __len__(self) -> int:
        return len(self._instance._tags())

    def add(self, value: str | bytes) -> None:
        if value not in self:
            self._instance.tags = [*self, value]

    def discard(self, value: str | bytes) -> None:
        if value in self:
            self._instance.tags = [tag for tag in self if tag != value]

    def __repr__(self) -> str:
        return f"Tags({self._instance._tags()})"


def _files(folder: str | os.PathLike[str], max_bytes: int) -> dict[str, bytes]:
    """The files below a folder by their paths, without links."""
    files: dict[str, bytes] = {}
    for above, _, names in os.walk(folder, onerror=_raise):
        for name in names:
            path = Path(above, name)
            if path.is_symlink():
                continue
            max_bytes -= path.stat().st_size
            if max_bytes < 0:
                raise Error("the files exceed max_bytes", "limit", str(path))
            files[path.relative_to(folder).as_posix()] = path.read_bytes()
    return files


def _raise(error: OSError) -> None:
    raise error


class Extracted(NamedTuple):
    """Files that are inside another file, by their paths, and losses for content that is in none of them."""

    files: dict[str, bytes]
    losses: list[Loss]

    def __repr__(self) -> str:
        return f"Extracted({len(self.files)} files: {_named(self.files)}, {len(self.losses)} losses)"

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes the files below a folder, which is created."""
        _write(folder, list(self.files.items()))


class AvatarRow(NamedTuple):
    """A rule on an avatar item: what was found, what is allowed, and the verdict, `failed`, `unseen` or `passed`."""

    rule: str
    severity: str
    path: str
    found: str
    allowed: str
    verdict: str
    remedy: str


class AvatarItem(NamedTuple):
    """An avatar item with the verdict of each rule, first those that are broken; `print` shows them as a table.

    `type` is `None` if it is not known, and `accepted` if nothing was found that the marketplace would refuse.
    """

    path: str
    type: str | None
    scale: str
    accepted: bool
    rows: list[AvatarRow]
    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        count = {verdict: sum(row.verdict == verdict for row in self.rows) for verdict in ("failed", "unseen", "passed")}
        return f"AvatarItem({self.path!r}, {self.type}: {', '.join(f'{number} {verdict}' for verdict, number in count.items())})"


class Mended(NamedTuple):
    """A change of an avatar item: its rule, the path of an instance or a property, and both values as texts."""

    rule: str
    path: str
    before: str
    after: str


class Fitted(NamedTuple):
    """The result of `RobloxDocument.fit`: the changes, the changed meshes by their old asset ids, and the losses.

    Upload the meshes, and put their new ids in place of the old ones.
    """

    changes: list[Mended]
    meshes: dict[int, bytes]
    losses: list[Loss]


class Packed(NamedTuple):
    """The result of `RobloxDocument.pack`: the paths that changed, and the files that were not used as losses."""

    changed: list[str]
    losses: list[Loss]


@dataclass(frozen=True)
class Conflict:
    """Something that both merged documents changed differently: its path, what each did, and the three values as texts.

    A value is `None` if it is not stored, or if the conflict is not about a value.
    """

    path: str
    what: str
    base: str | None
    ours: str | None
    theirs: str | None


class Merged(NamedTuple):
    """The result of `RobloxDocument.merge`: the document, the conflicts, and what the document cannot store."""

    document: RobloxDocument
    conflicts: list[Conflict]
    losses: list[Loss]

    def __repr__(self) -> str:
        return f"Merged({self.document!r}, {len(self.conflicts)} conflicts, {len(self.losses)} losses)"


class Change(NamedTuple):
    """A difference between two assets, from `rezkit.diff`.

    `change` is `added`, `removed`, `changed`, `moved` or `reordered`. `path` is that of the node, or of a value below it.
    `node` is the kind of a whole node that was added or removed. `old` and `new` are values as JSON has them, `type` is the
    name of their type. `to` is the path of a node that moved, `order` the children that changed their places, as dicts.
    """

    change: str
    path: str
    node: str | None = None
    type: str | None = None
    old: Any = None
    new: Any = None
    to: str | None = None
    order: list[dict[str, Any]] | None = None


class Changes(list[Change]):
    """The differences between two assets, from `rezkit.diff`: a list, which a notebook shows as a table."""

    def _repr_html_(self) -> str:
        from ._objects import table

        def row(change: Change) -> list[Any]:
            new = change.to if change.to is not None else change.order if change.order is not None else change.new
            old, new = (change.node if value is None and change.node else value for value in (change.old, new))
            return [change.change, change.path, "" if old is None else old, "" if new is None else new]

        more = f"<p>{len(self)} differences</p>" if len(self) > 50 else ""
        return table([row(change) for change in self[:50]], ("change", "path", "old", "new")) + more


class Upload(NamedTuple):
    """The result of `rezkit.upload`: the files by name, the land impact, the report as JSON has it, and the losses.

    The report's `findings` are what Second Life would refuse or change, each with a remedy.
    """

    files: dict[str, bytes]
    land_impact: float
    report: dict[str, Any]
    losses: list[Loss]

    def __repr__(self) -> str:
        return f"Upload(files={_named(self.files)}, land_impact={self.land_impact}, {len(self.losses)} losses)"

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes the files below a folder, which is created."""
        _write(folder, list(self.files.items()))


class Uri(str):
    """An LLSD URI."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Uri({str(self)!r})"


class Vector2(NamedTuple):
    """A vector of two numbers."""

    x: float
    y: float


class Vector3(NamedTuple):
    """A vector of three numbers."""

    x: float
    y: float
    z: float


class Color3(NamedTuple):
    """A colour with components from 0 to 1."""

    r: float
    g: float
    b: float


class Color3uint8(NamedTuple):
    """A colour with components from 0 to 255."""

    r: int
    g: int
    b: int


class UDim(NamedTuple):
    """A length: `scale` times the parent's length, plus `offset` pixels."""

    scale: float
    offset: int


class UDim2(NamedTuple):
    """A length along each axis."""

    x: UDim
    y: UDim


class Ray(NamedTuple):
    """A point and a direction."""

    origin: Vector3
    direction: Vector3


class Rect(NamedTuple):
    """A rectangle."""

    min: Vector2
    max: Vector2


class NumberRange(NamedTuple):
    """A range of numbers."""

    min: float
    max: float


class NumberKeypoint(NamedTuple):
    """A number at a time; a `NumberSequence` is a tuple of them."""

    time: float
    value: float
    envelope: float


class ColorKeypoint(NamedTuple):
    """A colour at a time; a `ColorSequence` is a tuple of them."""

    time: float
    color: Color3
    envelope: float


class CFrameQuat(NamedTuple):
    """A position, and a rotation as a quaternion x, y, z, w."""

    position: Vector3
    rotation: tuple[float, float, float, float]


class PhysicalProperties(NamedTuple):
    """The physical properties of a part."""

    density: float
    friction: float
    elasticity: float
    friction_weight: float
    elasticity_weight: float
    acoustic_absorption: float | None


class UniqueId(NamedTuple):
    """An identifier of an instance."""

    random: int
    time: int
    index: int  # type: ignore[assignment]


class Font(NamedTuple):
    """A typeface."""

    family: str | bytes
    weight: int
    style: int
    cached_face_id: str | bytes


class Light(NamedTuple):
    """A light of a scene.

    `kind` is `directional`, `point` or `spot`; `inner` and `outer` are the angles of a spot light's cone in radians.
    """

    kind: str
    color: tuple[float, float, float]
    intensity: float
    range: float | None
    inner: float | None
    outer: float | None


class Camera(NamedTuple):
    """A perspective camera of a scene, which looks along -z; `yfov` is in radians.

    Without `zfar` there is no far plane; without `aspect` (width divided by height) that of the picture applies.
    """

    yfov: float
    znear: float
    zfar: float | None = None
    aspect: float | None = None


class Target(NamedTuple):
    """A morph target: what is added to positions, normals and tangents at weight 1, or `None` if it does not change."""

    name: str
    positions: npt.NDArray[np.float32] | None
    normals: npt.NDArray[np.float32] | None = None
    tangents: npt.NDArray[np.float32] | None = None


class Texture(NamedTuple):
    """A texture of a material: the index of an image, and the set of texture coordinates.

    Coordinates are scaled, rotated (in radians) and moved by `offset`. `wrap` is `repeat`, `mirror` or `clamp` for u and v;
    `filters` are `nearest`, `linear` or `None` for enlarged images, reduced images and between mipmaps.
    """

    image: int
    set: int = 0
    offset: tuple[float, float] = (0.0, 0.0)
    rotation: float = 0.0
    scale: tuple[float, float] = (1.0, 1.0)
    wrap: tuple[str, str] = ("repeat", "repeat")
    filters: tuple[str | None, str | None, str | None] = (None, None, None)
