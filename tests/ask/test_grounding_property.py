"""Whatever a narrator writes, however it arrives, code in the answer is a read of a file."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from answer_oracle import check, spliced
from answer_toys import TEXTS, TREE, cut
from fuzz import fuzz
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from codequarry.ask.lines import LineReader

if TYPE_CHECKING:
    from codequarry.ask.candidates import Candidates
    from codequarry.retrieval.index import Index

SHARED = settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
LINKED = "[a](x`y) <pre>` z"  # the link ends inside what looks like a span of code
HEAD = "| a | b |\n|---|---|\n"
TABLE = f"{HEAD}| `x | <pre>` |"  # a table cuts the span in two
SHIFTED = f"{HEAD}| `x | y` `<pre>` |"  # and shifts which ticks of the cell are a pair
IMAGE = f"{HEAD}| `x | ![a](http://b.c)` |"


@pytest.fixture(scope="session")
def _all_files_are_candidates(found: Candidates):
    assert {span.path for span in found.spans} == set(TREE)


@pytest.mark.usefixtures("_all_files_are_candidates")
@SHARED
@given(TEXTS)
@example(LINKED)
@example(TABLE)
@example(SHIFTED)
@example(IMAGE)
@example("```\n[[2]]\n")
@example("[[1]]``x``<pre>")
def test_every_block_of_code_is_equal_to_lines_on_disk(fees: Index, found: Candidates, text: str):
    parts, _ = spliced(fees.generation, found, [text])
    check(parts)


@SHARED
@given(TEXTS, st.randoms(use_true_random=False))
def test_the_answer_is_the_same_however_the_stream_is_cut(
    fees: Index, found: Candidates, text: str, source: random.Random
):
    whole, one = spliced(fees.generation, found, [text])
    for pieces in (cut(text, source), list(text)):
        parts, other = spliced(fees.generation, found, pieces)
        assert parts == whole
        assert (other.void, other.cited, other.shown) == (one.void, one.cited, one.shown)


@given(st.text(), st.randoms(use_true_random=False))
def test_lines_hold_nothing_that_ends_a_line_or_steers(text: str, source: random.Random):
    reader = LineReader()
    lines = [line for piece in cut(text, source) for line in reader.feed(piece)] + reader.finish()
    assert all(line.isprintable() or not set(line) & set("\n\r\x0b\x1b\x85") for line in lines)


def test_some_hundred_random_answers(fees: Index, found: Candidates):
    blocks, voids = fuzz(fees, found, count=300, seed=7)
    assert blocks > 300
    assert voids > 100
