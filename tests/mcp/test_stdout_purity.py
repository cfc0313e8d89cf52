"""Standard output carries messages of the protocol and nothing else, whatever goes wrong."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from replay import HELLO, Replayed, command, replay, request
from support import CASES, QUARRY, index, write_tree

from codequarry.store.generations import current_generation
from codequarry.store.layout import Layout

CASE = CASES / "C053"
SESSION = (CASE / "session.jsonl").read_text().replace('"search"', '"quarry_search"').splitlines()
POSIX = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """The repository of the case, never indexed."""
    return _made(tmp_path / "repo")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, indexed; to be read only."""
    made = _made(tmp_path_factory.mktemp("indexed") / "repo")
    index(made)
    return made


@pytest.fixture
def copied(root: Path, tmp_path: Path) -> Path:
    """A copy of it, to be spoilt."""
    return Path(shutil.copytree(root, tmp_path / "repo"))


def _made(root: Path) -> Path:
    shutil.copytree(CASE / "repo", root)
    (root / "quarry.toml").write_text('model = "none"\nworkers = 1\n')
    return root


def _told(replayed: Replayed) -> dict[str, Any]:
    """What the search said; all that the session asks beside it has its one answer, always."""
    assert set(replayed.answers) == set(range(1, 9))
    assert replayed.status == 0
    assert len(replayed.result(2)["tools"]) == 6
    for bad in (4, 6):
        assert replayed.result(bad)["isError"]
        assert replayed.result(bad)["structuredContent"]["error"]["code"] == "usage"
    assert replayed.answers[5]["error"]["code"] == -32602
    assert replayed.result(7) == {}
    assert replayed.answers[8]["error"]["code"] == -32601
    unread = [message for message in replayed.messages if message.get("id", 0) is None]
    assert [message["error"]["code"] for message in unread] == [-32700]
    return replayed.result(3)


def _error(result: dict[str, Any]) -> dict[str, Any]:
    assert result["isError"]
    assert result["content"][0]["text"]
    found: dict[str, Any] = result["structuredContent"]["error"]
    assert found["hint"]
    return found


def test_an_indexed_repository(root: Path):
    replayed = replay(SESSION, command(root))
    told = _told(replayed)
    assert not told["isError"]
    assert "def mcp_needle" in told["content"][0]["text"]
    assert replayed.err == ""


def test_a_folder_that_is_not_there(tmp_path: Path):
    replayed = replay(SESSION, command(tmp_path / "nowhere"))
    assert "does not exist" in _error(_told(replayed))["message"]
    assert "does not exist" in replayed.err


def test_a_repository_without_an_index_gets_one_that_outlives_the_session(bare: Path):
    error = _error(_told(replay(SESSION, command(bare))))
    assert error["code"] == "index_not_found"
    assert error["message"].startswith("not ready: indexing, ")
    assert error["details"]["state"] == "indexing"
    deadline = time.monotonic() + 60
    while not Layout.of(bare).current.exists():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_damaged_index(copied: Path):
    for path in current_generation(Layout.of(copied)).iterdir():
        os.truncate(path, 5)
    assert _error(_told(replay(SESSION, command(copied))))["code"] == "index_damaged"


def test_debugging(root: Path):
    replayed = replay(SESSION, command(root, "--debug"), QUARRY_DEBUG="1", PYTHONVERBOSE="1")
    assert not _told(replayed)["isError"]
    assert "import 'codequarry" in replayed.err


def test_progress_bars_that_are_forced(root: Path):
    forced = dict.fromkeys(("FORCE_COLOR", "TTY_INTERACTIVE", "TTY_COMPATIBLE"), "1")
    assert not _told(replay(SESSION, command(root), **forced))["isError"]


def test_an_embedder_that_is_down(copied: Path):
    (copied / "quarry.toml").write_text('model = "openai:x"\nbase_url = "http://127.0.0.1:9/v1"\n')
    told = _told(replay(SESSION, command(copied), OPENAI_API_KEY="x"))
    assert _error(told)["code"] in ("provider", "model_mismatch")


def test_an_input_that_is_closed_at_once(root: Path):
    replayed = replay([], command(root))
    assert (replayed.status, replayed.messages, replayed.err) == (0, [], "")


def test_calls_that_are_piped_in_are_answered_before_the_end(root: Path):
    lines = [*HELLO, *(request(number, "ping") for number in range(10, 40))]
    done = subprocess.run(
        command(root), input="\n".join(lines).encode(), capture_output=True, timeout=60
    )
    found = [json.loads(line)["id"] for line in done.stdout.splitlines()]
    assert sorted(found) == [1, *range(10, 40)]
    assert done.returncode == 0


@POSIX
def test_an_output_that_is_closed_early(root: Path):
    server = _started(root)
    assert server.stdin is not None
    assert server.stdout is not None
    assert server.stderr is not None
    server.stdout.close()
    server.stdin.write("\n".join(SESSION).encode() + b"\n")
    server.stdin.flush()
    assert server.wait(20) == 0  # with its input still open
    assert server.stderr.read() == b""
    server.stdin.close()
    server.stderr.close()


@POSIX
@pytest.mark.parametrize("number", [0, signal.SIGTERM])
def test_the_end_of_input_or_a_signal_ends_it_within_two_seconds(root: Path, number: int):
    with _started(root) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(HELLO[0].encode() + b"\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        if number:
            server.send_signal(number)
        else:
            server.stdin.close()
        assert server.wait(2) == (128 + number if number else 0)
        assert server.stdout.read() == b""


@POSIX
def test_without_an_input_it_says_so(root: Path):
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" <&-', "sh", *command(root)], capture_output=True, timeout=60
    )
    assert done.stdout == b""
    assert done.returncode == 2
    assert b"standard input" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["mcp", "--json"],
        ["-C", "graph", "mcp", "--nope"],
        ["-C", "sql", "mcp", "--port", "x"],
        ["-C", "graph", "mcp", "--http", "--host", "0.0.0.0"],
    ],
)
def test_a_start_that_fails_is_told_on_standard_error(tmp_path: Path, words: list[str]):
    for folder in ("graph", "sql"):
        (tmp_path / folder).mkdir()
    done = subprocess.run([*QUARRY, *words], cwd=tmp_path, capture_output=True, timeout=60)
    assert done.stdout == b""
    assert done.returncode == 2
    assert b"error: " in done.stderr
    assert b"hint: " in done.stderr


def test_a_missing_extra_is_told_on_standard_error(tmp_path: Path):
    write_tree(tmp_path, {"mcp/__init__.py": "raise ModuleNotFoundError('no mcp', name='mcp')\n"})
    done = subprocess.run(
        command(tmp_path),
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        timeout=60,
    )
    assert (done.stdout, done.returncode) == (b"", 2)
    assert b"codequarry[mcp]" in done.stderr


@POSIX
def test_whatever_prints_lands_on_standard_error(root: Path, tmp_path: Path):
    talking = (
        "import os, sys\n"
        "from codequarry.shells.mcp import answers\n"
        "work = answers.search\n"
        "def search(*given):\n"
        "    print('by print', flush=True)\n"
        "    os.system('echo by a child')\n"
        "    os.write(1, b'by the descriptor\\n')\n"
        "    return work(*given)\n"
        "answers.search = search\n"
        "from codequarry.shells.cli.main import main\n"
        "main(sys.argv[1:])\n"
    )
    replayed = replay(SESSION, [sys.executable, "-c", talking, "-C", str(root), "mcp"])
    assert not _told(replayed)["isError"]
    for said in ("by print", "by a child", "by the descriptor"):
        assert said in replayed.err


def test_every_line_that_asks_is_answered_and_the_session_goes_on(root: Path):
    lines = [
        *HELLO,
        '{"jsonrpc": "1.0", "id": 11, "method": "ping"}',
        '{"jsonrpc": "2.0", "id": 12, "method": "ping", "params": []}',
        '{"jsonrpc": "2.0", "id": 13, "method": "ping", "params": {"a": "\\ud800"}}',
        '[{"jsonrpc": "2.0", "id": 14, "method": "ping"}]',
        "[" * 100_000,
        b"\xff\xfe",
        "",
        " \r",
        "null",
        '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}}',
        '{"jsonrpc": "2.0", "method": "notifications/cancelled"}',
        '{"jsonrpc": "2.0", "method": "no/such/notification", "params": {"a": [1]}}',
        request(15, "ping", padding="y" * 2_000_000),
        request("word", "ping"),
    ]
    replayed = replay(lines, command(root))
    for refused in (11, 12, 13):
        assert replayed.answers[refused]["error"]["code"] == -32600
    assert replayed.result(15) == {}
    assert replayed.result("word") == {}
    unread = [message["error"]["code"] for message in replayed.messages if message["id"] is None]
    assert sorted(unread) == [-32700, -32700, -32600, -32600]


def _started(root: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command(root), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
