"""Chunks of a file made of spans: small ones merged under the budget, big ones cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from codequarry.assets.chunks.measure import BUDGET, Measure
from codequarry.assets.chunks.windows import window_rows
from codequarry.assets.embedded.region import Region
from codequarry.assets.facts.syntax import Parsed
from codequarry.vocabulary import Chunk, Kind

# What a chunk of several spans without code is: the first of these that is in it.
_PRECEDENCE = (Kind.HTML, Kind.SECTION, Kind.DOC, Kind.BLOCK, Kind.WINDOW)


@dataclass(frozen=True, slots=True)
class Span:
    """Rows that belong together: one block of code, or what stands between two.

    Attributes:
        first: row.
        last: row.
        kind: of a chunk that is this span.
        name: of the section it belongs to.
        names: defined in it.
        scope: sections or definitions around it.
        code: what its rows hold, parsed.
        style: what they hold that is parsed only to cut it.
    """

    first: int
    last: int
    kind: Kind
    name: str = ""
    names: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    code: tuple[Region, Parsed] | None = None
    style: Region | None = None


Splitter = Callable[[Span], list[Chunk]]


def pack(measure: Measure, spans: Iterable[Span], split: Splitter) -> list[Chunk]:
    """The chunks of spans that cover the file; ``split`` cuts those over the budget."""
    chunks: list[Chunk] = []
    waiting: list[Span] = []
    total = 0
    for span in spans:
        size = measure.size(span.first, span.last)
        if waiting and total + size > BUDGET:
            chunks.append(_merged(waiting))
            waiting, total = [], 0
        if size > BUDGET:
            chunks += split(span)
        else:
            waiting.append(span)
            total += size
    if waiting:
        chunks.append(_merged(waiting))
    return chunks


def disjoint(spans: Iterable[Span]) -> list[Span]:
    """Spans in their order, each row in the first one that claims it."""
    found: list[Span] = []
    row = 0
    for span in spans:
        if span.last < row and found:
            found[-1] = replace(found[-1], names=(*found[-1].names, *span.names))
        else:
            found.append(replace(span, first=max(row, span.first)))
            row = span.last + 1
    return found


def by_syntax(span: Span, region: Region, parsed: Parsed) -> list[Chunk]:
    """A span cut along the syntax of the code in it."""
    placed: list[Chunk] = []
    line = span.first + 1
    for chunk in parsed.chunks(region.measure):
        end = min(region.line(chunk.end_line), span.last + 1)
        if end >= line:
            scope = (*span.scope, *chunk.scope)
            placed.append(replace(chunk, start_line=line, end_line=end, scope=scope))
            line = end + 1
        elif placed:  # all its lines are on a row that is taken
            placed[-1] = replace(placed[-1], names=(*placed[-1].names, *chunk.names))
    if placed:
        placed[-1] = replace(placed[-1], end_line=span.last + 1)
    return placed


def in_windows(measure: Measure, span: Span) -> list[Chunk]:
    """A span cut into line windows of its kind."""
    rows = window_rows(measure, span.first, span.last)
    parts = len(rows) if len(rows) > 1 else 0
    return [
        Chunk(
            a + 1,
            b + 1,
            span.kind,
            name=span.name,
            names=span.names if part == 1 else (),
            scope=span.scope,
            part=part if parts else 0,
            parts=parts,
        )
        for part, (a, b) in enumerate(rows, start=1)
    ]


def _merged(spans: list[Span]) -> Chunk:
    first, last = spans[0].first + 1, spans[-1].last + 1
    names = tuple(name for span in spans for name in span.names)
    if len(spans) == 1 and spans[0].code is not None:
        (span,) = spans
        region, parsed = spans[0].code
        chunk, *more = parsed.chunks(region.measure)
        kind = chunk.kind if not more else Kind.MODULE
        scope = (*span.scope, *chunk.scope)
        return Chunk(first, last, kind, name=chunk.name or span.name, names=names, scope=scope)
    if any(span.code is not None for span in spans):
        kind = Kind.MODULE
    else:
        kinds = {span.kind for span in spans}
        kind = next(kind for kind in _PRECEDENCE if kind in kinds)
    titled = next((span for span in spans if span.name), None)
    if titled is not None:
        return Chunk(first, last, kind, name=titled.name, names=names, scope=titled.scope)
    return Chunk(first, last, kind, name=names[0] if names else "", names=names)
