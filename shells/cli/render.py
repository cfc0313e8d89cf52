"""An answer as a person reads it: CORE with code, RELATED as a map."""

from __future__ import annotations

import click

from codequarry.identifiers import split_word, words
from codequarry.retrieval.answer import Answer, ChunkHit, CoreFile
from codequarry.retrieval.query import parse_query
from codequarry.retrieval.reading import read_lines
from codequarry.shells.cli.output import printable, shown_line
from codequarry.store.layout import Layout

SNIPPET_LINES = 12  # of a chunk, unless --full
CHUNKS_SHOWN = 3  # of a CORE file, unless --full


def render_answer(layout: Layout, answer: Answer, *, full: bool, code: bool) -> None:
    """Print an answer.

    Args:
        layout: where its files are.
        answer: what was found.
        full: whole chunks instead of their best lines.
        code: show code at all.
    """
    click.secho(
        f"{len(answer.core)} core, {len(answer.related)} related, "
        f"evidence {answer.evidence.value}, {answer.elapsed_ms:.1f} ms",
        dim=True,
    )
    wanted = frozenset(parse_query(answer.query, None).content)
    for file in answer.core:
        _core(layout, answer, file, wanted, full=full, code=code)
    if answer.related:
        click.secho("\nRELATED", bold=True)
    for related in answer.related:
        mark = " (changed)" if related.changed else ""
        start, end = related.best_span
        click.secho(f"  {printable(related.path)}:{start}-{end}{mark}", fg="cyan", nl=False)
        _reasons(related.why)
        click.echo()
        _explain(answer, related.path)
        text = ", ".join(related.symbols) or related.doc
        if text:
            click.echo(f"      {shown_line(text)[:160]}")
    for note in answer.notes:
        click.secho(f"note: {printable(note)}", dim=True, err=True)


def _core(
    layout: Layout,
    answer: Answer,
    file: CoreFile,
    wanted: frozenset[str],
    *,
    full: bool,
    code: bool,
) -> None:
    mark = " (changed since indexed)" if file.changed else ""
    click.secho(f"\n{printable(file.path)}{mark}", bold=True, fg="green", nl=False)
    click.secho(f"  {file.score:.2f}", dim=True, nl=False)
    _reasons(file.why)
    click.echo()
    if file.doc:
        click.secho(f"  {shown_line(file.doc)[:160]}", dim=True)
    _explain(answer, file.path)
    if not code:
        for hit in file.chunks:
            click.echo(f"  {hit.start_line}-{hit.end_line}  {hit.kind} {printable(hit.name)}")
        return
    lines = read_lines(layout, file.path)
    shown = file.chunks if full else _best(file.chunks)
    for hit in shown:
        click.secho(
            f"  ── {hit.start_line}-{hit.end_line}  {hit.kind} {printable(hit.name)}".rstrip(),
            dim=True,
        )
        first, last = hit.start_line, min(hit.end_line, len(lines))
        if not full:
            first, last = snippet(lines, first, last, wanted)
        for number in range(first, last + 1):
            click.echo(f"  {number:>5}  {shown_line(lines[number - 1])}")
    if len(shown) < len(file.chunks):
        others = [hit for hit in file.chunks if hit not in shown]
        spans = ", ".join(f"{hit.start_line}-{hit.end_line}" for hit in others)
        click.secho(f"  also {spans}", dim=True)


def _reasons(why: tuple[str, ...]) -> None:
    """Say why a file is there, unless it is for its score alone."""
    shown = ", ".join(reason for reason in why if reason != "score")
    if shown:
        click.secho(f"  [{shown}]", dim=True, nl=False)


def _explain(answer: Answer, path: str) -> None:
    shares = answer.explanations.get(path, {})
    if shares:
        shown = ", ".join(f"{name} {value:+.2f}" for name, value in shares.items())
        click.secho(f"      {shown}", fg="magenta")


def _best(hits: tuple[ChunkHit, ...]) -> list[ChunkHit]:
    best = sorted(hits, key=lambda hit: (-hit.score, hit.start_line))[:CHUNKS_SHOWN]
    return sorted(best, key=lambda hit: hit.start_line)


def snippet(lines: list[str], first: int, last: int, wanted: frozenset[str]) -> tuple[int, int]:
    """The run of `SNIPPET_LINES` lines in ``first..last`` that holds most of the wanted terms.

    Ties go to the earliest run; without any hit it is the chunk's beginning.
    """
    if last - first < SNIPPET_LINES:
        return first, last
    hits = [
        len({part for word in words(lines[n - 1][:2000]) for part in split_word(word)[0]} & wanted)
        for n in range(first, last + 1)
    ]
    window = sum(hits[:SNIPPET_LINES])
    best, start = window, 0
    for i in range(SNIPPET_LINES, len(hits)):
        window += hits[i] - hits[i - SNIPPET_LINES]
        if window > best:
            best, start = window, i - SNIPPET_LINES + 1
    return first + start, first + start + SNIPPET_LINES - 1
