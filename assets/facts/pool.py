"""Parsing in processes that can be killed: one bad file costs itself, never the run.

A grammar may hang or crash on a file and holds the interpreter lock meanwhile, so the only
bound that holds is to kill the process. A batch that fails is tried again file by file; the
file that fails alone gets line windows instead of syntax and is named in the report.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from multiprocessing import resource_tracker

from pebble import ProcessExpired, ProcessPool

from codequarry.assets.facts.worker import BatchResult, Job, parse_batch, warm_up

BATCH_BYTES = 384 * 1024
BATCH_FILES = 96
AHEAD = 24  # batches parsed before anybody takes their results
BATCH_SECONDS = 60.0  # a batch takes well under a second on any machine
FILE_SECONDS = 20.0  # a file of 4 MiB parses in about one


def usable_cores() -> int:
    """Cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def batches(jobs: Sequence[Job]) -> Iterator[list[Job]]:
    """Cut jobs into batches bounded in bytes and number, keeping the order."""
    batch: list[Job] = []
    size = 0
    for job in jobs:
        if batch and (size + job.size > BATCH_BYTES or len(batch) == BATCH_FILES):
            yield batch
            batch, size = [], 0
        batch.append(job)
        size += job.size
    if batch:
        yield batch


class ParsePool:
    """Processes that parse; started before they are needed so that they boot meanwhile."""

    def __init__(
        self,
        workers: int = 0,
        *,
        batch_seconds: float = BATCH_SECONDS,
        file_seconds: float = FILE_SECONDS,
        task: Callable[..., BatchResult] = parse_batch,
    ) -> None:
        """Start ``workers`` processes (0: one a usable core)."""
        self._workers = workers or usable_cores()
        self._batch_seconds = batch_seconds
        self._file_seconds = file_seconds
        self._task = task
        self._todo: list[tuple[list[Job], str]] = []
        self._running: dict[Future[BatchResult], tuple[list[Job], str]] = {}
        self._asked: tuple[str, list[Job]] | None = None
        # spawn: the same on every system, and no lock is copied in a held state
        self._pool = ProcessPool(
            max_workers=self._workers, context=multiprocessing.get_context("spawn")
        )
        with _interrupts_blocked():
            for _ in range(self._workers):
                self._pool.schedule(warm_up)

    def close(self) -> None:
        """End the processes at once."""
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join()

    def prefetch(self, root: str, jobs: Sequence[Job]) -> None:
        """Start on the first batches of what `parse` will be asked for."""
        self._todo = [(batch, "") for batch in batches(jobs)]
        self._asked = (root, list(jobs))
        while self._todo and len(self._running) < AHEAD:
            self._schedule(root)

    def parse(self, root: str, jobs: Sequence[Job]) -> Iterator[BatchResult]:
        """Parse all jobs; results come as they are done, in no particular order."""
        if self._asked != (root, list(jobs)):
            for future in self._running:
                future.cancel()
            self._running = {}
            self._todo = [(batch, "") for batch in batches(jobs)]
        while self._todo or self._running:
            while self._todo and len(self._running) < 2 * self._workers:
                self._schedule(root)
            done, _ = wait(self._running, return_when=FIRST_COMPLETED)
            for future in done:
                batch, reason = self._running.pop(future)
                try:
                    yield future.result()
                except Exception as error:  # whatever one file does, the others go on; it is named
                    self._todo[:0] = _next_try(batch, reason, _why(error))
                    if len(batch) == 1 and reason:
                        yield BatchResult({}, {batch[0].blob: _why(error)})

    def _schedule(self, root: str) -> None:
        batch, reason = self._todo.pop(0)
        seconds = self._batch_seconds if len(batch) > 1 else self._file_seconds
        future: Future[BatchResult] = self._pool.schedule(
            self._task, args=(root, batch, reason), timeout=seconds
        )
        self._running[future] = (batch, reason)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """What is started meanwhile, and what that starts, never sees Ctrl-C: only the run does."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # later it would unblock the signal again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _next_try(batch: list[Job], reason: str, why: str) -> list[tuple[list[Job], str]]:
    if len(batch) > 1:
        return [([job], reason) for job in batch]
    if not reason:
        return [(batch, why)]
    return []  # even line windows failed: the file is reported as not parsed


def _why(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "parsing took too long and was stopped"
    if isinstance(error, ProcessExpired):
        return "the parser crashed"
    return f"parsing failed: {type(error).__name__}"
