"""What the documentation shows is what the program does."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from codequarry.shells.cli.main import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ran

TOP = Path(__file__).parents[2]
PAGE = (TOP / "docs" / "commands.md").read_text(encoding="utf-8")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    shutil.copytree(TOP / "docs" / "demo", root)
    return root


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_shows_each_commands_help(
    name: str, quarry: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("COLUMNS", "100")
    section = PAGE.split(f"## quarry {name}\n", 1)
    assert len(section) == 2, "run: python docs/generate.py"
    shown = section[1].split("````text\n", 1)[1].split("\n````", 1)[0]
    assert shown == quarry(name, "--help").out.strip("\n"), "run: python docs/generate.py"


def test_no_example_of_the_page_fails():
    assert "error:" not in PAGE
    assert "Traceback" not in PAGE
    assert '"error"' not in PAGE


def test_the_readmes_python_runs(shop: Path, capsys: pytest.CaptureFixture[str]):
    text = (TOP / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    code = code.replace("path/to/repository", shop.as_posix())
    code = code.replace("where are sessions signed", "ring up one article")
    code = code.replace("how is a session signed", "how is an article rung up")
    exec(compile(code.replace("Session.save", "add_tax"), "README.md", "exec"), {})
    out = capsys.readouterr().out
    assert "shop/till.py [(" in out
    assert "total = add_tax(price)" in out
    assert "shop/till.py:15 shop.till.Till.ring_up" in out


def test_the_example_of_embedding_runs(shop: Path):
    script = TOP / "docs" / "examples" / "review_list.py"
    ran = subprocess.run(
        [sys.executable, script, shop, "add_tax"], capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines()[0] == "shop/till.py"
    wrong = subprocess.run(
        [sys.executable, script, shop / "none", "x"], capture_output=True, text=True
    )
    assert wrong.returncode == 1
    assert "does not exist" in wrong.stderr
