"""How files of mark-up differ in the ways they hold code: one frozen `Dialect` each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

Mark = tuple[bytes, bytes]

_ERB: tuple[Mark, ...] = ((b"<%", b"%>"),)
_PHP: tuple[Mark, ...] = ((b"<?php", b"?>"), (b"<?=", b"?>"))
_BRACES: tuple[Mark, ...] = ((b"{{!--", b"--}}"), (b"{{", b"}}"))
_DJANGO: tuple[Mark, ...] = (
    (b"{% comment", b"endcomment %}"),
    (b"{%", b"%}"),
    (b"{#", b"#}"),
    (b"{{", b"}}"),
)

_PRINTING = frozenset((b"{{", b"<?="))  # such a mark stands where a value does
_NOT_LINE_END = re.compile(rb"[^\n]")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How files of one kind hold code.

    Attributes:
        name: the language detection gives such files.
        script: the language of a script that names none.
        front: the language of what stands between two ``---`` at the head; empty for none.
        marks: template marks, opening and closing, that a scanner must step over.
        braces: attributes can be ``name={expression}``.
        components: ``<script/>`` closes itself, as every element does.
        blocks: what stands at the top level are blocks, in languages of their own (Vue).
    """

    name: str
    script: str = "javascript"
    front: str = ""
    marks: tuple[Mark, ...] = ()
    braces: bool = False
    components: bool = False
    blocks: bool = False

    def code(self, source: bytes) -> bytes:
        """A script without template marks; every byte keeps its place."""
        if not self.marks:
            return source
        closing = dict(self.marks)
        parts: list[bytes] = []
        done = at = 0
        ends: dict[bytes, int] = {}  # where each mark is closed next: searched for once
        opener = _opener(self.marks)
        while found := opener.search(source, at):
            word, at = found[0], found.end()
            for sign in (closing[word], b"\n"):
                if ends.get(sign, -1) < at:
                    end = source.find(sign, at)
                    ends[sign] = end if end >= 0 else len(source)
            end = ends[closing[word]]
            if end == len(source) or (word.startswith(b"{") and ends[b"\n"] < end):
                continue  # two braces that happen to stand together
            at = end + len(closing[word])
            value = word in _PRINTING or source[found.end() : found.end() + 1] in (b"=", b"-")
            blank = b"_" if value else b" "
            parts += (
                source[done : found.start()],
                _NOT_LINE_END.sub(blank, source[found.start() : at]),
            )
            done = at
        return b"".join((*parts, source[done:])) if parts else source


@cache
def _opener(marks: tuple[Mark, ...]) -> re.Pattern[bytes]:
    words = sorted((word for word, _ in marks), key=len, reverse=True)
    return re.compile(b"|".join(map(re.escape, words)))


DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect("vue", components=True, blocks=True),
        Dialect("svelte", braces=True, components=True),
        Dialect("astro", script="typescript", front="typescript", braces=True, components=True),
        Dialect("html", marks=(*_PHP, *_DJANGO)),
        Dialect("erb", marks=_ERB),
        Dialect("ejs", marks=_ERB),
        Dialect("handlebars", marks=_BRACES),
        Dialect("jinja", marks=_DJANGO),
        Dialect("twig", marks=_DJANGO),
        Dialect("liquid", marks=_DJANGO),
    )
}
