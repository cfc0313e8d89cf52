"""Rankers: named profiles that give every chunk one score, in a few vector operations.

``fused``    dense + 0.5 · file, tests × 0.85, lexical boosts (S1 §04; the baseline)
``hybrid``   z(BM25F) + 3 · z(dense), tests below their equals
``lexical``  BM25F alone
``dense``    cosine of the chunk alone

z(x) is (x − mean) / standard deviation over the chunks that the filters let through.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from codequarry.retrieval.generation import Generation
from codequarry.retrieval.query import Query

Float32 = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

FILE_WEIGHT = 0.5  # S1 §04: "the validated core hypothesis"
TEST_FACTOR = 0.85  # S1 §04
NAME_BOOST, STEM_BOOST, BOOSTED_TOKENS = 0.03, 0.05, 2  # S1 §04, spec/retrieval §1
DENSE_WEIGHT = 3.0  # prototype: z(BM25F) + 3 z(dense)


class Profile(StrEnum):
    """The rankers by name."""

    FUSED = "fused"
    HYBRID = "hybrid"
    LEXICAL = "lexical"
    DENSE = "dense"


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of all chunks for one query.

    Attributes:
        total: (chunks,) float32, what ranks; −inf where a filter shuts a chunk out.
        dense: (chunks,) cosine; empty without a model.
        lexical: (chunks,) BM25F.
        ideal: BM25F's upper bound for the query.
    """

    total: Float32
    dense: Float32
    lexical: Float32
    ideal: float


def score(generation: Generation, query: Query, profile: Profile, allowed: Mask) -> Scores:
    """Score every chunk of a generation.

    Without a model, or for a query without a known term, the profiles fall back to what is
    left: any text is a valid query.
    """
    lexical = generation.body.scores(query.weights)
    dense = np.zeros(0, np.float32)
    if query.vector.any() and generation.has_vectors:
        dense = generation.chunk_vectors @ query.vector
    if profile is Profile.LEXICAL or not len(dense):
        total = lexical.copy()
    elif profile is Profile.DENSE:
        total = dense.copy()
    elif profile is Profile.FUSED:
        total = _fused(generation, query, dense)
    else:
        total = _z(lexical, allowed) + np.float32(DENSE_WEIGHT) * _z(dense, allowed)
    if profile in (Profile.FUSED, Profile.HYBRID) and not query.asks_for_tests:
        tests = generation.is_test[generation.chunk_files]
        total[tests & (total > 0)] *= np.float32(TEST_FACTOR)
    total[~allowed] = -np.inf
    return Scores(total, dense, lexical, generation.body.ideal(query.weights))


def _fused(generation: Generation, query: Query, dense: Float32) -> Float32:
    files = generation.file_vectors @ query.vector
    content = dict.fromkeys(query.content, 1.0)
    stems = np.minimum(generation.stems.scores(content), BOOSTED_TOKENS) * np.float32(STEM_BOOST)
    per_file = np.float32(FILE_WEIGHT) * files + stems
    names = np.minimum(generation.names.scores(content), BOOSTED_TOKENS)
    return dense + per_file[generation.chunk_files] + np.float32(NAME_BOOST) * names


def _z(values: Float32, allowed: Mask) -> Float32:
    counted = values[allowed] if not allowed.all() else values
    if not len(counted):
        return np.zeros_like(values)
    spread = float(counted.std(dtype=np.float64))
    if spread < 1e-9:
        return np.zeros_like(values)
    return (values - np.float32(counted.mean(dtype=np.float64))) / np.float32(spread)
