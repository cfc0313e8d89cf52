"""Other forms of a search's answer: flat, within a budget, over several repositories."""

from __future__ import annotations

from collections.abc import Sequence

import click

from codequarry.errors import UsageError
from codequarry.retrieval.answer import Answer, CoreFile
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.index import Index, Options
from codequarry.retrieval.many import Placed, search_repositories
from codequarry.retrieval.packing import pack
from codequarry.retrieval.pruned import prune
from codequarry.shells.cli.output import print_json, printable, shown_line


def show_pruned(answer: Answer, *, as_json: bool) -> int:
    """Print the chunks of an answer that are signal; the exit status."""
    chunks = prune(answer)
    if as_json:
        print_json({"query": answer.query, "chunks": [chunk.as_json() for chunk in chunks]})
    for chunk in () if as_json else chunks:
        where = f"{chunk.path}:{chunk.start_line}-{chunk.end_line}"
        click.echo(printable(f"{chunk.score:6.2f}  {where}  {chunk.name}".rstrip()))
    return 0 if chunks else 1


def show_packed(generation: Generation, answer: Answer, budget: int, *, as_json: bool) -> int:
    """Print an answer within a budget of tokens; the exit status."""
    packed = pack(generation, answer, budget)
    if as_json:
        print_json(packed.as_json())
    else:
        click.echo("\n".join(shown_line(line) for line in packed.text.split("\n")))
        if packed.reduced or packed.tokens > budget:
            what = f"{packed.reduced} of {len(packed.forms)} chunks are not shown as code"
            click.echo(f"note: about {packed.tokens} tokens; {what}", err=True)
    return 0 if answer.paths else 1


def show_many(indexes: Sequence[Index], question: str, options: Options, *, as_json: bool) -> int:
    """Ask several repositories and print the merged answer; the exit status.

    Raises:
        UsageError: one repository is given twice.
    """
    named = _named(indexes)
    found = search_repositories(named, question, options)
    if as_json:
        print_json(found.as_json())
        return 0 if found.paths else 1
    click.secho(
        f"{len(found.core)} core, {len(found.related)} related in {len(named)} repositories, "
        f"evidence {found.evidence.value}, {found.elapsed_ms:.1f} ms",
        dim=True,
    )
    for placed in found.core:
        click.echo()
        _show(placed, bold=True)
    if found.related:
        click.secho("\nRELATED", bold=True)
    for placed in found.related:
        _show(placed, bold=False)
    for note in found.notes:
        click.secho(f"note: {printable(note)}", dim=True, err=True)
    return 0 if found.paths else 1


def _named(indexes: Sequence[Index]) -> dict[str, Index]:
    """Each index by its repository's name; by more of its path where two share one."""
    roots = [index.generation.layout.root.resolve() for index in indexes]
    if len(set(roots)) < len(roots):
        raise UsageError("one repository is given twice", "give each once")
    names = [str(index.generation.manifest["repo"]) for index in indexes]
    names = [
        root.as_posix() if names.count(name) > 1 else name
        for name, root in zip(names, roots, strict=True)
    ]
    return dict(zip(names, indexes, strict=True))


def _show(placed: Placed, *, bold: bool) -> None:
    file = placed.file
    if isinstance(file, CoreFile):
        start, end = file.chunks[0].start_line, file.chunks[0].end_line
        names = [hit.name for hit in file.chunks if hit.name]
    else:
        (start, end), names = file.best_span, list(file.symbols)
    mark = " (changed)" if file.changed else ""
    click.secho(f"  {printable(placed.repo)}  ", dim=True, nl=False)
    click.secho(f"{printable(file.path)}:{start}-{end}{mark}", fg="cyan", bold=bold)
    if names:
        click.echo(f"      {shown_line(', '.join(names))[:160]}")
