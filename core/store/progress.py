"""How far a run has come, told to whoever looks: a small file that is there while it works."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from codequarry.store.layout import Layout
from codequarry.store.lock import is_being_written

_SECONDS = 0.2  # between two writes


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Where a run stands.

    Attributes:
        stage: census, facts, embeddings, …
        done: items of the stage that are done.
        total: items of the stage; 0: not known.
    """

    stage: str
    done: int
    total: int

    def __str__(self) -> str:
        return f"{self.stage}, {self.done:,} of {self.total:,}" if self.total else self.stage


@contextmanager
def told_progress(
    layout: Layout,
    stage: Callable[[str, int], None] | None,
    advance: Callable[[int], None] | None,
) -> Iterator[tuple[Callable[[str, int], None], Callable[[int], None]]]:
    """Give a run's two callbacks, which also keep the file up to date; the lock must be held."""
    path = layout.progress
    now = RunProgress("", 0, 0)
    written = 0.0

    def write(*, always: bool = False) -> None:
        nonlocal written
        clock = time.monotonic()
        if not always and clock - written < _SECONDS:
            return
        written = clock
        with suppress(OSError):  # only a courtesy; a torn read is a read without progress
            path.write_text(json.dumps([now.stage, now.done, now.total]), encoding="utf-8")

    def on_stage(name: str, total: int) -> None:
        nonlocal now
        now = RunProgress(name, 0, total)
        write(always=True)
        if stage is not None:
            stage(name, total)

    def on_advance(n: int) -> None:
        nonlocal now
        now = RunProgress(now.stage, now.done + n, now.total)
        write()
        if advance is not None:
            advance(n)

    try:
        yield on_stage, on_advance
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def read_progress(layout: Layout) -> RunProgress | None:
    """Where the run that is at work on a store stands; None where there is no such run."""
    if not is_being_written(layout):
        return None
    try:
        stage, done, total = json.loads(layout.progress.read_text(encoding="utf-8"))
        return RunProgress(str(stage), int(done), int(total))
    except (OSError, ValueError, TypeError):
        return RunProgress("starting", 0, 0)
