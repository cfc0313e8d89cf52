"""Files that no grammar covers, by extension: what is cut by lines, and could be cut better."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Any

from codequarry.assets.languages.levels import WINDOWS, levels
from codequarry.retrieval.generation import Generation
from codequarry.vocabulary import ParseState

LEAST_FILES = 2  # of one extension: one file is no format


@dataclass(frozen=True, slots=True)
class Uncovered:
    """An extension without a grammar.

    Attributes:
        extension: with its dot.
        files: how many there are.
        lines: how many they have.
        samples: the smallest, the median and the largest file, by lines; each once.
    """

    extension: str
    files: int
    lines: int
    samples: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The documented JSON form."""
        return asdict(self) | {"samples": list(self.samples)}


def uncovered(generation: Generation) -> list[Uncovered]:
    """The extensions of an index that no grammar covers, the most files first."""
    by_level = levels()
    groups: dict[str, list[tuple[int, str]]] = {}
    for row in generation.files.select(["path", "language", "state", "line_count"]).to_pylist():
        extension = PurePosixPath(row["path"]).suffix
        plain = row["state"] == ParseState.PLAIN.value
        if extension and plain and by_level.get(row["language"], WINDOWS) == WINDOWS:
            groups.setdefault(extension, []).append((row["line_count"], row["path"]))
    found = [
        Uncovered(extension, len(rows), sum(n for n, _ in rows), _samples(rows))
        for extension, rows in groups.items()
        if len(rows) >= LEAST_FILES
    ]
    return sorted(found, key=lambda one: (-one.files, one.extension))


def _samples(rows: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    order = [path for _, path in sorted(rows)]
    return tuple(dict.fromkeys((order[0], order[len(order) // 2], order[-1])))
