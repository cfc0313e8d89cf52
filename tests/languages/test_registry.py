"""Every spec fits its grammar, and a grammar that does not load costs syntax only."""

from __future__ import annotations

import time

import pytest

from codequarry.assets.facts import extract
from codequarry.assets.facts.extract import extract_facts, extractor_version
from codequarry.assets.languages.extensions import BY_EXTENSION, BY_INTERPRETER, BY_MODE, BY_NAME
from codequarry.assets.languages.generic import UNSAFE
from codequarry.assets.languages.grammars import GrammarError, load
from codequarry.assets.languages.registry import SPECS, spec_for
from codequarry.vocabulary import Kind, ParseState

FULL = {
    "python", "typescript", "tsx", "javascript", "go", "rust", "ruby", "php", "java", "c", "cpp",
    "csharp", "kotlin", "swift", "scala",
}  # fmt: skip


def test_the_full_languages_have_a_spec_of_their_own() -> None:
    assert all(not SPECS[name].generic for name in FULL)


@pytest.mark.parametrize("language", sorted(SPECS))
def test_a_spec_fits_its_grammar(language: str) -> None:
    grammar = load(language)
    assert grammar is not None
    assert len(grammar.actions) >= len(SPECS[language].rules)
    assert extract_facts(b"\n\nplain words\n", language).chunks


def test_a_grammar_is_loaded_once_a_process() -> None:
    assert load("python") is load("python")


def test_unsafe_grammars_are_never_used() -> None:
    assert all(spec_for(language) is None for language in UNSAFE)


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("lua", "a" + ",a" * 3000 + " = function() end" + ", function() end" * 3000 + "\n"),
        ("python", "def f(" + "a," * 3000 + "): pass\n"),
        ("javascript", "const " + ",".join(f"x{i}=()=>1" for i in range(3000)) + ";\n"),
        ("go", "package p\nvar " + ", ".join(f"x{i}" for i in range(3000)) + " int\n"),
        ("ocaml", "let f " + "a " * 3000 + "= 1\n" * 3),
        ("sql", "create view a as select * from " + ",".join(f"t{i}" for i in range(3000)) + ";"),
    ],
)
def test_long_lists_do_not_multiply_in_the_query(language: str, source: str) -> None:
    started = time.process_time()
    assert extract_facts(source.encode(), language).chunks
    assert time.process_time() - started < 20


def test_an_unknown_language_is_cut_as_plain_text() -> None:
    found = extract_facts(b"words\n", "no-such-language")
    assert found.state is ParseState.PLAIN
    assert [chunk.kind for chunk in found.chunks] == [Kind.WINDOW]


def test_a_grammar_that_cannot_load_falls_back_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(language: str) -> None:
        raise GrammarError(f"grammar {language}: gone")

    monkeypatch.setattr(extract, "load", refuse)
    found = extract_facts(b"a = 1\n", "python")
    assert found.state is ParseState.FALLBACK
    assert found.reason == "grammar python: gone"
    assert len(found.chunks) == 1


def test_a_file_too_big_to_parse_falls_back_to_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extract, "MAX_PARSE_BYTES", 10)
    found = extract_facts(b"value = compute()\n", "python")
    assert found.state is ParseState.FALLBACK
    assert "larger" in found.reason


def test_versions_are_one_word_a_language() -> None:
    assert extractor_version("python")
    assert extractor_version("no-such-language")


def test_detection_names_only_lower_case_words() -> None:
    for table in (BY_EXTENSION, BY_NAME, BY_INTERPRETER, BY_MODE):
        assert all(key == key.lower() and value == value.lower() for key, value in table.items())
