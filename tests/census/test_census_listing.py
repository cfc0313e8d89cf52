"""Which paths a tree holds: what git itself lists, and the same without git."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from census_trees import C011_INSIDE, C011_OUTSIDE, ignore_rules_tree, nested_checkouts_tree
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import commit_all, found_paths, git, git_bytes, index, write_tree

from codequarry.assets.census.census import Census, take_census
from codequarry.assets.census.listing import list_tree
from codequarry.assets.census.rules import Skip
from codequarry.settings import Settings


def census(root: Path, **options: object) -> Census:
    return take_census(root, Settings(**options))  # type: ignore[arg-type]


def indexed(root: Path, **options: object) -> set[str]:
    return {entry.path for entry in census(root, **options).indexed}


def skips(root: Path, **options: object) -> dict[str, str]:
    return {entry.path: str(entry.skip) for entry in census(root, **options).skipped}


def listed_by_git(root: Path) -> set[str]:
    out = git_bytes(root, "ls-files", "-z", "-co", "--exclude-standard")
    return {os.fsdecode(name) for name in out.split(b"\0") if name}


def test_in_git_the_listing_is_what_git_lists(tmp_path: Path):
    root = ignore_rules_tree(tmp_path / "repo")
    git(root, "init", "-q")
    (root / ".git/info/exclude").write_text("local_only.py\n")
    commit_all(root)
    assert set(list_tree(root).files) == listed_by_git(root)
    assert set(C011_INSIDE) <= indexed(root)
    assert indexed(root).isdisjoint(C011_OUTSIDE)


def test_without_git_the_same_rules_give_the_same_files(tmp_path: Path):
    root = ignore_rules_tree(tmp_path / "repo")
    found = indexed(root)
    assert set(C011_INSIDE) <= found
    assert found & set(C011_OUTSIDE) == {"local_only.py"}  # named in .git/info/exclude only


PATTERN = st.text("ab*/!?#\\ -.", min_size=1, max_size=7)
RULES = st.lists(
    PATTERN
    | st.sampled_from(
        [
            "*",
            "!*/",
            "/a",
            "a/",
            "**/b",
            "a/**",
            "!a",
            "*.b",
            "a/*/b",
            "[ab]",
            "[!a]",
            "*.[a-b]",
            "[[]",
        ]
    ),
    max_size=4,
).map("\n".join)
PATHS = ["a", "b", "c/a", "c/b.b", "a.b/a", "d/a/b", "a b", "c/c/a.b", "-a", "c/#", "d/c/b/a"]


@pytest.mark.slow
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(RULES, RULES)
def test_the_walk_ignores_what_git_ignores(top: str, nested: str):
    with tempfile.TemporaryDirectory() as name:
        root = write_tree(Path(name), dict.fromkeys(PATHS, "x\n"))
        write_tree(root, {".gitignore": top + "\n", "c/.gitignore": nested + "\n"})
        walked = set(list_tree(root).files)
        git(root, "init", "-q")
        assert walked == listed_by_git(root)


def test_ignored_but_tracked_files_are_listed(tmp_path: Path):
    root = write_tree(tmp_path, {"a.py": "x\n", "kept.log": "x\n"})
    commit_all(root)
    (root / ".gitignore").write_text("*.log\n")
    assert "kept.log" in indexed(root)


def test_submodules_are_indexed_and_other_checkouts_reported(tmp_path: Path):
    root = nested_checkouts_tree(tmp_path)
    taken = census(root)
    assert {"main.py", "libs/sub/lib.py"} <= {entry.path for entry in taken.indexed}
    reported = {entry.path: entry.skip for entry in taken.skipped}
    assert reported[".claude/worktrees/feature-a"] == Skip.LINKED_WORKTREE
    assert reported["services/service-a"] == Skip.NESTED_CLONE
    assert all("feature-a/" not in entry.path for entry in taken.entries)


def test_each_needle_is_found_once_and_a_worktree_has_its_own_index(tmp_path: Path):
    root = nested_checkouts_tree(tmp_path)
    index(root)
    before = (root / ".quarry/CURRENT").read_bytes()
    assert found_paths(root, "root_needle")[0] == "main.py"
    assert found_paths(root, "submodule_needle")[0] == "libs/sub/lib.py"
    worktree = root / ".claude/worktrees/feature-a"
    index(worktree)
    assert found_paths(worktree, "root_needle")[0] == "main.py"
    assert (worktree / ".quarry/CURRENT").is_file()
    assert (root / ".quarry/CURRENT").read_bytes() == before


def test_an_untracked_nested_clone_is_reported(tmp_path: Path):
    root = write_tree(tmp_path, {"a.py": "x\n"})
    commit_all(root)
    commit_all(write_tree(root / "inner", {"b.py": "x\n"}))
    assert skips(root)["inner"] == Skip.NESTED_CLONE
    assert indexed(root) == {"a.py"}


def test_without_git_nested_checkouts_are_reported_too(tmp_path: Path):
    root = write_tree(tmp_path, {"a.py": "x\n", "link/.git": "gitdir: elsewhere\n", "link/c": "x"})
    commit_all(write_tree(root / "inner", {"b.py": "x\n"}))
    found = skips(root)
    assert (found["inner"], found["link"]) == (Skip.NESTED_CLONE, Skip.LINKED_WORKTREE)
    assert indexed(root) == {"a.py"}


def test_a_submodule_that_is_not_checked_out_is_reported(tmp_path: Path):
    commit_all(write_tree(tmp_path / "sub", {"lib.py": "x\n"}))
    root = write_tree(tmp_path / "repo", {"a.py": "x\n"})
    commit_all(root)
    git(root, "submodule", "add", "-q", "../sub", "libs/sub")
    git(root, "commit", "-qm", "sub")
    git(root, "submodule", "deinit", "-f", "libs/sub")
    assert skips(root)["libs/sub"] == Skip.MISSING
    assert "a.py" in indexed(root)


def test_a_path_with_merge_conflicts_is_listed_once(tmp_path: Path):
    root = write_tree(tmp_path, {"a.py": "one\n"})
    commit_all(root)
    git(root, "checkout", "-qb", "side")
    (root / "a.py").write_text("two\n")
    commit_all(root)
    git(root, "checkout", "-q", "main")
    (root / "a.py").write_text("three\n")
    commit_all(root)
    with pytest.raises(Exception, match="merge"):
        git(root, "merge", "side")
    assert [e.path for e in census(root).entries] == ["a.py"]
    assert len(set(git(root, "ls-files", "-s").split())) > 4  # git itself has three stages


def test_a_tracked_file_that_is_gone_is_reported_missing(tmp_path: Path):
    root = write_tree(tmp_path, {"a.py": "x\n", "b/c.py": "x\n"})
    commit_all(root)
    (root / "a.py").unlink()
    shutil.rmtree(root / "b")
    assert skips(root) == {"a.py": Skip.MISSING, "b/c.py": Skip.MISSING}


def test_a_sparse_checkout_indexes_what_is_there(tmp_path: Path):
    root = write_tree(tmp_path, {"in/a.py": "x\n", "out/b.py": "x\n"})
    commit_all(root)
    git(root, "sparse-checkout", "set", "in")
    assert indexed(root) == {"in/a.py"}
    assert skips(root)["out/b.py"] == Skip.MISSING


def test_a_file_that_became_a_folder_does_not_stop_the_census(tmp_path: Path):
    root = write_tree(tmp_path, {"thing": "x\n", "a.py": "x\n"})
    commit_all(root)
    (root / "thing").unlink()
    write_tree(root, {"thing/inner.py": "x\n"})
    assert indexed(root) == {"a.py", "thing/inner.py"}


ODD_NAMES = [
    b"new\nline.py",
    b" leading space.py",
    b"-rf",
    b"--help.py",
    b"tab\there.py",
    b"quo\"te's.py",
    b"back\\slash.py",
    b"caf\xe9.py",  # Latin-1, not UTF-8
    "cafe\u0301.py".encode(),  # decomposed: kept as it is on disk
    "\U0001f4e6.py".encode(),
    b"\x1b[31mred.py",
    b"*.py",
    b"#hash.py",
    b"!bang.py",
    b"a:b",
    "\u202etxt.py".encode(),
]


@pytest.mark.parametrize("with_git", [True, False])
def test_odd_names_round_trip(tmp_path: Path, with_git: bool):
    for number, name in enumerate(ODD_NAMES):
        (tmp_path / os.fsdecode(name)).write_text(f"def needle{number}(): pass\n")
    if with_git:
        commit_all(tmp_path)
    assert {os.fsencode(path) for path in indexed(tmp_path)} == set(ODD_NAMES)


def test_a_repository_that_git_refuses_is_walked_and_says_so(tmp_path: Path):
    root = write_tree(tmp_path, {"a.py": "x\n", "b.log": "x\n", ".gitignore": "*.log\n"})
    (root / ".git").mkdir()
    (root / ".git/HEAD").write_text("broken\n")
    taken = census(root)
    assert "a.py" in {entry.path for entry in taken.indexed}
    assert "b.log" not in {entry.path for entry in taken.entries}
    (detail,) = (entry.detail for entry in taken.trouble if entry.path == ".git")
    assert detail.startswith("git ")


def test_git_variables_of_a_hook_do_not_mislead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    root = write_tree(tmp_path / "one", {"a.py": "x\n"})
    other = write_tree(tmp_path / "two", {"b.py": "x\n"})
    commit_all(root)
    commit_all(other)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
    assert indexed(root) == {"a.py"}
