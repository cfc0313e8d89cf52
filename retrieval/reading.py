"""Reading indexed files: the only source of code that is ever shown.

They are read from disk, or from git's objects where a revision was indexed.
"""

from __future__ import annotations

import errno
import hashlib
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from codequarry.errors import FileNotIndexed, UsageError
from codequarry.gitobjects import read_path
from codequarry.retrieval.filters import normalise_path
from codequarry.retrieval.generation import Generation
from codequarry.store.layout import Layout
from codequarry.text import UndecodableError, decode, split_lines

NEAREST = 3  # paths offered when the asked one is not indexed


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of a file as they are on disk now, or as a revision has them."""

    path: str
    start_line: int
    end_line: int
    text: str
    changed: bool  # the file's bytes are not those that were indexed

    def as_json(self) -> dict[str, Any]:
        """The documented JSON form."""
        return asdict(self)


def read_lines(layout: Layout, path: str) -> list[str]:
    """A file's lines, decoded as when it was indexed; empty when it cannot be read."""
    try:
        return split_lines(decode(_read(layout, path)).text)
    except (OSError, UsageError, UndecodableError):
        return []


def _read(layout: Layout, path: str) -> bytes:
    if layout.revision:
        return read_path(layout.root, layout.revision, path)
    return _read_inside(layout.root, path)


def _read_inside(root: Path, path: str) -> bytes:
    """The bytes of a regular file below ``root``; a link may have taken its place meanwhile."""
    full = (root / path).resolve(strict=True)
    if not full.is_relative_to(root.resolve()):
        raise UsageError(f"{path} now leads out of the repository", "run: quarry index")
    if not full.is_file():
        raise OSError(errno.EINVAL, "not a regular file")
    return full.read_bytes()


def get_code(
    generation: Generation, path: str, start: int | None = None, end: int | None = None
) -> Span:
    """Read lines of an indexed file.

    Only files of the index are read: no path leads out of it, whatever its spelling.

    Args:
        generation: the open index.
        path: as shown by a search; both kinds of slash are understood.
        start: first line, 1 when not given.
        end: last line, the file's last when not given.

    Raises:
        FileNotIndexed: the file is not indexed, or is gone.
        UsageError: it has no such line.
    """
    row = find_file(generation, path)
    record = generation.files.slice(row, 1).to_pylist()[0]
    name = os.fsdecode(record["raw_path"]) if record["raw_path"] else record["path"]
    try:
        data = _read(generation.layout, name)
    except OSError as error:
        what = f"{path} cannot be read: {error.strerror}"
        raise FileNotIndexed(what, "run: quarry index") from error
    try:
        lines = split_lines(decode(data).text)
    except UndecodableError as error:
        what = f"{path} is no longer text: {error}"
        raise FileNotIndexed(what, "run: quarry index") from error
    first, last = start or 1, len(lines) if end is None else end
    if not 1 <= first <= last or last > len(lines):
        raise UsageError(
            f"{record['path']} has no lines {first}-{last}", f"it has lines 1-{len(lines)}"
        )
    return Span(
        record["path"],
        first,
        last,
        "".join(lines[first - 1 : last]),
        hashlib.sha256(data).hexdigest() != record["blob"],
    )


def find_file(generation: Generation, path: str) -> int:
    """The row of an indexed file.

    Raises:
        FileNotIndexed: there is none of that path; the nearest names are offered.
    """
    wanted = normalise_path(path)
    root = generation.layout.root.resolve().as_posix()
    absolute = path.replace("\\", "/")
    if absolute.startswith(root + "/"):
        wanted = normalise_path(absolute[len(root) + 1 :])
    paths = generation.paths
    for candidate in (path, wanted):
        row = generation.rows_by_path.get(candidate)
        if row is not None:
            return row
    import difflib

    name = wanted.rpartition("/")[2]
    near = [p for p in paths if p.endswith("/" + name) or p == name][:NEAREST]
    near = near or difflib.get_close_matches(wanted, paths, NEAREST)
    hint = f"did you mean {', '.join(near)}?" if near else "see: quarry export files"
    raise FileNotIndexed(f"{path} is not in the index", hint)
