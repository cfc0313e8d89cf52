"""`quarry status`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from codequarry.retrieval.generation import Generation
from codequarry.shells.cli.options import json_option, place_of, where
from codequarry.shells.cli.output import print_json, printable, without_grammar_line
from codequarry.shells.service.documents import status_document
from codequarry.store.layout import Layout

LANGUAGES_SHOWN = 12


@click.command("status")
@where
@json_option
@click.option("--skipped", is_flag=True, help="List every file left out, with the reason.")
@click.option("--files", is_flag=True, help="List every file, with its role and the rule for it.")
@click.pass_context
def status_command(
    ctx: click.Context, path: Path | None, as_json: bool, skipped: bool, files: bool
) -> int:
    """Show what is indexed, what is not, and why."""
    place = place_of(ctx, path)
    layout = Layout.of(place.root)
    generation = Generation.open(layout)
    document = status_document(layout, generation, skipped=skipped, listed=files)
    if as_json:
        print_json(document)
    else:
        _render(document, skipped or files)
    return 0


def _render(document: dict[str, Any], lists: bool) -> None:
    if lists:
        for item in document.get("listed_files", []):
            path = printable(item["path"])
            click.echo(f"{item['role']:<10} {item['language']:<14} {path}  ({item['rule']})")
        for item in document.get("skipped_files", []):
            detail = f"  ({item['detail']})" if item["detail"] else ""
            click.echo(f"{item['reason']:<22} {printable(item['path'])}{detail}")
        for item in document["trouble"] if "skipped_files" in document else ():
            if item["reason"] == "not_parsed":
                click.echo(f"{'not_parsed':<22} {printable(item['path'])}  ({item['detail']})")
        return
    click.secho(document["root"], bold=True)
    click.echo(
        f"  {document['files']:,} files, {document['chunks']:,} chunks, "
        f"{document['symbols']:,} symbols, model {document['model']}, last run {document['state']}"
    )
    for title in ("languages", "roles", "parse_states", "skipped"):
        counts = list(document[title].items())[:LANGUAGES_SHOWN]
        if counts:
            shown = ", ".join(f"{name} {n:,}" for name, n in counts)
            click.echo(f"  {title.replace('_', ' ')}: {shown}")
    for item in document["without_grammar"]:
        click.echo(without_grammar_line(item))
    for item in document["degraded"]:
        click.echo(f"  cut by lines: {printable(item['path'])} ({item['reason']})")
    for item in document["trouble"]:
        click.echo(f"  {item['reason']}: {printable(item['path'])} ({item['detail']})")
    click.echo(f"  generation {document['generation']} in {document['store']}")
