"""The census of a revision: the same rules as on disk, over a tree of git's objects.

What a checkout of the revision has, this has, apart from what git itself changes when it checks
out (line ends, keywords, large files) and what is no part of the revision (submodules' files).
An object that some revision had at the same path is not read again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from codequarry.assets.census.census import Census, Entry, Judge, rules_fingerprint
from codequarry.assets.census.listing import ignore_lines
from codequarry.assets.census.rules import Skip
from codequarry.gitobjects import TreeEntry, blob_sizes, list_tree, read_blobs
from codequarry.settings import Settings

_ABSENT = "git has no such object here: a partial clone, or a damaged one"
_REMEMBERED = 4  # files of earlier revisions are kept for each of this one


def take_revision_census(
    root: Path, tree: str, settings: Settings, seen: Census | None = None
) -> Census:
    """Take the census of a tree, reading only objects that ``seen`` does not hold.

    Args:
        root: the repository.
        tree: the id of the tree.
        settings: those of the census.
        seen: entries of earlier revisions, see `remember`.

    Raises:
        GitError: the tree cannot be read, or an object is damaged.
    """
    taken_ns = time.time_ns()
    listed = list_tree(root, tree)
    ignore_files = _ignore_files(root, listed)
    fingerprint = rules_fingerprint(settings, ignore_files)
    known: dict[tuple[str, str], Entry] = {}
    if seen is not None and seen.fingerprint == fingerprint:
        known = {(entry.path, entry.oid): entry for entry in seen.entries}
    entries: list[Entry] = []
    unknown: list[TreeEntry] = []
    for item in listed:
        odd = _odd(item)
        if odd is not None:
            entries.append(odd)
        elif (item.path, item.oid) in known:
            entries.append(known[item.path, item.oid])
        else:
            unknown.append(item)
    read = _read(root, Judge(settings, ignore_files), unknown)
    entries += read
    entries.sort(key=lambda entry: os.fsencode(entry.path))
    return Census(tuple(entries), fingerprint, taken_ns, bool(unknown), len(read))


def remember(census: Census, seen: Census | None) -> Census:
    """What revisions had, with what this one has: for the next one to compare with."""
    kept = {(entry.path, entry.oid): entry for entry in census.entries if _is_final(entry)}
    if seen is not None and seen.fingerprint == census.fingerprint:
        for entry in seen.entries:
            if len(kept) >= _REMEMBERED * len(census.entries):
                break
            kept.setdefault((entry.path, entry.oid), entry)
    return replace(census, entries=tuple(kept.values()))


def _is_final(entry: Entry) -> bool:
    """An object that is missing may come with the next fetch."""
    return bool(entry.oid) and entry.skip != Skip.MISSING


def _odd(item: TreeEntry) -> Entry | None:
    """The entry of what is no file; None for a file."""
    if item.kind == "commit":
        return Entry(item.path, skip=Skip.MISSING, detail="submodule that is not checked out")
    if not item.is_file:
        return Entry(item.path, skip=Skip.SYMLINK, detail="as git has it")
    if any(part in ("", ".", "..") for part in item.path.split("/")):
        return Entry(item.path, skip=Skip.SPECIAL, detail="not a path that can be checked out")
    return None


def _ignore_files(root: Path, listed: Iterable[TreeEntry]) -> dict[str, list[str]]:
    """The lines of each ``.quarryignore`` of the tree, by its folder."""
    files = [
        item for item in listed if item.is_file and item.path.rpartition("/")[2] == ".quarryignore"
    ]
    if not files:
        return {}
    contents = read_blobs(root, [item.oid for item in files])
    return {
        item.path.rpartition("/")[0]: ignore_lines(data or b"")
        for item, data in zip(files, contents, strict=True)
    }


def _read(root: Path, judge: Judge, items: list[TreeEntry]) -> list[Entry]:
    """Judge files by their paths, then their sizes, and only then by their bytes."""
    entries: list[Entry] = []
    named = []
    for item in items:
        skipped = judge.by_rules(item.path, 1)
        if skipped is None:
            named.append(item)
        else:
            entries.append(_skipped(item, *skipped))
    wanted: list[TreeEntry] = []
    sizes: list[int] = []
    for item, size in zip(named, _sizes(root, named), strict=True):
        skipped = (Skip.MISSING, _ABSENT) if size is None else judge.by_rules(item.path, size)
        if skipped is not None or size is None:
            entries.append(_skipped(item, *(skipped or (Skip.MISSING, _ABSENT))))
        else:
            wanted.append(item)
            sizes.append(size)
    if wanted:
        contents = read_blobs(root, [item.oid for item in wanted])
        for item, size, data in zip(wanted, sizes, contents, strict=True):
            assert data is not None, "an object went while it was read"
            made = judge.by_content(item.path, (size, 0, 0, 0), data)
            entries.append(replace(made, oid=item.oid))
    return entries


def _sizes(root: Path, items: list[TreeEntry]) -> list[int | None]:
    return blob_sizes(root, [item.oid for item in items]) if items else []


def _skipped(item: TreeEntry, skip: Skip, detail: str) -> Entry:
    return Entry(item.path, skip=skip, detail=detail, oid=item.oid)
