"""The census: every file of a tree with its identity, language and role, or why it is left out.

Stat-first: a file whose size, times and inode are those of the last census is not opened.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from codequarry.assets.census.generated import generated_by_head
from codequarry.assets.census.ignore import IgnoreRules
from codequarry.assets.census.listing import Listing, list_tree, read_ignore_file
from codequarry.assets.census.rules import (
    REVERSIBLE,
    TROUBLE,
    Skip,
    binary_by_name,
    role_of,
    skip_by_path,
)
from codequarry.assets.languages.detect import TEXT, detect_language
from codequarry.assets.languages.guess import guess_language, guesser
from codequarry.gitobjects import read_object
from codequarry.schemas import CENSUS
from codequarry.settings import Settings
from codequarry.store.atomic import atomic_path, write_errors
from codequarry.text import UndecodableError, decode
from codequarry.vocabulary import Role

RULES_VERSION = "2"  # of listing, skips, roles and language detection
_CLOCK_GRAIN_NS = 2_000_000_000  # FAT's; a file this fresh may change without its times changing
_HEAD_BYTES = 4096  # of a file, from which its language is told
_TAIL_BYTES = 1024  # editors' modelines may stand at the end

_Stat = tuple[int, int, int, int]  # size, mtime_ns, ctime_ns, inode


@dataclass(frozen=True, slots=True)
class Entry:
    """One path of the census: indexed when `skip` is empty."""

    path: str
    stat: _Stat = (0, 0, 0, 0)
    blob: str = ""
    language: str = ""
    role: str = ""
    skip: str = ""
    detail: str = ""  # the rule: why it is left out, or why it has its role
    oid: str = ""  # git's name of its bytes; empty: they are on disk


@dataclass(frozen=True, slots=True)
class Census:
    """What a tree held at one moment; entries in path order."""

    entries: tuple[Entry, ...]
    fingerprint: str  # of the rules and settings that made it
    taken_ns: int
    changed: bool  # against the census it was compared with
    opened: int = 0  # files read to take it

    @property
    def indexed(self) -> list[Entry]:
        """The entries that are indexed, in path order."""
        return [entry for entry in self.entries if not entry.skip]

    @property
    def skipped(self) -> list[Entry]:
        """The entries that are not, in path order."""
        return [entry for entry in self.entries if entry.skip]

    @property
    def skip_counts(self) -> dict[str, int]:
        """How many entries each reason left out, by reason."""
        return dict(sorted(Counter(str(entry.skip) for entry in self.skipped).items()))

    @property
    def trouble(self) -> list[Entry]:
        """Entries left out because something went wrong: the run is partial."""
        return [entry for entry in self.skipped if entry.skip in TROUBLE]


def take_census(root: Path, settings: Settings, previous: Census | None = None) -> Census:
    """Take the census of the tree at ``root``, opening only what changed since ``previous``."""
    taken_ns = time.time_ns()
    listing = list_tree(root, vendored=_wants_vendored(root, settings))
    ignore_files = _own_ignore_files(root, listing)
    fingerprint = rules_fingerprint(settings, ignore_files)
    known: dict[str, Entry] = {}
    if previous is not None and previous.fingerprint == fingerprint:
        newest_safe = previous.taken_ns - _CLOCK_GRAIN_NS
        known = {e.path: e for e in previous.entries if max(e.stat[1], e.stat[2]) < newest_safe}
    reader = _Reader(root, Judge(settings, ignore_files))
    entries = [reader.entry(path, known.get(path)) for path in listing.files]
    entries += [Entry(path, skip=skip, detail=detail) for path, skip, detail in listing.reported]
    entries.sort(key=lambda entry: os.fsencode(entry.path))
    changed = (
        previous is None
        or previous.fingerprint != fingerprint
        or [_identity(e) for e in entries] != [_identity(e) for e in previous.entries]
    )
    return Census(tuple(entries), fingerprint, taken_ns, changed, reader.opened)


def _identity(entry: Entry) -> tuple[str, str, str, str, str]:
    return entry.path, entry.blob, entry.language, entry.role, entry.skip


def _own_ignore_files(root: Path, listing: Listing) -> dict[str, list[str]]:
    """The lines of each ``.quarryignore`` by its folder; the top one even if git ignores it."""
    paths = [path for path in listing.files if path.rpartition("/")[2] == ".quarryignore"]
    found = {path.rpartition("/")[0]: read_ignore_file(root / path) for path in paths}
    if "" not in found and (root / ".quarryignore").is_file():
        found[""] = read_ignore_file(root / ".quarryignore")
    return found


def _wants_vendored(root: Path, settings: Settings) -> bool:
    """Whether something may bring files of vendored folders back, so that they must be listed."""
    if settings.include or Skip.VENDORED in settings.bring_back:
        return True
    return any(line.startswith("!") for line in read_ignore_file(root / ".quarryignore"))


def rules_fingerprint(settings: Settings, ignore_files: dict[str, list[str]]) -> str:
    """A hash of the rules, settings and ignore files that a census is taken by."""
    digest = hashlib.sha256(RULES_VERSION.encode())
    rules = (settings.exclude, settings.include, settings.bring_back, settings.max_file_bytes)
    digest.update(repr((rules, guesser())).encode())
    digest.update(repr(sorted(ignore_files.items())).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:16]


class Judge:
    """Says what is indexed, by a file's path, size and bytes; wherever they come from."""

    def __init__(self, settings: Settings, ignore_files: Mapping[str, Iterable[str]]) -> None:
        self._own = IgnoreRules(ignore_files)
        self._excluded = IgnoreRules({"": settings.exclude} if settings.exclude else {})
        self._included = IgnoreRules({"": settings.include} if settings.include else {})
        self._back = frozenset(settings.bring_back)
        self._max_bytes = settings.max_file_bytes

    def by_rules(self, path: str, size: int) -> tuple[Skip, str] | None:
        """Why a file is left out by its path and size (in bytes), and the rule; None: it is not."""
        if self._own and self._own.ignores_deep(path):
            return Skip.QUARRYIGNORE, ""
        if self._excluded and self._excluded.ignores_deep(path):
            return Skip.EXCLUDED, ""
        skipped = skip_by_path(path)
        if skipped is None and binary_by_name(path):
            skipped = Skip.BINARY, "by its extension"
        if skipped is None and size > self._max_bytes:
            skipped = Skip.TOO_LARGE, f"{size:,} bytes, more than {self._max_bytes:,}"
        if skipped is not None and self._brought_back(path, skipped[0]):
            return None
        if skipped is None and size == 0:
            return Skip.EMPTY, ""
        return skipped

    def _brought_back(self, path: str, skip: Skip) -> bool:
        if skip not in REVERSIBLE:
            return False
        return (
            skip in self._back
            or (bool(self._included) and self._included.ignores_deep(path))
            or (bool(self._own) and self._own.brings_back(path))
        )

    def by_content(self, path: str, status: _Stat, data: bytes) -> Entry:
        """The entry of a file that no rule on its path or size leaves out."""
        generated = generated_by_head(data)
        if generated and not self._brought_back(path, Skip.GENERATED):
            return Entry(path, status, skip=Skip.GENERATED, detail=generated)
        try:
            if not data.isascii() or b"\0" in data:
                decode(data)
        except UndecodableError as error:
            return Entry(path, status, skip=Skip.BINARY, detail=str(error))
        if not data.strip():
            return Entry(path, status, skip=Skip.EMPTY, detail="white space only")
        blob = hashlib.sha256(data).hexdigest()
        role, rule = role_of(path)
        if generated and role is Role.CODE:
            role, rule = Role.GENERATED, generated
        return Entry(path, status, blob, _language(path, data), role.value, detail=rule)


class _Reader:
    """Gives each path on disk its entry; the only part of the census that opens files."""

    def __init__(self, root: Path, judge: Judge) -> None:
        self._root = os.fspath(root)
        self._judge = judge
        self.opened = 0

    def entry(self, path: str, known: Entry | None) -> Entry:
        full = f"{self._root}/{path}"
        try:
            found = os.lstat(full)
        except OSError as error:
            return _unreadable(path, error)
        status = (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
        if known is not None and known.stat == status:
            return known
        if stat.S_ISLNK(found.st_mode):
            return Entry(path, status, skip=Skip.SYMLINK, detail=_link_detail(self._root, full))
        if stat.S_ISDIR(found.st_mode):
            return Entry(path, skip=Skip.NESTED_CLONE, detail="a folder where git has a file")
        if not stat.S_ISREG(found.st_mode):
            return Entry(path, status, skip=Skip.SPECIAL, detail="not a regular file")
        skipped = self._judge.by_rules(path, found.st_size)
        if skipped is not None:
            skip, rule = skipped
            return Entry(path, status, skip=skip, detail=rule)
        try:
            data, status = _read(full)
        except OSError as error:
            return _unreadable(path, error)
        self.opened += 1
        return self._judge.by_content(path, status, data)


def _language(path: str, data: bytes) -> str:
    sample = data
    if len(data) > _HEAD_BYTES + _TAIL_BYTES:
        sample = data[:_HEAD_BYTES] + b"\n" + data[-_TAIL_BYTES:]
    language = detect_language(path, sample)
    return language if language != TEXT else guess_language(path, data) or TEXT


def read_entry(root: Path, entry: Entry) -> bytes:
    """The bytes of a census entry: git's object where it names one, else the file below ``root``.

    Raises:
        OSError: they cannot be had.
    """
    return read_object(root, entry.oid) if entry.oid else read_blob(root, entry.path)


def read_blob(root: Path, path: str) -> bytes:
    """Read a file of the tree without following a link or blocking on a pipe.

    Raises:
        OSError: as the system reports it; a link or special file is an error too.
    """
    return _read(f"{os.fspath(root)}/{path}")[0]


def _read(full: str) -> tuple[bytes, _Stat]:
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0)
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(full, flags)
    with os.fdopen(handle, "rb", buffering=0) as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", full)
        data = file.readall()
    return data, (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def _unreadable(path: str, error: OSError) -> Entry:
    gone = isinstance(error, FileNotFoundError | NotADirectoryError)
    reason = Skip.MISSING if gone else Skip.UNREADABLE
    return Entry(path, skip=reason, detail=error.strerror or str(error))


def _link_detail(root: str, full: str) -> str:
    if not Path(full).exists():
        return "leads nowhere"
    target = os.path.realpath(full)
    inside = os.path.commonpath([os.path.realpath(root), target]) == os.path.realpath(root)
    return "points inside the tree" if inside else "points outside the tree"


def save_census(census: Census, target: Path) -> None:
    """Write a census for the next run to compare with."""
    columns = {
        "path": [os.fsencode(e.path) for e in census.entries],
        "size": [e.stat[0] for e in census.entries],
        "mtime_ns": [e.stat[1] for e in census.entries],
        "ctime_ns": [e.stat[2] for e in census.entries],
        "inode": [e.stat[3] for e in census.entries],
        "blob": [e.blob for e in census.entries],
        "language": [e.language for e in census.entries],
        "role": [e.role for e in census.entries],
        "skip": [e.skip for e in census.entries],
        "detail": [e.detail.encode("utf-8", "replace").decode() for e in census.entries],
        "oid": [e.oid for e in census.entries],
    }
    metadata = {"fingerprint": census.fingerprint, "taken_ns": str(census.taken_ns)}
    table = pa.table(columns, schema=CENSUS).replace_schema_metadata(metadata)
    with (
        write_errors(target.parent),
        atomic_path(target) as part,
        pa.OSFile(str(part), "wb") as sink,
        pa.ipc.new_file(sink, table.schema) as writer,
    ):
        writer.write_table(table)


def load_census(source: Path) -> Census | None:
    """Read the last census; None when there is none or it cannot be read."""
    try:
        with pa.memory_map(str(source)) as mapped:
            table = pa.ipc.open_file(mapped).read_all()
            metadata = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
            columns = [table[name].to_pylist() for name in CENSUS.names]
            taken_ns = int(metadata["taken_ns"])
    except (OSError, pa.ArrowInvalid, KeyError, ValueError):
        return None  # it only saves work: without it every file is read again
    entries = tuple(
        Entry(os.fsdecode(path), (size, mtime, ctime, inode), *rest)
        for path, size, mtime, ctime, inode, *rest in zip(*columns, strict=True)
    )
    return Census(entries, metadata.get("fingerprint", ""), taken_ns, changed=False)
