"""The graph's answers as programs get them, and which file a word means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codequarry.errors import UsageError
from codequarry.retrieval.answer import Evidence
from codequarry.retrieval.graph.carriers import Splicer
from codequarry.retrieval.graph.explain import ExplainedRoute, explain
from codequarry.retrieval.graph.lanes import FileGraph
from codequarry.retrieval.graph.node import CODE_LINES, Node, node
from codequarry.retrieval.graph.overview import overview
from codequarry.retrieval.graph.resolve import Resolved, resolve
from codequarry.retrieval.graph.routes import find_route
from codequarry.retrieval.index import Index, Options
from codequarry.retrieval.reading import NEAREST

Document = dict[str, Any]
OpenIndex = Callable[[], Index]  # asked only where words have to be searched for


def map_document(graph: FileGraph, *, brief: bool = False) -> Document:
    """The map of a repository; unless ``brief`` with every node and edge."""
    return overview(graph).as_json() | ({} if brief else _all_of(graph))


def _all_of(graph: FileGraph) -> Document:
    """Every node and every edge; edges name their ends by the place in the list of nodes."""
    nodes = [
        {"path": path, "community": community, "degree": degree, "in": referring, "out": referred}
        for path, community, degree, referring, referred in zip(
            graph.generation.paths,
            graph.community.tolist(),
            graph.degree.tolist(),
            graph.referring.tolist(),
            graph.referred.tolist(),
            strict=True,
        )
    ]
    semantic = graph.generation.graph_table("semantic_edges").to_pylist()
    return {
        "nodes": nodes,
        "edges": graph.edges.to_pylist(),
        "semantic_edges": [
            row | {"cosine": round(row["cosine"], 4)} for row in semantic if row["from"] < row["to"]
        ],
    }


def resolved_file(graph: FileGraph, index: OpenIndex, what: str) -> Resolved:
    """The file that a path, a name, a symbol or a few words mean.

    Raises:
        UsageError: nothing fits; the nearest paths are named.
    """

    def search(words: str) -> list[str]:
        answer = index().search(words, Options(check_files=False))
        if answer.evidence is Evidence.NONE:
            near = ", ".join(answer.paths[:NEAREST])
            raise UsageError(f"nothing indexed is like {words!r}", near and f"nearest: {near}")
        return answer.paths

    return resolve(graph, what, search)


def file_node(graph: FileGraph, index: OpenIndex, what: str, lines: int = CODE_LINES) -> Node:
    """One file and what is around it; ``lines`` of code at most, 0 for all."""
    return node(graph, resolved_file(graph, index, what), lines)


def file_route(graph: FileGraph, index: OpenIndex, start: str, end: str) -> ExplainedRoute:
    """The route between two files, and what carries each hop."""
    ends = (resolved_file(graph, index, start), resolved_file(graph, index, end))
    route = find_route(graph, ends[0].file, ends[1].file)
    return explain(graph, Splicer(graph.generation), ends, route)
