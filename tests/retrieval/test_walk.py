"""Walks along edges: off by default, bounded at hubs, and never a hand in the ranking."""

from __future__ import annotations

import numpy as np
import pytest
from support import index, modules, write_tree

from codequarry.errors import UsageError
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.index import Options, open_index
from codequarry.retrieval.ranking import Profile
from codequarry.retrieval.walk import HOP_CAP, ChunkGraph, per_file_cap
from codequarry.store.layout import Layout

SHOP = {
    "shop/basket.py": (
        "from shop.money import rounded\n\n\nclass Basket:\n"
        '    """Keeps what a visitor wants."""\n\n    def total(self, rows):\n'
        "        return rounded(sum(rows))\n"
    ),
    "shop/money.py": "def rounded(amount):\n    return amount\n",
    "shop/till.py": (
        "from shop.basket import Basket\n\n\ndef pay(rows):\n"
        "    basket = Basket()\n    return basket.total(rows)\n"
    ),
    "shop/quiet.py": "def unrelated():\n    return None\n",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    root = write_tree(tmp_path_factory.mktemp("walk") / "shop", SHOP | modules(20))
    index(root)
    return root


def paths(root, query: str, **options) -> list[str]:
    return open_index(root, model="none").search(query, Options(**options)).paths


def test_a_walk_brings_in_what_the_words_do_not_name(shop) -> None:
    kin = {"shop/basket.py", "shop/money.py", "shop/till.py"}
    lexical = {"profile": Profile.LEXICAL}
    assert set(paths(shop, "visitor wants", **lexical)[:3]) != kin
    assert set(paths(shop, "visitor wants", walk_depth=1, **lexical)[:3]) == kin


def test_a_symbol_alone_is_a_question(shop) -> None:
    found = paths(shop, "", near_symbol="Basket.total")
    assert found[0] == "shop/basket.py"
    assert "shop/quiet.py" not in found
    with pytest.raises(UsageError, match="no symbol is called"):
        paths(shop, "", near_symbol="Nobody")


def test_neighbours_of_the_best_files_join_last_and_say_why(shop) -> None:
    answer = open_index(shop, model="none").search("visitor wants", Options())
    extras = [f for f in answer.related if f.why == ("via-graph",)]
    ranked = [f.path for f in answer.related if f.why != ("via-graph",)]
    order = [f.path for f in answer.related]
    assert order == ranked + [f.path for f in extras]
    assert all(f.score <= answer.core[0].score for f in extras)


def test_without_any_edge_the_scored_files_keep_their_order(shop, monkeypatch) -> None:
    asked = ("visitor wants", "pay", "rounded amount", "total rows basket")
    opened = open_index(shop, model="none")
    before = [opened.search(query) for query in asked]
    empty = np.zeros(0, np.int32)
    monkeypatch.setattr(Generation, "file_neighbours", lambda self, file: empty)
    after = [open_index(shop, model="none").search(query) for query in asked]
    for one, other in zip(before, after, strict=True):
        assert [f.path for f in one.core] == [f.path for f in other.core]
        scored = [f for f in one.related if f.why != ("via-graph",)]
        assert [(f.path, f.score) for f in scored] == [(f.path, f.score) for f in other.related]


def test_a_hub_is_cut_at_the_same_place_every_time(tmp_path) -> None:
    callers = {
        f"far/user_{i:03d}.py": f"from core.log import log\n\n\ndef use_{i}():\n    log()\n"
        for i in range(120)
    }
    near = {"core/near.py": "from core.log import log\n\n\ndef close():\n    log()\n"}
    root = write_tree(tmp_path / "hub", {"core/log.py": "def log():\n    pass\n"} | callers | near)
    index(root)
    generation = Generation.open(Layout.of(root))
    hub = int(generation.first_chunks[generation.rows_by_path["core/log.py"]])
    graphs = [ChunkGraph(generation) for _ in range(2)]
    found = [graph.neighbours(hub).tolist() for graph in graphs]
    assert found[0] == found[1]
    assert len(found[0]) == HOP_CAP
    first = int(generation.chunk_files[found[0][0]])
    assert generation.paths[first] == "core/near.py"


def test_one_file_gives_a_walk_a_bounded_number_of_chunks() -> None:
    assert [per_file_cap(depth) for depth in (1, 2)] == [5, 10]


def test_a_walk_too_deep_is_refused(shop) -> None:
    with pytest.raises(UsageError, match="depth 3"):
        paths(shop, "visitor", walk_depth=3)
