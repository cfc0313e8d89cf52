from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from agent_toys import TREE, Talk
from support import index, write_tree

from codequarry.retrieval.index import Index, open_index

if TYPE_CHECKING:
    from chat_server import ChatServer


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A small repository in three folders; to be read only."""
    root = write_tree(tmp_path_factory.mktemp("agents") / "shop", TREE)
    index(root)
    return open_index(root, model="none")


@pytest.fixture
def talk(shop: Index, server: ChatServer) -> Talk:
    """Ask the shop of a scripted model."""
    return Talk(shop, server)
