"""Prose files: scored cuts at headings, paragraphs and fences; headings become symbols."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from codequarry.assets.chunks.cuts import Target, scored_cuts
from codequarry.assets.chunks.markdown import outline_of_markdown
from codequarry.assets.chunks.markup import outline_of_asciidoc, outline_of_rst
from codequarry.assets.chunks.measure import BUDGET, Measure
from codequarry.assets.chunks.outline import Fence, Heading, Outline
from codequarry.vocabulary import Chunk, Kind, Symbol

_TARGET = Target(low=BUDGET // 2, best=BUDGET, high=BUDGET * 3 // 2)  # 4,000 ± 2,000
_MAX_TITLE = 200
_JOINT = " > "

_SCANNERS: dict[str, Callable[[list[str]], Outline]] = {
    "markdown": outline_of_markdown,
    "rst": outline_of_rst,
    "asciidoc": outline_of_asciidoc,
}
PROSE = frozenset(_SCANNERS)


@dataclass(frozen=True, slots=True)
class Prose:
    """A prose file, cut, and the blocks of code in it."""

    chunks: list[Chunk]
    symbols: list[Symbol]
    fences: list[Fence]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with the titles above it and the last row of what it heads."""

    heading: Heading
    title: str
    path: tuple[str, ...]
    last: int


def read_prose(measure: Measure, language: str) -> Prose:
    """Chunks and section symbols of a prose file."""
    text = measure.source.decode("utf-8", "replace")
    lines = text.split("\n")[: measure.line_count]
    outline = _SCANNERS[language](lines)
    sections = sections_of(outline.headings, measure.line_count)
    sizes = measure.sizes(0, measure.line_count - 1)
    starts = [0, *scored_cuts(sizes, outline.scores, _TARGET)]
    return Prose(
        chunks=_chunks(starts, sections, measure.line_count),
        symbols=[section_symbol(section, measure) for section in sections if section.title],
        fences=outline.fences,
    )


def sections_of(headings: list[Heading], line_count: int) -> list[Section]:
    """Headings with their path and the last row of what they head."""
    ends = [line_count - 1] * len(headings)
    open_: list[int] = []
    paths: list[tuple[str, ...]] = []
    titles = [heading.title[:_MAX_TITLE] for heading in headings]
    for at, heading in enumerate(headings):
        while open_ and headings[open_[-1]].level >= heading.level:
            ends[open_.pop()] = heading.row - 1
        paths.append(tuple(titles[i] for i in open_ if titles[i]))
        open_.append(at)
    return [
        Section(heading, title, path, end)
        for heading, title, path, end in zip(headings, titles, paths, ends, strict=True)
    ]


def _chunks(starts: list[int], sections: list[Section], line_count: int) -> list[Chunk]:
    chunks: list[Chunk] = []
    at = 0
    current: Section | None = None
    for first, after in zip(starts, [*starts[1:], line_count], strict=True):
        inside: list[Section] = []
        while at < len(sections) and sections[at].heading.row < after:
            inside.append(sections[at])
            at += 1
        if inside and (current is None or inside[0].heading.row == first):
            name, scope = inside[0].title, inside[0].path
        elif current is not None:  # the chunk goes on with the section before it
            name, scope = current.title, current.path
        else:
            name, scope = "", ()
        current = inside[-1] if inside else current
        names = tuple(section.title for section in inside if section.title)
        kind = Kind.SECTION if name or names else Kind.DOC
        chunks.append(Chunk(first + 1, after, kind, name=name, names=names, scope=scope))
    return chunks


def section_symbol(section: Section, measure: Measure) -> Symbol:
    """A section as a symbol."""
    heading = section.heading
    return Symbol(
        name=section.title,
        qualified=_JOINT.join((*section.path, section.title)),
        kind=Kind.SECTION,
        scope=section.path,
        name_line=heading.row + 1,
        start_line=heading.row + 1,
        end_line=section.last + 1,
        start_byte=measure.starts[heading.row],
        end_byte=measure.starts[section.last + 1],
        signature=f"{'#' * heading.level} {section.title}",
        exported=True,
    )
