"""Banner comments: a rule of signs around a title, as a heading of the code below it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tree_sitter import Node

from codequarry.assets.chunks.measure import Measure

MIN_RULE = 8  # signs in a row
_RULE = re.compile(r"([-=*#~_+/])\1{7,}")
_MARKER = re.compile(r"^\s*(?:/\*+|\*+/|//+|#+|\*+)?|\*+/\s*$")
_MAX_TEXT_LINES = 3  # a longer text is a licence or a manual between two rules
_MAX_TITLE = 200
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Banner:
    """A banner; rows count from 0. A bare rule has no title."""

    first: int
    last: int
    title: str
    title_row: int


def comment_blocks(root: Node) -> list[tuple[int, int, bool]]:
    """Comments at file level as (first row, last row, of one line each).

    Line comments on adjacent rows are one block; a block comment is one by itself. A comment
    behind code on its row is none.
    """
    blocks: list[tuple[int, int, bool]] = []
    code_row = -1
    for node in root.children:
        if node.type != "comment":
            code_row = node.end_point[0] if node.end_point[1] else node.end_point[0] - 1
            continue
        first, last = node.start_point[0], node.end_point[0]
        if first == code_row:
            continue
        single = not (node.text or b"").startswith(b"/*")
        if single and blocks and blocks[-1][2] and blocks[-1][1] + 1 == first:
            blocks[-1] = (blocks[-1][0], last, True)
        else:
            blocks.append((first, last, single))
    return blocks


def banners_of(root: Node, measure: Measure) -> list[Banner]:
    """The banners of a file, in line order.

    One that touches a definition is its doc comment and heads nothing else; so is one that
    touches any code, where it is a rule without a title.
    """
    tops = {node.start_point[0]: node.type for node in root.children if node.type != "comment"}
    found = []
    for first, last, _ in comment_blocks(root):
        if tops.get(last + 1, "").endswith(("_definition", "_declaration")):
            continue
        banner = _banner(first, last, measure)
        if banner is not None:
            found.append(banner)
    return found


def _banner(first: int, last: int, measure: Measure) -> Banner | None:
    lines = measure.text(first, last).decode("utf-8", "replace").split("\n")
    texts: list[tuple[int, str]] = []
    ruled = False
    for row, line in enumerate(lines[: last - first + 1], first):
        rule = _RULE.search(line)
        ruled = ruled or rule is not None
        text = _MARKER.sub("", _RULE.sub("", line) if rule else line).strip(" \t\r-=*#~_+/|")
        if _LETTER.search(text):
            texts.append((row, text))
    if not ruled or len(texts) > _MAX_TEXT_LINES:
        return None
    row, title = texts[0] if texts else (first, "")
    return Banner(first, last, title[:_MAX_TITLE], row)
