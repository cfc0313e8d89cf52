"""The order in which the steps of an answer run, by the calls that are known between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from codequarry.ask.calls import Calls, bare, below
from codequarry.ask.siblings import Sibling, told_with
from codequarry.ask.step import Step, is_beside
from codequarry.identifiers import tokens
from codequarry.retrieval.generation import Generation
from codequarry.vocabulary import Kind

MOST_STEPS = 7
POOL = 80  # definitions between which calls are looked up
KEEP = 0.55  # of the best step's weight, for a step that is called by one that is told
SPARSE, FEW = 0.48, 4  # the same while fewer steps than that are told
ALONE = (0.86, 0.95)  # of it, for the first and the second step that nothing told calls,
ALONE_TEXT = (0.8, 0.8, 0.85)  # the same for sections of documentation: each stands alone
ALONE_SHARE = 0.75  # of the share of the question's words that the best one has,
BELOW_ALONE = 0.85  # and for what those call
CONNECT = 0.3  # of it, for what lies between two steps, or goes before the best one's caller
CLEAR, CLEAR_OF_FEW = 0.66, 0.55  # of it, for one of several callers to go before it
ENTRIES = 2  # callers put before the best step, one above the other
DRIVES, SERVES = 0.3, 0.12  # of the weight of what a step calls, and of what calls it,
# by the share of the question that it has itself
TIED = 0.25  # of the best step's weight, in favour of a step next to one that is told
DULL = 0.2  # off what a step is worth to its callers, for each of them beyond two
UNSURE = 0.72  # of the best step's weight, for a step that is called by name alone


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
    told = _with_only_calls(pool, weights, calls, told)
    if not pool[told[0]].named:  # else it is asked about, not what leads there
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
        frozenset((at[p], at[o]) for p, o in calls.unsure | calls.promised if p in at and o in at),
    )


def _any(places: Sequence[int], at: dict[int, int]) -> bool:
    return any(place in at for place in places)


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
    if (caller, place) in calls.unsure or pool[place].kind == Kind.CONSTRUCTOR:
        return pool[place].weight / 2  # it may be another, or only makes what is worked with
    return pool[place].weight / (1 + DULL * max(0, len(calls.into[place]) - 2))


def _chosen(
    pool: Sequence[Step], weights: Sequence[float], calls: Calls
) -> tuple[list[int], dict[int, list[int]]]:
    """The best step, then what is tied to those told or tells nearly as much; and what is alike."""
    lead = _lead(pool, weights, calls)
    apart_at = ALONE_TEXT if pool[lead].is_text else ALONE
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
        bridge = [] if above else _between(calls, weights, told, best)
        bridge = bridge if len(told) + 2 < MOST_STEPS else []  # an entry must have room too
        of_told = any(o in calls.out[best] and _is_variant(pool[best], pool[o]) for o in told)
        full = not bridge and (less or len(alone) == len(apart_at) or pool[lead].named > 0)
        if not above and (of_told or full):
            continue
        sure = any((o, best) not in calls.unsure or calls.is_by_name(o) for o in above)
        kept = SPARSE if len(told) < FEW else KEEP
        floor = BELOW_ALONE if apart else kept if sure else UNSURE if len(told) > 1 else SPARSE
        floor = floor if above else kept if bridge else apart_at[len(alone)]
        if weights[best] < floor * weights[lead]:
            continue
        if any(_shows(pool[o], pool[best]) or _shows(pool[best], pool[o]) for o in told):
            continue
        alike = [o for o in told if told_with(pool[o], [pool[best]])]
        chain = bool(above) and len(alike) == 1 and pool[best].end_line > pool[best].start_line + 2
        if alike and not chain:
            aside[alike[0]].append(best)
            continue
        if bridge:
            left = [place for place in left if place != bridge[0]]
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


def _with_only_calls(
    pool: Sequence[Step], weights: Sequence[float], calls: Calls, told: list[int]
) -> list[int]:
    """With what a step does by a single call, while few are told: the work is done there."""
    told = list(told)
    for place in told:  # it grows: what is added may hand on too
        called = [o for o in calls.out[place] if (place, o) not in calls.unsure]
        if len(told) < FEW and len(called) == 1 and called[0] not in told:
            step = pool[called[0]]
            made = step.is_type or step.kind == Kind.CONSTRUCTOR or is_beside(step.path)
            if not made and weights[called[0]] >= CONNECT * weights[told[0]]:
                told.append(called[0])
    return told


def _lead(pool: Sequence[Step], weights: Sequence[float], calls: Calls) -> int:
    """What the question names, else the best step, or what that is another form of."""
    lead = max(range(len(pool)), key=lambda place: (pool[place].named, weights[place], -place))
    if pool[lead].named:
        return lead
    of = [o for o in calls.out[lead] if _is_variant(pool[lead], pool[o])]
    return next((o for o in of if weights[o] >= CLEAR * weights[lead]), lead)


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
            and not _is_variant(pool[place], pool[begin])
            and (is_beside(pool[lead].path) or not is_beside(pool[place].path))
        ]
        above.sort(key=lambda place: (-weights[place], place))
        only = len(above) == 1 and len(calls.from_outside(begin, told)) == 1
        only = only and (begin == lead or weights[above[0]] >= CONNECT * weights[lead])
        least = CLEAR_OF_FEW if len(told) < FEW else CLEAR
        clear = begin == lead and above and weights[above[0]] >= least * weights[lead]
        if len(told) < MOST_STEPS and (only or clear):
            begin = above[0]
            passed.add(begin)
            told = [*told, begin]
    return told


def _is_variant(caller: Step, called: Step) -> bool:
    """Whether one does the same in another way: its name is the other's with more words."""
    own, other = set(tokens(bare(caller.name))), set(tokens(bare(called.name)))
    return caller.path == called.path and other < own


def _ordered(
    calls: Calls, weights: Sequence[float], told: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Callers first, depth first in the order of their lines; and where each part begins."""
    ties = {place: [o for o in calls.out[place] if o in told] for place in told}
    called = {o for of in ties.values() for o in of}
    reach = {place: max(weights[o] for o in below(ties, place)) for place in told}
    by_weight = sorted(told, key=lambda place: (-reach[place], -weights[place], place))
    # a ring begins with what is for others to call, by its plainest name
    ring = sorted((p for p in by_weight if p in called), key=calls.plainness)
    starts = [p for p in by_weight if p not in called] + ring
    order: list[int] = []
    roots = []
    for start in starts:
        if start not in order:
            roots.append(start)
        stack = [start]
        while stack:
            place = stack.pop()
            if place not in order:
                order.append(place)
                stack += reversed(ties[place])
    return order, roots
