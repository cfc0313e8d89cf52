"""The map of a repository: its communities, what everything touches, and what surprises."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from codequarry.retrieval.graph.lanes import FileGraph

CENTRES = 5  # files that are shown of a community
GODS, APART, SURPRISES = 15, 5, 12
SAME_NAMES = 2  # surprises that are shown between files of the same two names
LINKS = 5  # other communities that are shown of one


@dataclass(frozen=True, slots=True)
class Community:
    """Files that belong together."""

    id: int
    name: str
    size: int
    tests: int
    centres: tuple[str, ...]  # what most files touch
    files: tuple[str, ...]
    links: tuple[tuple[int, int], ...]  # (community, pairs of files tied), the most first


@dataclass(frozen=True, slots=True)
class God:
    """A file that many others touch."""

    path: str
    degree: int
    referring: int
    referred: int
    community: str


@dataclass(frozen=True, slots=True)
class Surprise:
    """Two files that say alike, refer to each other in no way, and live apart."""

    first: str
    second: str
    cosine: float
    test: bool  # one of them is a test


@dataclass(frozen=True, slots=True)
class Overview:
    """The map."""

    files: int
    facts: dict[str, float]
    communities: tuple[Community, ...]  # of two files and more, the largest first
    singles: int  # files that belong with no other
    gods: tuple[God, ...]
    god_tests: tuple[God, ...]
    god_fronts: tuple[God, ...]  # package fronts: they hand on what others define
    surprises: tuple[Surprise, ...]
    n_surprises: int

    def as_json(self) -> dict[str, Any]:
        """The documented JSON form."""
        return {
            "files": self.files,
            "graph": self.facts,
            "communities": [
                asdict(c) | {"links": [{"community": i, "pairs": n} for i, n in c.links]}
                for c in self.communities
            ],
            "single_files": self.singles,
            "god_nodes": [_god_json(g) for g in self.gods],
            "god_tests": [_god_json(g) for g in self.god_tests],
            "god_package_fronts": [_god_json(g) for g in self.god_fronts],
            "surprises": [asdict(s) for s in self.surprises],
            "surprises_total": self.n_surprises,
        }


def _god_json(god: God) -> dict[str, Any]:
    return {
        "path": god.path,
        "degree": god.degree,
        "in": god.referring,
        "out": god.referred,
        "community": god.community,
    }


def overview(graph: FileGraph) -> Overview:
    """The map of a repository."""
    found = _surprises(graph)
    groups = _communities(graph)
    tests = graph.generation.is_test
    return Overview(
        files=len(graph),
        facts=graph.facts,
        communities=groups,
        singles=int(np.count_nonzero(graph.sizes == 1)),
        gods=_gods(graph, ~tests & ~graph.is_front & ~graph.is_docs, GODS),
        god_tests=_gods(graph, tests, APART),
        god_fronts=_gods(graph, graph.is_front & ~tests, APART),
        surprises=tuple(_varied(found)[:SURPRISES]),
        n_surprises=len(found),
    )


def _gods(graph: FileGraph, mask: Any, limit: int) -> tuple[God, ...]:
    files = np.flatnonzero(mask & (graph.degree > 0))
    order = files[np.lexsort((files, -graph.degree[files]))][:limit]
    return tuple(
        God(
            graph.path(file),
            int(graph.degree[file]),
            int(graph.referring[file]),
            int(graph.referred[file]),
            graph.names[graph.community[file]],
        )
        for file in order.tolist()
    )


def _communities(graph: FileGraph) -> tuple[Community, ...]:
    members = np.argsort(graph.community, kind="stable")
    starts = np.searchsorted(graph.community[members], np.arange(len(graph.sizes) + 1))
    links = _links(graph)
    found = []
    for number in np.flatnonzero(graph.sizes > 1).tolist():
        files = members[starts[number] : starts[number + 1]]
        tests = graph.generation.is_test[files]
        order = files[np.lexsort((files, -graph.degree[files], tests))]
        found.append(
            Community(
                number,
                graph.names[number],
                len(files),
                int(tests.sum()),
                tuple(graph.path(file) for file in order[:CENTRES].tolist()),
                tuple(graph.path(file) for file in files.tolist()),
                tuple(links.get(number, ())[:LINKS]),
            )
        )
    return tuple(found)


def _links(graph: FileGraph) -> dict[int, list[tuple[int, int]]]:
    """How many pairs of files tie each community to each other one of several files."""
    first, second, by_reference = graph.both_lanes
    one, other = graph.community[first[by_reference]], graph.community[second[by_reference]]
    apart = (one != other) & (graph.sizes[one] > 1) & (graph.sizes[other] > 1)
    pairs = np.stack([one[apart], other[apart]], axis=1)
    distinct, counts = np.unique(np.sort(pairs, axis=1), axis=0, return_counts=True)
    found: dict[int, list[tuple[int, int]]] = {}
    for (a, b), count in zip(distinct.tolist(), counts.tolist(), strict=True):
        found.setdefault(a, []).append((b, count))
        found.setdefault(b, []).append((a, count))
    return {number: sorted(to, key=lambda t: (-t[1], t[0])) for number, to in found.items()}


def _surprises(graph: FileGraph) -> list[Surprise]:
    """Those between code first: two tests that are alike are no wonder."""
    tests = graph.generation.is_test
    rows = graph.generation.graph_table("surprises").to_pylist()
    found = [
        Surprise(
            graph.path(row["first"]),
            graph.path(row["second"]),
            round(row["cosine"], 3),
            bool(tests[row["first"]] or tests[row["second"]]),
        )
        for row in rows
    ]
    return sorted(found, key=lambda surprise: surprise.test)


def _varied(surprises: list[Surprise]) -> list[Surprise]:
    """A hundred locales with one file each are one surprise, not a hundred."""
    seen: Counter[tuple[str, ...]] = Counter()
    found = []
    for surprise in surprises:
        names = tuple(sorted(p.rpartition("/")[2] for p in (surprise.first, surprise.second)))
        seen[names] += 1
        if seen[names] <= SAME_NAMES:
            found.append(surprise)
    return found
