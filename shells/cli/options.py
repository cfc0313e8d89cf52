"""What commands share: where they work, and JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from codequarry.errors import UsageError
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


def place_of(ctx: click.Context, path: Path | None) -> Place:
    """Find the repository a command works on.

    Raises:
        UsageError: the path does not exist or is not a folder.
    """
    start = path or (ctx.obj or {}).get("path") or Path()
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
