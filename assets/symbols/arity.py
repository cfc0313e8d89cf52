"""How many arguments a definition takes, read off the text of its parameter list."""

from __future__ import annotations

import re
from functools import lru_cache

UNKNOWN = -1

_NOISE = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|//[^\n]*|/\*.*?\*/|=>|->", re.DOTALL)
_NESTED = re.compile(r"[(\[{<][^()\[\]{}<>]*[)\]}>]")
_REST = re.compile(r"\.\.\.|^\s*\*|^\s*&\w|\b(?:params|vararg)\s")
_PLAIN = re.compile(r"[\w\s,:]*")
_MAX_TEXT = 4000


@lru_cache(maxsize=1 << 14)  # `(self)`, `(t *testing.T)`: lists repeat within a code base
def arity(text: str, drop: frozenset[str]) -> tuple[int, int]:
    """The least and the most arguments of a call; ``-1`` as the most means unbounded.

    Args:
        text: The parameter list as written, with or without its brackets.
        drop: Names of parameters a caller does not pass (``self``).
    """
    if len(text) > _MAX_TEXT:
        return UNKNOWN, UNKNOWN
    inner = text[1:-1] if text[:1] in "([|" else text
    if not _PLAIN.fullmatch(inner):
        inner = _flatten(inner)
    least = most = 0
    unbounded = False
    for place, raw in enumerate(inner.split(",")):
        part = raw.strip()
        if not part or part in ("/", "*", "void"):
            continue
        if place == 0 and re.sub(r"[&*]|\bmut\b|:.*|'\w+", "", part).strip() in drop:
            continue
        if _REST.search(part):
            unbounded = unbounded or not part.startswith("&")
            continue
        most += 1
        if not ("=" in part or _is_optional(part)):
            least += 1
    return least, UNKNOWN if unbounded else most


def _is_optional(part: str) -> bool:
    return bool(re.search(r"\w\?\s*(?::|$)", part))


def _flatten(text: str) -> str:
    """Empty strings, comments and everything in brackets: only the top level is counted."""
    text = _NOISE.sub(" ", text)
    for _ in range(20):
        text, n = _NESTED.subn(" ", text)
        if not n:
            break
    return text


def parameters_after(text: str, at: int) -> str:
    """The bracketed text that opens after ``at``, for grammars without a parameter list node."""
    start = text.find("(", at)
    if start < 0:
        return ""
    depth = 0
    for place in range(start, min(len(text), start + _MAX_TEXT)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return text[start : place + 1]
    return ""
