"""What runs inside a parsing process: a batch of files in, Arrow tables out.

Imports neither Dagster nor anything of the shells: a child process starts in milliseconds
and can be killed at any time without loss.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from codequarry.assets.census.census import read_blob
from codequarry.assets.facts.extract import extract_facts, extractor_version
from codequarry.assets.facts.tables import FactsBuilder
from codequarry.gitobjects import read_object
from codequarry.text import UndecodableError, decode
from codequarry.vocabulary import ParseState

PLAIN_LANGUAGE = "text"


@dataclass(frozen=True, slots=True)
class Job:
    """One blob to parse, and where its bytes lie."""

    blob: str
    language: str
    path: str
    size: int
    oid: str = ""  # git's name of them; empty: they lie on disk


@dataclass(frozen=True, slots=True)
class BatchResult:
    """Facts of a batch (Arrow IPC bytes a table), and the blobs that gave none, with why."""

    tables: dict[str, bytes]
    missing: dict[str, str]


def warm_up() -> None:
    """Do nothing: scheduled early, it makes a new process import this module."""


def parse_batch(root: str, jobs: Sequence[Job], without_syntax: str = "") -> BatchResult:
    """Read and parse the blobs of a batch.

    Args:
        root: the tree, or the repository of objects that jobs name.
        jobs: what to parse.
        without_syntax: a reason for not using the grammar: the files get line windows and
            state ``fallback``. Empty: parse as usual.
    """
    builder = FactsBuilder()
    missing: dict[str, str] = {}
    for job in jobs:
        try:
            data = _bytes_of(Path(root), job)
        except OSError as error:
            missing[job.blob] = f"vanished or unreadable: {error.strerror}"
            continue
        if hashlib.sha256(data).hexdigest() != job.blob:
            missing[job.blob] = "changed while indexing"
            continue
        try:
            text = decode(data).text
            facts = extract_facts(data, PLAIN_LANGUAGE if without_syntax else job.language)
        except UndecodableError as error:
            missing[job.blob] = str(error)
            continue
        if without_syntax:
            facts = replace(
                facts, language=job.language, state=ParseState.FALLBACK, reason=without_syntax
            )
        builder.add((job.blob, job.language, extractor_version(job.language)), facts, text)
    return BatchResult({name: to_ipc(table) for name, table in builder.tables().items()}, missing)


def _bytes_of(root: Path, job: Job) -> bytes:
    return read_object(root, job.oid) if job.oid else read_blob(root, job.path)


def to_ipc(table: pa.Table) -> bytes:
    """A table as Arrow IPC stream bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def from_ipc(data: bytes) -> pa.Table:
    """The table that `to_ipc` wrote."""
    return pa.ipc.open_stream(data).read_all()
