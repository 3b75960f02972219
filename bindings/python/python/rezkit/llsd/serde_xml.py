"""XML, for subclasses of its formatters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._rezkit import _llsd_format
from . import format_pretty_xml, format_xml, parse_xml, parse_xml_nohdr, write_pretty_xml, write_xml
from .base import LLSDBaseFormatter

__all__ = [
    "LLSDXMLFormatter",
    "LLSDXMLPrettyFormatter",
    "format_pretty_xml",
    "format_xml",
    "parse_xml",
    "parse_xml_nohdr",
    "write_pretty_xml",
    "write_xml",
]

_HEAD = b'<?xml version="1.0" ?>'


class LLSDXMLFormatter(LLSDBaseFormatter):
    """Formats values as XML in one line."""

    _form = "xml"
    _indent = b""
    _end = b""

    def _document(self, value: bytes) -> bytes:
        return _HEAD + self._end + b"<llsd>" + self._end + value + self._end + b"</llsd>" + self._end

    def _value(self, value: Any) -> bytes:
        return _llsd_format(value, "xml")[len(_HEAD) + 6 : -7]

    def _inside(self, tag: bytes, lines: Iterable[bytes]) -> bytes:
        """An element with others, each in a line if the form has lines; the method runs at the depth of the element."""
        below = self._indent * (self._depth + 1)
        inside = b"".join(below + line + self._end for line in lines)
        return b"<" + tag + b">" + self._end + inside + self._indent * self._depth + b"</" + tag + b">"

    def ARRAY(self, v: Any) -> bytes:
        return self._inside(b"array", (self._generate(item) for item in v))

    def MAP(self, v: Any) -> bytes:
        def lines() -> Iterable[bytes]:
            for key, value in v.items():
                key = key.decode() if isinstance(key, bytes) else str(key)
                yield b"<key>" + self._value(key)[len("<string>") : -len("</string>")] + b"</key>"
                yield self._generate(value)

        return self._inside(b"map", lines())


class LLSDXMLPrettyFormatter(LLSDXMLFormatter):
    """Formats values as indented XML."""

    _form = "pretty"
    _indent = b"  "
    _end = b"\n"
