from __future__ import annotations

import dataclasses
import json

import pytest
from eval_toys import QUESTIONS, question

from codequarry.eval.compare import compare, to_text
from codequarry.eval.errors import RecordError
from codequarry.eval.gate import baseline_of, gate, load_baseline, save_baseline


def test_wins_and_losses_are_listed_with_their_ranks(make_run):
    run = make_run()
    worse = compare(run, run, "words", "reversed")
    assert [change.id for change in worse.losses] == ["store", "store cache"]  # the largest first
    assert worse.wins == ()
    loss = worse.losses[0]
    assert (loss.before, loss.before_rank, loss.after_rank) == (1.0, 1, 3)
    better = compare(run, run, "reversed", "words")
    assert [change.id for change in better.wins] == ["store", "store cache"]
    assert better.delta("ndcg_at_10").difference.mean == pytest.approx(
        -worse.delta("ndcg_at_10").difference.mean
    )


def test_run_against_itself_has_no_difference(make_run):
    same = compare(make_run(), make_run())
    assert same.before.endswith("words")
    assert same.after.endswith("words")
    assert all(delta.difference.mean == 0 and not delta.wins for delta in same.deltas)


def test_only_shared_questions_are_compared(make_run):
    less = make_run(QUESTIONS[:3])
    found = compare(make_run(), less)
    assert (found.queries, found.only_before, found.only_after) == (3, 1, 0)


def test_no_shared_question_is_an_error(make_run):
    with pytest.raises(RecordError, match="no question in common"):
        compare(make_run(QUESTIONS[:1]), make_run(QUESTIONS[1:]))


def test_text_marks_differences_beyond_chance(make_run):
    rows = tuple(question("store", "src/store.py", id=f"q{number}") for number in range(12))
    run = make_run(rows)
    text = to_text(compare(run, run, "words", "reversed"))
    (line,) = [line for line in text.split("\n") if line.startswith("ndcg_at_10")]
    assert "*" in line
    assert "losses (12)" in text


def test_same_run_passes_its_baseline_through_the_file(make_run, tmp_path):
    run = make_run()
    save_baseline(baseline_of(run, "words"), tmp_path / "b.json")
    assert gate(make_run(), load_baseline(tmp_path / "b.json")) == []


def test_baseline_file_has_a_line_a_question(make_run, tmp_path):
    path = tmp_path / "b.json"
    save_baseline(baseline_of(make_run(), "words"), path)
    assert json.loads(path.read_text(encoding="utf-8"))["dataset"] == "toy"
    assert '  "store": [1.0, 1.0, 1.0],' in path.read_text(encoding="utf-8").split("\n")


def test_file_lost_from_one_bundle_fails_the_gate(make_run, repository):
    baseline = baseline_of(make_run(), "words")
    (repository / "src/wire.go").write_text("nothing\n", encoding="utf-8")
    failures = gate(make_run(), baseline)
    assert failures[0].startswith("bundle_recall fell from 0.8750 to 0.6250: it may not fall")
    assert "socket" in failures[0]


def many(count=40):
    words = [("store", "src/store.py"), ("cache", "src/cache.py"), ("wire", "src/wire.go")]
    return tuple(
        question(f"{word} store", path, id=f"{word}{number}")
        for number in range(count)
        for word, path in words[: 1 + number % 3]
    )


def test_worsened_ranking_fails_the_gate_though_no_file_is_lost(make_run):
    run = make_run(many())
    baseline = dataclasses.replace(baseline_of(run, "words"), profile="reversed")
    failures = gate(run, baseline)
    assert [failure.split(" ")[0] for failure in failures] == ["r_at_1", "ndcg_at_10"]


def test_drop_within_chance_passes(make_run):
    run = make_run(many())
    baseline = baseline_of(run, "words")
    lucky = (*baseline.values[:-1], (baseline.values[-1][0], 1.0, 1.0))
    assert gate(run, dataclasses.replace(baseline, values=lucky)) == []


def test_better_ranking_passes(make_run):
    run = make_run(many())
    assert gate(run, dataclasses.replace(baseline_of(run, "reversed"), profile="words")) == []


def test_baseline_of_other_questions_fails_the_gate(make_run):
    baseline = dataclasses.replace(baseline_of(make_run(), "words"), dataset_sha256="1" * 64)
    (failure,) = gate(make_run(), baseline)
    assert "other questions" in failure


def test_unasked_question_fails_the_gate(make_run):
    (failure,) = gate(make_run(QUESTIONS[:2]), baseline_of(make_run(), "words"))
    assert failure == "2 questions of the baseline were not asked, e.g. socket"


def test_run_with_missing_repositories_justifies_no_baseline(make_run):
    run = make_run((*QUESTIONS, question("x", "a", repo="none", git_repo="none")))
    with pytest.raises(RecordError, match="not whole"):
        baseline_of(run, "words")


def test_run_with_failed_queries_justifies_no_baseline(make_run):
    run = make_run((*QUESTIONS, question("break", "src/log.py")))
    with pytest.raises(RecordError, match="broken on purpose"):
        baseline_of(run, "words")


@pytest.mark.parametrize("content", [None, "{", "[]", '{"format": 9, "measures": []}', "{}"])
def test_bad_baseline_file_is_a_record_error(tmp_path, content):
    path = tmp_path / "b.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(RecordError):
        load_baseline(path)
