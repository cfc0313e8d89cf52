"""The repository that agents ask: found when it is needed; the handshake waits for nothing."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codequarry.settings import Settings
    from codequarry.shells.service.indexing import Indexer
    from codequarry.shells.service.warm import Held, WarmIndex


class Repository:
    """One repository and its index; nothing is looked at before the first question."""

    def __init__(self, start: Path) -> None:
        """Remember where to look.

        Args:
            start: a folder of the repository; it need not be there yet.
        """
        self._start = start

    @cached_property
    def root(self) -> Path:
        """The repository's root.

        Raises:
            UsageError: there is no such folder, or it cannot be looked at.
        """
        from codequarry.errors import UsageError
        from codequarry.store.layout import find_root

        try:
            if self._start.is_file():
                raise UsageError(f"{self._start} is a file", "give a folder of a repository")
            return find_root(self._start)
        except OSError as error:
            what = f"cannot look at {self._start}: {error.strerror}"
            raise UsageError(
                what, "check the path, and the folder the agent was started in"
            ) from None

    @cached_property
    def _warm(self) -> WarmIndex:
        from codequarry.shells.service.warm import WarmIndex

        return WarmIndex(self.root, self.indexer)

    @cached_property
    def indexer(self) -> Indexer:
        """Runs the index in a process of its own; to have it loads nothing heavy."""
        from codequarry.shells.service.indexing import Indexer

        return Indexer(self.root)

    @property
    def held(self) -> Held:
        """The live generation; a first index is begun where there is none.

        Raises:
            IndexNotFound: not ready; the message says how far the run at work has come.
            QuarryError: it cannot be read, or could not be made.
        """
        from codequarry.errors import IndexNotFound, from_envelope

        try:
            return self._warm.held()
        except IndexNotFound:
            standing = self.indexer.ensure()
            if standing.error:
                raise from_envelope({"error": standing.error}) from None
            return self._warm.held()

    @property
    def settings(self) -> Settings:
        """Its settings as they are now.

        Raises:
            UsageError: the file is broken.
        """
        from codequarry.settings import load_settings

        return load_settings(self.root)
