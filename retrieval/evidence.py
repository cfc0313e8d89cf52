"""How sure an answer is: does the repository bear the query out at all?

The log-odds that a repository holds the answer, from three signals of the best chunk, fitted
by logistic regression on the development questions asked of their own repository and of two
others each (area under the curve .954 with vectors, .881 without). At the borders below, of
questions asked of their own repository / of another one, this share passes:

    STRONG   .79 / .07 with vectors, .61 / .11 without
    WEAK     .99 / .32 with vectors, .99 / .57 without
"""

from __future__ import annotations

import numpy as np

from codequarry.identifiers import LIGHT_MARK, light_stem
from codequarry.retrieval.answer import Evidence
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.query import Query
from codequarry.retrieval.ranking import Scores

STRONG, WEAK = 1.0, -2.0  # log-odds
_LEXICAL_CAP = 1.5
# lexical share, cosine, share of known terms, intercept
_WITH_VECTORS = (1.0, 11.0, 3.5, -8.9)
_LEXICAL_ONLY = (2.2, 0.0, 7.1, -7.85)
CALIBRATED = ("static:", "quality:")  # models whose cosines the weights are for


def band(odds: float) -> Evidence:
    """The band of some log-odds."""
    if odds >= STRONG:
        return Evidence.STRONG
    return Evidence.WEAK if odds >= WEAK else Evidence.NONE


def log_odds(generation: Generation, query: Query, scores: Scores) -> float:
    """The log-odds that the repository holds the answer; −inf where no chunk was let through.

    Signals: BM25F of the best chunk over the query's total idf (a chunk that holds every term
    well nears 2), its cosine (only of the model it was calibrated for), and the share of the
    query's content words and identifiers that stand anywhere in the index.
    """
    if not np.isfinite(scores.total).any():
        return -np.inf
    best = int(np.argmax(scores.total))
    known = _known_share(generation, tuple(dict.fromkeys((*query.content, *query.wholes))))
    lexical = float(scores.lexical[best]) / scores.ideal if scores.ideal else 0.0
    calibrated = generation.manifest["model"].startswith(CALIBRATED)
    dense = len(scores.dense) and calibrated
    cosine = float(scores.dense[best]) if dense else 0.0
    a, b, c, intercept = _WITH_VECTORS if dense else _LEXICAL_ONLY
    return a * min(lexical, _LEXICAL_CAP) + b * cosine + c * known + intercept


def _known_share(generation: Generation, terms: tuple[str, ...]) -> float:
    """The share of terms that stand in the index, as they are or as a name without its ending."""
    as_is = generation.body.known(terms)
    light = generation.body.known(LIGHT_MARK + light_stem(term) for term in terms)
    return sum(a or b for a, b in zip(as_is, light, strict=True)) / max(1, len(terms))
