"""Code questions on verified programs, and that a wrong answer is seen as one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from codequarry.eval.brainbench import CATEGORIES, run_brainbench, to_text
from codequarry.eval.errors import CorpusError

PROGRAMS = Path(__file__).parents[1] / "languages/fixtures"


@pytest.mark.parametrize("language", ["cpp", "jsx", "python", "ruby"])
def test_every_question_about_a_verified_program_is_answered(language: str):
    bench = run_brainbench([PROGRAMS / language])
    assert bench.as_json()["missed"] == []
    assert all(bench.count(category) for category in CATEGORIES)


def test_what_is_missing_and_what_is_wrong_is_listed(tmp_path: Path):
    program = tmp_path / "programs" / "python"
    shutil.copytree(PROGRAMS / "python", program)
    expected = json.loads((program / "expected.json").read_text())
    call = next(e for e in expected["edges"] if e["type"] == "calls" and e["resolved"])
    expected["edges"].append(call | {"from": "shop.nobody"})
    nested = next(s for s in expected["symbols"] if s["parent"])
    nested["parent"] = ["Elsewhere"]
    (program / "expected.json").write_text(json.dumps(expected))
    bench = run_brainbench([tmp_path / "programs"])
    assert bench.mean("call_graph_recall") < 1
    assert bench.mean("parent_scope_coverage", "python") < 1
    assert "shop.nobody" in to_text(bench)
    assert nested["qualified"] in to_text(bench)


def test_a_place_without_a_program_is_an_error(tmp_path: Path):
    with pytest.raises(CorpusError, match="no program"):
        run_brainbench([tmp_path])
    (tmp_path / "expected.json").write_text("[]")
    with pytest.raises(CorpusError, match="names no symbols"):
        run_brainbench([tmp_path])
