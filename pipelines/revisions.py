"""Index a revision from git's objects, in this process: no checkout, no Dagster.

Facts and vectors are those of the whole store, so a revision costs what no tree had before. The
steps are those that the assets take, one after the other, and the generation is the same bytes.
The live index of the work tree is not touched.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path

from codequarry.assets.checkout import Checkout
from codequarry.assets.facts.pool import ParsePool
from codequarry.errors import IndexDamaged
from codequarry.gitobjects import close_readers, read_path, resolve_tree
from codequarry.pipelines.reindex import Advance, Consent, Run, RunReport, Stage
from codequarry.settings import Settings, load_settings
from codequarry.store.fragments import drop_damaged
from codequarry.store.generations import check_store_version, discard_store, start_store
from codequarry.store.layout import BUCKETS, Layout
from codequarry.store.lock import writer_lock
from codequarry.store.progress import told_progress
from codequarry.store.revisions import drop_unused, mark_used
from codequarry.store.vectors import drop_damaged_vectors

_SETTINGS_FILES = ("quarry.toml", "pyproject.toml")


def index_revision(
    root: Path,
    settings: Settings,
    revision: str,
    *,
    layout: Layout | None = None,
    bring_back: tuple[str, ...] = (),
    pool: ParsePool | None = None,
    wait_seconds: float = 0.0,
    stage: Stage | None = None,
    advance: Advance | None = None,
    consent: Consent | None = None,
) -> RunReport:
    """Bring the index of a revision up to date.

    Args:
        root: the repository, bare or not.
        settings: the user's; which files are indexed is for the revision's own to say.
        revision: whatever git takes for a commit, a tag or a tree.
        layout: the store; the repository's own when not given.
        bring_back: built-in skips that are off in this run.
        pool: parsing processes to use, for a caller that indexes many; they are not ended.
        wait_seconds: how long to wait for another run; negative waits for ever.
        stage: told when a stage starts, and how many items it has.
        advance: told how many items are done.
        consent: asked before texts go to a remote model; raises to stop.

    Raises:
        GitError: there is no such revision, or it cannot be read.
        IndexBusy, IndexVersionError, StoreWriteError, ProviderError: see `reindex`.
    """
    started = time.perf_counter()
    store = layout or Layout.of(root)
    tree = resolve_tree(root, revision)
    settings = settings_of(root, tree, settings, bring_back)
    same_version = check_store_version(store)
    with (
        writer_lock(store, wait_seconds),
        told_progress(store, stage, advance) as (told_stage, told_advance),
    ):
        if not same_version:
            discard_store(store)
        start_store(store)

        def attempt(repaired: int = 0) -> RunReport:
            checkout = Checkout(
                root, settings, store.at(tree), told_advance, locked=True, covered=True
            )
            checkout.lent_pool = pool
            run = _RevisionRun(checkout, told_stage, consent)
            return run.run(started, repaired)

        try:
            report = attempt()
        except IndexDamaged:
            repaired = drop_damaged(store) + drop_damaged_vectors(store)
            if not repaired:
                raise
            store.census.unlink(missing_ok=True)  # what it says is stored may be gone
            report = attempt(repaired)
        finally:
            close_readers()
        mark_used(store.at(tree))
        drop_unused(store, settings.keep_revisions)
    return report


def checkout_of(
    root: Path, settings: Settings, revision: str, bring_back: tuple[str, ...] = ()
) -> Checkout:
    """A revision as assets work on it, for looking at what a run would do.

    Raises:
        GitError: there is no such revision.
    """
    tree = resolve_tree(root, revision)
    settings = settings_of(root, tree, settings, bring_back)
    return Checkout(root, settings, Layout.of(root).at(tree))


def settings_of(root: Path, tree: str, own: Settings, bring_back: tuple[str, ...]) -> Settings:
    """The user's settings, with what the revision itself says of which files are indexed.

    Which model gets the text, and where that is, an old revision cannot say.
    """
    with tempfile.TemporaryDirectory(prefix="quarry-") as folder:
        for name in _SETTINGS_FILES:
            try:
                (Path(folder) / name).write_bytes(read_path(root, tree, name))
            except FileNotFoundError:
                continue
        theirs = load_settings(Path(folder))
    return replace(
        own,
        name=own.name or theirs.name or root.resolve().name.removesuffix(".git"),
        exclude=theirs.exclude,
        include=theirs.include,
        bring_back=tuple(dict.fromkeys((*theirs.bring_back, *bring_back))),
        max_file_bytes=theirs.max_file_bytes,
    )


class _RevisionRun(Run):
    def make(self, buckets: list[str]) -> dict[str, float]:
        """Facts, vectors and generation, without Dagster."""
        checkout, clock = self.checkout, time.perf_counter
        marks = [clock()]
        checkout.facts_report = checkout.build_facts(list(BUCKETS))
        marks.append(clock())
        self.agree()
        for report in checkout.embed(list(BUCKETS)).values():
            checkout.vector_report += report
        marks.append(clock())
        checkout.publish()
        marks.append(clock())
        names = ("facts", "embeddings", "snapshot")
        return {name: b - a for name, a, b in zip(names, marks, marks[1:], strict=False)}
