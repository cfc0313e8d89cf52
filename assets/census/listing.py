"""Which paths a tree holds: what git lists, or a walk with git's ignore rules.

Paths are ``str`` with surrogate escapes, "/"-separated, relative to the root, exactly as the
file system has them. Nothing is opened here but ignore files.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from codequarry.assets.census.ignore import IgnoreRules
from codequarry.assets.census.rules import VENDORED_DIRS, Skip

_NESTED_SCAN_DEPTH = 3  # levels below an ignored folder searched for clones
_NESTED_SCAN_ENTRIES = 2000
_NEVER_WALKED = frozenset((".git", ".quarry"))


@dataclass(slots=True)
class Listing:
    """The candidate files of a tree, and folders that are reported but not walked."""

    files: list[str] = field(default_factory=list)
    reported: list[tuple[str, Skip, str]] = field(default_factory=list)  # path, reason, detail


def list_tree(root: Path, *, vendored: bool = False) -> Listing:
    """List the tree at ``root``: by git in a work tree, else by walking.

    Args:
        root: the tree.
        vendored: walk into vendored folders too, because settings bring some files back.
    """
    if (root / ".git").exists():
        try:
            return _list_git(root)
        except (OSError, subprocess.CalledProcessError) as error:
            listing = _walk(root, vendored)
            said = getattr(error, "stderr", b"") or str(error).encode()
            detail = said.decode("utf-8", "replace").strip().split("\n")[0]
            listing.reported.append((".git", Skip.UNREADABLE, f"git failed, walked: {detail}"))
            return listing
    return _walk(root, vendored)


def _list_git(root: Path) -> Listing:
    listing = Listing()
    _add_checkout(root, "", listing)
    for worktree in _linked_worktrees(root):
        listing.reported.append((worktree, Skip.LINKED_WORKTREE, "index it from inside"))
    return listing


def _add_checkout(root: Path, prefix: str, listing: Listing) -> None:
    folder = root / prefix
    runs = [
        _start_git(folder, "ls-files", "-z", "-s"),
        _start_git(folder, "ls-files", "-z", "-o", "--exclude-standard"),
        _start_git(folder, "ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory"),
    ]
    tracked, others, ignored = _finish_git(*runs)
    submodules = []
    seen: set[str] = set()  # an unmerged path is listed once a stage
    for entry in tracked:
        meta, _, path = entry.partition("\t")
        if path in seen:
            continue
        seen.add(path)
        if meta.startswith("160000"):
            submodules.append(path)
        else:
            listing.files.append(prefix + path)
    worktrees = set(_linked_worktrees(root))
    listing.files += [prefix + path for path in others if not path.endswith("/")]
    clones = [path.rstrip("/") for path in others if path.endswith("/")]
    for path in ignored:
        if path.endswith("/") and path.rstrip("/").rpartition("/")[2] not in VENDORED_DIRS:
            clones += _clones_below(folder, path.rstrip("/"))
    listing.reported += [_clone(prefix + c) for c in clones if prefix + c not in worktrees]
    for path in submodules:
        if (folder / path / ".git").exists():
            _add_checkout(root, f"{prefix}{path}/", listing)
        else:
            detail = "submodule that is not checked out"
            listing.reported.append((prefix + path, Skip.MISSING, detail))


def _clone(path: str) -> tuple[str, Skip, str]:
    return path, Skip.NESTED_CLONE, "a repository of its own: index it from inside"


def _start_git(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    return subprocess.Popen(
        ["git", "-c", "core.fsmonitor=false", "-c", "core.quotepath=off", *arguments],
        cwd=folder,
        env=environment | {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _finish_git(*runs: subprocess.Popen[bytes]) -> list[list[str]]:
    """The NUL-separated output of each run; all are waited for, even if one failed."""
    outputs = [run.communicate() for run in runs]
    for run, (out, err) in zip(runs, outputs, strict=True):
        if run.returncode:
            raise subprocess.CalledProcessError(run.returncode, "git", out, err)
    return [[os.fsdecode(item) for item in out.split(b"\0") if item] for out, _ in outputs]


def _linked_worktrees(root: Path) -> list[str]:
    """Linked worktrees that lie inside the root, relative to it."""
    if not (root / ".git" / "worktrees").is_dir():
        return []
    found = []
    (lines,) = _finish_git(_start_git(root, "worktree", "list", "--porcelain", "-z"))
    for line in lines:
        if line.startswith("worktree "):
            try:
                path = Path(line[len("worktree ") :]).resolve().relative_to(root.resolve())
            except ValueError:
                continue
            if path.parts:
                found.append(path.as_posix())
    return found


def _clones_below(folder: Path, start: str) -> Iterable[str]:
    """Clones under an ignored folder; bounded, because such folders can be huge."""
    todo, budget = [(start, 0)], _NESTED_SCAN_ENTRIES
    while todo and budget > 0:
        path, depth = todo.pop()
        try:
            with os.scandir(folder / path) as entries:
                children = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        budget -= len(children)
        if any(child.name == ".git" for child in children):
            yield path
        elif depth < _NESTED_SCAN_DEPTH:
            todo += [
                (f"{path}/{child.name}", depth + 1)
                for child in children
                if child.name not in VENDORED_DIRS and child.is_dir(follow_symlinks=False)
            ]


def _walk(root: Path, vendored: bool) -> Listing:
    listing = Listing()
    rules = IgnoreRules({})
    todo = [""]
    while todo:
        prefix = todo.pop()
        try:
            with os.scandir(root / prefix) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            listing.reported.append(
                (prefix.rstrip("/") or ".", Skip.UNREADABLE, error.strerror or "")
            )
            continue
        names = {entry.name for entry in entries}
        if prefix and ".git" in names:
            is_link = (root / prefix / ".git").is_file()
            reason = Skip.LINKED_WORKTREE if is_link else Skip.NESTED_CLONE
            listing.reported.append((prefix.rstrip("/"), reason, "index it from inside"))
            continue
        if ".gitignore" in names:
            rules.add(prefix.rstrip("/"), read_ignore_file(root / prefix / ".gitignore"))
        folders = []
        for entry in entries:
            path = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name in _NEVER_WALKED or rules.ignores(path + "/"):
                    continue
                if vendored or entry.name not in VENDORED_DIRS:
                    folders.append(path + "/")
                else:
                    listing.reported.append((path, Skip.VENDORED, "folder not walked"))
            elif not rules.ignores(path):
                listing.files.append(path)
        todo += reversed(folders)
    return listing


def read_ignore_file(path: Path) -> list[str]:
    """The lines of an ignore file; one that cannot be read, or is a pipe, has none."""
    try:
        return ignore_lines(path.read_bytes()) if path.is_file() else []
    except OSError:
        return []


def ignore_lines(data: bytes) -> list[str]:
    """The lines of an ignore file's bytes."""
    text = data.decode("utf-8", "replace")
    return [line.rstrip("\r") for line in text.removeprefix("\ufeff").split("\n")]
