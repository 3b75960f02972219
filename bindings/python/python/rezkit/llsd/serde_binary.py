"""Binary LLSD, for subclasses of its parser."""

from __future__ import annotations

import datetime
import struct
import uuid
from collections.abc import Callable
from typing import Any, NoReturn

from . import (
    MAX_PARSE_DEPTH,
    LLSDBaseParser,
    LLSDParseError,
    format_binary,
    parse_binary,
    parse_binary_nohdr,
    uri,
    write_binary,
)

__all__ = ["LLSDBinaryParser", "format_binary", "parse_binary", "parse_binary_nohdr", "write_binary"]


class LLSDBinaryParser(LLSDBaseParser):
    """A parser of binary LLSD.

    A subclass overrides methods, or sets other ones for markers in `_dispatch`: methods without arguments, which read
    with `_getc`. With its own `_getc` and `_peek`, it can read `_buffer`, whatever was given to `parse`. The class itself,
    without changes, parses in Rust.
    """

    def __init__(self, something: Any = b"") -> None:
        super().__init__(something)
        self._buffer: Any = b""
        self._index = self._depth = 0
        self._ignore_binary = False
        self._dispatch: list[Callable[[], Any]] = [self._unknown] * 256
        for marker, parse in {
            b"!": lambda: None,
            b"0": lambda: False,
            b"1": lambda: True,
            b"i": lambda: struct.unpack("!i", self._getc(4))[0],
            b"r": lambda: struct.unpack("!d", self._getc(8))[0],
            b"u": lambda: uuid.UUID(bytes=self._getc(16)),
            b"s": self._parse_string,
            b"'": lambda: self._parse_string_delim(b"'"),
            b'"': lambda: self._parse_string_delim(b'"'),
            b"l": lambda: uri(self._parse_string()),
            b"d": self._parse_date,
            b"b": self._parse_binary,
            b"{": self._parse_map,
            b"[": self._parse_array,
        }.items():
            self._dispatch[marker[0]] = parse

    def parse(self, something: Any, ignore_binary: bool = False) -> Any:
        """Parses bytes or a binary file; `ignore_binary` replaces binary values by `None`."""
        if type(self) is LLSDBinaryParser:
            return LLSDBaseParser(something)._parse("binary", ignore_binary)
        is_read_here = type(self)._getc is LLSDBinaryParser._getc and not isinstance(something, bytes)
        self._buffer = LLSDBaseParser(something).remainder().read() if is_read_here else something
        self._index = self._depth = 0
        self._ignore_binary = ignore_binary
        try:
            return self._parse_value()
        except struct.error as error:
            self._error(str(error))

    def _error(self, message: Any, offset: int = 0) -> NoReturn:
        raise LLSDParseError(f"{message} at index {self._index + offset}")

    def _getc(self, num: int = 1) -> bytes:
        taken = self._peek(num)
        self._index += num
        return taken

    def _peek(self, num: int = 1) -> bytes:
        taken: bytes = self._buffer[self._index : self._index + num]
        if num < 0 or len(taken) < num:
            self._error("Trying to read past end of buffer")
        return taken

    def _unknown(self) -> NoReturn:
        self._error("invalid binary token", -1)

    def _parse_value(self) -> Any:
        return self._dispatch[self._getc()[0]]()

    def _parse_string_raw(self) -> bytes:
        return self._getc(struct.unpack("!i", self._getc(4))[0])

    def _parse_string(self) -> Any:
        try:
            return self._parse_string_raw().decode()
        except UnicodeDecodeError as error:
            self._error(error)

    def _parse_string_delim(self, quote: bytes) -> str:
        escapes = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
        text = bytearray()
        while (char := self._getc()) != quote:
            if char == b"\\":
                char = self._getc()
                char = bytes.fromhex(self._getc(2).decode()) if char == b"x" else escapes.get(char, char)
            text += char
        return text.decode()

    def _parse_date(self) -> Any:
        seconds = struct.unpack("<d", self._getc(8))[0]
        try:
            return datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
        except (OverflowError, ValueError) as error:
            self._error(error, -8)

    def _parse_binary(self) -> Any:
        data = self._parse_string_raw()
        return None if self._ignore_binary else data

    def _below(self) -> int:
        self._depth += 1
        if self._depth > MAX_PARSE_DEPTH:
            self._error(f"Cannot parse depth of more than {MAX_PARSE_DEPTH}")
        count: int = struct.unpack("!i", self._getc(4))[0]
        return count

    def _parse_array(self) -> Any:
        values = [self._parse_value() for _ in range(self._below())]
        self._depth -= 1
        # As python-llsd: a subclass with a `_getc` of its own reads the bracket itself.
        if self._peek() != b"]":
            self._error("invalid array close token")
        self._index += 1
        return values

    def _parse_map(self) -> Any:
        values = {}
        for _ in range(self._below()):
            marker = self._getc()
            if marker == b"k":
                key = self._parse_string_raw().decode()
            elif marker in (b"'", b'"'):
                key = self._parse_string_delim(marker)
            else:
                self._error("expected a key", -1)
            values[key] = self._parse_value()
        self._depth -= 1
        if self._getc() != b"}":
            self._error("invalid map close token", -1)
        return values
