"""Open an index, or make it where there is none that this version can read."""

from __future__ import annotations

from pathlib import Path

import click

from codequarry.errors import IndexNotFound, IndexVersionError, ModelMismatch
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.index import Index, open_index, revision_layout
from codequarry.settings import load_settings
from codequarry.shells.cli.options import Place
from codequarry.shells.cli.output import printable
from codequarry.store.layout import Layout


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
