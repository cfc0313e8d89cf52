"""Build and publish a generation: everything a query needs, as arrays to map into memory."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from codequarry.assets.census.census import Census, Entry
from codequarry.assets.edges.build import EDGES_VERSION, build_links
from codequarry.assets.facts.expand import Expanded, expand
from codequarry.assets.facts.extract import index_version
from codequarry.assets.graph.build import (
    GRAPH_VERSION,
    Graph,
    GraphInputs,
    build_graph,
    write_graph,
)
from codequarry.assets.graph.structure import without_wide_imports
from codequarry.assets.languages.lacking import without_grammar
from codequarry.assets.snapshot.codes import CODED_FROM, write_codes
from codequarry.assets.snapshot.compose import COMPOSE_VERSION
from codequarry.assets.snapshot.lexicons import PROSE_KINDS, Rows, lexicons
from codequarry.assets.snapshot.links import (
    file_edges,
    generation_links,
    write_adjacency,
    write_neighbours,
)
from codequarry.assets.snapshot.modules import name_prefix, scope_above
from codequarry.assets.snapshot.priors import priors
from codequarry.assets.snapshot.vectors import GenerationVectors, gather, skeleton_vectors
from codequarry.models.provider import Embedder, describer_of
from codequarry.schemas import GENERATION_CHUNKS, GENERATION_FILES, GENERATION_SYMBOLS
from codequarry.store.fragments import read_facts
from codequarry.store.generations import GENERATION_VERSION, publish
from codequarry.store.layout import BUCKETS, Layout
from codequarry.text import display_path
from codequarry.vocabulary import Kind

SNAPSHOT_VERSION = (
    f"{GENERATION_VERSION}.8.{COMPOSE_VERSION}.{EDGES_VERSION}.{GRAPH_VERSION}"  # of all built here
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was published."""

    generation: str
    files: int
    chunks: int
    symbols: int
    missing_vectors: int
    without_facts: tuple[str, ...]  # blobs of the census that have no facts


def build_snapshot(
    layout: Layout,
    root: Path,
    repo: str,
    census: Census,
    model: Embedder | None,
    inputs: str,
    *,
    replace: bool = False,
) -> Snapshot:
    """Build the generation of a census from stored facts and vectors, and make it live.

    Args:
        layout: the store.
        root: of the tree.
        repo: the repository's name.
        census: what to publish.
        model: whose vectors.
        inputs: the hash of what it is made from.
        replace: write it anew even if a generation of the same name is there.

    Raises:
        StoreWriteError: the disk refused; the generation before stays live.
    """
    parses = read_facts(layout, "parses", BUCKETS)
    entries = with_facts(census, parses)
    there = {entry.path for entry in entries}
    without = tuple(entry.blob for entry in census.indexed if entry.path not in there)
    links = build_links(layout, root, entries)
    rows = _Rows(layout, entries)
    shown = [display_path(entry.path) for entry in entries]
    vectors = None
    if model is not None:
        vectors = gather(
            layout,
            repo,
            entries,
            shown,
            (rows.chunks, rows.of_chunks),
            (rows.skeletons, rows.of_skeletons),
            model,
        )
    describer = describer_of(model)
    described = None
    if describer is not None:
        skeletons = (rows.skeletons, rows.of_skeletons)
        described = skeleton_vectors(layout, repo, entries, skeletons, describer)
    files = vectors.files if vectors else np.zeros((len(entries), 0), np.float32)
    graph = build_graph(
        layout, graph_inputs(entries, links, files, (rows.symbols, rows.of_symbols))
    )
    lacking = _without_grammar(entries, parses)
    generation = generation_id(inputs, [*without, *lacking], vectors.missing if vectors else 0)
    manifest = {
        "version": GENERATION_VERSION,
        "id": generation,
        "inputs": inputs,
        "versions": {language: index_version(language) for language in _languages(entries)},
        "repo": repo,
        "model": str(model.identity) if model else "none",
        "model_key": model.identity.key if model else "",
        "composed": bool(vectors is not None and len(vectors.paths)),
        "files": len(entries),
        "chunks": len(rows.of_chunks.rows),
        "symbols": len(rows.of_symbols.rows),
        "links": links.num_rows,
        "graph": graph.facts,
        "without_grammar": lacking,
        "missing_vectors": vectors.missing if vectors else 0,
    }
    with publish(layout, generation, replace=replace) as folder:
        if folder is not None:
            _write(folder, rows, parses, entries, shown, census, vectors, links, graph, manifest)
            if described is not None:
                np.save(folder / "description_vectors.npy", described)
    return Snapshot(
        generation,
        len(entries),
        len(rows.of_chunks.rows),
        len(rows.of_symbols.rows),
        vectors.missing if vectors else 0,
        without,
    )


def graph_inputs(
    entries: Sequence[Entry],
    links: pa.Table,
    vectors: npt.NDArray[np.float32],
    symbols: tuple[pa.Table, Expanded],
) -> GraphInputs:
    """What the graph of a census is made from.

    Args:
        entries: the files that have facts.
        links: of the census, see `build_links`.
        vectors: of the files' skeletons.
        symbols: the table of symbols and its expansion.
    """
    table, expanded = symbols
    kinds = table["kind"].combine_chunks().take(pa.array(expanded.rows))
    prose = pc.is_in(kinds, value_set=pa.array(sorted(PROSE_KINDS)))
    code = np.flatnonzero(~prose.to_numpy(zero_copy_only=False))
    return GraphInputs(
        [display_path(entry.path) for entry in entries],
        [entry.role for entry in entries],
        file_edges(without_wide_imports(links)),
        vectors,
        expanded.files[code],
        table["name_parts"].combine_chunks().take(pa.array(expanded.rows[code])),
    )


def with_facts(census: Census, parses: pa.Table) -> list[Entry]:
    """The files of a census that have facts, in its order."""
    count = expand(census.indexed, parses).count.tolist()
    return [entry for entry, n in zip(census.indexed, count, strict=True) if n]


def generation_id(inputs: str, without: Sequence[str], missing_vectors: int) -> str:
    """The name of a generation: a hash of all it is made from.

    Args:
        inputs: see `codequarry.assets.checkout.inputs_digest`.
        without: blobs that have no facts, and languages whose grammar did not load.
        missing_vectors: how many vectors it lacks; an incomplete one is another generation.
    """
    name = hashlib.sha256(json.dumps([inputs, *sorted(without)]).encode()).hexdigest()[:20]
    return f"{name}-lacks-{missing_vectors}" if missing_vectors else name


def _without_grammar(entries: Sequence[Entry], parses: pa.Table) -> dict[str, str]:
    """Languages whose grammar did not load, and why."""
    taken = parses.take(pa.array(expand(entries, parses).rows))
    columns = (taken[name].to_pylist() for name in ("language", "state", "reason"))
    return {row["language"]: row["reason"] for row in without_grammar(*columns)}


def _languages(entries: Sequence[Entry]) -> list[str]:
    return sorted({entry.language for entry in entries})


class _Rows:
    """The facts of all files, loaded once."""

    def __init__(self, layout: Layout, entries: Sequence[Entry]) -> None:
        self.chunks = read_facts(layout, "chunks", BUCKETS)
        self.symbols = read_facts(layout, "symbols", BUCKETS)
        self.skeletons = read_facts(layout, "skeletons", BUCKETS)
        self.of_chunks = expand(entries, self.chunks)
        self.of_symbols = expand(entries, self.symbols)
        self.of_skeletons = expand(entries, self.skeletons)


def _write(
    folder: Path,
    rows: _Rows,
    parses: pa.Table,
    entries: Sequence[Entry],
    shown: Sequence[str],
    census: Census,
    vectors: GenerationVectors | None,
    links: pa.Table,
    graph: Graph,
    manifest: dict[str, Any],
) -> None:
    files = _files_table(rows, parses, entries, shown)
    chunks = _taken(rows.chunks, rows.of_chunks, GENERATION_CHUNKS)
    _write_ipc(folder / "files.arrow", files)
    _write_ipc(folder / "chunks.arrow", chunks)
    _write_ipc(folder / "symbols.arrow", _symbols_table(rows, chunks, census, entries))
    placed = generation_links(links, chunks, rows.of_chunks.first, rows.of_symbols.first)
    _write_ipc(folder / "links.arrow", placed)
    edges = file_edges(placed)
    _write_ipc(folder / "file_edges.arrow", edges)
    write_neighbours(folder, edges, len(entries))
    write_adjacency(folder, placed, len(rows.of_symbols.rows))
    write_graph(folder, graph)
    built = lexicons(shown, Rows(rows.chunks, rows.of_chunks), Rows(rows.symbols, rows.of_symbols))
    for name, postings in built.items():
        _write_ipc(folder / f"{name}.arrow", postings)
    np.save(folder / "file_priors.npy", priors(shown, entries, rows.of_chunks.count))
    if vectors is not None:
        np.save(folder / "chunk_vectors.npy", vectors.chunks)
        np.save(folder / "file_vectors.npy", vectors.files)
        np.save(folder / "path_vectors.npy", vectors.paths)
        if len(vectors.chunks) > CODED_FROM:
            write_codes(folder, vectors.chunks)
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n")


def _files_table(
    rows: _Rows, parses: pa.Table, entries: Sequence[Entry], shown: Sequence[str]
) -> pa.Table:
    parsed = parses.take(pa.array(expand(entries, parses).rows))
    columns = {
        "path": shown,
        "raw_path": [
            os.fsencode(e.path) if path.encode() != os.fsencode(e.path) else None
            for e, path in zip(entries, shown, strict=True)
        ],
        "blob": [entry.blob for entry in entries],
        "language": [entry.language for entry in entries],
        "role": [entry.role for entry in entries],
        "size": [entry.stat[0] for entry in entries],
        "line_count": parsed["line_count"],
        "encoding": parsed["encoding"],
        "state": parsed["state"],
        "reason": parsed["reason"],
        "first_chunk": rows.of_chunks.first,
        "n_chunks": rows.of_chunks.count,
        "first_symbol": rows.of_symbols.first,
        "n_symbols": rows.of_symbols.count,
        "doc": _docs(rows, len(entries)),
    }
    return pa.table(columns, schema=GENERATION_FILES)


def _docs(rows: _Rows, n_files: int) -> list[str]:
    """The first line of each file's own doc; empty where its skeleton starts with a definition."""
    docs = [""] * n_files
    skeletons = rows.skeletons["text"].combine_chunks().take(pa.array(rows.of_skeletons.rows))
    kinds = rows.symbols["kind"].combine_chunks().take(pa.array(rows.of_symbols.rows))
    own = np.flatnonzero(pc.not_equal(kinds, Kind.FENCE.value).to_numpy(zero_copy_only=False))
    filled, at = np.unique(rows.of_symbols.files[own], return_index=True)
    first = rows.of_symbols.rows[own[at]]
    signatures = rows.symbols["signature"].combine_chunks().take(pa.array(first)).to_pylist()
    definition = dict(zip(filled.tolist(), signatures, strict=True))
    for file, text in zip(rows.of_skeletons.files.tolist(), skeletons.to_pylist(), strict=True):
        line = text.partition("\n")[0]
        signature = definition.get(file, "")
        if not signature or line[:60] != signature[:60]:
            docs[file] = line
    return docs


def _taken(table: pa.Table, expanded: Expanded, schema: pa.Schema) -> pa.Table:
    names = [name for name in schema.names if name in table.column_names]
    taken = table.select(names).take(pa.array(expanded.rows))
    return taken.add_column(0, schema.field("file"), pa.array(expanded.files))


def _symbols_table(
    rows: _Rows, chunks: pa.Table, census: Census, entries: Sequence[Entry]
) -> pa.Table:
    table = _taken(rows.symbols, rows.of_symbols, GENERATION_SYMBOLS)
    packages = {
        entry.path.rpartition("/")[0]
        for entry in census.entries
        if entry.path.rpartition("/")[2] == "__init__.py"
    }
    shown = [(e.language, display_path(e.path)) for e in entries]
    prefixes = [name_prefix(language, path, packages) for language, path in shown]
    above = [scope_above(language, path) for language, path in shown]
    files = rows.of_symbols.files.tolist()
    names = table["qualified"].to_pylist()
    qualified = [prefixes[file] + name for file, name in zip(files, names, strict=True)]
    table = _with_column(table, "qualified", qualified)
    if any(above):
        scopes = table["scope"].to_pylist()
        inside = [[*above[file], *scope] for file, scope in zip(files, scopes, strict=True)]
        table = _with_column(table, "scope", inside)
    line = np.int64(1) << 32
    starts = rows.of_chunks.files * line + np.asarray(chunks["start_line"])
    names = rows.of_symbols.files * line + np.asarray(table["name_line"])
    chunk = np.searchsorted(starts, names, side="right") - 1
    table = table.add_column(1, GENERATION_SYMBOLS.field("chunk"), pa.array(chunk.astype(np.int32)))
    parts = rows.symbols["name_parts"].combine_chunks().take(pa.array(rows.of_symbols.rows))
    table = table.append_column("name_terms", parts.value_lengths())
    return table.cast(GENERATION_SYMBOLS)


def _with_column(table: pa.Table, name: str, values: list[Any]) -> pa.Table:
    at = table.column_names.index(name)
    field = table.schema.field(at)
    return table.set_column(at, field, pa.array(values, field.type))


def _write_ipc(target: Path, table: pa.Table) -> None:
    table = table.combine_chunks()
    with pa.OSFile(str(target), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
