"""`quarry search`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from codequarry.errors import MissingAPIKey, QuarryError, UsageError
from codequarry.retrieval.answer import Answer
from codequarry.retrieval.filters import Content, Filters
from codequarry.retrieval.index import ISSUE_TOKENS, Index, Mode, Options
from codequarry.retrieval.ranking import Profile
from codequarry.settings import Settings, load_settings
from codequarry.shells.cli.context import show_context
from codequarry.shells.cli.opening import open_or_make
from codequarry.shells.cli.options import (
    Place,
    json_option,
    place_at,
    place_of,
    question_of,
    rev_option,
    stdin_option,
    where,
)
from codequarry.shells.cli.output import print_json
from codequarry.shells.cli.render import render_answer
from codequarry.shells.cli.search_forms import show_many, show_packed, show_pruned


@click.command("search")
@click.argument("words", nargs=-1)
@where
@json_option
@stdin_option
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
@click.option(
    "--also",
    multiple=True,
    metavar="PATH",
    type=click.Path(path_type=Path, exists=True),
    help="Ask this repository too; repeat it for several.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(min=0),
    help="Fit the answer in so many tokens: code shrinks, no file is dropped.",
)
@click.option("--prune", is_flag=True, help="Only the chunks that say something, best first.")
@click.option("--best", is_flag=True, help="Let a chat model reorder the files, within a place.")
@click.option("--model", default="", metavar="NAME", help="The chat model of --best.")
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
      quarry search --stdin < issue.md
      quarry search --batch questions.txt --json
      quarry search --rev v1.2 "where was the cache cleared"
      quarry search --also ../client --also ../server "how is a token refreshed"
      quarry search --max-tokens 2000 "how does login work"
    """
    question = question_of(words, from_stdin=given["from_stdin"])
    place = place_of(ctx, given["path"])
    batch, as_json = given["batch"], given["as_json"]
    near = given["near_symbol"]
    _check(question, given)
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
    if given["also"]:
        if options.filters.scope:
            raise UsageError("--also asks whole repositories", "leave out --in and the sub-folder")
        others = [place_at(path) for path in given["also"]]
        indexes = [index, *(open_or_make(other, as_json) for other in others)]
        return show_many(indexes, question, options, as_json=as_json)
    answer = index.search(question, options)
    if given["best"]:
        answer = _reranked(index, answer, settings, given["model"])
    if given["prune"]:
        return show_pruned(answer, as_json=as_json)
    if given["max_tokens"] is not None:
        return show_packed(index.generation, answer, given["max_tokens"], as_json=as_json)
    if as_json:
        print_json(answer.as_json())
    else:
        layout = index.generation.layout
        render_answer(layout, answer, full=given["full"], code=not given["no_code"])
    return 0 if answer.paths else 1


def _reranked(index: Index, answer: Answer, settings: Settings, model: str) -> Answer:
    """The answer in the order of a chat model; in retrieval's where that cannot be asked."""
    from codequarry.ask.rerank import rerank  # nothing of a model is loaded without --best
    from codequarry.models.chat import open_chat

    try:
        return rerank(index.generation, answer, open_chat(settings, model))
    except MissingAPIKey as error:
        return replace(answer, notes=(*answer.notes, f"not reranked: {error.message}"))


def _check(question: str, given: dict[str, Any]) -> None:
    """Raise `UsageError` for options that do not go together."""
    if given["context"] == "full" and not given["near_symbol"]:
        raise UsageError("--context full needs a symbol", "give --near-symbol NAME")
    if given["batch"] is None and not question and not given["near_symbol"]:
        raise UsageError("no question given", 'for example: quarry search "how does login work"')
    if given["batch"] is not None and question:
        raise UsageError("a question and --batch together", "give one of them")
    forms = {
        "--also": bool(given["also"]),
        "--prune": given["prune"],
        "--max-tokens": given["max_tokens"] is not None,
        "--batch": given["batch"] is not None,
        "--context full": given["context"] == "full",
    }
    together = [name for name, is_given in forms.items() if is_given]
    if len(together) > 1:
        raise UsageError(f"{' and '.join(together)} together", "give one of them")
    if given["best"] and together not in ([], ["--prune"], ["--max-tokens"]):
        raise UsageError(f"--best and {together[0]} together", "give one of them")


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
