"""`reindex`: the run behind ``quarry index``, in this process.

A clean index is told by one stat a file, before Dagster is imported. Otherwise the parsing
processes start first and boot while Dagster loads; then the same assets that ``dagster dev``
shows are materialised over the buckets that changed.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codequarry.assets.census.census import Census, load_census
from codequarry.assets.checkout import Checkout
from codequarry.assets.languages.lacking import lacks_grammar, without_grammar
from codequarry.errors import IndexDamaged
from codequarry.models.provider import as_remote
from codequarry.pipelines.materialize import Part, materialize
from codequarry.pipelines.preview import Preview, preview, preview_of_stored
from codequarry.pipelines.ranges import range_tags
from codequarry.settings import Settings
from codequarry.store.atomic import write_bytes, write_errors
from codequarry.store.fragments import drop_damaged
from codequarry.store.generations import (
    check_store_version,
    current_generation,
    discard_store,
    start_store,
)
from codequarry.store.layout import Layout
from codequarry.store.lock import writer_lock
from codequarry.store.progress import told_progress
from codequarry.store.vectors import drop_damaged_vectors
from codequarry.text import display_path
from codequarry.vocabulary import ParseState

Stage = Callable[[str, int], None]  # name of the stage, how many items it has
Advance = Callable[[int], None]
Consent = Callable[[Preview], None]


@dataclass(slots=True)
class RunReport:
    """What a run did; `as_json` is the documented form."""

    root: Path
    generation: str = ""
    state: str = "complete"  # or "partial": something could not be read or parsed
    up_to_date: bool = False
    files: int = 0
    chunks: int = 0
    symbols: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    trouble: list[dict[str, str]] = field(default_factory=list)
    degraded: list[dict[str, str]] = field(default_factory=list)
    without_grammar: list[dict[str, Any]] = field(default_factory=list)
    parse_states: dict[str, int] = field(default_factory=dict)
    blobs_parsed: int = 0
    vectors_computed: int = 0
    vectors_reused: int = 0
    missing_vectors: int = 0
    repaired: int = 0  # damaged files of the store that were derived anew
    seconds: dict[str, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Counts, reasons and seconds by stage."""
        return {
            "root": str(self.root),
            "generation": self.generation,
            "state": self.state,
            "up_to_date": self.up_to_date,
            "files": self.files,
            "chunks": self.chunks,
            "symbols": self.symbols,
            "skipped": self.skipped,
            "trouble": self.trouble,
            "degraded": self.degraded,
            "without_grammar": self.without_grammar,
            "parse_states": self.parse_states,
            "blobs_parsed": self.blobs_parsed,
            "vectors_computed": self.vectors_computed,
            "vectors_reused": self.vectors_reused,
            "missing_vectors": self.missing_vectors,
            "repaired": self.repaired,
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
        }


def reindex(
    root: Path,
    settings: Settings,
    *,
    rebuild: bool = False,
    force: bool = False,
    wait_seconds: float = 0.0,
    stage: Stage | None = None,
    advance: Advance | None = None,
    consent: Consent | None = None,
) -> RunReport:
    """Bring the index of the tree at ``root`` up to date.

    Args:
        root: the repository.
        settings: its settings.
        rebuild: throw facts and vectors away first; the live generation serves meanwhile.
        force: rebuild, and do without the vectors that other checkouts have left too.
        wait_seconds: how long to wait for another run; negative waits for ever.
        stage: told when a stage starts, and how many items it has.
        advance: told how many items are done.
        consent: asked before texts go to a remote model, with what would be sent; raises to stop.

    Raises:
        IndexBusy: another run is at work.
        IndexVersionError: the store is a newer one; it is left as it is.
        StoreWriteError: the disk refused; the live generation still serves.
        ProviderError: a remote model failed; what was computed is kept.
    """
    layout = Layout.of(root)
    same_version = check_store_version(layout)
    started = time.perf_counter()
    with (
        writer_lock(layout, wait_seconds),
        told_progress(layout, stage, advance) as (stage, advance),
    ):
        checkout = Checkout(root, settings, layout, advance, locked=True, covered=True)
        checkout.rebuild = rebuild or force or not same_version
        checkout.force = force
        if checkout.rebuild:
            if consent is not None and as_remote(checkout.model) is not None:
                consent(preview(checkout, fresh=True))  # before anything is thrown away
                consent = None
            discard_store(layout)
        start_store(layout)
        try:
            return Run(checkout, stage, consent).run(started)
        except IndexDamaged:
            repaired = drop_damaged(layout) + drop_damaged_vectors(layout)
            if not repaired:
                raise
        with write_errors(layout.state):
            layout.census.unlink(missing_ok=True)  # nothing is known of what is stored
        checkout = Checkout(root, settings, layout, advance, locked=True, covered=True, force=force)
        return Run(checkout, stage, consent).run(started, repaired)


def preview_run(
    root: Path, settings: Settings, *, fresh: bool = False, force: bool = False
) -> Preview:
    """Count what `reindex` would do; nothing is written, nobody is asked over the network.

    Args:
        root: the repository.
        settings: its settings.
        fresh: as for a rebuild.
        force: as for a forced one.
    """
    layout = Layout.of(root)
    fresh = fresh or force or not check_store_version(layout)
    return preview(Checkout(root, settings, layout, force=force), fresh=fresh)


class Run:
    """One run over a checkout whose lock is held."""

    def __init__(self, checkout: Checkout, stage: Stage, consent: Consent | None) -> None:
        self.checkout = checkout
        self._stage = checkout.stage = stage
        self._consent = consent
        self._report = RunReport(checkout.root)

    def run(self, started: float, repaired: int = 0) -> RunReport:
        """Do what is missing; ``repaired`` files of the store were thrown away before."""
        checkout, report = self.checkout, self._report
        report.repaired = repaired
        self._stage("census", 0)
        previous = load_census(checkout.layout.census)
        checkout.regain_grammars()
        census = checkout.take_census(previous)
        report.seconds["census"] = time.perf_counter() - started
        # without a census of a finished run, stored facts and vectors may be incomplete
        if previous is not None and checkout.is_clean(census) and not checkout.rebuild:
            report.up_to_date = True
            if previous.entries != census.entries or census.opened:
                checkout.accept_census()
            checkout.pending_census.unlink(missing_ok=True)
            self._counts_of_live()
        else:
            self._materialize()
        self._finish(census, started)
        return report

    def _materialize(self) -> None:
        checkout, report = self.checkout, self._report
        dirty = checkout.dirty()
        buckets = checkout.touched_buckets(dirty)
        jobs = sum(len(some) for some in dirty.values())
        try:
            checkout.start_parsing(dirty)
            self._stage("facts", jobs)
            seconds = self.make(buckets)
        finally:
            checkout.stop_pool()
        report.seconds.update({name: value for name, value in seconds.items() if name != "census"})
        snapshot = checkout.snapshot
        assert snapshot is not None
        report.generation = snapshot.generation
        report.files, report.chunks = snapshot.files, snapshot.chunks
        report.symbols, report.missing_vectors = snapshot.symbols, snapshot.missing_vectors
        report.blobs_parsed = checkout.facts_report.parsed
        report.vectors_computed = checkout.vector_report.computed
        if checkout.model is not None:
            needed = snapshot.chunks + snapshot.files - snapshot.missing_vectors
            report.vectors_reused = max(0, needed - report.vectors_computed)

    def make(self, buckets: list[str]) -> dict[str, float]:
        """All assets in one run, or facts before and the rest after somebody has said yes."""
        tags = range_tags(buckets) if buckets else {}
        if not tags or as_remote(self.checkout.model) is None:
            return materialize(self.checkout, tags)
        seconds = materialize(self.checkout, tags, Part.FACTS)
        self.agree()
        after = materialize(self.checkout, tags, Part.REST)
        return {**after, **seconds, "import": seconds["import"] + after["import"]}

    def agree(self) -> None:
        """Ask for consent to what a remote model would be sent; for others there is no question."""
        if as_remote(self.checkout.model) is None:
            return
        planned = preview_of_stored(self.checkout)
        if self._consent is not None:
            self._consent(planned)
        self._stage("embeddings", planned.texts_to_embed)

    def _counts_of_live(self) -> None:
        folder = current_generation(self.checkout.layout)
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        report = self._report
        report.generation = manifest["id"]
        report.files, report.chunks = manifest["files"], manifest["chunks"]
        report.symbols = manifest["symbols"]
        if manifest["model_key"]:
            report.vectors_reused = report.chunks + report.files

    def _finish(self, census: Census, started: float) -> None:
        report, layout = self._report, self.checkout.layout
        report.skipped = census.skip_counts
        report.trouble = [
            {"path": display_path(e.path), "reason": e.skip, "detail": e.detail}
            for e in census.trouble
        ]
        missing = self.checkout.facts_report.missing
        report.trouble += [
            {"path": display_path(e.path), "reason": "not_parsed", "detail": missing[e.blob]}
            for e in census.indexed
            if e.blob in missing
        ]
        self._parse_states(layout)
        if report.trouble or report.missing_vectors:
            report.state = "partial"
        report.seconds["total"] = time.perf_counter() - started
        with write_errors(layout.state):
            write_bytes(layout.last_run, json.dumps(report.as_json(), indent=1).encode() + b"\n")

    def _parse_states(self, layout: Layout) -> None:
        """Files by parse state, and those that were cut without their syntax, with why."""
        import pyarrow as pa

        report, folder = self._report, current_generation(layout)
        with pa.memory_map(str(folder / "files.arrow")) as mapped:
            table = pa.ipc.open_file(mapped).read_all()
            path, language, state, reason = (
                table[name].to_pylist() for name in ("path", "language", "state", "reason")
            )
        report.parse_states = dict(sorted(Counter(state).items()))
        report.degraded = [
            {"path": a, "reason": c}
            for a, b, c in zip(path, state, reason, strict=True)
            if b == ParseState.FALLBACK and not lacks_grammar(b, c)
        ]
        report.without_grammar = without_grammar(language, state, reason)
