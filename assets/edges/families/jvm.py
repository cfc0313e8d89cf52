"""Linking of Java and Kotlin: packages, imports by full name, implicit ``this``, extensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from codequarry.assets.edges.families.family import Family
from codequarry.assets.edges.program import Bound
from codequarry.assets.edges.values import Def, External, Found, Space, Value

if TYPE_CHECKING:
    from codequarry.assets.edges.linker import Linker


class Jvm(Family):
    """Java and Kotlin, which see each other."""

    name: ClassVar[str] = "jvm"
    languages: ClassVar[tuple[str, ...]] = ("java", "kotlin")
    overloads: ClassVar[bool] = True
    calls_build: ClassVar[bool] = True
    implicit_members: ClassVar[bool] = True
    static_self: ClassVar[bool] = False

    def prepare(self, linker: Linker) -> None:
        """Index top-level names by package."""
        program = linker.program
        self._packages: dict[str, dict[str, list[Def]]] = {}
        self._files: dict[str, list[int]] = {}
        for language in self.languages:
            for number in program.by_language.get(language, ()):
                file = program.files[number]
                names = self._packages.setdefault(file.package, {})
                self._files.setdefault(file.package, []).append(number)
                for name, found in file.top.items():
                    names.setdefault(name, []).extend(Def(number, n) for n in found)

    def extend(self, linker: Linker) -> None:
        """Extension functions are members of the type they extend."""
        for number in linker.program.by_language.get("kotlin", ()):
            for n, symbol in enumerate(linker.files[number].symbols):
                if not symbol.receiver:
                    continue
                found = linker.evaluate(number, symbol.parent, _type_path(symbol.receiver))
                if found is not None and isinstance(found.value, Def):
                    linker.attach(Def(number, n), found.value)

    def line(self, linker: Linker, type_: Def, static: bool) -> list[Def]:
        """A type, its companion, and its ancestors with theirs."""
        order: list[Def] = []
        for at in super().line(linker, type_, static):
            order.append(at)
            order += linker.members.own_members(at, "Companion")
        return order

    def module(self, linker: Linker, file: int, specifier: str) -> Value | None:
        """A package, or a type that members are taken from."""
        if specifier in self._packages:
            return Space(specifier, "jvm")
        outer, _, name = specifier.rpartition(".")
        if not outer:
            return None
        holder = self.module(linker, file, outer)
        if holder is None or isinstance(holder, External):
            return None
        found = linker.member(holder, name)
        return found.value if found is not None else None

    def imported(self, linker: Linker, file: int, scope: int, bound: Bound) -> Value | None:
        """A type of a package, a nested type, a static member."""
        module = self.module(linker, file, bound.target)
        if module is None:
            return External(f"{bound.target}.{bound.member}")
        found = linker.member(module, bound.member)
        return found.value if found is not None else None

    def space_member(self, linker: Linker, space: str, name: str) -> Found | None:
        """A top-level name of a package, or the package below."""
        found = self._packages.get(space, {}).get(name)
        if found:
            return Found(found[0], "package", len(found))
        inner = f"{space}.{name}"
        return Found(Space(inner, "jvm"), "package") if self._is_package(inner) else None

    def _is_package(self, name: str) -> bool:
        start = f"{name}."
        return name in self._packages or any(p.startswith(start) for p in self._packages)

    def import_targets(
        self, linker: Linker, file: int, specifier: str, member: str
    ) -> Sequence[int]:
        """The file of the type; for a wildcard every file of the package."""
        module = self.module(linker, file, specifier)
        if module is None:
            return []
        if member == "*":
            if isinstance(module, Space):
                return self._files.get(module.name, [])
            return [module.file] if isinstance(module, Def) else []
        found = linker.member(module, member)
        if found is not None and isinstance(found.value, Def):
            return [found.value.file]
        return [module.file] if isinstance(module, Def) else []

    def outer(self, linker: Linker, file: int, scope: int, name: str) -> Found | None:
        """A name of the same package, then of what wildcard imports bring, then a package."""
        here = linker.files[file]
        found = self._packages.get(here.package, {}).get(name)
        if found:
            return Found(found[0], "package", len(found))
        answers = []
        for star in here.stars.get(-1, ()):
            module = self.module(linker, file, star.target)
            if module is not None and not isinstance(module, External):
                member = linker.member(module, name)
                if member is not None and not isinstance(member.value, Space):
                    answers.append(member)
        values = {(type(a.value), a.value) for a in answers}
        if len(values) == 1:
            return Found(answers[0].value, "import", answers[0].candidates)
        if not answers and self._is_package(name):
            return Found(Space(name, "jvm"), "package")
        return None


def _type_path(written: str) -> str:
    """``List<T>?`` → ``List``."""
    return " .".join(written.partition("<")[0].strip(" ?()").split("."))
