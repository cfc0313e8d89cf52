"""Which blobs have no facts yet, and making them, bucket by bucket."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from codequarry.assets.census.census import Census
from codequarry.assets.facts.extract import extractor_version
from codequarry.assets.facts.pool import ParsePool
from codequarry.assets.facts.worker import Job, from_ipc
from codequarry.schemas import FACTS
from codequarry.store.fragments import merge_fragments, stored_keys, write_facts
from codequarry.store.layout import BUCKETS, Layout

Progress = Callable[[int], None]


@dataclass(slots=True)
class FactsReport:
    """What one run parsed."""

    parsed: int = 0
    missing: dict[str, str] = field(default_factory=dict)  # blob → why it has no facts
    rows: dict[str, dict[str, int]] = field(default_factory=dict)  # bucket → table → rows


def dirty_jobs(layout: Layout, census: Census) -> dict[str, list[Job]]:
    """The blobs of the census without stored facts, by bucket; clean buckets are left out."""
    wanted: dict[str, dict[tuple[str, str], Job]] = {bucket: {} for bucket in BUCKETS}
    for entry in census.indexed:
        wanted[entry.blob[0]].setdefault(
            (entry.blob, entry.language),
            Job(entry.blob, entry.language, entry.path, entry.stat[0], entry.oid),
        )
    dirty: dict[str, list[Job]] = {}
    for bucket, jobs in wanted.items():
        stored = stored_keys(layout, bucket) if jobs else set()
        missing = [
            job
            for job in jobs.values()
            if (job.blob, job.language, extractor_version(job.language)) not in stored
        ]
        if missing:
            dirty[bucket] = sorted(missing, key=lambda job: (job.blob, job.language))
    return dirty


def in_order(dirty: Mapping[str, list[Job]]) -> list[Job]:
    """The jobs of all buckets, bucket by bucket."""
    return [job for bucket in sorted(dirty) for job in dirty[bucket]]


def build_facts(
    layout: Layout,
    root: Path,
    dirty: Mapping[str, list[Job]],
    pool: ParsePool,
    progress: Progress | None = None,
) -> FactsReport:
    """Parse all dirty blobs and write a fragment a bucket as soon as the bucket is complete.

    Raises:
        StoreWriteError: the disk refused; buckets written before stay.
    """
    report = FactsReport()
    waiting = {bucket: len(jobs) for bucket, jobs in dirty.items()}
    parts: dict[str, list[dict[str, pa.Table]]] = {bucket: [] for bucket in dirty}
    for result in pool.parse(str(root), in_order(dirty)):
        tables = {name: from_ipc(data) for name, data in result.tables.items()}
        done: dict[str, int] = {}
        for blob in result.missing:
            done[blob[0]] = done.get(blob[0], 0) + 1
        report.missing.update(result.missing)
        if tables:
            for bucket, split in _by_bucket(tables).items():
                done[bucket] = done.get(bucket, 0) + split["parses"].num_rows
                report.parsed += split["parses"].num_rows
                parts[bucket].append(split)
        if progress is not None:
            progress(sum(done.values()))
        for bucket, n in done.items():
            waiting[bucket] -= n
            if not waiting[bucket] and parts[bucket]:
                report.rows[bucket] = _write_bucket(layout, bucket, parts.pop(bucket))
    for bucket, rest in parts.items():  # one missing blob may have been two jobs
        if rest:
            report.rows[bucket] = _write_bucket(layout, bucket, rest)
    return report


def _by_bucket(tables: Mapping[str, pa.Table]) -> dict[str, dict[str, pa.Table]]:
    """Cut a batch's tables at bucket borders; jobs come in bucket order, so rows do too."""
    buckets = sorted({blob[0] for blob in tables["parses"]["blob"].to_pylist()})
    if len(buckets) == 1:
        return {buckets[0]: dict(tables)}
    firsts = {
        name: [blob[0] for blob in table["blob"].to_pylist()] for name, table in tables.items()
    }
    return {
        bucket: {
            name: table.slice(firsts[name].index(bucket), firsts[name].count(bucket))
            if bucket in firsts[name]
            else table.slice(0, 0)
            for name, table in tables.items()
        }
        for bucket in buckets
    }


def _write_bucket(
    layout: Layout, bucket: str, parts: Iterable[Mapping[str, pa.Table]]
) -> dict[str, int]:
    parts = list(parts)
    tables = {
        name: pa.concat_tables([part[name] for part in parts]).sort_by(
            [("blob", "ascending"), ("language", "ascending")]
        )
        for name in FACTS
    }
    write_facts(layout, bucket, tables)
    merge_fragments(layout, bucket)
    return {name: table.num_rows for name, table in tables.items()}
