"""The two forms of a citation, ``[[k]]`` and ``[[k:a-b]]``, and what they may point at."""

from __future__ import annotations

import re
from dataclasses import dataclass

from codequarry.ask.candidates import Candidate, Candidates, Outline

_FORM = re.compile(r"([0-9]+)(?::([0-9]+)-([0-9]+))?")
REACH = 8  # lines a cited range may grow or shrink by to end where a definition does


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation that holds: lines of a candidate."""

    candidate: Candidate
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Void:
    """A citation that points at nothing; ``reason`` is in our words only."""

    reason: str


def resolve(text: str, candidates: Candidates) -> Cited | Void:
    """What stands between double brackets, checked against the candidates."""
    match = _FORM.fullmatch(text.strip(" "))
    if match is None:
        return Void("not of the form k or k:a-b")
    candidate = candidates.get(int(match[1]))
    if candidate is None:
        return Void("there is no span of that number")
    if match[2] is None:
        return Cited(candidate, candidate.start_line, candidate.end_line)
    start, end = int(match[2]), int(match[3])
    if start > end:
        return Void("its lines are reversed")
    if start < candidate.start_line or end > candidate.end_line:
        return Void("its lines are outside the span")
    if candidate.state.value == "indexed":
        lines = candidate.text.split("\n")
        start, end = snap(start, end, candidate.outline, lines, candidate.start_line)
    return Cited(candidate, start, end)


def snap(
    start: int, end: int, outline: tuple[Outline, ...], lines: list[str], first: int
) -> tuple[int, int]:
    """Let a range end where definitions do, at most `REACH` lines away.

    It grows to the edges of the innermost definition that holds it all. What it holds of a
    neighbour that it cuts, a few lines of tail before or of head behind, is taken off, and so
    are blank lines at its ends.

    Args:
        start: first line.
        end: last line.
        outline: definitions that share lines with the candidate.
        lines: the candidate's lines, to see which are blank.
        first: number of the first of them.
    """
    asked = start, end
    around = [o for o in outline if o.start_line <= start and end <= o.end_line]
    if around:
        inner = min(around, key=lambda o: o.end_line - o.start_line)
        start = inner.start_line if start - inner.start_line <= REACH else start
        end = inner.end_line if inner.end_line - end <= REACH else end
    for other in outline:
        if other.start_line < start <= other.end_line < end:
            start = other.end_line + 1 if other.end_line - start < REACH else start
    for other in reversed(outline):
        if start < other.start_line <= end < other.end_line:
            end = other.start_line - 1 if end - other.start_line < REACH else end
    while start < end and _is_blank(lines, start - first):
        start += 1
    while start < end and _is_blank(lines, end - first):
        end -= 1
    return asked if _is_blank(lines, start - first) else (start, end)


def _is_blank(lines: list[str], index: int) -> bool:
    return 0 <= index < len(lines) and not lines[index].strip()
