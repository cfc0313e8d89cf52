"""Read a local git mirror: which tree a commit names, its files, their bytes. Never the network."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from codequarry.eval.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_COMMIT = re.compile(r"[0-9a-f]{7,64}")
# A partial clone would fetch a missing object lazily: forbid every transport.
_OFFLINE = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One entry of a tree read recursively; the path is relative to the repository's root."""

    mode: str
    kind: str
    oid: str
    path: str

    @property
    def is_file(self) -> bool:
        """A regular file; not a symbolic link (120000), not a submodule (160000)."""
        return self.kind == "blob" and self.mode != "120000"


def resolve_tree(mirror: Path, commit: str, root: str = "") -> str:
    """Give the id of the tree at ``root`` in ``commit``.

    Raises:
        CorpusError: the commit is not in the mirror, or ``root`` is no directory there.
    """
    if not _COMMIT.fullmatch(commit):
        raise CorpusError(f"not a commit id: {commit!r}", "give the full hexadecimal id")
    named = f"{commit}:{root}" if root else f"{commit}^{{tree}}"
    found = _git(mirror, "rev-parse", "--verify", "--quiet", "--end-of-options", named)
    oid = found.stdout.decode("ascii", "replace").strip()
    kind = _git(mirror, "cat-file", "-t", oid).stdout.strip() if oid else b""
    if found.returncode or kind != b"tree":
        where = f"directory {root!r} of commit" if root else "commit"
        raise CorpusError(f"{where} {commit} is not in {mirror}", "refresh the local mirror")
    return oid


def list_tree(mirror: Path, tree: str, root: str = "") -> list[TreeEntry]:
    """List every entry below a tree; ``root`` is put before the paths."""
    listed = _git(mirror, "ls-tree", "-r", "-z", "--full-tree", tree)
    if listed.returncode:
        raise CorpusError(f"tree {tree} of {mirror} cannot be read", _said(listed.stderr))
    prefix = f"{root}/" if root else ""
    entries = []
    for line in listed.stdout.split(b"\0"):
        if line:
            head, _, name = line.partition(b"\t")
            mode, kind, oid = head.decode("ascii").split(" ")
            entries.append(TreeEntry(mode, kind, oid, prefix + os.fsdecode(name)))
    return entries


def read_blobs(mirror: Path, oids: Sequence[str]) -> Iterator[bytes | None]:
    """Give the bytes of each blob in order; None for one the mirror does not hold.

    Bytes are checked against the object's id, so a damaged mirror is noticed.
    """
    with tempfile.TemporaryFile() as wanted, tempfile.TemporaryFile() as complaints:
        wanted.write("".join(f"{oid}\n" for oid in oids).encode("ascii"))
        wanted.seek(0)
        with subprocess.Popen(
            ["git", "-C", str(mirror), "cat-file", "--batch"],
            stdin=wanted,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env=os.environ | _OFFLINE,
        ) as process:
            assert process.stdout is not None
            for oid in oids:
                yield _read_one(process.stdout, oid, mirror)


def _read_one(stream: IO[bytes], oid: str, mirror: Path) -> bytes | None:
    header = stream.readline().split()
    if header[1:] == [b"missing"]:
        return None
    if len(header) != 3:
        raise CorpusError(f"{mirror} could not be read at object {oid}", "check the mirror")
    size = int(header[2])
    data = stream.read(size)
    stream.read(1)
    hasher = hashlib.sha256 if len(oid) == 64 else hashlib.sha1
    if hasher(b"blob %d\0" % size + data).hexdigest() != oid:
        raise CorpusError(f"object {oid} of {mirror} is damaged", "make the mirror anew")
    return data


def _git(mirror: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ["git", "-C", str(mirror), *arguments],
            capture_output=True,
            check=False,
            env=os.environ | _OFFLINE,
        )
    except FileNotFoundError as error:
        raise CorpusError("git was not found", "install git, or put it on PATH") from error


def _said(stderr: bytes) -> str:
    return stderr.decode("utf-8", "replace").strip().split("\n")[0]
