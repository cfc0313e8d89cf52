"""The files that an answer cites, taken as the ranking, are scored like any ranking."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support import quarry_process, write_tree

sys.path.append(str(Path(__file__).parents[1] / "ask"))
from chat_server import ChatServer, chat_server

if TYPE_CHECKING:
    from collections.abc import Iterator

TREE = {
    f"shop/{name}.py": f'"""How {name} of an order is kept."""\n\n\ndef {name}(order):\n    pass\n'
    for name in ("price", "stock", "parcel", "refund", "invoice")
}
QUESTION = "how is the price of an order kept"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as state:
        yield state


def test_a_model_that_cites_the_gold_file_scores(
    tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
):
    """The gold is the file that retrieval has not first; the model cites it."""
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    write_tree(tmp_path / "shop", TREE)
    gold = tmp_path / "gold.jsonl"
    row = {"query": QUESTION, "repo": "shop", "gold": [{"path": "shop/invoice.py"}]}
    gold.write_text(json.dumps(row) + "\n")

    def cites(body: dict) -> str:
        text = body["messages"][1]["content"]
        number = re.search(r"^\[\[(\d+)\]\] shop/invoice\.py", text, re.MULTILINE)
        assert number is not None
        return f"See [[{number[1]}]]."

    server.answers = cites
    for options, wanted in (((), 0.0), (("--narrator", "openai"), 1.0)):
        out = tmp_path / f"run{len(options)}"
        golden = ("eval", "golden", str(gold), "--profile", "linear", *options, "-o", str(out))
        ran = quarry_process(*golden)
        assert ran.status == 0, ran.err
        (whole, *_) = json.loads((out / "summary.json").read_text())["slices"]
        assert (whole["by"], whole["acc_at_1"]["mean"]) == ("all", wanted)
