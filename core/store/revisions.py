"""Which revisions of a repository are indexed, and which of them are kept: those last used.

A revision is known by its tree, so two commits of the same files are one. The file
``trees/<tree>`` names its generation, is replaced atomically, and is touched at each use.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from codequarry.store.layout import Layout


def indexed_revisions(layout: Layout) -> list[str]:
    """The trees that are indexed, the last used first."""
    return [path.name for path in _by_use(layout)]


def named_generations(layout: Layout) -> set[str]:
    """The generations of indexed revisions."""
    return {path.read_text(encoding="utf-8").strip() for path in _by_use(layout)}


def mark_used(layout: Layout) -> None:
    """Note that a revision was asked just now; a store that cannot be written to is left alone."""
    with suppress(OSError):
        os.utime(layout.current)


def drop_unused(layout: Layout, keep: int) -> int:
    """Forget all revisions but the ``keep`` last used ones; the lock's holder only.

    Returns:
        How many were forgotten. Their facts and vectors stay, for other revisions to use.
    """
    unused = _by_use(layout)[keep:]
    for path in unused:
        with suppress(OSError):
            path.unlink()
    named = named_generations(layout)
    generations = layout.revisions / "generations"
    for folder in generations.iterdir() if unused else ():
        if folder.is_dir() and folder.name not in named:
            shutil.rmtree(folder, ignore_errors=True)
    return len(unused)


def _by_use(layout: Layout) -> list[Path]:
    trees = [path for path in (layout.revisions / "trees").glob("*") if "." not in path.name]
    return sorted(trees, key=lambda path: (-path.stat().st_mtime_ns, path.name))
