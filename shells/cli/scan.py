"""`quarry scan`: what would be indexed, and what not and why, before anything is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from codequarry.assets.census.census import Census, Entry, take_census
from codequarry.shells.cli.options import (
    brought_back_options,
    json_option,
    place_of,
    run_settings,
    where,
)
from codequarry.shells.cli.output import plural, print_json, printable
from codequarry.text import display_path

SHOWN = 12
_UNITS = ("kB", "MB", "GB", "TB")


@dataclass(frozen=True, slots=True)
class _Group:
    """Files that have something in common."""

    name: str
    files: int
    size: int  # bytes

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "files": self.files, "bytes": self.size}


@click.command("scan")
@where
@json_option
@click.option("--files", is_flag=True, help="List every file, with its role and the rule for it.")
@click.option("--skipped", is_flag=True, help="List every file left out, with the reason.")
@brought_back_options
@click.pass_context
def scan_command(
    ctx: click.Context,
    path: Path | None,
    as_json: bool,
    files: bool,
    skipped: bool,
    bring_back: tuple[str, ...],
) -> int:
    """Show what would be indexed and what not, before indexing; nothing is written.

    \b
    Examples:
      quarry scan
      quarry scan --skipped
      quarry scan --include-vendored --json
    """
    place = place_of(ctx, path)
    census = take_census(place.root, run_settings(place.root, None, None, bring_back))
    listed = census.indexed if files else []
    left_out = census.skipped if skipped else []
    if as_json:
        print_json(_document(place.root, census, listed, left_out))
    elif listed or left_out:
        _print_lists(listed, left_out)
    else:
        _print_summary(place.root, census)
    return 0 if census.indexed else 1


def _groups(entries: Iterable[Entry], key: str) -> list[_Group]:
    """Entries by one of their fields, the most files first."""
    files: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for entry in entries:
        name = str(getattr(entry, key))
        files[name] += 1
        sizes[name] += entry.stat[0]
    return [_Group(name, n, sizes[name]) for name, n in files.most_common()]


def _document(
    root: Path, census: Census, listed: list[Entry], left_out: list[Entry]
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "root": str(root),
        "files": len(census.indexed),
        "bytes": sum(entry.stat[0] for entry in census.indexed),
        "languages": [group.as_json() for group in _groups(census.indexed, "language")],
        "roles": [group.as_json() for group in _groups(census.indexed, "role")],
        "skipped": [group.as_json() for group in _groups(census.skipped, "skip")],
    }
    if listed:
        document["listed_files"] = [
            {
                "path": display_path(entry.path),
                "language": entry.language,
                "role": entry.role,
                "rule": entry.detail,
                "bytes": entry.stat[0],
            }
            for entry in listed
        ]
    if left_out:
        document["skipped_files"] = [
            {"path": display_path(entry.path), "reason": str(entry.skip), "detail": entry.detail}
            for entry in left_out
        ]
    return document


def _print_lists(listed: list[Entry], left_out: list[Entry]) -> None:
    for entry in listed:
        rule = f"  ({entry.detail})" if entry.detail else ""
        path = printable(display_path(entry.path))
        click.echo(f"{entry.role:<10} {entry.language:<14} {path}{rule}")
    for entry in left_out:
        detail = f"  ({entry.detail})" if entry.detail else ""
        click.echo(f"{entry.skip!s:<22} {printable(display_path(entry.path))}{detail}")


def _print_summary(root: Path, census: Census) -> None:
    size = sum(entry.stat[0] for entry in census.indexed)
    click.secho(printable(str(root)), bold=True)
    click.echo(f"  would index {plural(len(census.indexed), 'file')}, {_size(size)}")
    for title, entries, key in (
        ("languages", census.indexed, "language"),
        ("roles", census.indexed, "role"),
        ("left out", census.skipped, "skip"),
    ):
        groups = _groups(entries, key)
        for number, group in enumerate(groups[:SHOWN]):
            head = title if not number else ""
            click.echo(f"  {head:<10} {group.name:<22} {group.files:>8,}  {_size(group.size):>9}")
        if len(groups) > SHOWN:
            click.echo(f"  {'':<10} … {len(groups) - SHOWN} more (--json)")
    if census.skipped:
        click.echo("  what is left out, with the rule: quarry scan --skipped")
    if not census.indexed:
        click.echo("warning: no file would be indexed", err=True)


def _size(n: int) -> str:
    """Bytes for people: ``512 B``, ``3.4 MB``."""
    if n < 1000:
        return f"{n} B"
    power = min((len(str(n)) - 1) // 3, len(_UNITS))
    return f"{n / 1000**power:.1f} {_UNITS[power - 1]}"
