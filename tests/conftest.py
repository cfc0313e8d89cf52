"""A clean environment for every test, and indexes that are dear to make, made once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from support import LEXICAL, Ran, index, modules, write_tree

from codequarry.shells.cli.main import run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_FOREIGN = ("QUARRY_", "OPENAI_", "DAGSTER_", "GIT_")


@pytest.fixture(scope="session", autouse=True)
def _clean_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    saved = dict(os.environ)
    for name in saved:
        if name.startswith(_FOREIGN):
            del os.environ[name]
    os.environ["QUARRY_HOME"] = str(tmp_path_factory.mktemp("session-home"))
    os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"
    yield
    os.environ.clear()
    os.environ.update(saved)


@pytest.fixture(autouse=True)
def quarry_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "quarry-home"
    monkeypatch.setenv("QUARRY_HOME", str(home))
    return home


@pytest.fixture
def quarry(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """The command line in this process."""

    def call(*arguments: str) -> Ran:
        capsys.readouterr()
        status = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(status, captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def thirty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty small modules, indexed without vectors; to be read only."""
    root = write_tree(tmp_path_factory.mktemp("shared") / "thirty", modules(30))
    index(root, LEXICAL)
    return root
