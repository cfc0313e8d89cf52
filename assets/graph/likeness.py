"""The semantic lane: which files say alike, by the cosine of their skeletons.

Vectors are rounded to whole numbers first. Sums of products of whole numbers this small are
exact in float32, in whatever order a machine adds them up, so that the lane is the same on
every machine and for every size of block.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

NEIGHBOURS = 3  # a file (S1 §06)
# Percentiles of the cosines between the repository's own files: above the first a pair is an
# edge, above the second it can surprise. S1's 0.80 and 0.85 are where those of its model lie.
EDGE_PERCENTILE = 98.0
SURPRISE_PERCENTILE = 99.5
# A handful of files has no distribution to speak of; below these nothing is alike.
LEAST_EDGE, LEAST_SURPRISE = 0.5, 0.6
SAMPLE = 2048  # files whose pairs are looked at for the percentiles

_SCALE = 4000.0  # (4000 + √d / 2)² < 2²⁴ for every d up to 30,000
_BLOCK = 1 << 23  # cosines held at once
_STEP = 1e-4  # floors are rounded to this

Float32 = npt.NDArray[np.float32]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Floors:
    """From which cosine on two files are neighbours, and from which on that is remarkable."""

    edge: float
    surprise: float


@dataclass(frozen=True, slots=True)
class Likeness:
    """The semantic lane: each pair once, ``first`` below ``second``, sorted."""

    first: Int64
    second: Int64
    cosine: Float32
    floors: Floors


def likeness(vectors: Float32) -> Likeness:
    """Tie each file to its nearest others.

    Args:
        vectors: (files, d) unit vectors of the skeletons; zero where a file has none.
    """
    there = np.flatnonzero(np.any(vectors != 0, axis=1)) if vectors.size else np.zeros(0, np.int64)
    whole = np.rint(vectors[there] * _SCALE).astype(np.float32)
    norms = np.sqrt(np.square(whole.astype(np.float64)).sum(axis=1)).astype(np.float32)
    floors = _floors(whole, norms)
    pairs, cosines = _nearest(whole, norms, floors.edge)
    first, second = there[pairs // max(len(there), 1)], there[pairs % max(len(there), 1)]
    return Likeness(first, second, cosines, floors)


def _floors(whole: Float32, norms: Float32) -> Floors:
    """The floors, from the pairs of files that say different things."""
    _, distinct = np.unique(whole, axis=0, return_index=True)
    distinct = np.sort(distinct)
    if len(distinct) < 2:
        return Floors(LEAST_EDGE, LEAST_SURPRISE)
    at = distinct[np.unique(np.linspace(0, len(distinct) - 1, SAMPLE).astype(np.int64))]
    upper = np.triu_indices(len(at), 1)
    cosines = np.sort(_cosines(whole[at], norms[at], whole[at], norms[at])[upper])

    def floor(percentile: float, least: float) -> float:
        value = float(cosines[int(percentile / 100 * (len(cosines) - 1))])
        return round(max(least, round(value / _STEP) * _STEP), 4)

    edge = floor(EDGE_PERCENTILE, LEAST_EDGE)
    return Floors(edge, max(edge, floor(SURPRISE_PERCENTILE, LEAST_SURPRISE)))


def _cosines(rows: Float32, row_norms: Float32, columns: Float32, norms: Float32) -> Float32:
    found: Float32 = rows @ columns.T
    found /= row_norms[:, None]
    found /= norms[None, :]
    return found


def _nearest(whole: Float32, norms: Float32, floor: float) -> tuple[Int64, Float32]:
    """Pairs of which one is among the nearest of the other, as first · n + second."""
    n = len(whole)
    keys, values = [np.zeros(0, np.int64)], [np.zeros(0, np.float32)]
    height = max(1, _BLOCK // max(n, 1))
    for start in range(0, n if n > 1 else 0, height):
        block = _cosines(whole[start : start + height], norms[start : start + height], whole, norms)
        own = np.arange(len(block))
        block[own, start + own] = -2.0
        last = np.partition(block, max(n - NEIGHBOURS, 0), axis=1)[:, max(n - NEIGHBOURS, 0)]
        rows, columns = np.nonzero(block >= np.maximum(last, np.float32(floor))[:, None])
        cosines = block[rows, columns]
        order = np.lexsort((columns, -cosines, rows))
        rows, columns, cosines = rows[order], columns[order], cosines[order]
        rank = np.arange(len(rows)) - np.searchsorted(rows, rows)
        keep = (rank < NEIGHBOURS) & (cosines >= np.float32(floor))
        one, other = rows[keep] + start, columns[keep]
        keys.append(np.minimum(one, other) * n + np.maximum(one, other))
        values.append(cosines[keep])
    distinct, at = np.unique(np.concatenate(keys), return_index=True)
    return distinct, np.minimum(np.concatenate(values)[at], np.float32(1.0))
