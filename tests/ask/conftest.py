from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from answer_toys import TREE
from chat_server import ChatServer, chat_server
from support import index, write_tree

from codequarry.ask.candidates import Candidates, find_candidates
from codequarry.retrieval.index import Index, open_index

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    for variable in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)
    with chat_server() as state:
        yield state


@pytest.fixture(scope="session")
def fees(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The small repository, opened; to be read only."""
    root = write_tree(tmp_path_factory.mktemp("ask") / "fees", TREE)
    index(root)
    return open_index(root, model="none")


@pytest.fixture(scope="session")
def found(fees: Index) -> Candidates:
    """Candidates of a question that every file bears on."""
    return find_candidates(fees.generation, fees.search("fee"))
