"""Folders that set files apart: the first one below the folder that all of them share."""

from __future__ import annotations

from collections.abc import Sequence

HERE = "."  # of files that lie in the shared folder itself


def top_folders(paths: Sequence[str]) -> list[str]:
    """The folder of each path, below the folders that all share; `HERE` for those without one."""
    folders = [path.split("/")[:-1] for path in paths]
    shared = 0
    while folders and all(
        len(parts) > shared and parts[shared] == folders[0][shared] for parts in folders
    ):
        shared += 1
    return [parts[shared] if len(parts) > shared else HERE for parts in folders]
