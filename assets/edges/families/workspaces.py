"""Packages of an npm, pnpm or yarn workspace: names, entry points, subpath exports."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Mapping
from typing import Any

from codequarry.assets.edges.families.places import joined

_CONDITIONS = ("source", "types", "import", "module", "default", "require", "node", "browser")
_BUILT = ("dist", "lib", "build", "out", "esm", "cjs", "es")
_MAX_NESTING = 8


class Workspaces:
    """Every ``package.json`` of a repository, by the name it gives."""

    def __init__(self, texts: Mapping[str, bytes], folders: Iterable[str]) -> None:
        self._packages: dict[str, tuple[str, dict[str, Any]]] = {}
        self._manifests: dict[str, dict[str, Any]] = {}
        self._folders = set(folders)
        for path in sorted(texts):
            if posixpath.basename(path) != "package.json":
                continue
            try:
                data = json.loads(texts[path].decode("utf-8-sig", "replace"))
            except (ValueError, RecursionError):
                continue
            if isinstance(data, dict):
                folder = posixpath.dirname(path)
                self._manifests[folder] = data
                name = data.get("name")
                if isinstance(name, str) and name:
                    self._packages.setdefault(name, (folder, data))

    def candidates(self, specifier: str) -> list[str]:
        """Places a package specifier may mean inside this repository."""
        parts = specifier.split("/")
        size = 2 if specifier.startswith("@") else 1
        name, inner = "/".join(parts[:size]), "/".join(parts[size:])
        if name not in self._packages:
            return []
        folder, data = self._packages[name]
        found = _exported(data.get("exports"), f"./{inner}" if inner else ".")
        places = [joined(folder, target) for target in found]
        if inner:
            places += [joined(folder, inner), joined(folder, f"src/{inner}")]
        else:
            places += self._entries(folder, data)
        return [p for place in places for p in (*_sources(folder, place), place)]

    def main(self, folder: str) -> str | None:
        """The entry point of the package in a folder; none where there is no package."""
        data = self._manifests.get(folder)
        if data is None:
            return None
        entry = next(
            (data[key] for key in ("module", "main") if isinstance(data.get(key), str)), ""
        )
        return joined(folder, entry) if entry else None

    def internal(self, folder: str, specifier: str) -> list[str]:
        """Places an ``#internal`` specifier may mean, by the nearest package's ``imports``."""
        while True:
            data = self._manifests.get(folder)
            if data is not None:
                return [joined(folder, t) for t in _exported(data.get("imports"), specifier)]
            if not folder:
                return []
            folder = posixpath.dirname(folder)

    def _entries(self, folder: str, data: dict[str, Any]) -> list[str]:
        named = [data[k] for k in ("source", "types", "typings", "module", "main") if k in data]
        places = [joined(folder, entry) for entry in named if isinstance(entry, str)]
        return [*places, joined(folder, "src/index"), joined(folder, "index")]


def _sources(folder: str, place: str) -> list[str]:
    """The source that a built file was made from: ``dist/a.js`` → ``src/a``."""
    inner = place[len(folder) + 1 if folder else 0 :].split("/")
    if inner[0] not in _BUILT:
        return []
    stem = "/".join(inner[1:])
    for ending in (".d.ts", ".d.mts", ".js", ".mjs", ".cjs"):
        stem = stem.removesuffix(ending)
    return [joined(folder, f"src/{stem}"), joined(folder, stem)] if stem else []


def _exported(exports: Any, key: str, depth: int = 0) -> list[str]:
    """Targets of a subpath in an ``exports`` map, conditions in a fixed order."""
    if depth > _MAX_NESTING:
        return []
    if isinstance(exports, str):
        return [exports] if key in (".", "") else []
    if isinstance(exports, list):
        return [t for item in exports for t in _exported(item, key, depth + 1)]
    if not isinstance(exports, dict):
        return []
    if not any(str(name).startswith((".", "#")) for name in exports):
        found = [t for c in _CONDITIONS if c in exports for t in _conditions(exports[c], depth + 1)]
        return found if key in (".", "") else []
    if key in exports:
        return _conditions(exports[key], depth + 1)
    for pattern in sorted(exports, key=lambda name: -len(str(name).partition("*")[0])):
        start, star, end = str(pattern).partition("*")
        if star and key.startswith(start) and key.endswith(end):
            inner = key[len(start) : len(key) - len(end)]
            return [t.replace("*", inner) for t in _conditions(exports[pattern], depth + 1)]
    return []


def _conditions(target: Any, depth: int) -> list[str]:
    if depth > _MAX_NESTING:
        return []
    if isinstance(target, str):
        return [target]
    if isinstance(target, list):
        return [t for item in target for t in _conditions(item, depth + 1)]
    if isinstance(target, dict):
        named = [target[c] for c in _CONDITIONS if c in target]
        return [t for item in named for t in _conditions(item, depth + 1)]
    return []
