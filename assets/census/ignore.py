"""Ignore rules with git's semantics, for trees outside git and for ``.quarryignore``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pathspec import GitIgnoreSpec


class IgnoreRules:
    """Rules of nested ignore files; the deepest file with an opinion decides.

    Paths are "/"-separated and relative to the root; a directory's ends with "/".
    """

    def __init__(self, files: Mapping[str, Iterable[str]]) -> None:
        """Take the lines of each ignore file, keyed by its folder ("" is the root)."""
        self._specs: dict[str, GitIgnoreSpec] = {}
        for folder, lines in files.items():
            self.add(folder, lines)

    def __bool__(self) -> bool:
        return bool(self._specs)

    def add(self, folder: str, lines: Iterable[str]) -> None:
        """Add the ignore file found in ``folder``."""
        self._specs[folder] = GitIgnoreSpec.from_lines([line for line in lines if _valid(line)])

    def ignores(self, path: str) -> bool:
        """Tell whether ``path`` itself is ignored; its parents are the caller's business."""
        for folder in _folders_upwards(path):
            spec = self._specs.get(folder)
            if spec is None:
                continue
            verdict = spec.check_file(path[len(folder) :].lstrip("/")).include
            if verdict is not None:
                return verdict
        return False

    def ignores_deep(self, path: str) -> bool:
        """Tell whether ``path`` or a folder above it is ignored, as git would."""
        parts = path.split("/")
        return any(self.ignores("/".join(parts[:i]) + "/") for i in range(1, len(parts))) or (
            self.ignores(path)
        )


def _valid(line: str) -> bool:
    """Tell whether a line is a pattern; git passes over those that are not, such as ``!``."""
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _folders_upwards(path: str) -> Iterable[str]:
    folder = path.rstrip("/")
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        yield folder
    yield ""
