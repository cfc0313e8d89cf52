"""What other files can see of a file: a digest of its symbols and bindings.

Two versions of a file with one interface mean the same to every other file: the same symbols
in the same order, whatever stands in their bodies.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from codequarry.assets.census.census import Entry
from codequarry.assets.edges.load import is_manifest
from codequarry.assets.facts.expand import expand
from codequarry.assets.facts.extract import extractor_version
from codequarry.store.fragments import read_facts
from codequarry.store.layout import BUCKETS, Layout

MAX_EDITED = 50  # more are linked with all the others
_SEEN = {  # of each table, the columns that others can see
    "symbols": (
        "name qualified kind scope static exported default_export receiver trait arity_min"
        " arity_max"
    ).split(),
    "bindings": ["scope", "name", "kind", "target", "member"],
}


@dataclass(frozen=True, slots=True)
class Interfaces:
    """The interfaces of a census, one a file, in its order."""

    paths: tuple[str, ...]
    blobs: tuple[str, ...]
    versions: tuple[str, ...]  # language and extractor
    digests: tuple[str, ...]

    def table(self) -> pa.Table:
        """As stored; paths as bytes, since not every path is text."""
        return pa.table(
            {
                "path": [path.encode("utf-8", "surrogateescape") for path in self.paths],
                "blob": list(self.blobs),
                "version": list(self.versions),
                "digest": list(self.digests),
            }
        )

    @classmethod
    def of(cls, table: pa.Table) -> Interfaces:
        """Read what `table` gave."""
        paths = [path.decode("utf-8", "surrogateescape") for path in table["path"].to_pylist()]
        rest = (tuple(table[name].to_pylist()) for name in ("blob", "version", "digest"))
        return cls(tuple(paths), *rest)

    def renewed(self, entries: Sequence[Entry], edited: Sequence[int]) -> Interfaces:
        """The same interfaces with the blobs of a census."""
        blobs = list(self.blobs)
        for number in edited:
            blobs[number] = entries[number].blob
        return replace(self, blobs=tuple(blobs))


def interfaces_of(layout: Layout, entries: Sequence[Entry]) -> Interfaces:
    """The interfaces of a census.

    Args:
        layout: the store.
        entries: the files that have facts, in census order.
    """
    numbers = range(len(entries))
    return Interfaces(
        tuple(entry.path for entry in entries),
        tuple(entry.blob for entry in entries),
        tuple(_version(entry) for entry in entries),
        tuple(_digests(layout, entries, numbers, BUCKETS)),
    )


def changed(layout: Layout, entries: Sequence[Entry], before: Interfaces) -> list[int] | None:
    """The files with other bytes than before; none where other files may mean something else."""
    if tuple(entry.path for entry in entries) != before.paths:
        return None
    if tuple(_version(entry) for entry in entries) != before.versions:
        return None
    edited = [i for i, entry in enumerate(entries) if entry.blob != before.blobs[i]]
    if len(edited) > MAX_EDITED or any(is_manifest(entries[i].path) for i in edited):
        return None
    buckets = sorted({entries[i].blob[0] for i in edited})
    same = _digests(layout, entries, edited, buckets) == [before.digests[i] for i in edited]
    return edited if same else None


def _version(entry: Entry) -> str:
    return f"{entry.language} {extractor_version(entry.language)}"


def _digests(
    layout: Layout, entries: Sequence[Entry], numbers: Sequence[int], buckets: Sequence[str]
) -> list[str]:
    wanted = [entries[number] for number in numbers]
    hashes = [hashlib.sha256() for _ in wanted]
    for table, names in _SEEN.items():
        facts = read_facts(layout, table, buckets)
        spread = expand(wanted, facts)
        taken = facts.select(names).take(pa.array(spread.rows))
        rows = list(zip(*(column.to_pylist() for column in taken.columns), strict=True))
        for i, (first, count) in enumerate(
            zip(spread.first.tolist(), spread.count.tolist(), strict=True)
        ):
            hashes[i].update(repr(rows[first : first + count]).encode("utf-8", "surrogatepass"))
    return [digest.hexdigest()[:32] for digest in hashes]
