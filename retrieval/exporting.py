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


def _edges(generation: Generation) -> pa.Table:
    """Every edge but `declares`; an unresolved one has no file and the name as written."""
    links = generation.links
    paths = generation.files["path"].combine_chunks()
    names = generation.symbols["qualified"].combine_chunks()
    target_file, target = links["target_file"], links["target_symbol"]
    to_file = paths.take(_or_null(target_file))
    to_name = pc.coalesce(names.take(_or_null(target)), to_file, links["written"])
    columns = {
        "type": links["type"],
        "from": pc.fill_null(names.take(_or_null(links["symbol"])), "<module>"),
        "from_file": paths.take(links["file"].combine_chunks()),
        "to": to_name,
        "to_file": to_file,
        "line": links["line"],
        "rule": pc.if_else(pc.equal(links["rule"], ""), None, links["rule"]),
        "confidence": pc.round(pc.cast(links["confidence"], pa.float64()), 3),
        "candidates": links["candidates"],
    }
    return pa.table(columns)


def _or_null(rows: pa.ChunkedArray) -> pa.Array:
    return pc.if_else(pc.less(rows, 0), None, rows).combine_chunks()


def _with_path(generation: Generation, table: pa.Table) -> pa.Table:
    paths = generation.files["path"].combine_chunks().take(table["file"].combine_chunks())
    return table.set_column(0, pa.field("path", pa.string()), paths)


TABLES = {"files": _files, "chunks": _chunks, "symbols": _symbols, "edges": _edges}
