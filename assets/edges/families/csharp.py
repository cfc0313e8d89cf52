"""Linking of C#: namespaces that every file adds to, usings, partial types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from codequarry.assets.edges.families.family import Family
from codequarry.assets.edges.program import Bound
from codequarry.assets.edges.values import TYPE_KINDS, Def, External, Found, Space, Value
from codequarry.assets.references.rules.csharp import GLOBAL, STATIC
from codequarry.vocabulary import Kind

if TYPE_CHECKING:
    from codequarry.assets.edges.linker import Linker


class CSharp(Family):
    """C#."""

    name: ClassVar[str] = "csharp"
    languages: ClassVar[tuple[str, ...]] = ("csharp",)
    overloads: ClassVar[bool] = True
    implicit_members: ClassVar[bool] = True
    static_self: ClassVar[bool] = False

    def prepare(self, linker: Linker) -> None:
        """Index types by full name, unite partial ones, collect namespaces."""
        program = linker.program
        self._types: dict[str, list[Def]] = {}
        self._spaces: dict[str, list[int]] = {}  # namespace → files that add to it
        self._global: list[str] = []
        for number in program.by_language["csharp"]:
            file = program.files[number]
            for n, symbol in enumerate(file.symbols):
                if symbol.kind in TYPE_KINDS:
                    self._types.setdefault(symbol.qualified, []).append(Def(number, n))
                    space = self._space_of(linker, number, symbol.parent)
                    if symbol.parent < 0 or file.symbols[symbol.parent].kind is Kind.NAMESPACE:
                        files = self._spaces.setdefault(space, [])
                        if number not in files:
                            files.append(number)
            for star in file.stars.get(-1, ()):
                if star.member == GLOBAL:
                    self._global.append(star.target)
        for found in self._types.values():
            if len(found) > 1:
                linker.unite(found)
        self._above = {
            ".".join(n.split(".")[:i]) for n in self._spaces for i in range(n.count(".") + 1)
        }

    @staticmethod
    def _space_of(linker: Linker, file: int, scope: int) -> str:
        """The namespace around a scope."""
        symbols = linker.files[file].symbols
        while scope >= 0:
            if symbols[scope].kind is Kind.NAMESPACE:
                return symbols[scope].qualified
            scope = symbols[scope].parent
        return ""

    def _is_space(self, name: str) -> bool:
        return name in self._spaces or name in self._above

    def _in(self, linker: Linker, space: str, name: str) -> Found | None:
        full = f"{space}.{name}" if space else name
        found = self._types.get(full)
        if found:
            return Found(linker.canonical(found[0]), "package")
        return Found(Space(full, "csharp"), "package") if self._is_space(full) else None

    def module(self, linker: Linker, file: int, specifier: str) -> Value | None:
        """A namespace or a type by its full name."""
        found = self._types.get(specifier)
        if found:
            return linker.canonical(found[0])
        return Space(specifier, "csharp") if self._is_space(specifier) else External(specifier)

    def imported(self, linker: Linker, file: int, scope: int, bound: Bound) -> Value | None:
        """What an alias stands for; a namespace may be left out where it is the own one."""
        full = f"{bound.target}.{bound.member}" if bound.target else bound.member
        for space in _outwards(self._space_of(linker, file, scope)):
            value = self.module(linker, file, f"{space}.{full}" if space else full)
            if value is not None and not isinstance(value, External):
                return value
        return External(full)

    def import_targets(
        self, linker: Linker, file: int, specifier: str, member: str
    ) -> Sequence[int]:
        """The files that add types to a namespace, or the file of a type."""
        full = specifier if member.startswith("*") else f"{specifier}.{member}".lstrip(".")
        found = self._types.get(full)
        if found:
            return sorted({d.file for d in found})
        return self._spaces.get(full, [])

    def space_member(self, linker: Linker, space: str, name: str) -> Found | None:
        """A type of a namespace, or the namespace below."""
        return self._in(linker, space, name)

    def place(self, linker: Linker, file: int, scope: int, word: str) -> Value | None:
        """``global::`` starts at the top."""
        return Space("", "csharp") if word == "@global" else None

    def outer(self, linker: Linker, file: int, scope: int, name: str) -> Found | None:
        """A type of the namespaces around, then of the usings."""
        for space in _outwards(self._space_of(linker, file, scope)):
            found = self._in(linker, space, name)
            if found is not None:
                return found
        answers = [
            a
            for space, static in self._usings(linker, file, scope)
            if (a := self._used(linker, space, name, static=static)) is not None
        ]
        return answers[0] if len({a.value for a in answers}) == 1 else None

    def _usings(self, linker: Linker, file: int, scope: int) -> Iterator[tuple[str, bool]]:
        spaces = list(_outwards(self._space_of(linker, file, scope)))
        for stars in linker.files[file].stars.values():
            for star in stars:
                full = next(
                    (f for s in spaces if self._known(f := f"{s}.{star.target}".lstrip("."))), ""
                )
                if full:
                    yield full, star.member == STATIC
        yield from ((space, False) for space in self._global)

    def _known(self, full: str) -> bool:
        return self._is_space(full) or full in self._types

    def _used(self, linker: Linker, space: str, name: str, *, static: bool) -> Found | None:
        if static and space in self._types:
            return linker.members.member_of(
                linker.canonical(self._types[space][0]), name, static=True
            )
        found = self._types.get(f"{space}.{name}")
        return Found(linker.canonical(found[0]), "import") if found else None


def _outwards(space: str) -> Iterator[str]:
    """A namespace and those around it, the global one last."""
    while space:
        yield space
        space = space.rpartition(".")[0]
    yield ""
