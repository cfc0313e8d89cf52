"""Linking of Python: packages and modules by path, re-exports, C3 linearisation."""

from __future__ import annotations

import posixpath
import tomllib
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from codequarry.assets.edges.families.family import Family
from codequarry.assets.edges.program import Bound
from codequarry.assets.edges.values import Def, External, Found, Module, Space, Value

if TYPE_CHECKING:
    from codequarry.assets.edges.linker import Linker

_SOURCE_FOLDERS = frozenset(("src", "lib", "python"))


class Python(Family):
    """Python."""

    name: ClassVar[str] = "python"
    languages: ClassVar[tuple[str, ...]] = ("python",)
    calls_build: ClassVar[bool] = True
    open_types: ClassVar[bool] = False
    static_self: ClassVar[bool] = False

    def __init__(self) -> None:
        self._modules: dict[str, int] = {}  # "pkg/mod" → file, an absolute place in the tree
        self._folders: set[str] = set()

    def prepare(self, linker: Linker) -> None:
        """Index modules by their place, and find where absolute imports start."""
        program = linker.program
        packages = set()
        for number in program.by_language["python"]:
            path = program.files[number].path
            folder, name = posixpath.split(path)
            stem = name.rpartition(".")[0]
            if stem == "__init__":
                packages.add(folder)
                self._modules[folder] = number
            else:
                place = f"{folder}/{stem}" if folder else stem
                if not name.endswith(".pyi") or place not in self._modules:
                    self._modules[place] = number
            while folder and folder not in self._folders:
                self._folders.add(folder)
                folder = posixpath.dirname(folder)
        self._packages = packages
        self._answers: dict[tuple[str, str], Value | None] = {}
        self._named: list[tuple[str, str]] = []  # package → folder, as setuptools is told
        for path, data in sorted(program.texts.items()):
            if posixpath.basename(path) == "pyproject.toml":
                self._named += _package_folders(posixpath.dirname(path), data)
        self._named.sort(key=lambda pair: (-len(pair[0]), pair))
        tops = {
            self._top(posixpath.dirname(file.path))
            for file in program.files
            if file.language == "python"
        }
        roots = sorted(tops | {""}, key=lambda root: (root.count("/"), root))
        self._starts: dict[str, list[str]] = {}  # first name of a module → roots that hold it
        for place in sorted({*self._modules, *self._folders}):
            root, _, name = place.rpartition("/")
            if root in tops or not root or posixpath.basename(root) in _SOURCE_FOLDERS:
                self._starts.setdefault(name, []).append(root)
        for holding in self._starts.values():
            holding.sort(key=lambda root: (roots.index(root) if root in tops else -1, root))

    def _top(self, folder: str) -> str:
        """The folder above a file's outermost package: where its absolute name starts."""
        while folder and folder in self._packages:
            folder = posixpath.dirname(folder)
        return folder

    def module(self, linker: Linker, file: int, specifier: str) -> Value | None:
        """A module by its dotted name, relative ones from the file's package."""
        folder = posixpath.dirname(linker.files[file].path)
        key = (folder, specifier)
        if key not in self._answers:
            relative = specifier.startswith(".")
            self._answers[key] = (
                self._relative(folder, specifier) if relative else self._absolute(folder, specifier)
            )
        return self._answers[key]

    def _relative(self, folder: str, specifier: str) -> Value | None:
        names = specifier.lstrip(".")
        for _ in range(len(specifier) - len(names) - 1):
            if not folder:
                return None
            folder = posixpath.dirname(folder)
        return self._at("/".join(part for part in (folder, names.replace(".", "/")) if part))

    def _absolute(self, folder: str, specifier: str) -> Value:
        """From the file's own root, then from source folders, then from any root's package.

        A module that is no package is not sought under the roots of others: a script's
        ``json.py`` is not what ``import json`` means elsewhere.
        """
        for package, held in self._named:
            if specifier == package or specifier.startswith(f"{package}."):
                inner = specifier[len(package) + 1 :].replace(".", "/")
                found = self._at("/".join(part for part in (held, inner) if part))
                if found is not None:
                    return found
        own, place = self._top(folder), specifier.replace(".", "/")
        first = place.partition("/")[0]
        holding = self._starts.get(first, [])
        near = [root for root in (own, folder) if root in holding or root == own]
        sources = [
            root for root in holding if not root or posixpath.basename(root) in _SOURCE_FOLDERS
        ]
        others = [root for root in holding if posixpath.join(root, first) in self._packages]
        for root in dict.fromkeys((*near, *sources, *others)):
            found = self._at(posixpath.join(root, place))
            if found is not None:
                return found
        return External(specifier)

    def _at(self, place: str) -> Value | None:
        if place in self._modules:
            return Module(self._modules[place])
        return Space(place, "python") if place in self._folders else None

    def imported(self, linker: Linker, file: int, scope: int, bound: Bound) -> Value | None:
        """``import a.b`` binds ``a``; a member that is no name of the module is a submodule."""
        if bound.member == "^":
            return self.module(linker, file, bound.target.partition(".")[0])
        return super().imported(linker, file, scope, bound)

    def exported(self, linker: Linker, file: int, name: str) -> Found | None:
        """A module's own names, then its submodules, then what its star imports bring."""
        found = linker.file_level(file, name)
        if found is not None:
            return found
        here = linker.files[file]
        if here.path.endswith(("__init__.py", "__init__.pyi")):
            folder = here.path.rpartition("/")[0]
            inner = self._at(f"{folder}/{name}" if folder else name)
            if inner is not None:
                return Found(inner, "module")
        return self._starred(linker, file, name)

    def _starred(self, linker: Linker, file: int, name: str) -> Found | None:
        if name.startswith("_"):
            return None
        for star in reversed(linker.files[file].stars.get(-1, [])):
            module = self.module(linker, file, star.target)
            if module is not None and not isinstance(module, External):
                found = linker.exported(module, name)
                if found is not None:
                    return Found(found.value, "import", found.candidates)
        return None

    def outer(self, linker: Linker, file: int, scope: int, name: str) -> Found | None:
        """Names that star imports bring."""
        return self._starred(linker, file, name)

    def space_member(self, linker: Linker, space: str, name: str) -> Found | None:
        """A module of a namespace package."""
        found = self._at(f"{space}/{name}" if space else name)
        return Found(found, "module") if found is not None else None

    def import_targets(
        self, linker: Linker, file: int, specifier: str, member: str
    ) -> Sequence[int]:
        """The module, or the submodule that is taken from it."""
        module = self.module(linker, file, specifier)
        if member and member not in ("*", "^"):
            inner = None
            if isinstance(module, Module):
                if linker.file_level(module.file, member) is None:
                    found = linker.exported(module, member)
                    inner = found.value if found is not None else None
            elif isinstance(module, Space):
                inner = self._at(f"{module.name}/{member}" if module.name else member)
            if isinstance(inner, Module):
                return [inner.file]
        return [module.file] if isinstance(module, Module) else []

    def line(self, linker: Linker, type_: Def, static: bool) -> list[Def]:
        """C3 linearisation; where it has no answer, depth first."""
        bases = [base for _, base in linker.members.supertypes(type_)]
        merged = _merge([*(list(linker.members.line(base)) for base in bases), list(bases)])
        return [type_, *merged] if merged is not None else super().line(linker, type_, static)


def _merge(lines: list[list[Def]]) -> list[Def] | None:
    order: list[Def] = []
    lines = [line for line in lines if line]
    while lines:
        head = next(
            (line[0] for line in lines if not any(line[0] in other[1:] for other in lines)), None
        )
        if head is None:
            return None
        order.append(head)
        lines = [rest for line in lines if (rest := [d for d in line if d != head])]
    return order


def _package_folders(folder: str, data: bytes) -> list[tuple[str, str]]:
    """The folders that ``[tool.setuptools.package-dir]`` gives to packages of a name."""
    try:
        table = tomllib.loads(data.decode("utf-8", "replace"))["tool"]["setuptools"]["package-dir"]
        return [
            (str(name), posixpath.join(folder, str(held))) for name, held in table.items() if name
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []
