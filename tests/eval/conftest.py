from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_toys import QUESTIONS, WordSearcher

from codequarry.eval.golden import Golden, GoldenSet
from codequarry.eval.run import Places, run_golden

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "toy"
    for name, text in {
        "src/store.py": "store store store save\n",
        "src/cache.py": "cache cache store\n",
        "src/wire.go": "wire wire socket store\n",
        "src/log.py": "log\n",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def golden_set() -> GoldenSet:
    return GoldenSet("toy", "0" * 64, QUESTIONS)


@pytest.fixture
def make_run(repository: Path) -> Callable[..., object]:
    def make(
        questions: tuple[Golden, ...] = QUESTIONS,
        profiles: tuple[str, ...] = ("words", "reversed"),
        searcher: WordSearcher | None = None,
    ):
        return run_golden(
            GoldenSet("toy", "0" * 64, questions),
            searcher or WordSearcher(),
            Places(repository.parent),
            profiles=profiles,
            parameters=("weight=1",),
        )

    return make
