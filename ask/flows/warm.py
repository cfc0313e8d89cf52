"""What is asked of a repository before anyone does: its own list, then its central code.

Asking them fills the kept answers, so that the first person to ask finds them told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from codequarry.ask.ask import AskOptions, ask, collect
from codequarry.ask.flows.book import open_book
from codequarry.ask.flows.questions import derived
from codequarry.ask.narrators.protocol import Narrator
from codequarry.errors import UsageError
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.index import Index, Options
from codequarry.settings import Settings
from codequarry.text import UndecodableError, decode, split_lines

LIST = ".quarryqueries"
_MOST_BYTES = 100_000


def questions(generation: Generation) -> list[str]:
    """All questions in the order in which they are worth asking; no two are the same."""
    own = listed(generation.layout.root)
    return list(dict.fromkeys([*own, *derived(generation)]))


@dataclass(frozen=True, slots=True)
class Warmed:
    """A question that was asked so that its answer is there."""

    question: str
    cached: bool  # it was there already
    kept: bool  # it is there now

    @property
    def state(self) -> str:
        """In a word or two."""
        return "there" if self.cached else "kept" if self.kept else "not grounded"


def warm(
    index: Index, asked: Iterable[str], narrator: Narrator, settings: Settings
) -> Iterator[Warmed]:
    """Ask questions, one after the other, and keep their answers.

    Raises:
        UsageError: answers are not kept here.
        QuarryError: a question could not be asked at all.
    """
    options = Options()
    book = open_book(index, settings, narrator, options)
    if book is None:
        raise UsageError("answers are not kept here", "run: quarry flows enable")
    for question in asked:
        answer = collect(ask(index, question, narrator, AskOptions(options, book)))
        yield Warmed(question, answer.cached, answer.cached or answer.grounded)


def listed(root: Path) -> list[str]:
    """The questions of ``.quarryqueries``: one a line, ``#`` begins a comment."""
    try:
        with (root / LIST).open("rb") as file:
            text = decode(file.read(_MOST_BYTES)).text
    except (OSError, UndecodableError):
        return []
    lines = [line.strip() for line in split_lines(text)]
    return [line for line in lines if line and not line.startswith("#")]
