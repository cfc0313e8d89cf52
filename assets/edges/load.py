"""The program of a census: its facts as the linker wants them."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from codequarry.assets.census.census import Entry, read_blob
from codequarry.assets.edges.families import family_of
from codequarry.assets.edges.families.tsconfig import is_config
from codequarry.assets.edges.link import Ref
from codequarry.assets.edges.program import File, Named, Program, Sym, parents
from codequarry.assets.facts.expand import Expanded, expand
from codequarry.store.fragments import read_facts
from codequarry.store.layout import BUCKETS, Layout
from codequarry.vocabulary import EdgeType, Kind

_MANIFESTS = frozenset(("go.mod", "Cargo.toml", "package.json", "composer.json", "pyproject.toml"))
_MAX_MANIFEST = 2_000_000
_SYMBOL = (
    "name qualified kind scope start_byte end_byte static exported default_export receiver"
    " trait arity_min arity_max"
).split()
_BINDING = ("scope", "name", "kind", "target", "member")
_REFERENCE = ("type", "path", "name", "scope", "arity")
_KINDS = {kind.value: kind for kind in Kind}


@dataclass(frozen=True, slots=True)
class Loaded:
    """A program and the references to link, in the facts' order."""

    program: Program
    refs: list[list[Ref | None]]  # by file; none where it is no reference of the program
    references: pa.Table  # the rows they come from, by file
    of_references: Expanded


def is_manifest(path: str) -> bool:
    """Whether a file says how imports are resolved."""
    return posixpath.basename(path) in _MANIFESTS or is_config(path)


def load(
    layout: Layout, root: Path, entries: Sequence[Entry], only: Collection[int] | None = None
) -> Loaded:
    """Load the facts of a census.

    Args:
        layout: the store.
        root: of the tree; manifests are read from it.
        entries: the files that have facts, in census order.
        only: the files whose references are wanted; the others are then read when they are
            asked about. Empty: all of all.
    """
    symbols = _Rows(entries, read_facts(layout, "symbols", BUCKETS), _SYMBOL)
    bindings = _Rows(entries, read_facts(layout, "bindings", BUCKETS), _BINDING)
    buckets = BUCKETS if only is None else sorted({entries[i].blob[0] for i in only})
    table = read_facts(layout, "references", buckets)
    spread = expand(entries, table)
    references = table.take(pa.array(spread.rows))
    if only is None:
        files = [File(i, entry.path, entry.language) for i, entry in enumerate(entries)]
        for file, own, bound in zip(files, symbols.all(), bindings.all(), strict=True):
            _fill(file, own, bound)
    else:
        loader = _loader(symbols, bindings)
        files = [File(i, entry.path, entry.language, loader) for i, entry in enumerate(entries)]
    refs = _refs(files, references, spread, only)
    texts = {entry.path: _read(root, entry) for entry in entries if is_manifest(entry.path)}
    paths = {file.path: file.id for file in files}
    program = Program(files, paths, {p: t for p, t in texts.items() if t}, symbols.named)
    return Loaded(program, refs, references, spread)


def _read(root: Path, entry: Entry) -> bytes:
    try:
        return read_blob(root, entry.path)[:_MAX_MANIFEST]
    except OSError:
        return b""


class _Rows:
    """Rows of a facts table, by file."""

    def __init__(self, entries: Sequence[Entry], table: pa.Table, names: Sequence[str]) -> None:
        spread = expand(entries, table)
        self._first, self._count = spread.first.tolist(), spread.count.tolist()
        self._table = table.select(names).take(pa.array(spread.rows)).combine_chunks()
        self._files = spread.files
        self._by_name: dict[str, list[int]] | None = None

    def of(self, file: int) -> list[tuple[Any, ...]]:
        """The rows of one file."""
        return _tuples(self._table.slice(self._first[file], self._count[file]))

    def all(self) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of each file, one file after the other."""
        rows = _tuples(self._table)
        for first, count in zip(self._first, self._count, strict=True):
            yield rows[first : first + count]

    def named(self, name: str) -> list[Named]:
        """The symbols of a name, in all files."""
        if self._by_name is None:
            self._by_name = {}
            for row, text in enumerate(self._table["name"].to_pylist()):
                self._by_name.setdefault(text, []).append(row)
        rows = self._by_name.get(name, ())
        return [
            Named(
                int(self._files[row]),
                row - self._first[self._files[row]],
                _KINDS[self._table["kind"][row].as_py()],
                tuple(self._table["scope"][row].as_py()),
            )
            for row in rows
        ]


def _tuples(table: pa.Table) -> list[tuple[Any, ...]]:
    return list(zip(*(_values(column.combine_chunks()) for column in table.columns), strict=True))


def _values(column: pa.Array) -> list[Any]:
    """A column's values; equal texts are one object, which is made once."""
    if pa.types.is_string(column.type) and not column.null_count:
        texts = column.dictionary_encode()
        known = texts.dictionary.to_pylist()
        return [known[number] for number in texts.indices.to_numpy().tolist()]
    if pa.types.is_list(column.type) and not column.null_count:
        values, lengths = _values(column.flatten()), column.value_lengths().to_numpy()
        ends = np.cumsum(lengths)
        starts = ends - lengths
        return [tuple(values[a:b]) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    return list(column.to_pylist())


def _loader(symbols: _Rows, bindings: _Rows) -> Callable[[File], None]:
    def fill(file: File) -> None:
        _fill(file, symbols.of(file.id), bindings.of(file.id))

    return fill


def _fill(
    file: File, symbols: Sequence[tuple[Any, ...]], bindings: Sequence[tuple[Any, ...]]
) -> None:
    if family_of(file.language) is None:
        return
    around = parents([(row[4], row[5]) for row in symbols])
    file.add_symbols(
        [
            Sym._make((*row[:2], _KINDS[row[2]], *row[3:], parent))
            for row, parent in zip(symbols, around, strict=True)
        ]
    )
    file.add_bindings(bindings)


def _refs(
    files: list[File], table: pa.Table, spread: Expanded, only: Collection[int] | None
) -> list[list[Ref | None]]:
    found: list[list[Ref | None]] = [[] for _ in files]
    rows = _tuples(table.select(_REFERENCE)) if only is None else []
    wanted = range(len(files)) if only is None else sorted(only)
    for number in wanted:
        first, count = int(spread.first[number]), int(spread.count[number])
        own = (
            rows[first : first + count]
            if only is None
            else _tuples(table.select(_REFERENCE).slice(first, count))
        )
        refs = [Ref._make(row) for row in own]
        if family_of(files[number].language) is None:  # code in a page is no code of the program
            found[number] = [ref if ref.type == EdgeType.DOCUMENTS else None for ref in refs]
        else:
            found[number] = list(refs)
    return found
