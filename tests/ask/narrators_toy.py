"""Narrators that say what a test gave them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codequarry.ask.candidates import Candidates


class Scripted:
    """Says its pieces, then raises its error if it has one."""

    name = "scripted"

    def __init__(self, *pieces: str, error: BaseException | None = None) -> None:
        self._pieces = pieces
        self._error = error
        self.called = 0

    def narrate(self, question: str, candidates: Candidates) -> Iterator[str]:
        self.called += 1
        yield from self._pieces
        if self._error is not None:
            raise self._error
