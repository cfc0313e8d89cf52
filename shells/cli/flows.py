"""`quarry flows`: the answers that are kept."""

from __future__ import annotations

from pathlib import Path

import click

from codequarry.ask.flows.book import holds
from codequarry.ask.flows.store import FlowStore
from codequarry.ask.flows.warm import questions, warm
from codequarry.ask.narrators.choose import AUTO, NARRATORS, choose_narrator
from codequarry.errors import UsageError
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.index import Index
from codequarry.settings import load_settings
from codequarry.shells.cli.opening import open_or_make
from codequarry.shells.cli.options import json_option, place_of, where
from codequarry.shells.cli.output import print_json, printable, shown_line
from codequarry.shells.service.documents import flow_document
from codequarry.store.layout import Layout

_WARMED = 8


@click.group("flows")
def flows_command() -> None:
    """Look after the answers that are kept: they are given again while what they cite stands."""


def _store(ctx: click.Context, path: Path | None) -> FlowStore:
    return FlowStore.of(Layout.of(place_of(ctx, path).root))


@flows_command.command("list")
@where
@json_option
@click.pass_context
def list_command(ctx: click.Context, path: Path | None, as_json: bool) -> int:
    """List the kept answers and whether each still holds."""
    root = place_of(ctx, path).root
    flows = FlowStore.of(Layout.of(root)).all()
    generation = Generation.open(Layout.of(root)) if flows else None
    rows = [
        flow_document(flow, generation is not None and holds(generation, flow)) for flow in flows
    ]
    if as_json:
        print_json({"count": len(rows), "flows": rows})
    for row in () if as_json else rows:
        mark = "" if row["holds"] else "  (what it cites has changed)"
        click.echo(printable(f"{row['id']:4}  {row['question']}  [{row['narrator']}]{mark}"))
    if not rows and not as_json:
        click.echo("no answer is kept yet; ask something: quarry ask …", err=True)
    return 0 if rows else 1


@flows_command.command("show")
@click.argument("number", type=int)
@where
@json_option
@click.pass_context
def show_command(ctx: click.Context, number: int, path: Path | None, as_json: bool) -> int:
    """Show a kept answer, as it was given."""
    found = next((flow for flow in _store(ctx, path).all() if flow.id == number), None)
    if found is None:
        raise UsageError(f"there is no kept answer {number}", "see: quarry flows list")
    if as_json:
        print_json(found.answer)
    else:
        click.echo("\n".join(shown_line(line) for line in found.answer["answer"].split("\n")))
    return 0


@flows_command.command("clear")
@where
@click.pass_context
def clear_command(ctx: click.Context, path: Path | None) -> int:
    """Drop all kept answers."""
    click.echo(f"dropped {_store(ctx, path).clear()}", err=True)
    return 0


@flows_command.command("enable")
@where
@click.pass_context
def enable_command(ctx: click.Context, path: Path | None) -> int:
    """Keep answers and give them again."""
    _store(ctx, path).switch.unlink(missing_ok=True)
    return 0


@flows_command.command("disable")
@where
@click.pass_context
def disable_command(ctx: click.Context, path: Path | None) -> int:
    """Keep no answers and give none again; those that are kept stay."""
    switch = _store(ctx, path).switch
    switch.parent.mkdir(parents=True, exist_ok=True)
    switch.touch()
    return 0


_narrator_option = click.option(
    "--narrator", type=click.Choice(NARRATORS), default=AUTO, show_default=True
)


@flows_command.command("warm")
@click.argument("number", type=click.IntRange(min=1), default=_WARMED)
@_narrator_option
@where
@json_option
@click.pass_context
def warm_command(
    ctx: click.Context, number: int, narrator: str, path: Path | None, as_json: bool
) -> int:
    """Ask the main questions of a repository, so that their answers are there.

    They are those of its .quarryqueries, one a line, and then of its central files.
    """
    place = place_of(ctx, path)
    index = open_or_make(place, as_json)
    asked = questions(index.generation)[:number]
    return _ask_all(index, place.root, asked, narrator, as_json)


@flows_command.command("refresh")
@_narrator_option
@where
@json_option
@click.pass_context
def refresh_command(ctx: click.Context, narrator: str, path: Path | None, as_json: bool) -> int:
    """Index, and ask again every kept question whose answer no longer holds.

    A kept answer stays until the new one is there; one whose files are all gone is dropped.
    """
    from codequarry.shells.cli.index import run_index

    place = place_of(ctx, path)
    run_index(place.root, load_settings(place.root), wait=-1, quiet=True)
    index = open_or_make(place, as_json)
    store = FlowStore.of(index.generation.layout)
    stale = [flow for flow in store.all() if not holds(index.generation, flow)]
    here = index.generation.rows_by_path
    gone = [flow.id for flow in stale if here.keys().isdisjoint(flow.files)]
    if gone:
        store.remove(gone)
    again = [flow.question for flow in stale if flow.id not in gone]
    return _ask_all(index, place.root, again, narrator, as_json)


def _ask_all(index: Index, root: Path, asked: list[str], narrator: str, as_json: bool) -> int:
    settings = load_settings(root)
    rows = []
    for row in warm(index, asked, choose_narrator(narrator, settings, index), settings):
        rows.append({"question": row.question, "cached": row.cached, "kept": row.kept})
        if not as_json:
            click.echo(f"{row.state:12}  {printable(row.question)}")
    if as_json:
        print_json({"count": len(rows), "asked": rows})
    return 0
