"""`quarry eval walkthroughs`."""

from __future__ import annotations

from pathlib import Path

import click

from codequarry.errors import QuarryError, UsageError


@click.command("walkthroughs")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--mirrors",
    type=click.Path(path_type=Path, exists=True),
    help='Local git mirrors: a directory, or a JSON file {"owner/name": "directory"}.',
)
@click.option("--cache", type=click.Path(path_type=Path), help="Where corpora are checked out.")
@click.option("--model", default="static", show_default=True, help="Embedding model.")
def walkthroughs_command(file: Path, mirrors: Path | None, cache: Path | None, model: str) -> int:
    """Show and score what answers without a model tell, step by step.

    \b
    Example:
      quarry eval walkthroughs eval/goldens/ask_walkthroughs.jsonl --mirrors ~/mirrors
    """
    try:
        from codequarry.eval.corpora import CorpusCache, Mirrors
        from codequarry.eval.run import Places
        from codequarry.eval.searcher import QuarrySearcher
        from codequarry.eval.walkthroughs import ask_walks, load_walks
    except ImportError as error:
        raise UsageError(f"eval needs {error.name}", "pip install 'codequarry[eval]'") from error
    from codequarry.store.layout import quarry_home

    corpora = None
    if mirrors is not None:
        corpora = CorpusCache(Mirrors.at(mirrors), cache or quarry_home() / "corpora")
    met = good = asked = 0
    for walk, found in ask_walks(
        load_walks(file), QuarrySearcher(model), Places(file.parent, corpora)
    ):
        if isinstance(found, QuarryError):
            click.echo(f"not asked: {walk.repo}: {walk.question}: {found.message}\n", err=True)
            continue
        met, good, asked = met + found.met, good + walk.good, asked + 1
        steps = [f"  {n}. {step}" for n, step in enumerate(found.steps, 1)]
        person = f"{'good' if walk.good else 'not good'}: {walk.why}"
        head = f"{walk.repo}: {walk.question}"
        click.echo("\n".join((head, *steps, f"  {found.marks}; a person: {person}\n")))
    if not asked:
        raise UsageError("no question could be asked", "give the mirrors of the repositories")
    click.echo(f"{asked} questions: {met} meet the score, {good} marked good by a person")
    return 0
