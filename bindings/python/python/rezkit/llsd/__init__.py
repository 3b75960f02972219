"""LLSD with the names, types and exceptions of the package `llsd` (python-llsd): `from rezkit import llsd`.

`parse` reads bytes or a binary file in any encoding, `format_xml`, `format_pretty_xml`, `format_notation` and
`format_binary` return bytes. Values are `None`, `bool`, `int`, `float`, `str`, `bytes`, `uuid.UUID`, `datetime` (UTC,
without a time zone), `uri`, `list` and `dict`. At most 200 containers may be inside each other.

The formatters and the binary parser can be subclassed for types of one's own: `LLSDBaseFormatter` in `rezkit.llsd.base`
has a method for each type, and `type_map`; `LLSDBinaryParser` has a method for each marker in `_dispatch`. Such a subclass
runs in Python.

The bytes are those that python-llsd writes: in binary, a `uri` is a string and a date has whole seconds; `rezkit.Llsd`
keeps both. Unlike there, an integer beyond 32 bits is an error in every encoding.
"""

from __future__ import annotations

import io
from typing import Any, BinaryIO

from .._rezkit import _llsd_format, _llsd_parse
from .._types import Uri as uri

__all__ = [
    "BINARY_HEADER",
    "BINARY_MIME_TYPE",
    "LLSD",
    "LLSDBaseParser",
    "LLSDBinaryParser",
    "LLSDNotationFormatter",
    "LLSDNotationParser",
    "LLSDParseError",
    "LLSDSerializationError",
    "LLSDXMLFormatter",
    "LLSDXMLPrettyFormatter",
    "LongType",
    "MAX_FORMAT_DEPTH",
    "MAX_PARSE_DEPTH",
    "NOTATION_HEADER",
    "NOTATION_MIME_TYPE",
    "UnicodeType",
    "XML_HEADER",
    "XML_MIME_TYPE",
    "binary",
    "format_binary",
    "format_notation",
    "format_pretty_xml",
    "format_xml",
    "parse",
    "parse_binary",
    "parse_binary_nohdr",
    "parse_notation",
    "parse_notation_nohdr",
    "parse_xml",
    "parse_xml_nohdr",
    "undef",
    "uri",
    "write_binary",
    "write_notation",
    "write_pretty_xml",
    "write_xml",
]

XML_MIME_TYPE = "application/llsd+xml"
BINARY_MIME_TYPE = "application/llsd+binary"
NOTATION_MIME_TYPE = "application/llsd+notation"

XML_HEADER = b"<? llsd/xml ?>"
BINARY_HEADER = b"<? llsd/binary ?>"
NOTATION_HEADER = b"<? llsd/notation ?>"

MAX_FORMAT_DEPTH = 200
MAX_PARSE_DEPTH = 200

LongType = int
UnicodeType = str
binary = bytes

_ENCODINGS = {
    XML_MIME_TYPE: "xml",
    "application/llsd": "xml",
    BINARY_MIME_TYPE: "binary",
    NOTATION_MIME_TYPE: "notation",
}


class LLSDParseError(Exception):
    """Input that is not LLSD."""


class LLSDSerializationError(TypeError):
    """A value that LLSD cannot represent."""


class LLSDBaseParser:
    """Input for a parser: bytes, or a file whose position is moved behind each value that is parsed."""

    def __init__(self, something: Any = b"") -> None:
        self._stream: BinaryIO
        if isinstance(something, LLSDBaseParser):
            self._stream = something._stream
        elif isinstance(something, (bytes, bytearray, memoryview)):
            self._stream = io.BytesIO(something)
        elif isinstance(something, str) or not hasattr(something, "read"):
            raise LLSDParseError(f"expected bytes or a binary file, found {type(something).__name__}")
        else:
            self._stream = something

    def remainder(self) -> BinaryIO:
        """The input, at its current position."""
        return self._stream

    def _parse(self, encoding: str | None, ignore_binary: bool = False) -> Any:
        stream = self._stream
        data = stream.read()
        if not isinstance(data, bytes):
            raise LLSDParseError("expected bytes, but the file is open in text mode")
        # Empty notation is false.
        if not data and encoding in (None, "notation"):
            return False
        value, used = _llsd_parse(data, encoding, ignore_binary)
        if used < len(data) and hasattr(stream, "seekable") and stream.seekable():
            stream.seek(used - len(data), io.SEEK_CUR)
        return value


class _Parser(LLSDBaseParser):
    _encoding: str

    def parse(self, something: Any, ignore_binary: bool = False) -> Any:
        """Parses bytes or a binary file; `ignore_binary` replaces binary values by `None`."""
        return LLSDBaseParser(something)._parse(self._encoding, ignore_binary)


class LLSDNotationParser(_Parser):
    """A parser of LLSD notation."""

    _encoding = "notation"


def parse(something: Any, mime_type: str | None = None) -> Any:
    """Parses bytes or a binary file: the MIME type, or else the header or the content, determines the encoding."""
    return LLSDBaseParser(something)._parse(_ENCODINGS.get((mime_type or "").lower()))


def parse_xml(something: Any) -> Any:
    """Parses LLSD as XML, with or without a header."""
    return LLSDBaseParser(something)._parse("xml")


def parse_binary(something: Any) -> Any:
    """Parses binary LLSD, with or without a header."""
    return LLSDBaseParser(something)._parse("binary")


def parse_notation(something: Any) -> Any:
    """Parses LLSD notation, with or without a header."""
    return LLSDBaseParser(something)._parse("notation")


parse_xml_nohdr = parse_xml
parse_binary_nohdr = parse_binary
parse_notation_nohdr = parse_notation


def format_xml(something: Any) -> bytes:
    """The value as XML in one line."""
    return _llsd_format(something, "xml")


def format_pretty_xml(something: Any) -> bytes:
    """The value as indented XML."""
    return _llsd_format(something, "pretty")


def format_notation(something: Any) -> bytes:
    """The value as notation, without a header."""
    return _llsd_format(something, "notation")


def format_binary(something: Any) -> bytes:
    """The value as binary LLSD, with a header."""
    return _llsd_format(something, "binary")


def write_xml(stream: BinaryIO, something: Any) -> None:
    """Writes the value as XML in one line to a binary file."""
    stream.write(format_xml(something))


def write_pretty_xml(stream: BinaryIO, something: Any) -> None:
    """Writes the value as indented XML to a binary file."""
    stream.write(format_pretty_xml(something))


def write_notation(stream: BinaryIO, something: Any) -> None:
    """Writes the value as notation to a binary file."""
    stream.write(format_notation(something))


def write_binary(stream: BinaryIO, something: Any) -> None:
    """Writes the value as binary LLSD to a binary file."""
    stream.write(format_binary(something))


class LLSD:
    """A value with the functions of this module as methods; `bytes` and `str` of it are XML."""

    def __init__(self, thing: Any = None) -> None:
        self.thing = thing

    def __bytes__(self) -> bytes:
        return format_xml(self.thing)

    def __str__(self) -> str:
        return bytes(self).decode()

    @staticmethod
    def parse(something: Any, mime_type: str | None = None) -> Any:
        """Parses bytes or a binary file."""
        return parse(something, mime_type)

    @staticmethod
    def as_xml(something: Any) -> bytes:
        """The value as XML in one line."""
        return format_xml(something)

    @staticmethod
    def as_pretty_xml(something: Any) -> bytes:
        """The value as indented XML."""
        return format_pretty_xml(something)

    @staticmethod
    def as_binary(something: Any) -> bytes:
        """The value as binary LLSD."""
        return format_binary(something)

    @staticmethod
    def as_notation(something: Any) -> bytes:
        """The value as notation."""
        return format_notation(something)


undef: LLSD = LLSD(None)

from .serde_binary import LLSDBinaryParser  # noqa: E402
from .serde_notation import LLSDNotationFormatter  # noqa: E402
from .serde_xml import LLSDXMLFormatter, LLSDXMLPrettyFormatter  # noqa: E402
