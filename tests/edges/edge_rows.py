"""Edges of a tree as a user exports them."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

from support import index

from codequarry.retrieval.exporting import export_table
from codequarry.retrieval.generation import Generation
from codequarry.store.layout import Layout

if TYPE_CHECKING:
    from pathlib import Path


def exported(root: Path) -> list[dict]:
    """Index a tree and give its edges."""
    index(root)
    return export_table(Generation.open(Layout.of(root)), "edges").to_pylist()


def copied(source: Path, target: Path) -> Path:
    """A copy of a fixture without what is said about it."""
    return shutil.copytree(source, target, ignore=shutil.ignore_patterns("expect*.json"))


def names(file: str | None, qualified: str) -> set[str]:
    """How a case may name an end of an edge: by file, or by file and the last names."""
    if file is None:
        return set()
    parts = [p for p in re.split(r"::|[.#\\]", re.sub(r"\(\*?(\w+)\)", r"\1", qualified)) if p]
    return {file} | {f"{file}:{'.'.join(parts[-k:])}" for k in range(1, 4)}


def read_json(path: Path) -> dict:
    return json.loads(path.read_text("utf-8"))
