"""An inverted index in compressed rows, mapped into memory; scored by adding up impacts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from codequarry.errors import IndexDamaged
from codequarry.term_hash import term_hashes

Float32 = npt.NDArray[np.float32]
Int32 = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Lexicon:
    """Postings of one field set; see `codequarry.schemas.WEIGHTED_POSTINGS`.

    Attributes:
        hashes: (terms,) uint64, ascending.
        offsets: (terms + 1,) int64 into the two below.
        docs: (nnz,) int32, ascending within a term.
        impacts: (nnz,) float32; None: every occurrence counts 1.
        idf: (terms,) float32; None likewise.
        n_docs: how many documents there are.
    """

    hashes: npt.NDArray[np.uint64]
    offsets: npt.NDArray[np.int64]
    docs: Int32
    impacts: Float32 | None
    idf: Float32 | None
    n_docs: int

    @classmethod
    def open(cls, path: Path, n_docs: int) -> Lexicon:
        """Map a postings file of a generation.

        Raises:
            IndexDamaged: it cannot be read.
        """
        try:
            table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
        except (OSError, pa.ArrowInvalid) as error:
            raise IndexDamaged(
                f"a file of the index is damaged: {path}", "run: quarry index --rebuild"
            ) from error
        docs = whole(table["docs"])
        weighted = "idf" in table.column_names
        return cls(
            whole(table["hash"]).to_numpy(),
            docs.offsets.to_numpy(),
            docs.values.to_numpy(),
            whole(table["impacts"]).values.to_numpy() if weighted else None,
            whole(table["idf"]).to_numpy() if weighted else None,
            n_docs,
        )

    def scores(self, weights: Mapping[str, float]) -> Float32:
        """Score all documents for weighted terms: (n_docs,) float32.

        Args:
            weights: query weight of each term; unknown terms add nothing.
        """
        total = np.zeros(self.n_docs, np.float32)
        for row, weight in self._known(weights):
            span = slice(self.offsets[row], self.offsets[row + 1])
            added = np.float32(weight)
            # documents are unique within a term, so plain indexing adds each once
            total[self.docs[span]] += added if self.impacts is None else added * self.impacts[span]
        return total

    def holders(self, terms: Iterable[str]) -> Int32:
        """The documents that hold any of the terms, with repeats."""
        found = [
            self.docs[self.offsets[row] : self.offsets[row + 1]]
            for row, _ in self._known(dict.fromkeys(terms, 1.0))
        ]
        return np.concatenate(found) if found else np.zeros(0, np.int32)

    def lengths(self) -> Float32:
        """How many distinct terms each document holds, at least 1: (n_docs,) float32."""
        counts = np.bincount(self.docs, minlength=self.n_docs)
        return np.maximum(counts, 1).astype(np.float32)

    def ideal(self, weights: Mapping[str, float]) -> float:
        """The query's total idf: what a document holding every term well would near."""
        assert self.idf is not None
        return float(sum(weight * self.idf[row] for row, weight in self._known(weights)))

    def idf_of(self, terms: Iterable[str], unknown: float) -> dict[str, float]:
        """The idf of each term, ``unknown`` for those that stand nowhere."""
        assert self.idf is not None
        wanted = list(terms)
        rows, hit = self._rows(wanted)
        return {
            term: float(self.idf[row]) if known else unknown
            for term, row, known in zip(wanted, rows, hit, strict=True)
        }

    def known(self, terms: Iterable[str]) -> list[bool]:
        """Whether each term stands anywhere in the index."""
        return self._rows(list(terms))[1]

    def _known(self, weights: Mapping[str, float]) -> list[tuple[int, float]]:
        rows, hit = self._rows(list(weights))
        return [
            (row, weight)
            for row, weight, known in zip(rows, weights.values(), hit, strict=True)
            if known
        ]

    def _rows(self, terms: list[str]) -> tuple[list[int], list[bool]]:
        if not len(self.hashes) or not terms:
            return [0] * len(terms), [False] * len(terms)
        wanted = _hashes(tuple(terms))
        rows = np.minimum(np.searchsorted(self.hashes, wanted), len(self.hashes) - 1)
        return rows.tolist(), (self.hashes[rows] == wanted).tolist()


def whole(column: pa.ChunkedArray) -> pa.Array:
    """A column as one array; where it is in one piece it stays where it is mapped."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


@lru_cache(maxsize=64)
def _hashes(terms: tuple[str, ...]) -> npt.NDArray[np.uint64]:
    """The hashes of terms; one query asks several indexes for the same ones."""
    return term_hashes(terms)
