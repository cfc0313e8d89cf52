"""Linking of PHP: full names by declared namespace, ``use``, traits, includes by path."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from codequarry.assets.edges.families.family import Family
from codequarry.assets.edges.program import Bound
from codequarry.assets.edges.values import Def, External, Found, Module, Space, Value
from codequarry.vocabulary import Kind

if TYPE_CHECKING:
    from codequarry.assets.edges.linker import Linker

_ORDER = {"mixes_in": 0, "extends": 1, "implements": 2}


class Php(Family):
    """PHP."""

    name: ClassVar[str] = "php"
    self_returns: ClassVar[bool] = (
        False  # `self` is where it is written, `static` is not told apart
    )
    languages: ClassVar[tuple[str, ...]] = ("php",)
    static_self: ClassVar[bool] = False
    private_variables: ClassVar[bool] = True

    def prepare(self, linker: Linker) -> None:
        """Index top-level definitions by full name; two of one name are none."""
        program = linker.program
        self._paths = program.paths
        self._names: dict[str, list[Def]] = {}
        self._spaces: set[str] = {""}
        for number in program.by_language["php"]:
            file = program.files[number]
            for found in file.top.values():
                for n in found:
                    full = file.symbols[n].qualified.lstrip("\\")
                    self._names.setdefault(full.lower(), []).append(Def(number, n))
                    space = full.rpartition("\\")[0].lower()
                    while space and space not in self._spaces:
                        self._spaces.add(space)
                        space = space.rpartition("\\")[0]

    def _full(self, name: str) -> Value | None:
        """What a full name means; names do not tell upper from lower case."""
        key = name.lower()
        found = self._names.get(key)
        if found:
            return found[0]
        return Space(name, "php") if key in self._spaces else None

    def module(self, linker: Linker, file: int, specifier: str) -> Value | None:
        """A namespace, or an included file by its path."""
        if specifier.endswith((".php", ".inc", ".phtml")):
            folder = posixpath.dirname(linker.files[file].path)
            for start in dict.fromkeys((folder, "")):
                place = posixpath.normpath(posixpath.join(start, specifier))
                if place in self._paths:
                    return Module(self._paths[place])
            return External(specifier)
        return self._full(specifier) or External(specifier)

    def imported(self, linker: Linker, file: int, scope: int, bound: Bound) -> Value | None:
        """The definition or namespace of a ``use``."""
        full = f"{bound.target}\\{bound.member}" if bound.target else bound.member
        return self._full(full) or External(full)

    def import_targets(
        self, linker: Linker, file: int, specifier: str, member: str
    ) -> Sequence[int]:
        """The file of the definition that is used, or the included file."""
        value: Value | None
        if member:
            value = self._full(f"{specifier}\\{member}" if specifier else member)
        else:
            value = self.module(linker, file, specifier)
        return [value.file] if isinstance(value, Module | Def) else []

    def space_member(self, linker: Linker, space: str, name: str) -> Found | None:
        """A definition in a namespace, or the namespace below."""
        value = self._full(f"{space}\\{name}" if space else name)
        return Found(value, "package") if value is not None else None

    def place(self, linker: Linker, file: int, scope: int, word: str) -> Value | None:
        """A leading backslash starts at the global namespace."""
        return Space("", "php") if word == "@global" else None

    def outer(self, linker: Linker, file: int, scope: int, name: str) -> Found | None:
        """A name of the own namespace; a function also of the global one."""
        if name.startswith("$"):
            return None
        space = linker.files[file].package.replace(".", "\\")
        value = self._full(f"{space}\\{name}" if space else name)
        if value is None and space:
            value = self._full(name)
            if isinstance(value, Def) and linker.symbol(value).kind is not Kind.FUNCTION:
                value = None
        return Found(value, "package") if isinstance(value, Def | Space) else None

    def line(self, linker: Linker, type_: Def, static: bool) -> list[Def]:
        """Own members, then those of used traits, then inherited ones."""
        order: list[Def] = []
        waiting = [type_]
        while waiting:
            at = waiting.pop(0)
            if at in order:
                continue
            order.append(at)
            above = sorted(linker.members.supertypes(at), key=lambda pair: _ORDER.get(pair[0], 3))
            waiting = [base for _, base in above] + waiting
        return order
