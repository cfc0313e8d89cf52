"""Texts as bags of table rows, in compressed rows: how training and evaluation see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from codequarry.identifiers import term_counts
from codequarry.models.terms import gram_buckets

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Bags:
    """n texts over table rows.

    Attributes:
        rows: (nnz,) int32 table rows: terms first, then gram buckets.
        weights: (nnz,) float32, ``log(1 + tf)``, shared out over the grams of an unknown term.
        offsets: (n + 1,) int64.
    """

    rows: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]
    offsets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, index: npt.NDArray[np.int64]) -> Bags:
        """The texts of ``index``, in its order."""
        starts, lengths = self.offsets[index], np.diff(self.offsets)[index]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        flat = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
        return Bags(self.rows[flat], self.weights[flat], offsets)

    def save(self, path: Path) -> None:
        """Write to ``path`` (.npz)."""
        np.savez(path, rows=self.rows, weights=self.weights, offsets=self.offsets)

    @classmethod
    def load(cls, path: Path) -> Bags:
        """Read what `save` wrote."""
        with np.load(path, allow_pickle=False) as stored:
            return cls(stored["rows"], stored["weights"], stored["offsets"])


class Encoder:
    """Encodes texts over a vocabulary and gram buckets; remembers the rows of each term."""

    def __init__(self, vocabulary: Sequence[str], buckets: int) -> None:
        self._rows: dict[str, list[int]] = {term: [row] for row, term in enumerate(vocabulary)}
        self._first, self._buckets = len(vocabulary), buckets

    def encode(self, texts: Iterable[str]) -> Bags:
        """Encode ``texts``."""
        rows: list[int] = []
        weights: list[float] = []
        offsets = [0]
        log1p = np.log1p(np.arange(4096)).tolist()
        for text in texts:
            for term, count in term_counts(text)[0].items():
                found = self._rows.get(term)
                if found is None:
                    found = [self._first + one for one in gram_buckets(term, self._buckets)]
                    self._rows[term] = found
                share = log1p[min(count, 4095)] / len(found)
                rows.extend(found)
                weights.extend([share] * len(found))
            offsets.append(len(rows))
        return Bags(
            np.array(rows, np.int32), np.array(weights, np.float32), np.array(offsets, np.int64)
        )
