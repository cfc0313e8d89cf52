"""A 64-bit hash of terms, for a whole column at once: how inverted indexes name their terms.

Multilinear hashing (Carter & Wegman 1979; Lemire & Kaser 2014): byte i of a term, plus one,
times the i-th of a fixed row of random odd numbers, summed modulo 2^64. Two terms meet with a
probability below 2^-56.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

MAX_BYTES = 512  # more than any term has (`codequarry.identifiers.MAX_WORD` characters)


def _multipliers() -> npt.NDArray[np.uint64]:
    """`MAX_BYTES` odd numbers from SplitMix64 (Steele et al. 2014), the same everywhere."""
    state, found = 0x9E3779B97F4A7C15, []
    mask = (1 << 64) - 1
    for i in range(1, MAX_BYTES + 1):
        z = (state * i) & mask
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        found.append((z ^ (z >> 31)) | 1)
    return np.array(found, np.uint64)


_MULTIPLIERS = _multipliers()


def term_hashes(terms: pa.Array | Iterable[str]) -> npt.NDArray[np.uint64]:
    """The hashes of terms (strings without nulls): (n,) uint64. The empty term has hash 0."""
    column = terms if isinstance(terms, pa.Array) else pa.array(list(terms), pa.string())
    if not len(column):
        return np.zeros(0, np.uint64)
    _, offset_buffer, data = column.buffers()
    first = column.offset
    offsets = np.frombuffer(offset_buffer, np.int32)[first : first + len(column) + 1]
    offsets = offsets.astype(np.int64)
    lengths = np.diff(offsets)
    found = np.zeros(len(column), np.uint64)
    if data is None or not lengths.any():
        return found
    raw = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]].astype(np.uint64)
    at = np.arange(len(raw)) - np.repeat(offsets[:-1] - offsets[0], lengths)
    weighted = (raw + np.uint64(1)) * _MULTIPLIERS[np.minimum(at, MAX_BYTES - 1)]
    filled = np.flatnonzero(lengths)
    found[filled] = np.add.reduceat(weighted, offsets[:-1][filled] - offsets[0])
    return found
