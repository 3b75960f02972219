"""The Python part of the package."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ._rezkit import _save


if TYPE_CHECKING:
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
    """

    kind: str
    path: str
    what: str
    count: int


class Converted(NamedTuple):
    """The result of a conversion: the file, the files beside it by name, the losses, and the file's extension."""

    data: bytes
    files: dict[str, bytes]
    losses: list[Loss]
    extension: str = ""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file, and the files beside it into the same folder. If one cannot be prepared, none is written.

        An extension that belongs to another format is an error.
        """
        _save(path, self.data, self.extension, list(self.files.items()))


class _Columns(dict[str, Any]):
    """The columns of a class by stored name; Studio's names find the same columns."""

    def __init__(self, columns: dict[str, Any], other_names: dict[str, str]) -> None:
        super().__init__(columns)
        self._other_names = other_names

    def __missing__(self, name: str) -> Any:
        stored = self._other_names.get(name)
        if stored is None or stored not in self:
            raise KeyError(name)
        return self[stored]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or super().__contains__(self._other_names.get(str(name)))

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default


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
    color: list[float]
    intensity: float
    range: float | None
    inner: float | None
    outer: float | None


class Camera(NamedTuple):
    """A perspective camera of a scene, which looks along -z; `yfov` is in radians."""

    yfov: float
    znear: float
