"""Find symbols by name: bare or qualified, in any language's delimiters."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from codequarry.errors import InvalidQuery
from codequarry.retrieval.generation import Generation

_DELIMITERS = re.compile(r"::|->|[.#\\/:]")
_MAX_NAME = 500


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
        InvalidQuery: no name is in it.
    """
    if len(name) > _MAX_NAME:
        raise InvalidQuery("that is no symbol's name: it is too long", "give a name")
    text = re.sub(r"\(\*?(\w+)\)", r"\1", name.strip())
    text = text.partition("(")[0].strip()
    parts = [part for part in _DELIMITERS.split(text) if part]
    if not parts:
        raise InvalidQuery(f"no symbol's name in {name!r}", "give a name, bare or qualified")
    return parts


def find_symbols(generation: Generation, name: str) -> list[SymbolRow]:
    """All symbols that a name may mean, in index order; those of an exact qualified name alone.

    Args:
        generation: where to look.
        name: bare (``render``) or qualified by any number of its scopes (``Users.render``).

    Raises:
        InvalidQuery: no name is in it.
    """
    parts = name_parts(name)
    names = generation.symbols["name"]
    rows = np.flatnonzero(np.asarray(pc.equal(names, parts[-1])))
    if not len(rows):
        rows = np.flatnonzero(np.asarray(pc.equal(pc.utf8_lower(names), parts[-1].lower())))
    found = [symbol_at(generation, int(row)) for row in rows]
    if len(parts) > 1:
        folded = [part.lower() for part in parts]
        found = [s for s in found if _ends(s.qualified, parts)] or [
            s for s in found if _ends(s.qualified.lower(), folded)
        ]
    exact = [symbol for symbol in found if symbol.qualified == name.strip()]
    return exact if len(parts) > 1 and exact else found


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
