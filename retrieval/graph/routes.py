"""Routes between two files that avoid what everything touches (S1 §06.2).

Any two files are two hops apart through the logger. So a stop costs: the front of a package,
a test or a page, and a hub the more the more files touch it. Ends are free.

The cheapest route may still zigzag: down to what one file uses, up to who else uses it, over to
one that says alike. Such a route explains nothing, so one that turns at most once is taken in
its place unless that costs much more.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from codequarry.retrieval.graph.lanes import FileGraph

STRUCTURAL_HOP, SEMANTIC_HOP = 2, 3
FRONT_TOLL, TEST_TOLL, PAGE_TOLL, HUB_TOLL = 4, 4, 4, 3
DETOUR = 2.0  # a route that turns once may cost so many times the cheapest


class Shape(StrEnum):
    """How the ends of a route hang together."""

    SAME = "same"
    CHAIN = "chain"  # each refers to the next: the first reaches the last
    REVERSE_CHAIN = "reverse_chain"  # the last reaches the first
    MEETING_POINT = "meeting_point"  # neither reaches the other; both reach into one middle
    COMMON_USER = "common_user"  # one middle reaches into both
    MIXED = "mixed"  # directions change more than once, or a hop is of likeness


@dataclass(frozen=True, slots=True)
class Route:
    """The cheapest way between two files."""

    files: tuple[int, ...]
    cost: int
    shape: Shape
    middle: int = -1  # of a meeting point or a common user
    cheapest: int = 0  # cost of the cheapest route, where that one zigzags


def tolls(graph: FileGraph) -> list[int]:
    """What each file costs as a stop."""
    over = (graph.degree - graph.hub_degree).clip(0)
    hub = (over > 0) * (HUB_TOLL + over)
    found: list[int] = (
        FRONT_TOLL * graph.is_front
        + TEST_TOLL * graph.generation.is_test
        + PAGE_TOLL * graph.is_docs
        + hub
    ).tolist()
    return found


def find_route(graph: FileGraph, start: int, end: int) -> Route | None:
    """The route that explains best how two files hang together; none where nothing ties them."""
    cheapest = cheapest_route(graph, start, end)
    if cheapest is None or cheapest.shape is not Shape.MIXED:
        return cheapest
    toll = tolls(graph)
    ways = (graph.referred_files, graph.referring_files)
    found = [
        _route(graph, *way)
        for first, second in (ways, ways[::-1])
        if (way := _once_turned(toll, start, end, first, second)) is not None
    ]
    order = list(Shape)
    best = min(found, key=lambda r: (r.cost, order.index(r.shape), r.files), default=None)
    if best is None or best.cost > DETOUR * cheapest.cost:
        return cheapest
    return replace(best, cheapest=cheapest.cost)


def cheapest_route(graph: FileGraph, start: int, end: int) -> Route | None:
    """The cheapest route; among equally cheap ones a chain, and then always the same one."""
    if start == end:
        return Route((start,), 0, Shape.SAME)
    toll = tolls(graph)
    there = _search(graph, toll, start, end)
    if there is None:
        return None
    back = _search(graph, toll, end, start)
    routes = [_route(graph, *there)]
    if back is not None:
        routes.append(_route(graph, back[0][::-1], back[1]))
    order = list(Shape)
    return min(routes, key=lambda route: (route.cost, order.index(route.shape), route.files))


def _once_turned(
    toll: Sequence[int],
    start: int,
    end: int,
    first: Callable[[int], set[int]],
    second: Callable[[int], set[int]],
) -> tuple[list[int], int] | None:
    """Dijkstra's algorithm over references that go one way first, and then only the other."""
    best = {(start, False): 0}
    before: dict[tuple[int, bool], tuple[int, bool]] = {}
    heap = [(0, start, False)]
    while heap:
        cost, file, turned = heapq.heappop(heap)
        if file == end:
            at, files = (file, turned), [end]
            while at in before:
                at = before[at]
                files.append(at[0])
            return files[::-1], cost
        if cost > best[file, turned]:
            continue
        onward = cost + STRUCTURAL_HOP + (toll[file] if file != start else 0)
        hops = [] if turned else [(other, False) for other in first(file)]
        for state in [*hops, *((other, True) for other in second(file))]:
            if onward < best.get(state, onward + 1):
                best[state] = onward
                before[state] = (file, turned)
                heapq.heappush(heap, (onward, *state))
    return None


def _search(
    graph: FileGraph, toll: Sequence[int], start: int, end: int
) -> tuple[list[int], int] | None:
    """Dijkstra's algorithm; of equal costs the fewest hops against a reference, lowest files.

    A heap of the standard library and the arrays of the generation: a route asks for the
    neighbours of some hundred files, and SciPy is no part of the query runtime.
    """
    best = {start: (0, 0)}
    before: dict[int, int] = {}
    done: set[int] = set()
    heap = [(0, 0, start)]
    while heap:
        cost, against, file = heapq.heappop(heap)
        if file == end:
            return _back(before, start, end), cost
        if file in done:
            continue
        done.add(file)
        onward = cost + (toll[file] if file != start else 0)
        for other, hop, backwards in _hops(graph, file):
            reached = (onward + hop, against + backwards)
            if other not in best or reached < best[other]:
                best[other] = reached
                before[other] = file
                heapq.heappush(heap, (*reached, other))
    return None


def _hops(graph: FileGraph, file: int) -> list[tuple[int, int, int]]:
    """Neighbours with the cost of the hop, and whether it goes against the references."""
    referred = graph.referred_files(file)
    known = referred | graph.referring_files(file)
    hops = [(other, STRUCTURAL_HOP, int(other not in referred)) for other in sorted(known)]
    hops += [(other, SEMANTIC_HOP, 0) for other, _ in graph.alike(file) if other not in known]
    return hops


def _back(before: dict[int, int], start: int, end: int) -> list[int]:
    files = [end]
    while files[-1] != start:
        files.append(before[files[-1]])
    return files[::-1]


def _route(graph: FileGraph, files: Sequence[int], cost: int) -> Route:
    shape, middle = _shape(graph, files)
    return Route(tuple(files), cost, shape, middle)


def _shape(graph: FileGraph, files: Sequence[int]) -> tuple[Shape, int]:
    """The shape of a route and its middle, by the directions its hops can be read in."""
    hops = list(pairwise(files))
    forward = [b in graph.referred_files(a) for a, b in hops]
    backward = [a in graph.referred_files(b) for a, b in hops]
    if all(forward):
        return Shape.CHAIN, -1
    if all(backward):
        return Shape.REVERSE_CHAIN, -1
    for at in range(1, len(hops)):
        if all(forward[:at]) and all(backward[at:]):
            return Shape.MEETING_POINT, files[at]
    for at in range(1, len(hops)):
        if all(backward[:at]) and all(forward[at:]):
            return Shape.COMMON_USER, files[at]
    return Shape.MIXED, -1
