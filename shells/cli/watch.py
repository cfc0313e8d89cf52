"""`quarry watch`: the index follows the files."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import click

from codequarry.errors import IndexBusy, QuarryError, UsageError
from codequarry.pipelines.head import head_commit
from codequarry.pipelines.reindex import RunReport
from codequarry.settings import load_settings
from codequarry.shells.cli.index import forget_stale_answers, run_index
from codequarry.shells.cli.options import json_option, place_of, where
from codequarry.shells.cli.output import plural, print_json, printable
from codequarry.store.layout import STATE_DIR, Layout

_STEP = 50  # ms between two looks at what the system reports
_LOOK = 500  # ms without a change after which it is seen whether the folder is still there


@click.command("watch")
@where
@json_option
@click.option(
    "--debounce",
    type=click.IntRange(50, 60_000),
    default=800,
    show_default=True,
    metavar="MS",
    help="Wait until nothing has changed for so long.",
)
@click.option("--poll", is_flag=True, help="Look at every file instead: for network drives.")
@click.option("--yes", is_flag=True, help="Send texts to a remote model without asking.")
@click.pass_context
def watch_command(
    ctx: click.Context, path: Path | None, as_json: bool, debounce: int, poll: bool, yes: bool
) -> int:
    """Keep the index up to date while files change, until it is interrupted.

    A run that fails is told and the last complete index serves on; the next change tries again.

    \b
    Examples:
      quarry watch
      quarry -C ~/src/app watch --json >> runs.jsonl
    """
    try:
        from watchfiles import watch
    except ImportError as error:
        raise UsageError(
            "watching needs watchfiles, which is not installed", "pip install 'codequarry[watch]'"
        ) from error
    root = place_of(ctx, path).root
    first = True
    try:
        # the first run comes when changes are already being noted: none falls between the two
        for changes in watch(
            root,
            watch_filter=relevant(root),
            debounce=max(debounce, _STEP),
            step=min(debounce, _STEP),
            force_polling=poll or None,
            raise_interrupt=True,
            yield_on_timeout=True,
            rust_timeout=_LOOK,
            ignore_permission_denied=True,
        ):
            if not root.is_dir():
                raise UsageError(f"{root} is gone", "start again where it is now")
            if first or changes:
                _run(root, as_json=as_json, yes=yes, always=first)
            if first and not as_json:
                click.echo(f"watching {printable(str(root))}; end with Ctrl-C", err=True)
            first = False
    except KeyboardInterrupt:
        click.echo("ended: the last complete index still serves", err=True)
    return 0


def relevant(root: Path) -> Callable[[object, str], bool]:
    """Which changes are worth a run: not those of the index itself, nor git's own, but its HEAD."""
    state, git = Layout.of(root).state, root / ".git"
    commit = head_commit(root)

    def is_relevant(_: object, name: str) -> bool:
        nonlocal commit
        path = Path(name)
        if path.is_relative_to(state) or STATE_DIR in path.relative_to(root).parts:
            return False
        if not path.is_relative_to(git):
            return True
        before, commit = commit, head_commit(root)
        return before != commit

    return is_relevant


def _run(root: Path, *, as_json: bool, yes: bool, always: bool = False) -> None:
    """One run and a line about it; ``always`` tells of a run that had nothing to do too."""
    try:
        report = run_index(root, load_settings(root), wait=-1, quiet=as_json, yes=yes)
        forget_stale_answers(root)
    except QuarryError as error:
        if always and not isinstance(error, IndexBusy):
            raise
        if as_json:
            print_json(error.envelope())
        else:
            click.echo(f"error: {printable(error.message)}", err=True)
            click.echo(f"hint: {printable(error.hint)}", err=True)
        return
    if as_json:
        if always or not report.up_to_date:
            print_json(report.as_json())
    elif always or not report.up_to_date:
        click.echo(_line(report))


def _line(report: RunReport) -> str:
    clock = time.strftime("%H:%M:%S")
    counts = f"{plural(report.files, 'file')}, {plural(report.chunks, 'chunk')}"
    if report.up_to_date:
        return f"{clock}  up to date: {counts}"
    return (
        f"{clock}  {counts} in {report.seconds['total']:.1f} s "
        f"({report.blobs_parsed:,} parsed, {plural(report.vectors_computed, 'vector')} computed)"
    )
