"""`quarry eval chunks`."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import click


@click.command("chunks")
@click.argument(
    "places",
    metavar="DIR...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
)
def chunks_command(places: tuple[Path, ...]) -> int:
    """Cut every file of some trees and show, per language, how much of them syntax cut.

    A DIR is a tree, listed as `quarry index` lists it, or a bare git repository, whose HEAD is
    read whole. Exits with 1 when the chunks of a file do not cover each of its lines once.

    \b
    Example:
      quarry eval chunks ~/src/django ~/mirrors/redis.git
    """
    from codequarry.eval.chunking import sources_of, survey, to_text

    seen = survey(chain.from_iterable(sources_of(place) for place in places))
    click.echo(to_text(seen))
    return 1 if seen.violations else 0
