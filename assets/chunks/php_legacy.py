"""Legacy PHP: pages of functions, flow and HTML in one file, where no class gives a structure.

Its file is told by its shape. Functions and types stand alone with the comment above them;
what runs between them is cut by scores, as prose is, and its banner comments are headings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from codequarry.assets.chunks.banners import Banner, banners_of, comment_blocks
from codequarry.assets.chunks.cast import Cutter, cutter_of
from codequarry.assets.chunks.cuts import BLANK_LINE, FORBIDDEN, PLAIN_LINE, Target, scored_cuts
from codequarry.assets.chunks.labels import Piece, Run, label
from codequarry.assets.chunks.measure import BUDGET, Measure
from codequarry.assets.chunks.php_islands import Island, islands_of
from codequarry.assets.chunks.units import Unit, line_units, rows_of
from codequarry.assets.languages.grammars import Grammar
from codequarry.assets.languages.spec import CALLABLE_KINDS, CONTAINER_KINDS
from codequarry.assets.symbols.definitions import Definition
from codequarry.vocabulary import Chunk, Kind, Symbol

LANGUAGE = "php"
BANNER = 85
HTML_TRANSITION = 90
UNIT_START = 20
_FLOW = frozenset(f"{word}_statement" for word in "if for foreach while do switch try".split())
_DEFINITIONS = frozenset({"function_definition", "class_declaration"})
_MIN_FLOW = 3
_MIN_ISLANDS = 2
_HTML_SHARE = 0.6  # of a chunk's characters, over which it is HTML
_TARGET = Target(low=BUDGET // 2, best=BUDGET, high=BUDGET * 3 // 2)  # as of prose
_TAGS = (b"<?php", b"<?=", b"<?", b"?>")


def is_legacy(root: Node, definitions: Sequence[Definition], grammar: Grammar) -> bool:
    """Whether a file is PHP and legacy by its shape; a namespace alone makes it modern."""
    if grammar.spec.name != LANGUAGE:
        return False
    types = [node.type for node in root.children]
    if "namespace_definition" in types:
        return False
    if "function_definition" in types:
        return True
    if sum(kind in _FLOW for kind in types) >= _MIN_FLOW:
        return True
    return len(_islands(root, definitions, grammar)) >= _MIN_ISLANDS


def _islands(root: Node, definitions: Sequence[Definition], grammar: Grammar) -> list[Island]:
    """The HTML outside functions and types."""
    if root.child_count == 0 or b"?>" not in (root.text or b""):
        return []
    inside = [(d.inner, d.end) for d in definitions if _stands_alone(d)]
    return islands_of(root, inside, grammar.parser)


def _stands_alone(definition: Definition | None) -> bool:
    return definition is not None and definition.kind in CALLABLE_KINDS | CONTAINER_KINDS


def _is_guarded(unit: Unit) -> bool:
    """Whether a unit is a definition inside `if (! function_exists(…))` and nothing else."""
    for node in unit.nodes:
        body = node.child_by_field_name("body") if node.type == "if_statement" else None
        if body is not None and node.child_by_field_name("alternative") is None:
            inside = [child.type for child in body.named_children if child.type != "comment"]
            return len(inside) == 1 and inside[0] in _DEFINITIONS
    return False


def section_symbols(root: Node, measure: Measure) -> tuple[Symbol, ...]:
    """The sections that banner comments open, as prose has its headings."""
    banners = [banner for banner in banners_of(root, measure) if banner.title]
    if not banners:
        return ()
    ends = [*(banner.first for banner in banners[1:]), measure.line_count]
    return tuple(
        Symbol(
            name=banner.title,
            qualified=banner.title,
            kind=Kind.SECTION,
            scope=(),
            name_line=banner.title_row + 1,
            start_line=banner.first + 1,
            end_line=end,
            start_byte=measure.starts[banner.first],
            end_byte=measure.starts[end],
            signature=f"# {banner.title}",
            exported=True,
        )
        for banner, end in zip(banners, ends, strict=True)
    )


def cut_legacy(
    root: Node, measure: Measure, definitions: list[Definition], grammar: Grammar
) -> list[Chunk]:
    """The chunks of a legacy file."""
    units = line_units(root.children, 0, measure.line_count - 1, grammar.beside)
    page = _Page(
        measure,
        units,
        banners_of(root, measure),
        _islands(root, definitions, grammar),
        _doc_rows(root),
        cutter_of(measure, definitions, grammar.spec, grammar.beside),
    )
    page.cut()
    chunks = label(page.cutter.pieces, definitions)
    return page.titled(chunks)


def _doc_rows(root: Node) -> dict[int, int]:
    """The first row of each run of comments at file level, by the row after its last."""
    return {last + 1: first for first, last, _ in comment_blocks(root)}


@dataclass(slots=True)
class _Page:
    """One file while it is cut."""

    measure: Measure
    units: list[Unit]
    banners: list[Banner]
    islands: list[Island]
    doc_rows: dict[int, int]
    cutter: Cutter
    flow: set[int] = field(default_factory=set)  # positions of pieces cut by scores

    def cut(self) -> None:
        """Cut into what stands alone and what lies between."""
        scores = self._scores()
        first = 0
        for unit in self.units:
            if not self._alone(unit):
                continue
            head = self._head(unit, first)
            if self._bare(first, head - 1):
                head = first
            self._between(first, head - 1, scores)
            alone = Unit(head, unit.last, unit.nodes)
            self.cutter.pack([alone], Run(definition=None, members=True), 0)
            first = unit.last + 1
        last = self.measure.line_count - 1
        if first <= last and self.cutter.pieces and self._bare(first, last):
            self.cutter.pieces[-1].last = last
        else:
            self._between(first, last, scores)

    def _alone(self, unit: Unit) -> bool:
        return _stands_alone(self.cutter.definition_of(unit)) or _is_guarded(unit)

    def _head(self, unit: Unit, first: int) -> int:
        """Where a unit begins with the comment right above it, and the banner above that."""
        top = rows_of(unit.nodes[0])[0]
        head = max(first, self.doc_rows.get(top, top))
        for banner in reversed(self.banners):
            if first <= banner.first < head and self._bare(banner.last + 1, head - 1):
                head = banner.first
        return head

    def _bare(self, first: int, last: int) -> bool:
        """Whether rows hold nothing but tags and blanks."""
        text = self.measure.text(first, last) if first <= last else b""
        for tag in _TAGS:
            text = text.replace(tag, b"")
        return not text.strip()

    def _between(self, first: int, last: int, scores: list[int]) -> None:
        if first > last:
            return
        cuts = scored_cuts(self.measure.sizes(first, last), scores[first : last + 1], _TARGET)
        run = Run(definition=None, members=True)
        starts = [0, *cuts]
        for a, b in zip(starts, [*cuts, last - first + 1], strict=True):
            self.flow.add(len(self.cutter.pieces))
            self.cutter.pieces.append(Piece(first + a, first + b - 1, run))

    def _scores(self) -> list[int]:
        lines = self.measure.source.split(b"\n")[: self.measure.line_count]
        scores = [PLAIN_LINE if line.strip() else BLANK_LINE for line in lines]
        for row in self._starts(self.units):
            scores[row] = UNIT_START
        for definition in self.cutter.by_span.values():
            scores[definition.start_row] = max(scores[definition.start_row], UNIT_START)
        for island in self.islands:
            for row in island.transitions:
                if row < len(scores):
                    scores[row] = HTML_TRANSITION
        for banner in self.banners:
            scores[banner.first] = BANNER
            for row in range(banner.first + 1, banner.last + 1):
                scores[row] = FORBIDDEN
        return scores

    def _starts(self, units: list[Unit]) -> list[int]:
        """The first row of each unit, and of the statements inside those over the budget."""
        rows: list[int] = []
        todo = list(units)
        while todo:
            unit = todo.pop()
            if not unit.nodes:
                continue
            top = rows_of(unit.nodes[0])[0]
            rows.append(max(unit.first, self.doc_rows.get(top, top)))
            size = self.measure.size(unit.first, unit.last)
            if size > _TARGET.high and not self._alone(unit):
                todo += self.cutter.inside(unit)
        return rows

    def titled(self, chunks: list[Chunk]) -> list[Chunk]:
        """Chunks under the titles of their sections; mostly HTML is told as such."""
        titles = [banner for banner in self.banners if banner.title]
        named: list[Chunk] = []
        at = 0
        current = ""
        for position, chunk in enumerate(chunks):
            above = current
            inside: list[str] = []
            while at < len(titles) and titles[at].first < chunk.end_line:
                current = titles[at].title
                if self._bare(chunk.start_line - 1, titles[at].first - 1):
                    above = current
                inside.append(current)
                at += 1
            if position in self.flow:
                named.append(self._flow_chunk(chunk, above, inside))
            else:
                scope = (above, *chunk.scope) if above else chunk.scope
                named.append(replace(chunk, scope=scope))
        return named

    def _flow_chunk(self, chunk: Chunk, above: str, inside: list[str]) -> Chunk:
        names = (*inside, *chunk.names)
        scope = (above,) if above and above not in inside else ()
        kind, name = chunk.kind, chunk.name
        if inside:
            kind, name = Kind.SECTION, inside[0]
        if self._html_share(chunk) > _HTML_SHARE:
            kind = Kind.HTML
        return replace(chunk, kind=kind, name=name or above, names=names, scope=scope)

    def _html_share(self, chunk: Chunk) -> float:
        first, last = chunk.start_line - 1, chunk.end_line - 1
        start, end = self.measure.starts[first], self.measure.starts[last + 1]
        html = b"".join(
            self.measure.source[max(a, start) : min(b, end)]
            for island in self.islands
            for a, b in (island.text,)
            if a < end and b > start
        )
        size = self.measure.size(first, last)
        return len(b"".join(html.split())) / size if size else 0.0
