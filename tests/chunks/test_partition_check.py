"""`validate_partition` names every way a partition can be wrong."""

from __future__ import annotations

import pytest

from codequarry.assets.chunks.partition import validate_partition
from codequarry.vocabulary import Chunk, Kind


def chunks(*spans: tuple[int, int]) -> list[Chunk]:
    return [Chunk(start, end, Kind.WINDOW) for start, end in spans]


def test_an_exact_cover_has_no_problem() -> None:
    assert validate_partition(chunks((1, 3), (4, 4), (5, 9)), 9) == []


def test_no_chunk_is_allowed_for_a_file_without_content() -> None:
    assert validate_partition([], 0) == []


@pytest.mark.parametrize(
    ("spans", "word"),
    [
        pytest.param([(2, 9)], "first", id="late-start"),
        pytest.param([(1, 3), (5, 9)], "gap", id="gap"),
        pytest.param([(1, 5), (5, 9)], "overlap", id="overlap"),
        pytest.param([(1, 8)], "last", id="early-end"),
        pytest.param([(1, 10)], "last", id="past-the-end"),
        pytest.param([(1, 4), (5, 4), (5, 9)], "back", id="backwards"),
    ],
)
def test_a_wrong_cover_is_named(spans: list[tuple[int, int]], word: str) -> None:
    assert any(word in problem for problem in validate_partition(chunks(*spans), 9))
