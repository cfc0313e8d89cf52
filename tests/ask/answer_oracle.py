"""What a reader of the answer sees: a CommonMark parser (with tables) as the oracle."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from codequarry.ask.splice import Part, PartKind, Splicer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from markdown_it.token import Token

    from codequarry.ask.candidates import Candidates
    from codequarry.retrieval.generation import Generation

READER = MarkdownIt("commonmark").enable("table")
_STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def spliced(
    generation: Generation, candidates: Candidates, pieces: Iterable[str], **ending: str
) -> tuple[list[Part], Splicer]:
    splicer = Splicer(generation, candidates)
    parts = [part for piece in pieces for part in splicer.feed(piece)]
    return parts + splicer.finish(**ending), splicer


def text_of(parts: list[Part]) -> str:
    return "".join(part.text for part in parts)


def as_parsed(text: str) -> str:
    """A block's text as a parser gives it: it reads every end of line as one."""
    text = re.sub("\r\n?", "\n", text).replace("\0", "\ufffd")
    return text if text.endswith("\n") else text + "\n"


def check(parts: list[Part]) -> None:
    """Every block of code is one that was read; all else is prose that steers nothing."""
    answer = text_of(parts)
    tokens = READER.parse(answer)
    code = [token.content for token in tokens if token.type in ("fence", "code_block")]
    read = [as_parsed(part.shown.text) for part in parts if part.shown]
    assert code == read, answer
    html = [t for token in tokens for t in _flat(token) if t.type.startswith(("html", "image"))]
    assert not html, answer
    for part in parts:
        if part.shown:
            assert part.text.count(part.shown.text) >= 1, answer
        else:
            assert not _STEERS.search(part.text), answer
    assert [part.kind for part in parts if part.shown] == [PartKind.SPLICE] * len(read)


def _flat(token: Token) -> list[Token]:
    return [token, *(inner for child in token.children or () for inner in _flat(child))]
