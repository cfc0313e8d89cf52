"""What carries a hop from one file to the next: symbols defined in one and used in the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from codequarry.errors import QuarryError
from codequarry.identifiers import split_word
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.reading import get_code
from codequarry.text import split_lines
from codequarry.vocabulary import EdgeType

MAX_CARRIERS = 4  # a hop (S1 §06.1)
DEFINITION_LINES = 4
_COMMON = 8  # a name that more files define says nothing about two of them
_SHORT = 3  # letters


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file as they are on disk."""

    path: str
    line: int
    text: str  # without the last line's end


@dataclass(frozen=True, slots=True)
class Carrier:
    """One symbol that ties two files.

    Attributes:
        symbol: its qualified name; of an import what is imported, as written.
        type: of the edge; ``shared`` where both files define a symbol of that name.
        resolved: whether it is known to be this symbol, not only to be called so.
        use: where it is used.
        definition: where it is defined; none for a file that is imported as a whole.
    """

    symbol: str
    type: str
    resolved: bool
    use: Excerpt
    definition: Excerpt | None


class Splicer:
    """Reads lines from disk, each file once."""

    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self._lines: dict[str, list[str]] = {}
        self.changed: set[str] = set()  # files that are not as they were indexed

    def excerpt(self, path: str, first: int, last: int) -> Excerpt:
        """Some lines of a file; empty where it is gone."""
        if path not in self._lines:
            try:
                span = get_code(self._generation, path)
                self._lines[path] = split_lines(span.text)
                if span.changed:
                    self.changed.add(path)
            except QuarryError:
                self._lines[path] = []
                self.changed.add(path)
        text = "".join(self._lines[path][first - 1 : last])
        return Excerpt(path, first, text.rstrip("\r\n"))


def carriers(generation: Generation, splicer: Splicer, one: int, other: int) -> list[Carrier]:
    """The symbols that tie two files, calls first; those ``one`` uses before those it gives."""
    found: dict[tuple[int, str], tuple[tuple[Any, ...], Carrier]] = {}
    for turn, (user, giver) in enumerate(((one, other), (other, one))):
        for row in _rows(generation, user, giver):
            carrier = _carrier(generation, splicer, row)
            key = (turn, carrier.symbol)
            rank = (_rank(row), turn, -row["confidence"], row["line"], row["byte"])
            if key not in found or rank < found[key][0]:
                found[key] = (rank, carrier)
    known = [carrier for _, carrier in sorted(found.values(), key=lambda item: item[0])]
    if known:
        return known[:MAX_CARRIERS]
    return _inferred(generation, splicer, one, other)[:MAX_CARRIERS]


def _rank(row: dict[str, Any]) -> int:
    """Calls, then other uses of a symbol, then what only names the file or is only said."""
    if row["type"] == EdgeType.DOCUMENTS.value:
        return 3
    if row["target_symbol"] < 0:
        return 2
    return 0 if row["type"] == EdgeType.CALLS.value else 1


def _own_rows(generation: Generation, file: int) -> tuple[int, int]:
    start, end = np.searchsorted(np.asarray(generation.links["file"]), [file, file + 1])
    return int(start), int(end)


def _rows(generation: Generation, user: int, giver: int) -> list[dict[str, Any]]:
    """The references of one file that mean something in the other."""
    start, end = _own_rows(generation, user)
    targets = np.asarray(generation.links["target_file"].slice(start, end - start))
    rows = np.flatnonzero(targets == giver) + start
    found: list[dict[str, Any]] = generation.links.take(rows).to_pylist()
    return found


def _carrier(generation: Generation, splicer: Splicer, row: dict[str, Any]) -> Carrier:
    path = generation.paths[row["file"]]
    use = splicer.excerpt(path, row["line"], row["line"])
    if row["target_symbol"] < 0:
        return Carrier(row["written"], row["type"], True, use, None)
    name, definition = _definition(generation, splicer, row["target_symbol"])
    return Carrier(name, row["type"], True, use, definition)


def _definition(generation: Generation, splicer: Splicer, row: int) -> tuple[str, Excerpt]:
    symbol = generation.symbols.slice(row, 1).to_pylist()[0]
    first = symbol["name_line"]
    last = min(symbol["end_line"], first + DEFINITION_LINES - 1)
    path = generation.paths[symbol["file"]]
    return symbol["qualified"], splicer.excerpt(path, first, last)


def _inferred(generation: Generation, splicer: Splicer, one: int, other: int) -> list[Carrier]:
    """Names that one file uses, nobody knows whose, and the other defines; then common ones."""
    found: list[Carrier] = []
    for user, giver in ((one, other), (other, one)):
        defined = _defined(generation, giver)
        start, end = _own_rows(generation, user)
        seen: set[str] = set()
        for row in generation.links.slice(start, end - start).to_pylist():
            name = row["written"].rpartition(".")[2]
            if row["target_file"] < 0 and name in defined and name not in seen:
                seen.add(name)
                if _is_common(generation, name):
                    continue
                use = splicer.excerpt(generation.paths[user], row["line"], row["line"])
                qualified, definition = _definition(generation, splicer, defined[name])
                found.append(Carrier(qualified, row["type"], False, use, definition))
    mine, theirs = _defined(generation, one), _defined(generation, other)
    for name in [name for name in mine if name in theirs] if not found else ():
        if _is_common(generation, name):
            continue
        (_, use), (qualified, definition) = (
            _definition(generation, splicer, rows[name]) for rows in (mine, theirs)
        )
        found.append(Carrier(qualified, "shared", False, use, definition))
    return sorted(found, key=lambda carrier: (carrier.type == "shared", carrier.use.line))


def _defined(generation: Generation, file: int) -> dict[str, int]:
    """The names a file defines, with the first symbol of each."""
    first = generation.files["first_symbol"][file].as_py()
    count = generation.files["n_symbols"][file].as_py()
    found: dict[str, int] = {}
    for row, name in enumerate(generation.symbols["name"].slice(first, count).to_pylist(), first):
        if len(name) > _SHORT and not name.startswith("__"):
            found.setdefault(name, row)
    return found


def _is_common(generation: Generation, name: str) -> bool:
    """Whether so many files define a name that it ties no two of them."""
    joined = "".join(split_word(name)[0])
    return len(np.unique(generation.defines.holders([joined]))) > _COMMON
