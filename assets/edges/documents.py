"""What prose means when it mentions code: a file, a definition, or nothing that is known here.

Only what can mean one thing is tied. A path must exist; a qualified name must lead to one
definition by the modules of the repository or by the scopes around it; a bare name must look
like code and be defined once.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from codequarry.assets.census.rules import role_of
from codequarry.assets.chunks.prose import PROSE
from codequarry.assets.edges.families import family_of
from codequarry.assets.edges.link import UNRESOLVED, Link, Ref
from codequarry.assets.edges.linker import AMBIGUOUS, Linker
from codequarry.assets.edges.program import Named
from codequarry.assets.edges.values import TYPE_KINDS, Def, Found, Module, Space, Value
from codequarry.assets.embedded.mentions import FENCE
from codequarry.assets.references.mentions import LINK, PATH, ROLE
from codequarry.vocabulary import EdgeType, Kind, Role

_DELIMITER = re.compile(r"::|->|[.#\\]")
_LINES = re.compile(r":\d+(?:[-:]\d+)?$")
_SEPARATORS = {"python": ".", "rust": "::", "jvm": ".", "csharp": ".", "php": "\\"}
_PAGES = (".md", ".markdown", ".rst", ".adoc")
_OWN = frozenset(("self", "this", "cls", "Self"))
_FRONTS = frozenset(("__init__", "mod", "lib", "index", "main"))
_NOT_CODE = frozenset((Kind.SECTION, Kind.FENCE, Kind.HTML, Kind.DOC))
_LEAST = 4  # letters of a name that nothing but its look makes code


class Documents:
    """Answers what the mentions of one repository mean."""

    def __init__(self, linker: Linker) -> None:
        self._linker = linker
        self._program = linker.program
        self._memo: dict[tuple[str, str], Link | None] = {}
        self._contexts: dict[tuple[str, ...], int] = {}

    def links(self, file: int, ref: Ref) -> list[Link]:
        """The link of a mention; none where it may be anything."""
        if ref.name in (PATH, LINK):
            found = self._path(file, ref)
        else:
            found = self._lexical(file, ref)
            if found is None:
                key = (ref.name, ref.path)
                if key not in self._memo:
                    self._memo[key] = self._named(ref)
                found = self._memo[key]
        return [found] if found is not None and found.file != file else []

    # paths

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in self._program.paths:
            found[posixpath.basename(path)].append(path)
        return found

    def _path(self, file: int, ref: Ref) -> Link | None:
        here = posixpath.dirname(self._program.files[file].path)
        wanted = _LINES.sub("", ref.path)
        rooted = wanted.startswith("/")
        places = [posixpath.normpath(posixpath.join("" if rooted else here, wanted.lstrip("/")))]
        if not rooted and not wanted.startswith("."):
            places.append(posixpath.normpath(wanted))
        for place in places:
            if place in self._program.paths:
                return self._file(self._program.paths[place], "path")
        if ref.name == PATH and not wanted.startswith("."):
            fitting = [
                path
                for path in self._by_name.get(posixpath.basename(wanted), ())
                if path.endswith(f"/{wanted}") and role_of(path)[0] is not Role.TEST
            ]
            if len(fitting) == 1:
                return self._file(self._program.paths[fitting[0]], "path-suffix")
            if fitting:
                return Link(EdgeType.DOCUMENTS.value, UNRESOLVED, -1, AMBIGUOUS, len(fitting))
        if any(place in self._program.folders or self._is_page(place) for place in places):
            return None
        claims = ref.name == LINK or ("/" in wanted and any(map(self._is_near, places)))
        return Link(EdgeType.DOCUMENTS.value, UNRESOLVED, -1, "", 0) if claims else None

    def _is_page(self, place: str) -> bool:
        """Whether a path is what a page of the repository becomes when it is published."""
        stem, ending = posixpath.splitext(place)
        return ending == ".html" and any(stem + page in self._program.paths for page in _PAGES)

    def _is_near(self, place: str) -> bool:
        """Whether a path leads into a folder of the repository, so that its file is missed."""
        folder = posixpath.dirname(place)
        return bool(folder) and folder in self._program.folders

    def _file(self, target: int, rule: str) -> Link | None:
        """A link to a file; pages that mention each other are no documents of code."""
        if self._program.files[target].language in PROSE:
            return None
        return Link(EdgeType.DOCUMENTS.value, target, -1, rule, 1)

    # names

    def _lexical(self, file: int, ref: Ref) -> Link | None:
        """What a name in a doc comment means where the comment stands."""
        if ref.name.startswith(FENCE) or family_of(self._program.files[file].language) is None:
            return None
        parts, _ = _parts(ref.path)
        if not parts:
            return None
        base = "@self" if parts[0] in _OWN and len(parts) > 1 else parts[0]
        found = self._linker.evaluate(file, ref.scope, " .".join([base, *parts[1:]]))
        if found is not None and isinstance(found.value, Module) and len(parts) == 1:
            return None  # a word, and by chance a module's name
        return self._link(found, "scope")

    def _named(self, ref: Ref) -> Link | None:
        if ref.name.startswith(FENCE):
            return self._fenced(ref.name.removeprefix(FENCE), ref.path)
        module, _, name = ref.path.rpartition(" ")
        if module:
            found = self._qualified(f"{module}.{name}", exact=True)
            if found is not None:
                return found
        parts, called = _parts(name)
        if len(parts) > 1:
            return self._qualified(name)
        if not parts or (ref.name != ROLE and not called and not _looks_like_code(parts[0])):
            return None
        return self._unique(parts[0], ref.name == ROLE)

    def _fenced(self, language: str, path: str) -> Link | None:
        """What code in a fence takes from a module of the repository."""
        specifier, *members = path.split(" ")
        family = family_of(language)
        context = self._context(family.languages) if family is not None else -1
        if context < 0:
            return None
        module = self._linker.rules(context).module(self._linker, context, specifier)
        steps = [member.removeprefix(".") for member in members]
        return self._link(self._followed(module, steps), "fence")

    def _context(self, languages: Iterable[str]) -> int:
        """A file from which modules are looked up: the one nearest to the root, no test."""
        key = tuple(languages)
        if key not in self._contexts:
            files = [n for language in key for n in self._program.by_language.get(language, ())]
            self._contexts[key] = min(
                files, key=lambda n: (self._is_test(n), self._depth(n), n), default=-1
            )
        return self._contexts[key]

    def _depth(self, file: int) -> int:
        return self._program.files[file].path.count("/")

    def _is_test(self, file: int) -> bool:
        return role_of(self._program.files[file].path)[0] is Role.TEST

    def _followed(self, value: Value | None, steps: Sequence[str]) -> Found | None:
        """A member of a member of a module of the repository."""
        found: Found | None = None
        for place, step in enumerate(steps):
            if value is None:
                return None
            found = self._linker.member(value, step)
            if found is None or found.rule == AMBIGUOUS:
                return found if place == len(steps) - 1 else None
            value = found.value
        return found if steps else Found(value, "module") if value is not None else None

    def _qualified(self, name: str, *, exact: bool = False) -> Link | None:
        parts, _ = _parts(name)
        delimiter = _DELIMITER.search(name)
        found = self._by_module(parts, delimiter[0] if delimiter else ".")
        if found is not None or exact:
            return found
        return self._picked(
            [named for named in self._program.defined(parts[-1]) if self._ends(named, parts)],
            "qualified",
        )

    def _by_module(self, parts: Sequence[str], delimiter: str) -> Link | None:
        """A name by the longest module of the repository that it starts with."""
        for language in sorted(self._program.by_language):
            family = family_of(language)
            if family is None or _SEPARATORS.get(family.name) != delimiter:
                continue
            context = self._context(family.languages)
            for length in range(len(parts), 0, -1):
                specifier = delimiter.join(parts[:length])
                module = self._linker.rules(context).module(self._linker, context, specifier)
                if isinstance(module, Module | Space):
                    found = self._link(self._followed(module, parts[length:]), "qualified")
                    if found is not None:
                        return found
        return None

    def _ends(self, named: Named, parts: Sequence[str]) -> bool:
        """Whether a definition's full name, its file's included, ends in these names."""
        inner = [name for text in (*named.scope, parts[-1]) for name in _DELIMITER.split(text)]
        if len(parts) <= len(inner):
            return inner[-len(parts) :] == list(parts)
        file = self._program.files[named.file]
        if file.language == "go":
            return [file.package, *inner][-len(parts) :] == list(parts)
        folders = posixpath.splitext(file.path)[0].split("/")
        outer = folders[:-1] if folders[-1] in _FRONTS else folders
        return [*outer, *inner][-len(parts) :] == list(parts)

    def _unique(self, name: str, role: bool) -> Link | None:
        named = self._program.defined(name)
        if name[0].isupper() and name[1:].islower() and not role:
            named = [one for one in named if one.kind in TYPE_KINDS]
        found = self._picked(named, "unique-name")
        return found if found is not None and found.file != UNRESOLVED else None

    def _picked(self, named: Iterable[Named], rule: str) -> Link | None:
        """The one definition there is; overloads of one file are one, tests come last."""
        code = [one for one in named if one.kind not in _NOT_CODE]
        code = [one for one in code if not self._is_test(one.file)] or code
        first: dict[tuple[int, tuple[str, ...]], Def] = {}
        for one in code:  # a type that is reopened is one type
            definition = self._linker.canonical(Def(one.file, one.symbol))
            first.setdefault((definition.file, one.scope), definition)
        if len(first) > 1:
            return Link(EdgeType.DOCUMENTS.value, UNRESOLVED, -1, AMBIGUOUS, len(first))
        only = next(iter(first.values()), None)
        return Link(EdgeType.DOCUMENTS.value, only.file, only.symbol, rule, 1) if only else None

    def _link(self, found: Found | None, rule: str) -> Link | None:
        if found is None:
            return None
        if found.rule == AMBIGUOUS:
            candidates = found.candidates
            return Link(EdgeType.DOCUMENTS.value, UNRESOLVED, -1, AMBIGUOUS, candidates)
        value = found.value
        if isinstance(value, Module):
            return Link(EdgeType.DOCUMENTS.value, value.file, -1, rule, 1)
        if isinstance(value, Def):
            return Link(EdgeType.DOCUMENTS.value, value.file, value.symbol, rule, found.candidates)
        return None


def _parts(path: str) -> tuple[list[str], bool]:
    """The names of a mention, and whether it is written as a call."""
    text = path.rpartition(" ")[2]
    called = text.endswith("()")
    parts = [part for part in _DELIMITER.split(text.removesuffix("()")) if part]
    return parts, called


def _looks_like_code(name: str) -> bool:
    """Whether a word is no word of a language: ``snake_case``, ``camelCase``, ``Type``."""
    bare = name.strip("_$")
    if len(bare) < _LEAST:
        return False
    return "_" in bare or (bare != bare.lower() and not bare.isupper())
