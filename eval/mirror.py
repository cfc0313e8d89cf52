"""A local git mirror as an evaluation names its commits: by full ids, never by branches."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from codequarry.errors import GitError
from codequarry.eval.errors import CorpusError
from codequarry.gitobjects import git, object_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_COMMIT = re.compile(r"[0-9a-f]{7,64}")


def resolve_tree(mirror: Path, commit: str, root: str = "") -> str:
    """Give the id of the tree at ``root`` in ``commit``.

    Raises:
        CorpusError: the commit is not in the mirror, or ``root`` is no directory there.
    """
    if not _COMMIT.fullmatch(commit):
        raise CorpusError(f"not a commit id: {commit!r}", "give the full hexadecimal id")
    with as_corpus_error():
        oid = object_id(mirror, f"{commit}:{root}" if root else f"{commit}^{{tree}}")
        kind = git(mirror, "cat-file", "-t", oid).stdout.strip() if oid else b""
    if kind != b"tree":
        where = f"directory {root!r} of commit" if root else "commit"
        raise CorpusError(f"{where} {commit} is not in {mirror}", "refresh the local mirror")
    return oid


def by_date(mirror: Path, commits: Sequence[str]) -> list[str]:
    """Order commits from the oldest to the newest; those the mirror lacks stand last."""
    dates = {}
    for commit in commits:
        told = git(mirror, "show", "-s", "--format=%ct", "--end-of-options", commit).stdout
        dates[commit] = int(told) if told.strip().isdigit() else 1 << 62
    return sorted(commits, key=lambda commit: (dates[commit], commit))


@contextmanager
def as_corpus_error() -> Iterator[None]:
    """What git cannot give is a corpus that cannot be had."""
    try:
        yield
    except GitError as error:
        raise CorpusError(error.message, error.hint) from error
