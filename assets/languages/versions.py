"""Versions of a language's rules: what is stored is derived anew where they differ.

Row keys hold them, so a store may hold facts of several versions; only those of today are read.
"""

from __future__ import annotations

import hashlib
from functools import cache

from codequarry.assets.languages.registry import SPECS, spec_for
from codequarry.assets.languages.spec import Versions

# Languages without a grammar are in no `LangSpec`; their own versions stand here.
WITHOUT_GRAMMAR: dict[str, Versions] = {}


def versions_of(language: str) -> Versions:
    """The versions of a language's rules."""
    spec = spec_for(language)
    return spec.versions if spec else WITHOUT_GRAMMAR.get(language, Versions())


@cache
def of_all_languages(*parts: str, with_grammar: bool = False) -> str:
    """One word for some versions of every language.

    Args:
        parts: which, such as ``"chunker"``.
        with_grammar: only of languages that are parsed, and so can stand inside others.
    """
    known = {name: spec.versions for name, spec in SPECS.items()}
    if not with_grammar:
        known |= WITHOUT_GRAMMAR
    rows = [("", *_some(Versions(), parts))]
    rows += [(name, *_some(known[name], parts)) for name in sorted(known)]
    return hashlib.sha256(repr(rows).encode()).hexdigest()[:12]


def _some(versions: Versions, parts: tuple[str, ...]) -> list[str]:
    return [getattr(versions, part) for part in parts]
