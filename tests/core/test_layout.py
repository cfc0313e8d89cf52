from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import commit_all, write_tree

from codequarry.store.layout import BUCKETS, Layout, find_root, quarry_home


def test_root_is_the_nearest_git_work_tree(tmp_path: Path):
    outer = write_tree(tmp_path / "outer", {"a.py": "", "inner/src/b.py": "", "deep/er/c.py": ""})
    commit_all(outer)
    commit_all(outer / "inner")
    assert find_root(outer / "deep/er") == outer
    assert find_root(outer / "deep/er/c.py") == outer
    assert find_root(outer / "inner/src") == outer / "inner"


def test_an_index_above_another_checkout_is_not_its_index(tmp_path: Path):
    outer = write_tree(tmp_path, {".quarry/CURRENT": "x\n", "inner/a.py": "", "plain/b.py": ""})
    commit_all(outer / "inner")
    assert find_root(outer / "inner") == outer / "inner"
    assert find_root(outer / "plain") == outer


def test_a_linked_worktree_or_submodule_is_a_root_of_its_own(tmp_path: Path):
    outer = write_tree(tmp_path, {"sub/.git": "gitdir: ../.git/modules/sub\n", "sub/x/a.py": ""})
    (outer / ".git").mkdir()
    assert find_root(outer / "sub/x") == outer / "sub"


def test_settings_mark_a_root_outside_git(tmp_path: Path):
    root = write_tree(tmp_path, {"quarry.toml": "", "src/deep/a.py": ""})
    assert find_root(root / "src/deep") == root


def test_a_bare_folder_is_its_own_root(tmp_path: Path):
    assert find_root(tmp_path) == tmp_path.resolve()


def test_a_link_to_a_repository_leads_to_its_root(tmp_path: Path):
    root = write_tree(tmp_path / "real", {"quarry.toml": "", "src/a.py": ""})
    (tmp_path / "link").symlink_to(root / "src")
    assert find_root(tmp_path / "link") == root


def test_store_lies_in_the_repository(tmp_path: Path):
    layout = Layout.of(tmp_path)
    assert layout.state == tmp_path / ".quarry"
    assert layout.current.parent == layout.census.parent == layout.state


def test_a_repository_that_cannot_be_written_has_its_store_at_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quarry_home: Path
):
    one, two = tmp_path / "a/repo", tmp_path / "b/repo"
    monkeypatch.setattr(os, "access", lambda *_: False)
    first, second = Layout.of(one).state, Layout.of(two).state
    assert first.is_relative_to(quarry_home)
    assert first != second
    assert Layout.of(one).state == first


def test_home_can_be_moved_and_is_the_users_own(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("QUARRY_HOME", "~/somewhere")
    assert quarry_home() == Path("~/somewhere").expanduser()
    monkeypatch.delenv("QUARRY_HOME")
    assert quarry_home().name == "codequarry"


def test_buckets_are_the_hexadecimal_digits():
    assert "".join(BUCKETS) == "0123456789abcdef"
