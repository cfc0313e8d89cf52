"""`quarry repos`: the list of repositories that the user works with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from codequarry.shells.cli.options import json_option, place_of, where
from codequarry.shells.cli.output import plural, print_json, printable
from codequarry.shells.service.documents import repository_document
from codequarry.store import registry


@click.group("repos", invoke_without_command=True)
@click.pass_context
def repos_command(ctx: click.Context) -> int:
    """Look after the list of repositories that you work with.

    \b
    Examples:
      quarry repos add ~/src/django
      quarry -C ~/src/flask repos add --name web
      quarry repos list
      quarry repos remove web
    """
    return ctx.invoke(list_command) if ctx.invoked_subcommand is None else 0


@repos_command.command("list")
@json_option
def list_command(as_json: bool = False) -> int:
    """List the repositories, and how each one's index stands."""
    rows = [repository_document(one) for one in registry.registered()]
    if as_json:
        print_json({"count": len(rows), "repositories": rows})
    for row in () if as_json else rows:
        click.echo(f"{printable(row['name']):<24} {_state(row):<28} {printable(row['root'])}")
    if not rows and not as_json:
        click.echo("no repository is on the list yet: quarry repos add PATH", err=True)
    return 0 if rows else 1


def _state(row: dict[str, Any]) -> str:
    if row["state"] == "missing":
        return "its folder is gone"
    if row["files"] is None:
        return "not indexed"
    counts = f"{plural(row['files'], 'file')}, {plural(row['chunks'], 'chunk')}"
    return f"{counts}, indexing" if row["state"] == "indexing" else counts


@repos_command.command("add")
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@click.option("--name", default="", help="What to call it; the folder's name when not given.")
@where
@json_option
@click.pass_context
def add_command(
    ctx: click.Context, folder: Path | None, name: str, path: Path | None, as_json: bool
) -> int:
    """Put a repository on the list; it is not indexed by that."""
    entry = registry.add(place_of(ctx, folder or path).root, name)
    if as_json:
        print_json(repository_document(entry))
    else:
        click.echo(f"{printable(entry.name)}: {printable(entry.root)}")
    return 0


@repos_command.command("remove")
@click.argument("what")
@json_option
def remove_command(what: str, as_json: bool) -> int:
    """Take a repository off the list, by its name or path; its index stays."""
    entry = registry.remove(what)
    if as_json:
        print_json({"name": entry.name, "root": entry.root})
    else:
        click.echo(f"removed {printable(entry.name)} ({printable(entry.root)})")
    return 0
