"""Routes: cheapest by brute force, never through the logger where there is a real way."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise, permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from graph.graph_trees import HUB_USERS, indexed, with_logger
from hypothesis import given
from hypothesis import strategies as st

from codequarry.retrieval.graph.lanes import FileGraph, is_front
from codequarry.retrieval.graph.routes import DETOUR, Shape, cheapest_route, find_route

if TYPE_CHECKING:
    from pathlib import Path

N = 6


@dataclass
class Roles:
    is_test: np.ndarray


@dataclass
class Toy:
    """As much of a `FileGraph` as routes need."""

    directed: set[tuple[int, int]]
    similar: set[tuple[int, int]]
    is_front: np.ndarray
    generation: Roles
    hub_degree: int = 2
    is_docs: np.ndarray = field(default_factory=lambda: np.zeros(N, bool))

    @property
    def degree(self):
        return np.array([len(self.referred_files(f) | self.referring_files(f)) for f in range(N)])

    def referred_files(self, file):
        return {b for a, b in self.directed if a == file}

    def referring_files(self, file):
        return {a for a, b in self.directed if b == file}

    def alike(self, file):
        return [(b if a == file else a, 0.9) for a, b in sorted(self.similar) if file in (a, b)]


ends = st.tuples(st.integers(0, N - 1), st.integers(0, N - 1))
graphs = st.builds(
    lambda directed, similar, fronts, tests: Toy(
        {(a, b) for a, b in directed if a != b},
        {(a, b) for a, b in similar if a < b},
        np.isin(np.arange(N), sorted(fronts)),
        Roles(np.isin(np.arange(N), sorted(tests))),
    ),
    st.sets(ends, max_size=9),
    st.sets(ends, max_size=5),
    st.sets(st.integers(0, N - 1), max_size=2),
    st.sets(st.integers(0, N - 1), max_size=2),
)


def hop(toy, a, b):
    if (a, b) in toy.directed or (b, a) in toy.directed:
        return 2
    return 3 if (min(a, b), max(a, b)) in toy.similar else None


def toll(toy, file):
    over = int(toy.degree[file]) - toy.hub_degree
    hub = 3 + over if over > 0 else 0
    return 4 * int(toy.is_front[file]) + 4 * int(toy.generation.is_test[file]) + hub


def cost_of(toy, path):
    hops = [hop(toy, a, b) for a, b in pairwise(path)]
    return None if None in hops else sum(hops) + sum(toll(toy, file) for file in path[1:-1])


def brute_force(toy, start, end):
    others = [file for file in range(N) if file not in (start, end)]
    paths = [(start, *middle, end) for k in range(N - 1) for middle in permutations(others, k)]
    return min((c for c in (cost_of(toy, path) for path in paths) if c is not None), default=None)


@given(toy=graphs)
def test_the_cheapest_route_is_that_of_all_paths(toy):
    for start, end in ((0, 1), (2, 5), (3, 3)):
        route = cheapest_route(toy, start, end)
        if start == end:
            assert (route.cost, route.shape) == (0, Shape.SAME)
            continue
        expected = brute_force(toy, start, end)
        assert (route.cost if route else None) == expected
        if route is not None:
            assert cost_of(toy, route.files) == expected


@given(toy=graphs)
def test_a_route_in_place_of_a_zigzag_turns_once_and_costs_little_more(toy):
    cheapest, route = cheapest_route(toy, 0, 1), find_route(toy, 0, 1)
    assert (route is None) == (cheapest is None)
    if route is not None and route != cheapest:
        assert cheapest.shape is Shape.MIXED
        assert route.shape is not Shape.MIXED
        assert cheapest.cost <= cost_of(toy, route.files) == route.cost
        assert route.cost <= DETOUR * cheapest.cost
        assert route.cheapest == cheapest.cost


@given(toy=graphs)
def test_a_shape_says_what_the_references_say(toy):
    route = cheapest_route(toy, 0, 1)
    if route is None:
        return
    forward = [(a, b) in toy.directed for a, b in pairwise(route.files)]
    backward = [(b, a) in toy.directed for a, b in pairwise(route.files)]
    if route.shape is Shape.CHAIN:
        assert all(forward)
    if route.shape is Shape.REVERSE_CHAIN:
        assert all(backward)
    if route.shape is Shape.MEETING_POINT:
        at = route.files.index(route.middle)
        assert all(forward[:at]) and all(backward[at:])
    if route.shape is Shape.COMMON_USER:
        at = route.files.index(route.middle)
        assert all(backward[:at]) and all(forward[at:])


@pytest.fixture(scope="module")
def logged(tmp_path_factory) -> tuple[Path, FileGraph]:
    root = tmp_path_factory.mktemp("logged")
    return root, indexed(root, with_logger())


def test_no_route_runs_through_the_logger_or_the_settings(logged, quarry):
    root, graph = logged
    hubs = {graph.generation.rows_by_path[f"app/{name}.py"] for name in ("logger", "config")}
    assert all(graph.referring[hub] == HUB_USERS for hub in hubs)
    found = quarry("-C", root, "graph", "path", "app/orders.py", "app/rates.py", "--json").json
    names = ["orders", "pricing", "taxes", "rates"]
    assert [item["path"] for item in found["files"]] == [f"app/{name}.py" for name in names]
    assert (found["shape"], found["call_chain"], found["cost"]) == ("chain", True, 6)


def test_every_hop_names_what_carries_it_and_shows_both_places(logged, quarry):
    root, _ = logged
    found = quarry("-C", root, "graph", "path", "app/orders.py", "app/rates.py", "--json").json
    first = found["hops"][0]["carriers"][0]
    assert (first["symbol"], first["type"]) == ("app.pricing.run_pricing", "calls")
    assert first["use"]["text"] == "    run_pricing()"
    assert first["definition"]["text"].startswith("def run_pricing():")
    assert all(len(hop["carriers"]) <= 4 for hop in found["hops"])


def test_the_logger_is_the_way_where_there_is_no_other(logged, quarry):
    root, _ = logged
    found = quarry("-C", root, "graph", "path", "app/part01.py", "app/part02.py", "--json").json
    assert found["shape"] == "meeting_point"
    assert found["middle"] in ("app/config.py", "app/logger.py")
    assert found["files"][1]["toll"] > 80


@pytest.mark.parametrize(
    ("path", "front"),
    [
        ("a/__init__.py", True),
        ("web/index.tsx", True),
        ("src/net/mod.rs", True),
        ("index.html", False),
        ("a/indexing.py", False),
        ("a/init.py", False),
    ],
)
def test_fronts_of_packages(path, front):
    assert is_front(path) is front
