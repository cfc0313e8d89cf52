"""One file of the graph: where it belongs, what it touches, what is in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from codequarry.errors import QuarryError
from codequarry.retrieval.graph.lanes import FileGraph, Tie
from codequarry.retrieval.graph.resolve import Resolved
from codequarry.retrieval.reading import get_code
from codequarry.text import split_lines

CODE_LINES = 200  # that are shown unless asked for more
_PROSE = ("fence", "html")


@dataclass(frozen=True, slots=True)
class NodeSymbol:
    """A definition of the file."""

    qualified: str
    kind: str
    line: int
    signature: str
    uses: int  # references to it that are known


@dataclass(frozen=True, slots=True)
class NodeChunk:
    """Lines of the file, as they are on disk."""

    start_line: int
    end_line: int
    kind: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Node:
    """A file and what is around it."""

    resolved: Resolved
    path: str
    language: str
    role: str
    doc: str
    community: int
    community_name: str
    community_size: int
    degree: int
    is_hub: bool
    references: tuple[tuple[str, Tie], ...]  # files it refers to
    referrers: tuple[tuple[str, Tie], ...]  # files that refer to it
    alike: tuple[tuple[str, float], ...]
    symbols: tuple[NodeSymbol, ...]
    chunks: tuple[NodeChunk, ...]
    more_lines: int  # of code, beyond the limit
    changed: bool  # the file is not as it was indexed

    def as_json(self) -> dict[str, Any]:
        """The documented JSON form."""
        return {
            "asked": self.resolved.asked,
            "resolved_by": self.resolved.how,
            "others": list(self.resolved.others),
            "path": self.path,
            "language": self.language,
            "role": self.role,
            "doc": self.doc,
            "community": {
                "id": self.community,
                "name": self.community_name,
                "size": self.community_size,
            },
            "degree": self.degree,
            "hub": self.is_hub,
            "out": [_tie_json(path, tie) for path, tie in self.references],
            "in": [_tie_json(path, tie) for path, tie in self.referrers],
            "semantic": [{"path": path, "cosine": cosine} for path, cosine in self.alike],
            "symbols": [
                {
                    "qualified": symbol.qualified,
                    "kind": symbol.kind,
                    "line": symbol.line,
                    "signature": symbol.signature,
                    "uses": symbol.uses,
                }
                for symbol in self.symbols
            ],
            "chunks": [
                {
                    "start_line": chunk.start_line,
                    "end_line": chunk.end_line,
                    "kind": chunk.kind,
                    "name": chunk.name,
                    "text": chunk.text,
                }
                for chunk in self.chunks
            ],
            "more_lines": self.more_lines,
            "changed": self.changed,
        }


def _tie_json(path: str, tie: Tie) -> dict[str, Any]:
    return {"path": path, "count": tie.count, "types": tie.types}


def node(graph: FileGraph, resolved: Resolved, lines: int = CODE_LINES) -> Node:
    """What is known of a file.

    Args:
        graph: of the generation.
        resolved: the file.
        lines: of code at most; 0 for all of it.
    """
    generation, file = graph.generation, resolved.file
    record = generation.files.slice(file, 1).to_pylist()[0]
    community = int(graph.community[file])
    chunks, more, changed = _chunks(graph, record, lines)
    return Node(
        resolved=resolved,
        path=record["path"],
        language=record["language"],
        role=record["role"],
        doc=record["doc"],
        community=community,
        community_name=graph.names[community],
        community_size=int(graph.sizes[community]),
        degree=int(graph.degree[file]),
        is_hub=int(graph.degree[file]) > graph.hub_degree,
        references=tuple((graph.path(tie.file), tie) for tie in graph.references(file)),
        referrers=tuple((graph.path(tie.file), tie) for tie in graph.referrers(file)),
        alike=tuple((graph.path(other), cosine) for other, cosine in graph.alike(file)),
        symbols=tuple(_symbols(graph, record)),
        chunks=chunks,
        more_lines=more,
        changed=changed,
    )


def _symbols(graph: FileGraph, record: dict[str, Any]) -> list[NodeSymbol]:
    first, count = record["first_symbol"], record["n_symbols"]
    pointers = graph.generation.link_array("in_pointers")
    rows = graph.generation.symbols.slice(first, count).to_pylist()
    return [
        NodeSymbol(
            symbol["qualified"],
            symbol["kind"],
            symbol["name_line"],
            symbol["signature"],
            int(pointers[first + i + 1] - pointers[first + i]),
        )
        for i, symbol in enumerate(rows)
        if symbol["kind"] not in _PROSE
    ]


def _chunks(
    graph: FileGraph, record: dict[str, Any], limit: int
) -> tuple[tuple[NodeChunk, ...], int, bool]:
    """The file's chunks up to a number of lines, how many are left out, and whether it changed."""
    generation = graph.generation
    try:
        span = get_code(generation, record["path"])
    except QuarryError:
        return (), record["line_count"], True
    text = split_lines(span.text)
    found: list[NodeChunk] = []
    left = limit or len(text)
    for chunk in generation.chunks.slice(record["first_chunk"], record["n_chunks"]).to_pylist():
        start, end = chunk["start_line"], min(chunk["end_line"], len(text))
        if left <= 0 or end < start:
            break
        end = min(end, start + left - 1)
        left -= end - start + 1
        body = "".join(text[start - 1 : end])
        found.append(NodeChunk(start, end, chunk["kind"], chunk["name"], body))
    shown = sum(chunk.end_line - chunk.start_line + 1 for chunk in found)
    return tuple(found), max(0, len(text) - shown), span.changed
