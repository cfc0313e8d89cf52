"""The scored cut and the line windows built on it."""

from __future__ import annotations

import time

from codequarry.assets.chunks.cuts import FORBIDDEN, Target, scored_cuts
from codequarry.assets.chunks.measure import BUDGET, Measure
from codequarry.assets.chunks.windows import window_chunks, window_rows

TARGET = Target(low=5, best=10, high=15)


def test_a_short_run_is_not_cut() -> None:
    assert scored_cuts([5, 5, 5], [1, 1, 1], TARGET) == []


def test_the_best_score_within_reach_wins() -> None:
    scores = [1] * 30
    scores[7] = 50
    assert scored_cuts([1] * 30, scores, TARGET)[0] == 7


def test_ties_go_to_the_cut_nearest_to_the_target() -> None:
    assert scored_cuts([1] * 30, [1] * 30, TARGET)[0] == 10


def test_a_forbidden_run_is_kept_whole() -> None:
    scores = [1, 1, *[FORBIDDEN] * 18, 1, 1, 1]
    cuts = scored_cuts([1] * 23, scores, TARGET)
    assert all(not 2 <= cut < 20 for cut in cuts)


def test_a_giant_forbidden_run_is_cut_in_the_end() -> None:
    scores = [1, *[FORBIDDEN] * 999]
    cuts = scored_cuts([1] * 1000, scores, TARGET)
    pieces = [b - a for a, b in zip([0, *cuts], [*cuts, 1000], strict=True)]
    assert max(pieces) <= 3 * TARGET.high


def test_cutting_is_linear_in_the_number_of_lines() -> None:
    def seconds(count: int) -> float:
        started = time.process_time()
        scored_cuts([0, 1] * count, [1] * (2 * count), TARGET)
        return time.process_time() - started

    assert seconds(200_000) < 150 * max(seconds(10_000), 0.002)  # quadratic: 400 times


def test_windows_stay_under_the_budget_and_prefer_blank_lines() -> None:
    paragraph = b"word " * 20 + b"\n"
    source = (paragraph * 30 + b"\n") * 10
    measure = Measure(source)
    rows = window_rows(measure, 0, measure.line_count - 1)
    assert len(rows) > 1
    for first, last in rows:
        assert measure.size(first, last) <= BUDGET
    for first, _ in rows[1:]:
        assert not measure.text(first - 1, first - 1).strip()


def test_an_over_long_line_is_one_chunk() -> None:
    source = b"short\n" + b"x" * 450_000 + b"\nshort\n"
    chunks = window_chunks(Measure(source))
    assert [(chunk.start_line, chunk.end_line) for chunk in chunks] == [(1, 1), (2, 2), (3, 3)]


def test_size_counts_characters_not_bytes() -> None:
    assert Measure("äöü \t漢字\r\n".encode()).size(0, 0) == 5
