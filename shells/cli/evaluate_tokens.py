"""`quarry eval tokens`."""

from __future__ import annotations

from pathlib import Path

import click

from codequarry.errors import UsageError
from codequarry.shells.cli.options import new_file


@click.command("tokens")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--mirrors",
    type=click.Path(path_type=Path, exists=True),
    help='Local git mirrors: a directory, or a JSON file {"owner/name": "directory"}.',
)
@click.option("--cache", type=click.Path(path_type=Path), help="Where corpora are checked out.")
@click.option("--model", default="static", show_default=True, help="Embedding model.")
@click.option("-o", "out", type=new_file, help="Write the curve as a page here.")
def tokens_command(
    file: Path, mirrors: Path | None, cache: Path | None, model: str, out: Path | None
) -> int:
    """Show what reading an answer costs: relevant files found against tokens read.

    Beside it the same for grepping the question's words and reading the files that match.

    \b
    Example:
      quarry eval tokens nl63_dev.jsonl --mirrors ~/mirrors -o tokens.html
    """
    try:
        from codequarry.eval.corpora import CorpusCache, Mirrors
        from codequarry.eval.golden import load_golden
        from codequarry.eval.run import Places
        from codequarry.eval.searcher import QuarrySearcher
        from codequarry.eval.token_economy import measure, to_html, to_text
    except ImportError as error:
        raise UsageError(f"eval needs {error.name}", "pip install 'codequarry[eval]'") from error
    from codequarry.store.layout import quarry_home

    corpora = None
    if mirrors is not None:
        corpora = CorpusCache(Mirrors.at(mirrors), cache or quarry_home() / "corpora")
    economy = measure(
        load_golden(file),
        QuarrySearcher(model),
        Places(file.parent, corpora),
        lambda line: click.echo(line, err=True),
    )
    click.echo(to_text(economy))
    if out is not None:
        out.write_text(to_html(economy), encoding="utf-8")
    return 0
