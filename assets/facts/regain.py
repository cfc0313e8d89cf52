"""Cutting files by their syntax once a grammar loads that did not before.

A grammar is a part of the installation, not of the file: what was stored without it says
nothing about the file and is derived anew as soon as the grammar can be loaded.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable

import pyarrow as pa

from codequarry.assets.languages.grammars import grammar_problem
from codequarry.assets.languages.lacking import lacks_grammar
from codequarry.store.fragments import drop_fragments
from codequarry.store.layout import Layout


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
