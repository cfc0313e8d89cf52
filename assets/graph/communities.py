"""Communities by label propagation (S1 §06): no knob, and the same bytes every time.

Every file starts as its own community and takes, in the order of the files, the label most
of its neighbours hold. Votes are whole numbers, so that no order of adding them matters.

Hubs, the files that pay a toll on paths, take a label but have no vote: what everything
touches says nothing about what belongs together. With a vote they put 97 of gin's 97 tied
files and 991 of django's 2,232 into one community; without it, the largest hold 29 and 146.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

STRUCTURAL = 1.0  # a vote, for each kind of edge between two files
SEMANTIC = 0.5  # a vote, times the cosine
ROUNDS = 50

_UNIT = 2_000_000  # what one vote counts; half a cosine's millionth is a whole number

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Weighted:
    """Undirected weighted pairs of files; a pair may stand in several rows."""

    first: Int64
    second: Int64
    votes: Int64

    def and_(self, other: Weighted) -> Weighted:
        """The pairs of both."""
        return Weighted(
            np.concatenate([self.first, other.first]),
            np.concatenate([self.second, other.second]),
            np.concatenate([self.votes, other.votes]),
        )


def structural_votes(first: Int64, second: Int64, kinds: Int64) -> Weighted:
    """The votes of files that refer to one another in so many kinds of ways."""
    return Weighted(first, second, (kinds * round(STRUCTURAL * _UNIT)).astype(np.int64))


def semantic_votes(first: Int64, second: Int64, cosine: npt.NDArray[np.float32]) -> Weighted:
    """The votes of files that say alike."""
    votes = np.rint(cosine.astype(np.float64) * (SEMANTIC * _UNIT)).astype(np.int64)
    return Weighted(first, second, votes)


def communities(n_files: int, pairs: Weighted, is_hub: npt.NDArray[np.bool_]) -> Int32:
    """The community of each file, numbered from 0 by size, then by their first file.

    Args:
        n_files: how many files there are.
        pairs: which are tied, and how many votes that gives each to the other.
        is_hub: (files,) whose votes do not count.
    """
    files = np.concatenate([pairs.first, pairs.second])
    voters = np.concatenate([pairs.second, pairs.first])
    votes = np.where(is_hub[voters], 0, np.concatenate([pairs.votes, pairs.votes]))
    order = np.argsort(files, kind="stable")
    pointers = np.searchsorted(files[order], np.arange(n_files + 1)).tolist()
    label = _propagated(pointers, voters[order].tolist(), votes[order].tolist())
    return _by_size(np.array(label, np.int64))


def _propagated(pointers: list[int], neighbours: list[int], votes: list[int]) -> list[int]:
    """The label of each file when nothing moves any more.

    A file none of whose neighbours moved since its last turn would vote as before: it is left
    out, and nothing changes by that.
    """
    n_files = len(pointers) - 1
    label = list(range(n_files))
    waiting = [pointers[i] < pointers[i + 1] for i in range(n_files)]
    for _ in range(ROUNDS):
        moved = False
        for file in range(n_files):
            if not waiting[file]:
                continue
            waiting[file] = False
            start, end = pointers[file], pointers[file + 1]
            tally: dict[int, int] = {}
            for at in range(start, end):
                theirs = label[neighbours[at]]
                tally[theirs] = tally.get(theirs, 0) + votes[at]
            most = max(tally.values())
            if not most:
                continue
            best = min(name for name, count in tally.items() if count == most)
            if best != label[file]:
                label[file] = best
                moved = True
                for at in range(start, end):
                    waiting[neighbours[at]] = True
        if not moved:
            break
    return label


def _by_size(label: Int64) -> Int32:
    names, first, inverse, size = np.unique(
        label, return_index=True, return_inverse=True, return_counts=True
    )
    number = np.empty(len(names), np.int32)
    number[np.lexsort((first, -size))] = np.arange(len(names), dtype=np.int32)
    found: Int32 = number[inverse.reshape(-1)]
    return found
