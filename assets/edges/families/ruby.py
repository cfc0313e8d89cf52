"""Linking of Ruby: constants by nesting and ancestry, mixins, one world of reopened types."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, ClassVar

from codequarry.assets.edges.families.family import Family
from codequarry.assets.edges.values import (
    TYPE_KINDS,
    Def,
    External,
    Found,
    Module,
    Space,
    Value,
)
from codequarry.vocabulary import Kind

if TYPE_CHECKING:
    from codequarry.assets.edges.linker import Linker

_LOAD_PATHS = ("lib", "app", "test", "spec")


class Ruby(Family):
    """Ruby."""

    name: ClassVar[str] = "ruby"
    languages: ClassVar[tuple[str, ...]] = ("ruby",)
    implicit_members: ClassVar[bool] = True
    static_strict: ClassVar[bool] = True
    class_level_self: ClassVar[bool] = True
    private_variables: ClassVar[bool] = True
    super_means_method: ClassVar[bool] = True
    type_kinds: ClassVar[frozenset[Kind]] = TYPE_KINDS | {Kind.MODULE}
    space_kinds: ClassVar[frozenset[Kind]] = frozenset()
    foreign_types: ClassVar[frozenset[str]] = frozenset(
        "Array BasicObject Class Comparable Complex Date DateTime Dir Encoding Enumerable"
        " Enumerator Exception FalseClass Fiber File Float Hash IO Integer Kernel Marshal MatchData"
        " Method Module Mutex NameError NilClass NoMethodError Numeric Object ObjectSpace Pathname"
        " Proc Process"
        " Queue Random Range Rational Regexp RuntimeError Set Signal StandardError String Struct"
        " Symbol Thread Time TrueClass UnboundMethod URI ERB Logger".split()
    )

    def prepare(self, linker: Linker) -> None:
        """Unite the parts of every class and module, and index constants by full name."""
        program = linker.program
        self._paths = program.paths
        self._ends: dict[str, list[str]] = {}
        for path in program.paths:
            self._ends.setdefault(posixpath.basename(path), []).append(path)
        self._constants: dict[str, list[Def]] = {}
        self._functions: dict[str, list[Def]] = {}
        for number in program.by_language["ruby"]:
            file = program.files[number]
            for n, symbol in enumerate(file.symbols):
                if symbol.kind in self.type_kinds or symbol.kind in (Kind.CONST, Kind.VAR):
                    self._constants.setdefault(symbol.qualified, []).append(Def(number, n))
                elif not symbol.scope and symbol.parent < 0:
                    self._functions.setdefault(symbol.name, []).append(Def(number, n))
        for found in self._constants.values():
            types = [d for d in found if linker.symbol(d).kind in self.type_kinds]
            if len(types) > 1:
                linker.unite(types)
        self._required: dict[int, frozenset[int]] = {}
        self._targets: dict[int, list[int]] = {}
        self._modules: dict[tuple[str, str], Value] = {}

    def module(self, linker: Linker, file: int, specifier: str) -> Value | None:
        """The file of a ``require``: beside the file, or under a load path."""
        key = (posixpath.dirname(linker.files[file].path), specifier)
        if key not in self._modules:
            self._modules[key] = self._sought(*key)
        return self._modules[key]

    def _sought(self, folder: str, specifier: str) -> Value:
        name = specifier if specifier.endswith(".rb") else f"{specifier}.rb"
        if specifier.startswith("."):
            place = posixpath.normpath(posixpath.join(folder, name))
            return Module(self._paths[place]) if place in self._paths else External(specifier)
        while True:
            for start in ("", *_LOAD_PATHS):
                place = posixpath.join(folder, start, name)
                if start and place in self._paths:
                    return Module(self._paths[place])
            if not folder:
                break
            folder = posixpath.dirname(folder)
        alike = self._ends.get(posixpath.basename(name), ()) if "/" in name else ()
        matches = [path for path in alike if path.endswith(f"/lib/{name}")]
        return Module(self._paths[matches[0]]) if len(matches) == 1 else External(specifier)

    def stops(self, name: str) -> bool:
        """A method belongs to ``self`` alone; a constant is sought outwards."""
        return not name[:1].isupper()

    def place(self, linker: Linker, file: int, scope: int, word: str) -> Value | None:
        """``::Name`` starts at the top."""
        return Space("", "ruby") if word == "@global" else None

    def space_member(self, linker: Linker, space: str, name: str) -> Found | None:
        """A constant of the top level."""
        found = self._constants.get(name)
        return Found(linker.canonical(found[0]), "scope") if found else None

    def outer(self, linker: Linker, file: int, scope: int, name: str) -> Found | None:
        """A constant of the top level; a method of the top level of a required file."""
        if name[:1].isupper():
            nested = self._nested(linker, file, scope, name)
            return nested or self.space_member(linker, "", name)
        found = self._functions.get(name, [])
        if len(found) > 1 or not found:
            return None
        return Found(found[0], "import") if found[0].file in self._files(linker, file) else None

    def _nested(self, linker: Linker, file: int, scope: int, name: str) -> Found | None:
        """``class A::B`` opens A::B alone, but its constants are sought by its full name."""
        symbols = linker.files[file].symbols
        while scope >= 0:
            found = self._constants.get(f"{symbols[scope].qualified}::{name}")
            if found:
                return Found(linker.canonical(found[0]), "scope")
            scope = symbols[scope].parent
        return None

    def _files(self, linker: Linker, file: int) -> frozenset[int]:
        """The files that a file requires, and those that they require."""
        if file not in self._required:
            order, seen = [file], {file}
            for at in order:
                if at not in self._targets:
                    self._targets[at] = linker.required(at)
                for target in self._targets[at]:
                    if target not in seen:
                        seen.add(target)
                        order.append(target)
            self._required[file] = frozenset(seen)
        return self._required[file]

    def line(self, linker: Linker, type_: Def, static: bool) -> list[Def]:
        """Prepended modules, the type, included ones (last first), then the superclass."""
        above = linker.members.supertypes(type_)
        before = [d for mode, d in above if mode == ("" if static else "prepend")]
        after = [d for mode, d in above if mode == ("extend" if static else "include")]
        order: list[Def] = []
        for module in reversed(before):
            order += linker.members.line(module)
        order.append(type_)
        for module in reversed(after):
            order += linker.members.line(module)
        for mode, base in above:
            if mode == "extends":
                order += linker.members.line(base, static)
        return list(dict.fromkeys(order))

    def side(
        self, linker: Linker, type_: Def, found: list[Def], static: bool, own: bool
    ) -> list[Def]:
        """What a module gives a type that extends it are its instance methods."""
        if static and not own and linker.symbol(type_).kind is Kind.MODULE:
            static = False
        return super().side(linker, type_, found, static, own)
