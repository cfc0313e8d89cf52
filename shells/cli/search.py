"""`quarry search`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from codequarry.errors import (
    IndexNotFound,
    IndexVersionError,
    ModelMismatch,
    QuarryError,
    UsageError,
)
from codequarry.retrieval.filters import Content, Filters
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.index import (
    ISSUE_TOKENS,
    Index,
    Mode,
    Options,
    open_index,
    revision_layout,
)
from codequarry.retrieval.ranking import Profile
from codequarry.settings import load_settings
from codequarry.shells.cli.context import show_context
from codequarry.shells.cli.options import Place, json_option, place_of, rev_option, where
from codequarry.shells.cli.output import print_json, printable
from codequarry.shells.cli.render import render_answer
from codequarry.store.layout import Layout


@click.command("search")
@click.argument("words", nargs=-1)
@where
@json_option
@rev_option
@click.option(
    "--batch",
    type=click.File("r", encoding="utf-8", errors="replace"),
    help="One query a line (- stdin).",
)
@click.option("--lang", "languages", multiple=True, help="Only files of this language.")
@click.option("--symbol-kind", "kinds", multiple=True, help="Only chunks that define one.")
@click.option("--role", "roles", multiple=True, help="Only code, test, docs, config or data files.")
@click.option("--glob", "globs", multiple=True, help="Only paths matching a gitignore pattern.")
@click.option("--in", "scope", default="", help="Only below this path.")
@click.option(
    "--content",
    type=click.Choice([c.value for c in Content]),
    default=Content.CODE.value,
    show_default=True,
    help="Answer from code, from documentation, or from all.",
)
@click.option("--ranker", type=click.Choice([p.value for p in Profile]), help="Ranking profile.")
@click.option(
    "--mode",
    type=click.Choice([m.value for m in Mode]),
    default=Mode.AUTO.value,
    show_default=True,
    help=f"Read it as a question or as a pasted issue; auto: an issue over {ISSUE_TOKENS} words.",
)
@click.option("--explain", is_flag=True, help="Show what each feature adds to a file's score.")
@click.option(
    "--walk-depth", type=click.IntRange(0, 2), default=0, help="Follow edges, 1 or 2 hops."
)
@click.option("--near-symbol", default="", metavar="NAME", help="Answer from around a symbol.")
@click.option(
    "--context",
    type=click.Choice(["files", "full"]),
    default="files",
    help="With --near-symbol: `full` shows its code, callers, callees, tests and guides.",
)
@click.option("--full", is_flag=True, help="Show whole chunks of the CORE files.")
@click.option("--no-code", is_flag=True, help="Show no code.")
@click.pass_context
def search_command(ctx: click.Context, /, words: tuple[str, ...], **given: Any) -> int:
    """Find every file that bears on a question, ranked and complete.

    A repository that was never indexed is indexed first.

    \b
    Examples:
      quarry search "how does login work"
      quarry search --lang python --symbol-kind class session store
      quarry search --near-symbol Session.save --context full
      quarry search --batch questions.txt --json
      quarry search --rev v1.2 "where was the cache cleared"
    """
    place = place_of(ctx, given["path"])
    batch, as_json = given["batch"], given["as_json"]
    near = given["near_symbol"]
    if given["context"] == "full" and not near:
        raise UsageError("--context full needs a symbol", "give --near-symbol NAME")
    if batch is None and not " ".join(words).strip() and not near:
        raise UsageError("no question given", 'for example: quarry search "how does login work"')
    if batch is not None and words:
        raise UsageError("a question and --batch together", "give one of them")
    settings = load_settings(place.root)
    options = Options(
        _profile(given["ranker"] or settings.ranker),
        _filters(place, given),
        explain=given["explain"],
        walk_depth=given["walk_depth"],
        near_symbol=near,
        mode=Mode(given["mode"]),
    )
    index = open_or_make(place, as_json, given["rev"])
    if batch is not None:
        return _batch(index, batch, options)
    if given["context"] == "full":
        return show_context(index.generation, near, as_json=as_json)
    answer = index.search(" ".join(words), options)
    if as_json:
        print_json(answer.as_json())
    else:
        layout = index.generation.layout
        render_answer(layout, answer, full=given["full"], code=not given["no_code"])
    return 0 if answer.paths else 1


def open_or_make(place: Place, quiet: bool = False, rev: str | None = None) -> Index:
    """Open the index; make it first where there is none (or one of an older version)."""
    try:
        return open_index(place.root, rev=rev)
    except IndexNotFound:
        of = f" at {printable(rev)}" if rev else ""
        click.echo(f"indexing {place.root}{of} (first time)", err=True)
    except IndexVersionError as error:
        if error.hint != "run: quarry index":
            raise
        click.echo(f"{error.message}: indexing anew", err=True)
    except ModelMismatch:
        if not _only_upgraded(place.root, rev):
            raise
        click.echo("the embedded model is a newer one: embedding anew", err=True)
    from codequarry.shells.cli.index import print_summary, run_index

    report = run_index(place.root, load_settings(place.root), wait=-1, quiet=quiet, rev=rev)
    if not report.files:
        print_summary(report)
    return open_index(place.root, rev=rev)


def _only_upgraded(root: Path, rev: str | None) -> bool:
    """Whether index and settings both mean the embedded model, in two versions."""
    layout = Layout.of(root) if rev is None else revision_layout(root, rev)
    made_with = str(Generation.open(layout).manifest["model"])
    return load_settings(root).model == "static" and made_with.startswith("static:")


def _profile(name: str) -> Profile:
    try:
        return Profile(name)
    except ValueError:
        known = ", ".join(profile.value for profile in Profile)
        raise UsageError(f"unknown ranker {name!r}", f"one of: {known}") from None


def _filters(place: Place, given: dict[str, Any]) -> Filters:
    return Filters(
        scope=given["scope"] or place.scope,
        languages=given["languages"],
        roles=given["roles"],
        kinds=given["kinds"],
        globs=given["globs"],
        content=Content(given["content"]),
    )


def _batch(index: Index, lines: Iterator[str], options: Options) -> int:
    """Answer one query a line, one JSON line each, in one process."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        identity = None
        try:
            identity, query = _query_of(line.rstrip("\n"), number)
            document = index.search(query, options).as_json()
        except QuarryError as error:  # of this line only: the others are answered
            document = {"line": number, **error.envelope()}
        if identity is not None:
            document = {"id": identity, **document}
        sys.stdout.write(json.dumps(document) + "\n")
    sys.stdout.flush()
    return 0


def _query_of(line: str, number: int) -> tuple[Any, str]:
    if not line.lstrip().startswith("{"):
        return None, line
    try:
        row = json.loads(line)
    except ValueError:
        return None, line  # a question may begin with a brace
    if not isinstance(row.get("query"), str):
        raise UsageError(f'batch line {number}: no string "query"', 'write {"id": 1, "query": "…"}')
    return row.get("id"), row["query"]
