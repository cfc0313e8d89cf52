"""reStructuredText and AsciiDoc by lines: their headings, mapped onto the Markdown scores."""

from __future__ import annotations

import re

from codequarry.assets.chunks.cuts import FORBIDDEN
from codequarry.assets.chunks.outline import FENCE_BOUNDARY, Fence, Outline, base_scores

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}$")
_ASCIIDOC_BLOCK = re.compile(
    r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|```(?=[\w+#-]*$))([\w+#-]*)$"
)
_ASCIIDOC_HEADING = re.compile(r"(={1,6}) +(\S.*)$")
_VERBATIM = ("-", ".", "+", "/", "`")
_RST_CODE = re.compile(r"( *)\.\. (?:code-block|code|sourcecode|ipython)::[ \t]*(\S*)")
_RST_OPTION = re.compile(r"\s*:[\w-]+:")
_ASCIIDOC_SOURCE = re.compile(r"\[(?:source)?(?:%\w+)?,\s*(?:language\s*=\s*)?\"?([\w+#-]+)")


def outline_of_rst(lines: list[str]) -> Outline:
    """Titles under (and over) a line of one punctuation sign; levels as they first appear."""
    outline = Outline(scores=base_scores(lines))
    styles: list[tuple[str, bool]] = []
    row = 0
    while row + 1 < len(lines):
        title = lines[row].rstrip()
        under = lines[row + 1].rstrip()
        if not _is_title(title, under):
            row += 1
            continue
        over = row > 0 and lines[row - 1].rstrip() == under
        style = (under[0], over)
        if style not in styles:
            styles.append(style)
        first = row - 1 if over else row
        outline.head(first, styles.index(style) + 1, title.strip())
        for inside in range(first + 1, row + 2):
            outline.scores[inside] = FORBIDDEN
        row += 2
    outline.fences = _rst_code(lines)
    return outline


def _rst_code(lines: list[str]) -> list[Fence]:
    """The blocks of the code directives: what is indented more than the directive."""
    found: list[Fence] = []
    row = 0
    while row < len(lines):
        directive = _RST_CODE.match(lines[row])
        row += 1
        if directive is None:
            continue
        opening = row - 1
        while row < len(lines) and _RST_OPTION.match(lines[row]):
            row += 1
        first = last = row
        column = 0
        while row < len(lines):
            bare = lines[row].lstrip()
            indent = len(lines[row]) - len(bare)
            if bare and indent <= len(directive[1]):
                break
            if bare:
                column = min(column, indent) if column else indent
                last = row
            row += 1
        if column:
            found.append(Fence(opening, last, (first, last), directive[2], column))
    return found


def _is_title(title: str, under: str) -> bool:
    if not title.strip() or not _ADORNMENT.match(under) or _ADORNMENT.match(title):
        return False
    return len(under) >= min(len(title), 4) and (title[0] not in " \t" or len(under) >= len(title))


def outline_of_asciidoc(lines: list[str]) -> Outline:
    """``== Title`` outside delimited blocks, and the blocks of code."""
    outline = Outline(scores=base_scores(lines))
    block = info = ""
    opening = 0
    for row, raw in enumerate(lines):
        line = raw.rstrip()
        delimiter = _ASCIIDOC_BLOCK.match(line)
        if block:
            outline.scores[row] = FORBIDDEN
            if line == block:
                outline.fences.append(Fence(opening, row, (opening + 1, row - 1), info))
                block = info = ""
                if row + 1 < len(lines):
                    outline.scores[row + 1] = FENCE_BOUNDARY
        elif delimiter and line[0] in _VERBATIM:
            block, opening = delimiter[1], row
            info = delimiter[2] or info
            outline.scores[row] = max(outline.scores[row], FENCE_BOUNDARY)
        else:
            heading = _ASCIIDOC_HEADING.match(line)
            source = _ASCIIDOC_SOURCE.match(line)
            if heading:
                outline.head(row, len(heading[1]), heading[2])
            if source or not line.startswith("."):  # a block's title may stand between
                info = source[1] if source else ""
    return outline
