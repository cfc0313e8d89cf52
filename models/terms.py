"""How the static model names a term: a 64-bit hash, or character 4-grams for an unknown one."""

from __future__ import annotations

import zlib
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterable

GRAM = 4
_START, _END = "^", "$"  # never in a term: terms are letters and digits only


def term_hash(term: str) -> int:
    """The term's 64-bit name: BLAKE2b-8 of its UTF-8 bytes, little endian."""
    data = term.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def term_hashes(terms: Iterable[str]) -> npt.NDArray[np.uint64]:
    """The hashes of ``terms``, (n,) uint64."""
    digests = b"".join(
        blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest() for term in terms
    )
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64, copy=False)


def gram_buckets(term: str, buckets: int) -> list[int]:
    """The bucket of each character 4-gram of ``^term$`` (CRC-32 modulo ``buckets``).

    A term of one character has the single gram ``^x$``.
    """
    padded = f"{_START}{term}{_END}"
    return [
        zlib.crc32(padded[i : i + GRAM].encode("utf-8", "surrogatepass")) % buckets
        for i in range(max(1, len(padded) - GRAM + 1))
    ]
