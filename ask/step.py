"""A step of an answer: a definition, and how much of the question it answers."""

from __future__ import annotations

from dataclasses import dataclass

from codequarry.identifiers import tokens
from codequarry.retrieval.generation import TYPE_KINDS

_BESIDE = frozenset(
    "test tests testing example examples sample samples demo demos tutorial bench benches "
    "benchmark benchmarks fixture fixtures mock mocks vendor dist contrib extras".split()
)


@dataclass(frozen=True, slots=True)
class Step:
    """A definition that may be a step of the answer.

    Attributes:
        row: its symbol; −1 for a span that defines nothing.
        number: the candidate it can be cited by; before there are any, its chunk.
        path: of its file, as shown.
        start_line: its first line inside the candidate.
        end_line: its last line inside the candidate.
        name: qualified; the heading of a section; may be empty.
        kind: of the symbol; empty without one.
        signature: as written; may be empty.
        doc: its doc comment, else the comment above it or the first one inside; may be empty.
        body: its text, as far as it is weighed.
        share: the share of the question's words that its name, doc, path and body have, 0 to 1.
        weight: how much of the question it answers; comparable within one question.
    """

    row: int
    number: int
    path: str
    start_line: int
    end_line: int
    name: str
    kind: str
    signature: str
    doc: str
    body: str
    share: float
    weight: float

    @property
    def is_type(self) -> bool:
        """Whether it is a class, a struct or the like."""
        return self.kind in TYPE_KINDS


def is_beside(path: str) -> bool:
    """Whether a file lies in a folder of examples, copies or helps for tests, by its name."""
    return not _BESIDE.isdisjoint(tokens(path.rpartition("/")[0]))


def order(step: Step) -> tuple[float, str, int]:
    """The most telling first; the same whatever order they were found in."""
    return (-step.weight, step.path, step.start_line)
