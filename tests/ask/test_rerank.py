"""`--best`: a model reorders within bounds, and whatever it says nothing is lost."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st
from support import index, write_tree

from codequarry.ask.rerank import bounded, rerank
from codequarry.models.chat import open_chat
from codequarry.retrieval.index import open_index
from codequarry.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from chat_server import ChatServer

TREE = {
    f"shop/{name}.py": f'"""How {name} of an order is kept."""\n\n\ndef {name}(order):\n    pass\n'
    for name in ("price", "stock", "parcel", "refund", "invoice")
}
QUESTION = "how is the price of an order kept"


@given(st.lists(st.floats(0, 20), min_size=1, max_size=14))
def test_nothing_falls_more_than_one_place_and_nothing_is_lost(means: list[float]):
    order = bounded(means)
    assert sorted(order) == list(range(len(means)))
    assert all(position <= place + 1 for position, place in enumerate(order))


def test_the_best_by_mean_rank_rises_to_the_top():
    assert bounded([3.0, 2.0, 1.0, 0.0])[0] == 3
    assert bounded([0.0, 1.0, 2.0]) == [0, 1, 2]


def asked(root: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    opened = open_index(root)
    before = opened.search(QUESTION)
    return before, rerank(opened.generation, before, open_chat(Settings()))


def test_votes_are_over_rotated_lists_and_merge_by_file(
    tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
):
    """A model that always wants one file finds it wherever it stands in the list."""
    root = write_tree(tmp_path / "shop", TREE)
    index(root)
    wanted = open_index(root).search(QUESTION).paths[-1]

    def answers(body: dict) -> str:
        listed = re.findall(r"^(\d+)\. (\S+)", body["messages"][1]["content"], re.MULTILINE)
        number = next(int(n) for n, path in listed if path == wanted)
        return json.dumps([number])

    server.answers = answers
    before, after = asked(root, server, monkeypatch)
    assert len(server.requests) == 3
    firsts = {
        re.search(r"^1\. (\S+)", r["messages"][1]["content"], re.M)[1] for r in server.requests
    }
    assert len(firsts) == 3
    assert after.paths[0] == wanted
    assert sorted(after.paths) == sorted(before.paths)
    assert len(after.core) == len(before.core)
    assert all(after.paths.index(p) <= n + 1 for n, p in enumerate(before.paths))


def test_whatever_fails_leaves_retrievals_order(
    tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
):
    root = write_tree(tmp_path / "shop", TREE)
    index(root)
    for reply in ("no idea", "[]", "[99, 0, -1]", '{"a": 1}', "[1, 2"):
        server.says(reply)
        before, after = asked(root, server, monkeypatch)
        assert after.paths == before.paths, reply
        assert "not reranked" in after.notes[-1]
    server.status = 500
    before, after = asked(root, server, monkeypatch)
    assert (after.core, after.related) == (before.core, before.related)
