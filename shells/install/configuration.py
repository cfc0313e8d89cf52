"""One entry in one configuration file: looked at, put in, taken out, with nothing else touched."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from codequarry.errors import StoreWriteError, UsageError
from codequarry.shells.install import jsonc, tomltext
from codequarry.shells.install.receipts import Receipt, keep, receipt_of
from codequarry.store.atomic import atomic_path, write_errors

_BOM = "\ufeff"
_TRIES = 3  # a client that is running may write its file at any moment
_MOST = 64 * 2**20  # bytes; a larger file is no configuration


class _Changed(Exception):
    """Somebody wrote the file between our look at it and our write."""


class Change(StrEnum):
    """What is done to a file."""

    ADDED = "added"
    UPDATED = "updated"
    REMOVED = "removed"
    UNCHANGED = "unchanged"
    ABSENT = "absent"  # to be removed, and not there


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry that belongs into a file.

    Attributes:
        file: the configuration; links are followed.
        keys: where the entry is in it.
        value: the entry.
        within: the folder that the file must lie in, links resolved; None: anywhere.
    """

    file: Path
    keys: tuple[str, ...]
    value: Mapping[str, Any]
    within: Path | None = None

    @property
    def target(self) -> Path:
        """The file itself, behind links.

        Raises:
            UsageError: links lead in a circle, or out of the folder that it must lie in.
        """
        try:
            found = self.file.resolve()
        except (OSError, RuntimeError) as error:
            raise UsageError(f"{self.file} cannot be followed", "mend the link") from error
        if self.within is not None and not found.is_relative_to(self.within.resolve()):
            raise UsageError(
                f"{self.file} leads out of the repository, to {found}", "use --scope user"
            )
        return found

    def found(self) -> Any:
        """What is there in its place; None for nothing.

        Raises:
            UsageError: the file cannot be read or parsed.
        """
        return self._found_in(_read(self.target) or "")

    def is_in(self, there: Any) -> bool:
        """Whether all that we would write is in what is there."""
        return isinstance(there, dict) and all(
            name in there and there[name] == value for name, value in self.value.items()
        )

    def install(self, *, dry_run: bool = False) -> Change:
        """Put the entry in.

        Raises:
            UsageError: the file cannot be read, parsed or changed without touching more; it is
                as it was.
            StoreWriteError: it cannot be written.
        """
        return self._change(self._installed, dry_run)

    def remove(self, *, dry_run: bool = False) -> Change:
        """Take the entry out; errors as in `install`.

        Where the file is as `install` left it, it becomes what it was before, or is deleted if it
        was not there.
        """
        return self._change(self._removed, dry_run)

    def _change(self, make: Callable[[str | None], _Made], dry_run: bool) -> Change:
        target = self.target
        for _ in range(_TRIES):
            before = _read(target)
            made = make(before)
            if dry_run or made.after == before:
                return made.change
            if _replace(target, before, made):
                return made.change
        raise StoreWriteError(f"{target} changes all the time", "quit the agent and try again")

    def _installed(self, now: str | None) -> _Made:
        there = self._found_in(now or "")
        if self.is_in(there):
            return _Made(Change.UNCHANGED, now)
        receipt = receipt_of(self.target, now)
        base = receipt.undone(now) if receipt and now is not None else now
        if base is not None and self._found_in(base) is not None:
            base, receipt = now, None  # it was somebody else's before
        after = self._edited(base or "", self._put)
        folders = receipt.folders if receipt else _missing_folders(self.target)
        change = Change.ADDED if there is None else Change.UPDATED
        return _Made(change, after, Receipt.of(base, after, folders))

    def _removed(self, now: str | None) -> _Made:
        if now is None or self._found_in(now) is None:
            return _Made(Change.ABSENT, now)
        receipt = receipt_of(self.target, now)
        before = receipt.undone(now) if receipt else now
        if receipt is None or (before is not None and self._found_in(before) is not None):
            return _Made(Change.REMOVED, self._edited(now, self._drop))
        return _Made(Change.REMOVED, before, folders=receipt.folders)

    def _edited(self, text: str, edit: Callable[[str], str]) -> str:
        """The text after an edit that touched nothing else, which is looked at, not believed."""
        bom = _BOM if text.startswith(_BOM) else ""
        plain = text.removeprefix(_BOM)
        after = edit(plain)
        try:
            after.encode()
        except UnicodeEncodeError as error:
            raise UsageError("a path of the entry is not UTF-8", "move the repository") from error
        if self._rest(plain) != self._rest(after):
            raise UsageError(
                f"{self.file} cannot be changed without touching more of it", "change it by hand"
            )
        return bom + after

    def _rest(self, text: str) -> str:
        """Everything in a text but the entry, for comparison."""
        document = self._load(text)
        holders = [document]
        for key in self.keys[:-1]:
            inner = holders[-1].get(key)
            if not isinstance(inner, dict):
                return repr(document)
            holders.append(inner)
        holders[-1].pop(self.keys[-1], None)
        for holder, key in zip(holders[-2::-1], self.keys[-2::-1], strict=True):
            if not holder[key]:
                del holder[key]
        return repr(document)

    @property
    def _format(self) -> _Format:
        return _TOML if self.file.suffix == ".toml" else _JSON

    def _load(self, text: str) -> dict[str, Any]:
        try:
            return self._format.load(text.removeprefix(_BOM))
        except UsageError as error:
            raise UsageError(f"{self.file}: {error.message}", error.hint) from error

    def _found_in(self, text: str) -> Any:
        there: Any = self._load(text)
        for key in self.keys:
            there = there.get(key) if isinstance(there, dict) else None
        return there

    def _put(self, text: str) -> str:
        return self._format.put(text, self.keys, self.value)

    def _drop(self, text: str) -> str:
        after = self._format.drop(text, self.keys)
        if self._found_in(after) is not None:
            raise UsageError(f"the entry of {self.file} is among others", "take it out by hand")
        return after


@dataclass(frozen=True, slots=True)
class _Format:
    load: Callable[[str], dict[str, Any]]
    put: Callable[[str, Sequence[str], Mapping[str, Any]], str]
    drop: Callable[[str, Sequence[str]], str]


_JSON = _Format(jsonc.load, jsonc.put, jsonc.drop)
_TOML = _Format(tomltext.load, tomltext.put, tomltext.drop)


@dataclass(frozen=True, slots=True)
class _Made:
    change: Change
    after: str | None  # None: no file
    receipt: Receipt | None = None
    folders: tuple[str, ...] = ()  # to be removed with the file


def _read(target: Path) -> str | None:
    try:
        if target.stat().st_size > _MOST:
            raise UsageError(f"{target} is too large for a configuration", "look at it")
        return target.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise UsageError(f"{target} is not UTF-8", "save it as UTF-8") from error
    except OSError as error:
        raise UsageError(f"{target} cannot be read: {error.strerror}", "look at it") from error


def _replace(target: Path, before: str | None, made: _Made) -> bool:
    """Write the file, unless somebody changed it since it was read."""
    if before is not None and not os.access(target, os.W_OK):
        raise StoreWriteError(f"{target} is read-only", "make it writable, or edit it by hand")
    if made.receipt is not None:
        keep(target, made.receipt)
    try:
        with write_errors(target.parent):
            _write(target, before, made)
    except _Changed:
        return False
    if made.receipt is None:
        keep(target, None)
    return True


def _write(target: Path, before: str | None, made: _Made) -> None:
    if made.after is None:
        _same(target, before)
        target.unlink()
        for folder in reversed(made.folders):
            with suppress(OSError):  # something else is in it now
                Path(folder).rmdir()
        return
    with atomic_path(target) as part:
        _write_like(target, part, made.after.encode())
        _same(target, before)


def _same(target: Path, before: str | None) -> None:
    if _read(target) != before:
        raise _Changed


def _write_like(target: Path, part: Path, data: bytes) -> None:
    """Write what will replace a file, with the same mode and owner: it may hold secrets."""
    try:
        old = target.stat()
    except FileNotFoundError:
        part.write_bytes(data)
        return
    part.touch(mode=0o600)
    part.write_bytes(data)
    if os.name != "nt":
        with suppress(PermissionError):  # of another owner's file the new one is the user's own
            os.chown(part, old.st_uid, old.st_gid)
    part.chmod(old.st_mode & 0o7777)


def _missing_folders(target: Path) -> tuple[str, ...]:
    return tuple(str(folder) for folder in reversed(target.parents) if not folder.exists())
