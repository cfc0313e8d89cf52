"""Sign codes of a large generation's chunks: what a query's first pass reads in their place.

A code holds one bit a dimension, whether the vector is above zero there, so that a million chunks
of 256 dimensions are 32 MB to read where their vectors are 1 GB. The bits lie in planes of 64
dimensions, each chunk's word of a plane beside the next chunk's.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

CODED_FROM = 200_000  # chunks; up to here the product with every vector is quick enough
_BLOCK = 16_384  # chunks at a time, so that little is copied
_WORD = 64  # bits


def write_codes(folder: Path, vectors: npt.NDArray[np.float32]) -> None:
    """Write ``chunk_codes.npy`` and ``chunk_moments.npy`` beside the vectors, (n, d) float32.

    Codes are (⌈d / 64⌉, n) uint64. Moments are (d + 1, d) float64: the mean vector, and the mean
    product of each two dimensions, from which a query knows the mean and the spread of all
    cosines without making them.
    """
    np.save(folder / "chunk_codes.npy", sign_codes(vectors))
    np.save(folder / "chunk_moments.npy", moments(vectors))


def sign_codes(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.uint64]:
    """The codes of ``vectors`` (n, d): (⌈d / 64⌉, n) uint64; bits past d are 0."""
    n, d = vectors.shape
    words = -(-d // _WORD)
    codes = np.empty((words, n), "<u8")
    for start in range(0, n, _BLOCK):
        some = vectors[start : start + _BLOCK]
        bits = np.zeros((len(some), words * _WORD), bool)
        bits[:, :d] = some > 0
        packed = np.packbits(bits, axis=1, bitorder="little")
        codes[:, start : start + _BLOCK] = packed.view("<u8").T
    return codes


def moments(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """The first and second moments of ``vectors`` (n, d): (d + 1, d) float64."""
    n, d = vectors.shape
    found: npt.NDArray[np.float64] = np.zeros((d + 1, d))
    for start in range(0, n, _BLOCK):
        some = np.asarray(vectors[start : start + _BLOCK], np.float64)
        found[0] += some.sum(axis=0)
        found[1:] += some.T @ some
    found /= max(n, 1)
    return found
