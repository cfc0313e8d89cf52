"""Git's own objects, read without a checkout: what a revision's tree holds, and its bytes.

Never the network: in a partial clone an object that is not there is told as missing. Bytes are
those that were committed, so line ends, keywords and large-file pointers are as git keeps them.
"""

from __future__ import annotations

import errno
import hashlib
import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from codequarry.errors import GitError

# A partial clone would fetch a missing object lazily: forbid every transport.
_OFFLINE = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",  # an object's bytes are those of its id
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_GONE = "git has no such object here"


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One entry of a tree read recursively."""

    mode: str
    kind: str
    oid: str
    path: str

    @property
    def is_file(self) -> bool:
        """A regular file; not a symbolic link (120000), not a submodule (160000)."""
        return self.kind == "blob" and self.mode != "120000"


def resolve_tree(root: Path, revision: str) -> str:
    """The id of the tree that a revision has at ``root``.

    Args:
        root: a repository, bare or not, or a folder of its work tree.
        revision: whatever git takes for a commit, a tag or a tree.

    Raises:
        GitError: there is no git, no repository, no such revision, or no such folder in it.
    """
    where = git(root, "rev-parse", "--show-prefix")
    if where.returncode:
        raise GitError(f"{root} is not a git repository: {said(where)}", "give one with -C")
    prefix = os.fsdecode(where.stdout).rstrip("\r\n").rstrip("/")
    oid = ""
    if revision and not revision.startswith("-") and "\0" not in revision:
        oid = object_id(root, f"{revision}^{{tree}}")
    if not oid:
        hint = "give a commit, a branch or a tag that git has here"
        raise GitError(f"{root} has no revision {revision!r}", hint)
    if not prefix:
        return oid
    below = object_id(root, f"{oid}:{prefix}")
    if not below or git(root, "cat-file", "-t", below).stdout.strip() != b"tree":
        raise GitError(f"revision {revision!r} has no folder {prefix}", "give another revision")
    return below


def object_id(root: Path, name: str) -> str:
    """The id that git knows a name by; empty when it knows none."""
    found = git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
    return "" if found.returncode else found.stdout.decode("ascii", "replace").strip()


def list_tree(root: Path, tree: str, below: str = "") -> list[TreeEntry]:
    """Every entry below a tree, in git's order; ``below`` is put before the paths.

    Raises:
        GitError: the tree, or one in it, is not there.
    """
    listed = git(root, "ls-tree", "-r", "-z", "--full-tree", tree)
    if listed.returncode:
        raise GitError(f"tree {tree} of {root} cannot be read: {said(listed)}", "run: git fsck")
    prefix = f"{below}/" if below else ""
    entries = []
    for line in listed.stdout.split(b"\0"):
        if line:
            head, _, name = line.partition(b"\t")
            mode, kind, oid = head.decode("ascii").split(" ")
            entries.append(TreeEntry(mode, kind, oid, prefix + os.fsdecode(name)))
    return entries


def blob_sizes(root: Path, oids: Sequence[str]) -> list[int | None]:
    """The size of each blob in bytes; None for one that is not there."""
    sizes: list[int | None] = []
    with _batch(root, "--batch-check", oids) as stream:
        for oid in oids:
            header = stream.readline().split()
            if len(header) != 3 and header[1:] != [b"missing"]:
                raise _broken(root, oid)
            sizes.append(int(header[2]) if len(header) == 3 else None)
    return sizes


def read_blobs(root: Path, oids: Sequence[str]) -> Iterator[bytes | None]:
    """The bytes of each blob in order; None for one that is not there.

    Raises:
        GitError: bytes are not those of the object's id, so the repository is damaged.
    """
    with _batch(root, "--batch", oids) as stream:
        for oid in oids:
            yield _read_one(stream, oid, root)


def read_object(root: Path, oid: str) -> bytes:
    """The bytes of one blob, by a git process that is kept until `close_readers`.

    Raises:
        FileNotFoundError: it is not there.
        OSError: git ended.
        GitError: the object is damaged.
    """
    with _lock:
        reader = _readers.get(root)
        if reader is None:
            reader = _readers[root] = _start(root, "--batch", stdin=subprocess.PIPE)
        assert reader.stdin is not None
        assert reader.stdout is not None
        reader.stdin.write(oid.encode("ascii") + b"\n")
        reader.stdin.flush()
        data = _read_one(reader.stdout, oid, root)
    if data is None:
        raise FileNotFoundError(errno.ENOENT, _GONE)
    return data


def read_path(root: Path, tree: str, path: str) -> bytes:
    """The bytes of a file of a tree.

    Raises:
        FileNotFoundError: it is not there.
    """
    found = git(root, "cat-file", "blob", f"{tree}:{path}")
    if found.returncode:
        raise FileNotFoundError(errno.ENOENT, _GONE)
    return found.stdout


def close_readers() -> None:
    """End the processes that `read_object` keeps."""
    with _lock:
        for reader in _readers.values():
            with reader:
                reader.kill()
        _readers.clear()


def git(root: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run git in a repository, without the network and without its environment variables.

    Raises:
        GitError: git is not installed.
    """
    try:
        return subprocess.run(
            ["git", "-C", os.fspath(root), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            env=_environment(),
        )
    except FileNotFoundError as error:
        raise _no_git() from error


def said(done: subprocess.CompletedProcess[bytes]) -> str:
    """The first line of what git complained about."""
    text = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
    return text.removeprefix("fatal: ")


_lock = threading.Lock()
_readers: dict[Path, subprocess.Popen[bytes]] = {}


@contextmanager
def _batch(root: Path, mode: str, oids: Sequence[str]) -> Iterator[IO[bytes]]:
    """The output of ``git cat-file`` over many objects, for the length of a block."""
    with tempfile.TemporaryFile() as wanted:
        wanted.write("".join(f"{oid}\n" for oid in oids).encode("ascii"))
        wanted.seek(0)
        with _start(root, mode, stdin=wanted) as process:
            assert process.stdout is not None
            try:
                yield process.stdout
            finally:
                process.kill()  # whoever stops early does not wait for the rest


def _start(root: Path, mode: str, stdin: int | IO[bytes]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            ["git", "-C", os.fspath(root), "cat-file", mode],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
    except FileNotFoundError as error:
        raise _no_git() from error


def _read_one(stream: IO[bytes], oid: str, root: Path) -> bytes | None:
    header = stream.readline().split()
    if header[1:] == [b"missing"]:
        return None
    if len(header) != 3:
        raise _broken(root, oid)
    size = int(header[2])
    data = stream.read(size)
    stream.read(1)
    hasher = hashlib.sha256 if len(oid) == 64 else hashlib.sha1
    if hasher(b"blob %d\0" % size + data).hexdigest() != oid:
        raise GitError(f"object {oid} of {root} is damaged", "run: git fsck")
    return data


def _environment() -> dict[str, str]:
    """Without what a hook or an alias may have set: it would lead to another repository."""
    return {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | _OFFLINE


def _broken(root: Path, oid: str) -> GitError:
    return GitError(f"{root} could not be read at object {oid}", "run: git fsck")


def _no_git() -> GitError:
    return GitError("git was not found", "install git, or put it on PATH")
