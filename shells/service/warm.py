"""The live index of a repository, held open by a server and swapped when a new one is published."""

from __future__ import annotations

import threading
from functools import cached_property
from pathlib import Path

from codequarry.errors import IndexNotFound
from codequarry.retrieval.edges import Edges
from codequarry.retrieval.graph.lanes import FileGraph
from codequarry.retrieval.index import Index, open_index
from codequarry.shells.service.indexing import Indexer
from codequarry.store.layout import Layout

_Stamp = tuple[int, int, int]


class Held:
    """One generation, with what is made from it on demand.

    A request takes one of these and asks only it, so that no answer mixes two generations.
    """

    def __init__(self, index: Index) -> None:
        self.index = index

    @cached_property
    def edges(self) -> Edges:
        """Who calls what."""
        return Edges(self.index.generation)

    @cached_property
    def graph(self) -> FileGraph:
        """How the files hang together."""
        return FileGraph(self.index.generation)


class WarmIndex:
    """Gives the live generation of one repository; safe to ask from several threads."""

    def __init__(self, root: Path, indexer: Indexer | None = None) -> None:
        """Nothing is opened yet.

        Args:
            root: of the repository; see `codequarry.store.layout.find_root`.
            indexer: of the same repository; one of its own when not given.
        """
        self.root = root
        self.indexer = indexer or Indexer(root)
        self._lock = threading.Lock()
        self._held: tuple[_Stamp, Held] | None = None

    def held(self) -> Held:
        """The live generation.

        Raises:
            IndexNotFound: there is none; the message says how far a run at work has come.
            IndexEmpty, IndexDamaged, IndexVersionError, ModelMismatch: see `open_index`.
        """
        stamp = _stamp(Layout.of(self.root))
        held = self._held
        if stamp is not None and held is not None and held[0] == stamp:
            return held[1]
        with self._lock:
            if stamp is not None and self._held is not None and self._held[0] == stamp:
                return self._held[1]
            try:
                found = Held(open_index(self.root))
            except IndexNotFound as error:
                raise self._not_ready(error) from None
            if stamp is not None:
                self._held = (stamp, found)
            return found

    def _not_ready(self, error: IndexNotFound) -> IndexNotFound:
        standing = self.indexer.standing()
        if standing.progress is None:
            return error
        return IndexNotFound(
            f"not ready: indexing, {standing.progress}", "ask again in a moment", standing.as_json()
        )


def _stamp(layout: Layout) -> _Stamp | None:
    """What changes when another generation is made live: its name's file is replaced."""
    try:
        found = layout.current.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size
