"""What a run would send and cost: shown, and asked for, before anything leaves this machine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

from codequarry.pipelines.preview import Preview
from codequarry.shells.cli.output import plural

F = TypeVar("F", bound=Callable[..., Any])


def cost_options(function: F) -> F:
    """Add ``--yes`` and ``--dry-run``."""
    options = (
        click.option("--yes", is_flag=True, help="Send texts to a remote model without asking."),
        click.option(
            "--dry-run",
            is_flag=True,
            help="Count what would be parsed, embedded and sent; write and send nothing.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def consent(yes: bool, quiet: bool) -> Callable[[Preview], None]:
    """Who is asked before texts are sent: nobody for a trifle, else the user, if there is one.

    Args:
        yes: somebody has said yes already.
        quiet: output is for a program, which cannot answer.
    """

    def ask(preview: Preview) -> None:
        if yes or not preview.needs_consent:
            return
        if quiet or not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise preview.refusal()
        click.echo(preview.sentence(), err=True)
        if not click.confirm("send them?", default=False, err=True):
            raise preview.refusal()

    return ask


def show_preview(preview: Preview) -> None:
    """Print a preview for people."""
    for line in _lines(preview):
        click.echo(line)


def _lines(preview: Preview) -> Iterable[str]:
    yield (
        f"would parse {preview.blobs_to_parse:,} of {plural(preview.files, 'file')} and embed "
        f"{plural(preview.texts_to_embed, 'text')} ({plural(preview.chunks, 'chunk')} in all)"
    )
    if preview.texts_in_cache:
        yield f"{plural(preview.texts_in_cache, 'vector')} would come from other checkouts"
    if preview.host:
        yield preview.sentence()
    else:
        yield f"nothing would be sent: the model is {preview.model}"
