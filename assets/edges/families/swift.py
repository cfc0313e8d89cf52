"""Linking of Swift: a module sees all its files, extensions add to types anywhere."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from codequarry.assets.edges.families.family import Family
from codequarry.assets.edges.values import Def, External, Found, Space, Value

if TYPE_CHECKING:
    from codequarry.assets.edges.linker import Linker

_TARGET_FOLDERS = ("Sources", "Source", "Tests")


class Swift(Family):
    """Swift."""

    name: ClassVar[str] = "swift"
    languages: ClassVar[tuple[str, ...]] = ("swift",)
    overloads: ClassVar[bool] = True
    implicit_members: ClassVar[bool] = True
    calls_build: ClassVar[bool] = True
    called_elements: ClassVar[bool] = True

    def prepare(self, linker: Linker) -> None:
        """Sort files into modules, and index what each defines at its top."""
        program = linker.program
        self._module_of: dict[int, str] = {}
        self._files: dict[str, list[int]] = defaultdict(list)
        self._tops: dict[str, dict[str, list[Def]]] = defaultdict(lambda: defaultdict(list))
        for number in program.by_language["swift"]:
            file = program.files[number]
            module = _module(file.path)
            self._module_of[number] = module
            self._files[module].append(number)
            for name, found in file.top.items():
                self._tops[module][name] += [Def(number, n) for n in found]

    def module(self, linker: Linker, file: int, specifier: str) -> Value | None:
        """A module of this repository by its name."""
        name = specifier.partition(".")[0]
        return Space(name, "swift") if name in self._files else External(specifier)

    def import_targets(
        self, linker: Linker, file: int, specifier: str, member: str
    ) -> Sequence[int]:
        """All files of the module."""
        module = self.module(linker, file, specifier)
        return self._files[module.name] if isinstance(module, Space) else []

    def space_member(self, linker: Linker, space: str, name: str) -> Found | None:
        """What a module defines at its top."""
        found = self._tops.get(space, {}).get(name)
        if not found:
            return None
        if len({linker.symbol(d).kind for d in found}) > 1:
            return None
        return Found(found[0], "package", len(found))

    def outer(self, linker: Linker, file: int, scope: int, name: str) -> Found | None:
        """A name of the own module, then of an imported one, then a module."""
        found = self.space_member(linker, self._module_of[file], name)
        if found is not None:
            return found
        answers = []
        for star in linker.files[file].stars.get(-1, ()):
            module = self.module(linker, file, star.target)
            if isinstance(module, Space):
                member = self.space_member(linker, module.name, name)
                if member is not None:
                    answers.append(member)
        if len(answers) == 1:
            return Found(answers[0].value, "import", answers[0].candidates)
        return Found(Space(name, "swift"), "module") if name in self._files and name else None


def _module(path: str) -> str:
    """The target a file belongs to: the folder below ``Sources``; empty for one big module."""
    parts = posixpath.dirname(path).split("/")
    for place, part in enumerate(parts[:-1]):
        if part in _TARGET_FOLDERS:
            return parts[place + 1]
    return ""
