"""The order in which the steps of an answer run, by the calls that are known between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from codequarry.ask.steps import Step
from codequarry.retrieval.edges import Edges
from codequarry.retrieval.generation import Generation

MOST_STEPS = 7
FIRST_STEPS = 5  # chosen for themselves; the rest connect them
KEEP = 0.62  # of the best step's weight
CONNECT = 0.35  # of it, for a step that calls the first one or lies between two
CLEAR = 0.75  # of it, for one of several callers of the first one to go before it
ALONE = 0.8  # of it, for a step that no call ties to another
LEAST_STEPS = 3  # which are kept whatever ties them
ENTRIES = 2  # callers put before the best step, one above the other, and callees after it
IN_A_FILE = 4  # steps of one file that are chosen for themselves
SMALL = 45  # lines of a type that is shown whole, so that its members are no steps beside it


@dataclass(frozen=True, slots=True)
class Flow:
    """Steps in the order they run.

    Attributes:
        steps: callers before what they call; parts that are not tied, by weight.
        calls: by place of a step, the places of the steps it calls, in the order of its lines.
        callers: by place of a step, qualified names of code outside tests that calls it and is
            no step, with their files.
    """

    steps: tuple[Step, ...]
    calls: dict[int, list[int]] = field(default_factory=dict)
    callers: dict[int, list[tuple[str, str]]] = field(default_factory=dict)


class Calls:
    """Calls between definitions, whatever nested definition they stand in."""

    def __init__(self, generation: Generation, steps: Sequence[Step]) -> None:
        self._generation = generation
        self._edges = Edges(generation)
        self._steps = [step for step in steps if step.row >= 0]
        self._weights = {step.row: step.weight for step in self._steps}

    @cached_property
    def _spans(self) -> dict[int, tuple[int, int, int]]:
        """By row of a step: its file, and the rows of what it holds: itself to the last."""
        symbols = self._generation.symbols
        files = np.asarray(symbols["file"])
        starts = np.asarray(symbols["start_byte"])
        ends = np.asarray(symbols["end_byte"])
        found = {}
        for step in self._steps:
            row, last = step.row, step.row + 1
            while last < len(files) and files[last] == files[row] and starts[last] < ends[row]:
                last += 1
            found[row] = (int(files[row]), row, last)
        return found

    def holder(self, row: int, among: Sequence[Step]) -> Step | None:
        """The innermost of some steps that a definition is or lies in."""
        around = [
            step
            for step in among
            if step.row >= 0 and self._spans[step.row][1] <= row < self._spans[step.row][2]
        ]
        return min(around, key=lambda s: self._spans[s.row][2] - s.row, default=None)

    def of(self, step: Step, among: Sequence[Step]) -> list[Step]:
        """Those of some steps that a step calls, in the order of its lines, each once."""
        if step.row < 0:
            return []
        links = self._generation.links
        _, first, last = self._spans[step.row]
        targets: dict[tuple[int, int], int] = {}
        for row in range(first, last):
            if self.holder(row, among) not in (step, None):
                continue  # what an inner step calls is that step's
            for link in self._edges.out_of(row).tolist():
                target = links["target_symbol"][link].as_py()
                if target >= 0 and links["type"][link].as_py() == "calls":
                    targets[links["line"][link].as_py(), link] = target
        called = (self.holder(targets[key], among) for key in sorted(targets))
        around = [s for s in among if s.row >= 0 and s.row < step.row < self._spans[s.row][2]]
        return list(dict.fromkeys(s for s in called if s not in (None, step, *around)))

    def from_outside(self, step: Step, among: Sequence[Step]) -> list[tuple[str, str]]:
        """Code outside tests that calls a step and is none, (qualified name, path), best first."""
        if step.row < 0:
            return []
        links, generation = self._generation.links, self._generation
        found: dict[tuple[str, str], float] = {}
        for link in self._edges.into(step.row).tolist():
            file = links["file"][link].as_py()
            if links["type"][link].as_py() != "calls" or generation.is_test[file]:
                continue
            row = links["symbol"][link].as_py()
            if row < 0 or self.holder(row, among) is not None:
                continue
            name = generation.symbols["qualified"][row].as_py()
            found[name, generation.paths[file]] = self._weights.get(row, 0.0)
        return sorted(found, key=lambda caller: -found[caller])


def make_flow(generation: Generation, weighed: Sequence[Step]) -> Flow:
    """Choose the steps of an answer and put them in order.

    Args:
        generation: where their calls are known.
        weighed: all that could be a step, the most telling first.
    """
    if not weighed:
        return Flow(())
    calls = Calls(generation, weighed)
    chosen = _connected(calls, _chosen(weighed), weighed)
    order, ties = _ordered(calls, chosen)
    places = {id(step): place for place, step in enumerate(order)}
    return Flow(
        tuple(order),
        {
            places[id(step)]: [places[id(other)] for other in ties[id(step)]]
            for step in order
            if ties[id(step)]
        },
        {
            places[id(step)]: outside
            for step in order
            if (outside := calls.from_outside(step, order))
        },
    )


def _chosen(weighed: Sequence[Step]) -> list[Step]:
    """The best steps, none inside another that shows it already."""
    chosen: list[Step] = []
    for step in weighed:
        if len(chosen) == FIRST_STEPS or step.weight < KEEP * weighed[0].weight:
            break
        if sum(step.path == other.path for other in chosen) >= IN_A_FILE:
            continue
        if any(_shows(other, step) or _shows(step, other) for other in chosen):
            continue
        chosen.append(step)
    return chosen


def _shows(outer: Step, inner: Step) -> bool:
    """Whether the lines that are shown of one hold the other."""
    if outer.number != inner.number or (outer.is_type and _length(outer) > SMALL):
        return False
    return outer.start_line <= inner.start_line and inner.end_line <= outer.end_line


def _length(step: Step) -> int:
    return step.end_line - step.start_line + 1


def _connected(calls: Calls, chosen: list[Step], weighed: Sequence[Step]) -> list[Step]:
    """With what lies between two chosen steps, what calls the first and what goes on from it."""
    lead = weighed[0]
    could = [
        step
        for step in weighed
        if step.row >= 0
        and not step.is_type
        and step.weight >= CONNECT * lead.weight
        and step not in chosen
        and not any(_shows(other, step) or _shows(step, other) for other in chosen)
    ]
    for step in could:
        among = [*chosen, step]
        called = any(step in calls.of(one, among) for one in chosen)
        if called and calls.of(step, among) and len(chosen) < MOST_STEPS:
            chosen = among
    begin = lead
    for _ in range(ENTRIES):
        above = [s for s in chosen if begin in calls.of(s, chosen)]
        if not above and len(chosen) < MOST_STEPS:
            above = [
                s
                for s in could
                if s not in chosen and not _overrides(s, begin) and begin in calls.of(s, [begin, s])
            ]
            only = len(calls.from_outside(begin, chosen)) == 1
            above = [s for s in above[:1] if only or s.weight >= CLEAR * lead.weight]
            chosen = [*chosen, *above]
        if not above:
            break
        begin = above[0]
    end = lead
    for _ in range(ENTRIES):
        below = [s for s in could if s not in chosen and s in calls.of(end, [end, s])]
        if not below or len(chosen) >= MOST_STEPS or calls.of(end, chosen):
            break
        end = below[0]
        chosen = [*chosen, end]
    return _tied(calls, chosen, lead)


def _overrides(step: Step, other: Step) -> bool:
    """Whether one may be the other's form in a subtype, which begins nothing by calling it."""
    return _bare(step.name) == _bare(other.name)


def _bare(name: str) -> str:
    return re.split(r"\W+", name)[-1]


def _tied(calls: Calls, steps: list[Step], lead: Step) -> list[Step]:
    """Without steps that nothing ties to the others and that say much less than the best."""
    tied = {id(lead)}
    for step in steps:
        called = calls.of(step, steps)
        tied |= {id(other) for other in (step, *called)} if called else set()
    kept = [s for s in steps if id(s) in tied or s.weight >= ALONE * lead.weight]
    rest = [s for s in steps if s not in kept]
    return kept + rest[: max(0, LEAST_STEPS - len(kept))]


def _ordered(calls: Calls, steps: list[Step]) -> tuple[list[Step], dict[int, list[Step]]]:
    """Callers first, depth first in the order of their lines; then what nothing ties."""
    ties = {id(step): calls.of(step, steps) for step in steps}
    called = {id(other) for of in ties.values() for other in of}
    reach: dict[int, float] = {}

    def weight(step: Step, seen: frozenset[int] = frozenset()) -> float:
        if id(step) not in reach:
            inner = seen | {id(step)}
            below = [weight(other, inner) for other in ties[id(step)] if id(other) not in inner]
            reach[id(step)] = max([step.weight, *below])
        return reach[id(step)]

    by_weight = sorted(steps, key=lambda step: -weight(step))
    roots = [step for step in by_weight if id(step) not in called]
    order: list[Step] = []
    stack = list(reversed([*roots, *(step for step in by_weight if id(step) in called)]))
    while stack:  # a ring has no root: its heaviest step is reached at last
        step = stack.pop()
        if step not in order:
            order.append(step)
            stack += reversed(ties[id(step)])
    return order, ties
