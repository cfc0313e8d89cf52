"""Components, pages and templates: scripts cut and read in their language, mark-up as text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from codequarry.assets.chunks.measure import BUDGET, Measure
from codequarry.assets.chunks.strategy import run_strategy
from codequarry.assets.embedded.dialects import Dialect
from codequarry.assets.embedded.markup import Block, blocks_of
from codequarry.assets.embedded.pack import Span, by_syntax, disjoint, in_windows, pack
from codequarry.assets.embedded.region import Gathered, Region, run_of
from codequarry.assets.facts.reading import Reading
from codequarry.assets.facts.syntax import Parsed
from codequarry.vocabulary import Chunk, Kind, Reference, Symbol

_MARKUP = "html"
_TAG = 200  # non-white-space characters over the budget that closing tags may take
_FILLING = "__"  # what a dialect puts in the place of a template's value


def read_component(measure: Measure, dialect: Dialect) -> Reading:
    """The facts of a file that holds scripts and styles among mark-up."""
    gathered = Gathered()
    blocks: list[Span] = []
    for block in blocks_of(measure.source, dialect):
        region = _region(block, measure, dialect)
        blocks.append(_span(block, region, measure, gathered))

    def split(span: Span) -> list[Chunk]:
        return by_syntax(span, *span.code) if span.code else _split_text(measure, span)

    cut = run_strategy(measure, lambda file: pack(file, _covering(file, blocks), split))
    return gathered.reading(cut)


def _region(block: Block, measure: Measure, dialect: Dialect) -> Region | None:
    source = measure.source[block.start : block.end]
    if not block.language or not source.strip():
        return None
    row = _row(measure, block.start)
    return run_of(block.language, dialect.code(source), row, block.start)


def _span(block: Block, region: Region | None, measure: Measure, gathered: Gathered) -> Span:
    first, last = (_row(measure, at) for at in (block.first, max(block.first, block.last - 1)))
    if block.style:
        return Span(first, last, Kind.BLOCK, style=region)
    parsed = gathered.parse(region) if region is not None else None
    if region is None or parsed is None:
        return Span(first, last, Kind.HTML)
    symbols, references = _written(parsed, region, measure)
    gathered.add(region, symbols, references, parsed.bindings)
    names = tuple(s.name for s in sorted(symbols, key=lambda s: s.name_line))
    return Span(first, last, Kind.MODULE, names=names, code=(region, parsed))


def _written(
    parsed: Parsed, region: Region, measure: Measure
) -> tuple[Sequence[Symbol], Sequence[Reference]]:
    """The facts of a script without the symbols that a template gives their name."""
    kept: list[Symbol] = []
    place = {-1: -1}
    for old, symbol in enumerate(parsed.symbols):
        row = region.line(symbol.name_line) - 1
        if _FILLING not in symbol.name or symbol.name.encode() in measure.text(row, row):
            place[old] = len(kept)
            kept.append(symbol)
    if len(kept) == len(parsed.symbols):
        return kept, parsed.references
    return kept, [r._replace(scope=place.get(r.scope, -1)) for r in parsed.references]


def _row(measure: Measure, at: int) -> int:
    return bisect_right(measure.starts, at, 0, measure.line_count) - 1


def _covering(measure: Measure, blocks: list[Span]) -> Iterator[Span]:
    """The blocks and the mark-up between them; blank rows go with what follows."""
    row = 0
    kept: Span | None = None
    for span in disjoint(blocks):
        if kept is not None:
            yield kept
        if span.first > row and not measure.text(row, span.first - 1).strip():
            span = replace(span, first=row)
        elif span.first > row:
            yield Span(row, span.first - 1, Kind.HTML)
        kept = span
        row = span.last + 1
    end = measure.line_count - 1
    if kept is not None and (row > end or not measure.text(row, end).strip()):
        yield replace(kept, last=end)
        return
    if kept is not None:
        yield kept
    yield Span(row, end, Kind.HTML)


def _split_text(measure: Measure, span: Span) -> list[Chunk]:
    source = measure.text(span.first, span.last)
    unclosed = source.rfind(b"<!--") > source.rfind(b"-->")  # would make the grammar's time square
    if span.first == span.last or (unclosed and span.style is None):
        return in_windows(measure, span)
    region = span.style or run_of(_MARKUP, source, span.first, measure.starts[span.first])
    parsed = Gathered().parse(region)
    chunks = by_syntax(span, region, parsed) if parsed is not None else []
    if not chunks:
        return in_windows(measure, span)
    rows = _joined(chunks, measure)
    parts = len(rows) if len(rows) > 1 else 0
    return [
        Chunk(first, last, span.kind, part=part if parts else 0, parts=parts)
        for part, (first, last) in enumerate(rows, start=1)
    ]


def _joined(chunks: list[Chunk], measure: Measure) -> list[tuple[int, int]]:
    """The lines of neighbours together where both fit: a lone tag is not worth a chunk."""
    joined: list[tuple[int, int]] = []
    total = 0
    for chunk in chunks:
        size = measure.size(chunk.start_line - 1, chunk.end_line - 1)
        if joined and total + size <= BUDGET + _TAG:
            joined[-1] = (joined[-1][0], chunk.end_line)
            total += size
        else:
            joined.append((chunk.start_line, chunk.end_line))
            total = size
    return joined
