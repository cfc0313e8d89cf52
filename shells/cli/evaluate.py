"""`quarry eval`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from codequarry.errors import UsageError
from codequarry.retrieval.filters import Content
from codequarry.retrieval.ranking import Profile
from codequarry.shells.cli.evaluate_brainbench import brainbench_command
from codequarry.shells.cli.evaluate_chunks import chunks_command
from codequarry.shells.cli.evaluate_fit import fit_command
from codequarry.shells.cli.evaluate_scale import scale_command
from codequarry.shells.cli.evaluate_tokens import tokens_command
from codequarry.shells.cli.evaluate_walkthroughs import walkthroughs_command
from codequarry.shells.cli.options import F

if TYPE_CHECKING:
    from codequarry.eval.record import Run


def _outcome_options(function: F) -> F:
    """Add what every run takes: a narrator to ask too, the record, the gate."""
    options = (
        click.option(
            "--narrator",
            type=click.Choice(["extractive", "openai", "claude"]),
            help="Ask it too: the files that its answer cites are the ranking.",
        ),
        click.option("--chat-model", default="", metavar="NAME", help="The narrator's chat model."),
        click.option(
            "-o", "out", type=click.Path(path_type=Path), help="Write the run record here."
        ),
        click.option(
            "--gate",
            "baseline",
            type=click.Path(path_type=Path, exists=True, dir_okay=False),
            help="Fail when the run is worse than this baseline.",
        ),
        click.option(
            "--save-baseline",
            type=click.Path(path_type=Path),
            help="Write this run as the baseline.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


@click.group("eval")
def eval_command() -> None:
    """Measure retrieval, compare runs, and gate a change."""


eval_command.add_command(brainbench_command)
eval_command.add_command(chunks_command)
eval_command.add_command(scale_command)
eval_command.add_command(fit_command)
eval_command.add_command(tokens_command)
eval_command.add_command(walkthroughs_command)


@eval_command.command("golden")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--mirrors",
    type=click.Path(path_type=Path, exists=True),
    help='Local git mirrors: a directory, or a JSON file {"owner/name": "directory"}.',
)
@click.option("--cache", type=click.Path(path_type=Path), help="Where corpora are checked out.")
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    type=click.Choice([profile.value for profile in Profile]),
    help="Ranker to measure; repeat it for several. All when not given.",
)
@click.option("--model", default="static", show_default=True, help="Embedding model.")
@click.option(
    "--content",
    type=click.Choice([content.value for content in Content]),
    default=Content.CODE.value,
    show_default=True,
)
@_outcome_options
def golden_command(
    file: Path,
    mirrors: Path | None,
    cache: Path | None,
    profiles: tuple[str, ...],
    model: str,
    content: str,
    narrator: str | None,
    chat_model: str,
    out: Path | None,
    baseline: Path | None,
    save_baseline: Path | None,
) -> int:
    """Ask every question of a golden set and report how well its files are found.

    \b
    Example:
      quarry eval golden nl63_dev.jsonl --mirrors ~/mirrors --profile hybrid -o run/
    """
    try:
        from codequarry.eval.corpora import CorpusCache, Mirrors
        from codequarry.eval.golden import load_golden
        from codequarry.eval.run import Places, run_golden
        from codequarry.eval.searcher import QuarrySearcher
    except ImportError as error:
        raise UsageError(f"eval needs {error.name}", "pip install 'codequarry[eval]'") from error
    from codequarry.store.layout import quarry_home

    golden = load_golden(file)
    corpora = None
    if mirrors is not None:
        corpora = CorpusCache(Mirrors.at(mirrors), cache or quarry_home() / "corpora")
    chosen = profiles or tuple(profile.value for profile in Profile)
    run = run_golden(
        golden,
        QuarrySearcher(model, Content(content), narrator or "", chat_model),
        Places(file.parent, corpora),
        profiles=chosen,
        parameters=_narrated(narrator, chat_model),
        progress=lambda line: click.echo(line, err=True),
    )
    return _outcome(run, chosen[0], out, baseline, save_baseline)


@eval_command.command("swebench")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--mirrors",
    type=click.Path(path_type=Path, exists=True),
    required=True,
    help='Local git mirrors: a directory, or a JSON file {"owner/name": "directory"}.',
)
@click.option("--cache", type=click.Path(path_type=Path), help="Where stores are kept.")
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    type=click.Choice([profile.value for profile in Profile]),
    default=(Profile.LINEAR.value,),
    show_default=True,
    help="Ranker to measure; repeat it for several.",
)
@click.option("--model", default="static", show_default=True, help="Embedding model.")
@click.option("--limit", type=click.IntRange(min=1), help="Only the first questions.")
@click.option("--repos", default="", help="Only of these repositories, owner/name,owner/name.")
@_outcome_options
def swebench_command(
    file: Path,
    mirrors: Path,
    cache: Path | None,
    profiles: tuple[str, ...],
    model: str,
    limit: int | None,
    repos: str,
    narrator: str | None,
    chat_model: str,
    out: Path | None,
    baseline: Path | None,
    save_baseline: Path | None,
) -> int:
    """Ask issues, each at the commit it was filed at, and report which changed files are found.

    Nothing is checked out: commits are indexed from git's objects, from the oldest to the newest
    of a repository, in one store that stays in the cache.

    \b
    Example:
      quarry eval swebench swe-bench-lite.parquet --mirrors ~/mirrors -o run/
    """
    try:
        from codequarry.eval.corpora import Mirrors
        from codequarry.eval.golden import load_golden
        from codequarry.eval.searcher import QuarrySearcher
        from codequarry.eval.swebench import chosen, run_swebench
    except ImportError as error:
        raise UsageError(f"eval needs {error.name}", "pip install 'codequarry[eval]'") from error
    from codequarry.store.layout import quarry_home

    named = [name.strip() for name in repos.split(",") if name.strip()]
    parts = {"repos": ",".join(named), "limit": str(limit or "")}
    run = run_swebench(
        chosen(load_golden(file), named, limit or 0),
        QuarrySearcher(model, narrator=narrator or "", chat_model=chat_model),
        Mirrors.at(mirrors),
        cache or quarry_home() / "swebench",
        profiles=profiles,
        parameters=[
            *(f"{name}={value}" for name, value in parts.items() if value),
            *_narrated(narrator, chat_model),
        ],
        progress=lambda line: click.echo(line, err=True),
    )
    return _outcome(run, profiles[0], out, baseline, save_baseline)


def _narrated(narrator: str | None, chat_model: str) -> list[str]:
    """For the record: whose citations ranked."""
    if narrator is None:
        return []
    return [f"narrator={narrator}", *([f"chat_model={chat_model}"] if chat_model else [])]


def _outcome(
    run: Run, profile: str, out: Path | None, baseline: Path | None, save_baseline: Path | None
) -> int:
    """Print and keep what a run gave; the exit status, 1 where the gate is shut."""
    from codequarry.eval import gate
    from codequarry.eval.output import write_run
    from codequarry.eval.summary import summarise, to_text

    click.echo(to_text(summarise(run)))
    if out is not None:
        write_run(run, out)
    if save_baseline is not None:
        gate.save_baseline(gate.baseline_of(run, profile), save_baseline)
    if baseline is not None:
        failures = gate.gate(run, gate.load_baseline(baseline))
        for failure in failures:
            click.echo(f"gate: {failure}", err=True)
        return 1 if failures else 0
    return 0


@eval_command.command("compare")
@click.argument("first", type=click.Path(path_type=Path, exists=True))
@click.argument("second", type=click.Path(path_type=Path, exists=True))
@click.option("--profile", "profiles", nargs=2, help="Profile of the first and of the second run.")
def compare_command(first: Path, second: Path, profiles: tuple[str, str] | None) -> int:
    """Compare two recorded runs question by question."""
    from codequarry.eval.compare import compare, to_text
    from codequarry.eval.record import load_run

    a, b = load_run(first), load_run(second)
    chosen = profiles or (a.record.profiles[0], b.record.profiles[0])
    click.echo(to_text(compare(a, b, *chosen)))
    return 0
