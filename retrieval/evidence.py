"""How sure an answer is: does the repository bear the query out at all?"""

from __future__ import annotations

import numpy as np

from codequarry.retrieval.answer import Evidence
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.query import Query
from codequarry.retrieval.ranking import Scores

# Shares of the query's idf mass that the best chunk bears out; see eval/baselines.
STRONG_SHARE = 0.55
WEAK_SHARE = 0.25
STRONG_COSINE = 0.62
WEAK_COSINE = 0.40


def judge(generation: Generation, query: Query, scores: Scores) -> Evidence:
    """Judge the best chunk by two calibrated signals, lexical and dense.

    Lexical: BM25F over the query's total idf (a chunk that holds every term well nears 2).
    Dense: the cosine, where the index has vectors.
    """
    allowed = np.isfinite(scores.total)
    if not allowed.any():
        return Evidence.NONE
    best = int(np.argmax(scores.total))
    known = generation.body.known_share(dict.fromkeys(query.content, 1.0))
    lexical = float(scores.lexical[best]) / scores.ideal * known if scores.ideal else 0.0
    cosine = float(scores.dense[best]) if len(scores.dense) else 0.0
    if lexical >= STRONG_SHARE and (cosine >= WEAK_COSINE or not len(scores.dense)):
        return Evidence.STRONG
    if cosine >= STRONG_COSINE and lexical >= WEAK_SHARE:
        return Evidence.STRONG
    if lexical >= WEAK_SHARE or (cosine >= STRONG_COSINE and known > 0):
        return Evidence.WEAK
    return Evidence.NONE
