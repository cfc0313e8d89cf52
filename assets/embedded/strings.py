"""Where the strings of a JSON text stand, and where in them a decoded character does."""

from __future__ import annotations

import re

_UNIT = re.compile(rb"\\u([0-9a-fA-F]{4})")
_LOW = re.compile(rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_ESCAPE = re.compile(rb"\\(?:(n|u000[aA])|.)")  # group 1: a line end
_QUOTE = 0x22
_BACKSLASH = 0x5C


def raw_offset(raw: bytes, start: int, decoded: int) -> int:
    """Where in ``raw`` lies the byte that is ``decoded`` bytes of UTF-8 after ``start``.

    ``start`` lies within a string; what would be behind the string's end is at its end.
    """
    at = start
    while decoded > 0 and at < len(raw) and raw[at] != _QUOTE:
        if raw[at] != _BACKSLASH:
            at, decoded = at + 1, decoded - 1
            continue
        unit = _UNIT.match(raw, at)
        if unit is None:
            at, decoded = at + 2, decoded - 1
            continue
        code = int(unit[1], 16)
        at = unit.end()
        if 0xD800 <= code < 0xDC00 and _LOW.match(raw, at):
            at, decoded = at + 6, decoded - 4
        else:
            decoded -= 1 if code < 0x80 else 2 if code < 0x800 else 3
    return at


def line_starts(raw: bytes, start: int, end: int) -> list[int]:
    """Where each line of the string between ``start`` and ``end`` begins."""
    escapes = _ESCAPE.finditer(raw, start, end)
    return [start, *(escape.end() for escape in escapes if escape[1])]
