"""Who may import whom: core ◄ models ◄ assets and retrieval ◄ ask ◄ shells and eval."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from support import QUARRY

TOP = Path(__file__).parents[2]
ALLOWED = {
    "core": {"core"},
    "models": {"core", "models"},
    "models/training": {"core", "models", "assets"},
    "assets": {"core", "models", "assets"},
    "retrieval": {"core", "models", "retrieval"},
    "ask": {"core", "models", "retrieval", "ask"},
    "pipelines": {"core", "models", "assets", "retrieval", "ask", "pipelines"},
    "shells": {"core", "models", "assets", "retrieval", "ask", "pipelines", "shells", "eval"},
    "eval": {"core", "models", "assets", "retrieval", "ask", "pipelines", "shells", "eval"},
}
MAY_IMPORT_DAGSTER = {"pipelines", "eval"}
FOLDERS = ("core", "models", "assets", "retrieval", "ask", "pipelines", "shells", "eval")
FRONT = TOP / "core" / "__init__.py"
MODULES = sorted(path for folder in FOLDERS for path in (TOP / folder).rglob("*.py"))


def _imported(path: Path) -> set[str]:
    """The modules a file imports, at any depth of its code."""
    found = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(node.module or "")
            if node.module == "codequarry":
                found.update(f"codequarry.{alias.name}" for alias in node.names)
    return found


def _loaded_at_once(path: Path) -> set[str]:
    """The modules a file imports when it is imported, those for type checkers left out."""
    body = ast.parse(path.read_bytes()).body
    return {node.module or "" for node in body if isinstance(node, ast.ImportFrom)}


def _folder_of(module: str) -> str:
    part = module.partition(".")[2].partition(".")[0]
    return part if part in FOLDERS else "core"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(TOP)))
def test_imports_go_in_one_direction(path: Path):
    relative = path.relative_to(TOP).as_posix()
    layer = max((name for name in ALLOWED if relative.startswith(name + "/")), key=len)
    imported = _imported(path)
    if path == FRONT:  # it names what others define, and loads them when they are used
        imported = _loaded_at_once(path)
    own = {_folder_of(name) for name in imported if name.split(".")[0] == "codequarry"}
    assert own <= ALLOWED[layer]
    roots = {name.split(".")[0] for name in imported}
    assert roots.isdisjoint(FOLDERS), "a folder imported by its bare name"
    if "dagster" in roots:
        assert layer in MAY_IMPORT_DAGSTER or path.name == "asset.py"


def _loaded_after(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        capture_output=True,
        check=True,
        text=True,
    )
    return {name.split(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize(
    "module",
    [
        "codequarry.retrieval.index",
        "codequarry.ask.ask",
        "codequarry.shells.cli.main",
        "codequarry.shells.cli.search",
        "codequarry.shells.cli.status",
        "codequarry.models.registry",
    ],
)
def test_the_query_side_loads_neither_dagster_nor_grammars(module: str):
    assert _loaded_after(f"import {module}").isdisjoint({"dagster", "tree_sitter", "pandas"})


def test_a_parsing_process_loads_no_dagster_and_no_shell():
    loaded = _loaded_after(
        "import codequarry.assets.facts.worker, sys\n"
        "assert not any(name.startswith('codequarry.shells') for name in sys.modules)"
    )
    assert "dagster" not in loaded


def test_a_clean_index_run_loads_no_dagster():
    assert "dagster" not in _loaded_after("import codequarry.pipelines.reindex")


def test_a_search_loads_neither_dagster_nor_grammars(thirty: Path):
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *QUARRY[1:], "-C", thirty, "search", "unit07"],
        capture_output=True,
        check=True,
        text=True,
    )
    assert "mod_07.py" in done.stdout
    loaded = {
        line.rpartition("|")[2].strip().split(".")[0]
        for line in done.stderr.split("\n")
        if line.startswith("import time:")
    }
    assert {"numpy", "pyarrow"} <= loaded
    assert loaded.isdisjoint({"dagster", "tree_sitter", "tree_sitter_language_pack", "pebble"})
