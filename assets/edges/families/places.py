"""Paths of a repository: POSIX, relative to its root, which is the empty path."""

from __future__ import annotations

import posixpath


def joined(folder: str, relative: str) -> str:
    """What a path relative to a folder leads to; one that leaves the repository leads nowhere."""
    place = posixpath.normpath(posixpath.join(folder, relative))
    return "" if place == "." else place
