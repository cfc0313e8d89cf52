"""Hand-verified programs: every edge they name, none that they forbid, none that is not true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from edges.edge_rows import copied, exported, read_json

HERE = Path(__file__).parent
FIXTURES = (HERE.parent / "languages" / "fixtures", HERE / "programs")
PROGRAMS = sorted(
    path.relative_to(HERE.parent).as_posix()
    for folder in FIXTURES
    for path in folder.iterdir()
    if path.is_dir() and "edges" in read_json(path / "expected.json")
)


def last(name: str) -> str:
    return re.split(r"::|[.#\\/]", name)[-1]


def key(edge: dict) -> tuple:
    return edge["type"], edge["from"], edge["from_file"], edge["to"], edge["to_file"]


@pytest.fixture(scope="module", params=PROGRAMS)
def program(request, tmp_path_factory):
    place = HERE.parent / request.param
    root = copied(place, tmp_path_factory.mktemp("edges") / place.name)
    return read_json(place / "expected.json"), exported(root)


def test_every_edge_is_found(program) -> None:
    expected, got = program
    resolved = {key(e) for e in got if e["to_file"]}
    open_ends = {(*key(e)[:3], last(e["to"])) for e in got if not e["to_file"]}
    missing = []
    for edge in expected["edges"]:
        start = key(edge)[:3]
        if edge["resolved"]:
            found = key(edge) in resolved
        else:
            allowed = {
                (*start, a["to"], a["to_file"])
                for a in expected["allowed_extra"]
                if last(a["to"]) == last(edge["to"])
            }
            found = (*start, last(edge["to"])) in open_ends or bool(allowed & resolved)
        if not found:
            missing.append(edge)
    assert missing == []


def test_every_resolved_edge_is_true(program) -> None:
    expected, got = program
    true = {key(e) for e in expected["edges"] + expected["allowed_extra"]}
    assert [e for e in got if e["to_file"] and key(e) not in true] == []


def test_nothing_forbidden_is_resolved(program) -> None:
    expected, got = program
    forbidden = {key(e) for e in expected["must_not_resolve"]}
    assert [e for e in got if key(e) in forbidden] == []


def test_edges_stand_on_the_lines_they_are_written_on(program) -> None:
    expected, got = program
    lines = {(e["type"], e["from"], e["from_file"], last(e["to"]), e["line"]) for e in got}
    for edge in expected["edges"]:
        if edge["resolved"] and edge["type"] != "imports":
            where = (edge["type"], edge["from"], edge["from_file"], last(edge["to"]), edge["line"])
            assert where in lines
