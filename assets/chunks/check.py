"""The partition invariant over stored facts: every blob of a bucket, without re-reading it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

from codequarry.store.fragments import read_facts
from codequarry.store.layout import Layout


def partition_problems(layout: Layout, buckets: Sequence[str]) -> list[str]:
    """What is wrong with the stored chunks of some buckets; empty when all is well.

    The same rule as `validate_partition`, on columns: first line 1, each chunk starts where
    the one before ended, the last ends at the blob's last line.
    """
    chunks = read_facts(layout, "chunks", buckets)
    parses = read_facts(layout, "parses", buckets)
    if not chunks.num_rows:
        return []
    names = _keys(chunks)
    lines = dict(zip(_keys(parses), parses["line_count"].to_pylist(), strict=True))
    start, end = (np.asarray(chunks[name].combine_chunks()) for name in ("start_line", "end_line"))
    first = np.ones(len(names), bool)
    first[1:] = [a != b for a, b in pairwise(names)]
    last = np.append(first[1:], True)
    expected = np.where(first, 1, np.append(0, end[:-1]) + 1)
    wanted_end = np.array([lines.get(name, -1) for name in names])
    wrong = (start != expected) | (end < start) | (last & (end != wanted_end))
    return [
        f"{names[i]}: chunk {start[i]}-{end[i]}, expected to start at {expected[i]}"
        + (f" and end at {wanted_end[i]}" if last[i] else "")
        for i in np.flatnonzero(wrong)
    ]


def _keys(table: pa.Table) -> list[str]:
    columns = (table[name].to_pylist() for name in ("blob", "language", "version"))
    return ["/".join(key) for key in zip(*columns, strict=True)]
