"""The code of a page's fences: symbols of kind ``fence`` at the lines of the page."""

from __future__ import annotations

from collections.abc import Iterable

from codequarry.assets.chunks.measure import Measure
from codequarry.assets.chunks.outline import Fence
from codequarry.assets.embedded.components import read_component
from codequarry.assets.embedded.dialects import DIALECTS
from codequarry.assets.embedded.mentions import fence_mentions
from codequarry.assets.embedded.names import language_of_info
from codequarry.assets.embedded.region import Gathered, Region
from codequarry.assets.languages.registry import spec_for
from codequarry.vocabulary import Kind

MAX_FENCES = 100  # a page (S2 D2)
MAX_FENCE_BYTES = 256 * 1024  # what is longer is data
_TAB = 4
# Grammars that see text until they are told where code begins: told before the first byte.
_OPENINGS = {"php": b"<?php "}


def read_fences(measure: Measure, fences: Iterable[Fence], into: Gathered) -> None:
    """Gather the symbols and references of a page's fences.

    Imports in a fence bind no name outside it, so bindings are not kept; what is taken from a
    module is kept as a mention of it.
    """
    tagged = ((fence, language_of_info(fence.info)) for fence in fences)
    known = [(fence, language) for fence, language in tagged if _has_definitions(language)]
    for fence, language in known[:MAX_FENCES]:
        region = _region(measure, fence, language)
        if region is None:
            continue
        dialect = DIALECTS.get(language)
        if dialect is not None:
            found = read_component(region.measure, dialect)
            into.add(region, found.symbols, found.references, kind=Kind.FENCE)
            continue
        parsed = into.parse(region)
        if parsed is not None:
            references = (*parsed.references, *fence_mentions(parsed, region))
            into.add(region, parsed.symbols, references, kind=Kind.FENCE)


def _has_definitions(language: str) -> bool:
    spec = spec_for(language)
    return language in DIALECTS or (spec is not None and not spec.generic)


def _region(measure: Measure, fence: Fence, language: str) -> Region | None:
    """The code of a fence without quote marks and the indentation of the fence itself."""
    first, last = fence.body
    if first > last or measure.starts[last + 1] - measure.starts[first] > MAX_FENCE_BYTES:
        return None
    lines: list[bytes] = []
    starts: list[int] = []
    for row in range(first, last + 1):
        line = measure.text(row, row)
        skipped = _skipped(line, fence.quotes, fence.column)
        lines.append(line[skipped:])
        starts.append(measure.starts[row] + skipped)
    opening = _OPENINGS.get(language, b"")
    if opening and not lines[0].lstrip().startswith(opening.rstrip()):
        lines[0] = opening + lines[0]
        starts[0] -= len(opening)
    source = b"".join(lines)
    if not source.strip():
        return None
    return Region(language, Measure(source), range(first, last + 1), starts)


def _skipped(line: bytes, quotes: int, column: int) -> int:
    """How many bytes of a line belong to the page and not to the code."""
    at = 0
    for _ in range(quotes):
        sign = line.find(b">", at)
        if sign < 0 or line[at:sign].strip():
            break
        at = sign + 1
        if line[at : at + 1] == b" ":
            at += 1
    width = 0
    while width < column:
        sign_byte = line[at : at + 1]
        width += _TAB - width % _TAB if sign_byte == b"\t" else 1
        if sign_byte not in (b" ", b"\t") or width > column:
            break
        at += 1
    return at
