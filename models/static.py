"""The embedded static model: a table of term vectors, summed; NumPy only, no key, no network.

A document or query is ``Σ log(1 + tf) · e_term``, scaled to length 1. A term is a lower-case
part of an identifier (`codequarry.identifiers`). A term outside the vocabulary is the mean of
the rows of its hashed character 4-grams. The sums run in a fixed order in float32, so a text
has the same vector on every platform.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from codequarry.identifiers import term_counts
from codequarry.models.provider import ModelIdentity, Vectors, normalise
from codequarry.models.terms import gram_buckets, term_hashes
from codequarry.models.weights import Weights, open_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

DATA = Path(__file__).with_name("data")
_BLOCK = 256  # documents summed together: 256 · 256 · 4 bytes stay in the cache
_COUNTS = 1024
_WEIGHT = np.log1p(np.arange(_COUNTS)).astype(np.float32)  # log(1 + tf), by table


class StaticEmbedder:
    """Embeds text with memory-mapped int8 weights.

    A text without letters or digits has no term, and so the zero vector.
    """

    def __init__(self, weights: Weights) -> None:
        card = weights.card
        self._weights = weights
        self._identity = ModelIdentity(
            provider="static",
            name=card.name,
            dimension=card.dimension,
            settings=f"{card.version} weights={card.weights_sha256[:16]}",
        )

    @classmethod
    def open(cls, folder: Path = DATA) -> StaticEmbedder:
        """Map the weights in ``folder``; the default are those shipped with the package."""
        return cls(open_weights(folder))

    @property
    def identity(self) -> ModelIdentity:
        """Changes with every change of the weights."""
        return self._identity

    @property
    def dimension(self) -> int:
        """The width d of the vectors."""
        return self._identity.dimension

    def embed_query(self, text: str) -> Vectors:
        """Embed a query: (d,) float32, of length 1, or zero for a text without terms."""
        parts = term_counts(text)[0]
        if not parts:
            return np.zeros(self.dimension, np.float32)
        rows, shares, lengths = self._rows(list(parts))
        counts = np.fromiter(parts.values(), np.int64, len(parts))
        shares *= np.repeat(_tf_weight(counts), lengths) * self._weights.scales[rows]
        total = (self._weights.table[rows] * shares[:, None]).sum(axis=0, dtype=np.float32)
        vector: Vectors = normalise(total[None, :])[0]
        return vector

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts: (n, d) float32, row i for text i."""
        vocabulary: dict[str, int] = {}
        ids: list[int] = []
        counts: list[int] = []
        offsets = np.zeros(len(texts) + 1, np.int64)
        for i, text in enumerate(texts):
            parts = term_counts(text)[0]
            ids.extend(vocabulary.setdefault(part, len(vocabulary)) for part in parts)
            counts.extend(parts.values())
            offsets[i + 1] = len(ids)
        return self.embed_bags(
            list(vocabulary), np.array(ids, np.int32), np.array(counts, np.int64), offsets
        )

    def embed_bags(
        self,
        vocabulary: Sequence[str],
        ids: npt.NDArray[np.int32],
        counts: npt.NDArray[Any],
        offsets: npt.NDArray[np.int64],
    ) -> Vectors:
        """Embed documents given as term counts; see `BagEmbedder.embed_bags`.

        Args:
            vocabulary: The distinct terms.
            ids: (nnz,) int32 positions in ``vocabulary``.
            counts: (nnz,) occurrences, at least 1.
            offsets: (n + 1,) int64 into ``ids``.

        Returns:
            (n, d) float32, rows of length 1 or zero.
        """
        rows, shares, lengths = self._rows(vocabulary)
        used, compact = np.unique(rows, return_inverse=True)
        table = self._weights.table[used] * self._weights.scales[used, None]
        weights = _tf_weight(np.asarray(counts))
        if len(rows) != len(vocabulary):  # some terms are several grams: widen their entries
            starts = np.cumsum(lengths) - lengths
            widths = lengths[ids]
            ends = np.concatenate([[0], np.cumsum(widths)])
            within = np.arange(ends[-1]) - np.repeat(ends[:-1], widths)
            flat = np.repeat(starts[ids], widths) + within
            weights = np.repeat(weights, widths) * shares[flat]
            offsets = ends[offsets]
            entries = compact[flat]
        else:
            entries = compact[ids]
        return normalise(_sum_bags(table, entries, weights, offsets))

    def _rows(
        self, terms: Sequence[str]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32], npt.NDArray[np.int64]]:
        """Find the table rows of ``terms``.

        Returns:
            The rows of all terms one after another (m,), the share each has in its term (m,),
            and how many rows each term has (len(terms),).
        """
        known = self._weights.terms
        hashes = term_hashes(terms)
        rows = np.searchsorted(known, hashes)
        hit = known[np.minimum(rows, len(known) - 1)] == hashes
        lengths = np.ones(len(terms), np.int64)
        if hit.all():
            return rows, np.ones(len(terms), np.float32), lengths
        first, buckets = self._weights.card.vocabulary, self._weights.card.buckets
        pieces: list[int] = []
        for i, row in enumerate(rows.tolist()):
            if hit[i]:
                pieces.append(row)
            else:
                grams = gram_buckets(terms[i], buckets)
                lengths[i] = len(grams)
                pieces.extend(first + gram for gram in grams)
        shares = np.repeat((1.0 / lengths).astype(np.float32), lengths)
        return np.array(pieces, np.int64), shares, lengths


def _tf_weight(counts: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """``log(1 + tf)`` for counts (n,), float32; the same bits everywhere."""
    weights: npt.NDArray[np.float32] = _WEIGHT[np.minimum(counts, _COUNTS - 1)]
    return weights


def _sum_bags(
    table: Vectors,
    ids: npt.NDArray[Any],
    weights: npt.NDArray[np.float32],
    offsets: npt.NDArray[np.int64],
) -> Vectors:
    """Sum ``weights · table[ids]`` over each document: (n, d).

    Documents are taken longest first in blocks; step k adds the k-th term of every document
    of a block that has one. So each document is summed in its own order, all in NumPy.
    """
    lengths = np.diff(offsets)
    order = np.argsort(-lengths, kind="stable")
    sums = np.zeros((len(lengths), table.shape[1]), np.float32)
    for start in range(0, len(order), _BLOCK):
        block = order[start : start + _BLOCK]
        falling = lengths[block]
        begins = offsets[:-1][block]
        total = np.zeros((len(block), table.shape[1]), np.float32)
        # alive[k]: how many documents of the block have more than k terms
        alive = np.searchsorted(-falling, -np.arange(falling[0]), side="left")
        for k, count in enumerate(alive.tolist()):
            entry = begins[:count] + k
            total[:count] += table[ids[entry]] * weights[entry, None]
        sums[block] = total
    return sums
