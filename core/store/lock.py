"""One writer at a time: a lock the operating system frees when its owner dies."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

import filelock

from codequarry.errors import IndexBusy
from codequarry.store.atomic import write_errors
from codequarry.store.layout import Layout


@contextmanager
def writer_lock(layout: Layout, wait_seconds: float = 0.0) -> Iterator[None]:
    """Hold the store's writer lock.

    Args:
        layout: the store.
        wait_seconds: how long to wait for another owner; negative waits for ever.

    Raises:
        IndexBusy: another run holds it; the message names its process and start.
        StoreWriteError: the store's folder cannot be made.
    """
    with write_errors(layout.state):
        prepare_state(layout)
    lock = filelock.FileLock(layout.state / "lock", timeout=wait_seconds)
    with write_errors(layout.state):
        try:
            lock.acquire()
        except filelock.Timeout:  # an OSError too: it must not reach `write_errors`
            raise IndexBusy(
                f"another run is at work on this index ({_owner(layout)})",
                "wait for it, or give --wait SECONDS; searches go on meanwhile",
            ) from None
    owner = layout.state / "lock.owner"
    try:
        with suppress(OSError):  # only a courtesy to whoever waits
            owner.write_text(json.dumps({"pid": os.getpid(), "since": time.time()}))
        yield
    finally:
        with suppress(OSError):
            owner.unlink(missing_ok=True)
        lock.release()


def is_being_written(layout: Layout) -> bool:
    """Whether a run is at work on this store now."""
    if not (layout.state / "lock.owner").exists():
        return False
    lock = filelock.FileLock(layout.state / "lock", timeout=0)
    try:
        lock.acquire()
    except (filelock.Timeout, OSError):
        return True
    lock.release()  # the owner died and left its name
    return False


def prepare_state(layout: Layout) -> None:
    """Make the store's folder and let it ignore itself."""
    layout.state.mkdir(parents=True, exist_ok=True)
    ignore = layout.state / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")


def _owner(layout: Layout) -> str:
    try:
        owner = json.loads((layout.state / "lock.owner").read_text())
        since = datetime.fromtimestamp(owner["since"], UTC).astimezone()
        return f"process {owner['pid']}, since {since:%H:%M:%S}"
    except (OSError, ValueError, KeyError, TypeError):
        return "its owner is not known yet"
