"""From facts keyed by blob to rows keyed by file: each path gets its blob's rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from codequarry.assets.census.census import Entry
from codequarry.assets.facts.extract import extractor_version

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Expanded:
    """A facts table taken once a file that holds the blob, in file order.

    Attributes:
        rows: (n,) positions in the facts table.
        files: (n,) position of the file each row is for, ascending.
        first: (files,) first row of each file in the expanded order.
        count: (files,) rows of each file.
    """

    rows: Int64
    files: Int32
    first: Int32
    count: Int32


def expand(entries: Sequence[Entry], table: pa.Table) -> Expanded:
    """Expand a facts table over the files of a census.

    Rows of another extractor version than the present one are left out.
    """
    runs = _runs(table)
    versions = {entry.language: extractor_version(entry.language) for entry in entries}
    starts = np.zeros(len(entries), np.int64)
    count = np.zeros(len(entries), np.int64)
    for i, entry in enumerate(entries):
        run = runs.get((entry.blob, entry.language, versions[entry.language]))
        if run is not None:
            starts[i], count[i] = run
    first = np.cumsum(count) - count
    files = np.repeat(np.arange(len(entries)), count)
    within = np.arange(int(count.sum())) - np.repeat(first, count)
    rows = np.repeat(starts, count) + within
    return Expanded(rows, files.astype(np.int32), first.astype(np.int32), count.astype(np.int32))


def _runs(table: pa.Table) -> dict[tuple[str, str, str], tuple[int, int]]:
    """First row and length of each key's run of rows; a key's rows stand together."""
    if not table.num_rows:
        return {}
    columns = [table[name].combine_chunks() for name in ("blob", "language", "version")]
    codes = [np.asarray(column.dictionary_encode().indices) for column in columns]
    change = np.zeros(table.num_rows, bool)
    change[0] = True
    for code in codes:
        change[1:] |= code[1:] != code[:-1]
    starts = np.flatnonzero(change)
    lengths = np.diff(np.append(starts, table.num_rows))
    at = pa.array(starts)
    keys = zip(*(column.take(at).to_pylist() for column in columns), strict=True)
    return {
        key: (start, length)
        for key, start, length in zip(keys, starts.tolist(), lengths.tolist(), strict=True)
    }
