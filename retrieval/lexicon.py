"""An inverted index in compressed rows, scored by adding precomputed impacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from codequarry.models.terms import term_hashes

Float32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Lexicon:
    """Postings of one field set; see `codequarry.assets.snapshot.postings.Postings`."""

    hashes: npt.NDArray[np.uint64]
    offsets: npt.NDArray[np.int64]
    docs: npt.NDArray[np.int32]
    impacts: Float32
    idf: Float32
    n_docs: int

    @classmethod
    def open(cls, folder: Path, name: str, n_docs: int) -> Lexicon:
        """Map the arrays ``<name>_*.npy`` of a generation."""
        parts = {
            part: np.load(folder / f"{name}_{part}.npy", mmap_mode="r")
            for part in ("hashes", "offsets", "docs", "impacts", "idf")
        }
        return cls(**parts, n_docs=n_docs)

    def scores(self, weights: Mapping[str, float]) -> Float32:
        """Score all documents for weighted terms: (n_docs,) float32.

        Args:
            weights: query weight of each term; unknown terms add nothing.
        """
        total = np.zeros(self.n_docs, np.float32)
        for row, weight in self._known(weights):
            span = slice(self.offsets[row], self.offsets[row + 1])
            # documents are unique within a term, so plain indexing adds each once
            total[self.docs[span]] += np.float32(weight) * self.impacts[span]
        return total

    def ideal(self, weights: Mapping[str, float]) -> float:
        """The query's total idf: what a document holding every term well would near."""
        return float(sum(weight * self.idf[row] for row, weight in self._known(weights)))

    def known_share(self, weights: Mapping[str, float]) -> float:
        """The share of the query's terms that stand anywhere in the index, 0 to 1."""
        if not weights:
            return 0.0
        return len(self._known(weights)) / len(weights)

    def _known(self, weights: Mapping[str, float]) -> list[tuple[int, float]]:
        if not len(self.hashes) or not weights:
            return []
        wanted = term_hashes(weights)
        rows = np.searchsorted(self.hashes, wanted)
        rows = np.minimum(rows, len(self.hashes) - 1)
        hit = self.hashes[rows] == wanted
        return [
            (row, weight)
            for row, weight, known in zip(
                rows.tolist(), weights.values(), hit.tolist(), strict=True
            )
            if known
        ]
