"""What a step of an access path makes of a value: calls, instances, what a name holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codequarry.assets.edges.program import Sym
from codequarry.assets.edges.values import (
    VALUE_KINDS,
    Def,
    Found,
    Instance,
    Many,
    Super,
    Value,
)
from codequarry.assets.references.extract import DECLARED
from codequarry.vocabulary import BindingKind, Kind

if TYPE_CHECKING:
    from codequarry.assets.edges.linker import Linker

_MAX_HOPS = 8  # from alias to alias
_HELD = (BindingKind.VALUE, BindingKind.ALIAS, BindingKind.BOUND, BindingKind.FIELD)
_OWN_TYPE = ("@self of", "@cls of")


class Steps:
    """Takes the steps of one program's access paths."""

    def __init__(self, linker: Linker) -> None:
        self._linker = linker

    def chained(self, file: int, scope: int, called: Found, path: str) -> Value | None:
        """What a method declared to return its own type gives: its receiver's type."""
        linker = self._linker
        if not isinstance(called.value, Def) or not linker.rules(called.value.file).self_returns:
            return None
        declared = linker.files[called.value.file].returns.get(called.value.symbol, "")
        holder, _, member = path.rpartition(" ")
        if not member.startswith(".") or declared not in _OWN_TYPE:
            return None
        found = linker.evaluate(file, scope, holder)
        value = found.value if found is not None else None
        if isinstance(value, Def):
            value = self.followed(value)
        if isinstance(value, Def):
            return Instance(value) if linker.is_type(value) else None
        return value if isinstance(value, Instance) else None

    def step(self, value: Value, step: str) -> Value | None:
        """The value after a step that names no member: a call, an instance, an element."""
        linker = self._linker
        if isinstance(value, Def):
            value = self.followed(value)
        if isinstance(value, Def):
            return self._step_on_definition(value, step)
        if step == "of" and isinstance(value, Instance | Many):
            return value
        if step == "each" and isinstance(value, Many):
            return Instance(value.of)
        if step == "each" and isinstance(value, Instance):
            return value if linker.rules(value.of.file).pointers else None
        if step == "()" and isinstance(value, Many):  # Swift's grammar reads `x[0]` as a call
            return Instance(value.of) if linker.rules(value.of.file).called_elements else None
        if step == "()" and isinstance(value, Super):
            return value
        return None

    def _step_on_definition(self, definition: Def, step: str) -> Value | None:
        linker = self._linker
        symbol = linker.symbol(definition)
        is_type = linker.is_type(definition)
        if step == "each":  # `name[T]` of a generic function
            generic = linker.rules(definition.file).indexed_functions
            return definition if generic and symbol.kind is Kind.FUNCTION else None
        if step == "()":
            if linker.has_type_kind(definition.file, symbol):
                return Instance(definition) if linker.rules(definition.file).calls_build else None
            if symbol.kind is Kind.CONSTRUCTOR:
                owner, _ = linker.owner(definition.file, definition.symbol)
                return Instance(owner) if owner is not None else None
            return self.returned(definition)
        if not is_type:
            return Instance(definition) if step == "new" and symbol.kind is Kind.FUNCTION else None
        if step in ("of", "new"):
            return Instance(definition)
        return Many(definition) if step == "many" else None

    def followed(self, definition: Def) -> Value:
        """What a variable or an alias holds; any other definition is what it is."""
        linker = self._linker
        for _ in range(_MAX_HOPS):
            symbol = linker.symbol(definition)
            if symbol.kind is Kind.METHOD:
                found = self._got(definition, symbol)
            elif symbol.kind in VALUE_KINDS or symbol.kind is Kind.TYPE:
                found = self.held(definition)
            else:
                return definition
            if found is None or found.value == definition:
                return definition
            if not isinstance(found.value, Def):
                return found.value
            definition = found.value
        return definition

    def _got(self, method: Def, symbol: Sym) -> Found | None:
        """What a getter gives: a field of its own name is declared in it."""
        linker = self._linker
        names = linker.files[method.file].names.get(method.symbol)
        if not names:
            return None
        bounds = [b for b in names.get(symbol.name, ()) if b.kind == BindingKind.FIELD]
        declared = bounds and all(b.member == DECLARED for b in bounds)
        return linker.bound(method.file, method.symbol, bounds) if declared else None

    def held(self, definition: Def) -> Found | None:
        """What the binding of a variable or alias says that it is."""
        linker = self._linker
        symbol = linker.symbol(definition)
        names = linker.files[definition.file].names.get(symbol.parent, {})
        bounds = [b for b in names.get(symbol.name, ()) if b.kind in _HELD]
        return linker.bound(definition.file, symbol.parent, bounds) if bounds else None

    def returned(self, function: Def) -> Value | None:
        """An instance of the declared type of what a function gives."""
        linker = self._linker
        path = linker.files[function.file].returns.get(function.symbol)
        if not path:
            return None
        found = linker.evaluate(function.file, function.symbol, path)
        if found is None:
            return None
        return found.value if isinstance(found.value, Instance | Many) else None
