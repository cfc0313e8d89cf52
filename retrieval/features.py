"""The features of the `linear` ranker: what ties one query to each file, a column each.

Lexical, from inverted indexes: how well the best chunk and the whole file match (BM25F), and
how the query's words meet the file's stem, folder and symbol names. Dense: cosines of the
query with chunks, skeleton and path. Priors: what path and size alone say. Every feature is a
plain number of the file; nothing is fitted per repository, and the graph adds none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from codequarry.identifiers import light_stem, split_word
from codequarry.retrieval.part import Scorable
from codequarry.retrieval.products import products
from codequarry.retrieval.query import Query
from codequarry.schemas import PRIORS

Float32 = npt.NDArray[np.float32]

LEXICAL = (
    "bm25_ideal",  # best chunk's BM25F over the query's total idf
    "bm25_best",  # over the best chunk's of the repository
    "bm25_share",  # all chunks' BM25F over the largest file's
    "stem_coverage",  # idf share of the query that the file's stem holds
    "stem_precision",  # share of the stem's words that the query holds
    "stem_light",  # the same without endings: "routing" meets router.py
    "folder_precision",  # share of the innermost folder's words that the query holds
    "name_coverage",  # largest idf share of the query that one symbol's name holds
    "class_precision",  # largest share of a type's name that the query holds
    "defines",  # 1: a symbol is named as an identifier of the query, .5: as one of its words
)
DENSE = (
    "dense_best",  # best chunk's cosine
    "dense_z",  # the same in standard deviations above the repository's mean
    "dense_top3",  # mean of the three best chunks
    "skeleton",  # cosine with the file's skeleton
    "path",  # cosine with stem and folders
    "description",  # cosine with path and skeleton by a sentence model, where there is one
)
FEATURES = (*LEXICAL, *DENSE, *PRIORS)
NO_CHUNK = -0.2  # the cosine of a file without chunks: below any real one

_MIN_WORD_DEFINED = 4  # characters; shorter words name too much


@dataclass(frozen=True, slots=True)
class ChunkScores:
    """Scores of all chunks, computed once for all rankers: (chunks,) each; dense may be empty.

    Attributes:
        lexical: BM25F.
        dense: cosines.
        spread: mean and standard deviation of the cosines of all chunks of the generation, where
            these are only some.
    """

    lexical: Float32
    dense: Float32
    spread: tuple[float, float] | None = None


def features(generation: Scorable, query: Query, scores: ChunkScores) -> Float32:
    """The feature matrix of a query: (files, `FEATURES`) float32.

    Without vectors the dense columns are zero.
    """
    columns = [*_lexical(generation, query, scores.lexical), *_names(generation, query)]
    columns += _dense(generation, query, scores)
    priors = generation.priors
    if query.asks_for_tests:
        priors = priors.copy()
        priors[:, PRIORS.index("test")] = 0
    return np.concatenate([np.stack(columns, axis=1), priors], axis=1)


def per_file(generation: Scorable, values: Float32, empty: float) -> Float32:
    """The largest value of each file's chunks: (files,) float32."""
    best = np.full(generation.n_files, empty, np.float32)
    filled = generation.filled_files
    if len(filled):
        best[filled] = np.maximum.reduceat(values, generation.first_chunks[filled])
    return best


def _lexical(generation: Scorable, query: Query, lexical: Float32) -> list[Float32]:
    best = per_file(generation, lexical, 0.0)
    total = np.zeros_like(best)
    filled = generation.filled_files
    if len(filled):
        total[filled] = np.add.reduceat(lexical, generation.first_chunks[filled])
    ideal = max(generation.body.ideal(query.weights), 1e-9)
    return [
        best / np.float32(ideal),
        best / max(float(best.max(initial=0.0)), 1e-9),
        total / max(float(total.max(initial=0.0)), 1e-9),
    ]


def _names(generation: Scorable, query: Query) -> list[Float32]:
    content = query.content or tuple(dict.fromkeys(query.parts))
    shares = idf_shares(generation, content)
    once = dict.fromkeys(content, 1.0)
    light = dict.fromkeys((light_stem(term) for term in content), 1.0)
    covered = generation.symbol_names.scores(shares)
    matched = generation.symbol_names.scores(once)
    # a long name wholly named, or two words of it: one word of many is little
    precision = matched / generation.symbol_lengths
    precision *= np.minimum(1.0, matched / max(1, min(len(content), 2)))
    precision[~generation.is_type] = 0
    return [
        generation.stems.scores(shares),
        generation.stems.scores(once) / generation.stem_lengths,
        generation.light_stems.scores(light) / generation.stem_lengths,
        generation.parents.scores(once) / generation.parent_lengths,
        generation.best_symbol(covered),
        generation.best_symbol(precision),
        _defines(generation, query, content),
    ]


def idf_shares(generation: Scorable, terms: tuple[str, ...]) -> dict[str, float]:
    """Each term's share of the idf of all."""
    idf = generation.body.idf_of(terms, generation.unknown_idf)
    mass = sum(idf.values()) or 1.0
    return {term: value / mass for term, value in idf.items()}


def _defines(generation: Scorable, query: Query, content: tuple[str, ...]) -> Float32:
    found = np.zeros(generation.n_files, np.float32)
    words = [term for term in content if len(term) >= _MIN_WORD_DEFINED]
    found[generation.defines.holders(words)] = 0.5
    found[generation.defines.holders("".join(split_word(w)[0]) for w in query.wholes)] = 1.0
    return found


def _dense(generation: Scorable, query: Query, scores: ChunkScores) -> list[Float32]:
    n_files, dense = generation.n_files, scores.dense
    if not len(dense):
        return [np.zeros(n_files, np.float32)] * len(DENSE)
    best = per_file(generation, dense, NO_CHUNK)
    mean, spread = scores.spread or spread_of(dense)
    centred = np.zeros(n_files, np.float32)
    filled = generation.filled_files
    centred[filled] = (best[filled] - np.float64(mean)) / max(spread, 1e-9)
    paths = generation.path_vectors
    return [
        best,
        centred,
        _mean_of_three(generation, dense, best),
        products(generation.file_vectors, query.vector),
        products(paths, query.vector) if len(paths) else np.zeros(n_files, np.float32),
        _descriptions(generation, query),
    ]


def _descriptions(generation: Scorable, query: Query) -> Float32:
    vectors = generation.description_vectors
    if vectors is None or not len(query.description):
        return np.zeros(generation.n_files, np.float32)
    return products(vectors, query.description)


def spread_of(dense: Float32) -> tuple[float, float]:
    """The mean and standard deviation of cosines."""
    return float(dense.mean(dtype=np.float64)), float(dense.std(dtype=np.float64))


def _mean_of_three(generation: Scorable, dense: Float32, best: Float32) -> Float32:
    """The mean of each file's three best chunks, by taking the best away twice."""
    files = generation.chunk_files
    total, count = best.copy(), np.ones(len(best), np.float32)
    left, top = dense, best
    for _ in range(2):
        left = np.where(left == top[files], np.float32(-np.inf), left)
        top = per_file(generation, left, -np.inf)
        more = np.isfinite(top)
        total[more] += top[more]
        count += more
    return total / count
