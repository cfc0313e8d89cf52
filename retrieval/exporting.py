"""The tables of a generation in the documented form that other programs read."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from codequarry.retrieval.generation import Generation


def export_table(generation: Generation, what: str) -> pa.Table:
    """One of `TABLES` with paths in place of row numbers."""
    return TABLES[what](generation)


def _files(generation: Generation) -> pa.Table:
    return generation.files.drop_columns(["raw_path", "first_chunk", "first_symbol"])


def _chunks(generation: Generation) -> pa.Table:
    return _with_path(generation, generation.chunks)


def _symbols(generation: Generation) -> pa.Table:
    table = _with_path(generation, generation.symbols.drop_columns(["chunk"]))
    names = ["line" if name == "name_line" else name for name in table.column_names]
    table = table.rename_columns(names)
    doc = pc.if_else(pc.equal(table["doc"], ""), None, table["doc"])
    table = table.set_column(table.column_names.index("doc"), "doc", doc)
    return table.append_column("parent", table["scope"])


def _with_path(generation: Generation, table: pa.Table) -> pa.Table:
    paths = generation.files["path"].combine_chunks().take(table["file"].combine_chunks())
    return table.set_column(0, pa.field("path", pa.string()), paths)


TABLES = {"files": _files, "chunks": _chunks, "symbols": _symbols}
