"""The rows a file gives: references and bindings, as they are found."""

from __future__ import annotations

from functools import lru_cache

from tree_sitter import Node

from codequarry.assets.references.paths import CLS, SELF, SUPER, UNKNOWN, last_name, written
from codequarry.assets.references.placing import Captures, Item
from codequarry.assets.references.regions import Regions
from codequarry.assets.references.spec import Import, RefSpec
from codequarry.vocabulary import Binding, BindingKind, EdgeType, Receiver, Reference

_MAX_ARITY = 1000
_MAX_WRITTEN = 200


class Rows:
    """Collects the references and bindings of one file."""

    def __init__(self, spec: RefSpec, regions: Regions) -> None:
        self._spec = spec
        self._regions = regions
        self._references: list[Reference] = []
        self._import_edges: dict[tuple[str, int], dict[str, Reference]] = {}
        self._bindings: list[Binding] = []

    def all(self) -> tuple[tuple[Reference, ...], tuple[Binding, ...]]:
        """All rows, references in reading order."""
        imports = [r for taken in self._import_edges.values() for r in taken.values()]
        references = self._references + imports
        references.sort(key=lambda r: (r.byte, r.type.value, r.path))
        return tuple(references), tuple(self._bindings)

    def refer(
        self,
        type_: EdgeType,
        path: str,
        node: Node,
        item: Item,
        *,
        name: str = "",
        arity: int = -1,
    ) -> None:
        """Add a reference, local names at its base replaced by what they are bound to."""
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

    def import_edge(self, found: Import, node: Node) -> None:
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

    def bind(
        self, symbol: int, name: str, kind: BindingKind, target: str, member: str, node: Node
    ) -> None:
        """Add a binding of a name, or what is said of a symbol."""
        self._bindings.append(Binding(symbol, name, kind, target, member, node.start_point[0] + 1))

    def bind_import(self, symbol: int, found: Import) -> None:
        """Add what an import binds."""
        kind = BindingKind.EXPORT if found.exported else BindingKind.IMPORT
        self._bindings.append(
            Binding(symbol, found.name, kind, found.module, found.member, found.row + 1)
        )

    def _names_no_variable(self, type_: EdgeType, path: str) -> bool:
        if type_ is not EdgeType.CALLS:
            return True
        return self._spec.calls_methods and " " not in path


def arity_of(captures: Captures) -> int:
    """How many arguments a call has; -1 where the grammar does not show them."""
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
    if head == SUPER:
        return Receiver.SUPER
    return Receiver.NAME if steps.count(" ") == 0 and head != UNKNOWN else Receiver.EXPRESSION
