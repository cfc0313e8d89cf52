"""`quarry search --near-symbol NAME --context full`: all around one symbol."""

from __future__ import annotations

import click

from codequarry.errors import UsageError
from codequarry.retrieval.context import SymbolContext, symbol_context
from codequarry.retrieval.edges import Edge, Edges
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.symbols import find_symbols
from codequarry.shells.cli.output import print_json, printable, shown_line

MAX_SYMBOLS = 5  # of an ambiguous name


def show_context(generation: Generation, name: str, *, as_json: bool) -> int:
    """Print everything around the symbols of a name.

    Raises:
        UsageError: there is no such symbol.
    """
    symbols = find_symbols(generation, name)
    if not symbols:
        raise UsageError(f"no symbol is called {name}", "see: quarry def NAME")
    edges = Edges(generation)
    found = [symbol_context(edges, symbol) for symbol in symbols[:MAX_SYMBOLS]]
    if as_json:
        rows = [context.as_json() for context in found]
        print_json({"symbol": name, "count": len(symbols), "rows": rows})
        return 0
    for context in found:
        _print(context)
    if len(symbols) > MAX_SYMBOLS:
        click.echo(f"{len(symbols) - MAX_SYMBOLS} more symbols have that name: qualify it")
    return 0


def _print(context: SymbolContext) -> None:
    symbol = context.symbol
    click.echo(printable(f"{symbol.path}:{symbol.line}  {symbol.kind} {symbol.qualified}"))
    for outer in context.scope:
        click.echo(printable(f"  in {outer.signature or outer.qualified}"))
    for number, line in enumerate(context.code.text.splitlines(), context.code.start_line):
        click.echo(f"{number:6} {shown_line(line)}")
    for title, count, edges, outward in (
        ("called by", context.n_callers, context.callers, False),
        ("calls", context.n_callees, context.callees, True),
        ("tested by", context.n_tests, context.tests, False),
        ("described in", context.n_guides, context.guides, False),
    ):
        click.echo(f"  {title} {count}")
        for edge in edges:
            click.echo(printable(f"    {_end(edge, outward=outward)}"))
        if count > len(edges):
            click.echo(f"    … {count - len(edges)} more")


def _end(edge: Edge, *, outward: bool) -> str:
    if outward:
        return f"{edge.target}  {edge.target_path}:{edge.target_line}"
    return f"{edge.symbol}  {edge.path}:{edge.line}"
