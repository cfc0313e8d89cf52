"""`quarry watch`: the index follows the files, and nothing else."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from support import QUARRY, modules, write_tree

from codequarry.shells.cli.watch import relevant

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WAIT = 90.0  # seconds; a run takes one or two


class Watching:
    """A running `quarry watch --json` and the lines it has printed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: queue.Queue[str] = queue.Queue()
        self.reading = threading.Thread(target=self._read)
        self.reading.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def next(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._lines.get(timeout=WAIT))
        return found


@contextmanager
def _watching(root: Path) -> Iterator[Watching]:
    process = subprocess.Popen(
        [*QUARRY, "-C", str(root), "watch", "--json", "--debounce", "100"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    watching = Watching(process)
    with process:
        try:
            yield watching
        finally:
            process.kill()
            watching.reading.join()


def test_a_saved_file_is_indexed_and_a_broken_setting_is_told(tmp_path: Path):
    root = write_tree(tmp_path / "repo", {**modules(2), "quarry.toml": 'model = "none"\n'})
    with _watching(root) as watching:
        assert watching.next()["files"] == 3
        write_tree(root, {"late.py": "def late():\n    pass\n"})
        assert watching.next()["files"] == 4
        write_tree(root, {"quarry.toml": "modle = 1\n"})
        assert watching.next()["error"]["class"] == "UsageError"
        write_tree(root, {"quarry.toml": 'model = "none"\n', "later.py": "x = 1\n"})
        assert watching.next()["files"] == 5
        if sys.platform != "win32":
            watching.process.send_signal(signal.SIGTERM)
            assert watching.process.wait(WAIT) == 0


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("src/a.py", True),
        (".gitignore", True),
        (".quarry/CURRENT", False),
        ("sub/.quarry/lock", False),
        (".git/index", False),
    ],
)
def test_what_is_worth_a_run(tmp_path: Path, name: str, expected: bool):
    root = write_tree(tmp_path / "repo", {".git/HEAD": "a" * 40 + "\n"})
    assert relevant(root)(None, str(root / name)) is expected


def test_another_commit_is_worth_a_run(tmp_path: Path):
    root = write_tree(tmp_path / "repo", {".git/HEAD": "a" * 40 + "\n"})
    judge = relevant(root)
    head = root / ".git" / "HEAD"
    assert not judge(None, str(head))
    head.write_text("b" * 40 + "\n")
    assert judge(None, str(head))
    assert not judge(None, str(head))
