"""Markdown by lines, as CommonMark reads it: front matter, fences, ATX and setext headings.

One pass, linear on any input: no regular expression here can backtrack.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from codequarry.assets.chunks.cuts import FORBIDDEN
from codequarry.assets.chunks.outline import FENCE_BOUNDARY, Outline, base_scores

_FRONT_MATTER = {"---": ("---", "..."), "+++": ("+++",)}
_LIST_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+")
_RAW_OPEN = re.compile(r"<(?:!--|(?:pre|script|style|textarea)\b)", re.IGNORECASE)
_RAW_CLOSE = {"<!--": "-->"}
_NO_PARAGRAPH = ("#", ">", "<", "|", "```", "~~~")


@dataclass(slots=True)
class _Fence:
    sign: str
    length: int
    column: int  # of the list item that holds it, 0 at the top


def outline_of_markdown(lines: list[str]) -> Outline:
    """Headings and cut scores; inside fences and front matter no cut is legal."""
    outline = Outline(scores=base_scores(lines))
    row = _front_matter(lines, outline)
    fence: _Fence | None = None
    raw_end = ""
    column = 0  # where the text of the open list item begins
    paragraph = -1  # the row on which the open paragraph began
    blank_before = True
    while row < len(lines):
        line = lines[row].rstrip()
        bare = line.lstrip(" ")
        indent = len(line) - len(bare)
        if fence is not None:
            if _leaves_item(fence, line, indent):
                fence = None
                continue  # the line is read again, outside the fence
            outline.scores[row] = FORBIDDEN
            if _closes(fence, bare):
                fence = None
                if row + 1 < len(lines):
                    outline.scores[row + 1] = FENCE_BOUNDARY
                paragraph, blank_before = -1, False
            row += 1
            continue
        if raw_end:
            if raw_end in line.lower():
                raw_end = ""
            row += 1
            continue
        if not bare:
            paragraph, blank_before = -1, True
            row += 1
            continue
        column = _item_column(line, bare, indent, column, blank_before)
        blank_before = False
        depth = indent - column if indent >= column else indent
        opened = _opens(bare) if depth <= 3 else None
        if opened is not None:
            fence = _Fence(opened[0], opened[1], column if indent >= column else 0)
            outline.scores[row] = max(outline.scores[row], FENCE_BOUNDARY)
            paragraph = -1
        elif indent <= 3 and _heading(outline, row, bare):
            paragraph = -1
        elif indent <= 3 and paragraph >= 0 and _underline(bare):
            _setext(outline, lines, paragraph, row, 1 if bare[0] == "=" else 2)
            paragraph = -1
        else:
            raw_end = _raw_block(bare) if indent <= 3 else ""
            paragraph = _paragraph(bare, indent, row, paragraph)
        row += 1
    return outline


def _front_matter(lines: list[str], outline: Outline) -> int:
    """The first row after a closed front matter, 0 when there is none."""
    ends = _FRONT_MATTER.get(lines[0].rstrip()) if lines else None
    if ends is None:
        return 0
    for row in range(1, len(lines)):
        if lines[row].rstrip() in ends:
            for inside in range(1, row + 1):
                outline.scores[inside] = FORBIDDEN
            return row + 1
    return 0


def _opens(bare: str) -> tuple[str, int] | None:
    item = _LIST_ITEM.match(bare)
    if item:
        bare = bare[item.end() :].lstrip(" ")
    sign = bare[:1]
    if sign not in ("`", "~"):
        return None
    length = len(bare) - len(bare.lstrip(sign))
    if length < 3 or (sign == "`" and "`" in bare[length:]):
        return None
    return sign, length


def _closes(fence: _Fence, bare: str) -> bool:
    length = len(bare) - len(bare.lstrip(fence.sign))
    return length >= fence.length and not bare[length:].strip()


def _leaves_item(fence: _Fence, line: str, indent: int) -> bool:
    return fence.column > 0 and bool(line) and indent < fence.column


def _item_column(line: str, bare: str, indent: int, column: int, blank_before: bool) -> int:
    item = _LIST_ITEM.match(bare)
    if item and (indent <= 3 or indent >= column > 0 or column > 0):
        return indent + item.end()
    if indent < column and (blank_before or bare.startswith("#")):
        return 0
    return column


def _heading(outline: Outline, row: int, bare: str) -> bool:
    level = len(bare) - len(bare.lstrip("#"))
    if not 1 <= level <= 6 or bare[level : level + 1] not in ("", " ", "\t"):
        return False
    title = bare[level:].strip()
    closed = title.rstrip("#")
    if closed != title and (not closed or closed[-1] in " \t"):
        title = closed.rstrip()
    outline.head(row, level, title)
    return True


def _underline(bare: str) -> bool:
    return not bare.strip("=") or not bare.strip("-")


def _setext(outline: Outline, lines: list[str], first: int, row: int, level: int) -> None:
    title = " ".join(lines[at].strip() for at in range(first, row))
    outline.head(first, level, title)
    for inside in range(first + 1, row + 1):
        outline.scores[inside] = FORBIDDEN


def _raw_block(bare: str) -> str:
    opening = _RAW_OPEN.match(bare)
    if opening is None:
        return ""
    tag = opening[0].lower()
    end = _RAW_CLOSE.get(tag, f"</{tag[1:]}>")
    return "" if end in bare.lower() else end


def _paragraph(bare: str, indent: int, row: int, paragraph: int) -> int:
    if bare.startswith(_NO_PARAGRAPH) or _LIST_ITEM.match(bare):
        return -1
    if paragraph < 0 and indent > 3:
        return -1
    return row if paragraph < 0 else paragraph
