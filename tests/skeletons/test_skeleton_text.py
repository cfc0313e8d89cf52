"""Skeletons: what a file is about in a few lines, without its path."""

from __future__ import annotations

import pytest

from codequarry.assets.facts.extract import extract_facts
from codequarry.assets.skeletons.skeleton import MAX_SKELETON


def skeleton(source: str, language: str) -> str:
    return extract_facts(source.encode(), language).skeleton


def test_a_python_skeleton_holds_doc_constants_and_signatures() -> None:
    source = '''#!/usr/bin/env python
# Copyright someone
"""Ship orders.

More.
"""
LIMIT = 3


class Box(Base):
    """A box.

    More.
    """

    def pack(self, item: str) -> None:
        """Put it in."""
        self.items.append(item)
'''
    assert skeleton(source, "python").split("\n") == [
        "Ship orders.",
        "LIMIT = 3",
        "class Box(Base) — A box.",
        "  def pack(self, item: str) -> None — Put it in.",
    ]


@pytest.mark.parametrize(
    ("source", "language"),
    [
        ("// Copyright 2020 X.\n\n// Package p ships orders.\npackage p\n", "go"),
        ("//! Ships orders.\n\nuse a;\n", "rust"),
        ("/* eslint-disable */\n/**\n * Ships orders.\n */\nimport a from 'a';\n", "javascript"),
        ("# frozen_string_literal: true\n\n# Ships orders.\nmodule A; end\n", "ruby"),
        ("<?php\n/** Ships orders. */\nnamespace A;\n", "php"),
    ],
)
def test_the_first_line_is_the_module_doc_never_the_licence(source: str, language: str) -> None:
    assert "hips orders." in skeleton(source, language).split("\n")[0]


def test_prose_gives_its_headings() -> None:
    assert skeleton("# A\n\nwords\n\n## B\n", "markdown") == "# A\n## B"


def test_a_skeleton_is_bounded() -> None:
    source = "".join(f"def function_with_a_long_name_{i}(): pass\n" for i in range(5000))
    assert len(skeleton(source, "python")) <= MAX_SKELETON


def test_an_empty_file_has_none() -> None:
    assert skeleton("\n \n", "python") == ""
    assert skeleton("", "go") == ""
