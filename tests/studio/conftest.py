"""A real browser over a real server; without a browser these tests say that they were skipped.

``QUARRY_BROWSER=required`` makes a missing browser a failure, so that it cannot go unseen.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest
from browser import Page, started
from http_serving import http_serving
from shop import HOSTILE, MARKUP, SHOP
from support import LEXICAL, index, write_tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def browser_shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shop, with a file whose name and text are markup."""
    root = tmp_path_factory.mktemp("studio") / "shop"
    write_tree(root, SHOP)
    name = HOSTILE if sys.platform != "win32" else "hostile.py"
    write_tree(root, {f"pages/{name}": MARKUP})
    index(root, LEXICAL)
    return root


@pytest.fixture(scope="session")
def address(browser_shop: Path) -> Iterator[str]:
    """Where the studio is served."""
    with http_serving(browser_shop) as client:
        yield f"{client.base_url}/"


@pytest.fixture(scope="session")
def _browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    programs = (
        shutil.which("chromium") or shutil.which("google-chrome"),
        shutil.which("chromedriver"),
    )
    if not all(programs):
        if os.environ.get("QUARRY_BROWSER") == "required":
            pytest.fail("a browser is required, and chromium or chromedriver is missing")
        pytest.skip("chromium and chromedriver are not installed")
    with started(*programs, tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture
def page(_browser: Any, address: str) -> Iterator[Page]:
    """The studio in a desktop window; at the end nothing may have failed or left the machine."""
    page = Page(_browser, address)
    page.resize(1280, 900)
    yield page
    assert page.complaints() == []
    assert page.strangers() == []


@pytest.fixture(scope="session")
def axe() -> str:
    """The accessibility checker."""
    from axe_core_python.base import AXE_SCRIPT

    return str(AXE_SCRIPT)
