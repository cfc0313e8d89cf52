"""The folders and names of a store, and finding the root of a repository.

.quarry/
  .gitignore                     ``*``: the folder ignores itself
  store.json                     version of this layout
  CURRENT                        name of the live generation, replaced atomically
  census.arrow                   what the last census saw, for stat-first change detection
  last_run.json                  counts and seconds of the last run
  lock, lock.owner, progress     the writer's lock, who holds it, and how far that run is
  background.log                 what the last run that a server started printed
  blobs/<table>/v<n>/<bucket>/   immutable Parquet fragments of facts, keyed by blob
  vectors/<model>/<bucket>/      immutable Parquet fragments of vectors, keyed by content
  edges/, graph/                 links and graph of the last census, named by their inputs
  flows.sqlite, flows.off        kept answers, and whether they are turned off
  generations/<id>/              immutable; what a query maps into memory
  revisions/                     of git trees indexed without a checkout
    trees/<tree>                 name of the tree's generation; its time is that of its last use
    census.arrow                 every file that some revision had, so that it is read once
    generations/, edges/, graph/ as above; facts and vectors are those of the whole store
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from codequarry.errors import UsageError

STORE_VERSION = 1
STATE_DIR = ".quarry"
BUCKETS = tuple("0123456789abcdef")  # the first hex digit of SHA-256(bytes)


def quarry_home() -> Path:
    """The user-level folder: vector cache, registries, stores of read-only repositories."""
    override = os.environ.get("QUARRY_HOME")
    if override:
        return Path(override).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("codequarry", appauthor=False))


def find_root(start: Path) -> Path:
    """Find the root of the repository that ``start`` lies in.

    The nearest folder upwards (``start`` included) that holds an index, else the nearest one
    that holds ``.git`` or a ``quarry.toml``, else ``start`` itself.

    Raises:
        UsageError: ``start`` does not exist.
    """
    start = start.resolve()
    if not start.exists():
        raise UsageError(f"{start} does not exist", "give a folder of a repository")
    if not start.is_dir():
        start = start.parent
    upwards = (start, *start.parents)
    for folder in upwards:
        if (folder / STATE_DIR / "CURRENT").is_file():
            return folder
        if (folder / ".git").exists() or is_bare(
            folder
        ):  # an index above another checkout is not this one's
            return folder
    for folder in upwards:
        if (folder / "quarry.toml").is_file():
            return folder
    return start


def is_bare(folder: Path) -> bool:
    """Tell whether a folder is a git repository without a work tree, as ``name.git`` is."""
    return (
        folder.name != ".git"
        and (folder / "HEAD").is_file()
        and (folder / "objects").is_dir()
        and (folder / "refs").is_dir()
    )


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths of one repository's store, as its work tree or one of its revisions sees it."""

    root: Path  # of the repository
    state: Path  # of what the tree has to itself
    revision: str = ""  # the id of a tree of git's; empty: the tree on disk

    @classmethod
    def of(cls, root: Path) -> Layout:
        """The store of the repository at ``root``.

        A repository that cannot be written to, or has no work tree, has its store under the
        user-level folder.
        """
        inside = root / STATE_DIR
        if is_bare(root):
            return cls(root, _away(root))
        if inside.is_dir() and os.access(inside, os.W_OK):
            return cls(root, inside)
        if not inside.exists() and os.access(root, os.W_OK):
            return cls(root, inside)
        return cls(root, _away(root))

    def at(self, tree: str) -> Layout:
        """The same store as the revision with that tree sees it."""
        return Layout(self.root, self.revisions, tree)

    @property
    def store(self) -> Path:
        """What all trees of the repository share: facts, vectors, the lock."""
        return self.state.parent if self.revision else self.state

    @property
    def revisions(self) -> Path:
        """What revisions have to themselves."""
        return self.store / "revisions"

    @property
    def current(self) -> Path:
        """The file that names the live generation."""
        return self.state / "trees" / self.revision if self.revision else self.state / "CURRENT"

    @property
    def census(self) -> Path:
        """What the last census saw."""
        return self.state / "census.arrow"

    @property
    def flows(self) -> Path:
        """Kept answers, of the files on disk."""
        return self.store / "flows.sqlite"

    @property
    def last_run(self) -> Path:
        """Counts and seconds of the last run."""
        return self.state / "last_run.json"

    @property
    def progress(self) -> Path:
        """How far the run that is at work has come."""
        return self.store / "progress"

    @property
    def background_log(self) -> Path:
        """What the last run that a server started printed."""
        return self.store / "background.log"

    @property
    def generations(self) -> Path:
        """The folder of generations."""
        return self.state / "generations"

    def fragments(self, table: str, version: int, bucket: str) -> Path:
        """The folder of one table's fragments for one bucket."""
        return self.store / "blobs" / table / f"v{version}" / bucket

    def vectors(self, model: str, bucket: str) -> Path:
        """The folder of one model's vectors for one bucket."""
        return self.store / "vectors" / model / bucket


def _away(root: Path) -> Path:
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    return quarry_home() / "stores" / f"{root.name or 'root'}-{digest}"
