"""Pages of prose with the code of their fences."""

from __future__ import annotations

from dataclasses import replace

from codequarry.assets.chunks.measure import Measure
from codequarry.assets.chunks.outline import Fence
from codequarry.assets.chunks.prose import read_prose
from codequarry.assets.chunks.strategy import run_strategy
from codequarry.assets.embedded.fences import read_fences
from codequarry.assets.embedded.mentions import in_sections, page_mentions
from codequarry.assets.embedded.region import Gathered
from codequarry.assets.facts.reading import Reading
from codequarry.vocabulary import Chunk, Kind, Symbol


def read_page(measure: Measure, language: str) -> Reading:
    """The facts of a prose file: its sections, and the definitions in its fences.

    What a fence does not parse is no fault of the page: examples leave things out.
    """
    prose = read_prose(measure, language)
    gathered = Gathered()
    read_fences(measure, prose.fences, gathered)
    gathered.broken = False
    chunks = _fenced(prose.chunks, prose.fences, gathered.symbols, measure)
    gathered.add_sections(prose.symbols)
    gathered.references = in_sections(gathered.references, gathered.symbols)
    gathered.references += page_mentions(measure, language, prose.fences, gathered.symbols)
    gathered.references.sort(key=lambda reference: (reference.byte, reference.type.value))
    return gathered.reading(run_strategy(measure, lambda _: chunks))


def _fenced(
    chunks: list[Chunk], fences: list[Fence], symbols: list[Symbol], measure: Measure
) -> list[Chunk]:
    """The chunks; one that is nothing but code of one fence says so and has its names."""
    found: list[Chunk] = []
    at = 0
    for chunk in chunks:
        while at < len(fences) and fences[at].last + 1 < chunk.start_line:
            at += 1
        if at < len(fences) and _is_within(chunk, fences[at], measure):
            found.append(_as_fence(chunk, symbols))
        else:
            found.append(chunk)
    return found


def _as_fence(chunk: Chunk, symbols: list[Symbol]) -> Chunk:
    first, last = chunk.start_line, chunk.end_line
    defined = (symbol.name for symbol in symbols if first <= symbol.name_line <= last)
    return replace(chunk, kind=Kind.FENCE, names=(*chunk.names, *defined))


def _is_within(chunk: Chunk, fence: Fence, measure: Measure) -> bool:
    first, last = chunk.start_line - 1, chunk.end_line - 1
    if not first <= fence.last or not fence.first <= last:
        return False
    before = measure.text(first, fence.first - 1) if fence.first > first else b""
    after = measure.text(fence.last + 1, last) if fence.last < last else b""
    return not before.strip() and not after.strip()
