"""Which code the documentation mentions: what is new, what was there, and what is missing."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from codequarry.errors import QuarryError
from codequarry.retrieval.generation import Generation
from codequarry.vocabulary import EdgeType

_LINES = re.compile(r":\d+(?:[-:]\d+)?$")
_PATH = re.compile(r"[/.]")


class LinkState(StrEnum):
    """What became of a mention."""

    ADDED = "added"  # since the generation before
    EXISTING = "existing"
    MISSING = "missing"  # a path that leads nowhere
    AMBIGUOUS = "ambiguous"  # it may be one of several


@dataclass(frozen=True, slots=True)
class DocLink:
    """One mention of code in documentation."""

    state: LinkState
    path: str
    line: int
    section: str  # or the definition whose doc comment it stands in
    written: str
    target_path: str  # empty: not known
    target: str  # qualified name; empty for a file as a whole
    rule: str
    confidence: float
    candidates: int


@dataclass(frozen=True, slots=True)
class DocLinks:
    """All mentions, and how many there are in each state and by each rule."""

    links: tuple[DocLink, ...]
    before: bool  # there is a generation before to compare with

    @property
    def states(self) -> dict[str, int]:
        """How many mentions are in each state."""
        counts = Counter(link.state for link in self.links)
        return {state.value: counts[state] for state in LinkState}

    @property
    def rules(self) -> dict[str, int]:
        """How many mentions each rule tied to code."""
        return dict(sorted(Counter(link.rule for link in self.links if link.target_path).items()))


def doc_links(generation: Generation) -> DocLinks:
    """The mentions of code in documentation and doc comments.

    A path that is not in the index but is on disk is not missing.
    """
    before = _generation_before(generation)
    known = set() if before is None else {_identity(row) for row in _rows(before)}
    found = []
    for row in _rows(generation):
        state = _state(generation, row, known)
        if state is not None:
            found.append(
                DocLink(
                    state,
                    row["path"],
                    row["line"],
                    row["section"],
                    row["written"],
                    row["target_path"],
                    row["target"],
                    row["rule"],
                    round(row["confidence"], 3),
                    row["candidates"],
                )
            )
    return DocLinks(tuple(found), before is not None)


def _state(generation: Generation, row: dict[str, Any], known: set[Any]) -> LinkState | None:
    if row["target_path"]:
        return LinkState.EXISTING if _identity(row) in known else LinkState.ADDED
    if row["rule"]:
        return LinkState.AMBIGUOUS
    written = _LINES.sub("", row["written"].partition("#")[0].partition("?")[0])
    if not _PATH.search(written):
        return None
    root, folder = generation.layout.root, Path(row["path"]).parent
    places = (root / folder / written, root / written.lstrip("/"))
    return None if any(os.path.lexists(place) for place in places) else LinkState.MISSING


def _identity(row: dict[str, Any]) -> tuple[str, str, str, str]:
    """A mention apart from the line it has moved to."""
    return row["path"], row["written"], row["target_path"], row["target"]


def _rows(generation: Generation) -> Iterator[dict[str, Any]]:
    links = generation.links
    rows = links.filter(pc.equal(links["type"], EdgeType.DOCUMENTS.value)).to_pylist()
    names = generation.symbols["qualified"]
    for row in rows:
        source, target = row["symbol"], row["target_symbol"]
        yield row | {
            "path": generation.paths[row["file"]],
            "section": names[source].as_py() if source >= 0 else "",
            "target_path": generation.paths[row["target_file"]] if row["target_file"] >= 0 else "",
            "target": names[target].as_py() if target >= 0 else "",
        }


def _generation_before(generation: Generation) -> Generation | None:
    """The newest generation but the live one that can still be read."""
    folders = [path for path in generation.layout.generations.iterdir() if path.is_dir()]
    for folder in sorted(folders, key=lambda path: path.stat().st_mtime_ns, reverse=True):
        if folder.name == generation.id:
            continue
        try:
            manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
            before = Generation(generation.layout, folder, manifest)
            if before.links.schema.equals(generation.links.schema):
                return before
        except (OSError, ValueError, QuarryError):
            continue
    return None
