"""The graph as text for people."""

from __future__ import annotations

from collections.abc import Sequence

import click

from codequarry.retrieval.graph.carriers import Carrier, Excerpt
from codequarry.retrieval.graph.explain import ExplainedRoute, Hop
from codequarry.retrieval.graph.lanes import Tie
from codequarry.retrieval.graph.node import Node
from codequarry.retrieval.graph.overview import God, Overview, Surprise
from codequarry.retrieval.graph.resolve import Resolved
from codequarry.shells.cli.output import plural, printable, shown_line

MAX_COMMUNITIES = 25
MAX_TIES = 12
MAX_SYMBOLS = 40
_MIDDLE = {"meeting_point": "both reach into this", "common_user": "this reaches into both"}
_STALE = "note: {} changed since it was indexed; run: quarry index"


def print_map(found: Overview, repo: str) -> None:
    """Print the map of a repository."""
    _title(
        f"{printable(repo)}: {plural(found.files, 'file')}, "
        f"{plural(int(found.facts['structural_edges']), 'tied pair')} by reference, "
        f"{int(found.facts['semantic_edges']):,} by likeness "
        f"(cosine from {found.facts['edge_floor']:.3f})"
    )
    click.echo()
    _title(f"communities ({len(found.communities)}; {plural(found.singles, 'file')} in none)")
    names = {community.id: community.name for community in found.communities}
    for community in found.communities[:MAX_COMMUNITIES]:
        tests = f", {plural(community.tests, 'test')}" if community.tests else ""
        click.echo(f"{community.size:5}  {printable(community.name)}{tests}")
        click.echo(f"       {printable(', '.join(community.centres[:3]))}")
        links = [f"{names[number]} ({pairs})" for number, pairs in community.links[:3]]
        if links:
            click.echo(f"       ↔ {printable('; '.join(links))}")
    if len(found.communities) > MAX_COMMUNITIES:
        rest = plural(
            len(found.communities) - MAX_COMMUNITIES, "more community", "more communities"
        )
        click.echo(f"       … {rest} (--json)")
    _gods("what most files touch", found.gods)
    _gods("package fronts", found.god_fronts)
    _gods("tests", found.god_tests)
    _surprises(found.surprises, found)


def _gods(title: str, gods: Sequence[God]) -> None:
    if not gods:
        return
    click.echo()
    _title(f"{title} (files touched: in, out)")
    for god in gods:
        split = f"{god.degree:5} ({god.referring} in, {god.referred} out)"
        click.echo(f"{split:<24} {printable(god.path)}  [{printable(god.community)}]")


def _surprises(shown: Sequence[Surprise], found: Overview) -> None:
    if not shown:
        return
    floor = found.facts["surprise_floor"]
    click.echo()
    _title(f"surprises ({found.n_surprises}; cosine from {floor:.3f}, no reference, apart)")
    for surprise in shown:
        mark = "  (test)" if surprise.test else ""
        click.echo(
            f"{surprise.cosine:.3f}  {printable(surprise.first)}  ~  "
            f"{printable(surprise.second)}{mark}"
        )


def print_node(found: Node) -> None:
    """Print a file and what is around it."""
    _title(f"{printable(found.path)}  ({found.language}, {found.role})")
    _resolution(found.resolved, found.path)
    if found.doc:
        click.echo(f"  {printable(found.doc)}")
    size = plural(found.community_size, "file")
    click.echo(f"  community: {printable(found.community_name)} ({size})")
    hub = ", a hub" if found.is_hub else ""
    click.echo(f"  touches {plural(found.degree, 'file')}{hub}")
    _ties("refers to", found.references)
    _ties("referred to by", found.referrers)
    if found.alike:
        click.echo("  says what they say")
        for path, cosine in found.alike:
            click.echo(f"    {cosine:.3f}  {printable(path)}")
    if found.symbols:
        click.echo(f"  defines {plural(len(found.symbols), 'symbol')}")
        used = sorted(found.symbols, key=lambda symbol: -symbol.uses)[:MAX_SYMBOLS]
        for symbol in sorted(used, key=lambda symbol: symbol.line):
            uses = f"  ← {plural(symbol.uses, 'use')}" if symbol.uses else ""
            click.echo(printable(f"    {symbol.line:5}  {symbol.qualified}") + uses)
        if len(found.symbols) > MAX_SYMBOLS:
            click.echo(f"    … {len(found.symbols) - MAX_SYMBOLS} less used (--json)")
    for chunk in found.chunks:
        click.echo()
        _title(f"{chunk.start_line}-{chunk.end_line} {chunk.kind} {printable(chunk.name)}")
        _numbered(chunk.start_line, chunk.text)
    if found.more_lines:
        click.echo(f"… {plural(found.more_lines, 'more line')} (--lines 0)")
    if found.changed:
        click.echo(_STALE.format("the file"), err=True)


def _ties(title: str, ties: Sequence[tuple[str, Tie]]) -> None:
    if not ties:
        return
    click.echo(f"  {title} {plural(len(ties), 'file')}")
    for path, tie in ties[:MAX_TIES]:
        kinds = ", ".join(f"{type_} {n}" for type_, n in sorted(tie.types.items()))
        click.echo(f"    {tie.count:5}  {printable(path)}  ({kinds})")
    if len(ties) > MAX_TIES:
        click.echo(f"    … {len(ties) - MAX_TIES} more (--json)")


def print_route(found: ExplainedRoute) -> None:
    """Print a route, hop by hop."""
    for resolved, path in ((found.start, found.start_path), (found.end, found.end_path)):
        _resolution(resolved, path)
    if not found.found:
        click.echo(
            f"nothing ties {printable(found.start_path)} to {printable(found.end_path)}", err=True
        )
        return
    _title(_shape(found))
    for place, (path, toll) in enumerate(found.files):
        charged = f"  (toll {toll})" if toll else ""
        middle = f"  ← {_MIDDLE[found.shape]}" if path == found.middle else ""
        click.echo(f"{printable(path)}{charged}{middle}")
        if place < len(found.hops):
            _hop(found.hops[place])
    if found.changed:
        click.echo(_STALE.format(printable(", ".join(found.changed))), err=True)


def _shape(found: ExplainedRoute) -> str:
    start, end = printable(found.start_path), printable(found.end_path)
    what = "call chain" if found.calls else "chain of references"
    sentences = {
        "same": f"both are {start}",
        "chain": f"{what}: {start} reaches {end}",
        "reverse_chain": f"{what}: {end} reaches {start}",
        "meeting_point": f"meeting point: both reach into {printable(found.middle)}",
        "common_user": f"common user: {printable(found.middle)} reaches into both",
        "mixed": "a route of mixed directions",
    }
    return f"{sentences[found.shape]}  (cost {found.cost})"


def _hop(hop: Hop) -> None:
    if hop.is_structural:
        ways = [
            f"{arrow} {', '.join(f'{type_} {n}' for type_, n in sorted(types.items()))}"
            for arrow, types in (("↓", hop.forward), ("↑", hop.backward))
            if types
        ]
        click.echo(f"  {'   '.join(ways)}")
    else:
        click.echo(f"  ~ alike, cosine {hop.cosine}")
    for carrier in hop.carriers:
        _carrier(carrier)


def _carrier(carrier: Carrier) -> None:
    word = "both define" if carrier.type == "shared" else carrier.type
    mark = "" if carrier.resolved else "  (by name only)"
    click.echo(printable(f"    {word} {carrier.symbol}") + mark)
    _excerpt("defined" if carrier.type == "shared" else "used", carrier.use)
    if carrier.definition is not None:
        _excerpt("defined", carrier.definition)


def _excerpt(label: str, excerpt: Excerpt) -> None:
    click.echo(f"      {label} {printable(excerpt.path)}:{excerpt.line}")
    _numbered(excerpt.line, excerpt.text)


def _resolution(resolved: Resolved, path: str) -> None:
    if resolved.how == "path":
        return
    others = f"; others: {', '.join(resolved.others)}" if resolved.others else ""
    click.echo(printable(f"{resolved.asked!r} → {path} (by {resolved.how}{others})"))


def _numbered(first: int, text: str) -> None:
    for number, line in enumerate(text.split("\n") if text else (), first):
        if line or number == first:
            click.echo(f"{number:7}  {shown_line(line)}")
        else:
            click.echo(f"{number:7}")


def _title(text: str) -> None:
    click.secho(text, bold=True)
