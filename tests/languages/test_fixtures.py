"""The hand-verified programs of ``fixtures/``: every symbol they name, exactly as written there.

The expected files were checked with each language's own compiler or interpreter (C++ by g++, TSX
and JSX by tsc, Scala 2 by scalac; Swift and Scala 3 were read by hand).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codequarry.assets.facts.extract import extract_facts
from codequarry.assets.languages.detect import detect_language
from codequarry.vocabulary import FileFacts, Kind, ParseState, Symbol

FIXTURES = Path(__file__).parent / "fixtures"
LANGUAGES = sorted(path.name for path in FIXTURES.iterdir() if path.is_dir())
# A module path that comes from the file's place is added at link time, not here.
PATH_QUALIFIED = {"python", "rust"}


def facts_of(language: str, file: str) -> FileFacts:
    data = (FIXTURES / language / file).read_bytes()
    return extract_facts(data, detect_language(file, data))


def expected(language: str) -> list[dict]:
    return json.loads((FIXTURES / language / "expected.json").read_text("utf-8"))["symbols"]


def find(symbols: tuple[Symbol, ...], want: dict) -> Symbol:
    found = [s for s in symbols if s.name == want["name"] and s.name_line == want["line"]]
    assert len(found) == 1, f"{want['qualified']} found {len(found)} times"
    return found[0]


CASES = [
    pytest.param(language, want, id=f"{language}-{want['file']}-{want['line']}-{want['name']}")
    for language in LANGUAGES
    for want in expected(language)
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_fixture_files_parse_without_errors(language: str) -> None:
    for file in {want["file"] for want in expected(language)}:
        assert facts_of(language, file).state is ParseState.OK


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_but_module_values_is_a_symbol_besides(language: str) -> None:
    want = {(s["file"], s["line"], s["name"]) for s in expected(language)}
    extra = [
        symbol.qualified
        for file in {file for file, _, _ in want}
        for symbol in facts_of(language, file).symbols
        if (file, symbol.name_line, symbol.name) not in want
        and symbol.kind not in (Kind.CONST, Kind.VAR)
    ]
    assert extra == []


@pytest.mark.parametrize(("language", "want"), CASES)
def test_symbol_is_as_the_fixture_says(language: str, want: dict) -> None:
    got = find(facts_of(language, want["file"]).symbols, want)
    parent = tuple(want["parent"])
    if language in PATH_QUALIFIED:
        assert want["qualified"].endswith(got.qualified)
        assert parent[len(parent) - len(got.scope) :] == got.scope
    else:
        assert got.qualified == want["qualified"]
        assert got.scope == parent
    assert got.kind == want["kind"]
    assert got.end_line == want["end_line"]
    assert got.static is want.get("static", False)
    assert (got.doc or None) == want.get("doc")
    assert got.default_export is want.get("default_export", False)
    if "trait" in want:
        assert got.trait == want["trait"].rpartition("::")[2]
    if "arity" in want:
        assert got.arity_max == want["arity"]
