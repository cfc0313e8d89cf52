"""`quarry sql`."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import click

from codequarry.errors import UsageError
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.sql import run_sql, schema
from codequarry.shells.cli.options import json_option, place_of, where
from codequarry.shells.cli.output import print_json, printable
from codequarry.store.layout import Layout

MAX_CELL = 60  # characters of one cell in the table for people


@click.command("sql")
@click.argument("query", required=False)
@click.option("--schema", "show_schema", is_flag=True, help="Show the tables and their columns.")
@where
@json_option
@click.pass_context
def sql_command(
    ctx: click.Context, query: str | None, show_schema: bool, path: Path | None, as_json: bool
) -> int:
    """Ask the published tables in SQL (DuckDB's dialect, read only).

    \b
    Examples:
      quarry sql --schema
      quarry sql "SELECT path, line_count FROM files ORDER BY line_count DESC LIMIT 5"
      quarry sql "SELECT to_symbol, count(*) n FROM code_edges_chunk GROUP BY 1 ORDER BY n DESC"
    """
    generation = Generation.open(Layout.of(place_of(ctx, path).root))
    as_json = as_json or not sys.stdout.isatty()
    if show_schema:
        return _schema(generation, as_json=as_json)
    if query is None:
        raise UsageError("no query given", "see: quarry sql --help")
    table = run_sql(generation, query)
    if as_json:
        for row in table.to_pylist():
            click.echo(json.dumps({name: _plain(cell) for name, cell in row.items()}, default=str))
    else:
        _print(table.column_names, [list(row.values()) for row in table.to_pylist()])
    return 0 if table.num_rows else 1


def _plain(cell: Any) -> Any:
    """A value as JSON has it: no NaN, bytes in hexadecimal."""
    if isinstance(cell, float) and not math.isfinite(cell):
        return None
    return cell.hex() if isinstance(cell, bytes) else cell


def _schema(generation: Generation, *, as_json: bool) -> int:
    found = schema(generation)
    if as_json:
        print_json(
            [
                {"table": name, "about": about, "columns": dict(columns)}
                for name, about, columns in found
            ]
        )
        return 0
    for name, about, columns in found:
        click.echo(f"{name}: {about}")
        click.echo("    " + ", ".join(f"{column} {kind}" for column, kind in columns))
    return 0


def _print(names: list[str], rows: list[list[Any]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*names)
    for row in rows:
        table.add_row(*(Text(printable(str(cell))[:MAX_CELL]) for cell in row))
    Console().print(table)
