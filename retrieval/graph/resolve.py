"""Which file a path, a file's name, a symbol or a few words mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from codequarry.errors import InvalidQuery, UsageError
from codequarry.retrieval.filters import normalise_path
from codequarry.retrieval.graph.lanes import FileGraph
from codequarry.retrieval.symbols import find_symbols
from codequarry.vocabulary import Role

MAX_OTHERS = 5  # files that were not taken, but are named

_LINE = re.compile(r":\d+(?:-\d+)?$")
_WORD = re.compile(r"^[^\s/]+$")

Search = Callable[[str], list[str]]  # words → paths, best first


@dataclass(frozen=True, slots=True)
class Resolved:
    """The file that is meant, how that was found, and which others it could have been."""

    asked: str
    file: int
    how: str  # path, file name, symbol, meaning
    others: tuple[str, ...] = ()


def resolve(graph: FileGraph, text: str, search: Search) -> Resolved:
    """The file that ``text`` means: exact path, file name, symbol, then what search finds.

    Of several files that fit, the one that most files touch is taken, tests last.

    Args:
        graph: where to look.
        text: what was asked.
        search: ranks files by words, tests penalised; called only when nothing else fits.

    Raises:
        UsageError: nothing fits.
    """
    generation = graph.generation
    for wanted in dict.fromkeys((text, normalise_path(text), normalise_path(_LINE.sub("", text)))):
        file = generation.rows_by_path.get(wanted)
        if file is not None:
            return Resolved(text, file, "path")
    wanted = normalise_path(_LINE.sub("", text))
    named = [row for row, path in enumerate(generation.paths) if path.endswith("/" + wanted)]
    if not named and _WORD.match(text):
        named = _by_stem(graph, wanted)
    if named:
        return _best(graph, text, named, "file name")
    found = _by_symbol(graph, text) if _WORD.match(text) else []
    if found:
        return _best(graph, text, found, "symbol")
    paths = search(text)
    if not paths:
        raise UsageError(f"nothing indexed is like {text!r}", "give a path, a name or other words")
    return Resolved(
        text, generation.rows_by_path[paths[0]], "meaning", tuple(paths[1 : MAX_OTHERS + 1])
    )


def _by_stem(graph: FileGraph, name: str) -> list[int]:
    """Files of a name without its ending: code, unless so many have it that it says nothing."""
    generation = graph.generation
    stems = [row for row, path in enumerate(generation.paths) if _stem(path) == name]
    code = [row for row in stems if generation.roles[row] == Role.CODE.value]
    found = code or stems
    return found if len(found) <= MAX_OTHERS else []


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _by_symbol(graph: FileGraph, name: str) -> list[int]:
    """The files that define a symbol of this name; those whose symbol is referred to first."""
    try:
        symbols = find_symbols(graph.generation, name)
    except InvalidQuery:
        return []
    prose = {"section", "fence", "html"}
    rows = [symbol.row for symbol in symbols if symbol.kind not in prose]
    pointers = graph.generation.link_array("in_pointers")
    uses = {row: int(pointers[row + 1] - pointers[row]) for row in rows}
    rows.sort(key=lambda row: (-uses[row], row))
    files = np.asarray(graph.generation.symbols["file"])
    return list(dict.fromkeys(int(files[row]) for row in rows if uses[row] or not uses[rows[0]]))


def _best(graph: FileGraph, text: str, files: Iterable[int], how: str) -> Resolved:
    order = sorted(
        files, key=lambda f: (bool(graph.generation.is_test[f]), -int(graph.degree[f]), f)
    )
    others = tuple(graph.path(file) for file in order[1 : MAX_OTHERS + 1])
    return Resolved(text, order[0], how, others)
