"""The issue ranker: the developer ranker on two readings of the issue, and what it names.

The title says what is wrong in few words, the body holds the words of the code at fault; each
is asked as a developer's query would be, and the two scores are added. On top come the files
that the issue names (`codequarry.retrieval.issue.grounding`). Weights are in ``weights.json``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from codequarry.models.provider import Embedder
from codequarry.retrieval.features import ChunkScores, features, per_file
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.issue.grounding import TIERS, Grounding, ground
from codequarry.retrieval.issue.paths import PathIndex
from codequarry.retrieval.issue.variants import Issue, take_apart
from codequarry.retrieval.linear import Signals, load_weights
from codequarry.retrieval.query import Query, check_length, parse_views
from codequarry.retrieval.ranking import Scores, below_best, hybrid_chunks
from codequarry.schemas import PRIORS

DATA = Path(__file__).with_name("weights.json")
PENALTIES = ("test", "example")  # priors: what an issue is mended in is hardly ever one
FEATURES = (
    "title",  # the developer ranker's score with the title as the query
    "body",  # the same with all that the template did not ask for
    "body_words",  # best chunk's BM25F for the body over the repository's best
    *PENALTIES,  # on top of those inside the two scores
    *TIERS,
)

LINE_BONUS = 6.0  # standard deviations: the chunk at a named line is its file's best

Float32 = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Ranking:
    """What an issue ranks.

    Attributes:
        scores: of all chunks and files, by the issue ranker.
        title: the title as a query, and its scores: what bears the answer out.
        grounding: the files that it names.
    """

    scores: Scores
    title: Query
    title_scores: Scores
    grounding: Grounding


class IssueRanker:
    """Ranks the files of one generation for issues; what it needs of them is made once."""

    def __init__(self, generation: Generation, repo: str, drop: frozenset[str]) -> None:
        self._generation = generation
        self._drop = drop
        self._paths = PathIndex(generation.paths, repo)

    def rank(self, text: str, model: Embedder | None, allowed: Mask) -> Ranking:
        """Rank every chunk and file for an issue.

        Args:
            text: the issue as pasted.
            model: the index's embedder.
            allowed: (chunks,) which chunks the filters let through.

        Raises:
            InvalidQuery: it is too long.
            ProviderError: a remote model failed to embed it.
        """
        check_length(text)
        issue = take_apart(text)
        found = ground(self._generation, self._paths, issue)
        title, body = self._views(issue, model)
        first, second = self._chunk_scores(title), self._chunk_scores(body)
        weights = load_weights(_signals(second), DATA, FEATURES)
        matrix = self._matrix(title, body, first, second, found)
        chunks = hybrid_chunks(second.lexical, second.dense, allowed)
        chunks += hybrid_chunks(first.lexical, first.dense, allowed)
        chunks[self._named_chunks(found)] += np.float32(LINE_BONUS)
        total = below_best(self._generation, weights.scores(matrix), chunks, allowed)
        total[~allowed] = -np.inf
        best = per_file(self._generation, total, -np.inf)
        ideal = self._generation.body.ideal
        scores = Scores(
            total, best, second.dense, second.lexical, ideal(body.weights), matrix, weights
        )
        judged = replace(
            scores, dense=first.dense, lexical=first.lexical, ideal=ideal(title.weights)
        )
        return Ranking(scores, title, judged, found)

    def _views(self, issue: Issue, model: Embedder | None) -> list[Query]:
        body = issue.body if issue.body.strip() else issue.text
        title = issue.title or body
        views = parse_views([title, body], model, self._drop)
        # a report tells how to reproduce it: that names tests without asking for them
        return [replace(view, asks_for_tests=False) for view in views]

    def _chunk_scores(self, query: Query) -> ChunkScores:
        generation = self._generation
        dense = np.zeros(0, np.float32)
        if query.vector.any() and generation.has_vectors:
            dense = generation.chunk_vectors @ query.vector
        return ChunkScores(generation.body.scores(query.weights), dense)

    def _matrix(
        self, title: Query, body: Query, first: ChunkScores, second: ChunkScores, found: Grounding
    ) -> Float32:
        """(files, `FEATURES`) float32."""
        generation = self._generation
        columns = []
        for query, scores in ((title, first), (body, second)):
            weights = load_weights(_signals(scores))
            columns.append(weights.scores(features(generation, query, scores)))
        words = per_file(generation, second.lexical, 0.0)
        columns.append(words / max(float(words.max(initial=0.0)), 1e-9))
        penalties = generation.priors[:, [PRIORS.index(name) for name in PENALTIES]]
        return np.concatenate([np.stack(columns, axis=1), penalties, found.tiers], axis=1)

    def _named_chunks(self, found: Grounding) -> list[int]:
        """The chunk at each line that the issue names; its function's where lines have moved."""
        places = [place for place in found.lines if self._generation.chunk_counts[place[0]]]
        return list(dict.fromkeys(self._chunk_at(*place) for place in places))

    def _chunk_at(self, file: int, line: int, function: str) -> int:
        generation = self._generation
        first = int(generation.first_chunks[file])
        count = int(generation.chunk_counts[file])
        starts = generation.start_lines[first : first + count]
        at = first + max(0, int(np.searchsorted(starts, max(line, 1), side="right")) - 1)
        name = re.split(r"\W+", function.strip("()<>"))[-1] if function else ""
        names = generation.chunks["names"].slice(first, count).to_pylist()
        if name and name not in names[at - first]:
            defining = [i for i, held in enumerate(names) if name in held]
            if len(defining) == 1:
                return first + defining[0]
        return at


def _signals(scores: ChunkScores) -> Signals:
    """What a reading of an issue is weighed by: its words are too many for a sentence model."""
    return Signals.VECTORS if len(scores.dense) else Signals.LEXICAL
