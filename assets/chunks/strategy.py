"""The one interface every way of cutting a file has, and the oracle it is held to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from codequarry.assets.chunks.measure import Measure
from codequarry.assets.chunks.partition import validate_partition
from codequarry.assets.chunks.windows import window_chunks
from codequarry.vocabulary import Chunk


class ChunkStrategy(Protocol):
    """Cuts a file into chunks; whoever wrote it, its result is checked, not trusted."""

    def __call__(self, measure: Measure) -> Sequence[Chunk]:
        """The chunks of the file, a partition of its lines."""
        ...


@dataclass(frozen=True, slots=True)
class Cut:
    """The chunks of a file, and why its strategy was refused for it, if it was."""

    chunks: Sequence[Chunk]
    refused: str = ""


def run_strategy(measure: Measure, strategy: ChunkStrategy) -> Cut:
    """Cut a file; a strategy that raises or breaks the partition gives way to line windows."""
    try:
        chunks = strategy(measure)
        problems = validate_partition(chunks, measure.line_count)
        if not chunks and not measure.blank():
            problems = ["no chunk for a file with content"]
    except Exception as error:  # a border: strategies may be foreign, and the reason is kept
        problems = [f"{type(error).__name__}: {error}"]
    if problems:
        return Cut(window_chunks(measure), refused=problems[0])
    return Cut(chunks)
