"""The program of a census: its facts as the linker wants them."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from codequarry.assets.census.census import Entry, read_blob
from codequarry.assets.edges.families import family_of
from codequarry.assets.edges.families.tsconfig import is_config
from codequarry.assets.edges.link import Ref
from codequarry.assets.edges.program import File, Program, Sym, parents
from codequarry.assets.facts.expand import Expanded, expand
from codequarry.store.fragments import read_facts
from codequarry.store.layout import BUCKETS, Layout
from codequarry.vocabulary import EdgeType, Kind

_MANIFESTS = frozenset(("go.mod", "Cargo.toml", "package.json", "composer.json"))
_MAX_MANIFEST = 2_000_000

_KINDS = {kind.value: kind for kind in Kind}


@dataclass(frozen=True, slots=True)
class Loaded:
    """A program and the references of its files, in the facts' order."""

    program: Program
    refs: list[list[Ref]]  # by file
    references: pa.Table  # the rows they come from, expanded
    of_references: Expanded


def is_manifest(path: str) -> bool:
    """Whether a file says how imports are resolved."""
    return posixpath.basename(path) in _MANIFESTS or is_config(path)


def load(layout: Layout, root: Path, entries: Sequence[Entry]) -> Loaded:
    """Load the facts of a census.

    Args:
        layout: the store.
        root: of the tree; manifests are read from it.
        entries: the files that have facts, in census order.
    """
    files = [File(i, entry.path, entry.language) for i, entry in enumerate(entries)]
    _add_symbols(files, entries, read_facts(layout, "symbols", BUCKETS))
    _add_bindings(files, entries, read_facts(layout, "bindings", BUCKETS))
    table = read_facts(layout, "references", BUCKETS)
    spread = expand(entries, table)
    references = table.take(pa.array(spread.rows))
    refs = _refs(files, references, spread)
    imports = {
        file: [(r.path, r.name) for r in rows if r.type == EdgeType.IMPORTS]
        for file, rows in enumerate(refs)
        if rows
    }
    texts = {entry.path: _read(root, entry) for entry in entries if is_manifest(entry.path)}
    paths = {file.path: file.id for file in files}
    program = Program(files, paths, {p: t for p, t in texts.items() if t}, imports)
    return Loaded(program, refs, references, spread)


def _read(root: Path, entry: Entry) -> bytes:
    try:
        return read_blob(root, entry.path)[:_MAX_MANIFEST]
    except OSError:
        return b""


def _rows(entries: Sequence[Entry], table: pa.Table, names: Sequence[str]) -> tuple[Any, Expanded]:
    spread = expand(entries, table)
    taken = table.select(names).take(pa.array(spread.rows))
    return zip(*(column.to_pylist() for column in taken.columns), strict=True), spread


def _add_symbols(files: list[File], entries: Sequence[Entry], table: pa.Table) -> None:
    names = (
        "name qualified kind scope start_byte end_byte static exported default_export receiver"
        " trait arity_min arity_max"
    ).split()
    rows, spread = _rows(entries, table, names)
    for file, count in zip(files, spread.count.tolist(), strict=True):
        own = [next(rows) for _ in range(count)]
        if not count or family_of(file.language) is None:
            continue
        around = parents([(row[4], row[5]) for row in own])
        file.add_symbols(
            [
                Sym._make((*row[:2], _KINDS[row[2]], tuple(row[3]), *row[4:], parent))
                for row, parent in zip(own, around, strict=True)
            ]
        )


def _add_bindings(files: list[File], entries: Sequence[Entry], table: pa.Table) -> None:
    rows, spread = _rows(entries, table, ("scope", "name", "kind", "target", "member"))
    for file, count in zip(files, spread.count.tolist(), strict=True):
        own = [next(rows) for _ in range(count)]
        if own and family_of(file.language) is not None:
            file.add_bindings(own)


def _refs(files: list[File], table: pa.Table, spread: Expanded) -> list[list[Ref]]:
    columns = [table[name].to_pylist() for name in ("type", "path", "name", "scope", "arity")]
    rows = zip(*columns, strict=True)
    found: list[list[Ref]] = []
    for file, count in zip(files, spread.count.tolist(), strict=True):
        own = [Ref(*next(rows)) for _ in range(count)]
        found.append(own if family_of(file.language) is not None else [])
    return found
