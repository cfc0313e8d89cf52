"""Languages whose grammar did not load: how their files are told from others and reported.

Needs no grammar itself, so that a query-only installation can say it too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codequarry.vocabulary import ParseState

WITHOUT_GRAMMAR = "grammar "  # how the reason begins where a grammar cannot be used


def lacks_grammar(state: str, reason: str) -> bool:
    """Whether a file was cut by lines because its grammar did not load."""
    return state == ParseState.FALLBACK and reason.startswith(WITHOUT_GRAMMAR)


def without_grammar(
    languages: Iterable[str], states: Iterable[str], reasons: Iterable[str]
) -> list[dict[str, Any]]:
    """Per language: how many files, and why. Their symbols are not none but not available."""
    found: dict[str, dict[str, Any]] = {}
    for language, state, reason in zip(languages, states, reasons, strict=True):
        if lacks_grammar(state, reason):
            row = {"language": language, "files": 0, "reason": reason, "symbols": None}
            found.setdefault(language, row)["files"] += 1
    return [found[language] for language in sorted(found)]
