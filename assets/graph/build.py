"""The graph of a census, made once for the same files, edges and vectors."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from codequarry.assets.graph.communities import communities, semantic_votes, structural_votes
from codequarry.assets.graph.likeness import (
    EDGE_PERCENTILE,
    SURPRISE_PERCENTILE,
    Likeness,
    likeness,
)
from codequarry.assets.graph.naming import Words, community_names, words_of
from codequarry.assets.graph.structure import Structure, structure
from codequarry.schemas import COMMUNITIES, GRAPH_FILES, SEMANTIC_EDGES, SURPRISES
from codequarry.store.atomic import atomic_dir, write_errors
from codequarry.store.layout import Layout
from codequarry.vocabulary import Role

GRAPH_VERSION = "1"
TABLES = ("graph", "communities", "tied_files", "semantic_edges", "surprises")

# Words a file's names must have to say enough for a surprise: empty migrations are all alike.
SUBSTANCE = 8
_SUPPORTING = (Role.TEST.value, Role.DOCS.value)


@dataclass(frozen=True, slots=True)
class GraphInputs:
    """All that a graph is made from.

    Attributes:
        paths: of the files, as shown.
        roles: of the files.
        edges: `codequarry.schemas.FILE_EDGES` of what ties two files.
        vectors: (files, d) of their skeletons; (files, 0) without a model.
        symbol_files: the file of each symbol.
        symbol_parts: the words of each symbol's name.
    """

    paths: Sequence[str]
    roles: Sequence[str]
    edges: pa.Table
    vectors: npt.NDArray[np.float32]
    symbol_files: npt.NDArray[np.int32]
    symbol_parts: pa.ListArray

    def key(self) -> str:
        """The graph's fingerprint."""
        digest = hashlib.sha256(GRAPH_VERSION.encode())
        digest.update(json.dumps([list(self.paths), list(self.roles)]).encode())
        for name in ("from", "to", "n"):
            digest.update(np.ascontiguousarray(self.edges[name]).tobytes())
        digest.update(json.dumps(self.edges["type"].to_pylist()).encode())
        digest.update(np.ascontiguousarray(self.vectors).tobytes())
        digest.update(np.ascontiguousarray(self.symbol_files).tobytes())
        digest.update(json.dumps(self.symbol_parts.to_pylist()).encode())
        return digest.hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class Graph:
    """The graph as a generation holds it.

    Attributes:
        tables: by name, as in `TABLES`.
        facts: what the tables do not say: floors and counts.
    """

    tables: dict[str, pa.Table]
    facts: dict[str, Any]

    def problems(self, n_files: int) -> list[str]:
        """What is wrong with it: ends that are no file, files in no community."""
        community = np.asarray(self.tables["graph"]["community"])
        sizes = np.asarray(self.tables["communities"]["size"])
        found = []
        if len(community) != n_files:
            found.append(f"{len(community)} files of {n_files}")
        if np.any(np.bincount(community, minlength=len(sizes)) != sizes):
            found.append("sizes of communities")
        for name, one, other in (
            ("tied_files", "from", "to"),
            ("semantic_edges", "from", "to"),
            ("surprises", "first", "second"),
        ):
            ends = np.stack([np.asarray(self.tables[name][column]) for column in (one, other)])
            if np.any((ends < 0) | (ends >= n_files)) or np.any(ends[0] == ends[1]):
                found.append(f"ends of {name}")
        return found


def build_graph(layout: Layout, inputs: GraphInputs) -> Graph:
    """The graph of these inputs; that of the last run where it was made from the same.

    Raises:
        StoreWriteError: the disk refused.
    """
    folder = layout.state / "graph"
    target = folder / inputs.key()
    kept = _read(target)
    if kept is not None:
        return kept
    graph = make_graph(inputs)
    with write_errors(layout.state):
        with atomic_dir(target, replace=True) as part:
            write_graph(part, graph)
            (part / "facts.json").write_text(json.dumps(graph.facts, sort_keys=True))
        for other in folder.iterdir():
            if other != target and other.is_dir():
                _remove(other)
    return graph


def make_graph(inputs: GraphInputs) -> Graph:
    """The graph of these inputs: a pure function of them."""
    n_files = len(inputs.paths)
    structural = structure(n_files, inputs.edges)
    semantic = likeness(inputs.vectors)
    belongs = _communities(n_files, structural, semantic)
    supporting = np.isin(np.array(inputs.roles, dtype=object), _SUPPORTING)
    words = words_of(inputs.symbol_files, inputs.symbol_parts, inputs.paths)
    names = community_names(inputs.paths, supporting, structural.degree, belongs, words)
    sizes = np.bincount(belongs, minlength=len(names)).astype(np.int32)
    tables = {
        "graph": pa.table(
            [belongs, structural.degree, structural.referring, structural.referred],
            schema=GRAPH_FILES,
        ),
        "communities": pa.table([names, sizes], schema=COMMUNITIES),
        "tied_files": inputs.edges,
        "semantic_edges": _both_ways(semantic),
        "surprises": _surprises(structural, semantic, belongs, words),
    }
    facts = {
        "version": GRAPH_VERSION,
        "hub_degree": structural.hub_degree,
        "edge_floor": semantic.floors.edge,
        "edge_percentile": EDGE_PERCENTILE,
        "surprise_floor": semantic.floors.surprise,
        "surprise_percentile": SURPRISE_PERCENTILE,
        "structural_edges": len(structural.first),
        "semantic_edges": len(semantic.first),
        "communities": int(np.count_nonzero(sizes > 1)),
    }
    return Graph(tables, facts)


def _communities(n_files: int, structural: Structure, semantic: Likeness) -> npt.NDArray[np.int32]:
    return communities(
        n_files,
        structural_votes(structural.first, structural.second, structural.kinds).and_(
            semantic_votes(semantic.first, semantic.second, semantic.cosine)
        ),
        structural.is_hub,
    )


def _both_ways(semantic: Likeness) -> pa.Table:
    origin = np.concatenate([semantic.first, semantic.second]).astype(np.int32)
    target = np.concatenate([semantic.second, semantic.first]).astype(np.int32)
    cosine = np.concatenate([semantic.cosine, semantic.cosine])
    order = np.lexsort((target, -cosine, origin))
    return pa.table([origin[order], target[order], cosine[order]], schema=SEMANTIC_EDGES)


def _surprises(
    structural: Structure, semantic: Likeness, belongs: npt.NDArray[np.int32], words: Words
) -> pa.Table:
    n_files = len(belongs)
    pairs = semantic.first * max(n_files, 1) + semantic.second
    tied = np.isin(pairs, structural.first * max(n_files, 1) + structural.second)
    apart = belongs[semantic.first] != belongs[semantic.second]
    alike = semantic.cosine >= np.float32(semantic.floors.surprise)
    telling = np.bincount(words.files, minlength=n_files) >= SUBSTANCE
    telling = telling[semantic.first] & telling[semantic.second]
    keep = np.flatnonzero(~tied & apart & alike & telling)
    order = keep[np.lexsort((semantic.second[keep], semantic.first[keep], -semantic.cosine[keep]))]
    ends = (semantic.first[order].astype(np.int32), semantic.second[order].astype(np.int32))
    return pa.table([*ends, semantic.cosine[order]], schema=SURPRISES)


def write_graph(folder: Path, graph: Graph) -> None:
    """Write the tables, one file each."""
    for name in TABLES:
        table = graph.tables[name].combine_chunks()
        path = str(folder / f"{name}.arrow")
        with pa.OSFile(path, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)


def _read(folder: Path) -> Graph | None:
    try:
        tables = {}
        for name in TABLES:
            with pa.OSFile(str(folder / f"{name}.arrow"), "rb") as source:
                tables[name] = pa.ipc.open_file(source).read_all()
        facts = json.loads((folder / "facts.json").read_text())
    except (OSError, ValueError):
        return None
    return Graph(tables, facts) if isinstance(facts, dict) else None


def _remove(folder: Path) -> None:
    for item in folder.iterdir():
        item.unlink(missing_ok=True)
    folder.rmdir()
