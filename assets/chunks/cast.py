"""Split-then-merge over the syntax tree (the cAST recipe), as an exact partition of lines.

Small units merge under the budget; an oversize one is split along its structure: a type into
a header and its members, a function into numbered blocks of statements, and what has no
structure left into line windows. Depth is bounded, so no nesting can exhaust the stack.
"""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from codequarry.assets.chunks.labels import Piece, Run, label
from codequarry.assets.chunks.measure import BUDGET, Measure
from codequarry.assets.chunks.units import Unit, line_units, rows_of
from codequarry.assets.chunks.windows import window_rows
from codequarry.assets.languages.spec import CALLABLE_KINDS, CONTAINER_KINDS, LangSpec
from codequarry.assets.symbols.definitions import Definition, Span
from codequarry.assets.symbols.scopes import inner_scope
from codequarry.vocabulary import Chunk, Kind

_MAX_DEPTH = 48  # structural splits inside one another; deeper is cut into windows
_MAX_DESCENT = 64  # only children followed down to the node that branches
_DENSE = 400  # non-white-space characters a line, over it code is minified: no structure to see
# Their first line says too little to stand alone: it goes with the first member.
_HEADLESS = frozenset({Kind.IMPL, Kind.NAMESPACE, Kind.MODULE})
_DEFINITION_DEPTH = 5  # from a statement to the definition it wraps


@dataclass(slots=True)
class Cutter:
    """Cuts units into pieces; `pieces` are in line order."""

    measure: Measure
    spec: LangSpec
    beside: frozenset[str]
    by_span: dict[Span, Definition]
    pieces: list[Piece]

    def pack(self, units: list[Unit], run: Run, depth: int) -> None:
        """Merge neighbours greedily under the budget; split what is over it."""
        current: Unit | None = None
        for unit in units:
            unit.size = self.measure.size(unit.first, unit.last)
            if unit.size > BUDGET:
                self._flush(current, run)
                current = None
                self._split(unit, run, depth)
            elif current is not None and current.size + unit.size <= BUDGET:
                current.last = unit.last
                current.size += unit.size
            else:
                self._flush(current, run)
                current = unit
        self._flush(current, run)

    def _flush(self, unit: Unit | None, run: Run) -> None:
        if unit is not None:
            self.pieces.append(Piece(unit.first, unit.last, run))

    def _split(self, unit: Unit, run: Run, depth: int) -> None:
        self._split_off_gap(unit, run)
        if unit.size <= BUDGET:
            self._flush(unit, run)
            return
        rows = unit.last - unit.first + 1
        if depth >= _MAX_DEPTH or rows == 1 or unit.size > _DENSE * rows:
            self._windows(unit, run)
            return
        definition = self.definition_of(unit)
        if definition is not None and definition.kind in CONTAINER_KINDS:
            self._split_container(unit, definition, depth)
            return
        transparent = any(node.type in self.spec.transparent for node in unit.nodes)
        if definition is not None or (run.members and not transparent):
            run = Run(definition=definition, scope=run.scope)
        units = self._expand(unit, definition)
        if len(units) < 2:
            self._windows(unit, run)
        else:
            self.pack(units, run, depth + 1)

    def _split_off_gap(self, unit: Unit, run: Run) -> None:
        """A comment longer than the budget does not drag its function into windows."""
        if not unit.nodes:
            return
        top = rows_of(unit.nodes[0])[0]
        if top > unit.first and self.measure.size(unit.first, top - 1) > BUDGET:
            self._windows(Unit(unit.first, top - 1, []), run)
            unit.first = top
            tail = self.pieces[-1].first  # the comment's end goes with its definition if it fits
            if self.measure.size(tail, unit.last) <= BUDGET:
                self.pieces.pop()
                unit.first = tail
            unit.size = self.measure.size(unit.first, unit.last)

    def _windows(self, unit: Unit, run: Run) -> None:
        for first, last in window_rows(self.measure, unit.first, unit.last):
            self.pieces.append(Piece(first, last, run, window=True))

    def _split_container(self, unit: Unit, definition: Definition, depth: int) -> None:
        units = self._expand(unit, definition)
        inside = Run(definition=definition, members=True, scope=inner_scope(definition))
        if definition.kind in _HEADLESS and len(units) > 1:
            self.pack(units, inside, depth + 1)
            return
        head, size = 0, 0
        for member in units:
            size += self.measure.size(member.first, member.last)
            if size > BUDGET or (head and self._is_member(member)):
                break
            head += 1
        if head:
            self.pieces.append(Piece(units[0].first, units[head - 1].last, inside, header=True))
        if head == 0 and len(units) < 2:
            self._windows(unit, inside)
        else:
            self.pack(units[head:], inside, depth + 1)

    def _is_member(self, unit: Unit) -> bool:
        definition = self.definition_of(unit)
        return definition is not None and definition.kind in CALLABLE_KINDS | CONTAINER_KINDS

    def inside(self, unit: Unit) -> list[Unit]:
        """What a unit consists of, where it branches; nothing when it does not."""
        units = self._expand(unit, None)
        return units if len(units) > 1 else []

    def definition_of(self, unit: Unit) -> Definition | None:
        """The definition a unit consists of, looking through exports and declarations."""
        for node in unit.nodes:
            for _ in range(_DEFINITION_DEPTH):
                definition = self.by_span.get(node.byte_range)
                if definition is not None:
                    return definition
                largest = _largest(node.named_children)
                if largest is None or not _covers(largest, node):
                    break
                if node.type in self.spec.transparent:
                    break
                node = largest
        return None

    def _expand(self, unit: Unit, own: Definition | None) -> list[Unit]:
        """The unit cut between its children, after following it down to where it branches."""
        children = [child for node in unit.nodes for child in node.children]
        units = [unit]
        # a type is opened as far as its body, whatever stands on lines of its own before it
        body = own.body if own is not None and own.kind in CONTAINER_KINDS else -1
        for _ in range(_MAX_DESCENT):
            if not children:
                break
            units = line_units(children, unit.first, unit.last, self.beside)
            opened = _around(children, body)
            if opened is None:
                opened = _largest(children)
                if len(units) > 2 or opened is None:
                    break
                if len(units) == 2 and self._is_foreign(opened, own):
                    break
            elif opened.start_byte == body:
                body = -1
            at = children.index(opened)
            children[at : at + 1] = opened.children
        return units

    def _is_foreign(self, node: Node, own: Definition | None) -> bool:
        definition = self.by_span.get(node.byte_range)
        return definition is not None and definition is not own


def _largest(nodes: list[Node]) -> Node | None:
    """The node over most bytes that can be opened."""
    best, best_size = None, 0
    for node in nodes:
        size = node.end_byte - node.start_byte
        if size > best_size and node.child_count:
            best, best_size = node, size
    return best


def _around(nodes: list[Node], byte: int) -> Node | None:
    """The node that can be opened and holds ``byte``."""
    for node in nodes if byte >= 0 else ():
        if node.start_byte <= byte < node.end_byte and node.child_count:
            return node
    return None


def _opened(nodes: list[Node], spec: LangSpec) -> list[Node]:
    """The nodes, import lists opened: their last line may hold the next definition's comment."""
    if not spec.swallowing:
        return nodes
    opened: list[Node] = []
    for node in nodes:
        if node.type in spec.swallowing and node.children:
            *others, final = node.children
            opened += (*others, *(final.children or [final]))
        else:
            opened.append(node)
    return opened


def _covers(inner: Node, outer: Node) -> bool:
    """Whether ``outer`` is little more than a wrapper of ``inner``."""
    return 5 * (inner.end_byte - inner.start_byte) > 4 * (outer.end_byte - outer.start_byte)


def cutter_of(
    measure: Measure, definitions: list[Definition], spec: LangSpec, beside: frozenset[str]
) -> Cutter:
    """A cutter for one parsed file."""
    by_span: dict[Span, Definition] = {}
    for definition in definitions:
        by_span.setdefault((definition.inner, definition.end), definition)
        by_span.setdefault((definition.start, definition.end), definition)
    return Cutter(measure, spec, beside, by_span, [])


def cut(
    root: Node,
    measure: Measure,
    definitions: list[Definition],
    spec: LangSpec,
    beside: frozenset[str],
) -> list[Chunk]:
    """The chunks of a parsed file."""
    cutter = cutter_of(measure, definitions, spec, beside)
    last = measure.line_count - 1
    units = line_units(_opened(root.children, spec), 0, last, beside)
    cutter.pack(units, Run(definition=None, members=True), 0)
    return label(cutter.pieces, definitions)
