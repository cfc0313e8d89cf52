"""How results and errors reach the terminal: text for people, JSON for programs."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

# C0 but the tab, C1, line and paragraph separators, what turns the direction of writing, and
# halves of surrogate pairs, which cannot be encoded
_CONTROL = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\u200e\u200f\ud800-\udfff]"
)
MAX_SHOWN_LINE = 400  # characters of one line in text output; `get` never cuts


def print_json(value: Any) -> None:
    """Print one JSON document on one line; non-ASCII characters are escaped."""
    click.echo(json.dumps(value))


def print_error(code: str, kind: str, message: str, hint: str, as_json: bool) -> None:
    """Print an error: one line and a hint on stderr; as an envelope on stdout for programs."""
    if as_json:
        error = {"class": kind, "code": code, "message": message, "hint": hint}
        click.echo(json.dumps({"error": error}))
        return
    click.echo(f"error: {printable(message)}", err=True)
    if hint:
        click.echo(f"hint: {printable(hint)}", err=True)


def printable(text: str) -> str:
    """Text with control characters made visible: a file name cannot steer the terminal."""
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def plural(count: int, noun: str, many: str = "") -> str:
    """A count with its noun: ``1 file``, ``2 files``."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def without_grammar_line(item: dict[str, Any]) -> str:
    """One line about a language whose grammar did not load."""
    files = plural(item["files"], "file")
    return (
        f"  {item['language']}: {files} cut by lines, symbols and edges not available "
        f"({printable(item['reason'])})"
    )


def shown_line(text: str) -> str:
    """A source line for display: bounded, printable, without its end."""
    text = text.rstrip("\r\n")
    if len(text) > MAX_SHOWN_LINE:
        text = f"{text[:MAX_SHOWN_LINE]} … {len(text) - MAX_SHOWN_LINE:,} more characters"
    return printable(text)


class Progress:
    """A progress bar on stderr, silent unless that is a terminal."""

    def __init__(self, quiet: bool = False) -> None:
        """Start; ``quiet`` keeps it silent on a terminal too."""
        self._bar: Any = None
        self._task: Any = None
        self._enabled = sys.stderr.isatty() and not quiet

    def stage(self, name: str, total: int) -> None:
        """A stage starts with ``total`` items (0: not known)."""
        if not self._enabled:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(name, total=total or None)
        else:
            self._bar.update(self._task, description=name, total=total or None, completed=0)

    def advance(self, n: int) -> None:
        """``n`` more items are done."""
        if self._bar is not None:
            self._bar.advance(self._task, n)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


@contextmanager
def progress(quiet: bool = False) -> Iterator[Progress]:
    """A progress bar for the length of a block."""
    bar = Progress(quiet)
    try:
        yield bar
    finally:
        bar.close()
