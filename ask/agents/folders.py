"""Folders that set files apart: what is left of paths below the folder they all share."""

from __future__ import annotations

from collections.abc import Sequence


def below_common(paths: Sequence[str]) -> list[tuple[str, ...]]:
    """Each path's parts without the folders that all of them share; a lone file keeps its name."""
    split = [tuple(path.split("/")) for path in paths]
    shared = 0
    while split and all(
        len(parts) > shared + 1 and parts[shared] == split[0][shared] for parts in split
    ):
        shared += 1
    return [parts[shared:] for parts in split]
