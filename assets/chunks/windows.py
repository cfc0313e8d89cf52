"""Line windows: the cut for text without a grammar, and for what no grammar can split."""

from __future__ import annotations

from codequarry.assets.chunks.cuts import BLANK_LINE, PLAIN_LINE, Target, scored_cuts
from codequarry.assets.chunks.measure import BUDGET, Measure
from codequarry.vocabulary import Chunk, Kind

_UNINDENTED = 2
_WINDOW = Target(low=BUDGET // 2, best=BUDGET, high=BUDGET)


def window_rows(measure: Measure, first: int, last: int) -> list[tuple[int, int]]:
    """Cut rows ``first`` to ``last`` under the budget, before a blank line where one is near.

    A line longer than the budget is a window of its own.
    """
    lines = measure.text(first, last).split(b"\n")[: last - first + 1]
    scores = [PLAIN_LINE] * len(lines)
    for at in range(1, len(lines)):
        if not lines[at - 1].strip() and lines[at].strip():
            scores[at] = BLANK_LINE
        elif lines[at][:1] not in b" \t\r})]":
            scores[at] = _UNINDENTED
    starts = [0, *scored_cuts(measure.sizes(first, last), scores, _WINDOW)]
    ends = [*(start - 1 for start in starts[1:]), last - first]
    return [(first + a, first + b) for a, b in zip(starts, ends, strict=True)]


def window_chunks(measure: Measure) -> list[Chunk]:
    """A whole file as windows."""
    if measure.blank():
        return []
    rows = window_rows(measure, 0, measure.line_count - 1)
    count = len(rows)
    return [
        Chunk(
            a + 1, b + 1, Kind.WINDOW, part=k if count > 1 else 0, parts=count if count > 1 else 0
        )
        for k, (a, b) in enumerate(rows, start=1)
    ]
