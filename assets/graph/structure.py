"""The structural lane: which files refer to which, how many each file touches, and the hubs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from codequarry.vocabulary import EdgeType

HUB_DEGREE = 8  # fewer neighbours make no hub, however small the repository (S1 §06.2)
HUB_PERCENTILE = 90

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Structure:
    """Who refers to whom, by file.

    Attributes:
        first: of each pair of files with an edge the lower one; pairs are sorted.
        second: the higher one.
        kinds: how many kinds of edges a pair has, whichever way they go.
        degree: (files,) distinct files each touches.
        referring: (files,) distinct files that refer to it.
        referred: (files,) distinct files it refers to.
        hub_degree: the degree above which a file is a hub.
    """

    first: Int64
    second: Int64
    kinds: Int64
    degree: Int32
    referring: Int32
    referred: Int32
    hub_degree: int

    @property
    def is_hub(self) -> npt.NDArray[np.bool_]:
        """(files,) whether everything touches a file, so that touching it says little."""
        hubs: npt.NDArray[np.bool_] = self.degree > self.hub_degree
        return hubs


def without_wide_imports(links: pa.Table) -> pa.Table:
    """The links that tie two files; not all files of a package to all that import it.

    In Go, C# or Java one import can mean every file of a package. It ties the importer to
    those of them that it refers to in another way too.

    Args:
        links: rows of `codequarry.schemas.LINKS`.
    """
    origin = np.asarray(links["file"]).astype(np.int64)
    target = np.asarray(links["target_file"]).astype(np.int64)
    imports = np.asarray(pc.equal(links["type"], EdgeType.IMPORTS.value))
    known = imports & (target >= 0)
    place = np.stack([origin, np.asarray(links["byte"]).astype(np.int64)], axis=1)
    _, statement, meanings = np.unique(
        place[known], axis=0, return_inverse=True, return_counts=True
    )
    wide = np.zeros(len(origin), bool)
    wide[known] = meanings[statement.reshape(-1)] > 1
    pairs = origin * (int(target.max(initial=0)) + 1) + target
    kept = ~wide | np.isin(pairs, pairs[(target >= 0) & ~imports])
    return links.filter(pa.array(kept))


def structure(n_files: int, edges: pa.Table) -> Structure:
    """Read the structural lane.

    Args:
        n_files: how many files there are.
        edges: `codequarry.schemas.FILE_EDGES`.
    """
    origin = np.asarray(edges["from"]).astype(np.int64)
    target = np.asarray(edges["to"]).astype(np.int64)
    types = np.asarray(edges["type"].combine_chunks().dictionary_encode().indices)
    low, high = np.minimum(origin, target), np.maximum(origin, target)
    kinds_of = np.unique(np.stack([low, high, types.astype(np.int64)], axis=1), axis=0)
    pairs, kinds = np.unique(kinds_of[:, :2], axis=0, return_counts=True)
    directed = np.unique(np.stack([origin, target], axis=1), axis=0)
    degree = _counts(pairs.reshape(-1), n_files)
    return Structure(
        pairs[:, 0],
        pairs[:, 1],
        kinds.astype(np.int64),
        degree,
        _counts(directed[:, 1], n_files),
        _counts(directed[:, 0], n_files),
        _hub_degree(degree),
    )


def _counts(files: Int64, n_files: int) -> Int32:
    return np.bincount(files, minlength=n_files).astype(np.int32)


def _hub_degree(degree: Int32) -> int:
    """``max(8, p90)`` of the files that touch any other."""
    touching = np.sort(degree[degree > 0])
    if not len(touching):
        return HUB_DEGREE
    return max(HUB_DEGREE, int(touching[HUB_PERCENTILE * (len(touching) - 1) // 100]))
