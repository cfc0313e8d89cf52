"""Linking of Go: the package is the unit, qualifiers go through the module file."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from codequarry.assets.edges.families.family import Family
from codequarry.assets.edges.values import Def, External, Found, Space, Value

if TYPE_CHECKING:
    from codequarry.assets.edges.linker import Linker

_MODULE = re.compile(rb"^\s*module\s+\"?([^\s\"]+)", re.MULTILINE)
_REPLACE = re.compile(rb"^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s*=>\s*(\.{1,2}/?\S*)", re.MULTILINE)


class Go(Family):
    """Go."""

    name: ClassVar[str] = "go"
    languages: ClassVar[tuple[str, ...]] = ("go",)
    calls_build: ClassVar[bool] = True
    indexed_functions: ClassVar[bool] = True
    converts: ClassVar[bool] = True

    def prepare(self, linker: Linker) -> None:
        """Collect packages by folder, and the module paths of the repository."""
        program = linker.program
        self._folders: dict[str, list[int]] = {}
        self._names: dict[tuple[str, str], dict[str, list[Def]]] = {}  # (folder, package)
        for number in program.by_language["go"]:
            file = program.files[number]
            folder = posixpath.dirname(file.path)
            self._folders.setdefault(folder, []).append(number)
            names = self._names.setdefault((folder, file.package), {})
            for name, found in file.top.items():
                names.setdefault(name, []).extend(Def(number, n) for n in found)
        self._modules: list[tuple[str, str]] = []  # (module path, folder)
        for path, data in program.texts.items():
            if posixpath.basename(path) != "go.mod":
                continue
            folder = posixpath.dirname(path)
            found_module = _MODULE.search(data)
            if found_module is not None:
                self._modules.append((found_module[1].decode("utf-8", "replace"), folder))
            for replaced, target in _REPLACE.findall(data):
                place = posixpath.normpath(
                    posixpath.join(folder, target.decode("utf-8", "replace"))
                )
                place = "" if place == "." else place
                self._modules.append((replaced.decode("utf-8", "replace"), place))
        self._modules.sort(key=lambda pair: (-len(pair[0]), pair))

    def module(self, linker: Linker, file: int, specifier: str) -> Value | None:
        """The package an import path means: of a module here, or vendored."""
        for module, folder in self._modules:
            if specifier == module or specifier.startswith(module + "/"):
                inner = specifier[len(module) + 1 :]
                place = "/".join(part for part in (folder, inner) if part)
                if place in self._folders:
                    return Space(place, "go")
        for vendored in (f"vendor/{specifier}",):
            if vendored in self._folders:
                return Space(vendored, "go")
        return External(specifier)

    def _members(self, linker: Linker, folder: str) -> list[int]:
        """The files of the package that importers see."""
        files = [linker.files[n] for n in self._folders[folder]]
        return [f.id for f in files if not f.path.endswith("_test.go")]

    def import_targets(
        self, linker: Linker, file: int, specifier: str, member: str
    ) -> Sequence[int]:
        """All files of the package but its tests."""
        module = self.module(linker, file, specifier)
        return self._members(linker, module.name) if isinstance(module, Space) else []

    def space_member(self, linker: Linker, space: str, name: str) -> Found | None:
        """An exported name of a package; lower-case names never leave it."""
        if not name[:1].isupper():
            return None
        for number in self._members(linker, space):
            found = linker.file_level(number, name)
            if found is not None and name in linker.files[number].top:
                return Found(found.value, "module", found.candidates)
        return None

    def outer(self, linker: Linker, file: int, scope: int, name: str) -> Found | None:
        """A name of the same package, of a package by its own name, or of a dot import."""
        here = linker.files[file]
        found = self._names.get((posixpath.dirname(here.path), here.package), {}).get(name)
        if found:
            return Found(found[0], "package", 1)
        for bounds in here.names.get(-1, {}).values():
            for bound in bounds:
                module = self.module(linker, file, bound.target)
                if isinstance(module, Space) and self._package(linker, module.name) == name:
                    return Found(module, "import")
        for star in here.stars.get(-1, ()):
            module = self.module(linker, file, star.target)
            if isinstance(module, Space):
                member = self.space_member(linker, module.name, name)
                if member is not None:
                    return member
        return None

    def _package(self, linker: Linker, folder: str) -> str:
        members = self._members(linker, folder)
        return linker.files[members[0]].package if members else ""
