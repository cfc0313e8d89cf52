"""A small shop, indexed once, and a server over it on a real socket."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from http_serving import http_serving
from shop import indexed_shop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    import httpx


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The indexed shop; to be read only."""
    return indexed_shop(tmp_path_factory.mktemp("http"))


@pytest.fixture(scope="session")
def client(shop: Path) -> Iterator[httpx.Client]:
    """A client of one server that all tests of this worker ask."""
    with http_serving(shop, readonly=True) as client:
        yield client


@pytest.fixture(name="serving")
def _serving() -> Callable[..., AbstractContextManager[httpx.Client]]:
    return http_serving
