"""Follow access paths to what they mean.

Everything here is demand-driven and memoised: a question is asked of a file and a scope, and
answered from the bindings and symbols of the files it leads to. A question that comes back to
itself (re-export rings, recursive types) has no answer by that way; what was found while such
a ring was open is not remembered, so answers do not depend on what was asked before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from codequarry.assets.edges.families import family_of
from codequarry.assets.edges.families.family import Family
from codequarry.assets.edges.program import Bound, File, Program, Sym
from codequarry.assets.edges.values import (
    FUNCTION_KINDS,
    VALUE_KINDS,
    Def,
    External,
    Found,
    Instance,
    Many,
    Module,
    Space,
    Super,
    Value,
)
from codequarry.assets.references.extract import DECLARED
from codequarry.vocabulary import BindingKind, Kind

AMBIGUOUS = "ambiguous"  # the rule where equal candidates differ: nothing is picked
_METHODS = (Kind.METHOD, Kind.CONSTRUCTOR)
_MAX_DEPTH = 60  # questions within questions
_MAX_QUESTIONS = 5000  # within one; real code of fourteen languages needs a few hundred
_MANY_PARTS = 3
_MAX_TYPES = 200  # ancestors of one type


class Linker:
    """Answers what paths mean in one repository."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.files = program.files
        self._families: dict[str, Family | None] = {}
        self._memo: dict[Hashable, Any] = {}
        self._open: dict[Hashable, int] = {}
        self._asked = 0  # questions since the outermost open one
        self._provisional: dict[Hashable, tuple[Any, int]] = {}  # answer, depth it depends on
        self._taint = _MAX_DEPTH + 1
        self._attached: dict[Def, dict[str, list[Def]]] = {}
        self._owners: dict[Def, Def] = {}
        self._parts: dict[Def, list[Def]] = {}
        self._members: dict[Def, dict[str, list[Def]]] = {}  # of types in many parts
        self._canon: dict[Def, Def] = {}
        asked = [self.family(language) for language in sorted(program.by_language)]
        families = list(dict.fromkeys(family for family in asked if family is not None))
        for family in families:  # once each, whatever languages it has: it may rewrite bindings
            family.prepare(self)
        self._attach()
        for family in families:
            family.extend(self)
        self._memo.clear()

    # the shape of the program

    def family(self, language: str) -> Family | None:
        """The rules of a language; none for one without edges."""
        if language not in self._families:
            kind = family_of(language)
            made = next((f for f in self._families.values() if type(f) is kind), None)
            self._families[language] = made or (kind() if kind is not None else None)
        return self._families[language]

    def rules(self, file: int) -> Family:
        """The rules of a file's language."""
        family = self.family(self.files[file].language)
        assert family is not None
        return family

    def symbol(self, definition: Def) -> Sym:
        """The symbol of a definition."""
        return self.files[definition.file].symbols[definition.symbol]

    def unite(self, parts: Sequence[Def]) -> None:
        """Declare definitions to be parts of one type (partial and reopened classes)."""
        for part in parts:
            self._canon[part] = parts[0]
        self._parts[parts[0]] = list(parts)

    def canonical(self, definition: Def) -> Def:
        """The first part of a type that is written in several."""
        return self._canon.get(definition, definition)

    def parts(self, definition: Def) -> list[Def]:
        """All parts of a type."""
        first = self.canonical(definition)
        return self._parts.get(first, [first])

    def _attach(self) -> None:
        """Give members that stand outside their type to it."""
        for file in self.files:
            family = self.family(file.language)
            if family is None or not family.open_types:
                continue
            for number in file.loose:
                symbol = file.symbols[number]
                owner = self._named_owner(file, symbol)
                if owner is not None:
                    self.attach(Def(file.id, number), owner)
        self._memo.clear()

    def attach(self, member: Def, owner: Def) -> None:
        """Make a definition a member of a type it does not stand in."""
        owner = self.canonical(owner)
        members = self._attached.setdefault(owner, {})
        members.setdefault(self.symbol(member).name, []).append(member)
        self._owners[member] = owner

    def _named_owner(self, file: File, symbol: Sym) -> Def | None:
        outer = file.symbols[symbol.parent] if symbol.parent >= 0 else None
        names = symbol.scope[len(outer.scope) + 1 if outer is not None else 0 :]
        if not names:
            return None
        found = self.evaluate(file.id, symbol.parent, " .".join(names))
        if found is None or not isinstance(found.value, Def):
            return None
        return found.value

    def is_type(self, definition: Def) -> bool:
        """Whether a definition has members: a type, or a function used as one."""
        symbol = self.symbol(definition)
        return self._is_type(definition.file, symbol) or (
            symbol.kind is Kind.FUNCTION and self.canonical(definition) in self._attached
        )

    def _is_type(self, file: int, symbol: Sym) -> bool:
        return symbol.kind in self.rules(file).type_kinds

    def _is_space(self, file: int, symbol: Sym) -> bool:
        return symbol.kind in self.rules(file).space_kinds

    def owner(self, file: int, scope: int) -> tuple[Def | None, Sym | None]:
        """The innermost type around a scope, and the method of it that the scope lies in."""
        method: Sym | None = None
        symbols = self.files[file].symbols
        while scope >= 0:
            symbol, definition = symbols[scope], Def(file, scope)
            if definition in self._owners:
                owner = self._owners[definition]
                if not self._is_space(owner.file, self.symbol(owner)):
                    return owner, symbol
            elif self._is_type(file, symbol):
                return self.canonical(definition), method
            elif symbol.kind is Kind.FUNCTION and symbol.parent < 0 and self.is_type(definition):
                return definition, symbol
            if symbol.kind in _METHODS or method is None:
                method = symbol
            scope = symbol.parent
        return None, method

    # questions

    def _ask(self, key: Hashable, answer: Callable[[], Any]) -> Any:
        """Answer a question once; one that is being answered has no answer.

        What was found while another question stood open depends on that one: it holds, so that
        a ring is walked once, until that question is answered.
        """
        if key in self._memo:
            return self._memo[key]
        if key in self._provisional:
            value, taint = self._provisional[key]
            self._taint = min(self._taint, taint)
            return value
        if key in self._open:
            self._taint = min(self._taint, self._open[key])
            return None
        depth = len(self._open)
        self._asked = self._asked + 1 if depth else 0
        if depth >= _MAX_DEPTH or self._asked > _MAX_QUESTIONS:
            self._taint = min(self._taint, 0)
            return None
        before, self._taint = self._taint, _MAX_DEPTH + 1
        self._open[key] = depth
        try:
            value = answer()
        finally:
            del self._open[key]
        own = self._taint
        if own >= depth:
            self._memo[key] = value
            self._taint = before
            if self._provisional:
                self._provisional = {k: v for k, v in self._provisional.items() if v[1] < depth}
        else:
            self._provisional[key] = (value, own)
            self._taint = min(before, own)
        return value

    def _ask_found(self, key: Hashable, answer: Callable[[], Found | None]) -> Found | None:
        found: Found | None = self._ask(key, answer)
        return found

    def name(self, file: int, scope: int, name: str) -> Found | None:
        """What a bare name means in a scope."""
        return self._ask_found(("name", file, scope, name), lambda: self._name(file, scope, name))

    def _name(self, file: int, scope: int, name: str) -> Found | None:
        here, family = self.files[file], self.rules(file)
        at, first = scope, True
        while at >= 0:
            symbol = here.symbols[at]
            bounds = [b for b in here.names.get(at, {}).get(name, ()) if b.kind not in _NOT_NAMES]
            is_type = self._is_type(file, symbol)
            if bounds and (not is_type or first or family.implicit_members):
                found = self.bound(file, at, bounds)
                if found is not None or bounds[0].kind != BindingKind.VALUE:
                    return found
            if not is_type or family.implicit_members or first:
                inside = self._inside(Def(file, at), name)
                if inside:
                    return self._several(inside)
            if self._is_space(file, symbol) or Def(file, at) in self._owners:
                found = family.beside(
                    self, file, self._owners.get(Def(file, at), Def(file, at)), name
                )
                if found is not None:
                    return found
            if family.implicit_members:
                found = self._implicit(file, at, scope, symbol, name)
                if found is not None:
                    return found
                if family.stops(name) and (is_type or Def(file, at) in self._owners):
                    break
            if family.closes(symbol):
                return family.outer(self, file, at, name)
            at, first = symbol.parent, False
        variables = scope < 0 or not family.private_variables
        found = self.file_level(file, name, variables=variables)
        return found if found is not None else family.outer(self, file, scope, name)

    def _side_of(self, file: int, at: int, scope: int) -> bool | None:
        """From which side code in ``scope`` sees the type at ``at``."""
        if at == scope:
            return True if self.rules(file).class_level_self else None
        symbols, method = self.files[file].symbols, scope
        while symbols[method].parent not in (at, -1):
            method = symbols[method].parent
        return symbols[method].static

    def _implicit(self, file: int, at: int, scope: int, symbol: Sym, name: str) -> Found | None:
        """A member of the type around, used without ``this``."""
        definition = Def(file, at)
        if self._is_type(file, symbol):
            owner = self.canonical(definition)
        elif definition in self._owners:
            owner = self._owners[definition]
        else:
            return None
        if self._is_space(owner.file, self.symbol(owner)):
            return None
        static = None
        if self.rules(file).static_strict:
            static = self._side_of(file, at, scope)
        found = self.member_of(owner, name, static)
        if found is None or found.rule == AMBIGUOUS:
            return found
        return Found(found.value, "self", found.candidates)

    def file_level(self, file: int, name: str, *, variables: bool = True) -> Found | None:
        """What a name means at file level, by what stands in the file."""
        here = self.files[file]
        top = here.top.get(name)
        if top and not variables:
            top = [n for n in top if here.symbols[n].kind is not Kind.VAR]
        if top:
            return self._several(Def(file, n) for n in top)
        bounds = [b for b in here.names.get(-1, {}).get(name, ()) if b.kind not in _NOT_NAMES]
        return self.bound(file, -1, bounds) if bounds else None

    def _several(self, definitions: Iterable[Def], rule: str = "scope") -> Found | None:
        """One of several definitions of a name; overloads are told apart at the call."""
        found = list(dict.fromkeys(self.canonical(d) for d in definitions))
        if len({self.symbol(d).qualified for d in found}) > 1:
            return Found(found[0], AMBIGUOUS, len(found))
        return Found(found[0], rule, len(found)) if found else None

    def bound(self, file: int, scope: int, bounds: Sequence[Bound]) -> Found | None:
        """What a binding of a name means; several must agree."""
        declared = [b for b in bounds if b.member == DECLARED and b.kind == BindingKind.VALUE]
        answers = [self._bound(file, scope, b) for b in declared or bounds]
        if any(a is None for a in answers):
            known = {(type(a.value), a.value) for a in answers if a is not None}
            if bounds[0].kind == BindingKind.VALUE or len(known) != 1:
                return None
        values = [a for a in answers if a is not None]
        if len({(type(a.value), a.value) for a in values}) != 1:
            return None
        return values[0]

    def _bound(self, file: int, scope: int, bound: Bound) -> Found | None:
        if bound.kind in (BindingKind.IMPORT, BindingKind.EXPORT):
            return self.imported(file, scope, bound)
        where = scope
        if bound.kind == BindingKind.BOUND and not bound.target:
            return None
        found = self.evaluate(file, where, bound.target)
        if found is None:
            return None
        rule = {BindingKind.VALUE: "field", BindingKind.BOUND: "bound"}.get(
            BindingKind(bound.kind), found.rule
        )
        return Found(found.value, rule, found.candidates)

    def imported(self, file: int, scope: int, bound: Bound) -> Found | None:
        """What an import binds its name to."""
        family = self.rules(file)
        if not bound.target:
            return self.name(file, -1, bound.member)
        value = family.imported(self, file, scope, bound)
        return Found(value, "import") if value is not None else None

    def required(self, file: int) -> list[int]:
        """The files that a file imports for their effect."""
        family = self.rules(file)
        specifiers = self.files[file].requires
        return [t for name in specifiers for t in family.import_targets(self, file, name, "")]

    def exported(self, module: Value, name: str) -> Found | None:
        """What a module or a namespace gives under a name."""
        if isinstance(module, External):
            return Found(External(f"{module.name}.{name}"), "external")
        key = ("export", type(module), module, name)
        return self._ask_found(key, lambda: self._exported(module, name))

    def _exported(self, module: Value, name: str) -> Found | None:
        if isinstance(module, Module):
            family = self.family(self.files[module.file].language)
            return family.exported(self, module.file, name) if family is not None else None
        if isinstance(module, Space):
            holder = next(
                f for f in self._families.values() if f is not None and f.name == module.family
            )
            return holder.space_member(self, module.name, name)
        return None

    # paths

    def evaluate(self, file: int, scope: int, path: str) -> Found | None:
        """What an access path means in a scope."""
        return self._ask_found(
            ("path", file, scope, path), lambda: self._evaluate(file, scope, path)
        )

    def _evaluate(self, file: int, scope: int, path: str) -> Found | None:
        head, _, step = path.rpartition(" ")
        if not head:
            return self._base(file, scope, step)
        before = self.evaluate(file, scope, head)
        if before is None or before.rule == AMBIGUOUS:
            return None
        if step.startswith("."):
            return self._member_step(before, step[1:], head)
        value = self._chained(file, scope, before, head) if step == "()" else None
        value = value or self._step(before.value, step)
        if value is None:
            return None
        rule = {"of": "typed", "new": "constructed"}.get(step, before.rule)
        if step == "()":
            built = isinstance(before.value, Def) and self.is_type(before.value)
            rule = "constructed" if built else "returned"
        if before.rule in ("field", "returned", "bound"):
            rule = before.rule
        return Found(value, rule, before.candidates)

    def _chained(self, file: int, scope: int, called: Found, path: str) -> Value | None:
        """What a method declared to return its own type gives: its receiver's type."""
        if not isinstance(called.value, Def) or not self.rules(called.value.file).self_returns:
            return None
        declared = self.files[called.value.file].returns.get(called.value.symbol, "")
        holder, _, member = path.rpartition(" ")
        if not member.startswith(".") or declared not in _OWN_TYPE:
            return None
        found = self.evaluate(file, scope, holder)
        value = found.value if found is not None else None
        if isinstance(value, Def):
            value = self._followed(value)
        if isinstance(value, Def):
            return Instance(value) if self.is_type(value) else None
        return value if isinstance(value, Instance) else None

    def _base(self, file: int, scope: int, base: str) -> Found | None:
        if not base.startswith("@"):
            return None if base == "?" else self.name(file, scope, base)
        word, _, argument = base.partition(":")
        match word:
            case "@def":
                return Found(Def(file, int(argument)), "local")
            case "@self" | "@cls":
                return self._own(file, scope, word)
            case "@super":
                owner, method = self.owner(file, scope)
                if owner is None:
                    return None
                return Found(Super(owner, method is not None and method.static), "super")
            case "@outer":
                return self._outer(file, scope, argument)
        value = self.rules(file).place(self, file, scope, word)
        return Found(value, "module") if value is not None else None

    def _own(self, file: int, scope: int, word: str) -> Found | None:
        owner, method = self.owner(file, scope)
        if owner is None:
            return None
        on_type = word == "@cls" or (
            self.rules(file).static_self
            and (method.static if method is not None else self.rules(file).class_level_self)
        )
        return Found(owner if on_type else Instance(owner), "self")

    def _outer(self, file: int, scope: int, name: str) -> Found | None:
        symbols = self.files[file].symbols
        while scope >= 0:
            symbol = symbols[scope]
            if symbol.name == name and self._is_type(file, symbol):
                return Found(Instance(self.canonical(Def(file, scope))), "outer")
            scope = symbol.parent
        return None

    def _member_step(self, before: Found, name: str, head: str) -> Found | None:
        value = before.value
        found = self.member(value, name)
        if found is None:
            return None
        rule = found.rule
        if rule == AMBIGUOUS:
            return found
        if isinstance(value, Module | Space):
            rule = "module"
        elif isinstance(value, Super):
            rule = "super"
        elif head in ("@self", "@cls"):
            rule = "self" if rule != "field" else rule
        elif isinstance(value, Instance) or before.rule in ("field", "returned", "bound"):
            rule = before.rule
        elif rule == "member":
            rule = "static"
        return Found(found.value, rule, max(found.candidates, before.candidates))

    def _step(self, value: Value, step: str) -> Value | None:
        if isinstance(value, Def):
            value = self._followed(value)
        if isinstance(value, Def):
            return self._step_on_definition(value, step)
        if step == "of" and isinstance(value, Instance | Many):
            return value
        if step == "each" and isinstance(value, Many):
            return Instance(value.of)
        if step == "each" and isinstance(value, Instance):
            return value if self.rules(value.of.file).pointers else None
        if step == "()" and isinstance(value, Many):  # Swift's grammar reads `x[0]` as a call
            return Instance(value.of) if self.rules(value.of.file).called_elements else None
        if step == "()" and isinstance(value, Super):
            return value
        return None

    def _step_on_definition(self, definition: Def, step: str) -> Value | None:
        symbol = self.symbol(definition)
        is_type = self.is_type(definition)
        if step == "each":  # `name[T]` of a generic function
            generic = self.rules(definition.file).indexed_functions
            return definition if generic and symbol.kind is Kind.FUNCTION else None
        if step == "()":
            if self._is_type(definition.file, symbol):
                return Instance(definition) if self.rules(definition.file).calls_build else None
            if symbol.kind is Kind.CONSTRUCTOR:
                owner, _ = self.owner(definition.file, definition.symbol)
                return Instance(owner) if owner is not None else None
            return self.returned(definition)
        if not is_type:
            return Instance(definition) if step == "new" and symbol.kind is Kind.FUNCTION else None
        if step in ("of", "new"):
            return Instance(definition)
        return Many(definition) if step == "many" else None

    def _followed(self, definition: Def) -> Value:
        """What a variable or an alias holds; any other definition is what it is."""
        for _ in range(8):
            symbol = self.symbol(definition)
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
        names = self.files[method.file].names.get(method.symbol)
        if not names:
            return None
        bounds = [b for b in names.get(symbol.name, ()) if b.kind == BindingKind.FIELD]
        declared = bounds and all(b.member == DECLARED for b in bounds)
        return self.bound(method.file, method.symbol, bounds) if declared else None

    def held(self, definition: Def) -> Found | None:
        """What the binding of a variable or alias says that it is."""
        symbol = self.symbol(definition)
        names = self.files[definition.file].names.get(symbol.parent, {})
        bounds = [b for b in names.get(symbol.name, ()) if b.kind in _HELD]
        return self.bound(definition.file, symbol.parent, bounds) if bounds else None

    def returned(self, function: Def) -> Value | None:
        """An instance of the declared type of what a function gives."""
        path = self.files[function.file].returns.get(function.symbol)
        if not path:
            return None
        found = self.evaluate(function.file, function.symbol, path)
        if found is None:
            return None
        return found.value if isinstance(found.value, Instance | Many) else None

    # members

    def member(self, value: Value, name: str) -> Found | None:
        """The member of a value."""
        if isinstance(value, Def):
            value = self._followed(value)
        if isinstance(value, Module | Space | External):
            return self.exported(value, name)
        if isinstance(value, Instance):
            return self.member_of(value.of, name, False)
        if isinstance(value, Super):
            return self.member_of(value.of, name, value.static, above=True)
        if isinstance(value, Def):
            if self._is_space(value.file, self.symbol(value)):
                return self._in_space(value, name)
            if self.is_type(value):
                return self.member_of(value, name, True)
        return None

    def _in_space(self, space: Def, name: str) -> Found | None:
        found: list[Def] = []
        for part in self.parts(space):
            inside = self.files[part.file].inside.get(part.symbol, {})
            found += [Def(part.file, n) for n in inside.get(name, ())]
        found += self._attached.get(self.canonical(space), {}).get(name, [])
        if found:
            return self._several(found, "module")
        for part in self.parts(space):
            bounds = self.files[part.file].names.get(part.symbol, {}).get(name)
            if bounds:
                return self.bound(part.file, part.symbol, bounds)
        return None

    def member_of(
        self, type_: Def, name: str, static: bool | None, *, above: bool = False
    ) -> Found | None:
        """A member of a type or of its ancestors.

        Args:
            type_: the type.
            name: of the member.
            static: from which side it is asked; none for both.
            above: only what the type itself inherits or overrides.
        """
        key = ("member", type_, name, static, above)
        return self._ask_found(key, lambda: self._member_of(type_, name, static, above=above))

    def _member_of(
        self, type_: Def, name: str, static: bool | None, *, above: bool
    ) -> Found | None:
        family = self.rules(type_.file)
        ancestors = self.line(type_, static)
        for ancestor in ancestors[ancestors.index(type_) + 1 if above else 0 :]:
            found = self.own_members(ancestor, name)
            if static is not None:
                found = family.side(self, ancestor, found, static, ancestor == type_)
            if found:
                return self._several(found, "member")
            held = self._field(ancestor, name)
            if held is not None:
                return held
        return None

    def own_members(self, type_: Def, name: str) -> list[Def]:
        """Members of a type itself, in all its parts and attached to it."""
        first, parts = self.canonical(type_), self.parts(type_)
        if len(parts) > _MANY_PARTS:
            found = self._united(first, parts).get(name, [])
        else:
            found = [member for part in parts for member in self._inside(part, name)]
        attached = self._attached.get(first, {}).get(name, [])
        if attached and name == self.symbol(type_).name:
            attached = [d for d in attached if self.symbol(d).kind is not Kind.CONSTRUCTOR]
        return found + attached

    def _united(self, first: Def, parts: Sequence[Def]) -> dict[str, list[Def]]:
        """The members of a type of many parts (a namespace that every file opens), by name."""
        members = self._members.get(first)
        if members is None:
            members = self._members[first] = {}
            for part in parts:
                for name in self.files[part.file].inside.get(part.symbol, {}):
                    members.setdefault(name, []).extend(self._inside(part, name))
        return members

    def _inside(self, holder: Def, name: str) -> list[Def]:
        """What stands in a definition under a name; a class's name is not its constructor's."""
        file = self.files[holder.file]
        numbers = file.inside.get(holder.symbol, {}).get(name, ())
        if numbers and name == file.symbols[holder.symbol].name:
            numbers = [n for n in numbers if file.symbols[n].kind is not Kind.CONSTRUCTOR]
        return [Def(holder.file, n) for n in numbers]

    def _field(self, type_: Def, name: str) -> Found | None:
        fields = self._ask(("fields", type_), lambda: self._fields(type_))
        return self._ask_found(
            ("field", type_, name), lambda: self._field_value(fields or {}, name)
        )

    def _field_value(
        self, fields: dict[str, list[tuple[int, int, Bound]]], name: str
    ) -> Found | None:
        rows = fields.get(name)
        if not rows:
            return None
        declared = [row for row in rows if row[2].member == DECLARED] or rows
        answers = [self._bound(file, scope, bound) for file, scope, bound in declared]
        values = [a for a in answers if a is not None]
        if len(values) != len(answers):
            return None
        if len({(type(a.value), a.value) for a in values}) != 1:
            return None
        return Found(values[0].value, "field", values[0].candidates)

    def _fields(self, type_: Def) -> dict[str, list[tuple[int, int, Bound]]]:
        """Declared fields and those set through the instance in any method."""
        fields: dict[str, list[tuple[int, int, Bound]]] = defaultdict(list)
        for part in self.parts(type_):
            file = self.files[part.file]
            scopes = [part.symbol]
            for numbers in file.inside.get(part.symbol, {}).values():
                scopes += [n for n in numbers if file.symbols[n].kind in FUNCTION_KINDS]
            for scope in scopes:
                self._collect(file, scope, fields)
        for members in self._attached.get(self.canonical(type_), {}).values():
            for member in members:
                self._collect(self.files[member.file], member.symbol, fields)
        return dict(fields)

    @staticmethod
    def _collect(file: File, scope: int, fields: dict[str, list[tuple[int, int, Bound]]]) -> None:
        for name, bounds in file.names.get(scope, {}).items():
            fields[name] += [(file.id, scope, b) for b in bounds if b.kind == BindingKind.FIELD]

    # ancestors

    def line(self, type_: Def, static: bool | None = None) -> list[Def]:
        """A type and its known ancestors, in the order members are looked up."""
        found = self._ask(
            ("line", type_, bool(static)),
            lambda: self.rules(type_.file).line(self, type_, bool(static))[:_MAX_TYPES],
        )
        return found or [type_]

    def supertypes(self, type_: Def) -> list[tuple[str, Def]]:
        """The known direct supertypes with how each is used, as written."""
        found = self._ask(("supers", type_), lambda: self._supertypes(type_))
        return found or []

    def _supertypes(self, type_: Def) -> list[tuple[str, Def]]:
        found: list[tuple[str, Def]] = []
        for part in self.parts(type_):
            file = self.files[part.file]
            for mode, path in file.bases.get(part.symbol, ()):
                answer = self.evaluate(part.file, file.symbols[part.symbol].parent, path)
                if answer is None:
                    continue
                value = answer.value
                if isinstance(value, Def):
                    value = self._followed(value)
                if isinstance(value, Def) and self.canonical(value) != self.canonical(type_):
                    found.append((mode, self.canonical(value)))
        return found + [(mode, base) for mode, base in self.rules(type_.file).extra_bases(type_)]

    def is_foreign(self, type_: Def) -> bool:
        """Whether a type is the language's own, and only reopened here."""
        symbol = self.symbol(type_)
        return symbol.qualified in self.rules(type_.file).foreign_types

    def constructor(self, type_: Def) -> list[Def]:
        """The type's own constructors; the type itself where it declares none."""
        found = [
            d
            for part in self.parts(type_)
            for d in (
                Def(part.file, n)
                for numbers in self.files[part.file].inside.get(part.symbol, {}).values()
                for n in numbers
            )
            if self.symbol(d).kind is Kind.CONSTRUCTOR
        ]
        attached = self._attached.get(self.canonical(type_), {})
        found += [
            d for ds in attached.values() for d in ds if self.symbol(d).kind is Kind.CONSTRUCTOR
        ]
        if found or self.is_foreign(type_):
            return found
        return [self.canonical(type_)]


_NOT_NAMES = (BindingKind.FIELD, BindingKind.DECLARATION)
_HELD = (BindingKind.VALUE, BindingKind.ALIAS, BindingKind.BOUND, BindingKind.FIELD)
_OWN_TYPE = ("@self of", "@cls of")
