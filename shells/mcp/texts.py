"""Graph answers as short text: a model reads lines with less effort than nested JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codequarry.retrieval.edges import EdgeAnswer
from codequarry.retrieval.graph.explain import ExplainedRoute
from codequarry.retrieval.graph.node import Node
from codequarry.retrieval.impact import Impacted

_TIES = 15
_SYMBOLS = 30


def edges_text(answer: EdgeAnswer, *, outward: bool) -> str:
    """One edge a line: the place, who stands there, and for calls that go out, to what."""
    if not answer.symbols:
        return f"no symbol is called {answer.symbol}"
    lines = [f"{answer.symbol}: {answer.count} known"]
    if answer.ambiguous:
        names = sorted({symbol.qualified for symbol in answer.symbols})
        lines.append(f"that name has {len(names)} meanings: {', '.join(names[:8])}")
    for edge in answer.edges:
        end = f"  -> {edge.target}" if outward or answer.ambiguous else ""
        end += f" ({edge.target_path}:{edge.target_line})" if outward and edge.resolved else ""
        lines.append(f"{edge.path}:{edge.line}  {edge.symbol}{end}")
    if answer.count > len(answer.edges):
        lines.append(f"... {answer.count - len(answer.edges)} more: give a higher limit")
    if answer.n_possible:
        lines.append(f"{answer.n_possible} more calls of that name on unknown receivers")
    return "\n".join(lines)


def symbols_text(document: dict[str, Any]) -> str:
    """Where symbols are, with their signatures and the first line of their comments."""
    rows = document["rows"]
    if not rows:
        return f"no symbol is called {document['symbol']}"
    lines = []
    for row in rows:
        doc = f"  # {row['doc'].splitlines()[0]}" if row["doc"] else ""
        signature = " ".join((row["signature"] or row["qualified"]).split())
        lines.append(f"{row['path']}:{row['line']}  {row['kind']}  {signature}{doc}")
    return "\n".join(lines)


def impact_text(name: str, found: Iterable[Impacted]) -> str:
    """Who breaks, nearest first."""
    rows = [
        f"{row.depth}  {row.path}:{row.line}  {row.symbol} via {row.via}"
        + ("  (test)" if row.test else "")
        for row in found
    ]
    return "\n".join(rows) or f"nothing that is known refers to {name}"


def node_text(node: Node) -> str:
    """A file: what it is for, what it touches, what is in it."""
    lines = [f"{node.path}  ({node.language}, {node.role}; {node.degree} neighbours)"]
    lines += [node.doc] if node.doc else []
    lines.append(f"community: {node.community_name} ({node.community_size} files)")
    for title, ties in (("refers to", node.references), ("referred to by", node.referrers)):
        if ties:
            shown = ", ".join(path for path, _ in ties[:_TIES])
            more = f" and {len(ties) - _TIES} more" if len(ties) > _TIES else ""
            lines.append(f"{title}: {shown}{more}")
    if node.alike:
        lines.append(f"says alike: {', '.join(path for path, _ in node.alike)}")
    for symbol in node.symbols[:_SYMBOLS]:
        signature = " ".join((symbol.signature or symbol.qualified).split())
        lines.append(f"{symbol.line:6}  {signature}  [{symbol.uses} uses]")
    if len(node.symbols) > _SYMBOLS:
        lines.append(f"... {len(node.symbols) - _SYMBOLS} more symbols")
    return "\n".join(lines)


def route_text(route: ExplainedRoute) -> str:
    """A route, a hop a line, with the symbols that carry it."""
    if not route.found:
        return f"nothing connects {route.start_path} and {route.end_path}"
    lines = []
    for hop in route.hops:
        lines.append(f"{hop.origin} -> {hop.target}")
        lines += [
            f"    {carrier.type} {carrier.symbol} at {carrier.use.path}:{carrier.use.line}"
            for carrier in hop.carriers
        ]
    return "\n".join(lines)
