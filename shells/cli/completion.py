"""`quarry completion`: what a shell needs to complete commands and options."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from codequarry.errors import UsageError

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS), required=False)
def completion_command(shell: str | None) -> int:
    """Print the script that completes commands and options in your shell.

    \b
    Examples:
      quarry completion bash >> ~/.bashrc
      quarry completion zsh > "${fpath[1]}/_quarry"
      quarry completion fish > ~/.config/fish/completions/quarry.fish
    """
    from codequarry.shells.cli.main import cli

    name = shell or Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise UsageError("your shell is not known", f"name it, one of: {', '.join(SHELLS)}")
    kind = get_completion_class(name)
    assert kind is not None
    click.echo(kind(cli, {}, "quarry", "_QUARRY_COMPLETE").source())
    return 0
