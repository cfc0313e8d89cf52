"""What a narrator is: candidates in, pieces of prose with citations out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from codequarry.ask.candidates import Candidates
from codequarry.errors import QuarryError


class Narrator(Protocol):
    """Writes the prose of an answer; the splicer grounds it, whatever it writes."""

    @property
    def name(self) -> str:
        """Its word on the command line and in answers."""
        ...

    def narrate(self, question: str, candidates: Candidates) -> Iterator[str]:
        """Write; ``[[k]]`` and ``[[k:a-b]]`` cite.

        Raises:
            NarrationCut: on iteration: the text ended before its end; it is kept.
            QuarryError: on iteration: it failed; all that was found is shown.
        """
        ...


class NarrationCut(QuarryError):
    """The text ended early; what came before is kept and marked."""

    code = "narration_cut"


class Silent:
    """Writes nothing, so that all that was found is shown; says why, if there is a reason."""

    def __init__(self, name: str, why: QuarryError | None = None) -> None:
        self._name = name
        self._why = why

    @property
    def name(self) -> str:
        """The word it stands in for."""
        return self._name

    def narrate(self, question: str, candidates: Candidates) -> Iterator[str]:
        """Raise the reason, or end at once."""
        if self._why is not None:
            raise self._why
        yield from ()
