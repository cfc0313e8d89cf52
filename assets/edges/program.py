"""The repository as the linker sees it: files, their symbols, and what their names mean."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from codequarry.vocabulary import BindingKind, Kind


class Sym(NamedTuple):
    """A symbol, as far as linking needs it."""

    name: str
    qualified: str
    kind: Kind
    scope: tuple[str, ...]
    start: int
    end: int
    static: bool
    exported: bool
    default: bool
    receiver: str
    trait: str
    arity_min: int
    arity_max: int
    parent: int  # the innermost symbol around it, -1: none


class Named(NamedTuple):
    """A definition of some name, in whatever language."""

    file: int
    symbol: int
    kind: Kind
    scope: tuple[str, ...]


class Bound(NamedTuple):
    """A binding of a name."""

    kind: str
    target: str
    member: str


class File:
    """One file's symbols and bindings, indexed for lookup.

    A file that is given a loader is read when the first of its names is looked up.

    Attributes:
        symbols: in reading order.
        top: file-level symbols by name.
        inside: symbols standing in a symbol, by name.
        loose: members whose owner is only named.
        names: bindings of a symbol's scope (-1: the file's), by name.
        stars: bindings of all names of something, by scope.
        bases: (mode, path) of a type's supertypes.
        requires: what is imported for its effect, without a name.
        returns: path of what a function gives.
        package: the namespace the file declares.
    """

    symbols: list[Sym]
    top: dict[str, list[int]]
    inside: dict[int, dict[str, list[int]]]
    loose: list[int]
    names: dict[int, dict[str, list[Bound]]]
    stars: dict[int, list[Bound]]
    bases: dict[int, list[tuple[str, str]]]
    returns: dict[int, str]
    requires: list[str]
    package: str

    def __init__(
        self, number: int, path: str, language: str, loader: Callable[[File], None] | None = None
    ) -> None:
        self.id = number
        self.path = path
        self.language = language
        self._loader = loader
        if loader is None:
            self._clear()

    def _clear(self) -> None:
        self.symbols, self.loose, self.requires, self.package = [], [], [], ""
        self.top, self.inside, self.names, self.stars = {}, {}, {}, {}
        self.bases, self.returns = {}, {}

    def __getattr__(self, name: str) -> Any:
        """Load the file: only reached while its indexes are not there."""
        loader = self.__dict__.get("_loader")
        if loader is None:
            raise AttributeError(name)
        self._loader = None
        self._clear()
        loader(self)
        return getattr(self, name)

    def add_symbols(self, symbols: Sequence[Sym]) -> None:
        """Index the file's symbols; they come in reading order."""
        self.symbols = list(symbols)
        for number, symbol in enumerate(symbols):
            parent = symbol.parent
            if parent < 0 and not symbol.scope:
                self.top.setdefault(symbol.name, []).append(number)
            elif parent >= 0 and self._is_inside(symbol, symbols[parent]):
                inside = self.inside.setdefault(parent, {})
                inside.setdefault(symbol.name, []).append(number)
            else:
                self.loose.append(number)

    @staticmethod
    def _is_inside(symbol: Sym, parent: Sym) -> bool:
        return len(symbol.scope) == len(parent.scope) + 1 or not symbol.scope

    def add_bindings(self, rows: Iterable[tuple[int, str, str, str, str]]) -> None:
        """Index the file's bindings: (scope, name, kind, target, member) rows in order."""
        for scope, name, kind, target, member in rows:
            if kind == BindingKind.BASE:
                self.bases.setdefault(scope, []).append((name, target))
            elif kind == BindingKind.RETURNS:
                self.returns.setdefault(scope, target)
            elif kind == BindingKind.PACKAGE:
                self.package = self.package or target.replace(" .", ".")
            elif not name and not member:
                self.requires.append(target)
            elif not name and member.startswith("*"):
                self.stars.setdefault(scope, []).append(Bound(kind, target, member))
            else:
                bound = Bound(kind, target, member)
                self.names.setdefault(scope, {}).setdefault(name, []).append(bound)


def parents(spans: Sequence[tuple[int, int]]) -> list[int]:
    """The innermost span around each span; they come sorted by start, outer first."""
    found: list[int] = []
    stack: list[int] = []
    for number, (start, end) in enumerate(spans):
        while stack and (spans[stack[-1]][1] <= start or spans[stack[-1]] == (start, end)):
            stack.pop()
        found.append(stack[-1] if stack and spans[stack[-1]][1] >= end else -1)
        stack.append(number)
    return found


@dataclass(slots=True)
class Program:
    """All files of one repository, and the paths that exist in it."""

    files: list[File]
    paths: dict[str, int]  # of files with facts → id
    texts: dict[str, bytes]  # manifests the module rules read: tsconfig.json, go.mod, ...
    defined: Callable[[str], list[Named]] = lambda _: []  # all definitions of a name
    folders: set[str] = field(default_factory=set)
    by_language: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for file in self.files:
            self.by_language[file.language].append(file.id)
        for path in self.paths:
            folder = path.rpartition("/")[0]
            while folder and folder not in self.folders:
                self.folders.add(folder)
                folder = folder.rpartition("/")[0]
        self.folders.add("")

    def symbol(self, file: int, number: int) -> Sym:
        """One symbol."""
        return self.files[file].symbols[number]
