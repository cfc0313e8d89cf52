"""What a search returns: CORE with its chunks, RELATED as a map, and how sure it is."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Evidence(StrEnum):
    """How much of the query the repository bears out."""

    STRONG = "strong"
    WEAK = "weak"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class ChunkHit:
    """A chunk of a CORE file."""

    start_line: int
    end_line: int
    name: str
    kind: str
    score: float


@dataclass(frozen=True, slots=True)
class CoreFile:
    """A file within reach of the best one: shown in full."""

    path: str
    score: float
    chunks: tuple[ChunkHit, ...]
    why: tuple[str, ...]  # "score"; "trace" or "named" too if an issue names it
    doc: str = ""
    changed: bool = False  # its bytes are not those that were indexed


@dataclass(frozen=True, slots=True)
class RelatedFile:
    """Any other file of the bundle: a pointer, never dropped."""

    path: str
    score: float
    why: tuple[str, ...]  # "score", "trace", "named", "recall-floor", "via-graph"
    best_span: tuple[int, int]
    symbols: tuple[str, ...]
    doc: str = ""
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The bundle of one query; the ranked file order is core, then related."""

    query: str
    mode: str
    evidence: Evidence
    elapsed_ms: float
    core: tuple[CoreFile, ...]
    related: tuple[RelatedFile, ...]
    generation: str
    stale: bool = False
    notes: tuple[str, ...] = field(default=())
    explanations: dict[str, dict[str, float]] = field(default_factory=dict)
    odds: float = -math.inf  # log-odds that the repository holds the answer

    def __repr__(self) -> str:
        return (
            f"<Answer to {self.query[:60]!r}: {len(self.core)} core, {len(self.related)} related, "
            f"evidence {self.evidence.value}, {self.elapsed_ms:.1f} ms>"
        )

    def _repr_markdown_(self) -> str:
        """A table, as notebooks show it."""
        rows = ["| file | lines | what |", "|---|---|---|"]
        for core in self.core:
            lines = ", ".join(f"{hit.start_line}-{hit.end_line}" for hit in core.chunks)
            names = ", ".join(hit.name for hit in core.chunks if hit.name)
            rows.append(f"| **{_cell(core.path)}** | {lines} | {_cell(core.doc or names)} |")
        for file in self.related:
            lines = "-".join(map(str, file.best_span))
            rows.append(f"| {_cell(file.path)} | {lines} | {_cell(', '.join(file.symbols))} |")
        return "\n".join(rows)

    @property
    def files(self) -> list[CoreFile | RelatedFile]:
        """All files of the bundle in ranked order."""
        return [*self.core, *self.related]

    @property
    def paths(self) -> list[str]:
        """Their paths."""
        return [file.path for file in self.files]

    def as_json(self) -> dict[str, Any]:
        """The documented JSON form."""
        document: dict[str, Any] = {
            "query": self.query,
            "mode": self.mode,
            "evidence": self.evidence.value,
            "elapsed_ms": round(self.elapsed_ms, 3),
            "core": [
                {
                    "path": file.path,
                    "score": round(file.score, 6),
                    "why": list(file.why),
                    "doc": file.doc,
                    "changed": file.changed,
                    "chunks": [
                        {
                            "start_line": hit.start_line,
                            "end_line": hit.end_line,
                            "name": hit.name,
                            "kind": hit.kind,
                            "score": round(hit.score, 6),
                        }
                        for hit in file.chunks
                    ],
                }
                for file in self.core
            ],
            "related": [
                {
                    "path": file.path,
                    "score": round(file.score, 6),
                    "why": list(file.why),
                    "best_span": list(file.best_span),
                    "symbols": list(file.symbols),
                    "doc": file.doc,
                    "changed": file.changed,
                }
                for file in self.related
            ],
            "generation": self.generation,
            "stale": self.stale,
            "notes": list(self.notes),
        }
        if self.explanations:
            document["explain"] = {
                path: {name: round(value, 4) for name, value in shares.items()}
                for path, shares in self.explanations.items()
            }
        return document


def _cell(text: str) -> str:
    """Text that cannot leave a table's cell, nor be taken for markup."""
    return re.sub(r"([\\`*_{}\[\]<>|])", r"\\\1", " ".join(text.split()))
