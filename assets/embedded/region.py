"""A piece of code inside a file, and its facts at the places they have in the file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from codequarry.assets.chunks.measure import Measure
from codequarry.assets.chunks.strategy import Cut
from codequarry.assets.embedded.strings import raw_offset
from codequarry.assets.facts.reading import MAX_PARSE_BYTES, Reading
from codequarry.assets.facts.syntax import Parsed, parse
from codequarry.assets.languages.grammars import load
from codequarry.vocabulary import Binding, Kind, ParseState, Reference, Symbol


@dataclass(frozen=True, slots=True)
class Region:
    """Code and where each of its lines lies.

    Attributes:
        language: of the code.
        measure: the code alone, without what the file puts around its lines.
        rows: the file's row of each line of the code.
        starts: the file's byte at which each line of the code begins.
        escaped: the file, where the code stands in it as strings with escapes.
    """

    language: str
    measure: Measure
    rows: Sequence[int]
    starts: Sequence[int]
    escaped: bytes = b""

    def line(self, line: int) -> int:
        """The file's line of a line of the code (both from 1)."""
        return self.rows[min(line, len(self.rows)) - 1] + 1

    def byte(self, at: int) -> int:
        """The file's byte of a byte of the code."""
        row = bisect_right(self.measure.starts, at, 0, self.measure.line_count) - 1
        within = at - self.measure.starts[row]
        if self.escaped:
            return raw_offset(self.escaped, self.starts[row], within)
        return self.starts[row] + within


def run_of(language: str, source: bytes, row: int, start: int) -> Region:
    """Code that stands in the file as it is, from a row and a byte on."""
    measure = Measure(source)
    rows = range(row, row + measure.line_count)
    return Region(language, measure, rows, [start + at for at in measure.starts[:-1]])


@dataclass(slots=True)
class Gathered:
    """The facts of a file's regions, region by region."""

    symbols: list[Symbol] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    broken: bool = False  # a region's tree holds error nodes

    def reading(self, cut: Cut) -> Reading:
        """All of it, with the file's chunks."""
        state, reason = ParseState.OK, ""
        if self.broken or self.problems:
            state = ParseState.PARTIAL
            reason = self.problems[0] if self.problems else "syntax errors"
        facts = (tuple(self.symbols), tuple(self.references), tuple(self.bindings))
        return Reading(cut, *facts, state, reason)

    def parse(self, region: Region) -> Parsed | None:
        """Parse a region; one that cannot be parsed is named and costs the others nothing."""
        where = f"line {region.line(1)}"
        if len(region.measure.source) > MAX_PARSE_BYTES:
            self.problems.append(f"{where}: larger than {MAX_PARSE_BYTES} bytes")
            return None
        try:
            grammar = load(region.language)
            parsed = parse(region.measure.source, grammar) if grammar is not None else None
        except Exception as error:  # a border: one odd region must not cost its neighbours
            self.problems.append(f"{where}: {type(error).__name__}: {error}")
            return None
        self.broken = self.broken or (parsed is not None and parsed.has_error)
        return parsed

    def add(
        self,
        region: Region,
        symbols: Iterable[Symbol],
        references: Iterable[Reference] = (),
        bindings: Iterable[Binding] = (),
        kind: Kind | None = None,
    ) -> None:
        """Take over a region's facts; symbols get ``kind`` where one is given."""
        base = len(self.symbols)
        self.symbols += [_lifted(symbol, region, kind) for symbol in symbols]
        self.references += [
            Reference(
                r.type,
                r.path,
                r.written,
                r.name,
                r.receiver,
                r.scope + base if r.scope >= 0 else -1,
                r.arity,
                region.line(r.line),
                region.byte(r.byte),
            )
            for r in references
        ]
        self.bindings += [
            binding._replace(
                scope=binding.scope + base if binding.scope >= 0 else -1,
                line=region.line(binding.line),
            )
            for binding in bindings
        ]

    def add_sections(self, sections: Sequence[Symbol]) -> None:
        """Put a page's own symbols among the regions', all in reading order."""
        count = len(self.symbols)
        both = [*self.symbols, *sections]
        order = sorted(range(len(both)), key=lambda i: (both[i].start_byte, -both[i].end_byte))
        place = {old: new for new, old in enumerate(order) if old < count} | {-1: -1}
        self.symbols = [both[i] for i in order]
        if any(old != new for old, new in place.items()):
            self.references = [r._replace(scope=place[r.scope]) for r in self.references]
            self.bindings = [b._replace(scope=place[b.scope]) for b in self.bindings]


def _lifted(symbol: Symbol, region: Region, kind: Kind | None) -> Symbol:
    return replace(
        symbol,
        kind=kind or symbol.kind,
        name_line=region.line(symbol.name_line),
        start_line=region.line(symbol.start_line),
        end_line=region.line(symbol.end_line),
        start_byte=region.byte(symbol.start_byte),
        end_byte=region.byte(symbol.end_byte),
    )
