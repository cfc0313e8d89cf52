"""Run records: what was run, where, and every query's outcome, as Parquet.

``queries.parquet`` has a row a query and profile, ``indexes.parquet`` a row an opened corpus; the
record itself is JSON in the metadata of both, so each file says by itself where it comes from.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from codequarry.eval.errors import RecordError
from codequarry.eval.machine import Environment
from codequarry.eval.metrics import MEASURES

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1
_KEY = b"codequarry.eval.run"

QUERIES = pa.schema(
    [
        ("profile", pa.string()),
        ("id", pa.string()),
        ("query", pa.string()),
        ("repo", pa.string()),
        ("commit", pa.string()),
        ("language", pa.string()),
        ("kind", pa.string()),
        ("exact_commit", pa.bool_()),
        ("mentions_path", pa.bool_()),
        ("mentions_basename", pa.bool_()),
        ("mentions_stem", pa.bool_()),
        ("gold", pa.list_(pa.string())),
        ("secondary", pa.list_(pa.string())),
        ("core", pa.list_(pa.string())),
        ("related", pa.list_(pa.string())),
        ("rank", pa.int32()),  # of the first relevant file; 0: not in the answer
        ("elapsed_ms", pa.float64()),
        ("error", pa.string()),  # why there was no answer; empty when there was one
        *((name, pa.float64()) for name in MEASURES),
    ]
)
INDEXES = pa.schema(
    [
        ("repo", pa.string()),
        ("commit", pa.string()),
        ("root", pa.string()),
        ("seconds", pa.float64()),
        ("files", pa.int64()),
        ("chunks", pa.int64()),
        ("vectors_computed", pa.int64()),
    ]
)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What was run: which questions, which engine, which parameters, on which machine."""

    id: str
    started: str  # UTC, ISO 8601
    dataset: str
    dataset_sha256: str
    model: str
    profiles: tuple[str, ...]
    parameters: tuple[str, ...]  # "name=value"
    missing: tuple[str, ...]  # "repository: why", of questions that could not be asked
    environment: Environment


@dataclass(frozen=True, slots=True)
class Run:
    """A record and its rows."""

    record: RunRecord
    queries: pa.Table  # schema QUERIES
    indexes: pa.Table  # schema INDEXES

    def of_profile(self, profile: str) -> pa.Table:
        """Give the queries of one profile, in the order asked."""
        if profile not in self.record.profiles:
            known = ", ".join(self.record.profiles)
            raise RecordError(f"run {self.record.id} has no profile {profile!r}", f"it has {known}")
        return self.queries.filter(pc.equal(self.queries["profile"], profile))


def save_run(run: Run, directory: Path) -> None:
    """Write both Parquet files of a run."""
    directory.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"format": FORMAT} | asdict(run.record))
    for name, table in (("queries", run.queries), ("indexes", run.indexes)):
        told = table.replace_schema_metadata({_KEY: text.encode()})
        pq.write_table(told, directory / f"{name}.parquet", compression="zstd")


def load_run(directory: Path) -> Run:
    """Read a run back.

    Raises:
        RecordError: there is none, it is damaged, or a newer codequarry wrote it.
    """
    try:
        queries = pq.read_table(directory / "queries.parquet")
        indexes = pq.read_table(directory / "indexes.parquet")
        raw = json.loads(queries.schema.metadata[_KEY])
        if raw.pop("format") > FORMAT:
            raise RecordError(f"{directory} was written by a newer codequarry", "update it")
        environment = Environment(**_tuples(raw.pop("environment")))
        record = RunRecord(environment=environment, **_tuples(raw))
        return Run(
            record,
            queries.select(QUERIES.names).cast(QUERIES),
            indexes.select(INDEXES.names).cast(INDEXES),
        )
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError) as error:
        raise RecordError(f"no run record in {directory}: {error}", "run the evaluation") from error


def _tuples(raw: dict[str, Any]) -> dict[str, Any]:
    """Undo what JSON does to tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in raw.items()}
