"""`quarry reindex`."""

from __future__ import annotations

from pathlib import Path

import click

from codequarry.pipelines.reindex import preview_run
from codequarry.shells.cli.consent import cost_options
from codequarry.shells.cli.index import forget_stale_answers, run_index, show_dry_run, show_report
from codequarry.shells.cli.options import json_option, place_of, run_options, run_settings, where


@click.command("reindex")
@where
@json_option
@click.option("--force", is_flag=True, help="Parse and embed everything, whatever is stored.")
@cost_options
@run_options
@click.pass_context
def reindex_command(
    ctx: click.Context,
    path: Path | None,
    as_json: bool,
    force: bool,
    yes: bool,
    dry_run: bool,
    bring_back: tuple[str, ...],
    model: str | None,
    workers: int | None,
    wait: float,
    quiet: bool,
) -> int:
    """Derive anew what other rules or another model have made, or with --force everything.

    The index in use serves until the new one is complete. With a remote model the texts to send
    are counted first, and sending more than a few asks.

    \b
    Examples:
      quarry reindex --dry-run
      quarry reindex --force --yes
    """
    place = place_of(ctx, path)
    settings = run_settings(place.root, model, workers, bring_back)
    if dry_run:
        return show_dry_run(preview_run(place.root, settings, force=force), as_json=as_json)
    report = run_index(
        place.root, settings, force=force, wait=wait, quiet=quiet, as_json=as_json, yes=yes
    )
    forget_stale_answers(place.root)
    return show_report(report, as_json=as_json, quiet=quiet)
