"""Linking of Rust: the module tree of each crate, ``use`` paths, workspaces."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from codequarry.assets.edges.families.family import Family
from codequarry.assets.edges.program import Bound, File, Sym
from codequarry.assets.edges.values import SPACE_KINDS, Def, External, Found, Module, Value
from codequarry.vocabulary import Kind

if TYPE_CHECKING:
    from codequarry.assets.edges.linker import Linker

_ROOTS = ("src/lib.rs", "src/main.rs", "build.rs")
_ROOT_FOLDERS = ("tests", "examples", "benches", "src/bin")
_PACKAGE = re.compile(rb"^\[package\][^\[]*?^\s*name\s*=\s*\"([^\"]+)\"", re.MULTILINE | re.DOTALL)
_LIBRARY = re.compile(rb"^\[lib\][^\[]*?^\s*name\s*=\s*\"([^\"]+)\"", re.MULTILINE | re.DOTALL)
_OUTSIDE = frozenset(("std", "core", "alloc", "proc_macro", "test"))
_WORDS = {"crate": "@root", "self": "@here", "super": "@up"}


class Rust(Family):
    """Rust."""

    name: ClassVar[str] = "rust"
    languages: ClassVar[tuple[str, ...]] = ("rust",)
    calls_build: ClassVar[bool] = True
    static_self: ClassVar[bool] = False

    def prepare(self, linker: Linker) -> None:
        """Follow ``mod`` declarations from the root of every crate."""
        program = linker.program
        self._paths = program.paths
        self._parent: dict[int, tuple[int, int]] = {}  # file → (file, scope) that declares it
        self._root: dict[int, int] = {}
        self._crates: dict[str, int] = {}  # name → library root
        self._macros: dict[str, list[Def]] = {}
        folders = sorted(posixpath.dirname(p) for p in program.texts if p.endswith("Cargo.toml"))
        files = [program.files[n] for n in program.by_language["rust"]]
        for file in files:
            for number, symbol in enumerate(file.symbols):
                if symbol.kind is Kind.MACRO:
                    self._macros.setdefault(symbol.name, []).append(Def(file.id, number))
        for folder in folders or [""]:
            self._add_crate(linker, folder, files)
        for file in files:
            if file.id not in self._root and posixpath.basename(file.path) in ("lib.rs", "main.rs"):
                self._grow(linker, file.id)
        for file in files:
            if file.id not in self._root:
                self._adopt(file.id, file.path)

    def _add_crate(self, linker: Linker, folder: str, files: Sequence[File]) -> None:
        """The names a crate goes by, and its module trees."""
        manifest = linker.program.texts.get(posixpath.join(folder, "Cargo.toml"), b"")
        library = self._paths.get(posixpath.join(folder, "src/lib.rs"))
        for pattern in (_PACKAGE, _LIBRARY):
            found = pattern.search(manifest)
            if found is not None and library is not None:
                name = found[1].decode("utf-8", "replace").replace("-", "_")
                self._crates[name] = library
        for file in files:
            if _is_root(file.path, folder):
                self._grow(linker, file.id)

    def _adopt(self, file: int, path: str) -> None:
        """Place a file by its path: its ``mod`` may be written by a macro (``cfg_net! { … }``)."""
        folder, name = posixpath.split(path)
        if name == "mod.rs":
            folder = posixpath.dirname(folder)
        while folder:
            for above in (
                f"{folder}/mod.rs",
                f"{folder}.rs",
                f"{folder}/lib.rs",
                f"{folder}/main.rs",
            ):
                parent = self._paths.get(above)
                if parent is not None and parent != file:
                    self._parent[file] = (parent, -1)
                    self._root[file] = self._root.get(parent, parent)
                    return
            folder = posixpath.dirname(folder)

    def _grow(self, linker: Linker, root: int) -> None:
        if root in self._root:
            return
        self._root[root] = root
        waiting = [root]
        while waiting:
            at = waiting.pop()
            file = linker.files[at]
            for scope, names in file.names.items():
                for bounds in names.values():
                    for bound in bounds:
                        if not bound.target.startswith("mod "):
                            continue
                        child = self._declared(linker, at, scope, bound.target[4:])
                        if child is not None and child not in self._root:
                            self._root[child] = root
                            self._parent[child] = (at, scope)
                            waiting.append(child)

    def _declared(self, linker: Linker, file: int, scope: int, name: str) -> int | None:
        """The file of ``mod name;``."""
        here = linker.files[file]
        folder, base = posixpath.split(here.path)
        own_folder = base in ("mod.rs", "lib.rs", "main.rs") or self._root.get(file) == file
        place = folder if own_folder else posixpath.join(folder, base.removesuffix(".rs"))
        inline: list[str] = []
        while scope >= 0:
            inline.insert(0, here.symbols[scope].name)
            scope = here.symbols[scope].parent
        place = posixpath.join(place, *inline)
        for end in (f"{name}.rs", f"{name}/mod.rs"):
            found = self._paths.get(posixpath.join(place, end))
            if found is not None:
                return found
        return None

    # modules as values: a file, or an inline module's definition

    def _here(self, linker: Linker, file: int, scope: int) -> Value:
        symbols = linker.files[file].symbols
        while scope >= 0:
            if symbols[scope].kind in SPACE_KINDS:
                return Def(file, scope)
            scope = symbols[scope].parent
        return Module(file)

    def _up(self, linker: Linker, module: Value) -> Value | None:
        if isinstance(module, Def):
            return self._here(linker, module.file, linker.symbol(module).parent)
        if isinstance(module, Module) and module.file in self._parent:
            return self._here(linker, *self._parent[module.file])
        return None

    def place(self, linker: Linker, file: int, scope: int, word: str) -> Value | None:
        """``self``, ``super``, ``crate`` as modules."""
        here = self._here(linker, file, scope)
        match word:
            case "@here":
                return here
            case "@up":
                return self._up(linker, here)
            case "@root":
                return Module(self._root.get(file, file))
        return None

    def closes(self, symbol: Sym) -> bool:
        """Names from outside a module are unknown in it."""
        return symbol.kind in SPACE_KINDS

    def module(self, linker: Linker, file: int, specifier: str) -> Value | None:
        """A module by its path from a file's top."""
        return self._followed(linker, file, -1, specifier)

    def _followed(self, linker: Linker, file: int, scope: int, path: str) -> Value | None:
        if path.startswith("mod "):
            found = self._declared(linker, file, scope, path[4:])
            return Module(found) if found is not None else None
        names = [part for part in path.split("::") if part]
        if not names:
            return None
        if names[0] in _OUTSIDE and not path.startswith("::"):
            return External(path)
        value: Value | None
        if names[0] in _WORDS:
            value = self.place(linker, file, scope, _WORDS[names[0]])
        elif path.startswith("::"):
            value = self._crate(names[0])
        else:
            answer = self._beside(linker, file, scope, names[0])
            value = answer.value if answer is not None else self._crate(names[0])
        for name in names[1:]:
            if value is None:
                return None
            if name == "super":
                value = self._up(linker, value)
                continue
            step = linker.member(value, name)
            value = step.value if step is not None else None
        return value

    def _beside(self, linker: Linker, file: int, scope: int, name: str) -> Found | None:
        """A name of the module that a path starts in; its own import does not count."""
        here = self._here(linker, file, scope)
        return linker.member(here, name)

    def _crate(self, name: str) -> Value | None:
        return Module(self._crates[name]) if name in self._crates else External(name)

    def imported(self, linker: Linker, file: int, scope: int, bound: Bound) -> Value | None:
        """The item of a ``use``; a path that starts with an outside crate is outside."""
        value = self._followed(linker, file, scope, bound.target)
        if not bound.member or value is None:
            return value
        found = linker.member(value, bound.member)
        return found.value if found is not None else None

    def exported(self, linker: Linker, file: int, name: str) -> Found | None:
        """The names of a file's module, then what its globs bring."""
        found = linker.file_level(file, name)
        if found is None:
            found = self._globbed(linker, file, -1, name)
        if found is None:
            child = self._declared(linker, file, -1, name)
            found = Found(Module(child), "module") if child is not None else None
        return found

    def _globbed(self, linker: Linker, file: int, scope: int, name: str) -> Found | None:
        for star in linker.files[file].stars.get(scope, ()):
            module = self._followed(linker, file, scope, star.target)
            if module is None or isinstance(module, External):
                continue
            found = linker.member(module, name)
            if found is not None:
                return Found(found.value, "import", found.candidates)
        return None

    def outer(self, linker: Linker, file: int, scope: int, name: str) -> Found | None:
        """What globs bring, macros of the repository, other crates of the workspace."""
        if name.endswith("!"):
            macros = self._macros.get(name[:-1], [])
            return Found(macros[0], "scope") if len(macros) == 1 else None
        module = self._here(linker, file, scope)
        at = module.symbol if isinstance(module, Def) else -1
        found = self._globbed(linker, file, at, name)
        if found is not None:
            return found
        return Found(Module(self._crates[name]), "module") if name in self._crates else None

    def import_targets(
        self, linker: Linker, file: int, specifier: str, member: str
    ) -> Sequence[int]:
        """The file of the module that is used, or that the used item stands in."""
        value = self._followed(linker, file, -1, specifier)
        if value is None or isinstance(value, External):
            return []
        if member and member != "*":
            found = linker.member(value, member)
            if found is not None and isinstance(found.value, Module | Def):
                return [found.value.file]
        return [value.file] if isinstance(value, Module | Def) else []


def _is_root(path: str, folder: str) -> bool:
    start = f"{folder}/" if folder else ""
    if not path.startswith(start):
        return False
    inner = path[len(start) :]
    if inner in _ROOTS:
        return True
    above, name = posixpath.split(inner)
    if above in _ROOT_FOLDERS:
        return True
    return name == "main.rs" and posixpath.dirname(above) in _ROOT_FOLDERS
