"""`quarry index`."""

from __future__ import annotations

from pathlib import Path

import click

from codequarry.pipelines.reindex import RunReport, reindex
from codequarry.settings import Settings, load_settings
from codequarry.shells.cli.options import json_option, place_of, where
from codequarry.shells.cli.output import print_json, printable, progress

SHOWN = 10  # troubled files named in the summary


@click.command("index")
@where
@json_option
@click.option("--rebuild", is_flag=True, help="Parse and embed everything anew.")
@click.option("--model", help='Embedding model: "static", "none" or "openai:<model>".')
@click.option("--workers", type=click.IntRange(min=1), help="Parsing processes.")
@click.option(
    "--wait",
    type=float,
    default=60.0,
    show_default=True,
    help="Seconds to wait for another run on the same index.",
)
@click.option("-q", "--quiet", is_flag=True, help="No progress bar and no summary.")
@click.pass_context
def index_command(
    ctx: click.Context,
    path: Path | None,
    as_json: bool,
    rebuild: bool,
    model: str | None,
    workers: int | None,
    wait: float,
    quiet: bool,
) -> int:
    """Bring the index of a repository up to date.

    Only what changed is parsed and embedded; a run on an unchanged tree costs one stat a file.

    \b
    Examples:
      quarry index
      quarry -C ~/src/django index --json
    """
    place = place_of(ctx, path)
    settings = load_settings(place.root, model=model, workers=workers)
    report = run_index(place.root, settings, rebuild=rebuild, wait=wait, quiet=quiet or as_json)
    if as_json:
        print_json(report.as_json())
    elif not quiet:
        print_summary(report)
    return 1 if not report.files else 0


def run_index(
    root: Path,
    settings: Settings,
    *,
    rebuild: bool = False,
    wait: float = 60.0,
    quiet: bool = False,
) -> RunReport:
    """Index with a progress bar; says where text goes before a remote model gets any."""
    if settings.model.startswith("openai:"):
        from codequarry.models.openai_compatible import endpoint

        click.echo(f"text is embedded at {endpoint(settings.base_url)}", err=True)
    with progress(quiet) as bar:
        return reindex(
            root,
            settings,
            rebuild=rebuild,
            wait_seconds=wait,
            stage=bar.stage,
            advance=bar.advance,
        )


def print_summary(report: RunReport) -> None:
    """Print what a run did, in a few lines."""
    if report.up_to_date:
        click.echo(f"up to date: {report.files:,} files, {report.chunks:,} chunks")
    else:
        click.echo(
            f"indexed {report.files:,} files: {report.chunks:,} chunks, {report.symbols:,} symbols "
            f"in {report.seconds['total']:.1f} s "
            f"({report.blobs_parsed:,} parsed, {report.vectors_computed:,} vectors computed, "
            f"{report.vectors_reused:,} reused)"
        )
    skipped = sum(report.skipped.values())
    if skipped:
        reasons = ", ".join(f"{n:,} {reason}" for reason, n in report.skipped.items())
        click.echo(f"left out {skipped:,}: {reasons}  (quarry status --skipped)")
    partial = report.parse_states.get("partial", 0)
    if partial:
        click.echo(f"{partial:,} files have syntax errors and are indexed as far as they parse")
    for item in report.degraded[:SHOWN]:
        click.echo(f"  {printable(item['path'])}: cut by lines, {item['reason']}")
    if report.state == "partial":
        click.echo(f"partial: {len(report.trouble):,} files could not be read or parsed", err=True)
        for item in report.trouble[:SHOWN]:
            detail = f" ({item['detail']})" if item["detail"] else ""
            click.echo(f"  {printable(item['path'])}: {item['reason']}{detail}", err=True)
    if not report.files:
        click.echo("warning: no file was indexed; see: quarry status --skipped", err=True)
