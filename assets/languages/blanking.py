"""Text a grammar trips over, as spaces: every byte that stays keeps its place, every line too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from codequarry.assets.languages.spec import LangSpec

_DIRECTIVE = re.compile(
    rb"^[ \t]*#[ \t]*(?P<word>ifdef|ifndef|if|elif|elifdef|elifndef|else|endif)\b"
    rb"(?:[^\n\\]|\\\r?\n|\\)*",
    re.MULTILINE,
)
# What is open at the end runs to the end: the search stays linear on any input.
_NO_CODE = re.compile(
    rb"//[^\n]*|/\*.*?(?:\*/|\Z)"
    rb"|\"(?:\\.|[^\"\\\n])*(?:\"|$)|'(?:\\.|[^'\\\n]){1,12}'|^[ \t]*#(?:[^\n\\]|\\\r?\n|\\)*",
    re.DOTALL | re.MULTILINE,
)
_NOT_SPACE = re.compile(rb"[^\s]")
_WHOLE_END = b";}:"  # code that ends otherwise goes on after the directive
_NO_START = b",)&|?:.{"
_MAX_GROUP = (2_000, 20_000)  # bytes, of a group with one branch and with several

Span = tuple[int, int]


def blanked(source: bytes, spec: LangSpec) -> bytes:
    """``source`` with what the language's spec says its grammar cannot read as spaces."""
    for pattern in spec.blanked:
        matches = pattern.finditer(source)
        source = _without(source, (found.span(found.lastindex or 0) for found in matches))
    return _one_branch(source) if spec.conditionals and b"#" in source else source


def _without(source: bytes, spans: Iterable[Span]) -> bytes:
    parts: list[bytes] = []
    done = 0
    for start, end in spans:
        parts += (source[done:start], _spaces(source[start:end]))
        done = end
    return b"".join((*parts, source[done:])) if parts else source


def _spaces(text: bytes) -> bytes:
    return _NOT_SPACE.sub(b" ", text)


def _one_branch(source: bytes) -> bytes:
    """The source without the ``#if`` that cut a construct in two.

    A grammar without a preprocessor reads ``#if A`` / ``if (x) {`` / ``#else`` / ``if (y) {`` /
    ``#endif`` as two blocks that open and one that closes, and loses what follows. Of such a
    group only the first branch is read, without its directives; where there is no other
    branch, none is.
    """
    text = bytearray(source)
    groups: list[list[Span]] = []
    for directive in _DIRECTIVE.finditer(source):
        word = directive["word"]
        if word.startswith(b"if"):
            groups.append([directive.span()])
        elif groups:
            groups[-1].append(directive.span())
            if word == b"endif":
                _mend(text, groups.pop())
    return bytes(text)


def _mend(text: bytearray, group: list[Span]) -> None:
    first, last = group[0][0], group[-1][1]
    branches = [(end, start) for (_, end), (start, _) in pairwise(group)]
    if last - first > _MAX_GROUP[len(branches) > 1]:
        return  # an include guard, half a file for another system
    if any(_is_broken(bytes(text[start:end])) for start, end in branches):
        kept = branches[0] if len(branches) > 1 else (last, last)
        for start, end in ((first, kept[0]), (kept[1], last)):
            text[start:end] = _spaces(bytes(text[start:end]))


def _is_broken(branch: bytes) -> bool:
    code = _NO_CODE.sub(b"", branch).strip()
    if not code:
        return False
    if code.count(b"{") != code.count(b"}") or code.count(b"(") != code.count(b")"):
        return True
    return code[-1:] not in _WHOLE_END or code[:1] in _NO_START
