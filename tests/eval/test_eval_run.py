from __future__ import annotations

import pytest
from eval_toys import QUESTIONS, WordSearcher, git, question

from codequarry.eval.errors import CorpusError
from codequarry.eval.golden import GoldenSet
from codequarry.eval.run import Places, run_golden
from codequarry.eval.summary import summarise, to_json, to_text


def test_every_question_is_asked_with_every_profile_on_one_index(make_run):
    searcher = WordSearcher()
    run = make_run(searcher=searcher)
    assert run.queries.num_rows == 8
    assert (len(searcher.opened), searcher.closed) == (1, 1)
    assert run.of_profile("words")["id"].to_pylist() == [row.id for row in QUESTIONS]


def test_rows_hold_the_answer_and_its_measures(make_run):
    first = make_run().of_profile("words").slice(0, 1).to_pylist()[0]
    assert first["core"] == ["src/store.py"]
    assert first["related"] == ["src/cache.py", "src/wire.go"]
    assert (first["rank"], first["ndcg_at_10"], first["bundle_recall"]) == (1, 1.0, 1.0)


def test_query_that_fails_scores_zero_and_says_why(make_run):
    run = make_run((*QUESTIONS, question("break", "src/log.py")), ("words",))
    last = run.queries.to_pylist()[-1]
    assert last["error"] == "RuntimeError: broken on purpose"
    assert last["bundle_recall"] == 0.0
    part = summarise(run).overall("words")
    assert (part.queries, part.failed) == (5, 1)
    assert "1 queries failed" in to_text(summarise(run))


def test_repository_that_cannot_be_had_is_listed_and_the_rest_is_asked(make_run, repository):
    (repository.parent / "empty").mkdir()
    extra = (question("x", "a", repo="none", git_repo="none"),)
    extra += (question("y", "a", repo="empty", git_repo="empty"),)
    run = make_run((*QUESTIONS, *extra), ("words",))
    none, empty = run.record.missing
    assert none.startswith("none (1 questions): no repository at")
    assert empty == "empty (1 questions): no file in empty"
    assert run.queries.num_rows == 4


def test_run_without_one_answerable_question_is_an_error(make_run):
    with pytest.raises(CorpusError, match="no question of toy could be asked"):
        make_run((question("x", "a", repo="none"),))


def test_commit_without_mirrors_is_an_error(tmp_path):
    row = question("x", "a", commit="ab" * 20)
    with pytest.raises(CorpusError, match="no mirrors are given"):
        Places(tmp_path).find(row)


def test_corpus_of_a_commit_is_indexed_not_the_work_tree(repository, tmp_path):
    from codequarry.eval.corpora import CorpusCache, Mirrors

    git(repository, "init", "-q")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "x")
    commit = git(repository, "rev-parse", "HEAD")
    (repository / "src/store.py").unlink()
    mirrors = Mirrors({"toy": repository})
    rows = (question("save", "src/store.py", git_repo="toy", commit=commit, root="src"),)
    run = run_golden(
        GoldenSet("toy", "0", rows),
        WordSearcher(),
        Places(tmp_path, CorpusCache(mirrors, tmp_path / "cache")),
        profiles=["words"],
    )
    assert run.queries["r_at_1"].to_pylist() == [1.0]
    assert run.indexes.to_pylist()[0]["root"] == "src"


def test_progress_says_one_line_a_corpus(repository, golden_set):
    said: list[str] = []
    run_golden(
        golden_set,
        WordSearcher(),
        Places(repository.parent),
        profiles=["words"],
        progress=said.append,
    )
    assert said == ["toy: 4 files, 4 questions, 0.25 s"]


def test_summary_slices_by_language_kind_commit_and_whether_gold_is_named(make_run):
    summary = summarise(make_run())
    found = {(p.by, p.value): p.queries for p in summary.slices if p.profile == "words"}
    assert found == {
        ("all", ""): 4,
        ("commit", "exact only"): 3,
        ("gold in query", "not named"): 3,
        ("gold in query", "named"): 1,
        ("kind", "semantic"): 1,
        ("kind", "symbol"): 3,
        ("language", "go"): 1,
        ("language", "python"): 3,
    }


def test_summary_reports_questions_that_do_not_name_the_stem(make_run):
    rows = (*QUESTIONS, question("wire", "src/wire.go", mentions_stem=True))
    slices = summarise(make_run(rows, ("words",))).slices
    assert {part.value: part.queries for part in slices}["stem not named"] == 4


def test_opened_index_is_closed_when_a_run_is_interrupted(make_run, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("eval_toys.WordSession.search", interrupt)
    searcher = WordSearcher()
    with pytest.raises(KeyboardInterrupt):
        make_run(searcher=searcher)
    assert searcher.closed == 1


def test_summary_means_by_hand(make_run):
    part = summarise(make_run(profiles=("words",))).overall("words")
    # "store cache" has two gold files, and src/log.py holds neither word.
    assert part.measure("bundle_recall").mean == pytest.approx((1 + 1 + 1 + 0.5) / 4)
    assert part.measure("bundle_complete").mean == pytest.approx(3 / 4)
    assert part.repo_mean_ndcg == pytest.approx(part.measure("ndcg_at_10").mean)


def test_repository_means_weigh_repositories_equally(make_run, repository):
    other = repository.parent / "other"
    other.mkdir()
    (other / "x.py").write_text("nothing\n", encoding="utf-8")
    rows = (*QUESTIONS[:2], question("store z", "x.py", repo="other", git_repo="other"))
    part = summarise(make_run(rows, ("words",))).overall("words")
    assert part.measure("ndcg_at_10").mean == pytest.approx(2 / 3)
    assert part.repo_mean_ndcg == pytest.approx(1 / 2)


def test_json_summary_names_the_measures(make_run):
    told = to_json(summarise(make_run()))
    assert told["index_files"] == 4
    assert set(told["slices"][0]["ndcg_at_10"]) == {"mean", "low", "high"}


def test_text_summary_has_a_line_a_slice(make_run):
    text = to_text(summarise(make_run()))
    assert "language: go" in text
    assert "mean of 1 repositories" in text
