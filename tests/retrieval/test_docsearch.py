"""The search box of a documentation site: sections with their anchors, one a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support import index, write_tree

from codequarry.retrieval.answer import Evidence
from codequarry.retrieval.docsearch import docsearch
from codequarry.retrieval.index import Index, open_index

if TYPE_CHECKING:
    from pathlib import Path

PAGES = {
    "docs/install.md": (
        "# Installation\n\nHow to get it.\n\n## From a package\n\nRun the package manager.\n\n"
        "## From source\n\nClone the repository and build it with `make_all`.\n"
    ),
    "docs/payments.md": (
        "# Payments\n\nMoney.\n\n## Refunds { #money-back }\n\nA **refund** returns money to the"
        " card it came from.\n\n## Invoices\n\nEach order gets an invoice.\n\n### Invoices\n\n"
        "Numbered by year.\n"
    ),
    "docs/notes.md": "Refunds were discussed at length.\n",
    "shop/refund.py": "def refund(order):\n    return order\n",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Index:
    root: Path = write_tree(tmp_path_factory.mktemp("docs") / "shop", PAGES)
    index(root)
    return open_index(root)


def test_the_section_is_given_with_its_path_anchor_and_marked_words(shop: Index):
    found = docsearch(shop, "how do refunds reach the card")
    best = found.hits[0]
    assert (best.path, best.titles, best.slug) == (
        "docs/payments.md",
        ("Payments", "Refunds"),
        "money-back",
    )
    assert PAGES[best.path].splitlines()[best.start_line - 1].startswith("## Refunds")
    assert best.snippet == "A refund returns money to the card it came from."
    assert [best.snippet[a:b] for a, b in best.highlights] == ["refund", "card"]
    assert found.evidence is not Evidence.NONE


def test_pages_come_once_and_code_not_at_all(shop: Index):
    paths = [hit.path for hit in docsearch(shop, "refunds").hits]
    assert sorted(paths) == sorted(set(paths))
    assert not any(path.endswith(".py") for path in paths)
    assert len(docsearch(shop, "refunds", pages=1).hits) == 1


def test_anchors_are_those_of_renderers(shop: Index):
    (hit, *_) = docsearch(shop, "install from source, clone and build").hits
    assert (hit.slug, hit.titles[-1]) == ("from-source", "From source")
    assert "make_all" in hit.snippet
    (hit, *_) = docsearch(shop, "numbered by year").hits
    assert hit.slug == "invoices-1"


def test_a_page_without_headings_is_one_section(shop: Index):
    hit = next(h for h in docsearch(shop, "discussed at length").hits if h.path == "docs/notes.md")
    assert (hit.slug, hit.titles, hit.start_line) == ("", (), 1)


@pytest.mark.parametrize("text", ["", "???", "\x00", "🕴"])
def test_any_text_is_a_question(shop: Index, text: str):
    assert docsearch(shop, text).as_json()["query"] == text
