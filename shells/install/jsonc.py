"""One entry put into or taken out of JSON text, with comments and last commas; the rest stays.

Nothing is printed anew: the place of the entry is found and only that piece of text changes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from codequarry.errors import UsageError

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_STRING_OR_COMMENT = re.compile(rf"{_STRING}|//[^\r\n]*|/\*.*?\*/", re.S)
_STRING_OR_LAST_COMMA = re.compile(rf"{_STRING}|,(?=[ \t\r\n]*[}}\]])", re.S)
_COMMENTS_OF_LINE = re.compile(r"(?:[ \t]*(?:/\*.*?\*/|//[^\r\n]*))*", re.S)
_BLANK = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"[ \t]*")
_UNIT = "  "  # where the file shows no indentation of its own


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    start: int  # of the key
    value: int  # where the value starts
    end: int  # behind the value


class _Text:
    """A text and the same with comments, and then last commas, blanked: offsets stay."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.bare = _STRING_OR_COMMENT.sub(_without_comment, text)
        self.plain = _without_last_commas(self.bare)
        self._decoder = json.JSONDecoder(parse_constant=_no_constant)

    @cached_property
    def root(self) -> int | None:
        """Where the root object opens; None in a text without any value.

        Raises:
            UsageError: it is not JSON, or something else than an object.
        """
        at = self.next(0)
        if at == len(self.plain):
            return None
        try:
            value, end = self._decoder.raw_decode(self.plain, at)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"it is not JSON: {error}", "mend it, then run it again") from error
        if not isinstance(value, dict) or self.next(end) != len(self.plain):
            raise UsageError("it is not one JSON object", "mend it, then run it again")
        return at

    def load(self) -> dict[str, Any]:
        """The whole as data; empty for a text without any value."""
        found: dict[str, Any] = {} if self.root is None else self.decode(self.root)[0]
        return found

    def decode(self, at: int) -> tuple[Any, int]:
        """The value at an offset, and the offset behind it."""
        return self._decoder.raw_decode(self.plain, at)

    def next(self, at: int) -> int:
        """The next offset that is neither blank nor comment nor a last comma."""
        return _end(_BLANK, self.plain, at)

    def members(self, opening: int) -> Iterator[_Member]:
        """What the object that opens there holds."""
        at = self.next(opening + 1)
        while self.plain[at] != "}":
            name, end = self.decode(at)
            value = self.next(self.next(end) + 1)
            _, stop = self.decode(value)
            yield _Member(name, at, value, stop)
            at = self.next(stop)
            if self.plain[at] == ",":
                at = self.next(at + 1)

    def member(self, opening: int, name: str) -> _Member | None:
        """The one of a name; the last, as readers of JSON take it."""
        found = [one for one in self.members(opening) if one.name == name]
        return found[-1] if found else None

    def comma(self, member: _Member) -> int | None:
        """Where the comma behind a member is, a last one too."""
        at = _end(_BLANK, self.bare, member.end)
        return at if self.bare[at] == "," else None

    @cached_property
    def newline(self) -> str:
        """How its lines end."""
        at = self.text.find("\n")
        return "\r\n" if at > 0 and self.text[at - 1] == "\r" else "\n"

    @cached_property
    def unit(self) -> str:
        """One step of its indentation."""
        first = None if self.root is None else next(self.members(self.root), None)
        return (self.indent_of(first.start) if first else None) or _UNIT

    def indent_of(self, at: int) -> str | None:
        """The blanks before what comes first on its line; None for what does not."""
        start = self.text.rfind("\n", 0, at) + 1
        before = self.text[start:at]
        return before if start and not before.strip(" \t") else None

    def indent_at(self, at: int) -> str:
        """The indentation of the line that an offset lies in."""
        start = self.text.rfind("\n", 0, at) + 1
        return self.text[start : _end(_INDENT, self.text, start)]


def load(text: str) -> dict[str, Any]:
    """Read a configuration.

    Raises:
        UsageError: it is not one JSON object.
    """
    return _Text(text).load()


def put(text: str, path: Sequence[str], entry: Mapping[str, Any]) -> str:
    """Give the text with an entry at a path of keys; keys of it that are not ours stay.

    Raises:
        UsageError: the text is not one JSON object, or something else is where objects should be.
    """
    parsed = _Text(text)
    if parsed.root is None:
        end = "" if not text or text.endswith("\n") else parsed.newline
        whole: Any = entry
        for name in reversed(path):
            whole = {name: whole}
        return f"{text}{end}{_shown(whole, '', _UNIT, parsed.newline)}{parsed.newline}"
    opening = parsed.root
    for depth, name in enumerate(path):
        member = parsed.member(opening, name)
        if member is None:
            whole = entry
            for inner in reversed(path[depth + 1 :]):
                whole = {inner: whole}
            return _added(parsed, opening, name, whole)
        if parsed.plain[member.value] != "{":
            raise UsageError(f"{name} is not an object", "mend it, then run it again")
        opening = member.value
    for key, value in entry.items():
        member = parsed.member(opening, key)
        if member is None:
            text = _added(parsed, opening, key, value)
        elif parsed.decode(member.value)[0] != value:
            shown = _shown(value, parsed.indent_at(member.start), parsed.unit, parsed.newline)
            text = parsed.text[: member.value] + shown + parsed.text[member.end :]
        parsed = _Text(text)  # offsets up to the object's opening are as they were
    return parsed.text


def drop(text: str, path: Sequence[str]) -> str:
    """Give the text without what is at a path of keys; the objects that held it stay.

    Raises:
        UsageError: the text is not one JSON object.
    """
    while True:
        parsed = _Text(text)
        opening = parsed.root
        member: _Member | None = None
        for name in path:
            if opening is None or parsed.plain[opening] != "{":
                return text
            holder, member = opening, parsed.member(opening, name)
            opening = member.value if member else None
        if member is None:
            return text
        text = _removed(parsed, holder, member)


def _added(parsed: _Text, opening: int, name: str, value: Any) -> str:
    text = parsed.text
    members = list(parsed.members(opening))
    closing = parsed.decode(opening)[1] - 1
    if not members:
        return _filled(parsed, opening, closing, {name: value})
    last = members[-1]
    comma = parsed.comma(last)
    at = _end(_COMMENTS_OF_LINE, text, last.end if comma is None else comma + 1)
    edges = [opening, *(edge for one in members for edge in (one.start, one.end)), closing]
    gaps = zip(edges[::2], edges[1::2], strict=True)
    if any("\n" in text[start:end] for start, end in gaps):
        indent = parsed.indent_of(last.start)
        if indent is None:
            indent = parsed.indent_at(opening) + parsed.unit
        shown = _shown(value, indent, parsed.unit, parsed.newline)
        piece = f"{parsed.newline}{indent}{_quoted(name)}: {shown}"
    else:
        piece = f" {_quoted(name)}: {_quoted(value)}"
    if comma is not None:
        return f"{text[:at]}{piece},{text[at:]}"
    return f"{text[: last.end]},{text[last.end : at]}{piece}{text[at:]}"


def _filled(parsed: _Text, opening: int, closing: int, value: dict[str, Any]) -> str:
    """The text with members in an object that has none."""
    text = parsed.text
    outer = parsed.indent_at(opening)
    inside = text[opening + 1 : closing]
    if not inside.strip():
        one_line = "\n" not in text.strip() and opening != parsed.root
        shown = _quoted(value) if one_line else _shown(value, outer, parsed.unit, parsed.newline)
        return text[:opening] + shown + text[closing + 1 :]
    comments = inside.rstrip(" \t\r\n")  # they are somebody's; what is added comes behind them
    rest = inside[len(comments) :]
    shown = _shown(value, outer, parsed.unit, parsed.newline)[1:]  # without its brace
    shown = shown[: -len(outer) - 1].rstrip("\r\n") if "\n" in rest else shown[:-1]
    return f"{text[: opening + 1]}{comments}{shown}{rest}{text[closing:]}"


def _removed(parsed: _Text, opening: int, member: _Member) -> str:
    text = parsed.text
    members = list(parsed.members(opening))
    place = members.index(member)
    comma = parsed.comma(member)
    start, end = member.start, member.end if comma is None else comma + 1
    line = _end(_INDENT, text, end)
    alone = text[line : line + 1] in ("\r", "\n") and parsed.indent_of(start) is not None
    if alone:
        start = text.rfind("\n", 0, start)
        start -= text[start - 1] == "\r"
    elif place:
        start = len(text[:start].rstrip(" \t"))
    elif comma is not None:
        end = line
    text = text[:start] + text[end:]
    if comma is None and place:  # the one before is the last now
        before = parsed.comma(members[place - 1])
        assert before is not None
        text = text[:before] + text[before + 1 :]
    if len(members) == 1:
        closing = _end(_BLANK, text, opening + 1)
        if text[closing] == "}":
            text = text[: opening + 1] + text[closing:]
    return text


def _shown(value: Any, indent: str, unit: str, newline: str) -> str:
    """A value as text: a line a member, lists on one line."""
    if not isinstance(value, dict):
        return _quoted(value)
    inner = indent + unit
    lines = [
        f"{inner}{_quoted(name)}: {_shown(one, inner, unit, newline)}"
        for name, one in value.items()
    ]
    return f"{{{newline}{f',{newline}'.join(lines)}{newline}{indent}}}"


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _without_comment(found: re.Match[str]) -> str:
    piece = found[0]
    return piece if piece[0] == '"' else re.sub(r"[^\r\n]", " ", piece)


def _without_last_commas(bare: str) -> str:
    def blanked(found: re.Match[str]) -> str:
        if found[0] != ",":
            return found[0]
        at = found.start() - 1
        while at >= 0 and bare[at] in " \t\r\n":
            at -= 1
        # a comma behind nothing is no last comma, and no JSON of any kind
        return "," if at < 0 or bare[at] in "{[,:" else " "

    return _STRING_OR_LAST_COMMA.sub(blanked, bare)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    assert found is not None
    return found.end()
