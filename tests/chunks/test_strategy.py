"""Whoever wrote a strategy, its chunks are checked, and windows take over when it fails."""

from __future__ import annotations

from codequarry.assets.chunks.measure import Measure
from codequarry.assets.chunks.strategy import run_strategy
from codequarry.vocabulary import Chunk, Kind

SOURCE = Measure(b"a\nb\nc\n")


def test_a_partition_is_taken_as_it_is() -> None:
    chunks = [Chunk(1, 1, Kind.MODULE), Chunk(2, 3, Kind.FUNCTION)]
    assert run_strategy(SOURCE, lambda _: chunks).chunks == chunks


def test_no_chunk_for_a_file_with_content_is_refused() -> None:
    cut = run_strategy(SOURCE, lambda _: [])
    assert cut.refused
    assert [chunk.kind for chunk in cut.chunks] == [Kind.WINDOW]


def test_no_chunk_for_a_blank_file_is_right() -> None:
    assert run_strategy(Measure(b" \n\n"), lambda _: []).refused == ""


def test_an_overlap_is_refused_with_its_place() -> None:
    cut = run_strategy(SOURCE, lambda _: [Chunk(1, 2, Kind.MODULE), Chunk(2, 3, Kind.MODULE)])
    assert "overlap" in cut.refused
    assert [(chunk.start_line, chunk.end_line) for chunk in cut.chunks] == [(1, 3)]
