"""All around one symbol in one answer: its code, doc, scope, callers, callees, tests, guides."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from codequarry.retrieval.edges import Edge, Edges
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.reading import Span, get_code
from codequarry.retrieval.symbols import SymbolRow, symbol_at

MAX_EDGES = 20  # of each kind that are shown; the count says how many there are


@dataclass(frozen=True, slots=True)
class SymbolContext:
    """What is around a symbol."""

    symbol: SymbolRow
    code: Span  # the definition, from disk
    scope: tuple[SymbolRow, ...]  # enclosing definitions, outermost first
    callers: tuple[Edge, ...]
    callees: tuple[Edge, ...]
    tests: tuple[Edge, ...]  # callers in test files
    guides: tuple[Edge, ...]  # documentation that mentions it
    n_callers: int
    n_callees: int
    n_tests: int
    n_guides: int

    def as_json(self) -> dict[str, Any]:
        """The documented JSON form."""
        symbol = asdict(self.symbol)
        del symbol["row"]
        return {
            "symbol": symbol,
            "code": {
                "path": self.code.path,
                "start_line": self.code.start_line,
                "end_line": self.code.end_line,
                "changed": self.code.changed,
                "text": self.code.text,
            },
            "scope": [
                {"qualified": s.qualified, "signature": s.signature, "line": s.line}
                for s in self.scope
            ],
            **{
                name: {"count": count, "rows": [edge.as_json() for edge in edges]}
                for name, count, edges in (
                    ("callers", self.n_callers, self.callers),
                    ("callees", self.n_callees, self.callees),
                    ("tests", self.n_tests, self.tests),
                    ("guides", self.n_guides, self.guides),
                )
            },
        }


def symbol_context(edges: Edges, symbol: SymbolRow) -> SymbolContext:
    """Everything known around a symbol.

    Raises:
        QuarryError: its file cannot be read any more.
    """
    generation = edges.generation
    links = generation.links
    into = edges.into(symbol.row)
    types = links["type"].take(into).to_pylist()
    files = np.asarray(links["file"])[into]
    calls = [row for row, type_ in zip(into.tolist(), types, strict=True) if type_ == "calls"]
    is_test = {
        row: bool(generation.is_test[file])
        for row, file in zip(into.tolist(), files.tolist(), strict=True)
    }
    callers = [row for row in calls if not is_test[row]]
    tests = [row for row in calls if is_test[row]]
    guides = [row for row, t in zip(into.tolist(), types, strict=True) if t == "documents"]
    out = edges.out_of(symbol.row)
    out_types = links["type"].take(out).to_pylist()
    callees = [row for row, t in zip(out.tolist(), out_types, strict=True) if t == "calls"]
    record = generation.symbols.slice(symbol.row, 1).to_pylist()[0]
    return SymbolContext(
        symbol=symbol,
        code=get_code(generation, symbol.path, record["start_line"], record["end_line"]),
        scope=tuple(_scope(generation, symbol.row)),
        callers=tuple(edges.edges(callers[:MAX_EDGES])),
        callees=tuple(edges.edges(callees[:MAX_EDGES])),
        tests=tuple(edges.edges(tests[:MAX_EDGES])),
        guides=tuple(edges.edges(guides[:MAX_EDGES])),
        n_callers=len(callers),
        n_callees=len(callees),
        n_tests=len(tests),
        n_guides=len(guides),
    )


def _scope(generation: Generation, row: int) -> list[SymbolRow]:
    """The definitions around a symbol, by their spans."""
    symbols = generation.symbols
    file, start, end = (symbols[name][row].as_py() for name in ("file", "start_byte", "end_byte"))
    first = generation.files["first_symbol"][file].as_py()
    before = symbols.slice(first, row - first).select(["start_byte", "end_byte"]).to_pylist()
    around = [
        first + i
        for i, span in enumerate(before)
        if span["start_byte"] <= start and span["end_byte"] >= end
    ]
    return [symbol_at(generation, at) for at in around]
