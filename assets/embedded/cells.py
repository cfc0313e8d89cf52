"""The cells of a notebook, and where in its JSON their lines stand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from codequarry.assets.embedded.strings import line_starts

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[{}\[\],]')
_SOURCES = frozenset(("source", "input"))  # `input`: notebooks before version 4


class NotebookError(Exception):
    """The file is no notebook that can be read."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a cell: its text, and the byte of the file at which it begins."""

    text: str
    start: int


@dataclass(slots=True)
class Cell:
    """A cell: the bytes of its JSON object, its type and its lines."""

    start: int
    end: int = -1
    type: str = "code"
    lines: list[Line] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook's cells, and the language its kernel runs as the notebook calls it."""

    language: str
    cells: list[Cell]


def read_notebook(source: bytes) -> Notebook:
    """Read a notebook of any version.

    Raises:
        NotebookError: the text is no JSON, or JSON of something else.
    """
    try:
        document = json.loads(source)
    except (ValueError, RecursionError) as error:
        raise NotebookError(f"no JSON: {error}") from error
    if not isinstance(document, dict) or not (document.keys() & {"cells", "worksheets"}):
        raise NotebookError("no notebook: it has no cells")
    return Notebook(_kernel(document), list(_cells(source)))


def _kernel(document: dict[str, Any]) -> str:
    metadata = document.get("metadata")
    for holder, key in (("language_info", "name"), ("kernelspec", "language"), ("", "language")):
        inner = metadata.get(holder, {}) if holder and isinstance(metadata, dict) else metadata
        word = inner.get(key) if isinstance(inner, dict) else None
        if isinstance(word, str) and word:
            return word.split()[0]
    return "python"


def _cells(source: bytes) -> Iterator[Cell]:
    """The cells of valid JSON, by one walk over its tokens."""
    path: list[str | int] = []  # the key or index at which each open container now is
    key_next = False
    cell: Cell | None = None
    depth = 0
    for token in _TOKEN.finditer(source):
        sign = token[0][:1]
        if sign in (b"{", b"["):
            if sign == b"{" and cell is None and _is_cell(path):
                cell, depth = Cell(token.start()), len(path)
            path.append("" if sign == b"{" else 0)
            key_next = sign == b"{"
        elif sign in (b"}", b"]"):
            path.pop()
            key_next = False
            if cell is not None and len(path) == depth:
                cell.end = token.end()
                yield cell
                cell = None
        elif sign == b",":
            here = path[-1]
            key_next = isinstance(here, str)
            if isinstance(here, int):
                path[-1] = here + 1
        elif key_next:
            path[-1] = json.loads(token[0])
            key_next = False
        elif cell is not None and len(path) <= depth + 2:
            _take(cell, path[depth:], source, token)


def _is_cell(path: list[str | int]) -> bool:
    if len(path) == 4 and path[0] == "worksheets":
        path = path[2:]
    return len(path) == 2 and path[0] == "cells" and isinstance(path[1], int)


def _take(cell: Cell, path: list[str | int], source: bytes, token: re.Match[bytes]) -> None:
    """Take a string of a cell: its type, or some of its lines."""
    if path == ["cell_type"]:
        cell.type = json.loads(token[0])
    elif path[0] in _SOURCES and (len(path) == 1 or isinstance(path[1], int)):
        starts = line_starts(source, token.start() + 1, token.end() - 1)
        lines = json.loads(token[0]).split("\n")
        texts = [*(line + "\n" for line in lines[:-1]), lines[-1]]
        if cell.lines and not cell.lines[-1].text.endswith("\n"):  # it goes on from the last string
            before = cell.lines.pop()
            texts[0] = before.text + texts[0]
            starts[0] = before.start
        cell.lines += [Line(text, at) for text, at in zip(texts, starts, strict=True) if text]
