"""`quarry callers`, `callees`, `refs`, `def`, `signature` and `impact`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from codequarry.errors import IndexNotFound, UsageError
from codequarry.retrieval.edges import EdgeAnswer, Edges
from codequarry.retrieval.freshness import changed_files
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.impact import (
    MAX_DEPTH,
    Impacted,
    changed_symbols,
    impact,
    lost_callers,
)
from codequarry.retrieval.symbols import SymbolRow, find_symbols
from codequarry.shells.cli.options import json_option, place_of, where
from codequarry.shells.cli.output import print_json, printable
from codequarry.shells.service.documents import edge_document, impact_document, symbols_document
from codequarry.store.layout import Layout
from codequarry.store.lock import is_being_written

_WHY = {
    "not_indexed": "there is no index; run: quarry index",
    "indexing": "the first index is being made; ask again when it is done",
    "no_such_symbol": "no symbol of that name is indexed",
    "language_without_edges": "edges are not known for the language of this symbol",
    "ready": "nothing refers to it",
    "nothing_changed": "no indexed file has changed",
}
_LIMIT = 200

Question = Callable[[Edges, str, int], EdgeAnswer]


def _edge_command(name: str, question: Question, text: str) -> click.Command:
    @click.command(name, help=text)
    @click.argument("symbol")
    @where
    @json_option
    @click.option("--limit", default=_LIMIT, show_default=True, help="At most this many; 0: all.")
    @click.option("--possible", is_flag=True, help="Show calls of the name on unknown receivers.")
    @click.pass_context
    def command(
        ctx: click.Context,
        symbol: str,
        path: Path | None,
        as_json: bool,
        limit: int,
        possible: bool,
    ) -> int:
        edges = _open(ctx, path)
        if isinstance(edges, str):
            return _nothing(symbol, edges, _wants_json(as_json))
        answer = question(edges, symbol, limit)
        if _wants_json(as_json):
            print_json(edge_document(answer, possible=possible))
        else:
            _print(answer, name, possible=possible)
        return 0 if answer.edges else 1

    return command


callers_command = _edge_command(
    "callers", Edges.callers, "Show who calls a symbol: quarry callers Users.render"
)
callees_command = _edge_command(
    "callees", Edges.callees, "Show what a symbol calls: quarry callees Users.render"
)
refs_command = _edge_command(
    "refs", Edges.refs, "Show every place that refers to a symbol: quarry refs Users"
)


def _symbol_command(name: str, text: str, *, docs: bool) -> click.Command:
    @click.command(name, help=text)
    @click.argument("symbol")
    @where
    @json_option
    @click.pass_context
    def command(ctx: click.Context, symbol: str, path: Path | None, as_json: bool) -> int:
        edges = _open(ctx, path)
        if isinstance(edges, str):
            return _nothing(symbol, edges, _wants_json(as_json))
        found = find_symbols(edges.generation, symbol)
        if _wants_json(as_json):
            print_json(symbols_document(edges.generation, symbol))
        elif not found:
            return _nothing(symbol, "no_such_symbol", as_json=False)
        for row in () if _wants_json(as_json) else found:
            where_ = f"{row.path}:{row.line}"
            click.echo(printable(f"{where_}  {row.kind}  {row.signature or row.qualified}"))
            if docs and row.doc:
                click.echo("".join(f"    {printable(line)}\n" for line in row.doc.splitlines()))
        return 0 if found else 1

    return command


def_command = _symbol_command("def", "Show where a symbol is defined.", docs=False)
signature_command = _symbol_command(
    "signature", "Show a symbol's signature and doc comment.", docs=True
)


@click.command("impact")
@click.argument("symbol", required=False)
@click.option("--diff", "revision", metavar="REV", help="What changed since a commit or branch.")
@click.option("--depth", default=3, show_default=True, help=f"How far to go, 1 to {MAX_DEPTH}.")
@where
@json_option
@click.pass_context
def impact_command(
    ctx: click.Context,
    symbol: str | None,
    revision: str | None,
    depth: int,
    path: Path | None,
    as_json: bool,
) -> int:
    """Show who breaks when a symbol changes, or when the changes since a revision land.

    \b
    Examples:
      quarry impact Users.render
      quarry impact --diff main
    """
    if (symbol is None) == (revision is None):
        raise UsageError("give a symbol or --diff REV, one of them", "see: quarry impact --help")
    as_json = _wants_json(as_json)
    edges = _open(ctx, path)
    asked = symbol or f"--diff {revision}"
    if isinstance(edges, str):
        return _nothing(asked, edges, as_json)
    if revision is not None:
        change = changed_symbols(edges.generation, place_of(ctx, path).root, revision)
        symbols: Sequence[SymbolRow] = change.symbols
        lost = lost_callers(edges, change.removed)
        stale = bool(changed_files(edges.generation, change.paths))
        status = "ready" if change.paths or change.removed else "nothing_changed"
    else:
        symbols, lost, stale = find_symbols(edges.generation, symbol or ""), [], False
        status = "ready" if symbols else "no_such_symbol"
    found = [*lost, *impact(edges, symbols, depth)]
    if as_json:
        print_json(impact_document(asked, symbols, found, status, stale=stale))
    else:
        _print_impact(symbols, found, asked, status)
    if stale:
        click.echo("note: files changed since they were indexed; run: quarry index", err=True)
    return 0 if found else 1


def _open(ctx: click.Context, path: Path | None) -> Edges | str:
    """The edges of the live index, or why there is none."""
    layout = Layout.of(place_of(ctx, path).root)
    try:
        return Edges(Generation.open(layout))
    except IndexNotFound:
        return "indexing" if is_being_written(layout) else "not_indexed"


def _wants_json(asked: bool) -> bool:
    """Agents read these answers from a pipe."""
    return asked or not sys.stdout.isatty()


def _nothing(symbol: str, status: str, as_json: bool) -> int:
    if as_json:
        print_json({"symbol": symbol, "count": 0, "status": status, "rows": []})
    else:
        click.echo(f"{printable(symbol)}: {_WHY[status]}", err=True)
    return 1


def _print(answer: EdgeAnswer, name: str, *, possible: bool) -> None:
    if answer.ambiguous:
        click.echo(f"{len(answer.symbols)} symbols have that name:")
        for row in answer.symbols[:20]:
            click.echo(printable(f"  {row.qualified}  {row.path}:{row.line}"))
    for edge in answer.edges:
        what = edge.target if name == "callees" or answer.ambiguous else ""
        mark = "" if edge.resolved else "  (not resolved)"
        line = f"{edge.path}:{edge.line}  {edge.symbol}"
        line += f"  → {what}" if what else ""
        line += f"  [{edge.type}]" if name == "refs" else ""
        click.echo(printable(line) + mark)
    if len(answer.edges) < answer.count:
        click.echo(f"… {answer.count - len(answer.edges)} more (--limit 0)")
    if possible:
        for edge in answer.possible:
            click.echo(printable(f"{edge.path}:{edge.line}  {edge.symbol}  → {edge.target}?"))
    elif answer.n_possible:
        click.echo(f"{answer.n_possible} more calls of that name on unknown receivers (--possible)")
    if not answer.edges:
        why = "it calls nothing" if name == "callees" and answer.symbols else _WHY[answer.status]
        click.echo(f"{printable(answer.symbol)}: {why}", err=True)


def _print_impact(
    symbols: Sequence[SymbolRow], found: Sequence[Impacted], asked: str, status: str
) -> None:
    for row in symbols[:50]:
        click.echo(printable(f"changes: {row.qualified}  {row.path}:{row.line}"))
    for item in found:
        mark = "  (test)" if item.test else ""
        click.echo(
            printable(f"{item.depth}  {item.path}:{item.line}  {item.symbol}  → {item.via}") + mark
        )
    if not found:
        click.echo(f"{printable(asked)}: {_WHY[status]}", err=True)
