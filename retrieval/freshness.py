"""Is what was indexed still what is on disk? Checked for the files of an answer, cheaply."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from codequarry.retrieval.generation import Generation


def changed_files(generation: Generation, paths: Iterable[str]) -> set[str]:
    """Those of ``paths`` whose bytes on disk are not the indexed blob (or that are gone)."""
    rows = [generation.rows_by_path[path] for path in paths]
    table = generation.files.select(["path", "raw_path", "blob", "size"]).take(rows)
    return {
        row["path"]
        for row in table.to_pylist()
        if not _same(generation.layout.root, row["raw_path"], row)
    }


def _same(root: os.PathLike[str], raw: bytes | None, row: dict[str, object]) -> bool:
    name = os.fsdecode(raw) if raw else str(row["path"])
    try:
        with Path(root, name).open("rb") as file:
            if os.fstat(file.fileno()).st_size != row["size"]:
                return False
            return hashlib.file_digest(file, "sha256").hexdigest() == row["blob"]
    except OSError:
        return False
