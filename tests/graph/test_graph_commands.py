"""`quarry graph` and `quarry map` as people and programs call them."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from graph.graph_trees import graph_of, indexed
from support import index, write_tree

from codequarry.models.tokens import estimate_tokens

if TYPE_CHECKING:
    from pathlib import Path

SHOP = {
    "shop/__init__.py": "from shop.orders import Order\n",
    "shop/orders.py": (
        '"""Orders of customers."""\n\nfrom shop.prices import price_of\n\n\n'
        "class Order:\n    def total(self):\n        return price_of(self)\n\n"
        "    def cancel(self):\n        return None\n"
    ),
    "shop/prices.py": (
        '"""What an item costs."""\n\n\ndef price_of(order):\n    return 1\n\n\n'
        "def unused_rebate():\n    return 0\n"
    ),
    "shop/web.py": ("from shop.orders import Order\n\n\ndef show():\n    return Order().total()\n"),
    "tests/test_orders.py": (
        "from shop.orders import Order\n\n\ndef test_total():\n    assert Order().total()\n"
    ),
    "other/alone.py": "def alone():\n    pass\n",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("graph") / "shop"
    indexed(root, SHOP)
    return root


def test_the_map_says_what_there_is(shop, quarry):
    found = quarry("-C", shop, "graph", "map", "--json").json
    assert found["files"] == len(SHOP)
    assert found["god_nodes"][0]["path"] == "shop/orders.py"
    assert (found["god_nodes"][0]["in"], found["god_nodes"][0]["out"]) == (3, 1)
    assert [god["path"] for god in found["god_package_fronts"]] == ["shop/__init__.py"]
    assert [god["path"] for god in found["god_tests"]] == ["tests/test_orders.py"]
    assert {node["path"] for node in found["nodes"]} == set(SHOP)
    paths = [node["path"] for node in found["nodes"]]
    ends = {(paths[e["from"]], paths[e["to"]], e["type"]) for e in found["edges"]}
    assert ("shop/orders.py", "shop/prices.py", "calls") in ends
    assert found["graph"]["edge_percentile"] == 98.0


def test_a_pipe_gets_json_and_the_alias_is_the_same(shop, quarry):
    assert quarry("-C", shop, "graph", "map").json == quarry("-C", shop, "map", "--json").json
    assert "nodes" not in quarry("-C", shop, "map", "--brief").json


@pytest.mark.parametrize(
    ("asked", "path", "how"),
    [
        ("shop/orders.py", "shop/orders.py", "path"),
        ("./shop/../shop/orders.py", "shop/orders.py", "path"),
        ("shop/orders.py:7", "shop/orders.py", "path"),
        ("prices.py", "shop/prices.py", "file name"),
        ("prices", "shop/prices.py", "file name"),
        ("price_of", "shop/prices.py", "symbol"),
        ("Order.total", "shop/orders.py", "symbol"),
        ("what an item costs", "shop/prices.py", "meaning"),
    ],
)
def test_what_a_node_is_asked_by(shop, quarry, asked, path, how):
    found = quarry("-C", shop, "graph", "node", asked, "--json").json
    assert (found["path"], found["resolved_by"]) == (path, how)


def test_words_that_a_test_shares_lead_to_the_code(shop, quarry):
    found = quarry("-C", shop, "graph", "node", "total of an order", "--json").json
    assert found["path"] == "shop/orders.py"


def test_a_node_shows_its_edges_and_its_code_from_disk(shop, quarry):
    found = quarry("-C", shop, "graph", "node", "shop/orders.py", "--json").json
    assert {tie["path"] for tie in found["in"]} == {
        "shop/__init__.py",
        "shop/web.py",
        "tests/test_orders.py",
    }
    assert found["out"] == [
        {"path": "shop/prices.py", "count": 2, "types": {"calls": 1, "imports": 1}}
    ]
    assert "".join(chunk["text"] for chunk in found["chunks"]) == SHOP["shop/orders.py"]
    assert found["chunks"][0]["start_line"] == 1
    total = next(s for s in found["symbols"] if s["qualified"] == "shop.orders.Order.total")
    assert (total["line"], total["uses"]) == (7, 2)


def test_lines_of_code_are_bounded_and_counted(shop, quarry):
    found = quarry("-C", shop, "graph", "node", "shop/orders.py", "--lines", "3", "--json").json
    lines = "".join(chunk["text"] for chunk in found["chunks"]).count("\n")
    assert lines == 3
    assert lines + found["more_lines"] == SHOP["shop/orders.py"].count("\n")


def test_a_file_that_changed_since_says_so(tmp_path, quarry):
    root = tmp_path / "shop"
    indexed(root, SHOP)
    (root / "shop/prices.py").write_text("x = 1\n")
    assert quarry("-C", root, "graph", "node", "shop/prices.py", "--json").json["changed"]
    found = quarry("-C", root, "graph", "path", "shop/orders.py", "shop/prices.py", "--json").json
    assert found["changed"] == ["shop/prices.py"]


def test_no_route_is_an_answer(shop, quarry):
    found = quarry("-C", shop, "graph", "path", "other/alone.py", "shop/web.py")
    assert (found.status, found.json["found"], found.json["hops"]) == (1, False, [])


def test_errors_have_their_envelope(shop, tmp_path, quarry):
    nothing = quarry("-C", shop, "graph", "node", "zzz qqq xyzzy", "--json")
    assert (nothing.status, nothing.json["error"]["code"]) == (2, "usage")
    empty = quarry("-C", tmp_path, "graph", "map", "--json")
    assert (empty.status, empty.json["error"]["code"]) == (1, "index_not_found")
    both = quarry("-C", shop, "map", "--tokens", "100", "--html", tmp_path / "x", "--json")
    assert both.status == 2


@pytest.mark.parametrize("budget", [50, 80, 120, 400])
def test_signatures_stay_within_the_budget_and_the_most_used_come_first(shop, quarry, budget):
    found = quarry("-C", shop, "map", "--tokens", str(budget), "--json").json
    assert estimate_tokens(found["text"]) == found["tokens"] <= budget
    if budget == 400:
        paths = [file["path"] for file in found["files"]]
        assert paths[0] == "shop/orders.py"
        assert not any(path.startswith("tests/") for path in paths)
        shown = [symbol["signature"] for symbol in found["files"][0]["symbols"]]
        assert shown[:2] == ["class Order", "def total(self)"]


def test_more_tokens_never_show_less(shop, quarry):
    sizes = [
        quarry("-C", shop, "map", "--tokens", str(budget), "--json").json["tokens"]
        for budget in range(60, 300, 40)
    ]
    assert sizes == sorted(sizes)


class Names(HTMLParser):
    """Collects the tags, attributes and texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)


def test_the_page_escapes_hostile_names_and_loads_nothing(tmp_path, quarry):
    evil = "<img src=x onerror=alert(1)>"
    files = {
        f"{evil}/a.py": "def first():\n    pass\n",
        f"{evil}/b.py": "def second():\n    pass\n",
        f"{evil}/\"'&amp;$title.py": "from b import second\n\nsecond()\n",
    }
    root = write_tree(tmp_path / "</script><script>alert(1)</script>".replace("/", "-"), files)
    index(root)
    assert graph_of(root).facts["structural_edges"] >= 1
    target = tmp_path / "map.html"
    assert quarry("-C", root, "graph", "map", "--html", target).status == 0
    text = target.read_text()
    page = Names()
    page.feed(text)
    tags = [tag for tag, _ in page.tags]
    assert "img" not in tags
    assert tags.count("script") == 1
    assert not [a for _, attrs in page.tags for a in attrs if a.startswith("on") or a == "src"]
    assert not re.search(r"https?://|//\w", text)
    assert any("onerror" in words for words in page.texts)
    assert any("$title" in words for words in page.texts)


def test_the_page_is_the_same_every_time(shop, tmp_path, quarry):
    for name in ("one.html", "two.html"):
        quarry("-C", shop, "map", "--html", tmp_path / name)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()
