"""A step of an answer: a definition, and how much of the question it answers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from codequarry.identifiers import tokens
from codequarry.retrieval.generation import TYPE_KINDS
from codequarry.vocabulary import Kind

TEXT_ENDINGS = (".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc", ".org")
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
        named: parts of its name that the question calls it by as code does: 0, 1, or 2 with its
            type.
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
    named: int = 0

    @property
    def is_type(self) -> bool:
        """Whether it is a class, a struct or the like."""
        return self.kind in TYPE_KINDS

    @property
    def is_text(self) -> bool:
        """Whether it is documentation: a section, or a span of a text before the first one."""
        return self.is_section or (self.row < 0 and self.path.endswith(TEXT_ENDINGS))

    @property
    def is_section(self) -> bool:
        """Whether it is a part of a text under a heading."""
        return self.kind == Kind.SECTION


def short_name(name: str) -> str:
    """The last part of a qualified name, with what makes it clear: ``Session.send``."""
    parts = re.split(r"(?<=[\w)])(?:\.|::|#|\\)", name)
    return ".".join(parts[-2:]) if len(parts) > 1 else name


def is_beside(path: str) -> bool:
    """Whether a file lies in a folder of examples, copies or helps for tests, by its name."""
    return not _BESIDE.isdisjoint(tokens(path.rpartition("/")[0]))


def order(step: Step) -> tuple[int, float, str, int]:
    """What the question names, then the most telling; the same however they were found."""
    return (-step.named, -step.weight, step.path, step.start_line)
