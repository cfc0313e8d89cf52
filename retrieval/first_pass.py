"""The first pass over a large generation: which files are worth scoring by every feature.

Up to `codequarry.assets.snapshot.codes.CODED_FROM` chunks it reads every vector. Above, each chunk
has a sign code (one bit a dimension); the query is quantised to a few bits, whose planes are
compared with the codes by exclusive or and population count, and what is near by code is scored
exactly. The pass decides what is looked at, never what ranks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from codequarry.identifiers import light_stem
from codequarry.retrieval.features import idf_shares, spread_of
from codequarry.retrieval.generation import Generation, best_of
from codequarry.retrieval.products import products
from codequarry.retrieval.query import Query

Float32 = npt.NDArray[np.float32]
Int64 = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

QUERY_BITS = 2  # of each dimension of the query
NEAR = 8_192  # chunks scored exactly of those nearest by code (recall@50 .997 at 10^6)
KEPT = 512  # chunks of each measure whose files are scored by every feature
KEPT_BY_CODES = 1024  # the same where a measure is known roughly
STEM_WEIGHT = 5.0  # of a stem that is of the query, about what it adds to a file at last
_CLIP = 2.0  # root mean squares, beyond which a dimension of the query counts no more
_BLOCK = 32_768  # chunks at a time: words, counts and sums stay in the cache
_WORD = 64
_SAMPLE = 8192  # values that tell which of all are too small to matter


@dataclass(frozen=True, slots=True)
class FirstPass:
    """What the first pass found out about all chunks.

    Attributes:
        files: those worth scoring by every feature, ascending.
        approximate: (chunks,) float32, the third of the measures they are found by.
        peaks: the files of the largest BM25F, of one chunk and of all chunks together.
        spread: mean and standard deviation of the cosines of all chunks.
        exact: of some chunks (m,) the cosines and the `hybrid` scores up to a constant, (m,) each.
    """

    files: Int64
    approximate: Float32
    peaks: Int64
    spread: tuple[float, float]
    exact: Callable[[Int64], tuple[Float32, Float32]]


def by_products(
    generation: Generation,
    query: Query,
    lexical: Float32,
    dense: Float32,
    hybrid: Float32,
    allowed: Mask,
) -> FirstPass:
    """Find the files of the best chunks by any of three measures, each known exactly.

    Cosine, BM25F, and the `hybrid` score together with what the file's stem shares with the query.

    Args:
        generation: what is searched.
        query: what is asked.
        lexical: (chunks,) BM25F.
        dense: (chunks,) cosines.
        hybrid: (chunks,) scores.
        allowed: (chunks,) which chunks the filters let through.
    """
    approximate = hybrid + _of_stems(generation, query)
    return FirstPass(
        _files(generation, _largest(dense, KEPT, allowed), lexical, approximate, allowed, KEPT),
        approximate,
        _peaks(generation, lexical),
        spread_of(dense),
        lambda rows: (dense[rows], hybrid[rows]),
    )


def by_codes(
    generation: Generation,
    codes: npt.NDArray[np.uint64],
    query: Query,
    lexical: Float32,
    allowed: Mask,
    dense_weight: float,
) -> FirstPass:
    """Find them as `by_products`, but by codes.

    Of cosines the best are found among the `NEAR` nearest by code; the third measure has distances
    of codes for cosines. Standard deviations are those of all chunks, whatever the filters.

    Args:
        generation: what is searched.
        codes: its chunks'.
        query: what is asked; its vector is not zero.
        lexical: (chunks,) BM25F.
        allowed: (chunks,) which chunks the filters let through.
        dense_weight: of a standard deviation of cosine beside one of BM25F, in `hybrid`.
    """
    vector, vectors = query.vector, generation.chunk_vectors
    near = distances(codes, vector).astype(np.float32)
    near *= np.float32(-dense_weight / max(_deviation(near), 1e-9))
    nearest = _largest(near, NEAR, allowed)
    every = np.ones(len(nearest), bool)
    best = nearest[_largest(products(vectors[nearest], vector), KEPT_BY_CODES, every)]
    spread = spread_by_moments(generation, vector)
    of_lexical = np.float32(1.0 / max(_deviation(lexical), 1e-9))
    of_dense = np.float32(dense_weight / max(spread[1], 1e-9))
    approximate = near + lexical * of_lexical
    approximate += _of_stems(generation, query)

    def exact(rows: Int64) -> tuple[Float32, Float32]:
        dense = products(vectors[rows], vector)
        return dense, lexical[rows] * of_lexical + dense * of_dense

    files = _files(generation, best, lexical, approximate, allowed, KEPT_BY_CODES)
    return FirstPass(files, approximate, _peaks(generation, lexical), spread, exact)


def closest(generation: Generation, found: FirstPass, files: Int64, k: int) -> Int64:
    """At most ``k`` of some files, those of the best chunks as the codes tell, ascending."""
    if len(files) <= k:
        return files
    best = best_of(found.approximate, generation.first_chunks, generation.chunk_counts)[files]
    return np.sort(files[np.argsort(-best, kind="stable")[:k]])


def spread_by_moments(generation: Generation, vector: Float32) -> tuple[float, float]:
    """The mean and standard deviation of the cosines of all chunks with ``vector`` (d,)."""
    moments, wide = generation.chunk_moments, vector.astype(np.float64)
    mean = float(moments[0] @ wide)
    return mean, float(np.sqrt(max(float(wide @ moments[1:] @ wide) - mean * mean, 0.0)))


def distances(codes: npt.NDArray[np.uint64], vector: Float32) -> npt.NDArray[np.uint16]:
    """How far each chunk's code is from a query: (n,) uint16, falling as the cosine rises.

    Args:
        codes: (words, n) of the chunks.
        vector: (d,) of the query; not zero.
    """
    planes = _planes(vector, len(codes))
    n = codes.shape[1]
    found = np.empty(n, np.uint16)
    words = np.empty(_BLOCK, np.uint64)
    counts = np.empty(_BLOCK, np.uint8)
    for start in range(0, n, _BLOCK):
        total = found[start : start + _BLOCK]
        differing, count = words[: len(total)], counts[: len(total)]
        total[:] = 0
        for plane in planes:  # the highest bit first
            total <<= 1
            for word, row in zip(plane, codes, strict=True):
                np.bitwise_xor(row[start : start + _BLOCK], word, out=differing)
                np.bitwise_count(differing, out=count)
                total += count
    return found


def _largest(values: Float32, k: int, allowed: Mask) -> Int64:
    """The positions of the ``k`` largest of the allowed values, ascending; ties by position.

    A sample tells which values are too small to matter: NumPy's partition takes long over a
    million of them, and ten times as long where many are equal.
    """
    rows = _above(values, allowed, k)
    if len(rows) <= k:
        return rows
    inside = values[rows]
    border = np.partition(inside, len(inside) - k)[len(inside) - k]
    return rows[_filled(inside > border, inside == border, k)]


def _above(values: Float32, allowed: Mask, k: int) -> Int64:
    """Positions of allowed values, all of the ``k`` largest among them; ascending."""
    step = len(values) // _SAMPLE
    if step > 1:
        sample = np.sort(values[::step][allowed[::step]])
        wanted = 2 * k // step + 32  # twice what the sample should hold of them, and some
        if wanted < len(sample):
            found = np.flatnonzero((values > sample[-wanted]) & allowed)
            if len(found) >= k:
                return found
    return np.flatnonzero(allowed)


def _filled(within: Mask, at_border: Mask, k: int) -> Int64:
    sure = np.flatnonzero(within)
    return np.sort(np.concatenate([sure, np.flatnonzero(at_border)[: k - len(sure)]]))


def _files(
    generation: Generation,
    nearest: Int64,
    lexical: Float32,
    approximate: Float32,
    allowed: Mask,
    kept: int,
) -> Int64:
    lanes = (
        nearest,
        _largest(lexical, kept, allowed & (lexical > 0)),
        _largest(approximate, kept, allowed),
    )
    return np.unique(generation.chunk_files[np.concatenate(lanes)]).astype(np.int64)


def _of_stems(generation: Generation, query: Query) -> Float32:
    """What each chunk's file is worth for its stem: (chunks,) float32."""
    return (_named(generation, query) * np.float32(STEM_WEIGHT))[generation.chunk_files]


def _named(generation: Generation, query: Query) -> Float32:
    """How well each file's stem meets the query, as two features have it: (files,) float32."""
    content = query.content
    light = dict.fromkeys((light_stem(term) for term in content), 1.0)
    precision = generation.light_stems.scores(light) / generation.stem_lengths
    return generation.stems.scores(idf_shares(generation, content)) + precision


def _deviation(values: Float32) -> float:
    """The standard deviation, by two products: no array is made."""
    n = max(len(values), 1)
    mean = float(values.sum()) / n
    return float(np.sqrt(max(float(values @ values) / n - mean * mean, 0.0)))


def _peaks(generation: Generation, lexical: Float32) -> Int64:
    of = generation.chunk_files
    hit = np.flatnonzero(lexical > 0)
    sums = np.bincount(of[hit], weights=lexical[hit], minlength=generation.n_files)
    return np.unique(np.array([of[int(np.argmax(lexical))], np.argmax(sums)], np.int64))


def _planes(vector: Float32, words: int) -> list[npt.NDArray[np.uint64]]:
    """The query's bits, a plane each, the highest first: (words,) uint64 each.

    Level z of 2^b stands for 2z − (2^b − 1), so that Σ 2^i · (differing bits of plane i) falls
    linearly with the product of the signs and the levels.
    """
    levels = 1 << QUERY_BITS
    scale = _CLIP * float(np.sqrt(np.mean(np.square(vector, dtype=np.float64))))
    level = np.clip(np.floor((vector / scale + 1.0) * (levels / 2)), 0, levels - 1).astype(np.uint8)
    planes = []
    for bit in reversed(range(QUERY_BITS)):
        bits = np.zeros(words * _WORD, bool)
        bits[: len(vector)] = (level >> bit) & 1
        planes.append(np.packbits(bits, bitorder="little").view("<u8"))
    return planes
