"""`quarry eval fit|tokens|scale` refuse what they cannot use, at once and in one line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from support import index, write_tree

from codequarry.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

ROW = {"query": "refund invoice", "repo": "shop", "gold": [{"path": "billing.py"}]}


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    write_tree(tmp_path / "shop", {"billing.py": "def refund_invoice(x):\n    return x\n"})
    file = tmp_path / "golden.jsonl"
    file.write_text(json.dumps(ROW) + "\n", encoding="utf-8")
    return file


def refused(done, *words: str) -> None:
    assert done.status in (1, 2), done.out
    assert "Traceback" not in done.err
    assert "this is a bug" not in done.err
    for word in words:
        assert word in done.err


@pytest.mark.parametrize("weight", ["abc", "nan", "-1", "0", "inf", "1=2"])
def test_a_weight_that_is_none_is_refused(golden: Path, quarry, weight: str):
    done = quarry("eval", "fit", f"{golden}={weight}", "--mirrors", golden.parent)
    refused(done, f"{weight!r} is no weight")


def test_weights_are_not_fitted_on_one_repository(golden: Path, quarry):
    refused(quarry("eval", "fit", golden, "--mirrors", golden.parent), "there is but one")


@pytest.mark.parametrize(
    "arguments",
    [
        ("eval", "tokens", "{golden}", "-o", "{base}/no/folder/x.html"),
        ("eval", "tokens", "{golden}", "-o", "{base}"),
        ("eval", "fit", "{golden}", "--mirrors", "{base}", "-o", "{base}/no/folder/x.json"),
    ],
)
def test_a_place_that_cannot_be_written_is_told_before_the_work(golden, quarry, arguments):
    given = [a.format(golden=golden, base=golden.parent) for a in arguments]
    refused(quarry(*given), "-o")
    assert not (golden.parent / "shop/.quarry").exists()


@pytest.mark.parametrize(
    "text", [b"", b"not json\n", b"[]\n", b'"x"\n', b'{"a": 1}\n', b'{"query": 5}\n', b"\xff\n"]
)
def test_questions_that_are_none_are_refused(tmp_path: Path, quarry, text: bytes):
    root = write_tree(tmp_path / "shop", {"a.py": "def order():\n    return 1\n"})
    index(root, Settings())
    (tmp_path / "q.jsonl").write_bytes(text)
    refused(quarry("eval", "scale", root, "--chunks", "1", "--questions", tmp_path / "q.jsonl"))


def test_an_index_without_chunks_is_told(tmp_path: Path, quarry):
    root = write_tree(tmp_path / "empty", {"empty.py": ""})
    index(root, Settings())
    refused(quarry("eval", "scale", root, "--chunks", "5"), "hold no chunk")


def test_a_fleet_nobody_can_ask_is_told(tmp_path: Path, quarry):
    root = write_tree(tmp_path / "data", {"x.json": '{"a": 1}\n'})
    index(root, Settings())
    refused(quarry("eval", "scale", root, "--chunks", "1"), "nothing to ask")
