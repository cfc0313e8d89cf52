"""Splitting a question: whatever a model writes, in bounded time; folders as people see them."""

from __future__ import annotations

import time

import pytest
from support import index, write_tree

from codequarry.ask.agents.folders import top_folders
from codequarry.ask.agents.plan import cluster, read_plan
from codequarry.ask.candidates import find_candidates
from codequarry.retrieval.index import Index, open_index


@pytest.mark.parametrize("text", ['{"a":' * 60_000, "{" * 300_000, '{"readers": {' * 40_000])
def test_a_reply_of_openings_alone_is_soon_given_up(shop: Index, text: str):
    found = find_candidates(shop.generation, shop.search("order"))
    started = time.process_time()
    assert read_plan(text, found) == ()
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("paths", "folders"),
    [
        (["src/a/x.py", "src/b/y.py", "src/b/c/z.py"], ["a", "b", "b"]),
        (["a.py", "b.py", "c.py"], [".", ".", "."]),
        (["a.py", "lib/b.py"], [".", "lib"]),
        (["src/a.py", "src/lib/b.py"], [".", "lib"]),
        (["one/two/three.py"], ["."]),
        ([], []),
    ],
)
def test_folders_are_those_below_what_all_share(paths: list[str], folders: list[str]):
    assert top_folders(paths) == folders


def test_a_flat_tree_has_one_reader(tmp_path):
    tree = {f"m{i}.py": f"def order_{i}():\n    return {i}\n" for i in range(4)}
    root = write_tree(tmp_path / "flat", tree)
    index(root)
    opened = open_index(root, model="none")
    found = find_candidates(opened.generation, opened.search("order"))
    assert len(found.spans) == 4
    assert cluster("how are orders made", found) == ()
