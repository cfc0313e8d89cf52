"""Inside a line of prose: what is a citation, and text that renders as prose whatever it holds.

A line is made to stand alone: spans of code close within it, and nothing in it opens HTML, an
image or a link whose parts another reader could see otherwise. So no line changes how the next
is read, and what CommonMark makes of the whole is known from its lines.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_RUNS = re.compile("`+")
_BARS = re.compile(r"(\|+)")
_CITATION = re.compile(r"\[\[([^\[\]]{0,300})\]\]")
_EXACT = re.compile(r"\[\[([0-9]+(?::[0-9]+-[0-9]+)?)\]\]")
_SAFE_LINK = re.compile(r"\]\(https?://[^\s()<>\\`\"'|]*\)")
_DEFINITION = re.compile(r"\A\[[^\]]*\]:")
_PLACE = r"[\w.-]*(?:/[\w.-]+)*\.\w{1,12}(?:\#L\d+(?:-L?\d+)?|:\d+(?:[-–]\d+)?(?::\d+)?)"
_BARE_PLACE = re.compile(
    r"(?<![\w/:.@-])(?:[\w.-]+(?:/[\w.-]+)+\.\w{1,12}:\d+(?:[-–]\d+)?|"
    r"[\w./-]+\.\w{1,12}\#L\d+(?:-L?\d+)?)(?![\w/])"
)
_IN_SPAN = re.compile(rf"\A\s*(?:\.{{0,2}}/)*{_PLACE}\s*\Z")
_LINKED_PLACE = re.compile(r"\[[^\[\]`<]*\]\([^\s()<>`]*(?::\d+|\#L\d+)[^\s()<>`]*\)")
_BRACKETED_PLACE = re.compile(r"【[^【】`<]{0,300}】")
_SPECIAL = frozenset("\\`<![]【")
_STARTS = re.compile(r"\A(\d{0,9})([-+=:.)])")  # markers of lists, underlines of headings


class TokenKind(StrEnum):
    """What a part of a line is."""

    TEXT = "text"  # safe to emit
    CITATION = "citation"  # what stands between the double brackets
    OTHER_FORM = "other_form"  # a place in a file, named in a form that is not checked


@dataclass(frozen=True, slots=True)
class Token:
    """A part of a line; of `TokenKind.TEXT` as it is emitted, of the others as written."""

    kind: TokenKind
    text: str


def scan(content: str) -> list[Token]:
    """Take a line of prose apart; its markers of lists and quotations are off already."""
    tokens: list[Token] = []
    text: list[str] = []
    for kind, part in _parts(content):
        if kind is TokenKind.TEXT:
            text.append(part)
            continue
        if text:
            tokens.append(Token(TokenKind.TEXT, "".join(text)))
            text = []
        tokens.append(Token(kind, part))
    if text:
        tokens.append(Token(TokenKind.TEXT, "".join(text)))
    return tokens


def quote(content: str) -> list[Token]:
    """Take a line apart that looks like code: nothing in it is markup but whole citations."""
    pieces = _EXACT.split(content)
    return [
        Token(TokenKind.CITATION, piece) if odd % 2 else Token(TokenKind.TEXT, plain(piece) + " ")
        for odd, piece in enumerate(pieces)
        if odd % 2 or piece.strip()
    ]


def join(parts: list[str]) -> str:
    """Parts of a line in one; runs of backticks of two parts stay two."""
    joined = ""
    for part in parts:
        gap = " " if joined.endswith("`") and part.startswith("`") else ""
        joined += gap + part
    return joined


def plain(text: str) -> str:
    """Any one line of text as Markdown that shows exactly these characters, and no structure."""
    escaped = "".join("\\" + char if char in "\\`*_[]<>&!|~#$" else char for char in text.strip())
    return _STARTS.sub(lambda found: f"{found[1]}\\{found[2]}", escaped)


def code_span(text: str) -> str:
    """Text of one line as a span of code, longer than any run of backticks in it.

    A bar stands between two spans: inside one, a table would cut it in two, and what follows
    would be read otherwise than by itself.
    """
    if "|" in text:
        parts = (part.strip() for part in _BARS.split(text))
        return " ".join(plain(p) if "|" in p else code_span(p) for p in parts if p)
    longest = max((len(run) for run in _RUNS.findall(text)), default=0)
    mark = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{mark}{pad}{text}{pad}{mark}"


def _parts(content: str) -> Iterator[tuple[TokenKind, str]]:
    closers = _closers(content)
    i = 0
    if _DEFINITION.match(content):  # would vanish from sight
        yield TokenKind.TEXT, "\\["
        i = 1
    while i < len(content):
        char = content[i]
        if char not in _SPECIAL:
            found = _BARE_PLACE.match(content, i)
            if found:
                yield TokenKind.OTHER_FORM, found[0]
                i = found.end()
            else:
                yield TokenKind.TEXT, char
                i += 1
        elif char == "`":
            end = i + len(_RUNS.match(content, i)[0])  # type: ignore[index]
            close = _next(closers.get(end - i, []), end)
            yield (
                _span(content[i:end], content[end:close])
                if close >= 0
                else (
                    TokenKind.TEXT,
                    "\\`" * (end - i),
                )
            )
            i = close + end - i if close >= 0 else end
        else:
            kind, part, i = _special(content, i)
            yield kind, part


def _special(content: str, i: int) -> tuple[TokenKind, str, int]:
    """What begins at one of the signs that mean something: kind, text, and where it ends."""
    char = content[i]
    following = content[i + 1 : i + 2]
    for form, kind in (
        (_CITATION, TokenKind.CITATION),
        (_LINKED_PLACE, TokenKind.OTHER_FORM),
        (_BRACKETED_PLACE, TokenKind.OTHER_FORM),
        (_SAFE_LINK, TokenKind.TEXT),
    ):
        found = form.match(content, i)
        if found:
            return kind, found[1] if kind is TokenKind.CITATION else found[0], found.end()
    if char == "\\":
        if following and following in _PUNCTUATION:
            return TokenKind.TEXT, char + following, i + 2
        return TokenKind.TEXT, "\\\\", i + 1  # alone it would escape what is put after it
    opens = (
        (char == "<" and (following.isalpha() or following in ("/", "!", "?")))
        or (char == "!" and following == "[")
        or (char == "]" and following in ("(", ":", "["))
    )
    return TokenKind.TEXT, "\\" + char if opens else char, i + 1


def _span(mark: str, inner: str) -> tuple[TokenKind, str]:
    """A span of code of the line."""
    cited = _CITATION.fullmatch(inner.strip())
    if cited:
        return TokenKind.CITATION, cited[1]
    if _IN_SPAN.match(inner):
        return TokenKind.OTHER_FORM, inner.strip()
    if "|" in inner:
        return TokenKind.TEXT, code_span(inner)
    return TokenKind.TEXT, f"{mark}{inner}{mark}"


def _closers(content: str) -> dict[int, list[int]]:
    """Where runs of backticks begin, by their length."""
    found: dict[int, list[int]] = {}
    for run in _RUNS.finditer(content):
        found.setdefault(len(run[0]), []).append(run.start())
    return found


def _next(places: list[int], after: int) -> int:
    k = bisect_left(places, after)
    return places[k] if k < len(places) else -1
