"""Path maps of TypeScript projects: ``paths``, ``baseUrl``, ``extends`` and ``references``."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from codequarry.assets.edges.families.places import joined

_CONFIG = re.compile(r"(?:^|/)(?:tsconfig|jsconfig)(?:\.[\w.-]+)?\.json$")
_MAX_EXTENDS = 12
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING = re.compile(r",(\s*[}\]])")


def is_config(path: str) -> bool:
    """Whether a path is that of a TypeScript or JavaScript project file."""
    return _CONFIG.search(path) is not None


def read_jsonc(data: bytes) -> Any:
    """JSON with comments and trailing commas; none when it is not even that."""
    text = data.decode("utf-8-sig", "replace")
    text = _TOKEN.sub(lambda m: m[0] if m[0].startswith('"') else " ", text)
    text = _without_trailing(text)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _without_trailing(text: str) -> str:
    pieces = re.split(r'("(?:\\.|[^"\\])*")', text)
    joined = "\0".join(p for p in pieces[::2])
    strings = pieces[1::2]
    cleaned = joined
    previous = None
    while previous != cleaned:
        previous, cleaned = cleaned, _TRAILING.sub(r"\1", cleaned)
    halves = cleaned.split("\0")
    return "".join(h + (strings[i] if i < len(strings) else "") for i, h in enumerate(halves))


@dataclass(frozen=True, slots=True)
class _Project:
    folder: str
    base: str | None
    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()  # pattern → targets from the root
    references: tuple[str, ...] = field(default=())


class PathMaps:
    """The path maps of all projects of a repository."""

    def __init__(self, texts: Mapping[str, bytes]) -> None:
        self._texts = {path: data for path, data in texts.items() if is_config(path)}
        self._projects: dict[str, list[_Project]] = {}
        for path in sorted(self._texts, key=_config_order):
            project = self._read(path, frozenset())
            if project is not None and (project.base is not None or project.paths):
                folder = posixpath.dirname(path)
                self._projects.setdefault(folder, []).append(project)

    def candidates(self, path: str, specifier: str) -> Iterator[str]:
        """Places a bare specifier may mean in a file, by the nearest project above it."""
        folder = posixpath.dirname(path)
        while True:
            for project in self._projects.get(folder, ()):
                yield from _mapped(project, specifier)
            if not folder:
                return
            folder = posixpath.dirname(folder)

    def _read(self, path: str, above: frozenset[str]) -> _Project | None:
        """One project with what it extends; rings end, each is read once on a way."""
        if path in above or len(above) > _MAX_EXTENDS or path not in self._texts:
            return None
        data = read_jsonc(self._texts[path])
        if not isinstance(data, dict):
            return None
        folder = posixpath.dirname(path)
        base: str | None = None
        paths: tuple[tuple[str, tuple[str, ...]], ...] = ()
        extends = data.get("extends", [])
        parents = [extends] if isinstance(extends, str) else extends
        for parent in dict.fromkeys(map(str, parents if isinstance(parents, list) else ())):
            taken = self._read(self._extended(folder, parent), above | {path})
            if taken is not None:
                base = taken.base if taken.base is not None else base
                paths = taken.paths or paths
        options = data.get("compilerOptions")
        if isinstance(options, dict):
            if isinstance(options.get("baseUrl"), str):
                base = _place(folder, options["baseUrl"])
            if isinstance(options.get("paths"), dict):
                start = base if base is not None else folder
                paths = tuple(
                    (str(pattern), tuple(_place(start, str(t)) for t in targets))
                    for pattern, targets in options["paths"].items()
                    if isinstance(targets, list)
                )
        return _Project(folder, base, paths)

    def _extended(self, folder: str, parent: str) -> str:
        place = _place(folder, parent)
        if place in self._texts:
            return place
        return f"{place}.json" if f"{place}.json" in self._texts else f"{place}/tsconfig.json"


def _config_order(path: str) -> tuple[int, str]:
    """`tsconfig.json` before the projects it refers to, those before the others."""
    return (0 if path.endswith(("/tsconfig.json",)) or path == "tsconfig.json" else 1, path)


def _place(folder: str, written: str) -> str:
    return joined(folder, written.replace("${configDir}", "."))


def _mapped(project: _Project, specifier: str) -> Iterator[str]:
    best = sorted(project.paths, key=lambda pair: -len(pair[0].partition("*")[0]))
    for pattern, targets in best:
        start, star, end = pattern.partition("*")
        if not star:
            if pattern == specifier:
                yield from targets
            continue
        if specifier.startswith(start) and specifier.endswith(end):
            inner = specifier[len(start) : len(specifier) - len(end)]
            yield from (target.replace("*", inner, 1) for target in targets)
            break
    if project.base is not None:
        yield f"{project.base}/{specifier}" if project.base else specifier
