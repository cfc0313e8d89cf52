"""Notebooks: code cells in the kernel's language, text cells through their headings.

Lines are those of the JSON file, for a citation must be what ``sed -n`` prints.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from codequarry.assets.chunks.markdown import outline_of_markdown
from codequarry.assets.chunks.measure import BUDGET, Measure
from codequarry.assets.chunks.outline import Heading
from codequarry.assets.chunks.prose import Section, section_symbol, sections_of
from codequarry.assets.chunks.strategy import run_strategy
from codequarry.assets.embedded.cells import Cell, NotebookError, read_notebook
from codequarry.assets.embedded.names import language_named
from codequarry.assets.embedded.pack import Span, by_syntax, disjoint, in_windows, pack
from codequarry.assets.embedded.region import Gathered, Region
from codequarry.assets.embedded.searchable import LONG_LINE
from codequarry.assets.facts.reading import Reading
from codequarry.assets.facts.reading import in_windows as fallback
from codequarry.vocabulary import Chunk, Kind

_PYTHON = "python"
_LITTLE = 200  # non-white-space characters: brackets and ids, which make no chunk of their own
_CELL_MAGIC = re.compile(r"\s*%%(\w+)[ \t]*(\S*)")
_LINE_MAGIC = re.compile(r"\s*(?:%{1,2}\w|!|\?\w)")
_NOT_LINE_END = re.compile(r"[^\n]")
# Cell magics whose text is in the language they name; any other runs the kernel's.
_FOREIGN = frozenset("bash sh script javascript js html svg latex markdown ruby perl r sql".split())


@dataclass(frozen=True, slots=True)
class _Placed:
    """A cell with the rows of its object and of its lines."""

    cell: Cell
    first: int
    last: int
    rows: list[int]


def read_cells(measure: Measure) -> Reading:
    """The facts of a notebook; a file that is none is cut into line windows."""
    try:
        notebook = read_notebook(measure.source)
    except NotebookError as error:
        return fallback(measure, str(error))
    kernel = language_named(notebook.language)
    gathered = Gathered()
    placed = [_place(cell, measure) for cell in notebook.cells]
    sections = sections_of(list(_headings(placed)), measure.line_count)
    spans = list(_spans(placed, sections, kernel, measure, gathered))
    gathered.add_sections([section_symbol(s, measure) for s in sections if s.title])

    def split(span: Span) -> list[Chunk]:
        if span.code is not None:
            return by_syntax(span, *span.code)
        if _size_of_text(measure, span) <= BUDGET:
            return [
                Chunk(span.first + 1, span.last + 1, span.kind, span.name, span.names, span.scope)
            ]
        return in_windows(measure, span)

    return gathered.reading(run_strategy(measure, lambda file: pack(file, spans, split)))


def _place(cell: Cell, measure: Measure) -> _Placed:
    def row(at: int) -> int:
        return bisect_right(measure.starts, at, 0, measure.line_count) - 1

    return _Placed(cell, row(cell.start), row(cell.end - 1), [row(at.start) for at in cell.lines])


def _headings(cells: list[_Placed]) -> Iterator[Heading]:
    """The headings of the text cells, each at the row of its first line; a row has one."""
    taken = -1
    for placed in cells:
        if placed.cell.type != "markdown":
            continue
        lines = [line.text.removesuffix("\n") for line in placed.cell.lines]
        for heading in outline_of_markdown(lines).headings:
            row = placed.rows[heading.row]
            if row > taken:
                yield replace(heading, row=row)
                taken = row


def _spans(
    cells: list[_Placed],
    sections: list[Section],
    kernel: str,
    measure: Measure,
    gathered: Gathered,
) -> list[Span]:
    """Spans that cover the file: a cell each, a big one's output apart from its text."""
    spans: list[Span] = []
    at = 0
    for place, placed in enumerate(cells):
        first = 0 if place == 0 else placed.first
        while at < len(sections) and sections[at].heading.row < placed.first:
            at += 1
        after = at
        while after < len(sections) and sections[after].heading.row <= placed.last:
            after += 1
        own, above = sections[at:after], sections[at - 1] if at else None
        span = _span(placed, own, above, kernel, gathered, measure)
        spans += _apart(replace(span, first=first), placed, measure)
        at = after
    spans = disjoint(spans)
    return _to_the_end(spans, measure)


def _span(
    placed: _Placed,
    own: list[Section],
    above: Section | None,
    kernel: str,
    gathered: Gathered,
    measure: Measure,
) -> Span:
    titled = own[0] if own else above
    path = titled.path if titled is not None else ()
    name = titled.title if titled is not None else ""
    if placed.cell.type == "code":
        region = _region(placed, kernel, measure)
        parsed = gathered.parse(region) if region is not None else None
        if region is not None and parsed is not None:
            gathered.add(region, parsed.symbols, parsed.references, parsed.bindings)
            names = tuple(s.name for s in sorted(parsed.symbols, key=lambda s: s.name_line))
            scope = (*path, name) if name else path
            code = (region, parsed)
            return Span(placed.first, placed.last, Kind.MODULE, names=names, scope=scope, code=code)
    kind = Kind.SECTION if name else Kind.DOC
    names = tuple(section.title for section in own if section.title)
    return Span(placed.first, placed.last, kind, name=name, names=names, scope=path)


def _apart(span: Span, placed: _Placed, measure: Measure) -> list[Span]:
    """A cell over the budget as what stands before its lines, its lines, and what follows."""
    if not placed.rows or measure.size(span.first, span.last) <= BUDGET:
        return [span]
    first, last = placed.rows[0], placed.rows[-1]
    if first > span.first and measure.size(span.first, first - 1) <= _LITTLE:
        first = span.first
    if last < span.last and measure.size(last + 1, span.last) <= _LITTLE:
        last = span.last
    parts = [replace(span, first=first, last=last)]
    if first > span.first:
        parts.insert(0, Span(span.first, first - 1, Kind.WINDOW, scope=span.scope))
    if last < span.last:
        parts.append(Span(last + 1, span.last, Kind.WINDOW, scope=span.scope))
    return parts


def _size_of_text(measure: Measure, span: Span) -> int:
    """The size without lines that hold a picture or other data."""
    return sum(size for size in measure.sizes(span.first, span.last) if size <= LONG_LINE)


def _to_the_end(spans: list[Span], measure: Measure) -> list[Span]:
    """The spans and what follows the last cell: it is a span of its own if it is much."""
    end = measure.line_count - 1
    if not spans:
        return [Span(0, end, Kind.WINDOW)]
    found = [replace(span, last=after.first - 1) for span, after in pairwise(spans)]
    last = spans[-1]
    if last.last < end and measure.size(last.last + 1, end) > BUDGET // 2:
        return [*found, last, Span(last.last + 1, end, Kind.WINDOW)]
    return [*found, replace(last, last=end)]


def _region(placed: _Placed, kernel: str, measure: Measure) -> Region | None:
    texts = [line.text for line in placed.cell.lines]
    language = kernel
    if kernel == _PYTHON:
        language, texts = _without_magics(texts)
    source = "".join(texts).encode("utf-8", "replace")
    if not language or not source.strip():
        return None
    starts = [line.start for line in placed.cell.lines]
    return Region(language, Measure(source), placed.rows, starts, escaped=measure.source)


def _without_magics(texts: list[str]) -> tuple[str, list[str]]:
    """The language of a Python kernel's cell, and its lines without orders to the kernel."""
    magic = _CELL_MAGIC.match(texts[0]) if texts else None
    language = _PYTHON
    if magic is not None and magic[1] in _FOREIGN:
        language = language_named(magic[1])
    elif magic is not None and magic[1] == "writefile":
        language = language_named(magic[2].rpartition(".")[2])
    plain = [
        _NOT_LINE_END.sub(" ", text) if _LINE_MAGIC.match(text) and (at == 0 or not magic) else text
        for at, text in enumerate(texts)
    ]
    return language, plain
