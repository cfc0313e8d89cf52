"""`quarry eval brainbench`."""

from __future__ import annotations

from pathlib import Path

import click

from codequarry.shells.cli.options import json_option
from codequarry.shells.cli.output import print_json


@click.command("brainbench")
@click.argument(
    "places",
    metavar="DIR...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
)
@json_option
def brainbench_command(places: tuple[Path, ...], as_json: bool) -> int:
    """Ask code questions of programs whose symbols and edges a person has verified.

    A DIR is a program with its expected.json, or a folder of programs. Exits with 1 when a
    question is not answered in full.

    \b
    Example:
      quarry eval brainbench tests/languages/fixtures
    """
    from codequarry.eval.brainbench import run_brainbench, to_text

    bench = run_brainbench(places)
    document = bench.as_json()
    if as_json:
        print_json(document)
    else:
        click.echo(to_text(bench))
    return 1 if document["missed"] else 0
