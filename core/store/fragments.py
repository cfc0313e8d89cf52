"""Immutable Parquet fragments of facts: written once, named by content, read by bucket.

A fragment is the facts of some blobs of one bucket: one file of the same name in each
table's folder. The file in ``parses`` is written last and vouches for the others, so a
crash between them leaves files that nothing reads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from codequarry.errors import IndexDamaged
from codequarry.schemas import FACTS, FACTS_VERSION
from codequarry.store.atomic import atomic_path, write_errors
from codequarry.store.layout import BUCKETS, Layout
from codequarry.store.parquet import read_fragment

# Of a bucket; more are merged into one. Every run reads all of them and the cost is a file's, not
# a row's: django's facts in 19 fragments take three times as long to read as in one.
MAX_FRAGMENTS = 8

FactKey = tuple[str, str, str]  # blob, language, version


def write_facts(layout: Layout, bucket: str, tables: Mapping[str, pa.Table]) -> str:
    """Write one fragment of every table and return its name.

    Raises:
        StoreWriteError: the disk refused; nothing of the fragment counts.
    """
    keys = tables["parses"].select(["blob", "language", "version"]).to_pylist()
    digest = hashlib.sha256(repr(sorted(tuple(key.values()) for key in keys)).encode())
    name = f"{digest.hexdigest()[:24]}.parquet"
    with write_errors(layout.state):
        for table, schema in FACTS.items():
            target = layout.fragments(table, FACTS_VERSION, bucket) / name
            with atomic_path(target) as part:
                pq.write_table(tables[table].cast(schema), part, compression="zstd")
    return name


def stored_keys(layout: Layout, bucket: str) -> set[FactKey]:
    """The keys of all blobs whose facts the bucket holds."""
    folder = layout.fragments("parses", FACTS_VERSION, bucket)
    found: set[FactKey] = set()
    for path in sorted(folder.glob("*.parquet")):
        table = read_fragment(path, ["blob", "language", "version"])
        columns = [table[name].to_pylist() for name in ("blob", "language", "version")]
        found.update(zip(*columns, strict=True))
    return found


def read_facts(layout: Layout, table: str, buckets: Iterable[str]) -> pa.Table:
    """All rows of one table over some buckets, each blob's rows once and together."""
    tables = []
    for bucket in buckets:
        seen: set[FactKey] = set()
        for voucher in sorted(layout.fragments("parses", FACTS_VERSION, bucket).glob("*.parquet")):
            named = read_fragment(voucher, ["blob", "language", "version"])
            keys = list(zip(*(column.to_pylist() for column in named.columns), strict=True))
            rows = read_fragment(layout.fragments(table, FACTS_VERSION, bucket) / voucher.name)
            repeated = [key for key in keys if key in seen]
            if repeated:
                rows = rows.filter(pc.invert(_matches(rows, repeated)))
            seen.update(keys)
            tables.append(rows)
    return pa.concat_tables(tables) if tables else FACTS[table].empty_table()


def drop_fragments(layout: Layout, unwanted: Callable[[pa.Table], bool]) -> int:
    """Remove the fragments whose table of parses is unwanted; the lock's holder only.

    Returns:
        How many were removed.
    """
    dropped = 0
    for bucket in BUCKETS:
        folder = layout.fragments("parses", FACTS_VERSION, bucket)
        for path in sorted(folder.glob("*.parquet")):
            if unwanted(read_fragment(path)):
                _remove(layout, bucket, path.name)
                dropped += 1
    return dropped


def drop_damaged(layout: Layout) -> int:
    """Remove the fragments of facts that cannot be read; the lock's holder only.

    Returns:
        How many were removed: what they held is derived anew.
    """
    dropped = 0
    for bucket in BUCKETS:
        names = {
            path.name
            for table in FACTS
            for path in layout.fragments(table, FACTS_VERSION, bucket).glob("*.parquet")
        }
        for name in sorted(names):
            try:
                for table in FACTS:
                    read_fragment(layout.fragments(table, FACTS_VERSION, bucket) / name)
            except IndexDamaged:
                _remove(layout, bucket, name)
                dropped += 1
    return dropped


def _remove(layout: Layout, bucket: str, name: str) -> None:
    for table in reversed(FACTS):  # the voucher first
        with suppress(OSError):
            (layout.fragments(table, FACTS_VERSION, bucket) / name).unlink()


def merge_fragments(layout: Layout, bucket: str) -> bool:
    """Merge a bucket's fragments into one when there are too many; say whether it was done.

    A crash in between leaves the same rows twice, which `read_facts` reads once.
    """
    folder = layout.fragments("parses", FACTS_VERSION, bucket)
    old = sorted(folder.glob("*.parquet"))
    if len(old) <= MAX_FRAGMENTS:
        return False
    merged = write_facts(
        layout, bucket, {table: read_facts(layout, table, [bucket]) for table in FACTS}
    )
    for path in old:
        if path.name != merged:
            _remove(layout, bucket, path.name)
    return True


def _matches(rows: pa.Table, keys: list[FactKey]) -> pa.Array:
    joined = pc.binary_join_element_wise(rows["blob"], rows["language"], rows["version"], "\n")
    return pc.is_in(joined, pa.array(["\n".join(key) for key in keys]))
