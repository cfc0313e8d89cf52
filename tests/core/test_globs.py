"""Patterns mean what they mean to pathspec, and are matched at once."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from codequarry.globs import git_patterns

_PATTERNS = st.lists(
    st.sampled_from(["a", "b", "ab", "*", "*", "?", "[ab]", "/", "**/", "/**", "\\*", ".", "!"]),
    min_size=1,
    max_size=9,
).map("".join)
_PATHS = st.lists(st.sampled_from("aab*./"), min_size=1, max_size=12).map("".join)


@settings(max_examples=400)
@given(_PATTERNS, st.lists(_PATHS, min_size=1, max_size=8))
def test_a_pattern_matches_what_pathspec_matches(pattern: str, paths: list[str]):
    try:
        theirs = GitIgnoreSpec.from_lines([pattern])
    except ValueError:
        with pytest.raises(ValueError, match="pattern"):
            git_patterns([pattern])
        return
    ours = GitIgnoreSpec(git_patterns([pattern]))
    for path in paths:
        assert ours.match_file(path) == theirs.match_file(path), path


@pytest.mark.parametrize(
    "pattern",
    ["*" * 200 + "b", "*a" * 40 + "b", "?*" * 40 + "b", "*[!b]" * 40 + "b", "*[a-z]" * 40 + "/x"],
)
def test_many_stars_are_matched_at_once(pattern: str):
    started = time.monotonic()
    assert not GitIgnoreSpec(git_patterns([pattern])).match_file("x/" + "a" * 200)
    assert time.monotonic() - started < 2


def test_a_set_never_holds_the_separator():
    spec = GitIgnoreSpec(git_patterns(["a[!b]c", "d[+-9]e"]))
    assert not spec.match_file("a/c")
    assert not spec.match_file("d/e")
    assert spec.match_file("axc")
    assert spec.match_file("d5e")


def test_a_line_that_is_no_pattern_is_a_value_error():
    with pytest.raises(ValueError, match="z-a"):
        git_patterns(["[z-a]"])
