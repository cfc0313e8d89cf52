"""`quarry graph map`, `graph node` and `graph path`, and `quarry map`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from codequarry.errors import MissingAPIKey, ProviderError, UsageError
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.graph.lanes import FileGraph
from codequarry.retrieval.graph.node import CODE_LINES
from codequarry.retrieval.graph.overview import overview
from codequarry.retrieval.graph.signatures import signature_map
from codequarry.retrieval.index import open_index
from codequarry.settings import load_settings
from codequarry.shells.cli.graph_page import page
from codequarry.shells.cli.graph_text import print_map, print_node, print_route
from codequarry.shells.cli.options import json_option, place_of, where
from codequarry.shells.cli.output import print_json, printable
from codequarry.shells.service.graph_documents import OpenIndex, file_node, file_route, map_document
from codequarry.store.atomic import atomic_path, write_errors
from codequarry.store.layout import Layout


@click.group("graph")
def graph_command() -> None:
    """Show how the files of a repository hang together."""


@click.command("map")
@click.option("--tokens", type=click.IntRange(min=50), help="Signatures, in so many tokens.")
@click.option("--html", type=click.Path(path_type=Path), help="Write a page to look at.")
@click.option("--brief", is_flag=True, help="JSON without the lists of all nodes and edges.")
@click.option(
    "--model-names", is_flag=True, help="Have a chat model name the communities: one call, kept."
)
@click.option("--model", default="", help="Which chat model; the settings' when not given.")
@where
@json_option
@click.pass_context
def map_command(
    ctx: click.Context,
    tokens: int | None,
    html: Path | None,
    brief: bool,
    model_names: bool,
    model: str,
    path: Path | None,
    as_json: bool,
) -> int:
    """Show a repository's communities, what everything touches, and what surprises.

    \b
    Examples:
      quarry graph map
      quarry graph map --tokens 2000
      quarry graph map --html map.html
    """
    graph = _open(ctx, path)
    if tokens is not None and html is not None:
        raise UsageError("--tokens and --html are two different maps", "give one of them")
    if tokens is not None:
        made = signature_map(graph, tokens)
        if as_json:
            print_json(made.as_json())
        else:
            click.echo("\n".join(printable(line) for line in made.text.split("\n")))
        return 0
    if model_names:
        _rename(graph, place_of(ctx, path).root, model)
    found = overview(graph)
    if html is not None:
        text = page(str(graph.generation.manifest["repo"]), found)
        with write_errors(html.parent), atomic_path(html) as part:
            part.write_text(text, encoding="utf-8")
        click.echo(f"wrote {printable(str(html))}", err=True)
        return 0
    if _wants_json(as_json):
        print_json(map_document(graph, brief=brief))
    else:
        print_map(found, str(graph.generation.manifest["repo"]))
    return 0


@graph_command.command("node")
@click.argument("what")
@click.option("--lines", default=CODE_LINES, show_default=True, help="Of code at most; 0: all.")
@where
@json_option
@click.pass_context
def node_command(
    ctx: click.Context, what: str, lines: int, path: Path | None, as_json: bool
) -> int:
    """Show one file: where it belongs, what it touches, what is in it.

    WHAT is a path, a file's name, a symbol, or words that say what the file does.

    \b
    Examples:
      quarry graph node src/app.py
      quarry graph node "session cookies" --lines 40
    """
    found = file_node(_open(ctx, path), _index(ctx, path), what, lines)
    if _wants_json(as_json):
        print_json(found.as_json())
    else:
        print_node(found)
    return 0


@graph_command.command("path")
@click.argument("start")
@click.argument("end")
@where
@json_option
@click.pass_context
def path_command(ctx: click.Context, start: str, end: str, path: Path | None, as_json: bool) -> int:
    """Show the route between two files, and the symbols that carry each hop.

    \b
    Examples:
      quarry graph path src/cli.py src/store.py
      quarry graph path "command line" "database connection"
    """
    found = file_route(_open(ctx, path), _index(ctx, path), start, end)
    if _wants_json(as_json):
        print_json(found.as_json())
    else:
        print_route(found)
    return 0 if found.found else 1


graph_command.add_command(map_command)


def _open(ctx: click.Context, path: Path | None) -> FileGraph:
    return FileGraph(Generation.open(Layout.of(place_of(ctx, path).root)))


def _rename(graph: FileGraph, root: Path, model: str) -> None:
    """Give the communities the names of a chat model, or say why they keep their own."""
    from codequarry.ask.community_names import name_communities  # the only question to a model
    from codequarry.models.chat import open_chat

    kept = Layout.of(root).state / "community_names.json"
    try:
        named = name_communities(graph, open_chat(load_settings(root), model), kept)
    except (MissingAPIKey, ProviderError) as error:  # the map is shown all the same
        click.echo(f"note: the communities keep their own names: {error.message}", err=True)
    else:
        graph.names = named


def _index(ctx: click.Context, path: Path | None) -> OpenIndex:
    return lambda: open_index(place_of(ctx, path).root)


def _wants_json(asked: bool) -> bool:
    """Agents read these answers from a pipe."""
    return asked or not sys.stdout.isatty()
