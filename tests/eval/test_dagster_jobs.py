"""The jobs `golden_eval` and `swebench_eval`, run by Dagster on real indexes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import dagster as dg
import pytest
from support import commit_all, git, modules, write_tree

from codequarry.eval.definitions import defs
from codequarry.eval.gate import baseline_of, save_baseline
from codequarry.eval.record import load_run

if TYPE_CHECKING:
    from pathlib import Path


def run(job: str, **config: object) -> tuple[dict[str, Any], bool]:
    """The metadata of the job's asset, and whether its gate passed."""
    with dg.DagsterInstance.ephemeral() as instance:
        done = defs.resolve_job_def(job).execute_in_process(
            run_config={"ops": {job: {"config": config}}}, instance=instance
        )
    (made,) = done.asset_materializations_for_node(job)
    (check,) = done.get_asset_check_evaluations()
    return {name: value.value for name, value in made.metadata.items()}, check.passed


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    write_tree(tmp_path / "shop", modules(3))
    rows = [
        {"query": f"marker unit0{i}", "repo": "shop", "gold": [{"path": f"mod_0{i}.py"}]}
        for i in range(3)
    ]
    file = tmp_path / "golden.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def test_golden_eval_records_its_run_and_passes_its_own_baseline(tmp_path: Path, golden: Path):
    out, profiles = tmp_path / "run", ["linear", "lexical"]
    told, _ = run("golden_eval", file=str(golden), model="none", profiles=profiles, out=str(out))
    assert (told["queries"], told["acc_at_1"], told["bundle_recall"]) == (3, 1.0, 1.0)
    assert told["profiles"].splitlines()[2].startswith("| linear | 3 | 1.000 |")
    assert (out / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    recorded = load_run(out)
    assert set(recorded.queries["profile"].to_pylist()) == set(profiles)

    save_baseline(baseline_of(recorded, "lexical"), tmp_path / "base.json")
    base = {"file": str(golden), "model": "none", "baseline": str(tmp_path / "base.json")}
    assert run("golden_eval", **base, out=str(tmp_path / "again"), profiles=["lexical"])[1]


def test_the_gate_of_golden_eval_fails_where_files_are_lost(tmp_path: Path, golden: Path):
    """The baseline was made while every file was there."""
    config = {"file": str(golden), "model": "none", "profiles": ["lexical"]}
    run("golden_eval", **config, out=str(tmp_path / "before"))
    save_baseline(baseline_of(load_run(tmp_path / "before"), "lexical"), tmp_path / "base.json")
    (tmp_path / "shop/mod_01.py").unlink()
    config |= {"baseline": str(tmp_path / "base.json"), "out": str(tmp_path / "after")}
    told, passed = run("golden_eval", **config)
    assert (told["bundle_recall"], passed) == (pytest.approx(2 / 3), False)


def test_swebench_eval_asks_each_issue_at_its_commit(tmp_path: Path):
    root = write_tree(tmp_path / "shop", modules(2))
    commit = commit_all(root)
    git(tmp_path, "clone", "-q", "--bare", str(root), str(tmp_path / "mirrors/toy+shop"))
    row = {
        "instance_id": "toy__shop-1",
        "repo": "toy/shop",
        "base_commit": commit,
        "problem_statement": "marker unit01",
        "patch": "diff --git a/mod_01.py b/mod_01.py\n--- a/mod_01.py\n+++ b/mod_01.py\n"
        "@@ -1 +1 @@\n-a\n+b\n",
    }
    (tmp_path / "s.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    told, passed = run(
        "swebench_eval",
        file=str(tmp_path / "s.jsonl"),
        mirrors=str(tmp_path / "mirrors"),
        cache=str(tmp_path / "cache"),
        out=str(tmp_path / "run"),
        model="none",
    )
    assert (told["queries"], told["acc_at_1"], told["missing"], passed) == (1, 1.0, [], True)


def test_a_wrong_file_fails_the_run(tmp_path: Path):
    with pytest.raises(Exception, match="cannot be read"):
        run("golden_eval", file=str(tmp_path / "none.jsonl"))
