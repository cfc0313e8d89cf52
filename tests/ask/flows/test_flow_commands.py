"""`quarry flows`, and `quarry ask` with kept answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import index, write_tree

from codequarry.settings import Settings

STATIC = Settings(workers=1)
TREE = {
    "shop/cart.py": (
        'def add_to_cart(cart, item):\n    """Put an item into the cart."""\n'
        "    return checked(item)\n"
        '\n\ndef checked(item):\n    """An item that may be sold."""\n    return item\n'
    ),
    "shop/web.py": "from shop.cart import add_to_cart\n\n\ndef view(i):\n    add_to_cart([], i)\n",
}
QUESTION = "how is an item added to the cart"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    root = write_tree(tmp_path / "shop", TREE)
    index(root, STATIC)
    return root


def test_a_repeat_says_that_it_is_one(quarry, shop: Path):
    first = quarry("-C", shop, "ask", QUESTION, "--json").json
    second = quarry("-C", shop, "ask", QUESTION, "--json").json
    assert (first["cached"], second["cached"]) == (False, True)
    assert first["answer"] == second["answer"]
    assert quarry("-C", shop, "ask", QUESTION).out == first["answer"]
    assert not quarry("-C", shop, "ask", QUESTION, "--no-cache", "--json").json["cached"]
    assert '"type": "cached"' in quarry("-C", shop, "ask", QUESTION, "--events").out


def test_list_show_clear(quarry, shop: Path):
    assert quarry("-C", shop, "flows", "list").status == 1
    quarry("-C", shop, "ask", QUESTION)
    (row,) = quarry("-C", shop, "flows", "list", "--json").json["flows"]
    assert (row["question"], row["holds"], row["narrator"]) == (QUESTION, True, "extractive")
    assert "def add_to_cart" in quarry("-C", shop, "flows", "show", row["id"]).out
    assert quarry("-C", shop, "flows", "show", 99).status == 2
    (shop / "shop/cart.py").write_text("x = 1\n")
    assert "has changed" in quarry("-C", shop, "flows", "list").out
    assert quarry("-C", shop, "flows", "clear").status == 0
    assert quarry("-C", shop, "flows", "list").status == 1


def test_off_and_on(quarry, shop: Path):
    quarry("-C", shop, "flows", "disable")
    quarry("-C", shop, "ask", QUESTION)
    assert quarry("-C", shop, "flows", "list").status == 1
    assert quarry("-C", shop, "flows", "warm").status == 2
    quarry("-C", shop, "flows", "enable")
    quarry("-C", shop, "ask", QUESTION)
    assert quarry("-C", shop, "flows", "list").status == 0


def test_warm_asks_the_repositorys_own_questions_first(quarry, shop: Path):
    write_tree(shop, {".quarryqueries": f"# ours\n\n{QUESTION}\n"})
    asked = quarry("-C", shop, "flows", "warm", "2", "--json").json["asked"]
    assert asked[0]["question"] == QUESTION
    assert "add_to_cart" in asked[1]["question"]
    assert quarry("-C", shop, "ask", QUESTION, "--json").json["cached"]
    assert all(
        row["cached"] for row in quarry("-C", shop, "flows", "warm", "2", "--json").json["asked"]
    )


def test_refresh_tells_anew_and_drops_what_is_gone(quarry, shop: Path):
    quarry("-C", shop, "ask", QUESTION)
    quarry("-C", shop, "ask", "what does view do")
    text = (shop / "shop/cart.py").read_text()
    (shop / "shop/cart.py").write_text(text.replace("checked(item)", "checked(item.copy())", 1))
    asked = quarry("-C", shop, "flows", "refresh", "--json").json["asked"]
    assert QUESTION in [row["question"] for row in asked]
    answer = quarry("-C", shop, "ask", QUESTION, "--json").json
    assert answer["cached"]
    assert "item.copy()" in answer["answer"]
    for path in shop.glob("shop/*.py"):
        path.unlink()
    write_tree(shop, {"other.py": "y = 2\n"})
    quarry("-C", shop, "flows", "refresh")
    assert quarry("-C", shop, "flows", "list").status == 1


def test_an_index_run_drops_answers_that_no_longer_hold(quarry, shop: Path):
    quarry("-C", shop, "ask", QUESTION)
    (shop / "shop/cart.py").write_text("x = 1\n")
    quarry("-C", shop, "index")
    assert quarry("-C", shop, "flows", "list").status == 1
