"""Markdown and its relatives: headings, fences and where a page is cut."""

from __future__ import annotations

import time

import pytest

from codequarry.assets.facts.extract import extract_facts
from codequarry.vocabulary import FileFacts, Kind

PARAGRAPH = "Some words about the thing that this section explains at length.\n" * 12 + "\n"


def facts(source: str, language: str = "markdown") -> FileFacts:
    return extract_facts(source.encode(), language)


def titles(source: str, language: str = "markdown") -> list[str]:
    return [symbol.name for symbol in facts(source, language).symbols]


def test_headings_are_sections_with_their_path() -> None:
    found = facts("# A\n\ntext\n\n## B\n\n### C\n\n## D\n")
    assert [s.qualified for s in found.symbols] == ["A", "A > B", "A > B > C", "A > D"]
    assert [(s.start_line, s.end_line) for s in found.symbols] == [(1, 9), (5, 8), (7, 8), (9, 9)]


def test_a_page_is_cut_at_its_headings() -> None:
    source = "".join(f"## Part {i}\n\n{PARAGRAPH * 4}" for i in range(6))
    found = facts(source)
    lines = source.split("\n")
    assert len(found.chunks) > 1
    assert all(lines[c.start_line - 1].startswith("## ") for c in found.chunks)
    assert all(c.kind is Kind.SECTION for c in found.chunks)


def test_a_chunk_without_a_heading_carries_on_the_section_before_it() -> None:
    found = facts("# Long\n\n" + PARAGRAPH * 30)
    assert len(found.chunks) > 1
    assert {chunk.name for chunk in found.chunks} == {"Long"}


@pytest.mark.parametrize(
    ("source", "want"),
    [
        ("```\n# no\n```\n# yes\n", ["yes"]),
        ("````\n```\n# no\n````\n# yes\n", ["yes"]),
        ("~~~\n```\n# no\n~~~\n# yes\n", ["yes"]),
        ("```\n# no\n~~~\n# no\n", []),
        ("   ```\n# no\n   ```\n# yes\n", ["yes"]),
        ("    ```\n# yes\n", ["yes"]),
        ("``` a`b\n# yes\n", ["yes"]),
        ("- item\n\n  ```sh\n  # no\n  ```\n\n# yes\n", ["yes"]),
        ("1. item\n\n   ```sh\n   # no\n\nback\n# yes\n", ["yes"]),
        ("#no\n####### no\n# yes #\n## also ##\n", ["yes", "also"]),
        ("# C#\n", ["C#"]),
        ("    # no\n\n# yes\n", ["yes"]),
        ("Title\n=====\n\nUnder\n---\n", ["Title", "Under"]),
        ("two\nlines\n===\n", ["two lines"]),
        ("\n---\n\ntext\n", []),
        ("- item\n---\n", []),
        ("---\ntitle: x\n# no\n---\n# yes\n", ["yes"]),
        ("---\nnever closed\n# yes\n", ["yes"]),
        ("+++\n# no\n+++\n# yes\n", ["yes"]),
        ("<!--\n# no\n-->\n# yes\n", ["yes"]),
        ("<pre>\n# no\n</pre>\n# yes\n", ["yes"]),
        ("# yes\r\n\r\n```\r\n# no\r\n```\r\n", ["yes"]),
        ("| a |\n|---|\n", []),
    ],
)
def test_what_is_a_heading(source: str, want: list[str]) -> None:
    assert titles(source) == want


def test_no_cut_inside_a_fence_that_fits() -> None:
    fence = "```python\n" + "value = compute(first, second)\n" * 100 + "```\n"
    source = PARAGRAPH * 6 + fence + PARAGRAPH * 6
    first = source[: source.index("```")].count("\n") + 1
    last = first + fence.count("\n") - 1
    cuts = [chunk.start_line for chunk in facts(source).chunks[1:]]
    assert cuts
    assert not any(first < cut <= last for cut in cuts)


def test_restructured_text_titles() -> None:
    source = "=====\nTop\n=====\n\nIntro\n-----\n\ntext\n\nMore\n----\n\nDeep\n~~~~\n"
    assert [s.qualified for s in facts(source, "rst").symbols] == [
        "Top",
        "Top > Intro",
        "Top > More",
        "Top > More > Deep",
    ]


def test_asciidoc_titles_outside_blocks() -> None:
    source = "= Top\n\n== One\n\n----\n== no\n----\n\n=== Two\n"
    assert titles(source, "asciidoc") == ["Top", "One", "Two"]


@pytest.mark.parametrize(
    "unit",
    ["#", "`", "~", "- ", "> ", "=", "[", "<!--", " ", "# a\n", "```\n", "a\n=\n", "- a\n  "],
)
def test_scanning_is_linear_on_hostile_input(unit: str) -> None:
    def seconds(size: int) -> float:
        source = unit * (size // len(unit))
        started = time.process_time()
        facts(source)
        return time.process_time() - started

    # Ten times the size may take thirty times as long on a busy machine, never a hundred.
    assert seconds(200_000) < 30 * max(seconds(20_000), 0.01)
