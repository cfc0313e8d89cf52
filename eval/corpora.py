"""Materialise a repository at a commit from a local mirror, for questions about that commit.

A corpus lies in ``<cache>/<owner+name>/<commit>[-<key of the root>]/`` as ``tree/`` with paths
relative to the repository's root, beside ``corpus.json``, which records the tree id it was made
from. It is written beside its place and renamed, so a corpus that is there is whole.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from codequarry.eval.errors import CorpusError
from codequarry.eval.mirror import as_corpus_error, resolve_tree
from codequarry.gitobjects import TreeEntry, list_tree, read_blobs

if TYPE_CHECKING:
    from collections.abc import Iterable

_FORMAT = 1
_UNWRITABLE_NAME = (errno.EINVAL, errno.ENAMETOOLONG, errno.EILSEQ)
_RESERVED = frozenset('<>:"|?*\\')  # never in a name on Windows; a backslash separates there


@dataclass(frozen=True, slots=True)
class Corpus:
    """A repository's files at one commit, on disk."""

    path: Path  # what to index; paths below it are relative to the repository's root
    repo: str
    commit: str
    root: str
    tree: str
    files: int
    skipped: tuple[str, ...]  # "reason: path" of symbolic links, submodules, absent blobs


@dataclass(frozen=True, slots=True)
class Mirrors:
    """Where the local git mirror of each repository is."""

    places: dict[str, Path]
    directory: Path | None = None

    @classmethod
    def at(cls, where: Path) -> Mirrors:
        """Read a JSON map ``{"owner/name": "directory"}``, or take a directory of mirrors.

        In a directory the mirror of ``owner/name`` may be ``owner+name``, ``owner__name`` or
        ``owner/name``, with or without ``.git`` after it or ``repo`` below it.
        """
        if where.is_dir():
            return cls({}, where)
        try:
            raw = json.loads(where.read_text(encoding="utf-8"))
            return cls({str(name): where.parent / str(place) for name, place in raw.items()})
        except (OSError, ValueError, AttributeError) as error:
            raise CorpusError(
                f"no mirrors at {where}: {error}",
                'give a directory of git mirrors, or a JSON file {"owner/name": "directory"}',
            ) from error

    def find(self, repo: str) -> Path:
        """Give the mirror of a repository."""
        candidates = [self.places[repo]] if repo in self.places else []
        if self.directory is not None and _safe_parts(repo):
            for stem in (repo.replace("/", "+"), repo.replace("/", "__"), repo):
                place = self.directory / stem
                candidates += [place.with_name(place.name + ".git"), place / "repo", place]
        for place in candidates:
            if (place / "HEAD").is_file() or (place / ".git").exists():
                return place
        raise CorpusError(f"no local mirror of {repo}", "add it to the mirrors given")


@dataclass(frozen=True, slots=True)
class CorpusCache:
    """Corpora made from mirrors, kept in one directory."""

    mirrors: Mirrors
    directory: Path

    def corpus(self, repo: str, commit: str, root: str = "") -> Corpus:
        """Give the corpus, making it if it is not there.

        Args:
            repo: ``owner/name`` as the mirrors call it.
            commit: full hexadecimal id.
            root: the directory of the repository to restrict it to; empty for all of it.
        """
        root = root.strip("/")
        if not _safe_parts(repo) or (root and not _safe_parts(root)):
            raise CorpusError(f"not a repository and directory: {repo!r}, {root!r}")
        mirror = self.mirrors.find(repo)
        tree = resolve_tree(mirror, commit, root)
        key = f"-{hashlib.sha256(root.encode()).hexdigest()[:12]}" if root else ""
        place = self.directory / repo.replace("/", "+") / f"{commit}{key}"
        known = _reuse(place, tree)
        if known is not None:
            return known
        place.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".making-", dir=place.parent))
        try:
            wanted = Corpus(made / "tree", repo, commit, root, tree, 0, ())
            with as_corpus_error():
                corpus = write_corpus(mirror, wanted)
            record = {"format": _FORMAT} | asdict(corpus) | {"path": "tree"}
            (made / "corpus.json").write_text(json.dumps(record, indent=1), encoding="utf-8")
            return _publish(made, place, tree)
        finally:
            shutil.rmtree(made, ignore_errors=True)


def write_corpus(mirror: Path, wanted: Corpus) -> Corpus:
    """Write the files of ``wanted.tree`` below ``wanted.path``, which must not exist yet."""
    entries = list_tree(mirror, wanted.tree, wanted.root)
    skipped = [f"{_odd(entry)}: {entry.path}" for entry in entries if _odd(entry)]
    files = [entry for entry in entries if not _odd(entry)]
    wanted.path.mkdir(parents=True)
    written = 0
    for entry, data in zip(files, read_blobs(mirror, [entry.oid for entry in files]), strict=True):
        reason = "not in the mirror" if data is None else _write(wanted.path, entry.path, data)
        if reason:
            skipped.append(f"{reason}: {entry.path}")
        else:
            written += 1
    return Corpus(
        wanted.path,
        wanted.repo,
        wanted.commit,
        wanted.root,
        wanted.tree,
        written,
        tuple(sorted(skipped)),
    )


def _odd(entry: TreeEntry) -> str:
    if not entry.is_file:
        return "submodule" if entry.kind == "commit" else "symbolic link"
    return "" if _safe_parts(entry.path) else "unsafe path"


def _safe_parts(path: str) -> bool:
    """Whether every part is an ordinary name, so that joining cannot leave the directory."""
    return all(
        part not in ("", ".", "..")
        and part.lower() != ".git"
        and not any(ord(char) < 32 for char in part)
        and (os.name != "nt" or not _RESERVED.intersection(part))
        for part in path.split("/")
    )


def _write(root: Path, path: str, data: bytes | None) -> str:
    target = root / path
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as out:
            out.write(data or b"")
    except (FileExistsError, NotADirectoryError):
        return "same name as another in another case"
    except OSError as error:
        if error.errno in _UNWRITABLE_NAME:
            return "name not possible here"
        raise
    return ""


def _reuse(place: Path, tree: str) -> Corpus | None:
    """Give the corpus at ``place`` if it was made from this tree and all its files are there."""
    try:
        raw = json.loads((place / "corpus.json").read_text(encoding="utf-8"))
        corpus = Corpus(
            place / "tree",
            raw["repo"],
            raw["commit"],
            raw["root"],
            raw["tree"],
            raw["files"],
            tuple(raw["skipped"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    whole = raw["format"] == _FORMAT and corpus.tree == tree
    return corpus if whole and _count(corpus.path) == corpus.files else None


def _count(tree: Path) -> int:
    """Count files, not what an index of the corpus added in directories of its own."""
    return sum(len(files) for _, files in _walk(tree))


def _walk(tree: Path) -> Iterable[tuple[str, list[str]]]:
    for here, directories, files in os.walk(tree):
        if here == str(tree) and ".quarry" in directories:
            directories.remove(".quarry")
        yield here, files


def _publish(made: Path, place: Path, tree: str) -> Corpus:
    """Rename into place; a corpus that is there already and whole wins, a damaged one goes."""
    if place.exists() and _reuse(place, tree) is None:
        shutil.rmtree(place)
    try:
        made.replace(place)
    except OSError:
        if _reuse(place, tree) is None:
            raise
    corpus = _reuse(place, tree)
    if corpus is None:
        raise CorpusError(f"the corpus at {place} is not whole", "remove it and try again")
    return corpus
