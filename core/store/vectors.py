"""Vectors on disk: packed, immutable, keyed by content, and a cache shared by all checkouts.

A key is SHA-256 of the model's identity and the text (or the text's own hash), so the same
text under another path, branch or checkout has the same vector. Stored as float16.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from codequarry.errors import IndexDamaged
from codequarry.store.atomic import atomic_path, write_errors
from codequarry.store.layout import BUCKETS, Layout, quarry_home
from codequarry.store.parquet import read_fragment

Float16 = npt.NDArray[np.float16]
_ASK_AT_ONCE = 500  # SQLite's bound on variables is 999 in old builds


def vector_key(model: str, text_hash: str) -> bytes:
    """The key of a text (given by its SHA-256) under a model: 32 bytes."""
    return hashlib.sha256(f"{model}\0{text_hash}".encode()).digest()


def _schema(dimension: int) -> pa.Schema:
    return pa.schema([("key", pa.binary(32)), ("vector", pa.binary(2 * dimension))])


def write_vectors(
    layout: Layout, model: str, bucket: str, keys: Sequence[bytes], vectors: Float16
) -> None:
    """Write one fragment: ``keys[i]`` has the vector ``vectors[i]`` (n, d) float16.

    Raises:
        StoreWriteError: the disk refused.
    """
    if not keys:
        return
    rows = np.ascontiguousarray(vectors, dtype="<f2")
    table = pa.table(
        {"key": list(keys), "vector": [row.tobytes() for row in rows]},
        schema=_schema(rows.shape[1]),
    )
    name = hashlib.sha256(b"".join(keys)).hexdigest()[:24]
    with (
        write_errors(layout.state),
        atomic_path(layout.vectors(model, bucket) / f"{name}.parquet") as part,
    ):
        pq.write_table(table, part, compression="none", use_dictionary=False)


def known_models(layout: Layout) -> set[str]:
    """The keys of the models that this store or the shared cache has vectors of."""
    folders = [path.name for path in (layout.store / "vectors").glob("*") if path.is_dir()]
    cached = [path.stem for path in (quarry_home() / "vectors").glob("*.sqlite")]
    return {*folders, *cached}


def stored_vector_keys(layout: Layout, model: str, bucket: str) -> set[bytes]:
    """The keys that the bucket has vectors for."""
    found: set[bytes] = set()
    for path in sorted(layout.vectors(model, bucket).glob("*.parquet")):
        found.update(read_fragment(path, ["key"])["key"].to_pylist())
    return found


def read_vectors(
    layout: Layout, model: str, dimension: int, buckets: Iterable[str] = BUCKETS
) -> tuple[pa.Array, Float16]:
    """All stored vectors of a model.

    Returns:
        The keys (n,) and the vectors (n, d) float16; a key may stand twice with equal vectors.
    """
    tables = [
        read_fragment(path)
        for bucket in buckets
        for path in sorted(layout.vectors(model, bucket).glob("*.parquet"))
    ]
    if not tables:
        return pa.array([], pa.binary(32)), np.zeros((0, dimension), np.float16)
    table = pa.concat_tables(tables).combine_chunks()
    if table.schema != _schema(dimension):
        raise IndexDamaged(
            f"the stored vectors of {model} have another width", "run: quarry index --rebuild"
        )
    packed = table["vector"].combine_chunks()
    if isinstance(packed, pa.ChunkedArray):
        packed = packed.chunk(0)
    buffer = packed.buffers()[1]
    start = packed.offset * 2 * dimension
    flat = np.frombuffer(buffer, "<f2", count=len(packed) * dimension, offset=start)
    return table["key"], flat.reshape(len(packed), dimension)


def drop_damaged_vectors(layout: Layout) -> int:
    """Remove the files of vectors that cannot be read; the lock's holder only."""
    dropped = 0
    for path in sorted((layout.store / "vectors").glob("*/*/*.parquet")):
        try:
            read_fragment(path)
        except IndexDamaged:
            with suppress(OSError):
                path.unlink()
            dropped += 1
    return dropped


class VectorCache:
    """The user-level cache: one packed SQLite file a model; losing it costs only time."""

    def __init__(self, model: str) -> None:
        self._path = quarry_home() / "vectors" / f"{model}.sqlite"

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The cached vectors (float16 bytes) of those keys that are there."""
        found: dict[bytes, bytes] = {}
        if not keys or not self._path.exists():
            return found
        with suppress(sqlite3.Error), closing(self._connect()) as connection:
            for start in range(0, len(keys), _ASK_AT_ONCE):
                some = keys[start : start + _ASK_AT_ONCE]
                marks = ",".join("?" * len(some))
                found.update(
                    connection.execute(f"SELECT key, vector FROM v WHERE key IN ({marks})", some)  # noqa: S608 - only marks
                )
        return found

    def put(self, items: Iterable[tuple[bytes, bytes]]) -> None:
        """Add vectors; a cache that cannot be written is left alone."""
        with suppress(sqlite3.Error, OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._connect()) as connection, connection:
                connection.executemany("INSERT OR REPLACE INTO v VALUES (?, ?)", items)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=30.0)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS v (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID"
        )
        return connection
