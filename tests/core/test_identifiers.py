from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codequarry.identifiers import (
    MAX_PART,
    query_terms,
    split_word,
    term_counts,
    tokens,
    words,
)

SPLITS = [
    ("getUserById", ("get", "user", "by", "id"), "getuserbyid"),
    ("HTTPServerError", ("http", "server", "error"), "httpservererror"),
    ("parseHTMLResponse", ("parse", "html", "response"), "parsehtmlresponse"),
    ("HTTPServer2_main", ("http", "server", "2", "main"), "httpserver2main"),
    ("unlock_with_biometrics", ("unlock", "with", "biometrics"), "unlockwithbiometrics"),
    ("MAX_RETRY_COUNT", ("max", "retry", "count"), "maxretrycount"),
    ("OAuth2Client", ("o", "auth", "2", "client"), "oauth2client"),
    ("__init__", ("init",), ""),
    ("x", ("x",), ""),
    ("ID", ("id",), ""),
    ("utf8", ("utf", "8"), "utf8"),
    ("größeÄndern", ("größe", "ändern"), "größeändern"),
    ("СкладТовар", ("склад", "товар"), "складтовар"),
    ("XMLПарсер", ("xml", "парсер"), "xmlпарсер"),
    ("库存", ("库", "存", "库存"), "库存"),
    ("周转率", ("周", "转", "率", "周转", "转率"), "周转率"),
    ("___", (), ""),
]


@pytest.mark.parametrize(("word", "parts", "whole"), SPLITS)
def test_words_split_into_parts_and_a_joined_whole(word: str, parts: tuple[str, ...], whole: str):
    assert split_word(word) == (parts, whole)


def test_kebab_case_is_words_and_the_query_joins_neighbours():
    assert tokens("component-emits") == ["component", "emits"]
    assert "componentemits" in query_terms("component emits")[2]


@given(st.text(max_size=80))
def test_index_and_query_split_alike(text: str):
    parts, wholes = term_counts(text)
    asked, typed, _ = query_terms(text)
    assert set(asked) == set(parts)
    assert set(typed) == set(wholes)
    assert sorted(tokens(text)) == sorted(part for part, n in parts.items() for _ in range(n))


@given(st.text(max_size=80))
def test_terms_are_lower_case_bounded_and_not_empty(text: str):
    for term in tokens(text):
        assert term
        assert len(term) <= MAX_PART
        assert term.casefold() == term.lower().casefold()


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=60))
def test_letter_case_of_a_single_case_word_does_not_matter(text: str):
    assert tokens(text.upper()) == tokens(text.lower())


@given(st.text("计算库存周转率遅延재고", min_size=2, max_size=12))
def test_any_part_of_text_without_spaces_can_be_searched(text: str):
    stored = set(tokens(text))
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            assert set(tokens(text[start:end])) <= stored


def test_long_runs_are_data_not_names():
    assert tokens("x" * 20_000) == []
    assert words("x" * 20_000) == ["x" * 20_000]


@pytest.mark.parametrize("text", ["", " ", "???", "\0", "\ud83d", "📦", "'", "%"])
def test_text_without_words_has_no_terms(text: str):
    assert query_terms(text) == ((), (), ())


def test_splitting_is_the_same_in_every_process():
    text = "HTTPServer2_main getUserById 库存周转率 größeÄndern " * 3
    code = (
        f"from codequarry.identifiers import *; print(term_counts({text!r}), query_terms({text!r}))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(answers) == 1
