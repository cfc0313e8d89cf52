"""References and bindings of a file, from the tree its chunks and symbols came from.

Every match of the language's query is an item with an action; the first pass binds names, the
second reads what is referred to. The tables at the end say which method an action runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tree_sitter import Node

from codequarry.assets.languages.grammars import Grammar
from codequarry.assets.languages.spec import CALLABLE_KINDS, CONTAINER_KINDS, NAMESPACE_KINDS
from codequarry.assets.references.expressions import Reader
from codequarry.assets.references.paths import CLS, EACH, SELF, UNKNOWN, last_name
from codequarry.assets.references.placing import Captures, Item, compiled, placed
from codequarry.assets.references.regions import FUNCTIONS, KEEP, Local, Regions
from codequarry.assets.references.registry import refs_for
from codequarry.assets.references.rows import Rows, arity_of
from codequarry.assets.references.spec import RefSpec
from codequarry.assets.symbols.definitions import Definition
from codequarry.vocabulary import Binding, BindingKind, EdgeType, Kind, Reference

_BASES = {
    "extends": EdgeType.EXTENDS,
    "implements": EdgeType.IMPLEMENTS,
    "mixes_in": EdgeType.MIXES_IN,
    "inherits": EdgeType.EXTENDS,
}
IMPLICIT = "implicit"  # `name` of a constructor call that a declaration makes
DECLARED = "declared"  # `member` of a value binding whose type is written down


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
    spec, query = refs_for(grammar.spec.name), compiled(grammar.spec.name)
    if spec is None or query is None:
        return (), ()
    items, regions = placed(query, root, spec, definitions, len(source))
    return _Collector(spec, source, definitions, regions).run(items)


class _Collector:
    """Reads the items of one file into rows."""

    def __init__(
        self,
        spec: RefSpec,
        source: bytes,
        definitions: Sequence[Definition],
        regions: Regions,
    ) -> None:
        self._spec = spec
        self._reader = Reader(spec, source)
        self._definitions = definitions
        self._regions = regions
        self._rows = Rows(spec, regions)
        self._imported: set[tuple[int, str]] = set()  # (region, name)
        self._variables: set[tuple[int, str]] = set()  # of file and class level
        self._named = {d.name_start: (i, d.kind) for i, d in enumerate(definitions)}

    def run(self, items: Sequence[Item]) -> tuple[tuple[Reference, ...], tuple[Binding, ...]]:
        """Bind names, then read what is referred to: a name may be bound below its use."""
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
        return self._rows.all()

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
            start = self._regions.all[region].start
            self._regions.bind(region, name, Local(start, path, region, declared))

    def _self_path(self, region: int, node: Node) -> str:
        """`@self` for a method's first parameter."""
        here = self._regions.all[region]
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
                self._rows.bind(item.symbol, name, kind, path, how, node)

    def _assign(self, item: Item) -> None:
        path, _ = self._value_path(item.captures, item.action)
        for node in item.captures["name"]:
            local = Local(node.end_byte, path, item.region)
            self._regions.assign(item.region, self._reader.text(node), local)

    def _bind_constant(self, item: Item) -> None:
        for node in item.captures["name"]:
            self._rows.bind(item.symbol, self._reader.text(node), BindingKind.FIELD, SELF, "", node)

    def _bind_bound(self, item: Item) -> None:
        path = self._reader.type_path(item.captures["type"][0]) if "type" in item.captures else ""
        for node in item.captures["name"]:
            self._rows.bind(item.symbol, self._reader.text(node), BindingKind.BOUND, path, "", node)

    def _bind_alias(self, item: Item) -> None:
        path = self._reader.type_path(item.captures["type"][0])
        for node in item.captures["name"]:
            symbol = item.symbol
            named = self._named.get(node.start_byte)
            if named is not None and named[0] == symbol:
                symbol = self._outside(symbol)
            self._rows.bind(symbol, self._reader.text(node), BindingKind.ALIAS, path, "", node)

    def _outside(self, symbol: int) -> int:
        """The symbol around a symbol."""
        parent = self._definitions[symbol].parent
        return next((i for i, d in enumerate(self._definitions) if d is parent), -1)

    def _bind_import(self, item: Item) -> None:
        reader = self._spec.imports
        if reader is None:
            return
        node = item.captures["import"][0]
        local = self._regions.kind(item.region) in FUNCTIONS
        symbol = item.symbol
        if not local and (symbol < 0 or self._definitions[symbol].kind not in NAMESPACE_KINDS):
            symbol = -1
        for found in reader(node, self._reader.source):
            if found.name:
                self._imported.add((item.region, found.name))
            if found.name and local:
                start = self._regions.all[item.region].start
                self._regions.bind(item.region, found.name, Local(start, KEEP, item.region))
            if found.name or found.module:
                self._rows.bind_import(symbol, found)
            if found.edge and found.module:
                self._rows.import_edge(found, node)

    def _bind_package(self, item: Item) -> None:
        node = item.captures["package"][0]
        self._rows.bind(-1, "", BindingKind.PACKAGE, self._reader.name(node), "", node)

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
            self._rows.refer(EdgeType.CALLS, path, node, item, arity=arity_of(captures))

    def _read_new(self, item: Item) -> None:
        node = item.captures["type"][0]
        path = self._reader.type_path(node)
        if path != UNKNOWN and not path.endswith("many"):
            self._rows.refer(
                EdgeType.CALLS, f"{path} new", node, item, arity=arity_of(item.captures)
            )

    def _read_built(self, item: Item) -> None:
        node = item.captures["type"][0]
        path = self._reader.type_path(node)
        inside = self._regions.kind(item.region) in FUNCTIONS
        if inside and path != UNKNOWN and not path.endswith("many"):
            arity = arity_of(item.captures) if "args" in item.captures else 0
            self._rows.refer(EdgeType.CALLS, f"{path} new", node, item, name=IMPLICIT, arity=arity)

    def _read_super(self, item: Item) -> None:
        node = next(iter(item.captures.values()))[0]
        path = f"{self._spec.super_call} new"
        self._rows.refer(EdgeType.CALLS, path, node, item, arity=arity_of(item.captures))

    def _read_base(self, item: Item) -> None:
        mode = item.captures.get("mode")
        for node in item.captures["base"]:
            path = self._reader.type_path(node)
            if path == UNKNOWN:
                continue
            type_ = _BASES[item.action]
            word = self._reader.text(mode[0]) if mode else item.action
            self._rows.refer(type_, path, node, item, name=word)
            self._rows.bind(item.symbol, word, BindingKind.BASE, path, "", node)

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
            self._rows.bind(found[0], "implements", BindingKind.BASE, path, "", base)
        self._rows.refer(EdgeType.IMPLEMENTS, path, base, inside, name="implements")

    def _read_bare(self, item: Item) -> None:
        node = item.captures["name"][0]
        path = self._reader.value(node)
        if path in self._spec.silent or path == UNKNOWN:
            return
        if self._regions.is_local(path, item.region, node.start_byte):
            return
        if (item.region, path) not in self._variables:
            self._rows.refer(EdgeType.CALLS, path, node, item, arity=0)

    def _read_token_call(self, item: Item) -> None:
        name, arguments = item.captures["name"][0], item.captures["args"][0]
        opening, mark = arguments.child(0), name.next_sibling
        if opening is None or opening.type != "(":
            return
        path = self._reader.among_tokens(name)
        is_macro = mark is not None and mark.type == "!"
        self._rows.refer(EdgeType.CALLS, f"{path}!" if is_macro else path, name, item)

    def _read_macro(self, item: Item) -> None:
        """A macro is called by a name of its own kind: no function is meant."""
        node = item.captures["name"][0]
        path = self._reader.value(node)
        if path != UNKNOWN:
            self._rows.refer(EdgeType.CALLS, f"{path}!", node, item)

    def _bind_declaration(self, item: Item) -> None:
        outer = item.symbol < 0 or self._definitions[item.symbol].kind in NAMESPACE_KINDS
        if outer and self._regions.kind(item.region) not in FUNCTIONS:
            for node in item.captures["name"]:
                name = self._reader.text(node)
                self._rows.bind(item.symbol, name, BindingKind.DECLARATION, "", "", node)

    def _read_returns(self, item: Item) -> None:
        node = item.captures["type"][0]
        if item.symbol >= 0 and self._definitions[item.symbol].kind in CALLABLE_KINDS:
            path = self._reader.instance(node)
            if path != UNKNOWN:
                self._rows.bind(item.symbol, "", BindingKind.RETURNS, path, "", node)
        self._mention(node, item)

    def _read_types(self, item: Item) -> None:
        """Types of parameters; a function type's own parameters are nobody's."""
        bare = item.action == "param" and self._regions.kind(item.region) not in FUNCTIONS
        if "type" in item.captures and not bare:
            self._mention(item.captures["type"][0], item)

    def _mention(self, node: Node, item: Item) -> None:
        for path, at in self._reader.mentions(node):
            self._rows.refer(EdgeType.TYPE_REFS, path, at, item)

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
                self._rows.bind(owner, name, BindingKind.FIELD, path, how, node)

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
