"""Files cut by lines because a grammar would not load, and cutting them again once it does.

A grammar is a part of the installation, not of the file: what was stored without it says
nothing about the file and is derived anew as soon as the grammar can be loaded.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable

import pyarrow as pa

from codequarry.assets.languages.grammars import WITHOUT_GRAMMAR, grammar_problem
from codequarry.store.fragments import drop_fragments
from codequarry.store.layout import Layout
from codequarry.vocabulary import ParseState


def languages_without_grammar(
    languages: Iterable[str], states: Iterable[str], reasons: Iterable[str]
) -> dict[str, tuple[int, str]]:
    """How many files each language has whose grammar did not load, and why, by language."""
    found: dict[str, tuple[int, str]] = {}
    for language, state, reason in zip(languages, states, reasons, strict=True):
        if lacks_grammar(state, reason):
            count, first = found.get(language, (0, reason))
            found[language] = (count + 1, first)
    return dict(sorted(found.items()))


def lacks_grammar(state: str, reason: str) -> bool:
    """Whether a file was cut by lines because its grammar did not load."""
    return state == ParseState.FALLBACK and reason.startswith(WITHOUT_GRAMMAR)


def forget_regained(layout: Layout, languages: Iterable[str]) -> bool:
    """Drop the facts of languages whose grammar loads now; the lock's holder only.

    Returns:
        Whether there is anything to derive anew.
    """
    regained = {language for language in languages if not grammar_problem(language)}
    if not regained:
        return False

    def stale(parses: pa.Table) -> bool:
        rows = parses.select(["language", "state", "reason"]).to_pylist()
        return any(
            row["language"] in regained and lacks_grammar(row["state"], row["reason"])
            for row in rows
        )

    drop_fragments(layout, stale)
    shutil.rmtree(layout.state / "edges", ignore_errors=True)
    return True
