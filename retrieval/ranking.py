"""Rankers: named profiles that score every chunk and file, in a few vector operations.

``linear``   a weighted sum of some twenty features of the file (`codequarry.retrieval.features`)
``hybrid``   z(BM25F) + 3 · z(dense), tests × 0.85
``fused``    dense + 0.5 · file, tests × 0.85, lexical boosts (S1 §04; the baseline)
``lexical``  BM25F alone
``dense``    cosine of the chunk alone

z(x) is (x − mean) / standard deviation over the chunks that the filters let through.

A search by ``linear`` scores a large generation in two stages: a first pass over all chunks finds
the files that are worth it (`codequarry.retrieval.first_pass`), and only they are scored.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from codequarry.retrieval.features import ChunkScores, features, per_file
from codequarry.retrieval.first_pass import FirstPass, by_codes, by_products, closest
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.linear import Signals, Weights, load_weights
from codequarry.retrieval.part import Part, Scorable
from codequarry.retrieval.products import products
from codequarry.retrieval.query import Query

Float32 = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

FILE_WEIGHT = 0.5  # S1 §04: "the validated core hypothesis"
TEST_FACTOR = 0.85  # S1 §04
NAME_BOOST, STEM_BOOST, BOOSTED_TOKENS = 0.03, 0.05, 2  # S1 §04, spec/retrieval §1
DENSE_WEIGHT = 3.0  # nl63 dev: 1 → .843, 2 → .861, 3 → .868, 4 → .867
# Of a chunk's distance to its file's best one, in `hybrid` units; chunk-rank NDCG@10 on nl63
# dev: .25 → .836, 1 → .866, 2 → .876. Files keep their order whatever it is.
WITHIN_FILE = 2.0
GRAPH_FILES = 3  # the best files whose graph neighbours join RELATED (spec: candidates only)
NARROWED_FROM = 20_000  # chunks; up to here every file is scored
NEIGHBOURS = 512  # of those, scored when a generation is large


class Profile(StrEnum):
    """The rankers by name."""

    LINEAR = "linear"
    HYBRID = "hybrid"
    FUSED = "fused"
    LEXICAL = "lexical"
    DENSE = "dense"


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of all chunks and files for one query.

    Attributes:
        total: (chunks,) float32, what ranks; −inf where a filter shuts a chunk out.
        files: (files,) float32, the best of each file's chunks.
        dense: (chunks,) cosine; empty without a model; −inf where the first pass saw none.
        lexical: (chunks,) BM25F.
        ideal: BM25F's upper bound for the query.
        features: (files, features) of a ranker that weighs features; None for the others.
        weights: of those features.
    """

    total: Float32
    files: Float32
    dense: Float32
    lexical: Float32
    ideal: float
    features: Float32 | None = None
    weights: Weights | None = None


def score(
    generation: Generation,
    query: Query,
    profile: Profile,
    allowed: Mask,
    *,
    narrowed: bool = False,
) -> Scores:
    """Score every chunk of a generation.

    Without a model, or for a query without a known term, the profiles fall back to what is
    left: any text is a valid query.

    Args:
        generation: what is searched.
        query: what is asked.
        profile: the ranker.
        allowed: (chunks,) which chunks the filters let through.
        narrowed: leave out, at −inf, the files of a generation of more than `NARROWED_FROM`
            chunks that a first pass shows to be far from the best (`linear` only).
    """
    lexical = generation.body.scores(query.weights)
    dense = np.zeros(0, np.float32)
    with_dense = generation.has_vectors and bool(query.vector.any())
    narrowed = narrowed and with_dense and len(lexical) > NARROWED_FROM
    narrowed = narrowed and profile is Profile.LINEAR
    codes = generation.chunk_codes if narrowed else None
    if codes is not None:
        found = by_codes(generation, codes, query, lexical, allowed, DENSE_WEIGHT)
        return _in_part(generation, query, lexical, allowed, found)
    if with_dense:
        dense = products(generation.chunk_vectors, query.vector)
    if narrowed:
        hybrid = hybrid_chunks(lexical, dense, allowed)
        found = by_products(generation, query, lexical, dense, hybrid, allowed)
        return _in_part(generation, query, lexical, allowed, found)
    matrix, weights = None, None
    if profile is Profile.LINEAR:
        weights = load_weights(Signals.of(query, dense=bool(len(dense))))
        chunk_scores = ChunkScores(lexical, dense)
        total, matrix = _linear(generation, query, chunk_scores, weights, allowed)
    elif profile is Profile.LEXICAL or not len(dense):
        total = lexical.copy()
    elif profile is Profile.DENSE:
        total = dense.copy()
    elif profile is Profile.FUSED:
        total = _fused(generation, query, dense)
    else:
        total = hybrid_chunks(lexical, dense, allowed)
    if profile in (Profile.FUSED, Profile.HYBRID) and not query.asks_for_tests:
        tests = generation.is_test[generation.chunk_files]
        total[tests & (total > 0)] *= np.float32(TEST_FACTOR)
    total[~allowed] = -np.inf
    ideal = generation.body.ideal(query.weights)
    best = per_file(generation, total, -np.inf)
    return Scores(total, best, dense, lexical, ideal, matrix, weights)


def _linear(
    generation: Generation, query: Query, scores: ChunkScores, weights: Weights, allowed: Mask
) -> tuple[Float32, Float32]:
    """A file's score, and below it each chunk by its distance to the file's best chunk."""
    matrix = features(generation, query, scores)
    chunks = hybrid_chunks(scores.lexical, scores.dense, allowed)
    return below_best(generation, weights.scores(matrix), chunks, allowed), matrix


def _in_part(
    generation: Generation, query: Query, lexical: Float32, allowed: Mask, found: FirstPass
) -> Scores:
    """Scores of the files that the first pass found and of the best ones' graph neighbours."""
    weights = load_weights(Signals.of(query, dense=True))
    scores = Scores(
        np.full(len(lexical), -np.inf, np.float32),
        np.full(generation.n_files, -np.inf, np.float32),
        np.full(len(lexical), -np.inf, np.float32),
        lexical,
        generation.body.ideal(query.weights),
        np.zeros((generation.n_files, len(weights.names)), np.float32),
        weights,
    )
    _score_part(
        scores, Part(generation, np.union1d(found.files, found.peaks)), query, allowed, found
    )
    best = found.files[np.argsort(-scores.files[found.files], kind="stable")[:GRAPH_FILES]]
    near = [generation.file_neighbours(file) for file in best.tolist()]
    around = np.setdiff1d(np.concatenate(near), found.files) if near else found.files[:0]
    if len(around):
        around = closest(generation, found, around, NEIGHBOURS)
        _score_part(
            scores, Part(generation, np.union1d(around, found.peaks)), query, allowed, found
        )
    return scores


def _score_part(scores: Scores, part: Part, query: Query, allowed: Mask, found: FirstPass) -> None:
    """Fill in the scores of some files; the peaks are among them, so that shares are of all."""
    assert scores.features is not None and scores.weights is not None
    rows = part.chunks
    lexical = scores.lexical[rows]
    dense, chunks = found.exact(rows)
    matrix = features(part, query, ChunkScores(lexical, dense, found.spread))
    open_ = allowed[rows]
    total = below_best(part, scores.weights.scores(matrix), chunks, open_)
    total[~open_] = -np.inf
    scores.total[rows], scores.dense[rows] = total, dense
    scores.files[part.files] = per_file(part, total, -np.inf)
    scores.features[part.files] = matrix


def below_best(generation: Scorable, files: Float32, chunks: Float32, allowed: Mask) -> Float32:
    """Chunk scores that rank files as ``files`` does: (chunks,) float32.

    A file's best chunk by ``chunks`` gets the file's score, the others less by their distance.
    """
    chunks = np.where(allowed, chunks, np.float32(-np.inf))
    best = per_file(generation, chunks, -np.inf)
    of = generation.chunk_files
    behind = np.zeros_like(chunks)
    np.subtract(best[of], chunks, out=behind, where=allowed)
    scored: Float32 = files[of] - np.float32(WITHIN_FILE) * behind
    return scored


def hybrid_chunks(lexical: Float32, dense: Float32, allowed: Mask) -> Float32:
    """z(BM25F) + `DENSE_WEIGHT` · z(dense) of every chunk; BM25F alone without a model."""
    if not len(dense):
        return lexical.copy()
    return _z(lexical, allowed) + np.float32(DENSE_WEIGHT) * _z(dense, allowed)


def _fused(generation: Generation, query: Query, dense: Float32) -> Float32:
    files = products(generation.file_vectors, query.vector)
    content = dict.fromkeys(query.content, 1.0)
    stems = np.minimum(generation.stems.scores(content), BOOSTED_TOKENS) * np.float32(STEM_BOOST)
    per_path = np.float32(FILE_WEIGHT) * files + stems
    names = np.minimum(generation.names.scores(content), BOOSTED_TOKENS)
    return dense + per_path[generation.chunk_files] + np.float32(NAME_BOOST) * names


def _z(values: Float32, allowed: Mask) -> Float32:
    counted = values[allowed] if not allowed.all() else values
    if not len(counted):
        return np.zeros_like(values)
    spread = float(counted.std(dtype=np.float64))
    if spread < 1e-9:
        return np.zeros_like(values)
    return (values - np.float32(counted.mean(dtype=np.float64))) / np.float32(spread)
