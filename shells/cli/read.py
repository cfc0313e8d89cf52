"""`quarry get` and `quarry chunks`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from codequarry.errors import UsageError
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.index import revision_layout
from codequarry.retrieval.reading import get_code
from codequarry.shells.cli.options import json_option, place_of, rev_option, where
from codequarry.shells.cli.output import print_json, printable
from codequarry.shells.service.documents import chunks_document
from codequarry.store.layout import Layout

_SPAN = re.compile(r"^(?P<path>.+?):(?P<start>\d+)(?:-(?P<end>\d+))?$", re.DOTALL)


@click.command("get")
@click.argument("target")
@where
@json_option
@rev_option
@click.pass_context
def get_command(
    ctx: click.Context, target: str, path: Path | None, as_json: bool, rev: str | None
) -> int:
    """Print lines of an indexed file, verbatim from disk or from a revision that is indexed.

    \b
    Examples:
      quarry get src/app.py
      quarry get src/app.py:10-20
      quarry get --rev v1.2 src/app.py
    """
    root = place_of(ctx, path).root
    generation = Generation.open(Layout.of(root) if rev is None else revision_layout(root, rev))
    name, start, end = _target(generation, target)
    span = get_code(generation, name, start, end)
    if as_json:
        print_json(span.as_json())
        return 0
    if _is_terminal():  # a file cannot steer the terminal; elsewhere bytes are bytes
        for line in span.text.removesuffix("\n").split("\n"):
            click.echo(printable(line.removesuffix("\r")))
    else:
        sys.stdout.buffer.write(span.text.encode("utf-8", "replace"))
        sys.stdout.flush()
    if span.changed:
        click.echo("note: the file changed since it was indexed; run: quarry index", err=True)
    return 0


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _target(generation: Generation, target: str) -> tuple[str, int | None, int | None]:
    """Split ``path:a-b``; a file whose own name ends so is taken as it is."""
    match = _SPAN.match(target)
    if match is None or target in generation.rows_by_path:
        return target, None, None
    start = int(match["start"])
    return match["path"], start, int(match["end"]) if match["end"] else start


@click.command("chunks")
@click.argument("file")
@where
@json_option
@click.option("--ast", is_flag=True, help="Show the top of the parse tree too.")
@click.pass_context
def chunks_command(
    ctx: click.Context, file: str, path: Path | None, as_json: bool, ast: bool
) -> int:
    """Show how a file was cut: each chunk's lines, kind, name and scope."""
    place = place_of(ctx, path)
    generation = Generation.open(Layout.of(place.root))
    record = chunks_document(generation, file)
    rows = record["chunks"]
    tree = _tree(generation, record["path"], record["language"]) if ast else []
    if as_json:
        print_json(record | ({"tree": tree} if ast else {}))
        return 0
    click.secho(
        f"{printable(record['path'])}: {record['language']}, {record['line_count']} lines, "
        f"{len(rows)} chunks, parse {record['state']}"
        + (f" ({record['reason']})" if record["reason"] else ""),
        bold=True,
    )
    for chunk in rows:
        scope = " > ".join([*chunk["scope"], ", ".join(chunk["names"]) or chunk["name"]])
        part = f"  part {chunk['part']}/{chunk['parts']}" if chunk["parts"] else ""
        span = f"{chunk['start_line']:>6}-{chunk['end_line']}"
        click.echo(f"{span:<14} {chunk['kind']:<13} {printable(scope)}{part}"[:160])
    for line in tree:
        click.echo(line)
    return 0


def _tree(generation: Generation, path: str, language: str) -> list[str]:
    """The first two levels of the parse tree, one node a line."""
    try:
        from codequarry.assets.languages.grammars import GrammarError, load
    except ImportError as error:
        raise UsageError("--ast needs the grammars", "pip install 'codequarry[index]'") from error
    text = get_code(generation, path).text
    try:
        grammar = load(language)
    except GrammarError as error:
        raise UsageError(f"no parse tree for {language}: {error}", "drop --ast") from error
    if grammar is None:
        raise UsageError(f"there is no grammar for {language}", "drop --ast")
    lines = []
    for node in grammar.parser.parse(text.encode("utf-8", "replace")).root_node.children:
        for depth, one in [(0, node), *((1, child) for child in node.children)]:
            span = f"{one.start_point[0] + 1}-{one.end_point[0] + 1}"
            lines.append(f"{'  ' * depth}{one.type} {span}")
    return lines
