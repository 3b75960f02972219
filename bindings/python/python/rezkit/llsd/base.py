"""What formatters and parsers that are written in Python have in common."""

from __future__ import annotations

import datetime
import types
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any, BinaryIO

from .._rezkit import _llsd_format
from . import (
    LLSD,
    MAX_FORMAT_DEPTH,
    LLSDBaseParser,
    LLSDParseError,
    LLSDSerializationError,
    binary,
    undef,
    uri,
)

__all__ = [
    "LLSD",
    "LLSDBaseFormatter",
    "LLSDBaseParser",
    "LLSDParseError",
    "LLSDSerializationError",
    "binary",
    "is_integer",
    "is_string",
    "is_unicode",
    "undef",
    "uri",
]


def is_integer(value: Any) -> bool:
    """Whether a value is an integer."""
    return isinstance(value, int)


def is_unicode(value: Any) -> bool:
    """Whether a value is text."""
    return isinstance(value, str)


def is_string(value: Any) -> bool:
    """Whether a value is text, but no URI."""
    return isinstance(value, str) and not isinstance(value, uri)


class LLSDBaseFormatter:
    """A formatter with a method for each type of LLSD; `type_map` has the method for a class of Python.

    A subclass overrides methods, or adds its own classes to `type_map`. A method returns the bytes of a value. A class
    itself, without changes, formats in Rust.
    """

    _form: str

    def __init__(self) -> None:
        self._depth = 0
        self.type_map: dict[type, Callable[[Any], bytes]] = {
            LLSD: self.LLSD,
            type(None): self.UNDEF,
            bool: self.BOOLEAN,
            int: self.INTEGER,
            float: self.REAL,
            uuid.UUID: self.UUID,
            binary: self.BINARY,
            bytearray: self.BINARY,
            memoryview: self.BINARY,
            str: self.STRING,
            uri: self.URI,
            datetime.datetime: self.DATE,
            datetime.date: self.DATE,
            list: self.ARRAY,
            tuple: self.ARRAY,
            types.GeneratorType: self.ARRAY,
            dict: self.MAP,
        }

    def format(self, something: Any) -> bytes:
        """The value as bytes."""
        if type(self).__module__.startswith("rezkit.llsd"):
            return _llsd_format(something, self._form)
        self._depth = 0
        return self._document(self._generate(something))

    def write(self, stream: BinaryIO, something: Any) -> None:
        """Writes the value to a binary file."""
        stream.write(self.format(something))

    def _document(self, value: bytes) -> bytes:
        return value

    def _value(self, value: Any) -> bytes:
        """A value that contains no other."""
        return _llsd_format(value, self._form)

    def _handler(self, something: Any) -> Callable[[Any], bytes] | None:
        known = next((self.type_map[of] for of in type(something).__mro__ if of in self.type_map), None)
        if known is not None:
            return known
        if isinstance(something, Mapping):
            return self.MAP
        return self.ARRAY if isinstance(something, Iterable) else None

    def _generate(self, something: Any) -> bytes:
        """The bytes of a value, by the method for its class, or for the nearest class that it inherits from."""
        handler = self._handler(something)
        if handler is None:
            raise LLSDSerializationError(f"Cannot serialize unknown type: {type(something)} ({something})")
        if self._depth > MAX_FORMAT_DEPTH:
            raise LLSDSerializationError(f"Cannot serialize depth of more than {MAX_FORMAT_DEPTH}")
        self._depth += 1
        try:
            return handler(something)
        finally:
            self._depth -= 1

    def LLSD(self, v: Any) -> bytes:
        return self._generate(v.thing)

    def UNDEF(self, v: Any) -> bytes:
        return self._value(None)

    def BOOLEAN(self, v: Any) -> bytes:
        return self._value(bool(v))

    def INTEGER(self, v: Any) -> bytes:
        return self._value(int(v))

    def REAL(self, v: Any) -> bytes:
        return self._value(float(v))

    def UUID(self, v: Any) -> bytes:
        return self._value(uuid.UUID(int=v.int))

    def BINARY(self, v: Any) -> bytes:
        return self._value(bytes(v))

    def STRING(self, v: Any) -> bytes:
        return self._value(str(v))

    def URI(self, v: Any) -> bytes:
        return self._value(uri(v))

    def DATE(self, v: Any) -> bytes:
        return self._value(v)

    def ARRAY(self, v: Any) -> bytes:
        raise NotImplementedError

    def MAP(self, v: Any) -> bytes:
        raise NotImplementedError
