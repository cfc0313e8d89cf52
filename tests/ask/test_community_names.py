"""Communities named by a model: one call, kept, and never worse than without it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from support import index, write_tree

if TYPE_CHECKING:
    from pathlib import Path

    from chat_server import ChatServer

SHOP = {
    f"{folder}/{name}.py": f"from {folder}.base import Base\n\n\nclass {name.title()}(Base): ...\n"
    for folder in ("billing", "stock")
    for name in ("orders", "items", "rules")
} | {f"{folder}/base.py": "class Base: ...\n" for folder in ("billing", "stock")}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = write_tree(tmp_path / "shop", SHOP)
    index(root)
    return root


def named(quarry, shop: Path) -> tuple[list[str], str]:
    ran = quarry("-C", shop, "graph", "map", "--model-names", "--json")
    assert ran.status == 0
    return [c["name"] for c in ran.json["communities"]], ran.err


def own_names(quarry, shop: Path) -> list[str]:
    return [c["name"] for c in quarry("-C", shop, "graph", "map", "--json").json["communities"]]


def test_names_come_from_one_call_and_are_kept(
    quarry, shop: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    server.says("Here:\n```json\n", json.dumps({"0": "Paying  for orders", "1": "Stock keeping"}))
    wanted = ["Paying for orders", "Stock keeping"]
    assert named(quarry, shop) == (wanted, "")
    assert named(quarry, shop) == (wanted, "")
    assert len(server.requests) == 1
    question = server.requests[0]["messages"][1]["content"]
    assert "billing/base.py" in question
    assert own_names(quarry, shop) != wanted  # without asking for them the index's own are shown

    write_tree(shop, {"stock/more.py": SHOP["stock/items.py"]})
    index(shop)
    named(quarry, shop)
    assert len(server.requests) == 2  # another graph is asked about anew


@pytest.mark.parametrize(
    "reply",
    [
        "I cannot help with that.",
        "[1, 2]",
        '{"0": 7, "1": null}',
        '{"0": "", "1": "\\u001b[31mred"}',
        '{"0": "' + "long " * 40 + '"}',
        "{",
    ],
)
def test_a_reply_that_will_not_do_leaves_the_names(
    quarry, shop: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch, reply: str
):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    server.says(reply)
    assert named(quarry, shop)[0] == own_names(quarry, shop)


def test_no_two_communities_get_one_name(
    quarry, shop: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    server.says('{"0": "Things", "1": "Things"}')
    names, _ = named(quarry, shop)
    assert len(set(names)) == len(names)
    assert names[0] == "Things"


def test_without_a_key_the_map_is_shown_and_says_why(quarry, shop: Path, server: ChatServer):
    names, said = named(quarry, shop)
    assert names == own_names(quarry, shop)
    assert "OPENAI_API_KEY" in said
