"""Find every definition of a tree, at any depth, with one pass of the compiled query."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from codequarry.assets.languages.grammars import Grammar
from codequarry.assets.languages.spec import Rule, Wrap
from codequarry.vocabulary import Kind

_MAX_NAME = 1000  # C++ template arguments count until they are cut off

Span = tuple[int, int]


@dataclass(slots=True)
class Definition:
    """A definition while its file is being read; byte spans in the parsed bytes."""

    rule: Rule
    order: int  # of the rule in its spec: the first that sees a definition names it
    name: str
    start: int  # of the first decorator or attribute that belongs to it
    inner: int  # of the definition node itself
    end: int
    name_start: int
    start_row: int
    end_row: int
    name_row: int
    kind: Kind
    head: int  # where the signature begins
    body: int = -1  # where the signature ends, -1: not known
    params: Span | None = None
    value: Span | None = None
    owner: str = ""
    receiver: str = ""
    trait: str = ""
    scope: tuple[str, ...] = ()
    path: tuple[
        str, ...
    ] = ()  # the name's parts (`Admin::Users` has two), then the name is the last
    prefix: tuple[str, ...] = ()
    parent: Definition | None = None
    static: bool = False
    exported: bool = False
    default: bool = False
    outside: bool = False  # its scope is what lies around the type it is written in
    section: str = ""  # the visibility word that governs the members that follow (Ruby)


class Comment(NamedTuple):
    """A comment by rows; the text is cut out only when a definition asks for it."""

    start: int
    end: int
    start_row: int
    column: int  # of its first byte


@dataclass(slots=True)
class Found:
    """What the query found, sorted as the file reads."""

    definitions: list[Definition] = field(default_factory=list)
    comments: dict[int, Comment] = field(default_factory=dict)  # by the row they end on
    attributes: dict[int, Comment] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)
    default: set[str] = field(default_factory=set)
    sections: list[tuple[int, str]] = field(default_factory=list)  # (byte, word)


_Wrapped = tuple[Node, Wrap]
_Match = tuple[int, dict[str, list[Node]]]


def find(root: Node, source: bytes, grammar: Grammar) -> Found:
    """Run the query over the tree and give its definitions in reading order."""
    found = Found()
    wraps: dict[Span, _Wrapped] = {}
    values: set[Span] = set()
    for index, captures in _matches(root, source, grammar):
        action = grammar.actions[index]
        if isinstance(action, Rule):
            _definitions(index, action, captures, source, found.definitions, values)
        elif isinstance(action, Wrap):
            outer = captures["outer"][0]
            for inner in captures["inner"]:
                span = inner.byte_range
                if action.default or span not in wraps:
                    wraps[span] = (outer, action)
        else:
            _note(action, captures, source, found)
    ordered = sorted(found.definitions, key=lambda d: (d.inner, -d.end, d.order))
    found.definitions = _distinct(ordered, values)
    if wraps:
        for definition in found.definitions:
            _unwrap(definition, wraps, source)
    return found


def nesting(found: Found) -> int:
    """How deep the deepest definition lies in others, itself counted."""
    deepest = 0
    ends: list[int] = []
    for definition in found.definitions:
        while ends and ends[-1] <= definition.inner:
            ends.pop()
        ends.append(definition.end)
        deepest = max(deepest, len(ends))
    return deepest


def _matches(root: Node, source: bytes, grammar: Grammar) -> Iterable[_Match]:
    """All matches of the query; of a deep tree only the parts that may hold a definition."""
    spec = grammar.spec
    if spec.nested is None:
        return grammar.cursor.matches(root)
    shallow = grammar.shallow.matches(root)
    holders = [captures["def"][0] for _, captures in shallow if "def" in captures]
    known = {holder.start_byte for holder in holders}
    deeper = [at for found in spec.nested.finditer(source) if (at := found.start(1)) not in known]
    if not deeper:
        return shallow
    holders.extend(root.children)
    holders.sort(key=_start)
    starts = [holder.start_byte for holder in holders]
    opened: dict[int, Node] = {}
    for at in deeper:
        place = bisect_right(starts, at) - 1
        while place >= 0 and holders[place].end_byte <= at:
            place -= 1
        if place >= 0:
            opened[holders[place].id] = holders[place]
    return [
        *shallow,
        *(match for node in opened.values() for match in grammar.cursor.matches(node)),
    ]


def _start(node: Node) -> tuple[int, int]:
    return node.start_byte, -node.end_byte


def _definitions(
    order: int,
    rule: Rule,
    captures: dict[str, list[Node]],
    source: bytes,
    into: list[Definition],
    values: set[Span],
) -> None:
    """One definition a captured name: Go's ``X, Y = 1, 2`` makes two."""
    whole = captures["def"][0]
    start, end = whole.byte_range
    if rule.unless is not None and rule.unless.search(source, start, min(end, start + 400)):
        return
    body = captures.get("body")
    params = captures.get("params")
    value: Span | None = None
    if "value" in captures:
        value = captures["value"][0].byte_range
        values.add(value)
    start_row = whole.start_point[0]
    end_row = whole.end_point[0]
    if source[end - 1 : end].isspace():
        end_row = _last_row(whole, source)
    if rule.rest:
        end, end_row = len(source), max(end_row, source.rstrip().count(b"\n"))
    for name_node in captures.get("name", (None,)):
        name_start, name, name_row = start, rule.unnamed, start_row
        if name_node is not None:
            name = _name(name_node, rule, source)
            if not name:
                continue
            name_start, name_row = name_node.start_byte, name_node.start_point[0]
        definition = Definition(
            rule=rule,
            order=order,
            name=name,
            start=start,
            inner=start,
            end=end,
            name_start=name_start,
            start_row=start_row,
            end_row=end_row,
            name_row=name_row,
            kind=rule.kind,
            head=start,
            body=body[0].start_byte if body else -1,
            params=params[0].byte_range if params else None,
            value=value,
        )
        for word in ("owner", "receiver", "trait"):
            if word in captures:
                first, last = captures[word][0].byte_range
                setattr(definition, word, source[first:last].decode("utf-8", "replace"))
        into.append(definition)


def _name(node: Node, rule: Rule, source: bytes) -> str:
    """The name as it is written out; empty where an expression or `_` stands for one."""
    name = _text(node, source)
    if name[:1] in "\"'`":
        name = name.strip("\"'`")
    if "\n" in name:
        name = " ".join(name.split())
    if rule.form:
        name = rule.form.format(name)
    if not name or name == "_" or len(name) > _MAX_NAME or (name[0] == "[" and " " in name):
        return ""
    return name


def _last_row(whole: Node, source: bytes) -> int:
    """The row of the last word of a node that took blank lines, or the next one's comment, in.

    Grammars of languages that close a block by indentation do that (Scala without braces).
    """
    start, column = whole.start_byte, whole.start_point[1]
    end = whole.end_byte
    node = whole
    while node.child_count:
        *before, last = node.children
        while before and last.type.endswith("comment") and last.start_point[1] <= column:
            end = last.start_byte
            last = before.pop()
        node = last
    text = source[start:end].rstrip()
    return whole.start_point[0] + text.count(b"\n")


def _note(what: str, captures: dict[str, list[Node]], source: bytes, found: Found) -> None:
    if what in ("comment", "attribute"):
        node = captures["def"][0]
        end_row, end_column = node.end_point
        start_row, column = node.start_point
        if end_column == 0 and end_row > start_row:
            end_row -= 1
        kept = found.comments if what == "comment" else found.attributes
        start, end = node.byte_range
        kept[end_row] = Comment(start, end, start_row, column)
        return
    for word, names in (("exported", found.exported), ("default", found.default)):
        names.update(_text(node, source) for node in captures.get(word, ()))
    for node in captures.get("section", ()):
        found.sections.append((node.start_byte, _text(node, source)))


def _text(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _distinct(ordered: list[Definition], values: set[Span]) -> list[Definition]:
    """Drop what two rules saw twice, and the value that only repeats its binding's name."""
    kept: list[Definition] = []
    seen: set[tuple[int, int]] = set()
    for definition in ordered:
        key = (definition.name_start, definition.end)
        if key in seen or (definition.inner, definition.end) in values:
            continue
        seen.add(key)
        kept.append(definition)
    return kept


def _unwrap(definition: Definition, wraps: dict[Span, _Wrapped], source: bytes) -> None:
    span = (definition.inner, definition.end)
    while span in wraps:
        outer, wrap = wraps[span]
        outer_row = outer.start_point[0]
        if wrap.same_line and outer_row != definition.start_row:
            return
        definition.start = outer.start_byte
        definition.start_row = outer_row
        if wrap.in_signature:
            definition.head = outer.start_byte
        definition.exported = definition.exported or wrap.exports
        definition.default = definition.default or wrap.default
        definition.outside = definition.outside or wrap.outside
        if span == outer.byte_range:
            return
        span = outer.byte_range
