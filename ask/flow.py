"""The order in which the steps of an answer run, by the calls that are known between them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from codequarry.ask.steps import Step, is_beside
from codequarry.identifiers import tokens
from codequarry.retrieval.edges import EDGE_LANGUAGES
from codequarry.retrieval.generation import Generation

MOST_STEPS = 7
POOL = 80  # definitions between which calls are looked up
KEEP = 0.55  # of the best step's weight, for a step that is called by one that is told
SPARSE, FEW = 0.48, 4  # the same while fewer steps than that are told
ALONE = (0.86, 0.95)  # of it, for the first and the second step that nothing told calls,
ALONE_SHARE = 0.75  # of the share of the question's words that the best one has,
BELOW_ALONE = 0.85  # and for what those call
CONNECT = 0.3  # of it, for what lies between two steps, or goes before the best one's caller
CLEAR = 0.66  # of it, for one of several callers to go before it
ENTRIES = 2  # callers put before the best step, one above the other
DRIVES, SERVES = 0.3, 0.12  # of the weight of what a step calls, and of what calls it,
# by the share of the question that it has itself
TIED = 0.25  # of the best step's weight, in favour of a step next to one that is told
DULL = 0.2  # off what a step is worth to its callers, for each of them beyond two
LEAST_NAME = 3  # characters of a name that is taken to be called by it alone
RARE = 3  # definitions of that name outside tests, at most
UNSURE = 0.72  # of the best step's weight, for a step that is called by name alone
ALIKE = 2.5  # times as long as another, at most, for a variant of it
COPY = 0.6  # of the lines of two definitions, for one to be a copy


_CALLED = re.compile(r"(?<!def )(?<!defp )(?<!func )\b([A-Za-z_]\w*[?!]?)\s*\(")
_CALLED_ON = re.compile(r"(?:\.|->|::)\s*([A-Za-z_]\w*[?!]?)\s*\(")


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


@dataclass(frozen=True, slots=True)
class Flow:
    """Steps in the order they run.

    Attributes:
        steps: callers before what they call; parts that are not tied, by weight.
        calls: by place of a step, the places of the steps it calls, in the order of its lines.
        callers: by place of a step, qualified names of code outside tests that calls it and is
            no step, with their files.
        siblings: by place of a step, definitions that are told with it.
        roots: places of steps, after the first, that nothing told before leads to.
        unsure: those of the calls, (caller, callee), that are told by the name alone: the type
            they are called on is not known, or the edges of the language are not.
    """

    steps: tuple[Step, ...]
    calls: dict[int, list[int]] = field(default_factory=dict)
    callers: dict[int, list[tuple[str, str]]] = field(default_factory=dict)
    siblings: dict[int, list[Sibling]] = field(default_factory=dict)
    roots: frozenset[int] = frozenset()
    unsure: frozenset[tuple[int, int]] = frozenset()


class Calls:
    """Calls between the definitions that could be told, by their places in the pool."""

    def __init__(self, generation: Generation, pool: Sequence[Step]) -> None:
        self._generation = generation
        self._pool = pool
        self._ends = _row_ends(generation, pool)
        self._rows = {step.row: place for place, step in enumerate(pool) if step.row >= 0}
        self._out = (generation.link_array("out"), generation.link_array("out_pointers"))
        self._named = _by_name(pool)
        self._rare = _rare_names(generation, {name for _, name in self._named})
        known = {place: self._known(place) for place in range(len(pool))}
        named = {place: self._named_in(place, known) for place in known}
        self.unsure = {(place, other) for place, more in named.items() for other in more}
        self.out = [[*known[place], *named[place]] for place in known]
        self.into: list[list[int]] = [[] for _ in pool]
        for place, called in enumerate(self.out):
            for other in called:
                self.into[other].append(place)

    def _known(self, place: int) -> list[int]:
        """What a definition is known to call, in the order of its lines, each once."""
        step = self._pool[place]
        if step.row < 0 or step.is_type:
            return []
        links, (out, pointers) = self._generation.links, self._out
        rows = np.sort(out[pointers[step.row] : pointers[self._ends[place]]])
        targets = links["target_symbol"].take(rows)
        calls = np.asarray(pc.equal(links["type"].take(rows), "calls"))
        found = (self._holder(t) for t in np.asarray(targets)[calls].tolist() if t >= 0)
        return [other for other in dict.fromkeys(found) if other not in (-1, place)]

    def _holder(self, row: int) -> int:
        """The definition of the pool that a symbol is or lies in, −1 without one."""
        if row in self._rows:
            return self._rows[row]
        around = [
            place
            for place, step in enumerate(self._pool)
            if not step.is_type and 0 <= step.row < row < self._ends[place]
        ]
        return max(around, key=lambda place: self._pool[place].row, default=-1)

    def _named_in(self, place: int, known: dict[int, list[int]]) -> list[int]:
        """Definitions whose names a text calls on something, or at all without edges."""
        step = self._pool[place]
        if step.row < 0 or step.is_type:
            return []
        anything = self.is_by_name(place)
        called = (_CALLED if anything else _CALLED_ON).findall(step.body)
        told = {bare(self._pool[other].name) for other in known[place]}
        names = [n for n in called if n not in told and (anything or n in self._rare)]
        found = dict.fromkeys(self._named.get((_suffix(step), name), place) for name in names)
        return [
            other
            for other in found
            # one that leads here is not called from here, but has the name of what is
            if not self._is_of(other, place) and place not in _below(known, other)
        ]

    def is_by_name(self, place: int) -> bool:
        """Whether a definition is in a language without edges."""
        return _without_edges(self._generation, self._pool[place])

    def _is_of(self, place: int, other: int) -> bool:
        """Whether a call of that name more likely is one to itself or its like."""
        return place == other or told_with(self._pool[other], [self._pool[place]]) != []

    def from_outside(self, place: int, told: Sequence[int]) -> list[tuple[str, str]]:
        """Code outside tests that calls a step and is none, (qualified name, path), best first."""
        step, generation, links = self._pool[place], self._generation, self._generation.links
        if step.row < 0:
            return []
        into, pointers = generation.link_array("in"), generation.link_array("in_pointers")
        rows = into[pointers[step.row] : pointers[step.row + 1]]
        calls = links.take(rows[:500]).select(["type", "file", "symbol"]).to_pylist()
        weights = {s.row: s.weight for s in self._pool}
        holding = [(self._pool[n].row, self._ends[n]) for n in told if self._pool[n].row >= 0]
        found: dict[int, float] = {}
        for call in calls:
            row = call["symbol"]
            inside = any(first <= row < end for first, end in holding)
            if call["type"] == "calls" and row >= 0 and not inside:
                path = generation.paths[call["file"]]
                if not generation.is_test[call["file"]] and not is_beside(path):
                    found[row] = weights.get(row, 0.0)
        best = sorted(found, key=lambda row: (-found[row], row))
        symbols = generation.symbols
        return [
            (symbols["qualified"][r].as_py(), generation.paths[symbols["file"][r].as_py()])
            for r in best
        ]


def make_flow(generation: Generation, weighed: Sequence[Step]) -> Flow:
    """Choose the steps of an answer and put them in order.

    Args:
        generation: where their calls are known.
        weighed: all that could be a step, the most telling first.
    """
    pool = list(weighed[:POOL])
    if not pool:
        return Flow(())
    calls = Calls(generation, pool)
    weights = _supported(pool, calls)
    told, aside = _chosen(pool, weights, calls)
    told = _with_entries(pool, weights, calls, told)
    order, roots = _ordered(calls, weights, told)
    at = {place: n for n, place in enumerate(order)}
    outside = {at[p]: found for p in order if (found := calls.from_outside(p, order))}
    return Flow(
        tuple(pool[place] for place in order),
        {at[p]: [at[o] for o in calls.out[p] if o in at] for p in order if _any(calls.out[p], at)},
        outside,
        {at[p]: told_with(pool[p], [pool[o] for o in others]) for p, others in aside.items()},
        frozenset(at[place] for place in roots[1:]),
        frozenset((at[p], at[o]) for p, o in calls.unsure if p in at and o in at),
    )


def _any(places: Sequence[int], at: dict[int, int]) -> bool:
    return any(place in at for place in places)


def _by_name(pool: Sequence[Step]) -> dict[tuple[str, str], int]:
    """The most telling function of each language and name; not of names too short to tell."""
    found: dict[tuple[str, str], int] = {}
    for place, step in enumerate(pool):
        name = bare(step.name)
        if step.row >= 0 and not step.is_type and len(name) >= LEAST_NAME:
            found.setdefault((_suffix(step), name), place)
    return found


def _rare_names(generation: Generation, names: set[str]) -> set[str]:
    """Those of some names that few definitions outside tests have: a call by them tells which."""
    symbols = generation.symbols
    wanted = pa.array(sorted(names), pa.string())
    rows = np.flatnonzero(np.asarray(pc.is_in(symbols["name"], wanted)))
    found = symbols.select(["name", "file"]).take(rows).to_pylist()
    beside = {file: is_beside(generation.paths[file]) for file in {f["file"] for f in found}}
    counts = Counter(
        f["name"] for f in found if not beside[f["file"]] and not generation.is_test[f["file"]]
    )
    return {name for name in names if counts[name] <= RARE}


def bare(name: str) -> str:
    """A qualified name without its scopes."""
    return re.split(r"[^\w?!]+", name)[-1]


def _supported(pool: Sequence[Step], calls: Calls) -> list[float]:
    """Weights, raised by those of what a step calls and of what calls it."""
    weights = []
    names = [bare(step.name) for step in pool]
    for place, step in enumerate(pool):

        def other(neighbour: int, name: str = names[place]) -> bool:
            """Handing on to one of the same name adds nothing."""
            return names[neighbour] != name

        out, into = ([o for o in ties[place] if other(o)] for ties in (calls.out, calls.into))
        below = max((_worth(pool, calls, place, o) for o in out), default=0.0)
        above = max((pool[o].weight for o in into), default=0.0)
        weights.append(step.weight + step.share * (DRIVES * below + SERVES * above))
    return weights


def _worth(pool: Sequence[Step], calls: Calls, caller: int, place: int) -> float:
    """The weight of a step to its caller, less where much else calls it too or it is unsure."""
    if (caller, place) in calls.unsure:
        return pool[place].weight / 2
    return pool[place].weight / (1 + DULL * max(0, len(calls.into[place]) - 2))


def _chosen(
    pool: Sequence[Step], weights: Sequence[float], calls: Calls
) -> tuple[list[int], dict[int, list[int]]]:
    """The best step, then what is tied to those told or tells nearly as much; and what is alike."""
    lead = max(range(len(pool)), key=lambda place: (weights[place], -place))
    told, main, alone = [lead], {lead}, list[int]()
    aside: dict[int, list[int]] = {lead: []}
    left = [place for place in range(len(pool)) if place != lead]
    while left and len(told) < MOST_STEPS:

        def value(place: int) -> float:
            return weights[place] + TIED * weights[lead] * any(place in calls.out[o] for o in told)

        best = max(left, key=lambda place: (value(place), -place))
        left.remove(best)
        above = [o for o in told if best in calls.out[o]]
        apart = bool(above) and not any(o in main for o in above)
        less = pool[best].share < ALONE_SHARE * pool[lead].share
        if not above and (less or len(alone) == len(ALONE)):
            continue
        sure = any((o, best) not in calls.unsure or calls.is_by_name(o) for o in above)
        kept = SPARSE if len(told) < FEW else KEEP
        floor = BELOW_ALONE if apart else kept if sure else UNSURE if len(told) > 1 else SPARSE
        floor = floor if above else ALONE[len(alone)]
        if weights[best] < floor * weights[lead]:
            continue
        if any(_shows(pool[o], pool[best]) or _shows(pool[best], pool[o]) for o in told):
            continue
        alike = [o for o in told if told_with(pool[o], [pool[best]])]
        chain = bool(above) and len(alike) == 1 and pool[best].end_line > pool[best].start_line + 2
        if alike and not chain:
            aside[alike[0]].append(best)
            continue
        bridge = [] if above else _between(calls, weights, told, best)
        if bridge and len(told) + 1 < MOST_STEPS and bridge[0] in left:
            left.remove(bridge[0])
            told.append(bridge[0])
            aside[bridge[0]] = []
            main |= {bridge[0], best}
        elif not above:
            alone.append(best)
        elif not apart:
            main.add(best)
        told.append(best)
        aside[best] = []
    return told, {place: others for place, others in aside.items() if others}


def _between(calls: Calls, weights: Sequence[float], told: Sequence[int], place: int) -> list[int]:
    """What a step that is told calls and what calls another, the most telling first."""
    found = {b for o in told for b in calls.out[o] if place in calls.out[b] and b not in told}
    sure = [b for b in found if (b, place) not in calls.unsure]
    sure = [b for b in sure if weights[b] >= CONNECT * weights[told[0]]]
    return sorted(sure, key=lambda b: (-weights[b], b))


def _shows(outer: Step, inner: Step) -> bool:
    """Whether the lines of one hold the other's."""
    if outer.path != inner.path or outer.is_type:
        return False
    return outer.start_line <= inner.start_line and inner.end_line <= outer.end_line


def _with_entries(
    pool: Sequence[Step], weights: Sequence[float], calls: Calls, told: list[int]
) -> list[int]:
    """With what calls the first step, if there is no doubt which of its callers is meant."""
    lead = begin = told[0]
    passed = {lead}
    for _ in range(ENTRIES):
        while inside := [p for p in calls.into[begin] if p in told and p not in passed]:
            begin = inside[0]
            passed.add(begin)
        above = [
            place
            for place in calls.into[begin]
            if bare(pool[place].name) != bare(pool[begin].name)
            and place not in told
            and (place, begin) not in calls.unsure
            and (is_beside(pool[lead].path) or not is_beside(pool[place].path))
        ]
        above.sort(key=lambda place: (-weights[place], place))
        only = len(above) == 1 and len(calls.from_outside(begin, told)) == 1
        only = only and (begin == lead or weights[above[0]] >= CONNECT * weights[lead])
        clear = begin == lead and above and weights[above[0]] >= CLEAR * weights[lead]
        if len(told) < MOST_STEPS and (only or clear):
            begin = above[0]
            passed.add(begin)
            told = [*told, begin]
    return told


def _ordered(
    calls: Calls, weights: Sequence[float], told: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Callers first, depth first in the order of their lines; and where each part begins."""
    ties = {place: [o for o in calls.out[place] if o in told] for place in told}
    called = {o for of in ties.values() for o in of}
    reach = {place: max(weights[o] for o in _below(ties, place)) for place in told}
    by_weight = sorted(told, key=lambda place: (-reach[place], -weights[place], place))
    starts = [p for p in by_weight if p not in called] + [p for p in by_weight if p in called]
    order: list[int] = []
    roots = []
    for start in starts:  # a ring has no root: its heaviest step begins it
        if start not in order:
            roots.append(start)
        stack = [start]
        while stack:
            place = stack.pop()
            if place not in order:
                order.append(place)
                stack += reversed(ties[place])
    return order, roots


def _below(ties: Mapping[int, list[int]], place: int) -> set[int]:
    """A step and all that it leads to."""
    seen: set[int] = set()
    stack = [place]
    while stack:
        at = stack.pop()
        if at not in seen:
            seen.add(at)
            stack += ties[at]
    return seen


def _row_ends(generation: Generation, pool: Sequence[Step]) -> list[int]:
    """For each step, the row after the last symbol that it holds."""
    files = np.asarray(generation.symbols["file"])
    starts, ends = (np.asarray(generation.symbols[n]) for n in ("start_byte", "end_byte"))
    found = []
    for step in pool:
        last = step.row + 1
        if step.row >= 0:
            file, end = files[step.row], ends[step.row]
            while last < len(files) and files[last] == file and starts[last] < end:
                last += 1
        found.append(last)
    return found


def _without_edges(generation: Generation, step: Step) -> bool:
    file = generation.rows_by_path[step.path]
    return generation.files["language"][file].as_py() not in EDGE_LANGUAGES


def _suffix(step: Step) -> str:
    return step.path.rpartition(".")[2]


def told_with(step: Step, others: Sequence[Step]) -> list[Sibling]:
    """Those of some definitions that are like a step, and how."""
    found = ((other, _likeness(step, other)) for other in others)
    return [Sibling(other.name, other.path, how) for other, how in found if how is not None]


def _likeness(step: Step, other: Step) -> Likeness | None:
    if step.row < 0 or other.row < 0 or step.is_type != other.is_type:
        return None
    scope, name = _split(step.name)
    other_scope, other_name = _split(other.name)
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
