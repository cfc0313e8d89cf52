"""`quarry ask` as people and programs run it."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest
from answer_toys import TREE
from rich.console import Console
from support import index, quarry_process, write_tree

from codequarry.ask.ask import ask
from codequarry.ask.narrators.protocol import Silent
from codequarry.shells.cli.answer_terminal import TerminalAnswer

if TYPE_CHECKING:
    from pathlib import Path

    from chat_server import ChatServer

    from codequarry.retrieval.index import Index


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_tree(tmp_path_factory.mktemp("cli") / "fees", TREE | {"quarry.toml": NO_MODEL})
    index(root)
    return root


NO_MODEL = 'model = "none"\n'


def test_without_a_key_an_answer_comes_from_the_index_alone(repo: Path, quarry):
    ran = quarry("-C", repo, "ask", "how is the late fee made", "--json")
    assert ran.status == 0
    assert (ran.json["narrator"], ran.json["cached"]) == ("extractive", False)
    assert "src/fees.py" in {span["path"] for span in ran.json["spans"]}
    assert "return days * base_fee()" in ran.json["answer"]


def test_events_are_json_lines_that_end_in_done(repo: Path, quarry):
    ran = quarry("-C", repo, "ask", "how is the late fee made", "--events", "--no-cache")
    stream = [json.loads(line) for line in ran.out.splitlines()]
    assert (stream[0]["type"], stream[-1]["type"]) == ("retrieval", "done")
    assert stream[-1]["answer"]["question"] == "how is the late fee made"


def test_a_model_writes_and_the_disk_is_quoted(repo: Path, quarry, server: ChatServer, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    server.says("The days count [[1]].\n")
    ran = quarry("-C", repo, "ask", "late fee days", "--model", "tiny", "--max-tokens", "64")
    assert ran.out.startswith("The days count `")
    assert "asking tiny at 127.0.0.1" in ran.err
    assert "Also found, not cited:" in ran.out
    assert (server.requests[0]["model"], server.requests[0]["max_tokens"]) == ("tiny", 64)


def test_without_a_key_a_named_model_is_not_asked_and_all_is_shown(repo: Path, quarry):
    ran = quarry("-C", repo, "ask", "late fee", "--narrator", "openai")
    assert ran.status == 0
    assert "OPENAI_API_KEY" in ran.err
    assert "All that was found follows" in ran.out


def test_a_missing_key_stops_before_anything_is_indexed(tmp_path: Path, quarry):
    root = write_tree(tmp_path / "new", TREE)
    ran = quarry("-C", root, "ask", "late fee", "--narrator", "openai", "--json")
    assert ran.status == 1
    assert ran.json["error"]["code"] == "missing_api_key"
    assert not (root / ".quarry").exists()


def test_a_repository_is_indexed_at_the_first_question(tmp_path: Path):
    root = write_tree(tmp_path / "new", {"a.py": "def fee():\n    return 1\n"})
    ran = quarry_process("ask", "fee", cwd=root)
    assert ran.status == 0
    assert "indexing" in ran.err
    assert "```python\ndef fee():\n    return 1\n```" in ran.out


def test_nothing_found_is_said_and_is_the_exit_status(repo: Path, quarry):
    ran = quarry("-C", repo, "ask", "?!")
    assert ran.status == 1
    assert "Nothing was found" in ran.out


@pytest.mark.parametrize("arguments", [[], ["x", "--json", "--events"], ["x", "--narrator", "y"]])
def test_wrong_use_is_said(repo: Path, quarry, arguments: list[str]):
    ran = quarry("-C", repo, "ask", *arguments)
    assert ran.status == 2


def test_a_file_cannot_steer_the_terminal(fees: Index):
    out = io.StringIO()
    terminal = TerminalAnswer(Console(file=out, width=100, no_color=True))
    for event in ask(fees, "fee", Silent("extractive")):
        terminal.show(event)
    text = out.getvalue()
    assert "\\x1b[31mfee" in text
    assert "\x1b[31m" not in text
    assert "\x07" not in text
    assert "return days * base_fee()" in text
    assert "src/fees.py:1-7" in text
