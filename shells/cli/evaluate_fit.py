"""`quarry eval fit`."""

from __future__ import annotations

import json
import math
from pathlib import Path

import click

from codequarry.errors import UsageError
from codequarry.shells.cli.options import new_file


@click.command("fit")
@click.argument("sets", nargs=-1, required=True)
@click.option(
    "--mirrors",
    type=click.Path(path_type=Path, exists=True),
    required=True,
    help='Local git mirrors: a directory, or a JSON file {"owner/name": "directory"}.',
)
@click.option("--cache", type=click.Path(path_type=Path), help="Where corpora are checked out.")
@click.option("--model", default="static", show_default=True, help="Embedding model.")
@click.option("-o", "out", type=new_file, help="Write the weights here.")
def fit_command(
    sets: tuple[str, ...], mirrors: Path, cache: Path | None, model: str, out: Path | None
) -> int:
    """Fit the weights of the linear ranker on golden sets, each FILE or FILE=WEIGHT.

    With the model `quality` the weights for its descriptions are fitted too.

    \b
    Example:
      quarry eval fit nl63_dev.jsonl commits_dev.jsonl=0.4 --mirrors ~/mirrors -o linear.json
    """
    try:
        from codequarry.eval.corpora import CorpusCache, Mirrors
        from codequarry.eval.fit import USED, Example, cross_validate, examples, fit
        from codequarry.eval.golden import load_golden
        from codequarry.eval.run import Places
        from codequarry.eval.searcher import QuarrySearcher
    except ImportError as error:
        raise UsageError(f"eval needs {error.name}", "pip install 'codequarry[eval]'") from error
    from codequarry.models.registry import QUALITY
    from codequarry.retrieval.linear import Signals
    from codequarry.store.layout import quarry_home

    weighed = [_weighed(given) for given in sets]  # all of them, before hours of work
    goldens = [(load_golden(path), path, weight) for path, weight in weighed]
    corpora = CorpusCache(Mirrors.at(mirrors), cache or quarry_home() / "corpora")
    searcher = QuarrySearcher(model)
    data: list[Example] = []
    spans = []
    for golden, path, weight in goldens:
        made = examples(golden.rows, searcher, Places(path.parent, corpora), weight, click.echo)
        spans.append((golden.name, len(data), len(data) + len(made)))
        data += made
    document: dict[str, object] = {
        "fitted_on": [Path(given).name for given in sets],
        "model": searcher.model,
    }
    for key, names in USED.items():
        if key is Signals.DESCRIPTIONS and model != QUALITY:
            continue
        held = cross_validate(data, names)
        for name, start, end in spans:
            mean = sum(held[i] for i in range(start, end)) / max(1, end - start)
            click.echo(f"{key}: {name} NDCG@10 {mean:.4f} on held-out repositories")
            document[f"held_out_{key}_{name}"] = round(mean, 4)
        document[key] = {name: round(w, 4) for name, w in fit(data, names).items()}
    if out is not None:
        out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


def _weighed(given: str) -> tuple[Path, float]:
    """``FILE=WEIGHT``, the weight 1 when not given.

    Raises:
        UsageError: the weight is no number above 0.
    """
    name, _, written = given.partition("=")
    try:
        weight = float(written or 1)
    except ValueError:
        weight = math.nan
    if not 0 < weight < math.inf:
        raise UsageError(f"{written!r} is no weight", "for example: commits.jsonl=0.4")
    return Path(name), weight
