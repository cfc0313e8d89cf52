"""Find symbols by name: bare or qualified, in any language's delimiters."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from codequarry.errors import UsageError
from codequarry.retrieval.generation import Generation

_DELIMITERS = re.compile(r"::|->|[.#\\/:]")
# C++: the sign of an operator is its name, whatever it would delimit elsewhere
_OPERATOR = re.compile(r"\boperator\s*(\(\)|\W[^\w\s(]*|\s\w[^(]*)(?:\(.*)?$")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_NAME = 500
_SECTIONS = ("section", "doc")  # headings: meant only where no code has the name


@dataclass(frozen=True, slots=True)
class SymbolRow:
    """A symbol of the index."""

    row: int
    name: str
    qualified: str
    kind: str
    path: str
    line: int
    end_line: int
    signature: str
    doc: str


def name_parts(name: str) -> list[str]:
    """``Admin::Users#render``, ``(*Users).Render``, ``users.render()`` → their names.

    Raises:
        UsageError: no name is in it.
    """
    if len(name) > _MAX_NAME or _SURROGATE.search(name):
        raise UsageError("that is no symbol's name", "give a name, bare or qualified")
    operator = _OPERATOR.search(name)
    if operator:
        text, last = name[: operator.start()], [f"operator{operator[1].rstrip()}"]
    else:
        text, last = re.sub(r"\(\*?(\w+)\)", r"\1", name.strip()), []
        text = text.partition("(")[0]
    text = text.strip()
    parts = [*(part for part in _DELIMITERS.split(text) if part), *last]
    if not parts:
        raise UsageError(f"no symbol's name in {name!r}", "give a name, bare or qualified")
    return parts


def find_symbols(generation: Generation, name: str) -> list[SymbolRow]:
    """All symbols that a name may mean, in index order; those of an exact qualified name alone.

    Args:
        generation: where to look.
        name: bare (``render``) or qualified by any number of its scopes (``Users.render``).

    Raises:
        UsageError: no name is in it.
    """
    parts = name_parts(name)
    names = generation.symbols["name"]
    last = pa.array([parts[-1], f"#{parts[-1]}"])  # JavaScript's own members bear their mark
    rows = np.flatnonzero(np.asarray(pc.is_in(names, last)))
    if not len(rows):
        rows = np.flatnonzero(np.asarray(pc.equal(pc.utf8_lower(names), parts[-1].lower())))
    found = [symbol_at(generation, int(row)) for row in rows]
    if len(parts) > 1:
        found = _qualified(generation, found, parts)
    code = [symbol for symbol in found if symbol.kind not in _SECTIONS]
    exact = [symbol for symbol in code if symbol.qualified == name.strip()]
    return (exact if len(parts) > 1 and exact else code) or found


def _qualified(generation: Generation, found: list[SymbolRow], parts: list[str]) -> list[SymbolRow]:
    """Symbols whose scopes end in the given ones; as few of the outer ones as it takes.

    ``gin.Engine.Run`` is written ``(*Engine).Run``; ``Flask.route`` is what a base defines.
    """
    folded = [part.lower() for part in parts]
    for start in range(len(parts) - 1):
        same = [s for s in found if _ends(s.qualified, parts[start:])] or [
            s for s in found if _ends(s.qualified.lower(), folded[start:])
        ]
        if same:
            return same
    return _inherited(generation, parts[-2], found)


def _inherited(generation: Generation, type_name: str, members: list[SymbolRow]) -> list[SymbolRow]:
    """Members of that name which the ancestors of a type define, nearest first."""
    links = generation.links
    up = pc.is_in(links["type"], pa.array(["extends", "implements", "mixes_in"]))
    rows = np.flatnonzero(np.asarray(pc.and_(up, pc.greater_equal(links["target_symbol"], 0))))
    sources = np.asarray(links["symbol"])[rows]
    targets = np.asarray(links["target_symbol"])[rows]
    named = np.asarray(pc.equal(generation.symbols["name"], type_name))
    border, seen = set(np.flatnonzero(named).tolist()), set()
    while border:
        seen |= border
        border = set(targets[np.isin(sources, sorted(border))].tolist()) - seen
        holders = {symbol_at(generation, row).qualified for row in border}
        found = [
            m
            for m in members
            if ".".join(name_parts(m.qualified)[:-1]) in {".".join(name_parts(h)) for h in holders}
        ]
        if found:
            return found
    return []


def _ends(qualified: str, parts: list[str]) -> bool:
    return name_parts(qualified)[-len(parts) :] == parts


def symbol_at(generation: Generation, row: int) -> SymbolRow:
    """One symbol by its row."""
    record = generation.symbols.slice(row, 1).to_pylist()[0]
    return SymbolRow(
        row=row,
        name=record["name"],
        qualified=record["qualified"],
        kind=record["kind"],
        path=generation.paths[record["file"]],
        line=record["name_line"],
        end_line=record["end_line"],
        signature=record["signature"],
        doc=record["doc"] or "",
    )
