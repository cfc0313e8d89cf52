"""Units: the siblings of a syntax tree as runs of whole lines that leave nothing out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tree_sitter import Node


@dataclass(slots=True)
class Unit:
    """Rows that belong together, and the nodes they come from."""

    first: int
    last: int
    nodes: list[Node]
    size: int = 0


def rows_of(node: Node) -> tuple[int, int]:
    """First and last row a node really stands on (a trailing line end adds no row)."""
    first = node.start_point[0]
    last, column = node.end_point
    if column == 0 and last > first:
        last -= 1
    return first, last


def line_units(nodes: Iterable[Node], first: int, last: int, beside: frozenset[str]) -> list[Unit]:
    """Cut rows ``first`` to ``last`` between sibling nodes.

    Comments, attributes and blank lines go with the unit after them, nodes that share a line
    stay together, closing brackets and whatever trails go with the last unit.
    """
    units: list[Unit] = []
    reached = first - 1
    for node in nodes:
        top = node.start_point[0]
        trailing = bool(units) and top <= reached
        if not trailing and node.type in beside:
            continue
        bottom, column = node.end_point
        if column == 0 and bottom > top:
            bottom -= 1
        if bottom > last:
            bottom = last
        if bottom < first or top > last:
            continue
        if trailing:
            unit = units[-1]
            if bottom > reached:
                unit.last = reached = bottom
            unit.nodes.append(node)
        elif units and not node.is_named:
            unit = units[-1]
            unit.last = reached = bottom
            unit.nodes.append(node)
        else:
            units.append(Unit(reached + 1, bottom, [node]))
            reached = bottom
    if not units:
        return [Unit(first, last, [])]
    units[-1].last = last
    return units
