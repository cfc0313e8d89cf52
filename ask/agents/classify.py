"""Whether a question is broad enough for several agents: from the search alone, without a model."""

from __future__ import annotations

from collections.abc import Sequence

from codequarry.ask.agents.folders import HERE, top_folders
from codequarry.identifiers import query_terms
from codequarry.retrieval.answer import Answer
from codequarry.retrieval.bundle import CORE_GAP, CORE_LOGITS

CORE_FILES = 3  # files so near the best one
TOP_FOLDERS = 3  # over which what was found is spread …
SPREAD_CORE = 2  # … while this many files are CORE
NEAR_FILES = 4  # RELATED files …
NEAR = 0.92  # … that reach this share of the best score
LONG = 25  # identifier tokens of a question


def broad(question: str, found: Answer) -> tuple[str, ...]:
    """Why a question is broad; nothing where it is not.

    Args:
        question: as asked.
        found: what the search gave.
    """
    reasons = []
    if len(found.core) >= CORE_FILES:
        reasons.append(f"{len(found.core)} files are as near as the best one")
    folders = set(top_folders(found.paths)) - {HERE}
    if len(folders) >= TOP_FOLDERS and len(found.core) >= SPREAD_CORE:
        reasons.append(f"it is spread over {len(folders)} folders")
    near = _near(found)
    if near >= NEAR_FILES:
        reasons.append(f"{near} further files come near the best one")
    tokens = len(query_terms(question)[0])
    if tokens > LONG:
        reasons.append(f"the question has {tokens} words")
    return tuple(reasons)


def _near(found: Answer) -> int:
    scores: Sequence[float] = [file.score for file in found.related if "score" in file.why]
    if not found.core:
        return 0
    best = max(file.score for file in found.core)
    # log-odds have no share: 3 % of the best score is CORE_LOGITS there, 8 % as many times more
    in_logits = found.mode in ("linear", "issue")
    reach = CORE_LOGITS * (1 - NEAR) / CORE_GAP if in_logits else (1 - NEAR) * abs(best)
    return sum(score >= best - reach for score in scores)
