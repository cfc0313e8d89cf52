"""`quarry links`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from codequarry.retrieval.doc_links import DocLink, DocLinks, LinkState, doc_links
from codequarry.retrieval.generation import Generation
from codequarry.shells.cli.options import json_option, place_of, where
from codequarry.shells.cli.output import plural, print_json, printable
from codequarry.store.layout import Layout

_SHOWN = (LinkState.ADDED, LinkState.MISSING, LinkState.AMBIGUOUS)


@click.command("links")
@click.option("--all", "every", is_flag=True, help="Show the links that were there before, too.")
@click.option("--limit", default=200, show_default=True, help="At most this many; 0: all.")
@where
@json_option
@click.pass_context
def links_command(
    ctx: click.Context, every: bool, limit: int, path: Path | None, as_json: bool
) -> int:
    """Show which code the documentation mentions: added, existing and missing targets.

    Added are those that the generation before does not have.

    \b
    Examples:
      quarry links
      quarry links --all --json
    """
    found = doc_links(Generation.open(Layout.of(place_of(ctx, path).root)))
    rows = [link for link in found.links if every or link.state in _SHOWN]
    shown = rows[:limit] if limit else rows
    if as_json or not sys.stdout.isatty():
        print_json(
            {
                **found.states,
                "compared": found.before,
                "rules": found.rules,
                "count": len(rows),
                "shown": len(shown),
                "rows": [asdict(link) for link in shown],
            }
        )
    else:
        _print(found, shown, len(rows))
    return 0


def _print(found: DocLinks, shown: list[DocLink], count: int) -> None:
    states = found.states
    click.secho(
        f"{states['added']:,} added, {states['existing']:,} existing, "
        f"{states['missing']:,} missing, {states['ambiguous']:,} ambiguous",
        bold=True,
    )
    if not found.before:
        click.echo("there is no generation before this one: everything counts as added")
    for link in shown:
        where_ = f"{link.path}:{link.line}"
        target = f"{link.target_path}" + (f"  {link.target}" if link.target else "")
        what = target if link.target_path else _why(link)
        click.echo(printable(f"{link.state.value:9} {where_}  {link.written}  → {what}"))
    if len(shown) < count:
        click.echo(f"… {plural(count - len(shown), 'more row')} (--limit 0)")


def _why(link: DocLink) -> str:
    if link.state is LinkState.AMBIGUOUS:
        return f"one of {link.candidates}"
    return "nothing of that name"
