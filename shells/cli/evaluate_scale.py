"""`quarry eval scale`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from codequarry.errors import UsageError

SIZES = (1_000, 10_000, 50_000, 200_000, 1_000_000)


@click.command("scale")
@click.argument(
    "places",
    metavar="DIR...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
)
@click.option(
    "--chunks",
    "sizes",
    multiple=True,
    type=click.IntRange(min=1),
    help=f"A size to measure; repeat it for several. {', '.join(map(str, SIZES))} when not given.",
)
@click.option(
    "--questions",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A golden set whose questions are asked too.",
)
@click.option(
    "--work",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where fleets are made and left to look at.",
)
def scale_command(
    places: tuple[Path, ...], sizes: tuple[int, ...], questions: Path | None, work: Path | None
) -> int:
    """Measure search over indexes of growing size, made of the repositories in DIR.

    Where these hold fewer chunks than are asked for they are copied, each copy perturbed; the
    first table says how often.

    \b
    Example:
      quarry eval scale ~/src/django ~/src/rails --chunks 50000 --chunks 1000000
    """
    try:
        from codequarry.eval.golden import load_golden
        from codequarry.eval.scale import run_scale, to_text
    except ImportError as error:
        raise UsageError(f"eval needs {error.name}", "pip install 'codequarry[eval]'") from error

    asked = [row.query for row in load_golden(questions).rows] if questions else []
    with tempfile.TemporaryDirectory(prefix="quarry-scale-") as spare:
        found = run_scale(places, sizes or SIZES, asked, work or Path(spare))
    click.echo(to_text(found))
    return 0
