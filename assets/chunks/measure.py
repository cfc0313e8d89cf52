"""Sizes of line runs: the budget counts non-white-space characters only.

Indentation style therefore cannot change what lands in one chunk.
"""

from __future__ import annotations

import numpy as np

BUDGET = 4000  # non-white-space characters a chunk (S1 §03)

_WHITE = b" \t\n\r\f\v"
# A UTF-8 continuation byte is no character of its own.
_UNCOUNTED = _WHITE + bytes(range(0x80, 0xC0))


class Measure:
    """A file's bytes by line; rows count from 0."""

    __slots__ = ("line_count", "source", "starts")

    def __init__(self, source: bytes) -> None:
        self.source = source
        ends = np.flatnonzero(np.frombuffer(source, dtype=np.uint8) == 10) + 1
        starts: list[int] = [0, *ends.tolist()]
        if starts[-1] != len(source):
            starts.append(len(source))
        self.starts = starts
        self.line_count = len(starts) - 1

    def text(self, first: int, last: int) -> bytes:
        """The bytes of rows ``first`` to ``last``, both included."""
        return self.source[self.starts[first] : self.starts[last + 1]]

    def size(self, first: int, last: int) -> int:
        """The non-white-space characters of rows ``first`` to ``last``."""
        return len(self.text(first, last).translate(None, _UNCOUNTED))

    def sizes(self, first: int, last: int) -> list[int]:
        """The non-white-space characters of each row."""
        lines = self.text(first, last).split(b"\n")
        return [len(line.translate(None, _UNCOUNTED)) for line in lines[: last - first + 1]]

    def blank(self) -> bool:
        """Whether the file holds nothing but white space."""
        return not self.source.strip(_WHITE)
