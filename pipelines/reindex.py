"""`reindex`: the run behind ``quarry index``, in this process.

A clean index is told by one stat a file, before Dagster is imported. Otherwise the parsing
processes start first and boot while Dagster loads; then the same assets that ``dagster dev``
shows are materialised over the buckets that changed.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codequarry.assets.census.census import Census, load_census, save_census
from codequarry.assets.checkout import Checkout
from codequarry.pipelines.ranges import range_tags
from codequarry.settings import Settings
from codequarry.store.atomic import write_bytes, write_errors
from codequarry.store.generations import (
    check_store_version,
    current_generation,
    discard_store,
    start_store,
)
from codequarry.store.layout import Layout
from codequarry.store.lock import writer_lock

if TYPE_CHECKING:
    import dagster as dg

Stage = Callable[[str, int], None]  # name of the stage, how many items it has
Advance = Callable[[int], None]


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
    parse_states: dict[str, int] = field(default_factory=dict)
    blobs_parsed: int = 0
    vectors_computed: int = 0
    vectors_reused: int = 0
    missing_vectors: int = 0
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
            "parse_states": self.parse_states,
            "blobs_parsed": self.blobs_parsed,
            "vectors_computed": self.vectors_computed,
            "vectors_reused": self.vectors_reused,
            "missing_vectors": self.missing_vectors,
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
        }


def reindex(
    root: Path,
    settings: Settings,
    *,
    rebuild: bool = False,
    wait_seconds: float = 0.0,
    stage: Stage | None = None,
    advance: Advance | None = None,
) -> RunReport:
    """Bring the index of the tree at ``root`` up to date.

    Args:
        root: the repository.
        settings: its settings.
        rebuild: throw facts and vectors away first.
        wait_seconds: how long to wait for another run; negative waits for ever.
        stage: told when a stage starts, and how many items it has.
        advance: told how many items are done.

    Raises:
        IndexBusy: another run is at work.
        IndexVersionError: the store is a newer one; it is left as it is.
        StoreWriteError: the disk refused; the live generation still serves.
        ProviderError: a remote model failed; what was computed is kept.
    """
    layout = Layout.of(root)
    same_version = check_store_version(layout)
    started = time.perf_counter()
    with writer_lock(layout, wait_seconds):
        if rebuild or not same_version:
            discard_store(layout)
        start_store(layout)
        checkout = Checkout(root, settings, layout, advance, locked=True, covered=True)
        checkout.rebuild = rebuild or not same_version
        return _Run(checkout, stage or (lambda name, total: None)).run(started)


class _Run:
    def __init__(self, checkout: Checkout, stage: Stage) -> None:
        self._checkout = checkout
        self._stage = stage
        self._report = RunReport(checkout.root)

    def run(self, started: float) -> RunReport:
        checkout, report = self._checkout, self._report
        self._stage("census", 0)
        previous = load_census(checkout.layout.census)
        census = checkout.take_census(previous)
        report.seconds["census"] = time.perf_counter() - started
        # without a census of a finished run, stored facts and vectors may be incomplete
        if previous is not None and checkout.is_clean(census) and not checkout.rebuild:
            report.up_to_date = True
            if previous.entries != census.entries or census.opened:
                save_census(census, checkout.layout.census)
            checkout.pending_census.unlink(missing_ok=True)
            self._counts_of_live()
        else:
            self._materialize()
        self._finish(census, started)
        return report

    def _materialize(self) -> None:
        checkout, report = self._checkout, self._report
        dirty = checkout.dirty()
        buckets = checkout.touched_buckets(dirty)
        jobs = sum(len(some) for some in dirty.values())
        try:
            checkout.start_parsing(dirty)
            self._stage("facts", jobs)
            seconds = materialize(checkout, range_tags(buckets) if buckets else {})
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

    def _counts_of_live(self) -> None:
        folder = current_generation(self._checkout.layout)
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        report = self._report
        report.generation = manifest["id"]
        report.files, report.chunks = manifest["files"], manifest["chunks"]
        report.symbols = manifest["symbols"]
        if manifest["model_key"]:
            report.vectors_reused = report.chunks + report.files

    def _finish(self, census: Census, started: float) -> None:
        report, layout = self._report, self._checkout.layout
        report.skipped = census.skip_counts
        report.trouble = [
            {"path": display(e.path), "reason": e.skip, "detail": e.detail} for e in census.trouble
        ]
        missing = self._checkout.facts_report.missing
        report.trouble += [
            {"path": display(e.path), "reason": "not_parsed", "detail": missing[e.blob]}
            for e in census.indexed
            if e.blob in missing
        ]
        report.parse_states, report.degraded = _parse_states(layout)
        if report.trouble or report.missing_vectors:
            report.state = "partial"
        report.seconds["total"] = time.perf_counter() - started
        with write_errors(layout.state):
            write_bytes(layout.last_run, json.dumps(report.as_json(), indent=1).encode() + b"\n")


def materialize(checkout: Checkout, tags: dict[str, str]) -> dict[str, float]:
    """Materialise the assets of a checkout in this process; seconds by stage.

    With ``DAGSTER_HOME`` set the run is recorded there and shows in the UI.

    Args:
        checkout: what to index; handed to the assets as their resource.
        tags: the range of buckets; empty: only census and snapshot are made.
    """
    begun = time.perf_counter()
    import warnings

    import dagster as dg

    from codequarry.pipelines.repository import repository_assets
    from codequarry.pipelines.resources import CHECKOUT

    seconds = {"import": time.perf_counter() - begun}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=dg.BetaWarning)
        assets = repository_assets()
        selection = None
        if not tags:
            selection = dg.AssetSelection.assets("census", "snapshot")
        home = os.environ.get("DAGSTER_HOME")
        instance = dg.DagsterInstance.get() if home else dg.DagsterInstance.ephemeral()
        try:
            result = dg.materialize(
                assets,
                instance=instance,
                resources={CHECKOUT: checkout},
                selection=selection,
                tags=tags or None,
                raise_on_error=True,
                run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
            )
        except dg.DagsterExecutionInterruptedError as error:
            raise KeyboardInterrupt from error
        finally:
            if not home:
                instance.dispose()
    seconds.update(_step_seconds(result))
    return seconds


def _step_seconds(result: dg.ExecuteInProcessResult) -> dict[str, float]:
    return {
        str(event.step_key): event.step_success_data.duration_ms / 1000
        for event in result.all_events
        if event.is_step_success
    }


def _parse_states(layout: Layout) -> tuple[dict[str, int], list[dict[str, str]]]:
    """Files by parse state, and those that were cut without their syntax."""
    import pyarrow as pa

    folder = current_generation(layout)
    with pa.memory_map(str(folder / "files.arrow")) as mapped:
        table = pa.ipc.open_file(mapped).read_all().select(["path", "state", "reason"])
        counts: dict[str, int] = {}
        degraded = []
        for row in table.to_pylist():
            counts[row["state"]] = counts.get(row["state"], 0) + 1
            if row["state"] == "fallback":
                degraded.append({"path": row["path"], "reason": row["reason"]})
    return dict(sorted(counts.items())), degraded


def display(path: str) -> str:
    """A path as shown: undecodable bytes become U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")
