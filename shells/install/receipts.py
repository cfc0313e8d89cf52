"""What was changed where, so that taking it back gives the very bytes that were there before.

A receipt holds the few characters that differ, not the file: configurations hold secrets.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from codequarry.store.atomic import write_bytes, write_errors
from codequarry.store.layout import quarry_home

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Receipt:
    """One change of one file.

    Attributes:
        after: SHA-256 of the file as it was left.
        head: how many characters before the change are as before.
        tail: how many behind it.
        replaced: what was between them; None: there was no file.
        folders: those that were made for it, the outermost first.
    """

    after: str
    head: int
    tail: int
    replaced: str | None
    folders: tuple[str, ...] = ()

    @classmethod
    def of(cls, before: str | None, after: str, folders: Sequence[str]) -> Receipt:
        """The receipt of a change."""
        old = before or ""
        head = _shared(old, after)
        tail = _shared(old[head:][::-1], after[head:][::-1])
        replaced = None if before is None else old[head : len(old) - tail]
        return cls(_digest(after), head, tail, replaced, tuple(folders))

    def undone(self, now: str) -> str | None:
        """The text before the change; None: there was no file."""
        if self.replaced is None:
            return None
        return now[: self.head] + self.replaced + now[len(now) - self.tail :]


def receipt_of(path: Path, now: str | None) -> Receipt | None:
    """The receipt of a file that is as it was left."""
    receipt = _read().get(str(path))
    return receipt if receipt and now is not None and receipt.after == _digest(now) else None


def keep(path: Path, receipt: Receipt | None) -> None:
    """Keep a receipt of a file; None forgets it.

    Raises:
        StoreWriteError: it cannot be written.
    """
    kept = _read()
    if kept.get(str(path)) == receipt:
        return
    files = {where: asdict(one) for where, one in kept.items() if where != str(path)}
    if receipt is not None:
        files[str(path)] = asdict(receipt)
    with write_errors(quarry_home()):
        write_bytes(_path(), json.dumps({"version": _VERSION, "files": files}).encode())


def _shared(one: str, other: str) -> int:
    """How many characters two texts have in common from their start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _path() -> Path:
    return quarry_home() / "agents.json"


def _read() -> dict[str, Receipt]:
    """All receipts; without them an entry is still found and taken out by its name."""
    try:
        document = json.loads(_path().read_bytes())
        if document["version"] != _VERSION:
            return {}
        rows = document["files"].items()
        return {where: Receipt(**{**row, "folders": tuple(row["folders"])}) for where, row in rows}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
