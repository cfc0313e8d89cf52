"""Sections of documentation: what one says first, and the files that only list changes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from codequarry.identifiers import tokens

_CHANGES = re.compile(
    r"(?:^|/)(?:(?:changes|changelog|change[-_]log|history|news|whats?[-_]?new|release[-_]?notes)"
    r"[-_.\w]*$|(?:releases|changelogs?|release[-_]notes|whatsnew)/)",
    re.IGNORECASE,
)
_ASKS_FOR_CHANGES = frozenset(
    "change changed changes changelog deprecated release released releases version versions".split()
)
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_RULE = re.compile(r"\s*(?:[=\-~^\"'#*+_`.]{3,}|\|?(?:\s*:?-{3,}:?\s*\|)+.*)\s*$")
# What is no sentence: headings, directives, markup, pictures, tables, lists, quotes of other text.
_NO_WORDS = re.compile(
    r"\s*(?:#{1,6}\s|\.\.(?:\s|$)|:\w[\w -]*:|<|!?\[!?\[|!\[|!!!|:::|\||[-*+]\s|\d+[.)]\s"
    r"|>>?\s|\{[%{]|(?:import|export)\s|\[[^\]]+\]:)"
)
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.])\1{2,}\s*$")


def is_change_log(path: str) -> bool:
    """Whether a file lists what changed from version to version, by its name."""
    return bool(_CHANGES.search(path))


def asks_for_changes(question: str) -> bool:
    """Whether a question is about what changed."""
    return not _ASKS_FOR_CHANGES.isdisjoint(tokens(question))


def first_paragraph(lines: Sequence[str], *, headed: bool = True) -> str:
    """The first paragraph of a section under its heading; empty where there is none.

    Args:
        lines: of the section, or of a span of text.
        headed: whether the first of them is its heading.
    """
    found: list[str] = []
    fence = ""
    for place, line in enumerate(lines):
        mark = None if place == 1 and _is_underlined(lines, 0) else _FENCE.match(line)
        if fence or mark:
            if mark and (not fence or mark[1].startswith(fence)):
                fence = "" if fence else mark[1]
            skipped = True
        else:
            heading = (headed and place == 0) or _RULE.match(line) or _is_underlined(lines, place)
            indented = not found and line.startswith(("  ", "\t"))
            skipped = bool(heading or indented or _NO_WORDS.match(line))
        if found and (skipped or not line.strip()):
            break
        if not skipped and line.strip():
            found.append(line.strip())
        elif place and (found or headed) and _is_heading(line):
            break  # what comes under the next heading is another section's
    return "\n".join(found)


def _is_underlined(lines: Sequence[str], place: int) -> bool:
    """Whether a line is a heading by the rule below it."""
    return place + 1 < len(lines) and bool(_UNDERLINE.match(lines[place + 1]))


def _is_heading(line: str) -> bool:
    return bool(re.match(r"#{1,6}\s", line))
