"""Linking of C: includes followed in chains, prototypes, internal linkage."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from codequarry.assets.edges.families.family import Family
from codequarry.assets.edges.values import Def, External, Found, Module, Value
from codequarry.vocabulary import BindingKind, Kind

if TYPE_CHECKING:
    from codequarry.assets.edges.linker import Linker

_INCLUDE_FOLDERS = frozenset(("include", "inc", "includes"))


class C(Family):
    """C."""

    name: ClassVar[str] = "c"
    languages: ClassVar[tuple[str, ...]] = ("c",)
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
        self._closures: dict[int, list[int]] = {}
        for language in self.languages:
            for number in program.by_language.get(language, ()):
                for name, found in program.files[number].top.items():
                    for n in found:
                        symbol = program.files[number].symbols[n]
                        if symbol.kind is Kind.FUNCTION and not symbol.static:
                            self._functions[name].append(Def(number, n))

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

    def closure(self, linker: Linker, file: int) -> list[int]:
        """A file and all it includes, nearest first; rings end."""
        if file not in self._closures:
            order, seen = [file], {file}
            for at in order:
                for star in linker.files[at].stars.get(-1, ()):
                    module = self.module(linker, at, star.target)
                    if isinstance(module, Module) and module.file not in seen:
                        seen.add(module.file)
                        order.append(module.file)
            self._closures[file] = order
        return self._closures[file]

    def outer(self, linker: Linker, file: int, scope: int, name: str) -> Found | None:
        """A name of an included file; a function that one of them declares."""
        declaring: list[int] = []
        for at in self.closure(linker, file):
            if at != file:
                found = linker.file_level(at, name)
                if found is not None:
                    return Found(found.value, "import", found.candidates)
            bounds = linker.files[at].names.get(-1, {}).get(name, ())
            if any(b.kind == BindingKind.DECLARATION for b in bounds):
                declaring.append(at)
        return self._defined(linker, name, declaring) if declaring else None

    def _defined(self, linker: Linker, name: str, declaring: list[int]) -> Found | None:
        """The one definition of a declared function, by preference where its header is included."""
        found = self._functions.get(name, [])
        if len(found) > 1:
            knowing = [
                d for d in found if any(h in self.closure(linker, d.file) for h in declaring)
            ]
            found = knowing or found
        return Found(found[0], "import") if len(found) == 1 else None

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
