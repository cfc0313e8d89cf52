"""`callers`, `callees`, `refs`, `def`, `signature`, `impact`, `sql`: what agents read."""

from __future__ import annotations

import pytest
from support import commit_all, git, index, write_tree

from codequarry.store.layout import Layout
from codequarry.store.lock import writer_lock

SHOP = {
    "shop/basket.py": (
        "from shop.money import rounded\n\n\nclass Basket:\n"
        "    def total(self, rows):\n"
        '        """What is to be paid."""\n        return rounded(sum(rows))\n'
    ),
    "shop/money.py": "def rounded(amount):\n    return amount\n\n\ndef lonely():\n    pass\n",
    "shop/till.py": (
        "from shop.basket import Basket\n\n\ndef pay(rows, other):\n    basket = Basket()\n"
        "    other.total(rows)\n    return basket.total(rows)\n"
    ),
    "tests/test_till.py": "from shop.till import pay\n\n\ndef test_pay():\n    pay([], None)\n",
    "other/money.rb": "def rounded(x)\n  x\nend\n",
    "notes.lua": "function lonely_lua() end\n",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    root = write_tree(tmp_path_factory.mktemp("edges") / "shop", SHOP)
    commit_all(root)
    index(root)
    return root


def test_callers_name_place_and_enclosing_symbol(shop, quarry) -> None:
    ran = quarry("-C", shop, "callers", "Basket.total", "--json")
    assert ran.status == 0
    (row,) = ran.json["rows"]
    assert (row["path"], row["line"], row["symbol"]) == ("shop/till.py", 7, "shop.till.pay")
    assert (row["resolved"], row["type"]) == (True, "calls")
    assert ran.json["possible"] == 1  # other.total(rows): nothing says what `other` is


@pytest.mark.parametrize(
    "name", ["Basket.total", "Basket::total", "Basket#total", "basket.total()"]
)
def test_a_symbol_is_found_in_any_languages_delimiters(shop, quarry, name) -> None:
    ran = quarry("-C", shop, "def", name, "--json")
    assert [row["qualified"] for row in ran.json["rows"]] == ["shop.basket.Basket.total"]


def test_callees_and_refs(shop, quarry) -> None:
    callees = quarry("-C", shop, "callees", "Basket.total", "--json").json["rows"]
    assert [(row["target"], row["resolved"]) for row in callees] == [
        ("shop.money.rounded", True),
        ("sum", False),
    ]
    refs = quarry("-C", shop, "refs", "Basket", "--json").json["rows"]
    assert [(row["type"], row["path"]) for row in refs] == [("calls", "shop/till.py")]


def test_an_ambiguous_name_lists_its_candidates(shop, quarry) -> None:
    found = quarry("-C", shop, "callers", "rounded", "--json").json
    assert found["ambiguous"] is True
    assert {row["path"] for row in found["candidates"]} == {"shop/money.py", "other/money.rb"}


@pytest.mark.parametrize(
    ("name", "status"),
    [("lonely", "ready"), ("nobody", "no_such_symbol"), ("lonely_lua", "language_without_edges")],
)
def test_nothing_says_why(shop, quarry, name, status) -> None:
    ran = quarry("-C", shop, "callers", name, "--json")
    assert ran.status == 1
    assert (ran.json["count"], ran.json["status"]) == (0, status)


def test_no_index_says_so(tmp_path, quarry) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    ran = quarry("-C", tmp_path, "callers", "x", "--json")
    assert (ran.status, ran.json["status"]) == (1, "not_indexed")


def test_a_first_index_under_way_is_told_from_none(tmp_path, quarry) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    layout = Layout.of(tmp_path)
    with writer_lock(layout):
        ran = quarry("-C", tmp_path, "callers", "x", "--json")
    assert (ran.status, ran.json["status"]) == (1, "indexing")
    (layout.state / "lock.owner").write_text("{}")  # as a run that was killed leaves it
    ran = quarry("-C", tmp_path, "callers", "x", "--json")
    assert (ran.status, ran.json["status"]) == (1, "not_indexed")


def test_signature_shows_the_doc(shop, quarry) -> None:
    (row,) = quarry("-C", shop, "signature", "total", "--json").json["rows"]
    assert row["signature"] == "def total(self, rows)"
    assert row["doc"] == "What is to be paid."


def test_impact_goes_outwards_by_depth(shop, quarry) -> None:
    rows = quarry("-C", shop, "impact", "money.rounded", "--json").json["rows"]
    assert [(row["depth"], row["symbol"], row["test"]) for row in rows] == [
        (1, "shop.basket.Basket.total", False),
        (2, "shop.till.pay", False),
        (3, "tests.test_till.test_pay", True),
    ]


def test_impact_of_a_change_under_review(shop, quarry) -> None:
    path = shop / "shop/money.py"
    text = path.read_text()
    path.write_text(text.replace("return amount", "return round(amount)"))
    try:
        found = quarry("-C", shop, "impact", "--diff", "HEAD", "--json").json
    finally:
        path.write_text(text)
    assert [row["qualified"] for row in found["changed"]] == ["shop.money.rounded"]
    assert found["rows"][0]["symbol"] == "shop.basket.Basket.total"
    assert quarry("-C", shop, "impact", "--diff", "no-such-rev", "--json").status == 2
    assert quarry("-C", shop, "impact", "--diff", "--output=/tmp/x", "--json").status == 2


def test_impact_reads_a_diff_whatever_git_is_set_to(tmp_path, quarry) -> None:
    body = "def plain{n}():\n    return 1\n\n\ndef user{n}():\n    return plain{n}()\n"
    names = ("plain.py", "with space/my file.py", "caf\u00e9.py")
    tree = {name: body.replace("{n}", str(i)) for i, name in enumerate(names)}
    tree["gone.py"] = "def gone():\n    pass\n\n\ndef keep():\n    gone()\n"
    root = write_tree(tmp_path / "review", tree)
    commit_all(root)
    git(root, "config", "diff.mnemonicPrefix", "true")
    write_tree(root, {name: text.replace("return 1", "return 2") for name, text in tree.items()})
    (root / "gone.py").write_text("def keep():\n    gone()\n")
    index(root)
    found = quarry("-C", root, "impact", "--diff", "HEAD", "--json").json
    assert [row["path"] for row in found["changed"]] == sorted(names)
    assert {(row["symbol"], row["via"]) for row in found["rows"]} >= {
        ("gone.keep", "gone (removed)"),
        ("plain.user0", "plain.plain0"),
    }
    commit_all(root)
    ran = quarry("-C", root, "impact", "--diff", "HEAD", "--json")
    assert (ran.status, ran.json["status"]) == (1, "nothing_changed")


def test_a_member_is_found_by_the_type_that_inherits_it(tmp_path, quarry) -> None:
    source = "class Base:\n    def route(self):\n        pass\n\n\nclass App(Base):\n    pass\n"
    root = write_tree(tmp_path / "heirs", {"app.py": f"{source}\n\nApp().route()\n"})
    index(root)
    ran = quarry("-C", root, "callers", "App.route", "--json")
    assert [(row["path"], row["line"]) for row in ran.json["rows"]] == [("app.py", 10)]


@pytest.mark.parametrize("name", ["", "::", "x" * 600, "\udcff\udcfe"])
def test_what_is_no_name_is_wrong_usage(shop, quarry, name) -> None:
    assert quarry("-C", shop, "callers", name, "--json").status == 2


def test_all_around_a_symbol_in_one_answer(shop, quarry) -> None:
    ran = quarry("-C", shop, "search", "--near-symbol", "till.pay", "--context", "full", "--json")
    (found,) = ran.json["rows"]
    assert found["code"]["text"].startswith("def pay(rows, other):\n")
    assert found["callees"]["count"] == 2  # Basket and Basket.total
    assert [row["path"] for row in found["tests"]["rows"]] == ["tests/test_till.py"]


def test_sql_reads_the_tables_and_nothing_else(shop, quarry) -> None:
    ran = quarry(
        "-C", shop, "sql", "SELECT to_symbol FROM code_edges_chunk WHERE from_path = 'shop/till.py'"
        " AND type = 'calls' ORDER BY 1", "--json",
    )  # fmt: skip
    assert [line for line in ran.out.splitlines() if "total" in line]
    for hostile in (
        "COPY files TO 'x.csv'",
        "SELECT * FROM read_text('/etc/hostname')",
        "DROP VIEW files",
        "SELECT 1; SELECT 2",
        "SELEC",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "ATTACH 'x.db'",
    ):
        ran = quarry("-C", shop, "sql", hostile, "--json")
        assert (ran.status, ran.json["error"]["class"]) == (1, "InvalidQuery"), hostile
    names = {table["table"] for table in quarry("-C", shop, "sql", "--schema", "--json").json}
    assert {"files", "chunks", "symbols", "refs", "links", "file_edges", "doc_links"} <= names
    assert {"code_edges_chunk", "code_edges_symbol"} <= names
    assert {"graph", "communities", "semantic_edges", "surprises"} <= names


def test_sql_knows_the_graph(shop, quarry) -> None:
    ran = quarry(
        "-C", shop, "sql", "SELECT c.name FROM graph g JOIN files f ON f.id = g.file"
        " JOIN communities c ON c.id = g.community WHERE f.path = 'shop/till.py'", "--json",
    )  # fmt: skip
    assert ran.json["name"]  # one row, one line
