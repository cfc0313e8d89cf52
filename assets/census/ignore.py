"""Ignore rules with git's semantics, for trees outside git and for ``.quarryignore``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from codequarry.globs import git_patterns

_FOLDER_MARK = "ps_d"  # the group of pathspec's patterns that matches a folder's "/"


class _Rule(NamedTuple):
    regex: re.Pattern[str]
    ignores: bool  # or brings back


class IgnoreRules:
    """Rules of nested ignore files; the deepest file with an opinion decides.

    Paths are "/"-separated and relative to the root; a directory's ends with "/".
    """

    def __init__(self, files: Mapping[str, Iterable[str]]) -> None:
        """Take the lines of each ignore file, keyed by its folder ("" is the root)."""
        self._rules: dict[str, list[_Rule]] = {}
        for folder, lines in files.items():
            self.add(folder, lines)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def add(self, folder: str, lines: Iterable[str]) -> None:
        """Add the ignore file found in ``folder``."""
        rules = [rule for line in lines for rule in _parse(line)]
        self._rules[folder] = rules[::-1]  # the last line with an opinion decides

    def ignores(self, path: str) -> bool:
        """Tell whether ``path`` itself is ignored; its parents are the caller's business."""
        return bool(self._verdict(path))

    def _verdict(self, path: str) -> bool | None:
        """Whether the deciding rule ignores ``path``; none when no rule is about it."""
        for folder in _folders_upwards(path):
            below = path[len(folder) :].lstrip("/")
            for rule in self._rules.get(folder, ()):
                if _matches(rule.regex, below):
                    return rule.ignores
        return None

    def brings_back(self, path: str) -> bool:
        """Tell whether the nearest rule about ``path`` or a folder above it is a ``!`` line."""
        parts = path.split("/")
        for i in range(len(parts), 0, -1):
            verdict = self._verdict("/".join(parts[:i]) + ("" if i == len(parts) else "/"))
            if verdict is not None:
                return not verdict
        return False

    def ignores_deep(self, path: str) -> bool:
        """Tell whether ``path`` or a folder above it is ignored, as git would."""
        parts = path.split("/")
        return any(self.ignores("/".join(parts[:i]) + "/") for i in range(1, len(parts))) or (
            self.ignores(path)
        )


def _parse(line: str) -> list[_Rule]:
    """The rule of a line; none where there is none or git would pass over it, as ``!``."""
    try:
        patterns = git_patterns([line])
    except ValueError:
        return []
    return [_Rule(p.regex, bool(p.include)) for p in patterns if p.regex is not None]


def _matches(regex: re.Pattern[str], path: str) -> bool:
    """Tell whether a pattern matches ``path`` itself, not only a folder above it."""
    folder = regex.groupindex.get(_FOLDER_MARK)
    for found in regex.finditer(path):
        if folder is None:  # "a/**" matches what is in the folder, not the folder
            return not found[0].endswith("/") or found.end() < len(path)
        if found.end(folder) in (-1, len(path)):
            return True
    return False


def _folders_upwards(path: str) -> Iterable[str]:
    folder = path.rstrip("/")
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        yield folder
    yield ""
