"""The scored cut: one greedy pass that takes the best legal cut near a target size.

Markdown, legacy PHP and line windows share it; they differ in their scores only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

FORBIDDEN = 0  # no cut before this line
PLAIN_LINE = 1
BLANK_LINE = 5
_PATIENCE = 3  # a run without a legal cut may grow to so many times the limit


@dataclass(frozen=True, slots=True)
class Target:
    """The size a piece should have, in non-white-space characters."""

    low: int
    best: int
    high: int


def scored_cuts(sizes: Sequence[int], scores: Sequence[int], target: Target) -> list[int]:
    """Where to cut.

    Args:
        sizes: The size of each line.
        scores: How good a cut before each line is; `FORBIDDEN` where there must be none.
        target: The wanted size of the pieces.

    Returns:
        The line indices at which a new piece begins, ascending, without 0.
    """
    total = [0, *accumulate(sizes)]
    count = len(sizes)
    cuts: list[int] = []
    start = 0
    while total[count] - total[start] > target.high:
        cut = _best(total, scores, start, target)
        if cut >= count:
            break
        cuts.append(cut)
        start = cut
    return cuts


def _best(total: list[int], scores: Sequence[int], start: int, target: Target) -> int:
    """The next cut after ``start``; ``len(scores)`` when the rest stays whole."""
    base = total[start]
    best = fallback = fitting = 0
    best_score, best_gap = FORBIDDEN, 0
    for at in range(start + 1, len(scores)):
        size, score = total[at] - base, scores[at]
        if size > target.high:
            if best or fallback:
                return best or fallback
            if score != FORBIDDEN:
                return at
            if size > _PATIENCE * target.high:  # a giant fence: cut it where it still fits
                return fitting or at
            continue
        fitting = at
        if score == FORBIDDEN:
            continue
        if size < target.low:
            fallback = at if size else fallback
            continue
        gap = abs(size - target.best)
        if score > best_score or (score == best_score and gap <= best_gap):
            best, best_score, best_gap = at, score, gap
    return best or fallback or len(scores)
