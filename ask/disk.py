"""Lines as they are on disk at the moment of asking: the one producer of code in an answer.

A file is decoded as when it was indexed (mark, declared coding, UTF-8, then a detector): what
is shown of a file in another encoding are its characters, not its bytes. A byte-order mark is
no part of the text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from codequarry.errors import FileNotIndexed, UsageError
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.reading import get_code
from codequarry.secrets import masked_lines
from codequarry.text import split_lines

if TYPE_CHECKING:
    from codequarry.ask.candidates import Candidate


class State(StrEnum):
    """Whether lines are those that were indexed."""

    INDEXED = "indexed"
    MOVED = "moved"  # the same lines, elsewhere in a file that changed
    CHANGED = "changed"  # not known to be the lines that were indexed


@dataclass(frozen=True)
class DiskFile:
    """A file's lines, with their ends."""

    lines: list[str]
    changed: bool  # its bytes are not those that were indexed

    @cached_property
    def masked(self) -> list[str]:
        """The lines as they may leave this machine."""
        return masked_lines(self.lines)


@dataclass(frozen=True, slots=True)
class Shown:
    """Lines that were read from disk to be shown.

    Attributes:
        path: as indexed.
        start_line: first line on disk.
        end_line: last line on disk.
        blob: SHA-256 of the file they are lines of; empty where it changed since indexing.
        text: the lines with their ends, decoded.
        language: of the file.
        state: whether these are indexed lines.
    """

    path: str
    start_line: int
    end_line: int
    blob: str
    text: str
    language: str
    state: State

    @property
    def key(self) -> tuple[str, int, int]:
        """What makes two citations the same."""
        return self.path, self.start_line, self.end_line

    def as_json(self) -> dict[str, object]:
        """The span, without its text."""
        return {
            "path": self.path,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "blob": self.blob,
        }


def read_file(generation: Generation, path: str) -> DiskFile:
    """Read an indexed file whole.

    Raises:
        FileNotIndexed: it is not indexed, gone, empty or no longer text.
    """
    try:
        span = get_code(generation, path)
    except UsageError as error:  # no line is left in it, or it leads out of the repository
        raise FileNotIndexed(f"{path} cannot be read: {error.message}", "run: quarry index") from (
            error
        )
    return DiskFile(split_lines(span.text), span.changed)


def show(generation: Generation, candidate: Candidate, start: int, end: int) -> Shown:
    """Read lines of a candidate now; found again by content if the file changed meanwhile.

    Args:
        generation: where it was found.
        candidate: the span the lines belong to.
        start: first line, by the candidate's own numbering.
        end: last line.

    Raises:
        FileNotIndexed: the file is gone, or has no such line any more.
    """
    file = read_file(generation, candidate.path)
    state, shift = candidate.state, 0
    if file.changed or state is not State.INDEXED:
        own = split_lines(candidate.text)
        place = find_lines(
            file.lines, len(own), lambda text: _same(text, own), candidate.start_line
        )
        if place is None:
            state = State.CHANGED
        else:
            shift = place - candidate.start_line
            state = State.MOVED if state is State.INDEXED else state
    start, end = start + shift, min(end + shift, len(file.lines))
    if start > end:
        raise FileNotIndexed(f"{candidate.path} has no line {start} any more", "run: quarry index")
    return Shown(
        candidate.path,
        start,
        end,
        "" if file.changed else candidate.blob,
        "".join(file.lines[start - 1 : end]),
        candidate.language,
        state,
    )


def find_lines(
    lines: list[str], length: int, matches: Callable[[list[str]], bool], near: int
) -> int | None:
    """The first line of the run of ``length`` lines that matches, the nearest to ``near``."""
    starts = range(1, len(lines) - length + 2)
    for start in sorted(starts, key=lambda line: abs(line - near)):
        if matches(lines[start - 1 : start - 1 + length]):
            return start
    return None


def _same(some: list[str], other: list[str]) -> bool:
    """Whether lines are equal; the last may have lost or gained the end of its line."""
    return some[:-1] == other[:-1] and some[-1].rstrip("\n") == other[-1].rstrip("\n")
