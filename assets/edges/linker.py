"""Follow access paths to what they mean.

Everything here is demand-driven and memoised: a question is asked of a file and a scope, and
answered from the bindings and symbols of the files it leads to. A question that comes back to
itself (re-export rings, recursive types) has no answer by that way; what was found while such
a ring was open holds until it is closed (`questions.py`), so no answer depends on what was asked
before.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from codequarry.assets.edges.members import Members
from codequarry.assets.edges.program import Bound, File, Program, Sym
from codequarry.assets.edges.questions import Questions
from codequarry.assets.edges.shape import Shape
from codequarry.assets.edges.steps import Steps
from codequarry.assets.edges.values import (
    Def,
    External,
    Found,
    Instance,
    Module,
    Space,
    Super,
    Value,
)
from codequarry.assets.references.extract import DECLARED
from codequarry.vocabulary import BindingKind, Kind

_UNASKED: Any = object()
AMBIGUOUS = "ambiguous"  # the rule where equal candidates differ: nothing is picked
_NOT_NAMES = (BindingKind.FIELD, BindingKind.DECLARATION)


class Linker(Shape):
    """Answers what names and paths mean in one repository."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._questions = Questions()
        self.members = Members(self)
        self.steps = Steps(self)
        families = self.families
        for family in families:  # once each, whatever languages it has: it may rewrite bindings
            family.prepare(self)
        self._attach()
        for family in families:
            family.extend(self)
        self._questions.forget()

    def ask(self, key: Hashable, answer: Callable[[], Any]) -> Any:
        """Answer a question once; see `Questions.ask`."""
        return self._questions.ask(key, answer)

    def ask_found(self, key: Hashable, answer: Callable[[], Found | None]) -> Found | None:
        """The same, of what a name or path means."""
        found: Found | None = self._questions.ask(key, answer)
        return found

    def member(self, value: Value, name: str) -> Found | None:
        """The member of a value."""
        return self.members.member(value, name)

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
        self._questions.forget()

    def _named_owner(self, file: File, symbol: Sym) -> Def | None:
        outer = file.symbols[symbol.parent] if symbol.parent >= 0 else None
        names = symbol.scope[len(outer.scope) + 1 if outer is not None else 0 :]
        if not names:
            return None
        found = self.evaluate(file.id, symbol.parent, " .".join(names))
        if found is None or not isinstance(found.value, Def):
            return None
        return found.value

    def name(self, file: int, scope: int, name: str) -> Found | None:
        """What a bare name means in a scope."""
        return self.ask_found(("name", file, scope, name), lambda: self._name(file, scope, name))

    def _name(self, file: int, scope: int, name: str) -> Found | None:
        here, family = self.files[file], self.rules(file)
        at, first = scope, True
        while at >= 0:
            symbol = here.symbols[at]
            bounds = [b for b in here.names.get(at, {}).get(name, ()) if b.kind not in _NOT_NAMES]
            is_type = self.has_type_kind(file, symbol)
            if bounds and (not is_type or first or family.implicit_members):
                found = self.bound(file, at, bounds)
                if found is not None or bounds[0].kind != BindingKind.VALUE:
                    return found
            if not is_type or family.implicit_members or first:
                inside = self.inside(Def(file, at), name)
                if inside:
                    return self.several(inside)
            if self.has_space_kind(file, symbol) or Def(file, at) in self._owners:
                found = family.beside(
                    self, file, self.attached_to(Def(file, at)) or Def(file, at), name
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
        if self.has_type_kind(file, symbol):
            owner = self.canonical(definition)
        elif definition in self._owners:
            owner = self._owners[definition]
        else:
            return None
        if self.has_space_kind(owner.file, self.symbol(owner)):
            return None
        static = None
        if self.rules(file).static_strict:
            static = self._side_of(file, at, scope)
        found = self.members.member_of(owner, name, static)
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
            return self.several(Def(file, n) for n in top)
        bounds = [b for b in here.names.get(-1, {}).get(name, ()) if b.kind not in _NOT_NAMES]
        return self.bound(file, -1, bounds) if bounds else None

    def several(self, definitions: Iterable[Def], rule: str = "scope") -> Found | None:
        """One of several definitions of a name; overloads are told apart at the call."""
        found = list(dict.fromkeys(self.canonical(d) for d in definitions))
        if len({self.symbol(d).qualified for d in found}) > 1:
            return Found(found[0], AMBIGUOUS, len(found))
        return Found(found[0], rule, len(found)) if found else None

    def bound(self, file: int, scope: int, bounds: Sequence[Bound]) -> Found | None:
        """What a binding of a name means; several must agree."""
        declared = [b for b in bounds if b.member == DECLARED and b.kind == BindingKind.VALUE]
        answers = [self.binding(file, scope, b) for b in declared or bounds]
        if any(a is None for a in answers):
            known = {(type(a.value), a.value) for a in answers if a is not None}
            if bounds[0].kind == BindingKind.VALUE or len(known) != 1:
                return None
        values = [a for a in answers if a is not None]
        if len({(type(a.value), a.value) for a in values}) != 1:
            return None
        return values[0]

    def binding(self, file: int, scope: int, bound: Bound) -> Found | None:
        """What one binding of a name means."""
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
        return self.ask_found(key, lambda: self._exported(module, name))

    def _exported(self, module: Value, name: str) -> Found | None:
        if isinstance(module, Module):
            family = self.family(self.files[module.file].language)
            return family.exported(self, module.file, name) if family is not None else None
        if isinstance(module, Space):
            holder = next(f for f in self.families if f.name == module.family)
            return holder.space_member(self, module.name, name)
        return None

    def evaluate(self, file: int, scope: int, path: str) -> Found | None:
        """What an access path means in a scope."""
        key = ("path", file, scope, path)
        known: Found | None = self._questions.answered(key, _UNASKED)
        if known is not _UNASKED:
            return known
        return self.ask_found(key, lambda: self._evaluate(file, scope, path))

    def _evaluate(self, file: int, scope: int, path: str) -> Found | None:
        head, _, step = path.rpartition(" ")
        if not head:
            return self._base(file, scope, step)
        before = self.evaluate(file, scope, head)
        if before is None or before.rule == AMBIGUOUS:
            return None
        if step.startswith("."):
            return self._member_step(before, step[1:], head)
        value = self.steps.chained(file, scope, before, head) if step == "()" else None
        value = value or self.steps.step(before.value, step)
        if value is None:
            return None
        rule = {"of": "typed", "new": "constructed"}.get(step, before.rule)
        if step == "()":
            built = isinstance(before.value, Def) and self.is_type(before.value)
            rule = "constructed" if built else "returned"
        if before.rule in ("field", "returned", "bound"):
            rule = before.rule
        return Found(value, rule, before.candidates)

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
            if symbol.name == name and self.has_type_kind(file, symbol):
                return Found(Instance(self.canonical(Def(file, scope))), "outer")
            scope = symbol.parent
        return None

    def _member_step(self, before: Found, name: str, head: str) -> Found | None:
        value = before.value
        found = self.members.member(value, name)
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
