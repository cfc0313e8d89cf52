"""The shape of a program: which definitions make up a type, and which members belong to it.

What is written in one place and what is written apart look the same from here: partial and
reopened types are united, members outside their type are attached to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from codequarry.assets.edges.families import family_of
from codequarry.assets.edges.families.family import Family
from codequarry.assets.edges.program import Program, Sym
from codequarry.assets.edges.values import Def
from codequarry.vocabulary import Kind

_METHODS = (Kind.METHOD, Kind.CONSTRUCTOR)


class Shape:
    """Families, symbols, united types and attached members of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.files = program.files
        self._families: dict[str, Family | None] = {}
        self._rules = [self.family(file.language) for file in self.files]
        self._attached: dict[Def, dict[str, list[Def]]] = {}
        self._owners: dict[Def, Def] = {}
        self._parts: dict[Def, list[Def]] = {}
        self._canon: dict[Def, Def] = {}

    @cached_property
    def families(self) -> list[Family]:
        """The families of the program's languages, each once, in the order of their languages."""
        asked = [self.family(language) for language in sorted(self.program.by_language)]
        return list(dict.fromkeys(family for family in asked if family is not None))

    def family(self, language: str) -> Family | None:
        """The rules of a language; none for one without edges."""
        if language not in self._families:
            kind = family_of(language)
            made = next((f for f in self._families.values() if type(f) is kind), None)
            self._families[language] = made or (kind() if kind is not None else None)
        return self._families[language]

    def rules(self, file: int) -> Family:
        """The rules of a file's language."""
        family = self._rules[file]
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

    def attach(self, member: Def, owner: Def) -> None:
        """Make a definition a member of a type it does not stand in."""
        owner = self.canonical(owner)
        members = self._attached.setdefault(owner, {})
        members.setdefault(self.symbol(member).name, []).append(member)
        self._owners[member] = owner

    def is_type(self, definition: Def) -> bool:
        """Whether a definition has members: a type, or a function used as one."""
        symbol = self.symbol(definition)
        return self.has_type_kind(definition.file, symbol) or (
            symbol.kind is Kind.FUNCTION and self.canonical(definition) in self._attached
        )

    def has_type_kind(self, file: int, symbol: Sym) -> bool:
        """Whether a symbol is a type by its kind."""
        return symbol.kind in self.rules(file).type_kinds

    def has_space_kind(self, file: int, symbol: Sym) -> bool:
        """Whether a symbol is a namespace by its kind."""
        return symbol.kind in self.rules(file).space_kinds

    def owner(self, file: int, scope: int) -> tuple[Def | None, Sym | None]:
        """The innermost type around a scope, and the method of it that the scope lies in."""
        method: Sym | None = None
        symbols = self.files[file].symbols
        while scope >= 0:
            symbol, definition = symbols[scope], Def(file, scope)
            if definition in self._owners:
                owner = self._owners[definition]
                if not self.has_space_kind(owner.file, self.symbol(owner)):
                    return owner, symbol
            elif self.has_type_kind(file, symbol):
                return self.canonical(definition), method
            elif symbol.kind is Kind.FUNCTION and symbol.parent < 0 and self.is_type(definition):
                return definition, symbol
            if symbol.kind in _METHODS or method is None:
                method = symbol
            scope = symbol.parent
        return None, method

    def is_foreign(self, type_: Def) -> bool:
        """Whether a type is the language's own, and only reopened here."""
        symbol = self.symbol(type_)
        return symbol.qualified in self.rules(type_.file).foreign_types

    def inside(self, holder: Def, name: str) -> list[Def]:
        """What stands in a definition under a name; a class's name is not its constructor's."""
        file = self.files[holder.file]
        numbers = file.inside.get(holder.symbol, {}).get(name, ())
        if numbers and name == file.symbols[holder.symbol].name:
            numbers = [n for n in numbers if file.symbols[n].kind is not Kind.CONSTRUCTOR]
        return [Def(holder.file, n) for n in numbers]

    def attached(self, type_: Def) -> dict[str, list[Def]]:
        """The members by name that stand outside a type."""
        return self._attached.get(self.canonical(type_), {})

    def attached_to(self, member: Def) -> Def | None:
        """The type a member that stands outside it belongs to."""
        return self._owners.get(member)
