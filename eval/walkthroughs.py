"""Do walkthroughs begin where they should and follow the calls? Asked of the extractive narrator.

A line of the file is a question with the places that a good answer begins at (``entry``) and those
it must come to, in this order (``then``), each ``path#symbol``, and a person's mark of the answer
(``good``, ``why``). The score here is mechanical, and only as good as those places; the mark stays
what it is until a person looks again.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codequarry.ask.ask import ask, collect
from codequarry.ask.narrators.extractive import ExtractiveNarrator
from codequarry.ask.pool import gather
from codequarry.errors import QuarryError
from codequarry.eval.errors import GoldenError
from codequarry.eval.golden import Golden
from codequarry.retrieval.index import Options

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from codequarry.ask.step import Step
    from codequarry.eval.run import Places
    from codequarry.eval.searcher import QuarrySearcher
    from codequarry.retrieval.index import Index

MOST_SPANS = 8
_TEXTS = ("id", "repo", "commit", "question", "why")


@dataclass(frozen=True, slots=True)
class Walk:
    """A question, what its answer must name, and a person's mark."""

    id: str
    repo: str
    commit: str  # empty: the directory `repo` beside the file
    question: str
    entry: tuple[str, ...]
    then: tuple[str, ...]
    good: bool
    why: str


@dataclass(frozen=True, slots=True)
class Score:
    """What an answer has of the rubric, and its steps as ``path#symbol``."""

    steps: tuple[str, ...]
    entry_first: bool
    in_order: bool
    short: bool
    to_the_point: bool  # nothing first that is not asked for

    @property
    def marks(self) -> str:
        """Each part of it, and whether it is met."""
        names = ("entry_first", "in_order", "short", "to_the_point")
        return " ".join(f"{name}={'yes' if getattr(self, name) else 'NO'}" for name in names)

    @property
    def met(self) -> bool:
        """Whether all of it is."""
        return self.entry_first and self.in_order and self.short and self.to_the_point


def load_walks(path: Path) -> list[Walk]:
    """Read the questions.

    Raises:
        GoldenError: the file cannot be read, or a line is wrong.
    """
    walks: list[Walk] = []
    try:
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line.strip():
                row = json.loads(line)
                text = {name: str(row[name]) for name in _TEXTS}
                entry, then = (tuple(map(str, row[name])) for name in ("entry", "then"))
                walks.append(Walk(**text, entry=entry, then=then, good=bool(row["good"])))
    except (OSError, ValueError, KeyError, TypeError) as error:
        hint = "a line is {id, repo, commit, question, entry, then, good, why}"
        raise GoldenError(f"{path}: line {len(walks) + 1}: {error!r}", hint) from error
    return walks


def score(index: Index, walk: Walk) -> Score:
    """Ask one question."""
    answer = collect(ask(index, walk.question, ExtractiveNarrator(index)))
    flow = gather(index, walk.question, index.search(walk.question), Options()).flow
    steps: Sequence[Step] = flow.steps if flow is not None else ()
    first = steps[:1]
    rest = iter(steps)
    return Score(
        tuple(f"{step.path}#{step.name}" for step in steps),
        any(_is(step, place) for step in first for place in walk.entry),
        all(any(_is(step, place) for step in rest) for place in walk.then),
        len(answer.spans) <= MOST_SPANS,
        any(_is(step, place) for step in first for place in (*walk.entry, *walk.then)),
    )


def _is(step: Step, place: str) -> bool:
    """Whether a step is the definition that a place names, by the end of its qualified name."""
    path, _, symbol = place.partition("#")
    parts, own = (re.findall(r"[\w$!?]+", name) for name in (symbol, step.name))
    return step.path == path and own[-len(parts) :] == parts


def ask_walks(
    walks: Sequence[Walk], searcher: QuarrySearcher, places: Places
) -> Iterator[tuple[Walk, Score | QuarryError]]:
    """Ask all questions, those of one repository together; why, where one could not be asked."""
    for repo, commit in dict.fromkeys((walk.repo, walk.commit) for walk in walks):
        own = [walk for walk in walks if (walk.repo, walk.commit) == (repo, commit)]
        corpus = Golden("", "", repo, (), commit=commit, git_repo=repo)
        try:
            index = searcher.open(places.find(corpus), repo.rpartition("/")[2]).index
        except QuarryError as error:
            yield from ((walk, error) for walk in own)
            continue
        yield from ((walk, score(index, walk)) for walk in own)
