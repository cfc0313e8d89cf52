"""The one hard invariant: the chunks of a file cover each of its lines exactly once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from codequarry.vocabulary import Chunk


def validate_partition(chunks: Sequence[Chunk], line_count: int) -> list[str]:
    """What is wrong with the chunks of a file of ``line_count`` lines; empty when all is well.

    A file without a visible character may have no chunk at all: there is nothing to find.
    """
    if not chunks:
        return []
    problems: list[str] = []
    if chunks[0].start_line != 1:
        problems.append(f"the first chunk starts at line {chunks[0].start_line}, not 1")
    for before, after in pairwise(chunks):
        if after.start_line != before.end_line + 1:
            what = "gap" if after.start_line > before.end_line + 1 else "overlap"
            problems.append(f"{what} between line {before.end_line} and line {after.start_line}")
    problems.extend(
        f"a chunk runs from line {chunk.start_line} back to line {chunk.end_line}"
        for chunk in chunks
        if chunk.end_line < chunk.start_line
    )
    if chunks[-1].end_line != line_count:
        problems.append(
            f"the last chunk ends at line {chunks[-1].end_line}, the file at {line_count}"
        )
    return problems
