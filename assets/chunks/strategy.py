"""The one interface every way of cutting a file has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from codequarry.assets.chunks.measure import Measure
from codequarry.vocabulary import Chunk


class ChunkStrategy(Protocol):
    """Cuts a file into chunks; held to `validate_partition`, whoever wrote it."""

    def __call__(self, measure: Measure) -> Sequence[Chunk]:
        """The chunks of the file, a partition of its lines."""
        ...
