"""`quarry ask`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from codequarry.ask.ask import collect
from codequarry.ask.asking import Asking, ask_events, narrator_of
from codequarry.ask.events import Bundle, Done, Error, Event, Retrieval, Splice, SynthesisDelta
from codequarry.ask.narrators.choose import AUTO, NARRATORS, OPENAI
from codequarry.ask.narrators.claude import ClaudeNarrator
from codequarry.ask.narrators.openai import MAX_TOKENS, OpenAINarrator
from codequarry.errors import QuarryError, UsageError
from codequarry.models.chat import open_chat
from codequarry.settings import load_settings
from codequarry.shells.cli.answer_terminal import TerminalAnswer
from codequarry.shells.cli.opening import open_or_make
from codequarry.shells.cli.options import (
    json_option,
    place_of,
    question_of,
    rev_option,
    stdin_option,
    where,
)
from codequarry.shells.cli.output import print_json, printable
from codequarry.store.generations import current_generation
from codequarry.store.layout import Layout


@click.command("ask")
@click.argument("words", nargs=-1)
@where
@json_option
@stdin_option
@rev_option
@click.option("--events", "as_events", is_flag=True, help="Print each event as a JSON line.")
@click.option(
    "--narrator",
    type=click.Choice(NARRATORS),
    default=AUTO,
    show_default=True,
    help="Who writes the prose; auto asks a chat model only where one is set up.",
)
@click.option("--model", default="", metavar="NAME", help="The chat model.")
@click.option(
    "--max-tokens",
    type=click.IntRange(16, 32_000),
    default=MAX_TOKENS,
    show_default=True,
    help="Of the prose; code costs none.",
)
@click.option(
    "--cache/--no-cache",
    default=True,
    help="Give a kept answer again while every line it cites stands, and keep new ones.",
)
@click.option(
    "--agents/--no-agents",
    default=None,
    help="Several readers at once; when not given, where a chat model gets a broad question. "
    "A kept answer is given first (--no-cache).",
)
@click.option("--docs", is_flag=True, help="Answer from documentation.")
@click.pass_context
def ask_command(ctx: click.Context, /, words: tuple[str, ...], **given: Any) -> int:
    """Answer a question in prose, with every line of code read from disk.

    A repository that was never indexed is indexed first. A chat model is used where
    OPENAI_API_KEY or OPENAI_BASE_URL is set; its host is named.

    \b
    Examples:
      quarry ask "how does a login become a session"
      quarry ask --docs "how do I deploy this"
      quarry ask --rev v1.2 "how was the cache cleared"
      OPENAI_BASE_URL=http://localhost:11434/v1 quarry ask --model qwen3 "who closes the file"
    """
    question = question_of(words, from_stdin=given["from_stdin"])
    if not question:
        raise UsageError("no question given", 'for example: quarry ask "how does login work"')
    if given["as_json"] and given["as_events"]:
        raise UsageError("--json and --events together", "give one of them")
    quiet = given["as_json"] or given["as_events"]
    place = place_of(ctx, given["path"])
    settings = load_settings(place.root)
    if given["narrator"] == OPENAI and not _is_indexed(place.root):
        open_chat(settings, given["model"])  # without a key it is no use to index first
    index = open_or_make(place, quiet, given["rev"])
    how = Asking(
        given["narrator"],
        given["model"],
        given["max_tokens"],
        given["cache"],
        given["agents"],
        given["docs"],
        place.scope,
    )
    narrator = narrator_of(index, settings, how)
    if isinstance(narrator, OpenAINarrator | ClaudeNarrator) and not quiet:
        click.echo(f"asking {printable(narrator.model)}", err=True)
    events = ask_events(index, question, settings, narrator, how)
    if given["as_events"]:
        return _print_events(events)
    return _print_document(events) if given["as_json"] else _print_text(events)


def _is_indexed(root: Path) -> bool:
    try:
        current_generation(Layout.of(root))
    except QuarryError:
        return False
    return True


def _print_events(events: Iterator[Event]) -> int:
    status = 1
    for event in events:
        sys.stdout.write(json.dumps(event.as_json()) + "\n")
        sys.stdout.flush()
        status = _status(event)
    return status


def _print_document(events: Iterator[Event]) -> int:
    answer = collect(events)
    print_json(answer.as_json())
    return 0 if answer.spans else 1


def _print_text(events: Iterator[Event]) -> int:
    """The answer as it comes: set out on a terminal, Markdown as it is elsewhere."""
    terminal = TerminalAnswer() if sys.stdout.isatty() else None
    try:
        return _shown(events, terminal)
    finally:
        if terminal is not None:
            terminal.close()


def _shown(events: Iterator[Event], terminal: TerminalAnswer | None) -> int:
    searched, status = False, 1
    for event in events:
        if isinstance(event, Retrieval):
            searched = True
        elif isinstance(event, Error):
            if not searched:
                raise event.error
            click.echo(f"note: {printable(event.error.message)}", err=True)
            if event.error.hint:
                click.echo(f"hint: {printable(event.error.hint)}", err=True)
        elif terminal is not None:
            terminal.show(event)
        elif isinstance(event, SynthesisDelta | Splice | Bundle):
            sys.stdout.buffer.write(event.text.encode("utf-8", "replace"))
            sys.stdout.flush()
        status = _status(event)
    return status


def _status(event: Event) -> int:
    """0 where the answer shows anything that was found."""
    return 0 if isinstance(event, Done) and event.answer.spans else 1
