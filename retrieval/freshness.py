"""Is what was indexed still what is on disk? Checked for the files of an answer, cheaply."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from codequarry.retrieval.generation import Generation


def changed_files(generation: Generation, paths: Iterable[str]) -> set[str]:
    """Those of ``paths`` whose bytes on disk are not the indexed blob (or that are gone)."""
    rows = [generation.rows_by_path[path] for path in paths]
    table = generation.files.select(["path", "raw_path", "blob", "size"])
    table = table.take(pa.array(rows, pa.int64()))
    return {
        row["path"]
        for row in table.to_pylist()
        if not _same(generation.layout.root, row["raw_path"], row)
    }


def _same(root: os.PathLike[str], raw: bytes | None, row: dict[str, object]) -> bool:
    name = os.fsdecode(raw) if raw else str(row["path"])
    path = Path(root, name)
    try:
        found = path.stat()
        if found.st_size != row["size"] or not stat.S_ISREG(found.st_mode):
            return False  # not opened: a pipe would block
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == row["blob"]
    except OSError:
        return False
