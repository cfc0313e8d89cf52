"""What prose, doc comments and fences mean when they mention code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support import index, write_tree

from codequarry.retrieval.exporting import export_table
from codequarry.retrieval.generation import Generation
from codequarry.store.layout import Layout

if TYPE_CHECKING:
    from pathlib import Path

CODE = {
    "shop/__init__.py": "from .orders import Order\n",
    "shop/orders.py": (
        "class Order:\n    def total(self):\n        pass\n\n"
        "    def save(self):\n        pass\n\n\n"
        "def place_order(order):\n    '''Give an `Order` to `shop.stock.Stock`.'''\n"
    ),
    "shop/stock.py": (
        "class Stock:\n    def save(self):\n        pass\n\n\ndef reserve():\n    pass\n"
    ),
    "web/cart.ts": "export class CartView {\n  render() {}\n}\n",
    "tests/test_orders.py": "def place_order():\n    pass\n",
}


def documented(root: Path, page: str, name: str = "docs/guide.md") -> list[tuple]:
    """(line, file, qualified name, rule) of what a page is tied to."""
    write_tree(root, CODE | {name: page})
    index(root)
    rows = export_table(Generation.open(Layout.of(root)), "edges").to_pylist()
    return [
        (row["line"], row["to_file"], row["to"], row["rule"])
        for row in rows
        if row["type"] == "documents" and row["from_file"] == name
    ]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("See shop/orders.py for more.", ("shop/orders.py", "shop/orders.py", "path")),
        ("See `shop/orders.py:3`.", ("shop/orders.py", "shop/orders.py", "path")),
        ("See [orders](../shop/orders.py#L3).", ("shop/orders.py", "shop/orders.py", "path")),
        ("In `../shop/stock.py`.", ("shop/stock.py", "shop/stock.py", "path")),
        ("`shop.orders.Order.total`", ("shop/orders.py", "shop.orders.Order.total", "qualified")),
        ("`shop.Order`", ("shop/orders.py", "shop.orders.Order", "qualified")),
        ("`Order.total()`", ("shop/orders.py", "shop.orders.Order.total", "qualified")),
        ("`shop.stock`", ("shop/stock.py", "shop/stock.py", "qualified")),
        ("`CartView#render`", ("web/cart.ts", "CartView.render", "qualified")),
        ("`place_order`", ("shop/orders.py", "shop.orders.place_order", "unique-name")),
        ("`reserve()`", ("shop/stock.py", "shop.stock.reserve", "unique-name")),
        ("`CartView`", ("web/cart.ts", "CartView", "unique-name")),
    ],
)
def test_a_mention_is_tied_to_what_it_means(tmp_path, text, target):
    assert documented(tmp_path, f"# Guide\n\n{text}\n") == [(3, *target)]


@pytest.mark.parametrize(
    "text",
    [
        "`save`",  # two of that name
        "`reserve`",  # a word; nothing says that it is code
        "Order and place_order are not marked as code.",
        "`unknown.thing`",
        "https://example.com/shop/orders.py",
        "`pip install shop`",
        "[other page](intro.md)",
    ],
)
def test_what_may_mean_anything_is_tied_to_nothing(tmp_path, text):
    found = documented(tmp_path, f"# Guide\n\n{text}\n")
    assert [row for row in found if row[1] is not None] == []


def test_what_may_mean_two_things_keeps_their_number(tmp_path):
    write_tree(
        tmp_path, CODE | {"other/orders.py": CODE["shop/orders.py"], "a.md": "`Order.total`"}
    )
    index(tmp_path)
    rows = export_table(Generation.open(Layout.of(tmp_path)), "edges").to_pylist()
    (row,) = [r for r in rows if r["type"] == "documents" and r["from_file"] == "a.md"]
    assert (row["to_file"], row["rule"], row["candidates"]) == (None, "ambiguous", 2)


def test_roles_and_directives_of_rst(tmp_path):
    page = (
        "Guide\n=====\n\n.. currentmodule:: shop.orders\n\n.. autoclass:: Order\n\n"
        "Call :func:`place_order` or :meth:`~shop.stock.Stock.save`; ``reserve()`` too.\n"
    )
    found = documented(tmp_path, page, "docs/guide.rst")
    assert {(line, to) for line, _, to, _ in found} == {
        (6, "shop.orders.Order"),
        (8, "shop.orders.place_order"),
        (8, "shop.stock.Stock.save"),
        (8, "shop.stock.reserve"),
    }


def test_code_in_fences_is_tied_by_what_it_imports(tmp_path):
    page = (
        "# Use\n\n```python\nimport json\nfrom shop import Order\nimport shop.stock\n\n"
        "order = Order()\nOrder.total(order)\nshop.stock.reserve()\njson.dumps(order)\n"
        "place_order(order)\n```\n"
    )
    found = documented(tmp_path, page)
    assert found == [
        (5, "shop/orders.py", "shop.orders.Order", "fence"),
        (6, "shop/stock.py", "shop/stock.py", "fence"),
        (9, "shop/orders.py", "shop.orders.Order.total", "fence"),
        (10, "shop/stock.py", "shop.stock.reserve", "fence"),
    ]


def test_a_doc_comment_is_read_where_it_stands(tmp_path):
    found = documented(tmp_path, "# Guide\n", "x.md")
    assert found == []
    rows = export_table(Generation.open(Layout.of(tmp_path)), "edges").to_pylist()
    (row,) = [r for r in rows if r["type"] == "documents"]
    assert (row["from"], row["line"]) == ("shop.orders.place_order", 10)
    assert row["to"] == "shop.stock.Stock"


def test_a_mention_stands_in_its_section_and_once_in_it(tmp_path):
    page = "# One\n\n`place_order` and `place_order`\n\n## Two\n\n`place_order`\n"
    write_tree(tmp_path, CODE | {"guide.md": page})
    index(tmp_path)
    rows = export_table(Generation.open(Layout.of(tmp_path)), "edges").to_pylist()
    found = [(r["from"], r["line"]) for r in rows if r["from_file"] == "guide.md"]
    assert found == [("One", 3), ("One > Two", 7)]


def test_links_says_what_is_new_what_was_there_and_what_is_missing(tmp_path, quarry):
    page = "# Guide\n\n`place_order`, ![picture](logo.png), [gone](../shop/gone.py)\n"
    documented(tmp_path, page)
    (tmp_path / "docs/logo.png").write_bytes(b"\x89PNG")
    first = quarry("-C", tmp_path, "links", "--json").json
    assert (first["added"], first["existing"], first["missing"]) == (2, 0, 1)
    assert not first["compared"]
    (missing,) = [row for row in first["rows"] if row["state"] == "missing"]
    assert (missing["path"], missing["line"]) == ("docs/guide.md", 3)
    documented(tmp_path, page + "\nAnd `reserve()`.\n")
    second = quarry("-C", tmp_path, "links", "--json").json
    assert (second["added"], second["existing"], second["missing"]) == (1, 2, 1)
    assert second["rules"] == {"qualified": 1, "unique-name": 2}


def test_a_published_page_is_not_missing(tmp_path, quarry):
    documented(tmp_path, "[next](second.html), [gone](third.html)\n")
    write_tree(tmp_path, {"docs/second.md": "# Second\n"})
    index(tmp_path)
    rows = quarry("-C", tmp_path, "links", "--json").json["rows"]
    assert [row["written"] for row in rows if row["state"] == "missing"] == ["third.html"]


def test_a_type_that_is_reopened_is_one_type(tmp_path):
    files = {
        "lib/shop.rb": "module Shop\n  class Cart\n    def add\n    end\n  end\nend\n",
        "lib/more.rb": "module Shop\n  class Cart\n    def drop\n    end\n  end\nend\n",
        "a.md": "`Shop::Cart` and `Shop::Cart#drop`\n",
    }
    index(write_tree(tmp_path, files))
    rows = export_table(Generation.open(Layout.of(tmp_path)), "edges").to_pylist()
    found = [(r["to"], r["to_file"]) for r in rows if r["from_file"] == "a.md"]
    assert found[0][0] == "Shop::Cart"
    assert found[1] == ("Shop::Cart#drop", "lib/more.rb")


def test_links_appear_when_their_target_does(tmp_path):
    assert documented(tmp_path, "`shop.later.soon`\n") == []
    write_tree(tmp_path, {"shop/later.py": "def soon():\n    pass\n"})
    found = documented(tmp_path, "`shop.later.soon`\n")
    assert [row[2] for row in found] == ["shop.later.soon"]
