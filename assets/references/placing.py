"""Where the matches of a file's query stand: in which region, in which symbol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node, Query, QueryCursor

from codequarry.assets.languages.grammars import MATCH_LIMIT, load
from codequarry.assets.languages.spec import CALLABLE_KINDS, CONTAINER_KINDS
from codequarry.assets.references.paths import DEFINITION
from codequarry.assets.references.regions import FUNCTIONS, Local, Region, Regions
from codequarry.assets.references.registry import refs_for
from codequarry.assets.references.spec import RefSpec
from codequarry.assets.symbols.definitions import Definition

_REGIONS = ("function", "closure", "block", "class")

Captures = dict[str, list[Node]]


@dataclass(frozen=True, slots=True)
class Compiled:
    """The one query of a language, and what each of its patterns finds."""

    cursor: QueryCursor
    actions: tuple[str, ...]


@lru_cache(maxsize=64)
def compiled(language: str) -> Compiled | None:
    """The query of a language; none for a language without edges."""
    spec, grammar = refs_for(language), load(language)
    if spec is None or grammar is None:
        return None
    tree_language = grammar.parser.language
    assert tree_language is not None
    query = Query(tree_language, "\n".join(text for _, text in spec.patterns))
    cursor = QueryCursor(query, match_limit=MATCH_LIMIT)
    return Compiled(cursor, tuple(action for action, _ in spec.patterns))


@dataclass(slots=True)
class Item:
    """One match that says something, and where it stands."""

    action: str
    captures: Captures
    start: int
    region: int = 0
    symbol: int = -1


def placed(
    query: Compiled, root: Node, spec: RefSpec, definitions: Sequence[Definition], size: int
) -> tuple[list[Item], Regions]:
    """The items of a file in reading order, each in its region and innermost symbol.

    Args:
        query: of the language.
        root: of the syntax tree.
        spec: of the language.
        definitions: those that became symbols, in the symbols' order.
        size: of the file in bytes.
    """
    opening: list[tuple[int, int, int, Node]] = []
    items: list[Item] = []
    for index, captures in query.cursor.matches(root):
        action = query.actions[index]
        if action in _REGIONS:
            node = captures["region"][0]
            opening.append((node.start_byte, -node.end_byte, _REGIONS.index(action), node))
        else:
            items.append(Item(action, captures, _anchor(captures)))
    opening.sort(key=lambda o: o[:3])
    items.sort(key=lambda item: item.start)
    regions = _opened(opening, spec, definitions, max(root.end_byte, size))
    _settle(items, regions, definitions)
    scopes = Regions(regions, ordered=spec.ordered)
    _bind_definitions(scopes, definitions)
    return items, scopes


def _opened(
    opening: Sequence[tuple[int, int, int, Node]],
    spec: RefSpec,
    definitions: Sequence[Definition],
    size: int,
) -> list[Region]:
    """The regions, outer ones first; the first is the file."""
    regions = [Region("file", -1, 0, size)]
    stack = [0]
    bodies = {(d.inner, d.end): i for i, d in enumerate(definitions)}
    values = {d.value: i for i, d in enumerate(definitions) if d.value}
    seen: set[tuple[int, int]] = set()
    for start, minus_end, kind, node in opening:
        span = (start, -minus_end)
        if span in seen:
            continue
        seen.add(span)
        while regions[stack[-1]].end <= start:
            stack.pop()
        symbol = bodies.get(span, values.get(span, -1))
        rebinds = node.type in spec.rebinding and symbol < 0
        word = _REGIONS[kind]
        regions.append(Region(word, stack[-1], start, -minus_end, rebinds, symbol))
        stack.append(len(regions) - 1)
    return regions


def _settle(
    items: Sequence[Item], regions: Sequence[Region], definitions: Sequence[Definition]
) -> None:
    """Give every item its innermost region and symbol."""
    spans = sorted(
        (d.inner, -d.end, i)
        for i, d in enumerate(definitions)
        if d.kind in CALLABLE_KINDS or d.kind in CONTAINER_KINDS
    )
    open_regions, next_region = [0], 1
    open_symbols: list[tuple[int, int]] = []  # (end, symbol)
    next_symbol = 0
    for item in items:
        at = item.start
        while next_region < len(regions) and regions[next_region].start <= at:
            while regions[open_regions[-1]].end <= regions[next_region].start:
                open_regions.pop()
            open_regions.append(next_region)
            next_region += 1
        while regions[open_regions[-1]].end <= at:
            open_regions.pop()
        while next_symbol < len(spans) and spans[next_symbol][0] <= at:
            start, minus_end, symbol = spans[next_symbol]
            while open_symbols and open_symbols[-1][0] <= start:
                open_symbols.pop()
            open_symbols.append((-minus_end, symbol))
            next_symbol += 1
        while open_symbols and open_symbols[-1][0] <= at:
            open_symbols.pop()
        item.region = open_regions[-1]
        item.symbol = open_symbols[-1][1] if open_symbols else -1


def _bind_definitions(scopes: Regions, definitions: Sequence[Definition]) -> None:
    """Definitions inside functions are local names."""
    bounds = scopes.all
    stack, at = [0], 1
    order = sorted(enumerate(definitions), key=lambda pair: pair[1].inner)
    for number, definition in order:
        while at < len(bounds) and bounds[at].start <= definition.inner:
            while bounds[stack[-1]].end <= bounds[at].start:
                stack.pop()
            stack.append(at)
            at += 1
        around = next(r for r in reversed(stack) if r == 0 or _surrounds(bounds[r], definition))
        if not definition.name or definition.owner:
            continue
        region = scopes.function_of(around)
        if bounds[region].kind in FUNCTIONS:
            local = Local(bounds[around].start, f"{DEFINITION}{number}", around)
            scopes.bind(around, definition.name, local)


def _surrounds(region: Region, definition: Definition) -> bool:
    return region.start < definition.inner < region.end


def _anchor(captures: Captures) -> int:
    """Where a match begins."""
    starts = [nodes[0].start_byte for name, nodes in captures.items() if name[0] != "_"]
    return min(starts) if len(starts) > 1 else starts[0]
