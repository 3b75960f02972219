"""Notation, for subclasses of its formatter."""

from __future__ import annotations

from typing import Any

from . import LLSDNotationParser, format_notation, parse_notation, parse_notation_nohdr, write_notation
from .base import LLSDBaseFormatter

__all__ = [
    "LLSDNotationFormatter",
    "LLSDNotationParser",
    "format_notation",
    "parse_notation",
    "parse_notation_nohdr",
    "write_notation",
]


class LLSDNotationFormatter(LLSDBaseFormatter):
    """Formats values as notation."""

    _form = "notation"

    def ARRAY(self, v: Any) -> bytes:
        return b"[" + b",".join(self._generate(item) for item in v) + b"]"

    def MAP(self, v: Any) -> bytes:
        def entry(key: Any, value: Any) -> bytes:
            key = key.decode() if isinstance(key, bytes) else str(key)
            return self._value(key) + b":" + self._generate(value)

        return b"{" + b",".join(entry(key, value) for key, value in v.items()) + b"}"
