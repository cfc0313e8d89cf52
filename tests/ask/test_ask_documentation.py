"""What is told from documentation: sections by their headings and first words, no calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_extractive import opened

from codequarry.ask.ask import AskOptions, ask, collect
from codequarry.ask.narrators.extractive import ExtractiveNarrator
from codequarry.ask.sections import first_paragraph, is_change_log
from codequarry.retrieval.filters import Content, Filters
from codequarry.retrieval.index import Options

if TYPE_CHECKING:
    from pathlib import Path

    from codequarry.ask.answer import AskAnswer
    from codequarry.retrieval.index import Index

GUIDE = """# Guide

How to live with the machine.

## Logging

![picture](log.png)

Set `LEVEL` in `machine.ini` to log more. It needs no restart.

```ini
LEVEL = 2
```

## Heating

```python
heat(2)
```

Call `heat` with degrees.
"""
CHANGES = "# Changes\n\n## Logging\n\nThe level of logging can be set in the file.\n"
TREE = {
    "docs/guide.md": GUIDE,
    "CHANGELOG.md": CHANGES,
    "machine.py": "def logging():\n    return heat(2)\n\n\ndef heat(n):\n    return n\n",
}


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return opened(tmp_path_factory.mktemp("machine"), TREE)


def told(built: Index, question: str) -> AskAnswer:
    options = AskOptions(Options(filters=Filters(content=Content.DOCS)))
    return collect(ask(built, question, ExtractiveNarrator(built), options))


def test_a_section_is_told_by_its_heading_and_first_words(machine: Index) -> None:
    answer = told(machine, "how do I configure logging?")
    assert "It is told in `Guide > Logging` in `docs/guide.md`" in answer.answer
    assert "**1. `Guide > Logging`**" in answer.answer.replace("\\.", ".")
    assert "Set `LEVEL` in `machine.ini` to log more." in answer.answer
    assert answer.spans[0].path == "docs/guide.md"
    assert (answer.void_citations, answer.grounded) == (0, True)
    for words in ("no comment", "call", "declared"):
        assert words not in answer.answer.split("```")[0]


def test_what_changed_is_told_first_only_to_whom_asks_for_it(machine: Index) -> None:
    assert told(machine, "what changed in logging").spans[0].path == "CHANGELOG.md"
    assert told(machine, "how do I set up logging").spans[0].path == "docs/guide.md"


def test_a_text_without_headings_is_told_by_its_lines(tmp_path: Path) -> None:
    tree = {"docs/harbour.txt": "The region of the harbour is north of it.\n\nIt is cold.\n"}
    answer = told(opened(tmp_path, tree), "what is the region of the harbour")
    assert "**1. Lines 1–3**" in answer.answer.replace("\\.", ".")
    assert "`docs/harbour.txt`: The region of the harbour is north of it." in answer.answer


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# Head\n\nSay it\nin two.\n\nMore.\n", "Say it\nin two."),
        ("Head\n````\n\nSay it.\n", "Say it."),
        ("Head\n====\n\n.. note::\n\n   No.\n\nSay it.\n", "Say it."),
        ("## Head\n\n```sh\nrun\n```\n\nSay it.\n", "Say it."),
        ("## Head\n\n- one\n- two\n\nSay it.\n", "Say it."),
        ("## Head\n\n### Next\n\nOf another.\n", ""),
        ("## Head\n\n```sh\nnever closed\n", ""),
        ("## Head\n", ""),
    ],
)
def test_the_first_paragraph_of_a_section(text: str, words: str) -> None:
    assert first_paragraph(text.splitlines(keepends=True)) == words


@given(st.text(alphabet="#=`~- \n.ab<[", max_size=80))
def test_the_first_paragraph_is_lines_of_the_text(text: str) -> None:
    lines = text.split("\n")
    kept = [line.strip() for line in lines]
    assert all(line in kept for line in first_paragraph(lines).split("\n") if line)


@pytest.mark.parametrize(
    ("path", "listed"),
    [
        ("CHANGELOG.md", True), ("CHANGES", True), ("docs/release-notes.md", True),
        ("docs/releases/5.0.txt", True), ("HISTORY.rst", True),
        ("docs/deployment/releases.md", False), ("docs/exchange.md", False),
        ("docs/news_feed/use.md", False),
    ],
)  # fmt: skip
def test_which_files_only_list_changes(path: str, listed: bool) -> None:
    assert is_change_log(path) == listed
