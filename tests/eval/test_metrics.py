"""Expected values are worked by hand or by the formula written out here, not by the library."""

from __future__ import annotations

import math
import random

import pytest

from codequarry.eval.golden import Golden, Target
from codequarry.eval.metrics import chunk_ndcg_at_10, first_rank, ndcg_at_10, score
from codequarry.eval.protocol import Answer, ChunkHit


def row(gold, secondary=()):
    return Golden(
        "id", "q", "r", tuple(Target(p) for p in gold), tuple(Target(p) for p in secondary)
    )


def answer(core, related=(), chunks=()):
    return Answer(tuple(core), tuple(related), tuple(chunks), 1.0)


def formula(ranking, relevant):
    gain = sum(1 / math.log2(1 + i) for i, p in enumerate(ranking[:10], 1) if p in relevant)
    return gain / sum(1 / math.log2(1 + i) for i in range(1, min(10, len(relevant)) + 1))


def test_ndcg_by_hand():
    # Relevant at ranks 2 and 4: (0.6309 + 0.4307) / (1 + 0.6309).
    assert ndcg_at_10(["a", "b", "c", "d"], ["b", "d"]) == pytest.approx(0.65092, abs=1e-5)


def test_ndcg_of_a_perfect_ranking_is_one():
    assert ndcg_at_10(["b", "d", "a"], ["d", "b"]) == pytest.approx(1.0)


def test_ndcg_ignores_ranks_past_ten():
    assert ndcg_at_10([str(n) for n in range(11)], ["10"]) == 0.0


def test_ndcg_of_no_answer_is_zero():
    assert ndcg_at_10([], ["a"]) == 0.0


def test_ndcg_with_more_than_ten_relevant_has_ten_in_the_ideal():
    names = [str(n) for n in range(15)]
    assert ndcg_at_10(names, names) == pytest.approx(1.0)


def test_ndcg_agrees_with_the_formula_on_random_rankings():
    rng = random.Random(7)
    names = [f"dir/file{n}.py" for n in range(40)]
    for _ in range(200):
        ranking = rng.sample(names, rng.randrange(1, 30))
        relevant = rng.sample(names, rng.randrange(1, 14))
        assert ndcg_at_10(ranking, relevant) == pytest.approx(formula(ranking, relevant))


def test_long_rankings_keep_their_order():
    # Scores are negated ranks; single precision must still tell them apart.
    ranking = [f"f{n}" for n in range(5000)]
    scores = score(row(["f9"]), answer(ranking))
    assert (scores.r_at_5, scores.r_at_10) == (0.0, 1.0)
    assert scores.mrr == pytest.approx(0.1)


def test_secondary_files_gain_in_ndcg_and_recall_but_not_in_gold_at_1():
    scores = score(row(["g"], ["s"]), answer(["s"], ["g"]))
    assert scores.ndcg_at_10 == pytest.approx(1.0)
    assert (scores.r_at_1, scores.gold_at_1) == (1.0, 0.0)
    assert (scores.core_recall, scores.bundle_recall) == (0.5, 1.0)


def test_acc_asks_for_all_gold_files_and_not_for_secondary_ones():
    scores = score(row(["a", "b"], ["never"]), answer(["a"], ["x", "b"]))
    assert (scores.acc_at_1, scores.acc_at_5, scores.acc_at_10) == (0.0, 1.0, 1.0)


def test_bundle_is_complete_only_with_every_relevant_file():
    part = score(row(["a", "b", "c"]), answer(["a"], ["c"]))
    assert part.bundle_recall == pytest.approx(2 / 3)
    assert part.bundle_complete == 0.0
    whole = score(row(["a", "c"]), answer(["a"], ["c"]))
    assert whole.bundle_complete == 1.0


def test_file_in_core_and_related_counts_once():
    scores = score(row(["b"]), answer(["a"], ["a", "b"]))
    assert scores.mrr == pytest.approx(0.5)


def test_empty_answer_scores_nothing():
    scores = score(row(["a"]), answer([]))
    assert scores.ndcg_at_10 == scores.mrr == scores.bundle_recall == scores.gold_at_1 == 0.0


def test_chunks_of_one_file_take_up_ranks():
    chunks = [ChunkHit("a", 1, 9, 3.0), ChunkHit("a", 10, 19, 2.0), ChunkHit("b", 1, 9, 1.0)]
    found = chunk_ndcg_at_10(chunks, [Target("b")])
    assert found == pytest.approx(1 / math.log2(4))


def test_chunk_must_overlap_the_span_where_one_is_given():
    chunks = [ChunkHit("a", 1, 9, 3.0), ChunkHit("a", 10, 19, 2.0)]
    assert chunk_ndcg_at_10(chunks, [Target("a")]) == pytest.approx(1.0)
    assert chunk_ndcg_at_10(chunks, [Target("a", 19, 30)]) == pytest.approx(1 / math.log2(3))
    assert chunk_ndcg_at_10(chunks, [Target("a", 20, 30)]) == 0.0


def test_two_targets_first_met_by_one_chunk_count_once():
    # As published: one gain at rank 1, an ideal of two.
    targets = [Target("a", 1, 4), Target("a", 5, 9)]
    found = chunk_ndcg_at_10([ChunkHit("a", 1, 9, 1.0)], targets)
    assert found == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_chunks_past_ten_do_not_count():
    chunks = [ChunkHit("x", n, n, 1.0) for n in range(1, 11)] + [ChunkHit("a", 1, 1, 0.5)]
    assert chunk_ndcg_at_10(chunks, [Target("a")]) == 0.0


def test_first_rank():
    assert first_rank(["x", "y"], ["y", "x"]) == 1
    assert first_rank(["x"], ["y"]) == 0
