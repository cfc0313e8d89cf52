"""The standing gate: 60 questions, labelled by hand, about five packages the tests install.

Their files are searched as they are installed here, so nothing is downloaded. A question whose
file another version of a package does not have is left out.
"""

from __future__ import annotations

import importlib.util
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from codequarry.eval.gate import Baseline, gate, load_baseline
from codequarry.eval.golden import load_golden
from codequarry.eval.run import Places, run_golden
from codequarry.eval.searcher import QuarrySearcher
from codequarry.retrieval.linear import Weights

if TYPE_CHECKING:
    from codequarry.eval.record import Run

EVAL = Path(__file__).parents[2] / "eval"
PACKAGES = ("_pytest", "click", "pathspec", "platformdirs", "rich")
LEAST = 50  # questions that must be left for the gate to mean anything


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("installed")
    for name in PACKAGES:
        found = importlib.util.find_spec(name)
        assert found is not None and found.origin is not None
        skip = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
        shutil.copytree(Path(found.origin).parent, here / name, ignore=skip)
    shutil.copy(EVAL / "goldens/installed.jsonl", here)
    return here


@pytest.fixture(scope="module")
def baseline(packages: Path) -> Baseline:
    whole = load_baseline(EVAL / "baselines/installed.json")
    rows = load_golden(packages / "installed.jsonl").rows
    here = {
        row.id
        for row in rows
        if all((packages / row.repo / path).exists() for path in row.relevant_paths)
    }
    assert len(here) >= LEAST
    kept = [(i, v) for i, v in zip(whole.ids, whole.values, strict=True) if i in here]
    return replace(whole, ids=tuple(i for i, _ in kept), values=tuple(v for _, v in kept))


def asked(packages: Path) -> Run:
    golden = load_golden(packages / "installed.jsonl")
    return run_golden(golden, QuarrySearcher(), Places(packages), profiles=["linear"])


def test_retrieval_is_no_worse_than_the_baseline(packages: Path, baseline: Baseline):
    assert gate(asked(packages), baseline) == []


@pytest.mark.parametrize("kept", ["nothing but the size of a file", "no names of files"])
def test_a_worsened_ranking_does_not_pass(
    packages: Path, baseline: Baseline, monkeypatch: pytest.MonkeyPatch, kept: str
):
    from codequarry.retrieval.features import FEATURES

    names = [name for name in FEATURES if name.startswith(("stem", "path", "folder", "dense"))]
    dropped = [*FEATURES] if kept.startswith("nothing") else names
    scores = Weights.scores

    def worse(self: Weights, matrix):
        values = dict(zip(FEATURES, self.values, strict=True))
        values |= dict.fromkeys(dropped, 0.0) | {"log_chunks": 1.0}
        return scores(Weights(tuple(values.values())), matrix)

    monkeypatch.setattr(Weights, "scores", worse)
    failures = gate(asked(packages), baseline)
    assert [line for line in failures if line.startswith(("r_at_1", "ndcg_at_10"))]
