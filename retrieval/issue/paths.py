"""From a path somebody wrote to the file of the repository that it means, or to none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

_THIRD_PARTY = frozenset(("site-packages", "dist-packages", "node_modules", "gems"))
_BUILT = frozenset(("build", "dist", "out", "lib", "target", "bin"))
_VERSION = re.compile(r"[-@]v?\d+(\.\d+)*.*$")


class PathIndex:
    """The shown paths of a generation, by their last segments."""

    def __init__(self, paths: Sequence[str], repo: str) -> None:
        self.repo = repo.rpartition("/")[2].lower()
        self._segments = [path.split("/") for path in paths]
        self._by_name: dict[str, list[int]] = {}
        for row, segments in enumerate(self._segments):
            self._by_name.setdefault(segments[-1].lower(), []).append(row)

    @cached_property
    def _by_stem(self) -> dict[str, list[int]]:
        """Rows by the file's stem; a package's own file also by its folder."""
        found: dict[str, list[int]] = {}
        for row, segments in enumerate(self._segments):
            stem = segments[-1].partition(".")[0]
            found.setdefault(stem, []).append(row)
            if len(segments) > 1 and stem in ("__init__", "index", "mod", "lib"):
                found.setdefault(segments[-2], []).append(row)
        return found

    @cached_property
    def folders(self) -> frozenset[str]:
        """The names of all folders."""
        return frozenset(name for segments in self._segments for name in segments[:-1])

    def find(self, path: str) -> int | None:
        """The one file that a path means: the longest common ending wins, ties mean none.

        Leading segments are dropped, as the writer's machine keeps the tree elsewhere. A path
        that agrees in its last name only is believed where it had no folder to disagree in, or
        where nothing else in the repository has that name and no folder contradicts. What lies
        in an installed package is the repository's only if that package is.

        Args:
            path: as `codequarry.retrieval.issue.traces.clean_path` leaves it.
        """
        wanted = path.split("/")
        rows = self._by_name.get(wanted[-1].lower(), [])
        if not rows:
            return None
        wanted, whole = self._installed(wanted)
        lengths = [_common(wanted, self._segments[row]) for row in rows]
        best = max(lengths)
        tied = [row for row, n in zip(rows, lengths, strict=True) if n == best]
        full = [row for row in tied if len(self._segments[row]) == best]
        if best < len(wanted) and (whole or (best == 1 and not full)):
            return None
        if len(tied) == 1:
            return tied[0]
        return full[0] if len(full) == 1 else None

    def find_loose(self, path: str) -> int | None:
        """As `find`, and a file of a name that nothing else has, whatever its folder.

        For languages whose folders need not follow their packages.
        """
        found = self.find(path)
        if found is None:
            rows = self._by_name.get(path.rpartition("/")[2].lower(), [])
            found = rows[0] if len(rows) == 1 else None
        return found

    def _installed(self, wanted: list[str]) -> tuple[list[str], bool]:
        """The part of a path below the installed package's folder, and that it must fit whole."""
        at = max((i for i, name in enumerate(wanted) if name in _THIRD_PARTY), default=-1)
        if at < 0 or at + 2 >= len(wanted):
            return wanted, False
        below = wanted[at + 1 :]
        if wanted[at] == "node_modules" and below[0].startswith("@") and len(below) > 2:
            below = below[1:]
        package = _VERSION.sub("", below[0]).lower()
        if wanted[at] in ("node_modules", "gems"):
            if package != self.repo and package not in self.folders:
                return below, package != self.repo
            rest = below[1:]
            while len(rest) > 1 and rest[0] in _BUILT:
                rest = rest[1:]
            return rest, False
        return below, package != self.repo

    def module(self, names: Sequence[str]) -> tuple[int, int] | None:
        """The file of a dotted name: the row, and how many of the names its path takes.

        ``pkg.mod.Class.method`` means ``pkg/mod.py`` or ``pkg/mod/__init__.py`` and leaves
        ``Class.method``. At least two names must agree with the path, and only one file may fit.
        """
        for end in range(len(names), 1, -1):
            rows = self._by_stem.get(names[end - 1], [])
            scored = [(self._module_match(names[:end], row), row) for row in rows]
            best = max(scored, default=(0, -1))
            if best[0] < 2:
                continue
            tied = [row for n, row in scored if n == best[0]]
            if len(tied) == 1:
                return tied[0], end
        return None

    def _module_match(self, names: Sequence[str], row: int) -> int:
        segments = self._segments[row]
        stem = segments[-1].partition(".")[0]
        own = segments[:-1] if stem != names[-1] else [*segments[:-1], stem]
        return _common(list(names), own)

    def package_files(self, row: int) -> list[int]:
        """The files below the folder of a file."""
        folder = self._segments[row][:-1]
        n = len(folder)
        return [i for i, segments in enumerate(self._segments) if segments[:n] == folder]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many last segments agree, whatever their case."""
    n = 0
    for a, b in zip(reversed(one), reversed(other), strict=False):
        if a != b and a.lower() != b.lower():
            break
        n += 1
    return n
