"""What commands share: where they work, and JSON."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, TypeVar

import click

from codequarry.errors import UsageError
from codequarry.settings import Settings, load_settings
from codequarry.store.layout import find_root

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command works: the repository's root, and the sub-path the user named."""

    root: Path
    scope: str  # POSIX, relative to the root; empty for the whole repository


def where(function: F) -> F:
    """Add ``-C`` to a command, so that it may stand before or after the command's name."""
    return click.option(
        "-C", "path", type=click.Path(path_type=Path), default=None, help="Work on this repository."
    )(function)


def json_option(function: F) -> F:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(
        function
    )


def rev_option(function: F) -> F:
    """Add ``--rev``."""
    return click.option(
        "--rev", metavar="REV", help="A commit, branch or tag instead of the files on disk."
    )(function)


_BROUGHT_BACK = (
    ("generated", "generated", "generated files"),
    ("vendored", "vendored", "files of others"),
    ("minified", "minified", "minified files"),
    ("locks", "lock_file", "lock files"),
)


def brought_back_options(function: F) -> F:
    """Add ``--include-generated`` and its kin: built-in skips that are off for a run."""
    for word, reason, what in reversed(_BROUGHT_BACK):
        function = click.option(
            f"--include-{word}",
            "bring_back",
            multiple=True,
            flag_value=reason,
            is_flag=True,
            help=f"Index {what} too, in this run.",
        )(function)
    return function


def run_options(function: F) -> F:
    """Add what every run of the index takes: model, workers, wait, quiet."""
    options = (
        click.option(
            "--model", help='Embedding model: "static", "quality", "none", "openai:<model>".'
        ),
        click.option("--workers", type=click.IntRange(min=1), help="Parsing processes."),
        click.option(
            "--wait",
            type=float,
            default=60.0,
            show_default=True,
            help="Seconds to wait for another run on the same index.",
        ),
        click.option("-q", "--quiet", is_flag=True, help="No progress bar and no summary."),
    )
    for option in reversed(options):
        function = option(function)
    return brought_back_options(function)


class _NewFile(click.Path):
    """A file that will be written: said at once where that cannot be, not after hours."""

    name = "file"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not path.resolve().parent.is_dir():
            self.fail(f"there is no folder {str(path.parent)!r}", param, ctx)
        return path


new_file = _NewFile(dir_okay=False, writable=True)


def run_settings(
    root: Path, model: str | None, workers: int | None, bring_back: tuple[str, ...]
) -> Settings:
    """The settings of a run: those of the repository, changed by its options."""
    settings = load_settings(root, model=model, workers=workers)
    both = dict.fromkeys((*settings.bring_back, *bring_back))
    return replace(settings, bring_back=tuple(both))


def stdin_option(function: F) -> F:
    """Add ``--stdin``; not ``-``, which is a question like any text."""
    return click.option(
        "--stdin", "from_stdin", is_flag=True, help="Read the question from standard input."
    )(function)


def question_of(words: tuple[str, ...], *, from_stdin: bool) -> str:
    """The question of a command line, or what standard input holds.

    Raises:
        UsageError: both are given, or standard input cannot be read.
    """
    if not from_stdin:
        return " ".join(words).strip()
    if words:
        raise UsageError("a question and --stdin together", "give one of them")
    try:
        stream: IO[bytes] = sys.stdin.buffer
        return stream.read().decode("utf-8", "replace").strip()
    except (OSError, AttributeError, ValueError) as error:  # closed, or none at all
        raise UsageError("standard input cannot be read", "give the question itself") from error


def place_of(ctx: click.Context, path: Path | None) -> Place:
    """Find the repository a command works on.

    Raises:
        UsageError: the path does not exist or is not a folder.
    """
    return place_at(path or (ctx.obj or {}).get("path") or Path())


def place_at(start: Path) -> Place:
    """The repository that a folder lies in; errors as in `place_of`."""
    try:
        there = start.is_dir()
    except OSError as error:
        raise UsageError(f"cannot look at {start}: {error.strerror}", "check the path") from error
    if not there:
        what = "is a file" if start.exists() else "does not exist"
        raise UsageError(f"{start} {what}", "give the folder of a repository with -C")
    root = find_root(start)
    scope = start.resolve().relative_to(root).as_posix()
    return Place(root, "" if scope == "." else scope)
