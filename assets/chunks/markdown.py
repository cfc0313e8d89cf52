"""Markdown by lines, as CommonMark reads it: front matter, fences, ATX and setext headings.

One pass, linear on any input: no regular expression here can backtrack.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from codequarry.assets.chunks.cuts import FORBIDDEN
from codequarry.assets.chunks.outline import FENCE_BOUNDARY, Fence, Outline, base_scores

_FRONT_MATTER = {"---": ("---", "..."), "+++": ("+++",)}
_LIST_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+")
_RAW_OPEN = re.compile(r"<(?:!--|(?:pre|script|style|textarea)\b)", re.IGNORECASE)
_RAW_CLOSE = {"<!--": "-->"}
_MAX_QUOTES = 20  # inside one another
_NO_PARAGRAPH = ("#", ">", "<", "|", "```", "~~~")


@dataclass(slots=True)
class _Open:
    """A fence that is not closed yet."""

    row: int
    sign: str
    length: int
    info: str
    indent: int  # column of its sign, behind the quote marks
    item: int  # column of the list item that holds it, 0 at the top
    quotes: int  # quote marks before it

    def closed(self, last: int, end: int) -> Fence:
        """The fence, whose code ends at row ``last`` and itself at row ``end``."""
        return Fence(self.row, end, (self.row + 1, last), self.info, self.indent, self.quotes)


def outline_of_markdown(lines: list[str]) -> Outline:
    """Headings, fences and cut scores; inside fences and front matter no cut is legal."""
    outline = Outline(scores=base_scores(lines))
    row = _front_matter(lines, outline)
    raw_end = ""
    column = 0  # where the text of the open list item begins
    paragraph = -1  # the row on which the open paragraph began
    blank_before = True
    while row < len(lines):
        line = lines[row].rstrip()
        bare = line.lstrip(" ")
        if raw_end:
            if raw_end in line.lower():
                raw_end = ""
            row += 1
            continue
        if not bare:
            paragraph, blank_before = -1, True
            row += 1
            continue
        indent = len(line) - len(bare)
        column = _item_column(line, bare, indent, column, blank_before)
        blank_before = False
        depth = indent - column if indent >= column else indent
        fence = _opens(row, bare, indent, column if indent >= column else 0) if depth <= 3 else None
        if fence is not None:
            row = _take(fence, lines, outline)
            paragraph = -1
            continue
        if indent <= 3 and _heading(outline, row, bare):
            paragraph = -1
        elif indent <= 3 and paragraph >= 0 and _underline(bare):
            _setext(outline, lines, paragraph, row, 1 if bare[0] == "=" else 2)
            paragraph = -1
        else:
            raw_end = _raw_block(bare) if indent <= 3 else ""
            paragraph = _paragraph(bare, indent, row, paragraph)
        row += 1
    return outline


def _take(fence: _Open, lines: list[str], outline: Outline) -> int:
    """Take a fence to its end, or the end of the item or quote that holds it; the row after it."""
    outline.scores[fence.row] = max(outline.scores[fence.row], FENCE_BOUNDARY)
    for row in range(fence.row + 1, len(lines)):
        line = lines[row].rstrip()
        inside = _inside(fence, line, line.lstrip(" "))
        if inside is None:
            outline.fences.append(fence.closed(row - 1, row - 1))
            return row
        outline.scores[row] = FORBIDDEN
        if _closes(fence, inside):
            outline.fences.append(fence.closed(row - 1, row))
            if row + 1 < len(lines):
                outline.scores[row + 1] = FENCE_BOUNDARY
            return row + 1
    outline.fences.append(fence.closed(len(lines) - 1, len(lines) - 1))
    return len(lines)


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


def _opens(row: int, bare: str, indent: int, item: int) -> _Open | None:
    """The fence a line opens, behind quote marks or the sign of a list item."""
    quotes = 0
    if bare[0] == ">":
        bare, quotes = _unquoted(bare, _MAX_QUOTES)
        indent, item = 0, 0
    listed = _LIST_ITEM.match(bare)
    if listed:
        bare = bare[listed.end() :]
        indent += listed.end()
    inner = bare.lstrip(" ")
    indent += len(bare) - len(inner)
    sign = inner[:1]
    if sign not in ("`", "~"):
        return None
    length = len(inner) - len(inner.lstrip(sign))
    info = inner[length:]
    if length < 3 or (sign == "`" and "`" in info):
        return None
    return _Open(row, sign, length, info.strip(), indent, item, quotes)


def _unquoted(bare: str, most: int) -> tuple[str, int]:
    """A line without its quote marks, and how many it had."""
    quotes = at = 0
    while quotes < most:
        sign = at
        while sign - at < 4 and bare[sign : sign + 1] == " ":
            sign += 1
        if bare[sign : sign + 1] != ">":
            break
        quotes += 1
        at = sign + 1
        if bare[at : at + 1] == " ":
            at += 1
    return bare[at:], quotes


def _inside(fence: _Open, line: str, bare: str) -> str | None:
    """What a line says within a fence; none when it lies outside the fence's item or quote."""
    if fence.quotes:
        inner, quotes = _unquoted(bare, fence.quotes)
        return inner.lstrip(" ") if quotes == fence.quotes else None
    if fence.item > 0 and line and len(line) - len(bare) < fence.item:
        return None
    return bare


def _closes(fence: _Open, bare: str) -> bool:
    length = len(bare) - len(bare.lstrip(fence.sign))
    return length >= fence.length and not bare[length:].strip()


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
