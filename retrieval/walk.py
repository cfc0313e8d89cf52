"""Two-pass retrieval: from the chunks that answer a query, along resolved edges, to their kin.

Off unless asked for (``--walk-depth``, ``--near-symbol``). Every anchor gives each chunk it
reaches its own weight divided by one more than the distance; weights are reciprocal ranks, so
that rankers of any scale can be walked from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from codequarry.errors import UsageError
from codequarry.retrieval.generation import Generation

MAX_DEPTH = 2
HOP_CAP = 50  # neighbours followed from one chunk (a hub may have 100,000 callers)
RANK_CONSTANT = 60  # of reciprocal rank fusion
ANCHORS = 30  # chunks of the first pass that are walked from

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


def per_file_cap(depth: int) -> int:
    """How many chunks of one file a walk may add."""
    return min(10, 5 * depth)


@dataclass(frozen=True, slots=True)
class Reached:
    """What a walk gives: a weight a chunk, and how far it is from the nearest anchor."""

    weights: dict[int, float]
    hops: dict[int, int]


class ChunkGraph:
    """Resolved edges between chunks, both ways, each way's neighbours in a fixed order.

    Neighbours come by folder (the chunk's own first), then by degree (low first), then by line:
    what a hub has in excess of `HOP_CAP` is cut at the same place every time.
    """

    def __init__(self, generation: Generation) -> None:
        links = generation.links
        target = np.asarray(links["target_symbol"])
        chunk_of = np.asarray(generation.symbols["chunk"])
        known = np.flatnonzero(target >= 0)
        source = np.asarray(links["chunk"])[known]
        to = chunk_of[target[known]] if len(known) else np.zeros(0, np.int32)
        apart = source != to
        pairs = np.unique(np.stack([source[apart], to[apart]], axis=1), axis=0)
        both = np.concatenate([pairs, pairs[:, ::-1]])
        both = np.unique(both, axis=0) if len(both) else both.reshape(0, 2)
        n = len(generation.chunk_files)
        degree = np.bincount(both[:, 0], minlength=n)
        folders = _folders(generation)[generation.chunk_files]
        elsewhere = folders[both[:, 0]] != folders[both[:, 1]]
        order = np.lexsort((both[:, 1], degree[both[:, 1]], elsewhere, both[:, 0]))
        self._neighbours = both[order, 1].astype(np.int32)
        self._pointers = np.zeros(n + 1, np.int64)
        np.cumsum(degree, out=self._pointers[1:])

    def neighbours(self, chunk: int) -> Int32:
        """The first `HOP_CAP` neighbours of a chunk."""
        start, end = self._pointers[chunk], self._pointers[chunk + 1]
        found: Int32 = self._neighbours[start : min(end, start + HOP_CAP)]
        return found

    def reach(self, anchors: Mapping[int, float], depth: int) -> Reached:
        """Walk from every anchor.

        Args:
            anchors: chunk → weight.
            depth: 1 or 2.

        Raises:
            UsageError: the depth is out of range.
        """
        if not 1 <= depth <= MAX_DEPTH:
            raise UsageError(f"a walk of depth {depth}", f"give 1 to {MAX_DEPTH}")
        weights: dict[int, float] = {}
        hops: dict[int, int] = {}
        for anchor, weight in anchors.items():
            seen = {anchor}
            border = [anchor]
            for hop in range(1, depth + 1):
                found = [n for chunk in border for n in self.neighbours(chunk).tolist()]
                border = [n for n in dict.fromkeys(found) if n not in seen]
                seen.update(border)
                for chunk in border:
                    weights[chunk] = weights.get(chunk, 0.0) + weight / (1 + hop)
                    hops[chunk] = min(hops.get(chunk, hop), hop)
        return Reached(weights, hops)


def reciprocal_ranks(chunks: Sequence[int]) -> dict[int, float]:
    """The weight of each chunk of a ranking."""
    return {chunk: 1.0 / (RANK_CONSTANT + rank) for rank, chunk in enumerate(chunks, 1)}


def _folders(generation: Generation) -> Int64:
    """(files,) a number for each file's folder."""
    names = [path.rpartition("/")[0] for path in generation.paths]
    numbers = {name: i for i, name in enumerate(sorted(set(names)))}
    return np.array([numbers[name] for name in names], np.int64)
