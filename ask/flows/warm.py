"""What to ask of a repository before anyone does: its own list, then its central files.

The questions are a function of the generation. Files are taken by how many others refer to them,
one a community at first, so that each part of the repository has its question; a question names
what the file defines that is referred to most, in the words of its doc comment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from codequarry.ask.ask import AskOptions, ask, collect
from codequarry.ask.flows.book import open_book
from codequarry.ask.narrators.protocol import Narrator
from codequarry.errors import UsageError
from codequarry.retrieval.generation import TYPE_KINDS, Generation
from codequarry.retrieval.graph.lanes import FileGraph
from codequarry.retrieval.index import Index, Options
from codequarry.settings import Settings
from codequarry.text import UndecodableError, decode, split_lines
from codequarry.vocabulary import Kind, Role

LIST = ".quarryqueries"
_MOST_BYTES = 100_000
_CALLABLE = (Kind.FUNCTION.value, Kind.METHOD.value)


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


def derived(generation: Generation) -> list[str]:
    """Questions about the definitions of central code, the most central first."""
    graph = FileGraph(generation)
    code = (generation.roles == Role.CODE.value) & ~generation.is_test & ~graph.is_front
    files = np.flatnonzero(code)
    files = files[np.lexsort((files, -graph.referring[files]))]
    first: list[int] = []
    later: list[int] = []
    seen: set[int] = set()
    for file in files.tolist():
        community = int(graph.community[file])
        (later if community in seen else first).append(file)
        seen.add(community)
    asked = (_question(generation, file) for file in [*first, *later][:200])
    return [question for question in asked if question]


def _question(generation: Generation, file: int) -> str:
    """How a file's most referred-to definition works; empty where it defines nothing."""
    first, count = (generation.files[name][file].as_py() for name in ("first_symbol", "n_symbols"))
    pointers = generation.link_array("in_pointers")
    used = np.diff(pointers[first : first + count + 1])
    rows = generation.symbols.select(["name", "kind"]).slice(first, count).to_pylist()
    fit = [
        (-int(uses), place, row["name"])
        for place, (row, uses) in enumerate(zip(rows, used.tolist(), strict=True))
        if row["kind"] in _CALLABLE or row["kind"] in TYPE_KINDS
    ]
    if not fit:
        return ""
    name = min(fit)[2]
    stem = generation.paths[file].rpartition("/")[2].partition(".")[0]
    return (
        f"how does {name} work"
        if stem.lower() == name.lower()
        else f"how does {name} in {stem} work"
    )
