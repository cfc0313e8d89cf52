"""`quarry export`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import click
import pyarrow as pa

from codequarry.errors import UsageError
from codequarry.retrieval.exporting import TABLES, export_table
from codequarry.retrieval.generation import Generation
from codequarry.shells.cli.options import place_of, where
from codequarry.store.atomic import atomic_path, write_errors
from codequarry.store.layout import Layout


@click.command("export")
@click.argument("what", type=click.Choice(sorted(TABLES)))
@where
@click.option(
    "--format", "form", type=click.Choice(["jsonl", "parquet"]), default="jsonl", show_default=True
)
@click.option("-o", "target", type=click.Path(path_type=Path), help="Write here, not to stdout.")
@click.pass_context
def export_command(
    ctx: click.Context, what: str, path: Path | None, form: str, target: Path | None
) -> int:
    """Write files, chunks, symbols or edges of the index as JSON Lines or Parquet."""
    place = place_of(ctx, path)
    table = export_table(Generation.open(Layout.of(place.root)), what)
    if form == "parquet" and target is None and sys.stdout.isatty():
        raise UsageError("Parquet is not for the terminal", "give -o FILE")
    if target is None:
        _write(table, form, sys.stdout.buffer)
        sys.stdout.flush()
        return 0
    with write_errors(target.parent), atomic_path(target) as part, part.open("wb") as sink:
        _write(table, form, sink)
    return 0


def _write(table: pa.Table, form: str, sink: IO[bytes]) -> None:
    if form == "parquet":
        import pyarrow.parquet as pq

        buffer = pa.BufferOutputStream()
        pq.write_table(table, buffer, compression="zstd")
        sink.write(buffer.getvalue())
        return
    for row in _rows(table):
        sink.write(json.dumps(row).encode() + b"\n")


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in table.to_batches(max_chunksize=4096):
        yield from batch.to_pylist()
