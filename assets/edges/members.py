"""Members of values and types, and the ancestors they come from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from codequarry.assets.edges.program import Bound, File
from codequarry.assets.edges.values import (
    FUNCTION_KINDS,
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

if TYPE_CHECKING:
    from codequarry.assets.edges.linker import Linker

_MANY_PARTS = 3
_MAX_TYPES = 200  # ancestors of one type


class Members:
    """Answers about the members of one program's types."""

    def __init__(self, linker: Linker) -> None:
        self._linker = linker
        self._members: dict[Def, dict[str, list[Def]]] = {}  # of types in many parts

    def member(self, value: Value, name: str) -> Found | None:
        """The member of a value."""
        linker = self._linker
        if isinstance(value, Def):
            value = linker.steps.followed(value)
        if isinstance(value, Module | Space | External):
            return linker.exported(value, name)
        if isinstance(value, Instance):
            return self.member_of(value.of, name, False)
        if isinstance(value, Super):
            return self.member_of(value.of, name, value.static, above=True)
        if isinstance(value, Def):
            if linker.has_space_kind(value.file, linker.symbol(value)):
                space = value  # what it imports may lead back to it
                key = ("space", space, name)
                return linker.ask_found(key, lambda: self._in_space(space, name))
            if linker.is_type(value):
                return self.member_of(value, name, True)
        return None

    def _in_space(self, space: Def, name: str) -> Found | None:
        linker = self._linker
        found: list[Def] = []
        for part in linker.parts(space):
            inside = linker.files[part.file].inside.get(part.symbol, {})
            found += [Def(part.file, n) for n in inside.get(name, ())]
        found += linker.attached(space).get(name, [])
        if found:
            return linker.several(found, "module")
        for part in linker.parts(space):
            bounds = linker.files[part.file].names.get(part.symbol, {}).get(name)
            if bounds:
                return linker.bound(part.file, part.symbol, bounds)
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
        linker = self._linker
        key = ("member", type_, name, static, above)
        return linker.ask_found(key, lambda: self._member_of(type_, name, static, above=above))

    def _member_of(
        self, type_: Def, name: str, static: bool | None, *, above: bool
    ) -> Found | None:
        linker = self._linker
        family = linker.rules(type_.file)
        ancestors = self.line(type_, static)
        for ancestor in ancestors[ancestors.index(type_) + 1 if above else 0 :]:
            found = self.own_members(ancestor, name)
            if static is not None:
                found = family.side(linker, ancestor, found, static, ancestor == type_)
            if found:
                return linker.several(found, "member")
            held = self._field(ancestor, name)
            if held is not None:
                return held
        return None

    def own_members(self, type_: Def, name: str) -> list[Def]:
        """Members of a type itself, in all its parts and attached to it."""
        linker = self._linker
        first, parts = linker.canonical(type_), linker.parts(type_)
        if len(parts) > _MANY_PARTS:
            found = self._united(first, parts).get(name, [])
        else:
            found = [member for part in parts for member in linker.inside(part, name)]
        attached = linker.attached(first).get(name, [])
        if attached and name == linker.symbol(type_).name:
            attached = [d for d in attached if linker.symbol(d).kind is not Kind.CONSTRUCTOR]
        return found + attached

    def _united(self, first: Def, parts: Sequence[Def]) -> dict[str, list[Def]]:
        """The members of a type of many parts (a namespace that every file opens), by name."""
        linker = self._linker
        members = self._members.get(first)
        if members is None:
            members = self._members[first] = {}
            for part in parts:
                for name in linker.files[part.file].inside.get(part.symbol, {}):
                    members.setdefault(name, []).extend(linker.inside(part, name))
        return members

    def _field(self, type_: Def, name: str) -> Found | None:
        linker = self._linker
        fields = linker.ask(("fields", type_), lambda: self._fields(type_))
        return linker.ask_found(
            ("field", type_, name), lambda: self._field_value(fields or {}, name)
        )

    def _field_value(
        self, fields: dict[str, list[tuple[int, int, Bound]]], name: str
    ) -> Found | None:
        linker = self._linker
        rows = fields.get(name)
        if not rows:
            return None
        declared = [row for row in rows if row[2].member == DECLARED] or rows
        answers = [linker.binding(file, scope, bound) for file, scope, bound in declared]
        values = [a for a in answers if a is not None]
        if len(values) != len(answers):
            return None
        if len({(type(a.value), a.value) for a in values}) != 1:
            return None
        return Found(values[0].value, "field", values[0].candidates)

    def _fields(self, type_: Def) -> dict[str, list[tuple[int, int, Bound]]]:
        """Declared fields and those set through the instance in any method."""
        linker = self._linker
        fields: dict[str, list[tuple[int, int, Bound]]] = defaultdict(list)
        for part in linker.parts(type_):
            file = linker.files[part.file]
            scopes = [part.symbol]
            for numbers in file.inside.get(part.symbol, {}).values():
                scopes += [n for n in numbers if file.symbols[n].kind in FUNCTION_KINDS]
            for scope in scopes:
                self._collect(file, scope, fields)
        for members in linker.attached(type_).values():
            for member in members:
                self._collect(linker.files[member.file], member.symbol, fields)
        return dict(fields)

    @staticmethod
    def _collect(file: File, scope: int, fields: dict[str, list[tuple[int, int, Bound]]]) -> None:
        for name, bounds in file.names.get(scope, {}).items():
            fields[name] += [(file.id, scope, b) for b in bounds if b.kind == BindingKind.FIELD]

    def line(self, type_: Def, static: bool | None = None) -> list[Def]:
        """A type and its known ancestors, in the order members are looked up."""
        linker = self._linker
        found = linker.ask(
            ("line", type_, bool(static)),
            lambda: linker.rules(type_.file).line(linker, type_, bool(static))[:_MAX_TYPES],
        )
        return found or [type_]

    def supertypes(self, type_: Def) -> list[tuple[str, Def]]:
        """The known direct supertypes with how each is used, as written."""
        linker = self._linker
        found = linker.ask(("supers", type_), lambda: self._supertypes(type_))
        return found or []

    def _supertypes(self, type_: Def) -> list[tuple[str, Def]]:
        linker = self._linker
        found: list[tuple[str, Def]] = []
        for part in linker.parts(type_):
            file = linker.files[part.file]
            for mode, path in file.bases.get(part.symbol, ()):
                answer = linker.evaluate(part.file, file.symbols[part.symbol].parent, path)
                if answer is None:
                    continue
                value = answer.value
                if isinstance(value, Def):
                    value = linker.steps.followed(value)
                if isinstance(value, Def) and linker.canonical(value) != linker.canonical(type_):
                    found.append((mode, linker.canonical(value)))
        return found + [(mode, base) for mode, base in linker.rules(type_.file).extra_bases(type_)]

    def constructor(self, type_: Def) -> list[Def]:
        """The type's own constructors; the type itself where it declares none."""
        linker = self._linker
        found = [
            d
            for part in linker.parts(type_)
            for d in (
                Def(part.file, n)
                for numbers in linker.files[part.file].inside.get(part.symbol, {}).values()
                for n in numbers
            )
            if linker.symbol(d).kind is Kind.CONSTRUCTOR
        ]
        attached = linker.attached(type_)
        found += [
            d for ds in attached.values() for d in ds if linker.symbol(d).kind is Kind.CONSTRUCTOR
        ]
        if found or linker.is_foreign(type_):
            return found
        return [linker.canonical(type_)]
