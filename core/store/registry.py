"""The user's list of repositories: one small file under the user-level folder, written whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import filelock

from codequarry.errors import StoreWriteError, UsageError
from codequarry.store.atomic import write_bytes, write_errors
from codequarry.store.layout import quarry_home

_VERSION = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_WAIT = 10.0  # seconds for another command that writes the list


@dataclass(frozen=True, slots=True)
class Registered:
    """A repository that the user works with.

    Attributes:
        name: unique in the list; letters, digits, ``.``, ``_`` and ``-``.
        root: its absolute path.
    """

    name: str
    root: str


def registry_path() -> Path:
    """Where the list is."""
    return quarry_home() / "repositories.json"


def registered() -> list[Registered]:
    """All repositories of the list, by name.

    Raises:
        UsageError: the file is not such a list, or a newer one.
    """
    path = registry_path()
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {error}", "mend it, or move it away") from error
    try:
        if document["version"] > _VERSION:
            raise UsageError(f"{path} is of a newer quarry", "upgrade codequarry")
        found = [Registered(**row) for row in document["repositories"]]
    except (KeyError, TypeError) as error:
        raise UsageError(f"{path} is not a list of repositories", "move it away") from error
    return sorted(found, key=lambda one: one.name)


def add(root: Path, name: str = "") -> Registered:
    """Put a repository on the list; one that is there already keeps its name unless given another.

    Args:
        root: of the repository.
        name: the folder's when not given, with a number where that is taken.

    Raises:
        UsageError: the name is taken or cannot be one.
        StoreWriteError: the list cannot be written.
    """
    where = str(root.resolve())
    if name and not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot be a name", "use letters, digits, '.', '_' and '-'")
    with _written():
        found = registered()
        here = next((one for one in found if one.root == where), None)
        others = {one.name for one in found if one.root != where}
        if name in others:
            raise UsageError(f"there is another repository called {name}", "give another --name")
        if here is not None and name in ("", here.name):
            return here
        entry = Registered(name or _free(root.resolve().name, others), where)
        _write([one for one in found if one.root != where] + [entry])
    return entry


def remove(what: str) -> Registered:
    """Take a repository off the list; its index stays.

    Args:
        what: its name or its path.

    Raises:
        UsageError: it is not on the list.
        StoreWriteError: the list cannot be written.
    """
    with _written():
        found = registered()
        where = str(Path(what).resolve())
        gone = [one for one in found if what == one.name] or [o for o in found if o.root == where]
        if not gone:
            raise UsageError(f"{what} is not on the list", "see: quarry repos list")
        _write([one for one in found if one not in gone])
    return gone[0]


def _free(name: str, taken: set[str]) -> str:
    base = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._") or "repository"
    number, free = 1, base
    while free in taken:
        number += 1
        free = f"{base}-{number}"
    return free


def _write(repositories: list[Registered]) -> None:
    rows = [asdict(one) for one in sorted(repositories, key=lambda one: one.name)]
    text = json.dumps({"version": _VERSION, "repositories": rows}, indent=1)
    write_bytes(registry_path(), f"{text}\n".encode())


@contextmanager
def _written() -> Iterator[None]:
    """One command at a time changes the list."""
    home = quarry_home()
    with write_errors(home):
        home.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(home / "repositories.lock", timeout=_WAIT)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise StoreWriteError(
            "another command is changing the list", "try again in a moment"
        ) from None
    try:
        with write_errors(home):
            yield
    finally:
        lock.release()
