"""SWE-bench rows: gold from a patch, each issue asked at its own commit, nothing checked out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import commit_all, git, modules, write_tree

from codequarry.eval.errors import CorpusError, GoldenError
from codequarry.eval.golden import load_golden
from codequarry.eval.patches import changed_files
from codequarry.eval.record import load_run
from codequarry.eval.swebench import chosen

if TYPE_CHECKING:
    from pathlib import Path

PATCH = """\
diff --git a/src/cart.py b/src/cart.py
--- a/src/cart.py
+++ b/src/cart.py
@@ -1,2 +1,2 @@
--- a/not/a/head.py
+x = 1
diff --git a/src/new.py b/src/new.py
new file mode 100644
--- /dev/null
+++ b/src/new.py
@@ -0,0 +1 @@
+y = 1
diff --git a/old/name.py b/src/name.py
similarity index 100%
rename from old/name.py
rename to src/name.py
diff --git a/tests/test_cart.py b/tests/test_cart.py
--- a/tests/test_cart.py
+++ b/tests/test_cart.py
@@ -1 +1 @@
-a
+b
diff --git "a/gr\\303\\266\\303\\237e.py" "b/gr\\303\\266\\303\\237e.py"
--- "a/gr\\303\\266\\303\\237e.py"
+++ "b/gr\\303\\266\\303\\237e.py"
@@ -1 +1 @@
-a
+b
"""


def row(number: int, commit: str, issue: str, patch: str = PATCH) -> dict[str, str]:
    return {
        "instance_id": f"toy__shop-{number}",
        "repo": "toy/shop",
        "base_commit": commit,
        "problem_statement": issue,
        "patch": patch,
    }


def jsonl(path: Path, *rows: dict[str, str]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


def test_gold_are_the_files_that_were_there_and_are_changed():
    assert changed_files(PATCH) == (
        "src/cart.py",
        "old/name.py",
        "tests/test_cart.py",
        "größe.py",
    )


@given(st.lists(st.sampled_from(["a.py", "b/c d.py", "x/--- a/y.py"]), min_size=1, unique=True))
def test_a_patch_names_its_files_in_order(names: list[str]):
    sections = (
        f"diff --git a/{n} b/{n}\n--- a/{n}\n+++ b/{n}\n@@ -1 +1 @@\n-a\n+b\n" for n in names
    )
    assert changed_files("".join(sections)) == tuple(names)


def test_row_becomes_a_question_without_tests_as_gold(tmp_path: Path):
    (made,) = load_golden(jsonl(tmp_path / "s.jsonl", row(1, "ab" * 20, "src/cart.py fails"))).rows
    assert made.gold_paths == ("src/cart.py", "old/name.py", "größe.py")
    assert (made.id, made.commit, made.mentions_path) == ("toy__shop-1", "ab" * 20, True)


def test_parquet_holds_the_same_questions(tmp_path: Path):
    rows = [row(1, "ab" * 20, "one"), row(2, "cd" * 20, "two")]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "s.parquet")
    assert (
        load_golden(tmp_path / "s.parquet").rows
        == load_golden(jsonl(tmp_path / "s.jsonl", *rows)).rows
    )
    (tmp_path / "bad.parquet").write_bytes(b"no")
    with pytest.raises(GoldenError, match="cannot be read"):
        load_golden(tmp_path / "bad.parquet")


def test_questions_of_some_repositories_are_chosen(tmp_path: Path):
    golden = load_golden(jsonl(tmp_path / "s.jsonl", *(row(i, "ab" * 20, "q") for i in range(3))))
    assert [one.id for one in chosen(golden, (), 2).rows] == ["toy__shop-0", "toy__shop-1"]
    assert len(chosen(golden, ["toy/shop"]).rows) == 3
    with pytest.raises(CorpusError, match="no question of"):
        chosen(golden, ["other/repo"])


@pytest.fixture
def commits(tmp_path: Path) -> list[str]:
    """Three commits of a repository whose bare mirror lies in ``mirrors``."""
    root = tmp_path / "shop"
    made = []
    for i in range(3):
        write_tree(root, modules(2, first=i))
        made.append(commit_all(root))
    mirror = tmp_path / "mirrors" / "toy+shop"
    git(tmp_path, "clone", "-q", "--bare", str(root), str(mirror))
    return made


def patch_of(name: str) -> str:
    return f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-a\n+b\n"


def test_each_issue_is_asked_at_its_commit_and_recorded(tmp_path: Path, commits, quarry):
    file = jsonl(
        tmp_path / "s.jsonl",
        row(1, commits[2], "marker unit03", patch_of("mod_03.py")),
        row(2, commits[0], "marker unit01 in mod_01.py", patch_of("mod_01.py")),
        row(3, commits[0], "marker unit03", patch_of("mod_03.py")),
        row(4, "ab" * 20, "no such commit"),
    )
    done = quarry(
        *("eval", "swebench", file, "--mirrors", tmp_path / "mirrors"),
        *("--cache", tmp_path / "cache", "--model", "none", "--profile", "lexical"),
        *("-o", tmp_path / "run"),
    )
    assert done.status == 0, done.err
    assert "gold path in query: yes" in done.out
    assert "for each further one" in done.out
    run = load_run(tmp_path / "run")
    found = {r["id"]: (r["acc_at_1"], r["bundle_recall"]) for r in run.queries.to_pylist()}
    assert found["toy__shop-1"] == found["toy__shop-2"] == (1.0, 1.0)
    assert found["toy__shop-3"] == (0.0, 0.0)  # that commit has no such file
    assert run.indexes["commit"].to_pylist() == [commits[0], commits[2]]
    assert [told.partition(" ")[0] for told in run.record.missing] == ["toy/shop"]
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["toy+shop"]
    assert not list((tmp_path / "cache").rglob("mod_*.py"))
