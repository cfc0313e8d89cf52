"""`quarry scan`: what would be indexed, told before anything is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from support import LEXICAL, index, modules, write_tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ran

TREE = {
    **modules(3),
    "docs/guide.md": "# Guide\n\nHow to.\n",
    "web/jquery.min.js": "var a=1;" * 400,
    "logo.png": b"\x89PNG\r\n\x1a\n\0\0",
    ".quarryignore": "private/\n",
    "private/notes.py": "x = 1\n",
}


def test_scan_says_what_would_be_indexed_and_writes_nothing(
    tmp_path: Path, quarry: Callable[..., Ran]
):
    root = write_tree(tmp_path / "repo", TREE)
    before = sorted(root.rglob("*"))
    ran = quarry("-C", root, "scan")
    assert ran.status == 0
    assert "would index 5 files" in ran.out
    assert "python" in ran.out
    assert "minified" in ran.out
    assert sorted(root.rglob("*")) == before


def test_scan_agrees_with_the_index_that_follows(tmp_path: Path, quarry: Callable[..., Ran]):
    root = write_tree(tmp_path / "repo", TREE)
    planned = json.loads(quarry("-C", root, "scan", "--files", "--skipped", "--json").out)
    index(root, LEXICAL)
    made = json.loads(quarry("-C", root, "status", "--files", "--skipped", "--json").out)
    assert [row["path"] for row in planned["listed_files"]] == [
        row["path"] for row in made["listed_files"]
    ]
    assert planned["skipped_files"] == made["skipped_files"]
    assert planned["bytes"] == sum(
        (root / row["path"]).stat().st_size for row in planned["listed_files"]
    )


def test_scan_shows_the_rule_of_each_file_left_out(tmp_path: Path, quarry: Callable[..., Ran]):
    root = write_tree(tmp_path / "repo", TREE)
    lines = quarry("-C", root, "scan", "--skipped").out.splitlines()
    assert any(line.startswith("minified") and "jquery.min.js" in line for line in lines)
    assert any(line.startswith("binary") and "logo.png" in line for line in lines)


def test_scan_brings_back_what_it_is_told_to(tmp_path: Path, quarry: Callable[..., Ran]):
    root = write_tree(tmp_path / "repo", TREE)
    found = json.loads(quarry("-C", root, "scan", "--include-minified", "--files", "--json").out)
    assert "web/jquery.min.js" in [row["path"] for row in found["listed_files"]]


def test_scan_of_nothing_warns(tmp_path: Path, quarry: Callable[..., Ran]):
    root = write_tree(tmp_path / "repo", {"a.png": b"\x89PNG\0"})
    ran = quarry("-C", root, "scan")
    assert ran.status == 1
    assert "no file would be indexed" in ran.err
