"""`quarry repos`: the user's list survives whatever is done to it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from support import LEXICAL, index, modules, write_tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ran


def _names(quarry: Callable[..., Ran]) -> list[str]:
    return [
        row["name"] for row in json.loads(quarry("repos", "list", "--json").out)["repositories"]
    ]


def test_a_list_without_entries_says_how_to_get_some(quarry: Callable[..., Ran]):
    ran = quarry("repos")
    assert ran.status == 1
    assert "quarry repos add PATH" in ran.err


def test_repositories_are_listed_with_the_state_of_their_index(
    tmp_path: Path, quarry: Callable[..., Ran]
):
    indexed = write_tree(tmp_path / "indexed", modules(2))
    index(indexed, LEXICAL)
    bare = write_tree(tmp_path / "bare", modules(1))
    gone = write_tree(tmp_path / "gone", modules(1))
    for root in (indexed, bare, gone):
        assert quarry("repos", "add", root).status == 0
    (gone / "mod_00.py").unlink()
    gone.rmdir()
    out = quarry("repos", "list").out
    assert "2 files, 2 chunks" in out
    assert "not indexed" in out
    assert "its folder is gone" in out


def test_a_sub_folder_means_its_repository_and_twice_is_once(
    tmp_path: Path, quarry: Callable[..., Ran]
):
    root = write_tree(tmp_path / "repo", {"quarry.toml": "", "src/a.py": "x = 1\n"})
    quarry("repos", "add", root / "src")
    quarry("-C", root, "repos", "add")
    assert _names(quarry) == ["repo"]


def test_two_folders_of_one_name_are_told_apart(tmp_path: Path, quarry: Callable[..., Ran]):
    for parent in ("a", "b"):
        quarry("repos", "add", write_tree(tmp_path / parent / "app", modules(1)))
    assert _names(quarry) == ["app", "app-2"]


def test_a_name_can_be_given_and_changed_but_not_taken(tmp_path: Path, quarry: Callable[..., Ran]):
    one, two = (write_tree(tmp_path / name, modules(1)) for name in ("one", "two"))
    quarry("repos", "add", one, "--name", "web")
    ran = quarry("repos", "add", two, "--name", "web")
    assert (ran.status, "another repository called web" in ran.err) == (2, True)
    quarry("repos", "add", one, "--name", "front")
    assert _names(quarry) == ["front"]
    assert quarry("repos", "add", two, "--name", "../x").status == 2


@pytest.mark.parametrize("by", ["name", "path"])
def test_removing_leaves_the_index(tmp_path: Path, quarry: Callable[..., Ran], by: str):
    root = write_tree(tmp_path / "repo", modules(1))
    index(root, LEXICAL)
    quarry("repos", "add", root)
    assert quarry("repos", "remove", "repo" if by == "name" else root).status == 0
    assert quarry("repos").status == 1
    assert quarry("-C", root, "status").status == 0
    assert quarry("repos", "remove", "repo").status == 2


@pytest.mark.parametrize("broken", ["{", "[]", '{"version": 99, "repositories": []}'])
def test_a_list_that_cannot_be_read_is_left_as_it_is(
    tmp_path: Path, quarry_home: Path, quarry: Callable[..., Ran], broken: str
):
    path = write_tree(quarry_home, {"repositories.json": broken}) / "repositories.json"
    ran = quarry("repos", "add", write_tree(tmp_path / "repo", modules(1)))
    assert ran.status == 2
    assert "repositories.json" in ran.err
    assert path.read_text() == broken


def test_commands_at_the_same_time_lose_nothing(tmp_path: Path, quarry: Callable[..., Ran]):
    roots = [write_tree(tmp_path / f"r{i}", modules(1)) for i in range(6)]
    add = "import sys; from pathlib import Path; from codequarry.store.registry import add\n"
    add += "add(Path(sys.argv[1]))"
    runs = [subprocess.Popen([sys.executable, "-c", add, str(root)]) for root in roots]
    assert [run.wait(60) for run in runs] == [0] * 6
    assert _names(quarry) == [f"r{i}" for i in range(6)]
