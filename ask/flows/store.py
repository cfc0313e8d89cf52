"""Where flows are kept: one SQLite file in WAL mode, for many small writers.

A damaged file is set aside and a new one begun: flows are answers, and can be had again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from codequarry.errors import StoreWriteError
from codequarry.store.layout import Layout

FLOWS_VERSION = 1
BUSY_SECONDS = 10.0  # that a writer waits for another

Float32 = npt.NDArray[np.float32]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS flows (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  question TEXT NOT NULL,
  kind TEXT NOT NULL,
  parts TEXT NOT NULL,
  answer TEXT NOT NULL,
  files TEXT NOT NULL,
  model TEXT NOT NULL,
  asked BLOB NOT NULL,
  told BLOB NOT NULL,
  created REAL NOT NULL,
  used INTEGER NOT NULL DEFAULT 0
)
"""
_SELECT = (
    "SELECT id, key, question, kind, parts, answer, files, model, asked, told, created, used"
    " FROM flows"
)


@dataclass(frozen=True, slots=True)
class Flow:
    """An answer that is kept.

    Attributes:
        id: in its store; 0 before it is kept.
        key: of its normalised question and kind; one flow has it.
        question: as asked.
        kind: what else decides an answer: narrator, content, scope.
        parts: the answer's events in order, as `codequarry.ask.flows.replay` reads them.
        answer: the document of `AskAnswer`.
        files: SHA-256 by path of every cited file when the answer was made.
        model: key of the embedding model of the vectors; empty without one.
        asked: (d,) of the question without its scaffolding; (0,) without a model.
        told: (d,) of question and prose without code.
        created: seconds since the epoch.
        used: how often it was given again.
    """

    id: int
    key: str
    question: str
    kind: str
    parts: list[dict[str, Any]]
    answer: dict[str, Any]
    files: dict[str, str]
    model: str
    asked: Float32
    told: Float32
    created: float
    used: int = 0


class FlowStore:
    """The flows of one store. Every method is a transaction of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def of(cls, layout: Layout) -> FlowStore:
        """The store of a repository; commits in git's objects have none."""
        return cls(layout.flows)

    @property
    def switch(self) -> Path:
        """The file whose presence turns flows off."""
        return self.path.with_name("flows.off")

    def all(self, kind: str = "") -> list[Flow]:
        """The flows, oldest first; those of a kind where one is given."""
        if not self.path.exists():
            return []
        with self._reading() as connection:
            if kind:
                rows = connection.execute(_SELECT + " WHERE kind = ? ORDER BY id", (kind,))
            else:
                rows = connection.execute(_SELECT + " ORDER BY id")
            return [_flow(row) for row in rows.fetchall()]

    def get(self, key: str) -> Flow | None:
        """The flow of a key."""
        if not self.path.exists():
            return None
        with self._reading() as connection:
            found = connection.execute(_SELECT + " WHERE key = ?", (key,)).fetchone()
            return _flow(found) if found else None

    def put(self, flow: Flow, instead_of: Iterable[int] = ()) -> None:
        """Keep a flow in place of those with its key and of others.

        Raises:
            StoreWriteError: the disk refused, or another process wrote all the time.
        """
        values = (
            flow.key,
            flow.question,
            flow.kind,
            json.dumps(flow.parts),
            json.dumps(flow.answer),
            json.dumps(flow.files, sort_keys=True),
            flow.model,
            flow.asked.astype("<f4").tobytes(),
            flow.told.astype("<f4").tobytes(),
            flow.created,
            flow.used,
        )
        with self._writing() as connection:
            connection.executemany("DELETE FROM flows WHERE id = ?", [(i,) for i in instead_of])
            connection.execute(
                "INSERT OR REPLACE INTO flows (key, question, kind, parts, answer, files, model,"
                " asked, told, created, used) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            )

    def remove(self, ids: Iterable[int]) -> None:
        """Drop flows; errors as in `put`."""
        with self._writing() as connection:
            connection.executemany("DELETE FROM flows WHERE id = ?", [(i,) for i in ids])

    def count_use(self, flow: Flow) -> None:
        """Note that a flow was given again: a courtesy, which may fail."""
        with suppress(StoreWriteError), self._writing() as connection:
            connection.execute("UPDATE flows SET used = used + 1 WHERE id = ?", (flow.id,))

    def clear(self) -> int:
        """Drop all flows; how many there were."""
        if not self.path.exists():
            return 0
        with self._writing() as connection:
            return connection.execute("DELETE FROM flows").rowcount

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(self._connect()) as connection:
                yield connection
        except sqlite3.DatabaseError as error:
            raise self._refused(error) from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._connect()) as connection:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                except BaseException:
                    connection.execute("ROLLBACK")
                    raise
                connection.execute("COMMIT")
        except (sqlite3.DatabaseError, OSError) as error:
            raise self._refused(error) from error

    def _connect(self) -> sqlite3.Connection:
        try:
            return self._opened()
        except sqlite3.OperationalError:  # busy, full, not writable: the file is whole
            raise
        except sqlite3.DatabaseError:
            self._set_aside()
            return self._opened()

    def _opened(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version not in (0, FLOWS_VERSION):
                raise sqlite3.DatabaseError(f"flows of version {version}")
            if version == 0:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute(_SCHEMA)
                connection.execute(f"PRAGMA user_version = {FLOWS_VERSION}")
            connection.execute("SELECT id FROM flows LIMIT 1").fetchone()
        except BaseException:
            connection.close()
            raise
        return connection

    def _set_aside(self) -> None:
        """Rename a file that cannot be read, so that nothing of it is lost to a curious person."""
        for suffix in ("", "-wal", "-shm"):
            damaged = self.path.with_name(self.path.name + suffix)
            with suppress(OSError):
                damaged.replace(damaged.with_name(damaged.name + ".damaged"))

    def _refused(self, error: Exception) -> StoreWriteError:
        return StoreWriteError(
            f"the kept answers cannot be used: {error}", f"see {self.path}, or: quarry flows clear"
        )


def _flow(row: tuple[Any, ...]) -> Flow:
    key, question, kind, parts, answer, files, model, asked, told, created, used = row[1:]
    return Flow(
        row[0],
        key,
        question,
        kind,
        json.loads(parts),
        json.loads(answer),
        json.loads(files),
        model,
        np.frombuffer(asked, "<f4"),
        np.frombuffer(told, "<f4"),
        created,
        used,
    )
