"""Shell completion: the script, and what it gets back."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from support import QUARRY

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ran


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell(quarry: Callable[..., Ran], shell: str):
    ran = quarry("completion", shell)
    assert ran.status == 0
    assert "_QUARRY_COMPLETE" in ran.out


def test_an_unknown_shell_is_asked_for(quarry: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SHELL", "/bin/odd")
    ran = quarry("completion")
    assert (ran.status, "bash, zsh, fish" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "at", "expected"),
    [
        ("quarry sea", "1", "search"),
        ("quarry search --ra", "2", "--ranker"),
        ("quarry flows sh", "2", "show"),
    ],
)
def test_words_are_completed(words: str, at: str, expected: str):
    environment = os.environ | {
        "_QUARRY_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": at,
    }
    done = subprocess.run(QUARRY, env=environment, capture_output=True, text=True, check=True)
    assert f"plain,{expected}" in done.stdout.splitlines()
