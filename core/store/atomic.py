"""Writing files that are either wholly there or not there, whatever happens in between."""

from __future__ import annotations

import errno
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from codequarry.errors import StoreWriteError

_PART = ".part-"


@contextmanager
def write_errors(where: Path) -> Iterator[None]:
    """Turn the operating system's refusals under ``where`` into one clear error.

    Raises:
        StoreWriteError: the disk is full, read-only, or may not be written.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            what, hint = "the disk is full", "free some space and run the command again"
        elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            what, hint = "no permission to write", "check the owner and mode of the folder"
        else:
            what, hint = str(error), "the index in use is unharmed; run the command again"
        raise StoreWriteError(f"cannot write under {where}: {what}", hint) from error


def fsync_dir(folder: Path) -> None:
    """Make a rename inside ``folder`` durable (a no-op where folders cannot be synced)."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def atomic_path(target: Path) -> Iterator[Path]:
    """Give a temporary path beside ``target`` that replaces it on a clean exit."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}{_PART}{uuid.uuid4().hex[:12]}")
    try:
        yield part
        with part.open("rb+") as handle:
            os.fsync(handle.fileno())
        part.replace(target)
        fsync_dir(target.parent)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def write_bytes(target: Path, data: bytes) -> None:
    """Replace ``target`` by ``data`` atomically and durably."""
    with atomic_path(target) as part:
        part.write_bytes(data)


@contextmanager
def atomic_dir(target: Path, *, replace: bool = False) -> Iterator[Path]:
    """Give a temporary folder beside ``target`` that becomes it on a clean exit.

    Every file in it is synced first. A ``target`` that is there already is left alone unless
    ``replace`` says that it is damaged: then its files are replaced one by one, so that there
    is no moment without it.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}{_PART}{uuid.uuid4().hex[:12]}")
    part.mkdir()
    try:
        yield part
        for path in sorted(part.iterdir()):
            with path.open("rb+") as handle:
                os.fsync(handle.fileno())
        fsync_dir(part)
        if not target.exists():
            part.rename(target)
            fsync_dir(target.parent)
        elif replace:
            for path in sorted(part.iterdir()):
                path.replace(target / path.name)
            fsync_dir(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def remove_leftovers(folder: Path) -> int:
    """Delete what writers that died left half written under ``folder``; the writer's job only."""
    removed = 0
    if not folder.is_dir():
        return removed
    for path in folder.rglob(f"*{_PART}*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()
        removed += 1
    return removed
