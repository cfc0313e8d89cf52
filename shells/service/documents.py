"""Answers as programs get them: one JSON form for the command line, HTTP and agents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from codequarry.ask.flows.store import Flow
from codequarry.assets.census.census import load_census
from codequarry.assets.languages.lacking import without_grammar
from codequarry.errors import QuarryError
from codequarry.retrieval.edges import EdgeAnswer, Edges
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.impact import Impacted, impact
from codequarry.retrieval.reading import find_file
from codequarry.retrieval.symbols import SymbolRow, find_symbols
from codequarry.store.generations import current_generation
from codequarry.store.layout import Layout
from codequarry.store.lock import is_being_written
from codequarry.store.registry import Registered
from codequarry.text import display_path

Document = dict[str, Any]


def status_document(
    layout: Layout, generation: Generation, *, skipped: bool = False, listed: bool = False
) -> Document:
    """What is indexed, what is not, and why.

    Args:
        layout: the store.
        generation: the one that is told of.
        skipped: list every file left out.
        listed: list every file that is indexed, with its role and the rule for it.
    """
    files = generation.files.select(["language", "role", "state", "reason"]).to_pylist()
    columns = ([row[name] for row in files] for name in ("language", "state", "reason"))
    census = load_census(layout.census)
    last = _last_run(layout)
    document: Document = {
        "root": str(layout.root),
        "store": str(layout.state),
        "generation": generation.id,
        "model": generation.manifest["model"],
        "files": generation.manifest["files"],
        "chunks": generation.manifest["chunks"],
        "symbols": generation.manifest["symbols"],
        "missing_vectors": generation.manifest["missing_vectors"],
        "languages": dict(Counter(row["language"] for row in files).most_common()),
        "roles": dict(Counter(row["role"] for row in files).most_common()),
        "parse_states": dict(Counter(row["state"] for row in files).most_common()),
        "skipped": census.skip_counts if census else {},
        "state": last.get("state", "unknown"),
        "trouble": last.get("trouble", []),
        "degraded": last.get("degraded", []),
        "without_grammar": without_grammar(*columns),
    }
    if skipped and census:
        document["skipped_files"] = [
            {"path": display_path(entry.path), "reason": str(entry.skip), "detail": entry.detail}
            for entry in census.skipped
        ]
    if listed and census:
        document["listed_files"] = [
            {
                "path": display_path(entry.path),
                "language": entry.language,
                "role": entry.role,
                "rule": entry.detail,
            }
            for entry in census.indexed
        ]
    return document


def _last_run(layout: Layout) -> Document:
    try:
        found = json.loads(layout.last_run.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def symbol_document(row: SymbolRow) -> Document:
    """A symbol, without its place in the index."""
    record = asdict(row)
    del record["row"]
    return record


def symbols_document(generation: Generation, name: str) -> Document:
    """Where the symbols of a name are defined, their signatures and doc comments.

    Raises:
        InvalidQuery: the name cannot be one.
    """
    found = find_symbols(generation, name)
    return {
        "symbol": name,
        "count": len(found),
        "status": "ready" if found else "no_such_symbol",
        "rows": [symbol_document(row) for row in found],
    }


def edge_document(answer: EdgeAnswer, *, possible: bool = False) -> Document:
    """The edges of a symbol; with ``possible`` the calls of its name on unknown receivers too."""
    found: Document = {
        "symbol": answer.symbol,
        "count": answer.count,
        "shown": len(answer.edges),
        "status": answer.status,
        "ambiguous": answer.ambiguous,
        "candidates": [symbol_document(row) for row in answer.symbols],
        "rows": [edge.as_json() for edge in answer.edges],
        "possible": answer.n_possible,
    }
    if possible:
        found["possible_rows"] = [edge.as_json() for edge in answer.possible]
    return found


def impact_document(
    asked: str,
    symbols: Sequence[SymbolRow],
    found: Sequence[Impacted],
    status: str,
    *,
    stale: bool = False,
) -> Document:
    """Who breaks when symbols change.

    Args:
        asked: the symbol's name, or how the change was named.
        symbols: that change.
        found: who breaks.
        status: ready, or why there is nothing.
        stale: files changed since they were indexed.
    """
    return {
        "symbol": asked,
        "changed": [symbol_document(row) for row in symbols],
        "count": len(found),
        "status": status,
        "stale": stale,
        "rows": [asdict(row) for row in found],
    }


def symbol_impact_document(edges: Edges, name: str, depth: int) -> Document:
    """Who breaks when the symbols of a name change.

    Raises:
        UsageError: the depth is out of range.
        InvalidQuery: the name cannot be one.
    """
    symbols = find_symbols(edges.generation, name)
    found = impact(edges, symbols, depth)
    return impact_document(name, symbols, found, "ready" if symbols else "no_such_symbol")


def chunks_document(generation: Generation, path: str) -> Document:
    """How a file was cut.

    Raises:
        FileNotIndexed: there is no such file.
    """
    row = find_file(generation, path)
    record = generation.files.slice(row, 1).to_pylist()[0]
    rows = generation.chunks.slice(record["first_chunk"], record["n_chunks"]).to_pylist()
    for chunk in rows:
        del chunk["file"]
    keys = ("path", "language", "state", "reason", "line_count", "encoding")
    return {key: record[key] for key in keys} | {"chunks": rows}


def repository_document(repository: Registered) -> Document:
    """A repository of the user's list, and how its index stands."""
    root = Path(repository.root)
    document: Document = {"name": repository.name, "root": repository.root}
    unknown = {"generation": None, "files": None, "chunks": None}
    if not root.is_dir():
        return document | {"state": "missing"} | unknown
    layout = Layout.of(root)
    state = "indexing" if is_being_written(layout) else "ready"
    try:
        folder = current_generation(layout)
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (QuarryError, OSError, ValueError):
        return document | {"state": "not_indexed" if state == "ready" else state} | unknown
    counts = {"files": manifest.get("files"), "chunks": manifest.get("chunks")}
    return document | {"state": state, "generation": folder.name} | counts


def flow_document(flow: Flow, still_holds: bool) -> Document:
    """A kept answer, without the answer."""
    return {
        "id": flow.id,
        "question": flow.question,
        "narrator": flow.answer["narrator"],
        "files": sorted(flow.files),
        "created": datetime.fromtimestamp(flow.created, UTC).isoformat(timespec="seconds"),
        "used": flow.used,
        "holds": still_holds,
    }
