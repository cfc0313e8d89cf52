"""What a narrator writes, line by line: prose with its structure, or code to be kept out.

The filter reads as CommonMark does, container by container, and hands every line on in a form
that cannot be code: at most two columns of indentation, one blank after each marker, no fence
and no HTML. What CommonMark would show as a block of code is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from codequarry.ask.code_shape import is_code_shaped

_TAB = 4
_FENCE = re.compile(r"(`{3,})[^`]*\Z|(~{3,})")
_THEMATIC = re.compile(r"([-*_])(?:[ \t]*\1){2,}[ \t]*\Z")
_LONGEST_RULE = 200  # characters; looked for at every marker of a line
_ITEM = re.compile(r"([-*+]|\d{1,9}[.)])([ \t]+|\Z)")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|\Z)")
_VERBATIM = re.compile(
    r"<(pre|code|script|style|textarea|samp|xmp|listing|plaintext|template|svg|math)\b"
    r"|<(!--|\?|!\[CDATA\[)",
    re.IGNORECASE,
)
_ENDS = {"!--": "-->", "?": "?>", "![cdata[": "]]>"}
_ONLY_CITATIONS = re.compile(r"(?:\[\[[0-9]+(?::[0-9]+-[0-9]+)?\]\][\s,;]*)+\Z")


class LineKind(StrEnum):
    """What becomes of a line."""

    PROSE = "prose"
    QUOTED = "quoted"  # shaped like code: shown as a quotation
    BLANK = "blank"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class ProseLine:
    """A line as it may be shown.

    Attributes:
        kind: what becomes of it.
        prefix: its markers.
        content: its text, not yet made safe inside: see `codequarry.ask.inline`.
        starts: it is a block of its own; what was pending before it belongs above.
    """

    kind: LineKind
    prefix: str = ""
    content: str = ""
    starts: bool = False


@dataclass(frozen=True, slots=True)
class _Opened:
    """The markers of a line, and what follows them."""

    quotes: int
    prefix: str
    content: str
    indent: int  # columns before the content, inside the innermost marker that is no list item
    item: int  # column of the content of the line's last list marker, -1 without
    code: bool  # five or more blanks after a list marker: code by the rules


class ProseFilter:
    """Sorts whole lines; its state is what CommonMark would have open."""

    def __init__(self) -> None:
        self._fence: tuple[str, int, int] | None = None  # sign, length, depth of quotation
        self._until = ""  # the end of an HTML block that is being left out
        self._after_break = True  # no paragraph is open that a line could continue
        self._items: list[int] = []  # columns where the content of open list items begins
        self._quotes = 0

    def line(self, text: str) -> ProseLine:
        """Sort one line, cleaned by `codequarry.ask.lines`."""
        if self._fence is not None:
            inside = self._in_fence(text)
            if inside is not None:
                return inside
        if self._until:
            return self._in_html(text)
        opened = _open(text)
        if opened.quotes != self._quotes:
            self._quotes, self._items, self._after_break = opened.quotes, [], True
        if not opened.content:
            self._after_break = True
            return ProseLine(LineKind.BLANK)
        return self._content(opened)

    def _content(self, opened: _Opened) -> ProseLine:
        content = opened.content
        fence = _FENCE.match(content)
        if fence:
            mark = fence[1] or fence[2]
            self._fence = (mark[0], len(mark), opened.quotes)
            self._after_break = True
            return ProseLine(LineKind.DROPPED)
        if self._is_indented_code(opened):
            return ProseLine(LineKind.DROPPED)
        self._after_break = False
        if opened.item >= 0:
            self._items.append(opened.item)
        verbatim = _VERBATIM.match(content)
        if verbatim:
            word = (verbatim[1] or verbatim[2]).lower()
            end = _ENDS.get(word, f"</{word}")
            if end in content[verbatim.end() :].lower():
                return ProseLine(LineKind.QUOTED, "", content, starts=True)
            self._until = end
            self._after_break = True
            return ProseLine(LineKind.DROPPED)
        if is_code_shaped(content):
            return ProseLine(LineKind.QUOTED, "", content, starts=True)
        starts = opened.item >= 0 or bool(_HEADING.match(content) or _THEMATIC.match(content))
        return ProseLine(LineKind.PROSE, opened.prefix, content, starts)

    def _is_indented_code(self, opened: _Opened) -> bool:
        if opened.code:
            return True
        if not self._after_break:
            return False
        while self._items and opened.indent < self._items[-1]:
            self._items.pop()
        return opened.indent >= (self._items[-1] if self._items else 0) + _TAB

    def _in_fence(self, text: str) -> ProseLine | None:
        """A line inside a fence; None where the quotation that held the fence is over."""
        assert self._fence is not None
        sign, length, quotes = self._fence
        rest = text
        for _ in range(quotes):
            stripped = rest.lstrip(" \t")
            if not stripped.startswith(">"):
                self._fence = None
                return None
            rest = stripped[1:]
        rest = rest.strip(" \t")
        if len(rest) >= length and not rest.strip(sign):
            self._fence = None
            self._after_break = True
        elif _ONLY_CITATIONS.match(rest):  # what they point at is code from the disk
            return ProseLine(LineKind.PROSE, "", rest, starts=True)
        return ProseLine(LineKind.DROPPED)

    def _in_html(self, text: str) -> ProseLine:
        if self._until in text.lower():
            self._until = ""
        return ProseLine(LineKind.DROPPED)


def _open(text: str) -> _Opened:
    """Take the markers of block quotes and list items off a line.

    List items inside the line's indentation keep two columns of it at most: one more level.
    """
    rest = text.expandtabs(_TAB) if "\t" in text[: len(text) - len(text.lstrip())] else text
    quotes, prefix, column, item, base, code = 0, "", 0, -1, 0, False
    while True:
        stripped = rest.lstrip(" \t")
        column += len(rest) - len(stripped)
        rest = stripped
        rule = len(rest) <= _LONGEST_RULE and _THEMATIC.match(rest)
        found = None if rule else _ITEM.match(rest)
        if rest.startswith(">"):
            quotes, prefix, item = quotes + 1, prefix + "> ", -1
            rest = rest[1:].removeprefix(" ").expandtabs(_TAB)
            column = base = 0
        elif found:
            if item < 0:
                base = column
                prefix += "  " if column >= 2 and not prefix.strip() else ""
            blanks = len(found[2].expandtabs(_TAB))
            code = code or (blanks > _TAB and found.end() < len(rest))
            prefix += f"{found[1]} "
            column += len(found[1]) + (blanks if blanks <= _TAB else 1)
            item = column
            rest = rest[found.end() :]
        else:
            break
    return _Opened(quotes, prefix, rest.rstrip(" \t"), base if item >= 0 else column, item, code)
