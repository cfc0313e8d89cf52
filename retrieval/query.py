"""A query taken apart once: terms, weights, its vector, and what it asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import log1p

import numpy as np
import numpy.typing as npt

from codequarry.errors import InvalidQuery
from codequarry.identifiers import LIGHT_MARK, light_stem, query_terms
from codequarry.models.provider import Embedder, Vectors, as_remote, describer_of

MAX_QUERY_CHARS = 100_000
WHOLE_WEIGHT = 2.0  # of an identifier typed whole: above its parts (nl63 dev: .875 → .876)
LIGHT_WEIGHT = 0.5  # of a word without its ending, among the names
JOINED_WEIGHT = 0.5  # of two neighbouring words joined: "user store" → userstore
TEST_SHARE = 0.15  # of the content words, for tests to be a topic
_TEST_WORDS = frozenset("test tests testing tested spec specs fixture fixtures mock mocks".split())
_STOP_WORDS = frozenset(
    "a an and are as at be by can do does for from has have how i in into is it its of on or "
    "that the their then there these this to was what when where which who why will with you "
    "your".split()
)


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query.

    Attributes:
        text: as asked.
        parts: identifier parts in order.
        wholes: identifiers of several parts, as typed, joined.
        weights: BM25F weight of each term: parts log(1 + tf), wholes and joined neighbours.
        vector: (d,) unit vector; (0,) without a model; zero when no term is known.
        description: (d',) unit vector of the model of whole files; (0,) without one.
        asks_for_tests: the test penalty stands down.
    """

    text: str
    parts: tuple[str, ...]
    wholes: tuple[str, ...]
    weights: dict[str, float]
    vector: npt.NDArray[np.float32]
    asks_for_tests: bool
    description: npt.NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))

    @property
    def content(self) -> tuple[str, ...]:
        """The distinct parts that carry a topic (no question words)."""
        return tuple(dict.fromkeys(p for p in self.parts if p not in _STOP_WORDS))


def _asks_for_tests(parts: tuple[str, ...]) -> bool:
    """Whether tests are a topic of the query, not a word in passing ("fix x and add a test")."""
    content = [part for part in parts if part not in _STOP_WORDS]
    tests = sum(part in _TEST_WORDS for part in content)
    return tests > 0 and tests >= TEST_SHARE * len(content)


def parse_query(text: str, model: Embedder | None, drop: frozenset[str] = frozenset()) -> Query:
    """Take a query apart.

    Args:
        text: what was asked; any text is valid.
        model: the index's embedder.
        drop: terms that say nothing here (the repository's own name).

    Raises:
        InvalidQuery: longer than `MAX_QUERY_CHARS`.
    """
    check_length(text)
    query = _parsed(text, drop)
    if model is None:
        return query
    describer = describer_of(model)
    described = query.description if describer is None else describer.embed_query(query.text)
    return replace(query, vector=model.embed_query(query.text), description=described)


def parse_views(texts: Sequence[str], model: Embedder | None, drop: frozenset[str]) -> list[Query]:
    """Take several readings of one query apart; a remote model is asked once for all of them.

    Raises:
        ProviderError: a remote model failed.
    """
    queries = [_parsed(text, drop) for text in texts]
    if model is None:
        return queries
    shown = [query.text for query in queries]
    vectors: Sequence[Vectors] | Vectors
    if as_remote(model) is not None:
        vectors = model.embed_documents(shown)
    else:
        vectors = [model.embed_query(text) for text in shown]
    return [replace(query, vector=v) for query, v in zip(queries, vectors, strict=True)]


def check_length(text: str) -> None:
    """Refuse what is too long to be a query.

    Raises:
        InvalidQuery: longer than `MAX_QUERY_CHARS`.
    """
    if len(text) > MAX_QUERY_CHARS:
        raise InvalidQuery(
            f"the query has {len(text):,} characters, the limit is {MAX_QUERY_CHARS:,}",
            "ask with the part that matters",
        )


def _parsed(text: str, drop: frozenset[str]) -> Query:
    text = text.encode("utf-8", "replace").decode("utf-8")
    parts, wholes, joined = query_terms(text)
    kept = tuple(part for part in parts if part not in drop) or parts
    weights: dict[str, float] = {}
    for part, n in Counter(kept).items():
        if part not in _STOP_WORDS:
            weights[part] = log1p(n) / log1p(1)
    if not weights:
        weights = dict.fromkeys(kept, 1.0)
    for part, weight in list(weights.items()):
        weights[LIGHT_MARK + light_stem(part)] = LIGHT_WEIGHT * weight
    for whole in wholes:
        weights[whole] = max(weights.get(whole, 0.0), WHOLE_WEIGHT)
    for pair in joined:
        weights.setdefault(pair, JOINED_WEIGHT)
    vector = np.zeros(0, np.float32)
    return Query(text, parts, wholes, weights, vector, _asks_for_tests(parts))
