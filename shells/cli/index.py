"""`quarry index`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from codequarry.errors import QuarryError, UsageError
from codequarry.pipelines.preview import Preview, preview
from codequarry.pipelines.reindex import RunReport, preview_run, reindex
from codequarry.pipelines.revisions import checkout_of, index_revision
from codequarry.settings import Settings
from codequarry.shells.cli.consent import consent, cost_options, show_preview
from codequarry.shells.cli.options import (
    json_option,
    place_of,
    rev_option,
    run_options,
    run_settings,
    where,
)
from codequarry.shells.cli.output import (
    plural,
    print_json,
    printable,
    progress,
    without_grammar_line,
)
from codequarry.store.layout import Layout

SHOWN = 10  # troubled files named in the summary


@click.command("index")
@where
@json_option
@click.option("--rebuild", is_flag=True, help="Parse and embed everything anew.")
@rev_option
@cost_options
@run_options
@click.pass_context
def index_command(
    ctx: click.Context,
    path: Path | None,
    as_json: bool,
    rebuild: bool,
    rev: str | None,
    yes: bool,
    dry_run: bool,
    bring_back: tuple[str, ...],
    model: str | None,
    workers: int | None,
    wait: float,
    quiet: bool,
) -> int:
    """Bring the index of a repository up to date.

    Only what changed is parsed and embedded; a run on an unchanged tree costs one stat a file.
    With --rev nothing is checked out: git's objects are read, and the index of the files on disk
    stays as it is. The last used revisions are kept (setting keep_revisions).

    \b
    Examples:
      quarry index
      quarry index --model openai:text-embedding-3-small --dry-run
      quarry -C ~/src/django index --json
      quarry -C ~/mirrors/django.git index --rev stable/4.2.x
    """
    place = place_of(ctx, path)
    settings = run_settings(place.root, model, workers, bring_back)
    if rev is not None and rebuild:
        raise UsageError("--rev and --rebuild together", "give one of them")
    if dry_run:
        if rev is None:
            planned = preview_run(place.root, settings, fresh=rebuild)
        else:
            planned = preview(checkout_of(place.root, settings, rev, bring_back))
        return show_dry_run(planned, as_json=as_json)
    report = run_index(
        place.root,
        settings,
        rebuild=rebuild,
        wait=wait,
        quiet=quiet,
        as_json=as_json,
        yes=yes,
        rev=rev,
        bring_back=bring_back,
    )
    forget_stale_answers(place.root)
    return show_report(report, as_json=as_json, quiet=quiet)


def forget_stale_answers(root: Path) -> None:
    """Drop kept answers that cite what the index no longer has; nothing is loaded without any."""
    layout = Layout.of(root)
    if layout.flows.exists():
        from codequarry.ask.flows.book import prune
        from codequarry.ask.flows.store import FlowStore
        from codequarry.retrieval.generation import Generation

        with suppress(QuarryError):  # what cannot be dropped now is not served either
            prune(Generation.open(layout), FlowStore.of(layout))


def show_dry_run(preview: Preview, *, as_json: bool) -> int:
    """Print what a run would do; the exit status."""
    if as_json:
        print_json({"dry_run": True, **preview.as_json()})
    else:
        show_preview(preview)
    return 0


def show_report(report: RunReport, *, as_json: bool, quiet: bool) -> int:
    """Print what a run did; the exit status, 1 where no file is indexed."""
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
    force: bool = False,
    wait: float = 60.0,
    quiet: bool = False,
    as_json: bool = False,
    yes: bool = False,
    rev: str | None = None,
    bring_back: tuple[str, ...] = (),
) -> RunReport:
    """Index with a progress bar; says where text goes before a remote model gets any.

    Args:
        root: the repository.
        settings: its settings.
        rebuild: see `reindex`.
        force: see `reindex`.
        wait: seconds to wait for another run.
        quiet: no progress bar.
        as_json: neither, and no question.
        yes: consent is given.
        rev: a revision instead of the files on disk.
        bring_back: built-in skips that are off for it.

    Raises:
        ConfirmationRequired: much would be sent, and nobody has said yes.
    """
    if settings.model.startswith("openai:"):
        from codequarry.models.openai_compatible import endpoint

        click.echo(f"text is embedded at {endpoint(settings.base_url)}", err=True)
    with progress(quiet or as_json) as bar:

        def ask(preview: Preview) -> None:
            bar.close()
            consent(yes, as_json)(preview)

        if rev is not None:
            return index_revision(
                root,
                settings,
                rev,
                bring_back=bring_back,
                wait_seconds=wait,
                stage=bar.stage,
                advance=bar.advance,
                consent=ask,
            )
        return reindex(
            root,
            settings,
            rebuild=rebuild,
            force=force,
            wait_seconds=wait,
            stage=bar.stage,
            advance=bar.advance,
            consent=ask,
        )


def print_summary(report: RunReport) -> None:
    """Print what a run did, in a few lines."""
    counts = f"{plural(report.files, 'file')}, {plural(report.chunks, 'chunk')}"
    if report.up_to_date:
        click.echo(f"up to date: {counts}")
    else:
        click.echo(
            f"indexed {counts}, {plural(report.symbols, 'symbol')} "
            f"in {report.seconds['total']:.1f} s "
            f"({report.blobs_parsed:,} parsed, {plural(report.vectors_computed, 'vector')} "
            f"computed, {report.vectors_reused:,} reused)"
        )
    if report.repaired:
        files = plural(report.repaired, "damaged file")
        click.echo(f"{files} of the index could not be read and was derived anew", err=True)
    skipped = sum(report.skipped.values())
    if skipped:
        reasons = ", ".join(f"{n:,} {reason}" for reason, n in report.skipped.items())
        click.echo(f"left out {skipped:,}: {reasons}  (quarry status --skipped)")
    partial = report.parse_states.get("partial", 0)
    if partial:
        have, are, they = (
            ("has", "is", "it parses") if partial == 1 else ("have", "are", "they parse")
        )
        click.echo(
            f"{plural(partial, 'file')} {have} syntax errors and {are} indexed as far as {they}"
        )
    for item in report.without_grammar:
        click.echo(without_grammar_line(item))
    for item in report.degraded[:SHOWN]:
        click.echo(f"  {printable(item['path'])}: cut by lines, {item['reason']}")
    if report.state == "partial":
        click.echo(
            f"partial: {plural(len(report.trouble), 'file')} could not be read or parsed", err=True
        )
        for item in report.trouble[:SHOWN]:
            detail = f" ({item['detail']})" if item["detail"] else ""
            click.echo(f"  {printable(item['path'])}: {item['reason']}{detail}", err=True)
    if not report.files:
        click.echo("warning: no file was indexed; see: quarry status --skipped", err=True)
