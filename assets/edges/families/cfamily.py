"""Linking of C and C++: includes in chains, prototypes, linkage, namespaces."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from codequarry.assets.edges.families.family import Family
from codequarry.assets.edges.program import Bound
from codequarry.assets.edges.values import Def, External, Found, Module, Space, Value
from codequarry.assets.references.rules.cfamily import USING
from codequarry.vocabulary import BindingKind, Kind

if TYPE_CHECKING:
    from codequarry.assets.edges.linker import Linker

_INCLUDE_FOLDERS = frozenset(("include", "inc", "includes"))


class C(Family):
    """C and C++, which include each other's headers."""

    name: ClassVar[str] = "c"
    languages: ClassVar[tuple[str, ...]] = ("c", "cpp")
    implicit_members: ClassVar[bool] = True
    calls_build: ClassVar[bool] = True
    pointers: ClassVar[bool] = True
    static_self: ClassVar[bool] = False

    def prepare(self, linker: Linker) -> None:
        """Index the functions other files can call, and paths by their last part."""
        program = linker.program
        self._paths = program.paths
        self._ends: dict[str, list[str]] = defaultdict(list)
        for path in sorted(program.paths):
            self._ends[posixpath.basename(path)].append(path)
        self._functions: dict[str, list[Def]] = defaultdict(list)
        self._scoped: dict[str, list[Def]] = defaultdict(list)  # of namespaces, by full name
        self._tops: dict[str, list[int]] = defaultdict(list)  # name → files that have it
        self._closures: dict[int, dict[int, int]] = {}
        for language in self.languages:
            for number in program.by_language.get(language, ()):
                self._index(linker, number)
        self._spaces: set[str] = set()  # what stands around a namespace: `a` of `a::b`
        for full, found in self._scoped.items():
            if any(linker.symbol(d).kind is Kind.NAMESPACE for d in found):
                self._spaces.update(_around(full))
            spaces = [d for d in found if linker.symbol(d).kind is Kind.NAMESPACE]
            if len(spaces) > 1:
                linker.unite(spaces)

    def _index(self, linker: Linker, number: int) -> None:
        file = linker.files[number]
        for name in {*file.top, *file.names.get(-1, {})}:
            self._tops[name].append(number)
        for n, symbol in enumerate(file.symbols):
            if symbol.kind is Kind.FUNCTION and not symbol.static and not symbol.scope:
                self._functions[symbol.name].append(Def(number, n))
            if symbol.scope or symbol.kind is Kind.NAMESPACE:
                self._scoped[symbol.qualified].append(Def(number, n))

    def module(self, linker: Linker, file: int, specifier: str) -> Value | None:
        """The file of an include: beside the includer, then where headers are kept."""
        name = specifier.strip("<>")
        if not specifier.startswith("<"):
            folder = posixpath.dirname(linker.files[file].path)
            beside = posixpath.normpath(posixpath.join(folder, name))
            if beside in self._paths:
                return Module(self._paths[beside])
        ends = [
            p for p in self._ends[posixpath.basename(name)] if p == name or p.endswith(f"/{name}")
        ]
        kept = [p for p in ends if self._is_include_root(p[: len(p) - len(name)])]
        if specifier.startswith("<"):
            ends = kept
        chosen = kept if len(kept) == 1 else ends
        if len(chosen) > 1:
            chosen = _nearest(linker.files[file].path, chosen)
        return Module(self._paths[chosen[0]]) if len(chosen) == 1 else External(name)

    @staticmethod
    def _is_include_root(folder: str) -> bool:
        return posixpath.basename(folder.rstrip("/")) in _INCLUDE_FOLDERS

    def closure(self, linker: Linker, file: int) -> dict[int, int]:
        """A file and all it includes, each with its distance in reading order; rings end."""
        if file not in self._closures:
            order = [file]
            seen = {file: 0}
            for at in order:
                for star in linker.files[at].stars.get(-1, ()):
                    if star.member != "*":
                        continue
                    module = self.module(linker, at, star.target)
                    if isinstance(module, Module) and module.file not in seen:
                        seen[module.file] = len(seen)
                        order.append(module.file)
            self._closures[file] = seen
        return self._closures[file]

    def _included(self, linker: Linker, file: int, name: str) -> list[int]:
        """The files a file includes that have a name at their top, nearest first."""
        known = self.closure(linker, file)
        found = [at for at in self._tops.get(name, ()) if at in known]
        return sorted(found, key=known.__getitem__)

    def outer(self, linker: Linker, file: int, scope: int, name: str) -> Found | None:
        """A name of an included file; a function that one of them declares."""
        declaring: list[int] = []
        for at in self._included(linker, file, name):
            if at != file:
                found = linker.file_level(at, name)
                if found is not None:
                    return Found(found.value, "import", found.candidates)
            bounds = linker.files[at].names.get(-1, {}).get(name, ())
            if any(b.kind == BindingKind.DECLARATION for b in bounds):
                declaring.append(at)
        if declaring:
            return self._defined(linker, name, declaring)
        found = self._used(linker, file, name)
        return found if found is not None else self._full(linker, file, name)

    def space_member(self, linker: Linker, space: str, name: str) -> Found | None:
        """A name of a namespace that is only written as part of another's."""
        full = f"{space}::{name}" if space else name
        found = self._scoped.get(full) or self._functions.get(full, [])
        if found:
            return Found(linker.canonical(found[0]), "scope", len(found))
        return Found(Space(full, "c"), "scope") if full in self._spaces else None

    def _defined(self, linker: Linker, name: str, declaring: list[int]) -> Found | None:
        """The one definition of a declared function, by preference where its header is included."""
        found = self._functions.get(name, [])
        if len(found) > 1:
            knowing = [
                d for d in found if any(h in self.closure(linker, d.file) for h in declaring)
            ]
            found = knowing or found
        return Found(found[0], "import") if len(found) == 1 else None

    # namespaces

    def _full(self, linker: Linker, file: int, full: str) -> Found | None:
        """What a full name means in a file: of what it includes, else the only one there is."""
        found = self._scoped.get(full, [])
        known = self.closure(linker, file)
        near = [d for d in found if d.file in known]
        near.sort(key=lambda d: (known[d.file], d.symbol))
        if near:
            return Found(linker.canonical(near[0]), "scope")
        functions = [d for d in found if linker.symbol(d).kind is Kind.FUNCTION]
        if len(functions) == 1:
            return Found(functions[0], "import")
        return Found(Space(full, "c"), "scope") if full in self._spaces else None

    def beside(self, linker: Linker, file: int, space: Def, name: str) -> Found | None:
        """A name of a namespace by what included files add to it."""
        symbol = linker.symbol(space)
        if symbol.kind is not Kind.NAMESPACE:
            return None
        return self._full(linker, file, f"{symbol.qualified}::{name}")

    def _used(self, linker: Linker, file: int, name: str) -> Found | None:
        """A name that a ``using namespace`` brings."""
        for at in self.closure(linker, file):
            for stars in linker.files[at].stars.values():
                for star in stars:
                    if star.member == USING:
                        found = self._full(linker, file, f"{star.target}::{name}")
                        if found is not None:
                            return Found(found.value, "import", found.candidates)
        return None

    def imported(self, linker: Linker, file: int, scope: int, bound: Bound) -> Value | None:
        """``using a::b`` and namespace aliases."""
        parts = [part for part in (bound.target, bound.member) if part]
        found = linker.evaluate(file, -1, " .".join("::".join(parts).split("::")))
        return found.value if found is not None else None

    def place(self, linker: Linker, file: int, scope: int, word: str) -> Value | None:
        """``::name`` is sought at file level."""
        return Space("", "c") if word == "@global" else None

    def import_targets(
        self, linker: Linker, file: int, specifier: str, member: str
    ) -> Sequence[int]:
        """The included file."""
        module = self.module(linker, file, specifier)
        return [module.file] if isinstance(module, Module) else []


def _nearest(path: str, candidates: list[str]) -> list[str]:
    """Those of some paths that share the most folders with a path."""
    folders = path.split("/")[:-1]

    def shared(other: str) -> int:
        parts = other.split("/")[:-1]
        same = 0
        while same < min(len(parts), len(folders)) and parts[same] == folders[same]:
            same += 1
        return same

    best = max(map(shared, candidates))
    return [c for c in candidates if shared(c) == best]


def _around(full: str) -> list[str]:
    """``a::b::c`` → ``a``, ``a::b``."""
    parts = full.split("::")
    return ["::".join(parts[:i]) for i in range(1, len(parts))]
