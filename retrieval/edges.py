"""Questions about a symbol's edges: who calls it, what it calls, who refers to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from codequarry.retrieval.generation import Generation
from codequarry.retrieval.symbols import SymbolRow, find_symbols

MODULE = "<module>"
EDGE_LANGUAGES = frozenset(
    "c cpp csharp go java javascript kotlin php python ruby rust svelte swift tsx typescript vue"
    "".split()
)

Int32 = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Edge:
    """One edge as an answer shows it: the place that refers, and what it refers to."""

    type: str
    path: str
    line: int
    symbol: str  # the innermost symbol around the place
    target: str
    target_path: str  # empty: not resolved
    target_line: int
    rule: str
    confidence: float

    @property
    def resolved(self) -> bool:
        """Whether the definition is known."""
        return bool(self.target_path)

    def as_json(self) -> dict[str, Any]:
        """The documented JSON form; null for what is not known of the target."""
        return {
            "type": self.type,
            "path": self.path,
            "line": self.line,
            "symbol": self.symbol,
            "resolved": self.resolved,
            "target": self.target,
            "target_path": self.target_path or None,
            "target_line": self.target_line or None,
            "rule": self.rule or None,
            "confidence": self.confidence,
        }


@dataclass(frozen=True, slots=True)
class EdgeAnswer:
    """The edges of a symbol, and why there is none."""

    symbol: str
    symbols: tuple[SymbolRow, ...]
    edges: tuple[Edge, ...]  # the first `limit` of them
    count: int  # of all
    status: str  # ready, no_such_symbol, language_without_edges
    possible: tuple[Edge, ...] = ()  # calls of the name whose receiver is not known
    n_possible: int = 0

    @property
    def ambiguous(self) -> bool:
        """Whether the name means symbols of different qualified names."""
        return len({symbol.qualified for symbol in self.symbols}) > 1


class Edges:
    """The links of a generation, both ways."""

    def __init__(self, generation: Generation) -> None:
        self.generation = generation
        self._into = (generation.link_array("in"), generation.link_array("in_pointers"))
        self._out_of = (generation.link_array("out"), generation.link_array("out_pointers"))

    def into(self, symbol: int) -> Int32:
        """Link rows whose target is a symbol, in index order."""
        rows, pointers = self._into
        return rows[pointers[symbol] : pointers[symbol + 1]]

    def out_of(self, symbol: int) -> Int32:
        """Resolved link rows that stand in a symbol, in index order."""
        rows, pointers = self._out_of
        return rows[pointers[symbol] : pointers[symbol + 1]]

    def callers(self, name: str, limit: int = 0) -> EdgeAnswer:
        """Places that call a symbol."""
        return self._incoming(name, ("calls",), limit)

    def refs(self, name: str, limit: int = 0) -> EdgeAnswer:
        """Places that refer to a symbol in any way."""
        return self._incoming(name, (), limit)

    def callees(self, name: str, limit: int = 0) -> EdgeAnswer:
        """What a symbol calls, unresolved calls included."""
        symbols = find_symbols(self.generation, name)
        links = self.generation.links
        standing = np.asarray(links["symbol"])
        wanted = np.isin(standing, [symbol.row for symbol in symbols])
        rows = self._of_types(np.flatnonzero(wanted), ("calls",))
        return self._answer(name, symbols, rows, limit)

    def _incoming(self, name: str, types: Sequence[str], limit: int) -> EdgeAnswer:
        symbols = find_symbols(self.generation, name)
        parts = [self.into(symbol.row) for symbol in symbols]
        rows = np.sort(np.concatenate(parts)) if parts else np.zeros(0, np.int32)
        answer = self._answer(name, symbols, self._of_types(rows, types), limit)
        if not symbols:
            return answer
        possible = self.open_calls({symbol.name for symbol in symbols})
        shown = self.edges(possible[:limit] if limit else possible)
        return replace(answer, possible=tuple(shown), n_possible=len(possible))

    def open_calls(self, names: set[str]) -> npt.NDArray[np.int64]:
        """Unresolved calls of a name."""
        links = self.generation.links
        open_calls = pc.and_(pc.equal(links["type"], "calls"), pc.less(links["target_file"], 0))
        rows = np.flatnonzero(np.asarray(open_calls))
        written = links["written"].take(rows)
        ends = "|".join(re.escape(name) for name in sorted(names))
        named: npt.NDArray[np.int64] = rows[
            np.asarray(pc.match_substring_regex(written, rf"(^|\.)({ends})$"))
        ]
        return named

    def _of_types(self, rows: npt.NDArray[Any], types: Sequence[str]) -> npt.NDArray[Any]:
        if not types or not len(rows):
            return rows
        found = self.generation.links["type"].take(rows)
        kept: npt.NDArray[Any] = rows[np.asarray(pc.is_in(found, pa.array(list(types))))]
        return kept

    def _answer(
        self, name: str, symbols: list[SymbolRow], rows: npt.NDArray[Any], limit: int
    ) -> EdgeAnswer:
        status = "ready"
        if not symbols:
            status = "no_such_symbol"
        elif not any(self.has_edges(symbol.path) for symbol in symbols):
            status = "language_without_edges"
        shown = rows[:limit] if limit else rows
        return EdgeAnswer(name, tuple(symbols), tuple(self.edges(shown)), len(rows), status)

    def has_edges(self, path: str) -> bool:
        """Whether edges are known of a file's language."""
        row = self.generation.rows_by_path[path]
        return self.generation.files["language"][row].as_py() in EDGE_LANGUAGES

    def edges(self, rows: Iterable[int] | npt.NDArray[Any]) -> list[Edge]:
        """Link rows as they are shown."""
        generation = self.generation
        links = generation.links.take(np.asarray(list(rows), np.int64)).to_pylist()
        ends = {row["symbol"] for row in links} | {row["target_symbol"] for row in links}
        known = sorted(end for end in ends if end >= 0)
        table = generation.symbols.select(["qualified", "name_line"])
        table = table.take(np.asarray(known, np.int64)).to_pylist()
        names = dict(zip(known, table, strict=True))
        found = []
        for row in links:
            target = names.get(row["target_symbol"])
            resolved = row["target_file"] >= 0
            path = generation.paths[row["target_file"]] if resolved else ""
            found.append(
                Edge(
                    type=row["type"],
                    path=generation.paths[row["file"]],
                    line=row["line"],
                    symbol=names[row["symbol"]]["qualified"] if row["symbol"] >= 0 else MODULE,
                    target=target["qualified"] if target else path or row["written"] or "?",
                    target_path=path,
                    target_line=target["name_line"] if target else int(resolved),
                    rule=row["rule"],
                    confidence=round(row["confidence"], 3),
                )
            )
        return found
