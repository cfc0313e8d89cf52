"""A repository in so many tokens: the signatures of what is used most, file by file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from codequarry.models.tokens import estimate_tokens
from codequarry.retrieval.generation import TYPE_KINDS
from codequarry.retrieval.graph.lanes import FileGraph
from codequarry.vocabulary import Kind, Role

MAX_COMMUNITIES = 12  # that are named at the head
HEAD_SHARE = 0.25  # of the budget, that the head may take
TEST_USE = 0.2  # a use in a test counts so much of one in code
UNUSED = 0.01  # what a public definition of a file counts a neighbour, where no use is known
CROWDED = 0.15  # each further symbol of one file counts so much less
MAX_SIGNATURE = 140

_CALLABLE = (Kind.FUNCTION, Kind.METHOD, Kind.CONSTRUCTOR, Kind.MACRO)
_SHOWN = TYPE_KINDS | {kind.value for kind in _CALLABLE}

Float64 = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MappedFile:
    """A file of the map and the symbols of it that are shown, in their order."""

    path: str
    community: str
    symbols: tuple[tuple[int, str], ...]  # (line, signature indented by scope)


@dataclass(frozen=True, slots=True)
class SignatureMap:
    """The map, and how many tokens it takes."""

    budget: int
    tokens: int  # estimated
    text: str
    files: tuple[MappedFile, ...]  # what is used most first

    def as_json(self) -> dict[str, Any]:
        """The documented JSON form."""
        return {
            "budget": self.budget,
            "tokens": self.tokens,
            "files": [
                {
                    "path": file.path,
                    "community": file.community,
                    "symbols": [
                        {"line": line, "signature": text.strip()} for line, text in file.symbols
                    ],
                }
                for file in self.files
            ],
            "text": self.text,
        }


def signature_map(graph: FileGraph, budget: int) -> SignatureMap:
    """The signatures of the most used definitions that fit a budget of tokens.

    Args:
        graph: of the generation.
        budget: in tokens, as estimated.
    """
    head = _head(graph, budget)
    ranked = _ranked(graph)
    symbols = _Symbols(graph)
    low, high = 0, len(ranked)
    while low < high:  # the more symbols, the more tokens
        middle = (low + high + 1) // 2
        if estimate_tokens(_text(head, symbols.grouped(ranked[:middle]))) <= budget:
            low = middle
        else:
            high = middle - 1
    files = symbols.grouped(ranked[:low])
    text = _text(head, files)
    return SignatureMap(budget, estimate_tokens(text), text, tuple(files))


def _text(head: str, files: Sequence[MappedFile]) -> str:
    parts = [head] if head else []
    for file in files:
        parts.append(file.path + ":\n" + "\n".join(text for _, text in file.symbols))
    return "\n\n".join(parts)


def _head(graph: FileGraph, budget: int) -> str:
    """The names of the communities with most code, as many as a share of the budget holds."""
    lines = [f"{graph.generation.manifest['repo']}: {len(graph):,} files"]
    code = graph.community[graph.generation.roles == Role.CODE.value]
    sizes = np.bincount(code, minlength=len(graph.sizes)) * (graph.sizes > 1)
    order = np.lexsort((np.arange(len(sizes)), -sizes))[: np.count_nonzero(sizes)]
    for number in order[:MAX_COMMUNITIES].tolist():
        line = f"  {graph.names[number]} ({int(graph.sizes[number])} files)"
        if estimate_tokens("\n".join([*lines, line])) > HEAD_SHARE * budget:
            break
        lines.append(line)
    return "\n".join(lines) if estimate_tokens("\n".join(lines)) <= budget else ""


def _ranked(graph: FileGraph) -> list[int]:
    """Symbol rows worth showing, the most used first."""
    generation = graph.generation
    files = np.asarray(generation.symbols["file"])
    score = _uses(graph, len(files))
    kinds = generation.symbols["kind"].combine_chunks().dictionary_encode()
    shown = np.array([kind in _SHOWN for kind in kinds.dictionary.to_pylist()], bool)
    code = (generation.roles == Role.CODE.value)[files] if len(files) else np.zeros(0, bool)
    public = np.asarray(generation.symbols["exported"])
    score += np.where(public & (score == 0), UNUSED * (graph.degree[files] + 1.0), 0.0)
    rows = np.flatnonzero((score > 0) & code & (shown[kinds.indices] if len(shown) else code))
    rows = rows[np.lexsort((rows, -score[rows]))]
    of_file = files[rows]
    order = np.argsort(of_file, kind="stable")
    place = np.empty(len(rows), np.int64)
    place[order] = np.arange(len(rows)) - np.searchsorted(of_file[order], of_file[order])
    crowded = score[rows] / (1.0 + CROWDED * place)
    ranked: list[int] = rows[np.lexsort((rows, -crowded))].tolist()
    return ranked


def _uses(graph: FileGraph, n_symbols: int) -> Float64:
    """How many other files use each symbol; those that are tests count less."""
    links = graph.generation.links
    target, user = np.asarray(links["target_symbol"]), np.asarray(links["file"])
    other = np.flatnonzero((target >= 0) & (user != np.asarray(links["target_file"])))
    n_files = max(len(graph), 1)
    pairs = np.unique(target[other].astype(np.int64) * n_files + user[other])
    weight = np.where(graph.generation.is_test[pairs % n_files], TEST_USE, 1.0)
    return np.bincount(pairs // n_files, weight, n_symbols).astype(np.float64)


class _Symbols:
    """Symbol rows as lines of the map."""

    def __init__(self, graph: FileGraph) -> None:
        self._graph = graph
        self._files = np.asarray(graph.generation.symbols["file"])
        self._lines: dict[int, tuple[int, str, tuple[int, ...]]] = {}

    def grouped(self, rows: Sequence[int]) -> list[MappedFile]:
        """The rows by file, files in the order of their first row."""
        by_file: dict[int, set[int]] = {}
        for row in rows:
            own = by_file.setdefault(int(self._files[row]), set())
            own.update((row, *self._line(row)[2]))
        return [
            MappedFile(
                self._graph.path(file),
                self._graph.names[self._graph.community[file]],
                tuple(self._line(row)[:2] for row in sorted(own)),
            )
            for file, own in by_file.items()
        ]

    def _line(self, row: int) -> tuple[int, str, tuple[int, ...]]:
        """A symbol's line, its signature, and the rows of the types around it."""
        if row not in self._lines:
            symbols = self._graph.generation.symbols
            record = symbols.slice(row, 1).to_pylist()[0]
            around = self._around(row, record)
            text = " ".join((record["signature"] or record["name"]).split())[:MAX_SIGNATURE]
            self._lines[row] = (record["name_line"], "  " * (len(around) + 1) + text, around)
        return self._lines[row]

    def _around(self, row: int, record: dict[str, Any]) -> tuple[int, ...]:
        if not record["scope"]:
            return ()
        first = self._graph.generation.files["first_symbol"][record["file"]].as_py()
        columns = ["kind", "start_byte", "end_byte"]
        before = self._graph.generation.symbols.select(columns).slice(first, row - first)
        return tuple(
            first + i
            for i, outer in enumerate(before.to_pylist())
            if outer["kind"] in TYPE_KINDS
            and outer["start_byte"] <= record["start_byte"]
            and outer["end_byte"] >= record["end_byte"]
        )
