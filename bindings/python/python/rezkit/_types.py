"""The types of this package that are written in Python."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, NamedTuple


class Error(ValueError):
    """Something that could not be done: what, where, and of which kind.

    `kind` is `unknown` (the bytes are of an unknown format), `unreadable`, `unwritable` (the form cannot represent the
    content), `limit` (more memory or work than allowed) or `argument`. `path` is the field or the instance that it is
    about, empty where it is about the whole file; `offset` the byte in the input, or `None`.
    """

    kind: str
    path: str
    offset: int | None

    def __init__(self, message: str, kind: str = "argument", path: str = "", offset: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.path = path
        self.offset = offset

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.kind, self.path, self.offset))


Error.__module__ = "rezkit"


class Detected(NamedTuple):
    """What a file is."""

    format: str
    version: str
    title: str


@dataclass(frozen=True)
class Finding:
    """A rule that a file breaks: where it does so first, and how often."""

    rule: str
    severity: str
    demands: str
    path: str
    found: str
    count: int
    limit: tuple[int, int] | None


@dataclass(frozen=True)
class Loss:
    """Something that a conversion left out, approximated or filled in: the path of the first, and how many."""

    kind: str
    path: str
    what: str
    count: int


class Converted(NamedTuple):
    """What a conversion made: the file, those beside it by name, and what was lost."""

    data: bytes
    files: dict[str, bytes]
    losses: list[Loss]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file, and those beside it into the same folder."""
        folder = os.path.dirname(os.fspath(path))
        for name, data in self.files.items():
            beside = os.path.join(folder, *name.split("/"))
            os.makedirs(os.path.dirname(beside) or ".", exist_ok=True)
            with open(beside, "wb") as file:
                file.write(data)
        with open(path, "wb") as file:
            file.write(self.data)


class Uri(str):
    """A URI of LLSD."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Uri({str(self)!r})"


class Vector2(NamedTuple):
    """Two numbers."""

    x: float
    y: float


class Vector3(NamedTuple):
    """Three numbers."""

    x: float
    y: float
    z: float


class Color3(NamedTuple):
    """A colour, 0 to 1."""

    r: float
    g: float
    b: float


class Color3uint8(NamedTuple):
    """A colour, 0 to 255."""

    r: int
    g: int
    b: int


class UDim(NamedTuple):
    """A length: a share of the parent's, and pixels."""

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
    """From one number to another."""

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
    """How a part behaves in the simulation."""

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
    """A light of a scene: `directional`, `point` or `spot`; angles in radians."""

    kind: str
    color: list[float]
    intensity: float
    range: float | None
    inner: float | None
    outer: float | None


class Camera(NamedTuple):
    """A perspective camera of a scene, which looks along -z."""

    yfov: float
    znear: float
