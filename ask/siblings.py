"""Definitions that are alike: copies, overloads, namesakes and variants are told with one step."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from codequarry.ask.step import Step
from codequarry.identifiers import tokens

ALIKE = 2.5  # times as long as another, at most, for a variant of it
COPY = 0.6  # of the lines of two definitions, for one to be a copy


class Likeness(StrEnum):
    """In what a definition is like another."""

    COPY = "copy"  # the same text in another file
    OVERLOAD = "overload"  # the same name in the same scope
    NAMESAKE = "namesake"  # the same name in another scope
    VARIANT = "variant"  # a name of the same parts but one, beside it


@dataclass(frozen=True, slots=True)
class Sibling:
    """A definition that is told with a step."""

    name: str
    path: str
    likeness: Likeness


def told_with(step: Step, others: Sequence[Step]) -> list[Sibling]:
    """Those of some definitions that are like a step, and how."""
    found = ((other, _likeness(step, other)) for other in others)
    return [Sibling(other.name, other.path, how) for other, how in found if how is not None]


def _likeness(step: Step, other: Step) -> Likeness | None:
    if step.row < 0 or other.row < 0 or step.is_type != other.is_type:
        return None
    scope, name = _split(step.name)
    other_scope, other_name = _split(other.name)
    if step.is_section or other.is_section:
        same = step.name == other.name and step.path != other.path
        return Likeness.COPY if same and _same_lines(step, other) else None
    if name == other_name:
        if step.path != other.path and _same_lines(step, other):
            return Likeness.COPY
        same = scope == other_scope and step.path == other.path
        return Likeness.OVERLOAD if same else Likeness.NAMESAKE
    if step.path != other.path or scope != other_scope or not _as_long(step, other):
        return None
    mine, theirs = tokens(name), tokens(other_name)
    apart = set(mine) ^ set(theirs)
    lengths = len(set(mine) - set(theirs)), len(set(theirs) - set(mine))
    same = step.is_type or _same_lines(step, other)
    if same and apart and max(lengths) <= 1 and set(mine) & set(theirs):
        return Likeness.VARIANT
    return None


def _split(name: str) -> tuple[str, str]:
    parts = re.split(r"(?:::|[.#\\:])", name)
    return ".".join(parts[:-1]), parts[-1]


def _as_long(step: Step, other: Step) -> bool:
    lengths = sorted(s.end_line - s.start_line + 1 for s in (step, other))
    return lengths[1] <= ALIKE * lengths[0] + 2


def _same_lines(step: Step, other: Step) -> bool:
    mine, theirs = (
        {line.strip() for line in s.body.splitlines() if line.strip()} for s in (step, other)
    )
    return len(mine & theirs) >= COPY * max(1, min(len(mine), len(theirs)))
