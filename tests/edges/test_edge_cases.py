"""Reported programs: import forms whose edges other tools lost, invented or tied to decoys."""

from __future__ import annotations

import pytest
from edges.edge_rows import copied, exported, names, read_json
from support import CASES, write_tree

EDGE_CASES = ("C034", "C035", "C037", "C038", "C040", "C041")


@pytest.fixture(scope="module", params=EDGE_CASES)
def case(request, tmp_path_factory):
    folder = CASES / request.param
    root = copied(folder / "repo", tmp_path_factory.mktemp("case") / request.param)
    return read_json(folder / "expect.json"), exported(root)


def fits(edge: dict, wanted: dict) -> bool:
    if not edge["to_file"] or wanted.get("kind", edge["type"]) != edge["type"]:
        return False
    if "from" in wanted and wanted["from"] not in names(edge["from_file"], edge["from"]):
        return False
    return "to" in wanted and wanted["to"] in names(edge["to_file"], edge["to"])


def test_wanted_edges_are_there(case) -> None:
    expected, got = case
    wanted = expected["edges"] + expected.get("bonus", [])
    assert [w for w in wanted if not any(fits(e, w) for e in got)] == []


def test_decoys_are_not_tied(case) -> None:
    expected, got = case
    assert [e for e in got for w in expected["not_edges"] if fits(e, w)] == []


def test_no_file_refers_to_itself(case) -> None:
    _, got = case
    assert [e for e in got if e["type"] == "imports" and e["from_file"] == e["to_file"]] == []


def test_packages_whose_folder_setuptools_names(tmp_path) -> None:
    tree = {
        "pyproject.toml": '[tool.setuptools.package-dir]\n"shop" = "core"\n"shop.till" = "till"\n',
        "core/__init__.py": "",
        "core/money.py": "def rounded(x):\n    return x\n",
        "till/__init__.py": "from shop.money import rounded\n\nrounded(1)\n",
        "shop/money.py": "def rounded(x):\n    return -x\n",
        "main.py": "import shop.till\nfrom shop.till import rounded\n\nrounded(2)\n",
    }
    got = exported(write_tree(tmp_path / "mapped", tree))
    calls = {(e["from_file"], e["to_file"]) for e in got if e["type"] == "calls"}
    assert calls == {("till/__init__.py", "core/money.py"), ("main.py", "core/money.py")}
