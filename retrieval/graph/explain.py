"""A route as an answer shows it: what carries each hop, and which shape the whole has."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from codequarry.retrieval.graph.carriers import Carrier, Splicer, carriers
from codequarry.retrieval.graph.lanes import FileGraph
from codequarry.retrieval.graph.resolve import Resolved
from codequarry.retrieval.graph.routes import Route, Shape, tolls
from codequarry.vocabulary import EdgeType


@dataclass(frozen=True, slots=True)
class Hop:
    """One hop of a route."""

    origin: str
    target: str
    forward: dict[str, int]  # references from origin to target, by type
    backward: dict[str, int]
    cosine: float | None  # where the files say alike
    carriers: tuple[Carrier, ...]

    @property
    def is_structural(self) -> bool:
        """Whether one of the files refers to the other."""
        return bool(self.forward or self.backward)


@dataclass(frozen=True, slots=True)
class ExplainedRoute:
    """A route between two files; without hops where there is none."""

    start: Resolved
    end: Resolved
    start_path: str
    end_path: str
    found: bool
    shape: str
    calls: bool  # every hop of a chain is a call
    middle: str
    cost: int
    cheapest: int  # cost of a cheaper route that zigzags, which is not shown; 0: there is none
    files: tuple[tuple[str, int], ...]  # with what each costs as a stop
    hops: tuple[Hop, ...]
    changed: tuple[str, ...]  # files that are not as they were indexed

    def as_json(self) -> dict[str, Any]:
        """The documented JSON form."""
        return {
            "from": _end_json(self.start, self.start_path),
            "to": _end_json(self.end, self.end_path),
            "found": self.found,
            "shape": self.shape or None,
            "call_chain": self.calls,
            "middle": self.middle or None,
            "cost": self.cost,
            "cheapest": self.cheapest or self.cost,
            "files": [{"path": path, "toll": toll} for path, toll in self.files],
            "hops": [
                {
                    "from": hop.origin,
                    "to": hop.target,
                    "lane": "structural" if hop.is_structural else "semantic",
                    "forward": hop.forward,
                    "backward": hop.backward,
                    "cosine": hop.cosine,
                    "carriers": [asdict(carrier) for carrier in hop.carriers],
                }
                for hop in self.hops
            ],
            "changed": list(self.changed),
        }


def _end_json(resolved: Resolved, path: str) -> dict[str, Any]:
    others = list(resolved.others)
    return {"asked": resolved.asked, "path": path, "resolved_by": resolved.how, "others": others}


def explain(
    graph: FileGraph, splicer: Splicer, ends: tuple[Resolved, Resolved], route: Route | None
) -> ExplainedRoute:
    """A route with the symbols that carry its hops.

    Args:
        graph: of the generation.
        splicer: reads lines from disk.
        ends: what was asked for.
        route: between them, if there is one.
    """
    files = route.files if route is not None else ()
    hops = tuple(_hop(graph, splicer, one, other) for one, other in pairwise(files))
    toll = tolls(graph) if route is not None else []
    return ExplainedRoute(
        start=ends[0],
        end=ends[1],
        start_path=graph.path(ends[0].file),
        end_path=graph.path(ends[1].file),
        found=route is not None,
        shape=route.shape.value if route is not None else "",
        calls=_is_call_chain(route, hops),
        middle=graph.path(route.middle) if route is not None and route.middle >= 0 else "",
        cost=route.cost if route is not None else 0,
        cheapest=route.cheapest if route is not None else 0,
        files=tuple(
            (graph.path(file), toll[file] if file not in (files[0], files[-1]) else 0)
            for file in files
        ),
        hops=hops,
        changed=tuple(sorted(splicer.changed)),
    )


def _hop(graph: FileGraph, splicer: Splicer, one: int, other: int) -> Hop:
    return Hop(
        graph.path(one),
        graph.path(other),
        graph.types(one, other),
        graph.types(other, one),
        dict(graph.alike(one)).get(other),
        tuple(carriers(graph.generation, splicer, one, other)),
    )


def _is_call_chain(route: Route | None, hops: tuple[Hop, ...]) -> bool:
    if route is None or not hops:
        return False
    if route.shape is Shape.CHAIN:
        return all(EdgeType.CALLS.value in hop.forward for hop in hops)
    if route.shape is Shape.REVERSE_CHAIN:
        return all(EdgeType.CALLS.value in hop.backward for hop in hops)
    return False
