"""A pasted issue finds the files to change: by its words, its trace and what it names."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import CASES, index, write_tree

from codequarry.errors import InvalidQuery
from codequarry.retrieval.filters import Filters
from codequarry.retrieval.index import Mode, Options, open_index
from codequarry.retrieval.ranking import Profile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ran

    from codequarry.retrieval.index import Index

    Quarry = Callable[..., Ran]

CART = '''"""The cart."""


class Cart:
    """Holds items."""

    def total(self, rates):
        """Sum of all prices with tax."""
        return sum(item.price for item in self.items) * rates.lookup("de")

    def empty(self):
        """Drop every item."""
        self.items.clear()
'''
TREE = {
    "shop/__init__.py": "",
    "shop/cart.py": CART,
    "shop/tax.py": "class Rates:\n    def lookup(self, land):\n        return self.of[land]\n",
    "shop/receipt.py": "def print_receipt(cart):\n    return 'total price of the cart'\n",
    "shop/io/decoder.py": "def decode(data):\n    return data\n",
    "web/a/src/index.js": "export function boot() { return 1; }\n",
    "web/b/src/index.js": "export function start() { return 2; }\n",
    "web/b/src/widget.tsx": "export function Widget() { return null; }\n",
    "java/src/main/java/org/acme/Ledger.java": "class Ledger { void book() { } }\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\ndef test_sum():\n    Cart().total(0)\n",
    "misc/zz_unrelated.py": "def qqq():\n    return 0\n",
    **{f"filler/module_{i}.py": f"def helper_{i}():\n    return {i}\n" for i in range(30)},
}
PROSE = (
    "The price shown to customers is wrong since the last release. Steps to reproduce: put three "
    "items into it and look at what is printed. I expected the sum with tax but see none at all."
)
TRACE = """Traceback (most recent call last):
  File "/usr/lib/python3.11/json/decoder.py", line 1, in decode
  File "/venv/lib/python3.11/site-packages/shop/receipt.py", line 2, in print_receipt
    return cart.total()
  File "/venv/lib/python3.11/site-packages/shop/cart.py", line 12, in empty
    self.items.clear()
  File "/venv/lib/python3.11/site-packages/numpy/shop/tax.py", line 3, in lookup
KeyError: 'de'
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = write_tree(tmp_path_factory.mktemp("issues") / "shop", TREE)
    index(place)
    return place


@pytest.fixture(scope="module")
def shop(root: Path) -> Index:
    return open_index(root, model="none")


def reasons(shop: Index, text: str) -> dict[str, tuple[str, ...]]:
    answer = shop.search(text, Options(mode=Mode.ISSUE))
    return {file.path: file.why for file in (*answer.core, *answer.related)}


def test_long_text_is_read_as_an_issue_and_a_question_is_not(shop: Index):
    assert shop.search(PROSE).mode == "issue"
    assert shop.search("where is the total computed").mode == "linear"
    assert shop.search(" ".join(["word"] * 25)).mode == "linear"
    assert shop.search(" ".join(["word"] * 26)).mode == "issue"


def test_the_caller_decides_how_a_query_is_read(shop: Index):
    assert shop.search(PROSE, Options(mode=Mode.QUERY)).mode == "linear"
    assert shop.search("cart", Options(mode=Mode.ISSUE)).mode == "issue"
    assert shop.search(PROSE, Options(Profile.LEXICAL)).mode == "lexical"


def test_the_innermost_frame_inside_the_repository_is_first(shop: Index):
    answer = shop.search(f"It fails\n\n{PROSE}\n\n{TRACE}")
    assert answer.paths[0] == "shop/cart.py"
    assert "trace" in answer.core[0].why
    why = reasons(shop, TRACE)
    assert "trace" in why["shop/receipt.py"]


def test_frames_of_other_packages_are_not_the_repositorys(shop: Index):
    why = reasons(shop, TRACE)
    assert "trace" not in why.get("shop/tax.py", ())  # below another installed package
    assert "trace" not in why.get("shop/io/decoder.py", ())  # of the standard library


def test_the_chunk_at_a_named_line_is_shown(shop: Index):
    answer = shop.search(f"It fails\n\n{TRACE}", Options(mode=Mode.ISSUE))
    cart = next(file for file in answer.core if file.path == "shop/cart.py")
    assert any(hit.start_line <= 12 <= hit.end_line for hit in cart.chunks)


@pytest.mark.parametrize(
    ("naming", "path", "how"),
    [
        (
            "at book (C:\\work\\java\\src\\main\\java\\org\\acme\\Ledger.java)",
            "java/src/main/java/org/acme/Ledger.java",
            "named",
        ),
        (
            "\tat org.acme.Ledger.book(Ledger.java:1)",
            "java/src/main/java/org/acme/Ledger.java",
            "trace",
        ),
        ("    at Widget (webpack:///./src/widget.tsx?9:1:2)", "web/b/src/widget.tsx", "trace"),
        ("see misc/zz_unrelated.py please", "misc/zz_unrelated.py", "named"),
        ("see misc\\zz_unrelated.py please", "misc/zz_unrelated.py", "named"),
        ("see zz_unrelated.py please", "misc/zz_unrelated.py", "named"),
        (
            "https://github.com/acme/shop/blob/feature/x/misc/zz_unrelated.py#L1-L2",
            "misc/zz_unrelated.py",
            "named",
        ),
        ("`shop.cart.Cart.total` is wrong", "shop/cart.py", "named"),
        ("misc.zz_unrelated.qqq() is wrong", "misc/zz_unrelated.py", "named"),
    ],
)
def test_what_is_named_is_in_the_bundle_and_says_so(shop: Index, naming: str, path: str, how: str):
    assert how in reasons(shop, f"{PROSE}\n{naming}\n")[path]


def test_a_named_file_joins_though_many_others_score_more(shop: Index):
    helpers = " ".join(f"helper_{i}" for i in range(30))
    why = reasons(shop, f'{helpers}\n{helpers}\n  File "misc/zz_unrelated.py", line 1, in qqq\n')
    assert "trace" in why["misc/zz_unrelated.py"]


@pytest.mark.parametrize(
    "path", ["src/index.js", "index.js", "https://github.com/x/y/blob/m/cart.py"]
)
def test_what_fits_several_files_or_another_repository_is_not_guessed(shop: Index, path: str):
    why = reasons(shop, f"{PROSE}\nsee {path} there\n")
    assert not [name for name, how in why.items() if "named" in how or "trace" in how]


def test_filters_hold_for_named_files_too(shop: Index):
    options = Options(filters=Filters(scope="web"), mode=Mode.ISSUE)
    paths = shop.search(f"{PROSE}\nmisc/zz_unrelated.py", options).paths
    assert paths
    assert all(path.startswith("web/") for path in paths)


def test_a_template_says_nothing_of_the_issue(shop: Index):
    said = "### Bug report\n\nthe cart has the wrong total price\n"
    template = (
        "<!-- helper_3 helper_4 -->\n- [x] I searched helper_5 helper_6\n### Environment\n"
        "helper_7 helper_8\nhelper_9: 3.1\n"
    )
    alone = shop.search(said, Options(mode=Mode.ISSUE, explain=True))
    within = shop.search(said + template, Options(mode=Mode.ISSUE, explain=True))
    assert within.paths[0] == alone.paths[0] == "shop/cart.py"
    assert within.explanations["shop/cart.py"]["body"] == pytest.approx(
        alone.explanations["shop/cart.py"]["body"]
    )


def test_shares_of_the_score_are_explained_and_add_up(shop: Index):
    answer = shop.search(f"The cart is wrong\n{TRACE}", Options(mode=Mode.ISSUE, explain=True))
    shares = answer.explanations["shop/cart.py"]
    assert {"title", "body", "frame", "last_frame"} <= set(shares)
    assert sum(shares.values()) == pytest.approx(answer.core[0].score, abs=1e-3)


def test_an_issue_of_64_kb_is_answered_and_a_longer_one_refused(shop: Index):
    text = f"{PROSE}\n{TRACE}\n" * (65_536 // len(PROSE + TRACE))
    assert shop.search(text).paths[0] == "shop/cart.py"
    with pytest.raises(InvalidQuery, match="limit is 100,000"):
        shop.search("word " * 20_001)


@pytest.mark.parametrize(
    "text", json.loads((CASES / "C044/queries.json").read_text())["must_not_fail"]
)
def test_hostile_text_is_a_valid_issue(shop: Index, text: str):
    assert shop.search(text, Options(mode=Mode.ISSUE)).mode == "issue"


@pytest.mark.parametrize(
    "piece",
    [" ", "a ", "# ", "<", "[", "a.b ", "`", "**", "<!--", "1.", "```\n", "[a](", "f(", "> "],
)
def test_an_issue_of_one_piece_over_and_over_takes_bounded_time(shop: Index, piece: str):
    started = time.process_time()
    shop.search(piece * (90_000 // len(piece)), Options(mode=Mode.ISSUE))
    assert time.process_time() - started < 3.0


PIECES = st.sampled_from(
    [
        TRACE,
        PROSE,
        "```\n",
        "`Cart.total`",
        "#",
        "**Title:**",
        "\n",
        "src/index.js:3:1",
        "<!--",
        "\0",
    ]
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.lists(st.one_of(PIECES, st.text(max_size=12)), max_size=12).map("".join))
def test_any_text_ranks_each_file_at_most_once_and_alike_twice(shop: Index, text: str):
    first, second = (shop.search(text, Options(mode=Mode.ISSUE)) for _ in range(2))
    assert first.paths == second.paths
    assert len(set(first.paths)) == len(first.paths)


def test_the_command_says_the_mode_and_how_files_were_found(root: Path, quarry: Quarry):
    document = quarry("-C", root, "search", f"{PROSE}\n{TRACE}", "--json").json
    assert document["mode"] == "issue"
    assert document["core"][0]["path"] == "shop/cart.py"
    assert "trace" in document["core"][0]["why"]
    assert quarry("-C", root, "search", PROSE, "--mode", "query", "--json").json["mode"] == "linear"
    shown = quarry("-C", root, "search", "cart", "--mode", "issue", "--explain")
    assert "title +" in shown.out
