"""Some files of a generation, scored as if they were all there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from codequarry.retrieval.generation import Generation, best_of
from codequarry.retrieval.lexicon import Lexicon

Float32 = npt.NDArray[np.float32]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Part:
    """Some files with all their chunks and symbols, numbered from 0.

    Attributes:
        generation: whose.
        files: (k,) their rows, ascending.
    """

    generation: Generation
    files: Int64

    @property
    def n_files(self) -> int:
        """How many files there are."""
        return len(self.files)

    @property
    def unknown_idf(self) -> float:
        """The generation's."""
        return self.generation.unknown_idf

    @cached_property
    def chunks(self) -> Int64:
        """(m,) the rows of their chunks, ascending."""
        return _spans(self.generation.first_chunks[self.files], self._chunk_counts)

    @cached_property
    def chunk_files(self) -> Int32:
        """(m,) the file of each chunk, by its number here."""
        return np.repeat(np.arange(self.n_files, dtype=np.int32), self._chunk_counts)

    @cached_property
    def first_chunks(self) -> Int32:
        """(k,) the first chunk of each file, by its number here."""
        return _starts(self._chunk_counts)

    @cached_property
    def filled_files(self) -> Int64:
        """Those that have chunks, ascending."""
        return np.flatnonzero(self._chunk_counts)

    @property
    def priors(self) -> Float32:
        """(k, `codequarry.schemas.PRIORS`)."""
        return self.generation.priors[self.files]

    @property
    def body(self) -> Lexicon:
        """The generation's: what a term weighs hangs on all files."""
        return self.generation.body

    @property
    def stems(self) -> Rows:
        """Over the files here."""
        return Rows(self.generation.stems, self.files)

    @property
    def light_stems(self) -> Rows:
        """Over the files here."""
        return Rows(self.generation.light_stems, self.files)

    @property
    def parents(self) -> Rows:
        """Over the files here."""
        return Rows(self.generation.parents, self.files)

    @property
    def defines(self) -> Rows:
        """Over the files here."""
        return Rows(self.generation.defines, self.files)

    @property
    def symbol_names(self) -> Rows:
        """Over the symbols here."""
        return Rows(self.generation.symbol_names, self.symbols)

    @property
    def stem_lengths(self) -> Float32:
        """(k,) distinct words of each file's stem, at least 1."""
        return self.generation.stem_lengths[self.files]

    @property
    def parent_lengths(self) -> Float32:
        """(k,) distinct words of each file's innermost folder, at least 1."""
        return self.generation.parent_lengths[self.files]

    @property
    def symbol_lengths(self) -> Float32:
        """(symbols,) distinct words of each symbol's name, at least 1."""
        terms = self.generation.symbol_terms[self.symbols]
        return np.maximum(terms, 1).astype(np.float32)

    @property
    def is_type(self) -> npt.NDArray[np.bool_]:
        """(symbols,) whether a symbol is a type."""
        return self.generation.is_type[self.symbols]

    @property
    def file_vectors(self) -> Float32:
        """(k, d) skeleton vectors."""
        return self.generation.file_vectors[self.files]

    @property
    def path_vectors(self) -> Float32:
        """(k, d) vectors of stem and folders; (0, d) for models without term vectors."""
        vectors = self.generation.path_vectors
        return vectors[self.files] if len(vectors) else vectors

    @property
    def description_vectors(self) -> Float32 | None:
        """(k, d') vectors of a model of whole files; None where the index has none."""
        vectors = self.generation.description_vectors
        return None if vectors is None else vectors[self.files]

    def best_symbol(self, values: Float32) -> Float32:
        """The largest value of each file's symbols: (k,) float32, 0 without symbols."""
        return best_of(values, _starts(self.symbol_counts), self.symbol_counts)

    @cached_property
    def _chunk_counts(self) -> Int32:
        return self.generation.chunk_counts[self.files]

    @cached_property
    def symbol_counts(self) -> Int32:
        """(k,) number of symbols of each file."""
        return self.generation.symbol_counts[self.files]

    @cached_property
    def symbols(self) -> Int64:
        """(symbols,) the rows of their symbols, ascending."""
        return _spans(self.generation.first_symbols[self.files], self.symbol_counts)


@dataclass(frozen=True, slots=True)
class Rows:
    """An inverted index over some of its documents, numbered from 0; see `Lexicon`."""

    lexicon: Lexicon
    rows: Int64

    def scores(self, weights: Mapping[str, float]) -> Float32:
        """Score the documents here for weighted terms."""
        return self.lexicon.scores(weights)[self.rows]

    def holders(self, terms: Iterable[str]) -> Int64:
        """The documents here that hold any of the terms."""
        held = np.zeros(self.lexicon.n_docs, bool)
        held[self.lexicon.holders(terms)] = True
        return np.flatnonzero(held[self.rows])


Scorable = Generation | Part


def _starts(counts: Int32) -> Int32:
    starts: Int32 = (np.cumsum(counts) - counts).astype(np.int32)
    return starts


def _spans(first: Int32, counts: Int32) -> Int64:
    """The rows of spans, one after another."""
    shift = first.astype(np.int64) - _starts(counts)
    return np.repeat(shift, counts) + np.arange(int(counts.sum()))
