"""`quarry eval chunks`: trees are cut and counted, whatever lies in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eval_toys import git

from codequarry.eval.chunking import Source, sources_of, survey, to_text
from codequarry.shells.cli.main import run
from codequarry.vocabulary import ParseState

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

CODE = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"


def test_lines_states_and_speed_are_counted_by_language() -> None:
    ticks = iter(range(100))
    seen = survey(
        [
            Source("a.py", "python", CODE),
            Source("b.py", "python", b"def f(:\n"),
            Source("c.txt", "text", b"words\n\nmore\n"),
        ],
        clock=lambda: float(next(ticks)),
    )
    python = seen.languages["python"]
    assert (python.files, python.filled, python.by_syntax, python.symbols) == (2, 5, 5, 3)
    assert python.states == {ParseState.OK: 1, ParseState.PARTIAL: 1}
    assert python.speed == (len(CODE) + 8) / 1e6 / 2
    assert seen.languages["text"].share == 0.0
    assert seen.violations == []


def test_bytes_that_are_no_text_are_counted_and_left_out() -> None:
    seen = survey([Source("a.py", "python", b"a\0\xff" * 50)])
    assert seen.undecodable == 1
    assert seen.languages == {}


def test_a_bare_repository_gives_the_files_of_its_head(tmp_path: Path) -> None:
    git(tmp_path, "init", "--bare", "-q", ".")
    blob = git(tmp_path, "hash-object", "-w", "--stdin", stdin=CODE)
    tree = git(tmp_path, "mktree", stdin=f"100644 blob {blob}\ta.py\n".encode())
    branch = git(tmp_path, "symbolic-ref", "HEAD")
    git(tmp_path, "update-ref", branch, git(tmp_path, "commit-tree", tree, "-m", "x"))
    assert list(sources_of(tmp_path)) == [Source("a.py", "python", CODE)]


def test_the_command_prints_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_bytes(CODE)
    assert run(["eval", "chunks", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert out.split("\n")[1].split()[:3] == ["python", "1", "6"]
    assert "0 partition violations" in out


def test_an_empty_survey_is_still_a_table() -> None:
    assert to_text(survey([])).startswith("language")
