"""`quarry eval tokens`: recall against tokens, for codequarry and for grep."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from support import write_tree

from codequarry.eval.golden import load_golden
from codequarry.eval.run import Places
from codequarry.eval.searcher import QuarrySearcher
from codequarry.eval.token_economy import BUDGETS, WAYS, measure, to_html
from codequarry.models.tokens import estimate_tokens

if TYPE_CHECKING:
    from pathlib import Path

FILLER = "".join(f"value_{i} = compute({i}, {i + 1})\n" for i in range(150))


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    """The relevant file has both words; ``noise.py`` has one, often, and sorts first by matches."""
    tree = {
        "billing.py": 'def refund_invoice(invoice):\n    """Refund it."""\n' + FILLER,
        "noise.py": "invoice = 1\n" * 30 + FILLER,
        "other.py": FILLER,
    }
    write_tree(tmp_path / "shop", tree)
    row = {"query": "refund invoice", "repo": "shop", "gold": [{"path": "billing.py"}]}
    file = tmp_path / "golden.jsonl"
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return file


def test_grep_pays_for_its_list_and_for_the_whole_file(tmp_path: Path, golden: Path):
    economy = measure(load_golden(golden), QuarrySearcher("none"), Places(tmp_path))
    listed = estimate_tokens("billing.py:2\n") + estimate_tokens("noise.py:30\n")
    whole = listed + estimate_tokens((tmp_path / "shop/billing.py").read_text())
    assert 1_000 < whole < 4_000
    for budget, named, seen in zip(
        BUDGETS, economy.recall["grep named"], economy.recall["grep seen"], strict=True
    ):
        assert named == 1.0  # the first line of the list, far below the smallest budget
        assert seen == float(whole <= budget)


def test_recall_never_falls_with_more_tokens(tmp_path: Path, golden: Path):
    economy = measure(load_golden(golden), QuarrySearcher("none"), Places(tmp_path))
    for way in WAYS:
        assert list(economy.recall[way]) == sorted(economy.recall[way])
    assert economy.recall["quarry named"][0] == economy.recall["quarry seen"][-1] == 1.0


def test_the_command_prints_the_curve_and_writes_the_page(tmp_path: Path, golden: Path, quarry):
    page = tmp_path / "curve.html"
    done = quarry("eval", "tokens", golden, "--model", "none", "-o", page)
    assert done.status == 0, done.err
    rows = [line for line in done.out.splitlines() if re.match(r" *[\d,]+  ", line)]
    assert [row.split()[0] for row in rows] == [f"{budget:,}" for budget in BUDGETS]
    text = page.read_text(encoding="utf-8")
    assert text.count("<polyline") == len(WAYS)
    assert "64k" in text


def test_repositories_that_cannot_be_had_are_named(tmp_path: Path, golden: Path):
    with golden.open("a", encoding="utf-8") as out:
        out.write(json.dumps({"query": "q", "repo": "<gone>", "gold": [{"path": "a.py"}]}) + "\n")
    economy = measure(load_golden(golden), QuarrySearcher("none"), Places(tmp_path))
    assert economy.queries == 1
    assert "&lt;gone&gt;" in to_html(economy)
    assert "<gone>" not in to_html(economy)
