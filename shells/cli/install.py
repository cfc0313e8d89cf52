"""`quarry install`: coding agents set up to use the index, and cleared of it."""

from __future__ import annotations

import json
from pathlib import Path

import click

from codequarry.errors import UsageError
from codequarry.shells.cli.options import json_option, place_of, where
from codequarry.shells.cli.output import print_json, printable
from codequarry.shells.install.agents import AGENTS, Scope, is_installed
from codequarry.shells.install.rows import Row, chosen, install, listing, remove

_NAMES = ", ".join(agent.name for agent in AGENTS)


@click.command("install", epilog=f"Agents: {_NAMES}.")
@where
@click.argument("agents", nargs=-1, metavar="[AGENT]...")
@click.option("--list", "as_list", is_flag=True, help="Show how each agent is set up.")
@click.option("--remove", "as_removal", is_flag=True, help="Take the entries out again.")
@click.option("--dry-run", is_flag=True, help="Write nothing, show what would be written.")
@click.option(
    "--scope",
    type=click.Choice([scope.value for scope in Scope]),
    help="For all who work in this repository, or for you; else as is usual for the agent.",
)
@json_option
@click.pass_context
def install_command(
    ctx: click.Context,
    path: Path | None,
    agents: tuple[str, ...],
    as_list: bool,
    as_removal: bool,
    dry_run: bool,
    scope: str | None,
    as_json: bool,
) -> int:
    """Set up coding agents to use this index, over the Model Context Protocol.

    Without names, the agents that are found on this machine. Only one entry of a configuration
    is written; comments and everything else in it stay as they are.

    \b
    Examples:
      quarry install --list
      quarry install claude cursor
      quarry install codex --scope user --dry-run
      quarry install --remove
    """
    if as_list and as_removal:
        raise UsageError("--list and --remove together", "give one of them")
    root = place_of(ctx, path).root
    asked = Scope(scope) if scope else None
    everyone = chosen(agents) if agents else list(AGENTS)
    if as_list:
        rows = listing(everyone, root, asked)
    elif as_removal:
        rows = remove(everyone, root, asked, dry_run=dry_run)
    else:
        rows = install(chosen(agents), root, asked, dry_run=dry_run)
    if as_json:
        found = [row.as_json() | {"found": is_installed(row.agent)} for row in rows]
        print_json({"count": len(rows), "dry_run": dry_run, "rows": found})
    else:
        for row in rows:
            _print(row, dry_run=dry_run)
        if not rows:
            click.echo("nothing was set up here", err=True)
    return 1 if any(row.error for row in rows) else 0


def _print(row: Row, *, dry_run: bool) -> None:
    state = f"would be {row.state}" if dry_run and row.state in _WRITES else row.state
    click.echo(f"{row.agent.title:<12} {row.scope:<8} {state:<16} {printable(str(row.path))}")
    if row.error is not None:
        click.echo(f"error: {printable(row.error.message)}", err=True)
        if row.error.hint:
            click.echo(f"hint: {printable(row.error.hint)}", err=True)
    elif dry_run and row.state in _WRITES - {"removed"}:
        click.echo(f"  {json.dumps(row.entry, ensure_ascii=False)}")


_WRITES = frozenset(("added", "updated", "removed"))
