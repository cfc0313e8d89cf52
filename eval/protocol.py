"""What an evaluation asks of a search engine: open a directory, answer queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from pathlib import Path


class ChunkHit(NamedTuple):
    """One chunk of a ranking; lines are 1-based and inclusive."""

    path: str
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search gave: the bundle, and the chunk ranking it was made from, best first."""

    core: tuple[str, ...]
    related: tuple[str, ...]
    chunks: tuple[ChunkHit, ...]
    elapsed_ms: float

    @property
    def files(self) -> tuple[str, ...]:
        """The ranked file order: core, then related, without repeats."""
        return tuple(dict.fromkeys((*self.core, *self.related)))


@dataclass(frozen=True, slots=True)
class IndexStats:
    """What opening (and, if need be, indexing) a directory cost and gave."""

    seconds: float
    files: int
    chunks: int
    vectors_computed: int


class Session(Protocol):
    """One open index."""

    @property
    def stats(self) -> IndexStats:
        """What the index holds and cost."""

    def search(self, query: str, profile: str) -> Answer:
        """Answer a query with a ranker profile. Paths are relative to the opened directory."""

    def close(self) -> None:
        """Give back what the session holds."""


class Searcher(Protocol):
    """Opens indexes."""

    @property
    def model(self) -> str:
        """The identity of the embedding model, for the run record."""

    def open(self, root: Path, name: str) -> Session:
        """Index ``root`` if it has no index, and open it; ``name`` is the repository's own."""
