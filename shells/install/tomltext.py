"""One table put into or taken out of TOML text; the rest stays as it is written."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codequarry.errors import UsageError

_HAND = "change it by hand"
_PIECE = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}(?!")'
    r"|'''.*?'{3,5}(?!')"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*|[\[{]|[\]}]|\n",
    re.S,
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class _Statement:
    """A header or a pair, without the line end."""

    start: int
    end: int
    keys: tuple[str, ...]  # of a header all, of a pair those that are surely not in its value
    header: bool


def load(text: str) -> dict[str, Any]:
    """Read a configuration.

    Raises:
        UsageError: it is not TOML.
    """
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"it is not TOML: {error}", "mend it, then run it again") from error


def put(text: str, path: Sequence[str], entry: Mapping[str, Any]) -> str:
    """Give the text with a table at a path; keys of it that are not ours stay.

    Raises:
        UsageError: the text is not TOML, or the table is written in another way than by a header.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    there: Any = load(text)
    for name in path:
        there = there.get(name) if isinstance(there, dict) else None
    if there is None:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        lines = [f"[{'.'.join(_key(name) for name in path)}]"]
        lines += [f"{_key(name)} = {_value(value)}" for name, value in entry.items()]
        return text + gap + "".join(line + newline for line in lines)
    for name, value in entry.items():
        if isinstance(there, dict) and there.get(name) == value:
            continue
        text = _set(text, tuple(path), name, value, newline)
    return text


def _set(text: str, path: tuple[str, ...], name: str, value: Any, newline: str) -> str:
    inside = False
    header: _Statement | None = None
    for one in _statements(text):
        if one.header:
            inside = one.keys == path
            header = one if inside else header
        elif inside and one.keys[:1] == (name,):
            return f"{text[: one.start]}{_key(name)} = {_value(value)}{text[one.end :]}"
    if header is None:
        raise UsageError(f"{'.'.join(path)} is there, but not as a table of its own", _HAND)
    line = text.find("\n", header.end) + 1
    if not line:
        text, line = text + newline, len(text + newline)
    return f"{text[:line]}{_key(name)} = {_value(value)}{newline}{text[line:]}"


def drop(text: str, path: Sequence[str]) -> str:
    """Give the text without the table at a path and what is below it.

    Raises:
        UsageError: the text is not TOML.
    """
    load(text)
    ours = tuple(path)
    cuts: list[tuple[int, int]] = []
    table: tuple[str, ...] = ()
    for one in _statements(text):
        table = one.keys if one.header else table
        keys = table if one.header else table + one.keys
        if keys[: len(ours)] != ours:
            continue
        end = text.find("\n", one.end) + 1 or len(text)
        if cuts and not one.header and table[: len(ours)] == ours:
            cuts[-1] = (cuts[-1][0], end)  # with the comments between its lines
        else:
            cuts.append((text.rfind("\n", 0, one.start) + 1, end))
    for start, end in reversed(cuts):
        # the blank line that parted it from what is before goes with it
        before = re.search(r"(?<=\n)\r?\n\Z", text[:start])
        text = text[: before.start() if before else start] + text[end:]
    return text


def _statements(text: str) -> Iterator[_Statement]:
    """Every header and pair; the text is known to be TOML."""
    start: int | None = None
    at = last = depth = 0
    for found in [*_PIECE.finditer(text), None]:
        until = found.start() if found else len(text)
        between = text[at:until]
        if between.strip():
            start = at + len(between) - len(between.lstrip()) if start is None else start
            last = at + len(between.rstrip())
        at = found.end() if found else until
        kind = found[0][0] if found else "\n"
        if kind == "\n" and depth == 0 and start is not None:
            piece = text[start:last]
            header = piece.startswith("[")
            yield _Statement(start, last, _keys(tomllib.loads(piece), header), header)
            start = None
        elif kind not in "#\n":
            depth += (kind in "[{") - (kind in "]}")
            start, last = until if start is None else start, at


def _keys(parsed: dict[str, Any], header: bool) -> tuple[str, ...]:
    """The keys that lead to the value; those of an inline table look the same and are no harm."""
    keys: list[str] = []
    value: Any = parsed
    while isinstance(value, dict) and len(value) == 1:
        name, value = next(iter(value.items()))
        keys.append(name)
        if header and isinstance(value, list):
            value = value[0]
    return tuple(keys)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _value(name)


def _value(value: Any) -> str:
    """Strings and lists of strings as TOML."""
    if isinstance(value, list):
        return f"[{', '.join(_value(one) for one in value)}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
