"""Which commit a work tree is at, read from git's files: no process is started."""

from __future__ import annotations

from pathlib import Path


def head_commit(root: Path) -> str:
    """The commit that HEAD names; empty outside git or before the first commit."""
    git = _git_dir(root)
    head = _first_line(git / "HEAD")
    if not head.startswith("ref: "):
        return head
    name = head.removeprefix("ref: ")
    common = _common_dir(git)
    return _first_line(git / name) or _first_line(common / name) or _packed(common, name)


def _git_dir(root: Path) -> Path:
    git = root / ".git"
    line = _first_line(git) if git.is_file() else ""
    if line.startswith("gitdir: "):  # a linked worktree or submodule
        return (root / line.removeprefix("gitdir: ")).resolve()
    return git


def _common_dir(git: Path) -> Path:
    line = _first_line(git / "commondir")
    return (git / line).resolve() if line else git


def _packed(common: Path, name: str) -> str:
    try:
        lines = (common / "packed-refs").read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return ""
    for line in lines:
        commit, _, ref = line.partition(" ")
        if ref == name:
            return commit
    return ""


def _first_line(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").partition("\n")[0].strip()
    except OSError:
        return ""
