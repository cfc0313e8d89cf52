"""References and bindings of a file, from the tree its chunks and symbols came from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node, Query, QueryCursor

from codequarry.assets.languages.grammars import MATCH_LIMIT, Grammar
from codequarry.assets.languages.spec import CALLABLE_KINDS, CONTAINER_KINDS, NAMESPACE_KINDS
from codequarry.assets.references.expressions import Reader
from codequarry.assets.references.paths import (
    CLS,
    DEFINITION,
    EACH,
    SELF,
    UNKNOWN,
    last_name,
    written,
)
from codequarry.assets.references.regions import KEEP, Local, Region, Regions
from codequarry.assets.references.registry import refs_for
from codequarry.assets.references.spec import Import, RefSpec
from codequarry.assets.symbols.definitions import Definition
from codequarry.vocabulary import Binding, BindingKind, EdgeType, Kind, Receiver, Reference

_FUNCTIONS = ("function", "closure")
_REGIONS = ("function", "closure", "block", "class")
_BASES = {
    "extends": EdgeType.EXTENDS,
    "implements": EdgeType.IMPLEMENTS,
    "mixes_in": EdgeType.MIXES_IN,
    "inherits": EdgeType.EXTENDS,
}
IMPLICIT = "implicit"  # `name` of a constructor call that a declaration makes
DECLARED = "declared"  # `member` of a value binding whose type is written down
_MAX_ARITY = 1000
_MAX_WRITTEN = 200

Captures = dict[str, list[Node]]


@dataclass(frozen=True, slots=True)
class _Compiled:
    cursor: QueryCursor
    actions: tuple[str, ...]


@lru_cache(maxsize=64)
def _compiled(language: str) -> _Compiled | None:
    from codequarry.assets.languages.grammars import load

    spec, grammar = refs_for(language), load(language)
    if spec is None or grammar is None:
        return None
    tree_language = grammar.parser.language
    assert tree_language is not None
    query = Query(tree_language, "\n".join(text for _, text in spec.patterns))
    cursor = QueryCursor(query, match_limit=MATCH_LIMIT)
    return _Compiled(cursor, tuple(action for action, _ in spec.patterns))


@dataclass(slots=True)
class Item:
    """One match that says something, and where it stands."""

    action: str
    captures: Captures
    start: int
    region: int = 0
    symbol: int = -1


def references_of(
    root: Node, source: bytes, grammar: Grammar, definitions: Sequence[Definition]
) -> tuple[tuple[Reference, ...], tuple[Binding, ...]]:
    """What a file refers to, and what its file and class level names are bound to.

    Args:
        root: of the syntax tree.
        source: the bytes that were parsed.
        grammar: of the language; one without a `RefSpec` gives nothing.
        definitions: those that became symbols, in the symbols' order.
    """
    spec, compiled = refs_for(grammar.spec.name), _compiled(grammar.spec.name)
    if spec is None or compiled is None:
        return (), ()
    return _Collector(spec, source, definitions).run(compiled, root)


class _Collector:
    """Collects one file's references; the work is done in `run`."""

    def __init__(self, spec: RefSpec, source: bytes, definitions: Sequence[Definition]) -> None:
        self._spec = spec
        self._reader = Reader(spec, source)
        self._definitions = definitions
        self._regions = Regions([], ordered=spec.ordered)
        self._list: list[Region] = []
        self._references: list[Reference] = []
        self._bindings: list[Binding] = []
        self._imported: set[tuple[int, str]] = set()  # (region, name)
        self._variables: set[tuple[int, str]] = set()  # of file and class level
        self._import_edges: dict[tuple[str, int], dict[str, Reference]] = {}
        self._named = {d.name_start: (i, d.kind) for i, d in enumerate(definitions)}

    def run(
        self, compiled: _Compiled, root: Node
    ) -> tuple[tuple[Reference, ...], tuple[Binding, ...]]:
        items = self._place(compiled, root)
        self._bind_definitions()
        for item in items:
            if item.action == "import":
                self._bind_import(item)
        for item in items:
            _BINDERS.get(item.action, _skip)(self, item)
        for item in items:
            if item.action == "assign":
                self._assign(item)
        for item in items:
            _READERS.get(item.action, _skip)(self, item)
        self._references += [r for taken in self._import_edges.values() for r in taken.values()]
        self._references.sort(key=lambda r: (r.byte, r.type.value, r.path))
        return tuple(self._references), tuple(self._bindings)

    # where things stand

    def _place(self, compiled: _Compiled, root: Node) -> list[Item]:
        """The items in reading order, each in its region and innermost symbol."""
        opening: list[tuple[int, int, int, Node]] = []
        items: list[Item] = []
        for index, captures in compiled.cursor.matches(root):
            action = compiled.actions[index]
            if action in _REGIONS:
                node = captures["region"][0]
                opening.append((node.start_byte, -node.end_byte, _REGIONS.index(action), node))
            else:
                anchor = _anchor(captures)
                items.append(Item(action, captures, anchor))
        opening.sort(key=lambda o: o[:3])
        items.sort(key=lambda item: item.start)
        self._open(opening, root)
        self._settle(items)
        return items

    def _open(self, opening: list[tuple[int, int, int, Node]], root: Node) -> None:
        regions = [Region("file", -1, 0, max(root.end_byte, len(self._reader.source)))]
        stack = [0]
        bodies = {(d.inner, d.end): i for i, d in enumerate(self._definitions)}
        values = {d.value: i for i, d in enumerate(self._definitions) if d.value}
        seen: set[tuple[int, int]] = set()
        for start, minus_end, kind, node in opening:
            span = (start, -minus_end)
            if span in seen:
                continue
            seen.add(span)
            while regions[stack[-1]].end <= start:
                stack.pop()
            symbol = bodies.get(span, values.get(span, -1))
            rebinds = node.type in self._spec.rebinding and symbol < 0
            word = _REGIONS[kind]
            regions.append(Region(word, stack[-1], start, -minus_end, rebinds, symbol))
            stack.append(len(regions) - 1)
        self._list = regions
        self._regions = Regions(regions, ordered=self._spec.ordered)

    def _settle(self, items: list[Item]) -> None:
        regions = self._list
        spans = sorted(
            (d.inner, -d.end, i)
            for i, d in enumerate(self._definitions)
            if d.kind in CALLABLE_KINDS or d.kind in CONTAINER_KINDS
        )
        open_regions, next_region = [0], 1
        open_symbols: list[tuple[int, int]] = []  # (end, symbol)
        next_symbol = 0
        for item in items:
            at = item.start
            while next_region < len(regions) and regions[next_region].start <= at:
                while regions[open_regions[-1]].end <= regions[next_region].start:
                    open_regions.pop()
                open_regions.append(next_region)
                next_region += 1
            while regions[open_regions[-1]].end <= at:
                open_regions.pop()
            while next_symbol < len(spans) and spans[next_symbol][0] <= at:
                start, minus_end, symbol = spans[next_symbol]
                while open_symbols and open_symbols[-1][0] <= start:
                    open_symbols.pop()
                open_symbols.append((-minus_end, symbol))
                next_symbol += 1
            while open_symbols and open_symbols[-1][0] <= at:
                open_symbols.pop()
            item.region = open_regions[-1]
            item.symbol = open_symbols[-1][1] if open_symbols else -1

    def _bind_definitions(self) -> None:
        """Definitions inside functions are local names."""
        bounds = self._list
        stack, at = [0], 1
        order = sorted(enumerate(self._definitions), key=lambda pair: pair[1].inner)
        for number, definition in order:
            while at < len(bounds) and bounds[at].start <= definition.inner:
                while bounds[stack[-1]].end <= bounds[at].start:
                    stack.pop()
                stack.append(at)
                at += 1
            around = next(
                r for r in reversed(stack) if r == 0 or self._surrounds(bounds[r], definition)
            )
            if not definition.name or definition.owner:
                continue
            region = self._regions.function_of(around)
            if self._list[region].kind in _FUNCTIONS:
                local = Local(bounds[around].start, f"{DEFINITION}{number}", around)
                self._regions.bind(around, definition.name, local)

    @staticmethod
    def _surrounds(region: Region, definition: Definition) -> bool:
        return region.start < definition.inner < region.end

    # first pass: what names are bound to

    def _bind_param(self, item: Item) -> None:
        region = self._regions.function_of(item.region)
        types = item.captures.get("type")
        for node in item.captures["name"]:
            path, declared = UNKNOWN, False
            if types:
                path, declared = self._reader.instance(types[0]), True
            elif self._spec.first_is_self:
                path = self._self_path(region, node) or UNKNOWN
            name = self._reader.text(node)
            start = self._list[region].start
            self._regions.bind(region, name, Local(start, path, region, declared))

    def _self_path(self, region: int, node: Node) -> str:
        """`@self` for a method's first parameter."""
        here = self._list[region]
        if here.symbol < 0 or here.kind != "function":
            return ""
        definition = self._definitions[here.symbol]
        if definition.kind not in (Kind.METHOD, Kind.CONSTRUCTOR) or definition.params is None:
            return ""
        before = self._reader.source[definition.params[0] : node.start_byte]
        if before.strip(b"( \t\r\n"):
            return ""
        if not definition.static:
            return SELF
        name = self._reader.text(node)
        return CLS if name in self._spec.self_params - {"self"} else ""

    def _bind_local(self, item: Item) -> None:
        captures, region = item.captures, item.region
        if item.action == "var":
            region = self._regions.function_of(region)
        if self._regions.kind(region) in ("file", "class") and region == self._regions.function_of(
            region
        ):
            in_type = self._regions.kind(region) == "class"
            self._outer_value(item, BindingKind.FIELD if in_type else BindingKind.VALUE)
            return
        path, declared = self._value_path(captures, item.action)
        for node in captures["name"]:
            if self._is_bound_otherwise(node, item.region):
                continue
            start = node.end_byte
            value = captures.get("value") or captures.get("over")
            if value and value[0].end_byte > start:
                start = value[0].end_byte
            local = Local(start, path, item.region, declared)
            self._regions.bind(region, self._reader.text(node), local)

    def _is_bound_otherwise(self, node: Node, region: int) -> bool:
        """Whether a name is that of a definition, or an import gave it."""
        found = self._named.get(node.start_byte)
        if found is not None and found[1] not in (Kind.VAR, Kind.CONST):
            return True
        return (region, self._reader.text(node)) in self._imported

    def _value_path(self, captures: Captures, action: str) -> tuple[str, bool]:
        reader = self._reader
        if "type" in captures and not reader.is_inferred(captures["type"][0]):
            path = reader.instance(captures["type"][0])
            if path != UNKNOWN or "value" not in captures:
                return path, True
        if action == "loop":
            over = reader.value(captures["over"][0]) if "over" in captures else UNKNOWN
            return (over if over == UNKNOWN else f"{over} {EACH}"), False
        if len(captures["name"]) > 1:
            return UNKNOWN, False
        if "value" not in captures:
            return "", False
        value = captures["value"][0]
        return ("" if reader.is_null(value) else reader.value(value)), False

    def _outer_value(self, item: Item, kind: BindingKind) -> None:
        """A file or class level name: a fact other files can use."""
        path, declared = self._value_path(item.captures, item.action)
        for node in item.captures["name"]:
            self._variables.add((item.region, self._reader.text(node)))
            if path and not self._is_bound_otherwise(node, item.region):
                name, how = self._reader.text(node), DECLARED if declared else ""
                self._bind(item.symbol, name, kind, path, how, node)

    def _assign(self, item: Item) -> None:
        path, _ = self._value_path(item.captures, item.action)
        for node in item.captures["name"]:
            local = Local(node.end_byte, path, item.region)
            self._regions.assign(item.region, self._reader.text(node), local)

    def _bind_constant(self, item: Item) -> None:
        for node in item.captures["name"]:
            self._bind(item.symbol, self._reader.text(node), BindingKind.FIELD, SELF, "", node)

    def _bind_bound(self, item: Item) -> None:
        path = self._reader.type_path(item.captures["type"][0]) if "type" in item.captures else ""
        for node in item.captures["name"]:
            self._bind(item.symbol, self._reader.text(node), BindingKind.BOUND, path, "", node)

    def _bind_alias(self, item: Item) -> None:
        path = self._reader.type_path(item.captures["type"][0])
        for node in item.captures["name"]:
            symbol = item.symbol
            named = self._named.get(node.start_byte)
            if named is not None and named[0] == symbol:
                symbol = self._outside(symbol)
            self._bind(symbol, self._reader.text(node), BindingKind.ALIAS, path, "", node)

    def _outside(self, symbol: int) -> int:
        """The symbol around a symbol."""
        parent = self._definitions[symbol].parent
        return next((i for i, d in enumerate(self._definitions) if d is parent), -1)

    def _bind_import(self, item: Item) -> None:
        reader = self._spec.imports
        if reader is None:
            return
        node = item.captures["import"][0]
        local = self._regions.kind(item.region) in _FUNCTIONS
        symbol = item.symbol
        if not local and (symbol < 0 or self._definitions[symbol].kind not in NAMESPACE_KINDS):
            symbol = -1
        for found in reader(node, self._reader.source):
            if found.name:
                self._imported.add((item.region, found.name))
            if found.name and local:
                start = self._list[item.region].start
                self._regions.bind(item.region, found.name, Local(start, KEEP, item.region))
            kind = BindingKind.EXPORT if found.exported else BindingKind.IMPORT
            if found.name or found.module:
                self._bindings.append(
                    Binding(symbol, found.name, kind, found.module, found.member, found.row + 1)
                )
            if found.edge and found.module:
                self._import_edge(found, node)

    def _import_edge(self, found: Import, node: Node) -> None:
        """An edge a member of a module and line; the module alone only where nothing else is."""
        taken = self._import_edges.setdefault((found.module, found.row), {})
        if found.member in taken or (not found.member and taken):
            return
        taken.pop("", None)
        taken[found.member] = Reference(
            type=EdgeType.IMPORTS,
            path=found.module,
            written=(found.written or found.module)[:_MAX_WRITTEN],
            name=found.member,
            receiver=Receiver.NONE,
            scope=-1,
            arity=-1,
            line=found.row + 1,
            byte=node.start_byte,
        )

    def _bind_package(self, item: Item) -> None:
        node = item.captures["package"][0]
        self._bind(-1, "", BindingKind.PACKAGE, self._reader.name(node), "", node)

    # second pass: what is referred to

    def _read_call(self, item: Item) -> None:
        captures, reader = item.captures, self._reader
        if "callee" in captures:
            node = captures["callee"][0]
            path = reader.value(node)
        else:
            node = captures["name"][0]
            receiver = captures.get("receiver")
            path = reader.callee(receiver[0] if receiver else None, node)
        if self._spec.class_member and path == CLS:
            return
        if path != UNKNOWN and path not in self._spec.silent:
            self._refer(EdgeType.CALLS, path, node, item, arity=_arity(captures))

    def _read_new(self, item: Item) -> None:
        node = item.captures["type"][0]
        path = self._reader.type_path(node)
        if path != UNKNOWN and not path.endswith("many"):
            self._refer(EdgeType.CALLS, f"{path} new", node, item, arity=_arity(item.captures))

    def _read_built(self, item: Item) -> None:
        node = item.captures["type"][0]
        path = self._reader.type_path(node)
        inside = self._regions.kind(item.region) in _FUNCTIONS
        if inside and path != UNKNOWN and not path.endswith("many"):
            arity = _arity(item.captures) if "args" in item.captures else 0
            self._refer(EdgeType.CALLS, f"{path} new", node, item, name=IMPLICIT, arity=arity)

    def _read_super(self, item: Item) -> None:
        node = next(iter(item.captures.values()))[0]
        path = f"{self._spec.super_call} new"
        self._refer(EdgeType.CALLS, path, node, item, arity=_arity(item.captures))

    def _read_base(self, item: Item) -> None:
        mode = item.captures.get("mode")
        for node in item.captures["base"]:
            path = self._reader.type_path(node)
            if path == UNKNOWN:
                continue
            type_ = _BASES[item.action]
            word = self._reader.text(mode[0]) if mode else item.action
            self._refer(type_, path, node, item, name=word)
            self._bind(item.symbol, word, BindingKind.BASE, path, "", node)

    def _read_implementation(self, item: Item) -> None:
        """``impl Trait for Type``: from the type, where it is defined in this file."""
        base, owner = item.captures["base"][0], item.captures["owner"][0]
        path, named = self._reader.type_path(base), self._reader.type_path(owner)
        if path == UNKNOWN or named == UNKNOWN:
            return
        found = [
            i
            for i, d in enumerate(self._definitions)
            if d.name == last_name(named) and d.kind in CONTAINER_KINDS
        ]
        inside = Item(item.action, item.captures, item.start, item.region, item.symbol)
        if found:
            inside.symbol = found[0]
            self._bind(found[0], "implements", BindingKind.BASE, path, "", base)
        self._refer(EdgeType.IMPLEMENTS, path, base, inside, name="implements")

    def _read_bare(self, item: Item) -> None:
        node = item.captures["name"][0]
        path = self._reader.value(node)
        if path in self._spec.silent or path == UNKNOWN:
            return
        if self._regions.is_local(path, item.region, node.start_byte):
            return
        if (item.region, path) not in self._variables:
            self._refer(EdgeType.CALLS, path, node, item, arity=0)

    def _read_token_call(self, item: Item) -> None:
        name, arguments = item.captures["name"][0], item.captures["args"][0]
        opening, mark = arguments.child(0), name.next_sibling
        if opening is None or opening.type != "(":
            return
        path = self._reader.among_tokens(name)
        is_macro = mark is not None and mark.type == "!"
        self._refer(EdgeType.CALLS, f"{path}!" if is_macro else path, name, item)

    def _read_macro(self, item: Item) -> None:
        """A macro is called by a name of its own kind: no function is meant."""
        node = item.captures["name"][0]
        path = self._reader.value(node)
        if path != UNKNOWN:
            self._refer(EdgeType.CALLS, f"{path}!", node, item)

    def _bind_declaration(self, item: Item) -> None:
        outer = item.symbol < 0 or self._definitions[item.symbol].kind in NAMESPACE_KINDS
        if outer and self._regions.kind(item.region) not in _FUNCTIONS:
            for node in item.captures["name"]:
                name = self._reader.text(node)
                self._bind(item.symbol, name, BindingKind.DECLARATION, "", "", node)

    def _read_returns(self, item: Item) -> None:
        node = item.captures["type"][0]
        if item.symbol >= 0 and self._definitions[item.symbol].kind in CALLABLE_KINDS:
            path = self._reader.instance(node)
            if path != UNKNOWN:
                self._bind(item.symbol, "", BindingKind.RETURNS, path, "", node)
        self._mention(node, item)

    def _read_types(self, item: Item) -> None:
        """Types of parameters; a function type's own parameters are nobody's."""
        bare = item.action == "param" and self._regions.kind(item.region) not in _FUNCTIONS
        if "type" in item.captures and not bare:
            self._mention(item.captures["type"][0], item)

    def _mention(self, node: Node, item: Item) -> None:
        for path, at in self._reader.mentions(node):
            self._refer(EdgeType.TYPE_REFS, path, at, item)

    def _read_field(self, item: Item) -> None:
        self._outer_value(item, BindingKind.FIELD)

    def _read_member(self, item: Item) -> None:
        """``self.x = value``: a fact of the type, found from any of its methods."""
        captures = item.captures
        holder = self._reader.value(captures["object"][0]) if "object" in captures else SELF
        if self._regions.expand(holder, item.region, item.start) not in (SELF, CLS):
            return
        path, declared = self._value_path(captures, item.action)
        if not declared and path:
            path = self._regions.expand(path, item.region, captures["name"][0].start_byte)
        owner = self._owner(item.symbol)
        for node in captures["name"]:
            if path:
                name, how = self._reader.text(node), DECLARED if declared else ""
                self._bind(owner, name, BindingKind.FIELD, path, how, node)

    def _owner(self, symbol: int) -> int:
        """The method whose type a member belongs to; the linker goes from there to the type."""
        while symbol >= 0 and self._definitions[symbol].kind not in (
            Kind.METHOD,
            Kind.CONSTRUCTOR,
        ):
            outside = self._outside(symbol)
            if outside < 0:
                break
            symbol = outside
        return symbol

    # rows

    def _refer(
        self,
        type_: EdgeType,
        path: str,
        node: Node,
        item: Item,
        *,
        name: str = "",
        arity: int = -1,
    ) -> None:
        self._references.append(
            Reference(
                type=type_,
                path=self._regions.expand(
                    path, item.region, node.start_byte, is_type=self._names_no_variable(type_, path)
                ),
                written=written(path)[:_MAX_WRITTEN],
                name=name or last_name(path),
                receiver=_form(path),
                scope=item.symbol,
                arity=arity,
                line=node.start_point[0] + 1,
                byte=node.start_byte,
            )
        )

    def _names_no_variable(self, type_: EdgeType, path: str) -> bool:
        if type_ is not EdgeType.CALLS:
            return True
        return self._spec.calls_methods and " " not in path

    def _bind(
        self, symbol: int, name: str, kind: BindingKind, target: str, member: str, node: Node
    ) -> None:
        self._bindings.append(Binding(symbol, name, kind, target, member, node.start_point[0] + 1))


def _anchor(captures: Captures) -> int:
    """Where a match begins."""
    starts = [nodes[0].start_byte for name, nodes in captures.items() if name[0] != "_"]
    return min(starts) if len(starts) > 1 else starts[0]


def _arity(captures: Captures) -> int:
    arguments = captures.get("args")
    if not arguments:
        return -1
    return min(_MAX_ARITY, arguments[0].named_child_count)


@lru_cache(maxsize=1 << 14)
def _form(path: str) -> Receiver:
    head, _, steps = path.partition(" ")
    if not steps or steps == "new":
        return Receiver.NONE
    if head in (SELF, CLS):
        return Receiver.SELF
    if head == "@super":
        return Receiver.SUPER
    return Receiver.NAME if steps.count(" ") == 0 and head != UNKNOWN else Receiver.EXPRESSION


def _skip(_: _Collector, __: Item) -> None:
    return None


_Handler = Callable[[_Collector, Item], None]
_BINDERS: dict[str, _Handler] = {
    "param": _Collector._bind_param,
    "receiver": _Collector._bind_param,
    "constant": _Collector._bind_constant,
    "let": _Collector._bind_local,
    "var": _Collector._bind_local,
    "loop": _Collector._bind_local,
    "bound": _Collector._bind_bound,
    "alias": _Collector._bind_alias,
    "declare": _Collector._bind_declaration,
    "package": _Collector._bind_package,
}
_READERS: dict[str, _Handler] = {
    "call": _Collector._read_call,
    "new": _Collector._read_new,
    "built": _Collector._read_built,
    "super": _Collector._read_super,
    "extends": _Collector._read_base,
    "implements": _Collector._read_base,
    "mixes_in": _Collector._read_base,
    "inherits": _Collector._read_base,
    "implementation": _Collector._read_implementation,
    "bare": _Collector._read_bare,
    "macro": _Collector._read_macro,
    "token_call": _Collector._read_token_call,
    "returns": _Collector._read_returns,
    "param": _Collector._read_types,
    "type_ref": _Collector._read_types,
    "field": _Collector._read_field,
    "property": _Collector._read_field,
    "member": _Collector._read_member,
}
