"""One answer in other forms: within a budget of tokens, flat, and over several repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import index, write_tree

from codequarry.errors import UsageError
from codequarry.models.tokens import estimate_tokens
from codequarry.retrieval.answer import Evidence
from codequarry.retrieval.index import Index, Options, open_index
from codequarry.retrieval.many import MOST_CORE, search_repositories
from codequarry.retrieval.packing import Form, pack
from codequarry.retrieval.pruned import prune, prune_search
from codequarry.retrieval.ranking import Profile

if TYPE_CHECKING:
    from pathlib import Path

    from codequarry.retrieval.answer import Answer

BODY = "".join(f"    step_{n} = order.total * {n}\n" for n in range(30))
SHOP = {
    "shop/discount.py": (
        f'"""Discounts on orders."""\n\n\ndef apply_discount(order):\n{BODY}    return order\n\n\n'
        f"def remove_discount(order):\n{BODY}    return order\n"
    ),
    "shop/cart.py": "def add_to_cart(order, item):\n    order.items.append(item)\n",
    "shop/mail.py": "def send_receipt(order):\n    return order.email\n",
    "shop/tax.py": "def tax_of(order):\n    return order.total * 0.2\n",
}
BANK = {
    "bank/interest.py": (
        '"""Interest on savings accounts."""\n\n\ndef accrue_interest(account):\n    return 1\n'
    ),
    "bank/transfer.py": "def transfer(source, target, amount):\n    return amount\n",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Index:
    root = write_tree(tmp_path_factory.mktemp("forms") / "shop", SHOP)
    index(root)
    return open_index(root)


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Index:
    root = write_tree(tmp_path_factory.mktemp("forms") / "bank", BANK)
    index(root)
    return open_index(root)


@pytest.fixture(scope="module")
def answer(shop: Index) -> Answer:
    return shop.search("how is a discount applied to an order")


@settings(deadline=None, max_examples=40)
@given(budget=st.integers(0, 2000))
def test_no_budget_drops_a_pointer(shop: Index, answer: Answer, budget: int):
    packed = pack(shop.generation, answer, budget)
    assert all(path in packed.text for path in answer.paths)
    assert packed.tokens == estimate_tokens(packed.text)
    pointers = pack(shop.generation, answer, 0).tokens
    assert packed.tokens <= max(budget, pointers)
    assert set(packed.forms) == {(f.path, h.start_line) for f in answer.core for h in f.chunks}


def test_code_shrinks_to_signatures_before_it_goes(shop: Index, answer: Answer):
    def forms(budget: int) -> set[Form]:
        return set(pack(shop.generation, answer, budget).forms.values())

    nothing = pack(shop.generation, answer, 0)
    assert set(nothing.forms.values()) == {Form.POINTER}
    small = pack(shop.generation, answer, nothing.tokens + 40)
    assert Form.SIGNATURES in small.forms.values()
    assert "def apply_discount(order)" in small.text
    assert "step_7" not in small.text
    assert forms(100_000) == {Form.CODE}
    assert "    step_7 = order.total * 7" in pack(shop.generation, answer, 100_000).text


def test_the_json_form_says_what_is_shown(shop: Index, answer: Answer):
    document = pack(shop.generation, answer, 100_000).as_json()
    (first, *_) = document["core"][0]["chunks"]
    assert first["form"] == "code"
    assert "def apply_discount" in first["text"]
    assert document["budget"]["reduced"] == 0
    assert document["budget"]["tokens"] <= 100_000


def test_the_flat_form_is_signal_best_first(shop: Index, answer: Answer):
    flat = prune(answer)
    assert flat == prune_search(shop, answer.query)
    assert flat[0].path == "shop/discount.py"
    assert [c.score for c in flat] == sorted((c.score for c in flat), reverse=True)
    assert {c.path for c in flat} < set(answer.paths)  # the map's far end is no signal


@pytest.mark.parametrize("profile", ["linear", "hybrid", "fused", "lexical"])
def test_the_right_repository_leads(shop: Index, bank: Index, profile: str):
    both = {"shop": shop, "bank": bank}
    options = Options(Profile(profile))
    for question, wanted in (
        ("apply a discount to an order", ("shop", "shop/discount.py")),
        ("accrue interest on a savings account", ("bank", "bank/interest.py")),
    ):
        found = search_repositories(both, question, options)
        assert found.paths[0] == wanted
        assert found.evidence is not Evidence.NONE
        assert len(found.core) <= MOST_CORE
        assert len(set(found.paths)) == len(found.paths)
    document = found.as_json()
    assert document["core"][0]["repo"] == "bank"
    assert set(document["repositories"]) == {"shop", "bank"}


def test_one_repository_alone_is_ranked_as_it_is(shop: Index, answer: Answer):
    found = search_repositories({"shop": shop}, answer.query)
    assert [path for _, path in found.paths] == answer.paths


def test_no_repository_is_an_error():
    with pytest.raises(UsageError, match="no repository"):
        search_repositories({}, "anything")


def test_a_question_about_neither_says_so(shop: Index, bank: Index):
    found = search_repositories({"shop": shop, "bank": bank}, "quantum chromodynamics lattice")
    assert found.evidence is Evidence.NONE


def test_an_empty_answer_has_every_form(shop: Index, tmp_path: Path):
    nothing = shop.search("???")
    assert prune(nothing) == []
    assert pack(shop.generation, nothing, 10).as_json()["core"] == []
