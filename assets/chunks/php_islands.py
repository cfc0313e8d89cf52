"""Islands of HTML in a PHP file, and the rows where the page turns from code to HTML and back."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Language, Node, Parser, Query, QueryCursor

_QUERY = "(text_interpolation) @island"
_ONE_LINERS = frozenset({"echo_statement", "expression_statement"})
_OPENING = frozenset({"{", ":", "php_tag"})


@dataclass(frozen=True, slots=True)
class Island:
    """A run of HTML: its bytes, and the rows before which a cut falls between HTML and code."""

    text: tuple[int, int]
    transitions: tuple[int, ...]


@lru_cache(maxsize=1)
def _query(language: Language) -> Query:
    return Query(language, _QUERY)


def islands_of(root: Node, inside: Sequence[tuple[int, int]], parser: Parser) -> list[Island]:
    """The islands that hold a visible character, outside the given byte spans.

    Args:
        root: of the file.
        inside: functions and types, whose HTML is theirs.
        parser: gives the language of the tree.
    """
    language = parser.language
    if language is None:
        return []
    found = QueryCursor(_query(language)).captures(root).get("island", [])
    outer = _outermost(inside)
    starts = [start for start, _ in outer]
    islands = []
    for node in sorted(found, key=lambda island: island.start_byte):
        at = bisect_right(starts, node.start_byte) - 1
        if at >= 0 and node.end_byte <= outer[at][1]:
            continue
        text = next((child for child in node.children if child.type == "text"), None)
        if text is not None and (text.text or b"").strip():
            islands.append(Island(text.byte_range, tuple(_transitions(node))))
    return islands


def _outermost(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    outer: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not outer or start >= outer[-1][1]:
            outer.append((start, end))
    return outer


def _transitions(node: Node) -> list[int]:
    """Where the island begins after a statement, and where a statement goes on after it.

    The head of a loop or a branch is no statement before the island that it holds; a value
    printed within one line is part of the HTML around it.
    """
    rows = []
    before, after = node.prev_sibling, node.next_sibling
    if before is not None and before.type not in _OPENING and not _within_html(before):
        same = before.end_point[0] == node.start_point[0]
        rows.append(node.start_point[0] + (1 if same else 0))
    if after is not None and after.is_named and not _within_html(after):
        tag = node.children[-1]
        text = node.children[-2] if node.child_count > 1 else tag
        if tag.type == "php_tag" and (text.text or b"\n").rstrip(b" \t").endswith(b"\n"):
            rows.append(tag.start_point[0])
    return rows


def _within_html(node: Node) -> bool:
    if node.type not in _ONE_LINERS or node.start_point[0] != node.end_point[0]:
        return False
    sides = (node.prev_sibling, node.next_sibling)
    return all(side is not None and side.type == "text_interpolation" for side in sides)
