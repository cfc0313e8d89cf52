"""A checkout: one tree, its settings, its store and its model. What assets work on.

The tree lies on disk, or is a revision's that git has: then nothing is checked out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codequarry.assets.census.census import (
    Census,
    Entry,
    load_census,
    save_census,
    take_census,
)
from codequarry.assets.census.revision import remember, take_revision_census
from codequarry.assets.edges.build import LinkReport, build_links, dangling, report
from codequarry.assets.embeddings.build import VectorReport, embed
from codequarry.assets.embeddings.check import unit_problems
from codequarry.assets.facts.build import FactsReport, Progress, build_facts, dirty_jobs, in_order
from codequarry.assets.facts.expand import expand
from codequarry.assets.facts.extract import index_version
from codequarry.assets.facts.pool import ParsePool, usable_cores
from codequarry.assets.facts.regain import forget_regained
from codequarry.assets.facts.worker import Job
from codequarry.assets.graph.build import Graph, build_graph
from codequarry.assets.snapshot.build import (
    SNAPSHOT_VERSION,
    Snapshot,
    build_snapshot,
    graph_inputs,
    with_facts,
)
from codequarry.assets.snapshot.vectors import skeleton_vectors
from codequarry.errors import QuarryError
from codequarry.models.provider import BagEmbedder, Embedder, as_remote, describer_of
from codequarry.models.registry import open_embedder
from codequarry.settings import Settings
from codequarry.store.fragments import read_facts
from codequarry.store.generations import GENERATION_VERSION, current_generation
from codequarry.store.layout import BUCKETS, Layout
from codequarry.store.lock import writer_lock
from codequarry.store.vectors import known_models, read_vectors


@dataclass(slots=True)
class Checkout:
    """One tree and its store, for the length of a run.

    A run may be one process (the CLI) or one process a step (Dagster's executors): steps meet
    through the store, and what one process already knows it keeps here.
    """

    root: Path
    settings: Settings
    layout: Layout
    progress: Progress | None = None
    stage: Callable[[str, int], None] | None = None  # told what starts, and of how many
    locked: bool = False  # the caller holds the writer's lock
    covered: bool = False  # the run is over every bucket that needs it; else `publish` sees to it
    _census: Census | None = None
    _pool: ParsePool | None = None
    _model: Embedder | None = None
    _model_opened: bool = False
    _dirty: dict[str, list[Job]] | None = None  # until something is parsed
    lent_pool: ParsePool | None = None  # parsing processes that outlive this run
    rebuild: bool = False  # write the generation anew even if it is there
    force: bool = False  # vectors of the user-level cache will not do either
    facts_report: FactsReport = field(default_factory=FactsReport)
    vector_report: VectorReport = field(default_factory=VectorReport)
    snapshot: Snapshot | None = None

    @property
    def repo(self) -> str:
        """The repository's name, as breadcrumbs show it."""
        return self.settings.name or self.root.resolve().name or "root"

    @property
    def model(self) -> Embedder | None:
        """The embedder of the settings; None for lexical search only."""
        if not self._model_opened:
            self._model = open_embedder(self.settings.model, base_url=self.settings.base_url)
            remote = as_remote(self._model)
            if remote is not None:
                remote.recall(known_models(self.layout))
            self._model_opened = True
        return self._model

    @property
    def model_key(self) -> str | None:
        """The key of the model, empty for none; None where only its endpoint could tell it."""
        remote = as_remote(self.model)
        if remote is not None and not remote.recall(()):
            return None
        return self.model.identity.key if self.model else ""

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the writer's lock unless the caller already does."""
        if self.locked:
            yield
            return
        with writer_lock(self.layout, wait_seconds=-1):
            yield

    @property
    def pending_census(self) -> Path:
        """The census of the run under way; it becomes the last one when published."""
        return self.layout.state / "census.next.arrow"

    def take_census(self, previous: Census | None) -> Census:
        """Take the census and leave it for the steps after this one."""
        self._census = self._taken(previous)
        save_census(self._census, self.pending_census)
        return self._census

    def retake_census(self) -> Census:
        """The census for a run that starts: the one already taken in this process, or a new one."""
        if self._census is None:
            return self.take_census(load_census(self.layout.census))
        if not self.pending_census.exists():
            save_census(self._census, self.pending_census)
        return self._census

    def observe(self) -> Census:
        """What the tree holds now; nothing is written, so that no run under way is disturbed."""
        self._census = self._taken(load_census(self.layout.census))
        return self._census

    def _taken(self, previous: Census | None) -> Census:
        """The census of the tree on disk, or of the revision that the layout is about."""
        tree = self.layout.revision
        if tree:
            return take_revision_census(self.root, tree, self.settings, previous)
        return take_census(self.root, self.settings, previous)

    @property
    def census(self) -> Census:
        """The census of the run under way, which an earlier step may have left."""
        if self._census is None:
            self._census = load_census(self.pending_census)
        return self._census if self._census is not None else self.retake_census()

    def accept_census(self) -> None:
        """The run is published: what it saw is what the next run compares with."""
        seen = self.census
        if self.layout.revision:
            seen = remember(seen, load_census(self.layout.census))
        save_census(seen, self.layout.census)
        self.pending_census.unlink(missing_ok=True)

    def inputs_digest(self, census: Census) -> str:
        """A hash of all that a generation is made from."""
        return inputs_digest(self.repo, census.indexed, self.model)

    def regain_grammars(self) -> None:
        """Have files cut by their syntax whose grammar did not load last time and does now."""
        lacking = self._live_manifest().get("without_grammar", {})
        if lacking and forget_regained(self.layout, lacking):
            self.rebuild = True

    def is_clean(self, census: Census) -> bool:
        """Tell whether the live generation is the one this census would give."""
        manifest = self._live_manifest()
        return bool(
            self.model_key is not None
            and manifest.get("version") == GENERATION_VERSION
            and manifest.get("inputs") == self.inputs_digest(census)
            and manifest.get("files") == len(census.indexed)  # else some have no facts
            and not manifest.get("missing_vectors")
        )

    def dirty(self) -> dict[str, list[Job]]:
        """Blobs without facts, by bucket."""
        if self._dirty is None:
            self._dirty = dirty_jobs(self.layout, self.census)
        return self._dirty

    def touched_buckets(self, dirty: dict[str, list[Job]]) -> list[str]:
        """Buckets whose facts or vectors may be incomplete.

        Those with dirty blobs, and those of every entry that the last published census did
        not hold or that was published by other rules: a run that died between facts and vectors
        left its buckets there.
        """
        published = load_census(self.layout.census)
        versions = self._live_manifest().get("versions", {})
        if published is None or self.model_key is None or self._live_model() != self.model_key:
            return sorted({entry.blob[0] for entry in self.census.indexed} | set(dirty))
        # a model that embeds breadcrumbs has another text for another path
        by_path = not all(isinstance(model, BagEmbedder) for model in self._models)
        known = {(e.path if by_path else "", e.blob, e.language) for e in published.indexed}
        new = {
            entry.blob[0]
            for entry in self.census.indexed
            if (entry.path if by_path else "", entry.blob, entry.language) not in known
            or versions.get(entry.language) != index_version(entry.language)
        }
        return sorted(new | set(dirty))

    def _live_manifest(self) -> dict[str, Any]:
        """The live generation's manifest; empty where there is none that can be read."""
        try:
            folder = current_generation(self.layout)
            manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        except (QuarryError, OSError, ValueError):
            return {}
        return manifest if isinstance(manifest, dict) else {}

    def _live_model(self) -> str | None:
        manifest = self._live_manifest()
        if not manifest:
            return None
        return None if manifest.get("missing_vectors") else str(manifest.get("model_key"))

    def start_parsing(self, dirty: dict[str, list[Job]]) -> None:
        """Start the parsing processes on what is dirty, while something else is loaded."""
        jobs = in_order(dirty)
        if jobs:
            self.start_pool(len(jobs)).prefetch(str(self.root), jobs)

    def start_pool(self, n_jobs: int = 0) -> ParsePool:
        """Start the parsing processes, so that they boot while something else is loaded."""
        if self.lent_pool is not None:
            return self.lent_pool
        if self._pool is None:
            workers = self.settings.workers or usable_cores()
            self._pool = ParsePool(min(workers, max(1, n_jobs)) if n_jobs else workers)
        return self._pool

    def stop_pool(self) -> None:
        """End the parsing processes at once: what they have not given is parsed another time."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def build_facts(self, buckets: list[str]) -> FactsReport:
        """Parse the dirty blobs of some buckets."""
        dirty = {bucket: jobs for bucket, jobs in self.dirty().items() if bucket in set(buckets)}
        if not dirty:
            return FactsReport()
        pool = self.start_pool(sum(len(jobs) for jobs in dirty.values()))
        try:
            return build_facts(self.layout, self.root, dirty, pool, self.progress)
        finally:
            self._dirty = None
            self.stop_pool()

    def embed(self, buckets: list[str]) -> dict[str, VectorReport]:
        """Make the missing vectors of some buckets; what was done, by bucket."""
        done: dict[str, VectorReport] = {}
        for model in self._models:
            slow = not isinstance(model, BagEmbedder)
            if slow and model is not self.model and self.stage is not None:
                self.stage("files described", 0)
            made = embed(
                self.layout,
                self.root,
                self.repo,
                self.census.indexed,
                buckets,
                model,
                of_chunks=model is self.model,
                cached=not self.force,
                progress=self.progress if slow else None,
            )
            done |= {bucket: done.get(bucket, VectorReport()) + made[bucket] for bucket in made}
        return done

    @property
    def _models(self) -> list[Embedder]:
        """The embedder, and the one of whole files that it may bring."""
        return [model for model in (self.model, describer_of(self.model)) if model is not None]

    def vector_problems(self, buckets: list[str]) -> list[str]:
        """What is wrong with the stored vectors of some buckets."""
        return [
            problem
            for model in self._models
            for problem in unit_problems(
                read_vectors(self.layout, model.identity.key, model.dimension, buckets)[1]
            )
        ]

    def link(self) -> tuple[LinkReport, int]:
        """Link the census; what was found, and how many links end nowhere."""
        entries = with_facts(self.census, read_facts(self.layout, "parses", BUCKETS))
        links = build_links(self.layout, self.root, entries)
        return report(links), dangling(self.layout, entries, links)

    def graph(self) -> tuple[Graph, list[str]]:
        """The graph of the census, and what is wrong with it."""
        entries = with_facts(self.census, read_facts(self.layout, "parses", BUCKETS))
        links = build_links(self.layout, self.root, entries)
        skeletons, symbols = (
            (table, expand(entries, table))
            for table in (read_facts(self.layout, n, BUCKETS) for n in ("skeletons", "symbols"))
        )
        vectors = skeleton_vectors(self.layout, self.repo, entries, skeletons, self.model)
        made = build_graph(self.layout, graph_inputs(entries, links, vectors, symbols))
        return made, made.problems(len(entries))

    def publish(self) -> Snapshot:
        """Build the generation of the census and make it live."""
        if not self.covered:
            buckets = self.touched_buckets(self.dirty())
            self.build_facts(buckets)
            self.embed(buckets)
        self.snapshot = build_snapshot(
            self.layout,
            self.root,
            self.repo,
            self.census,
            self.model,
            self.inputs_digest(self.census),
            replace=self.rebuild,
        )
        self.accept_census()
        return self.snapshot


def inputs_digest(repo: str, entries: list[Entry], model: Embedder | None) -> str:
    """Hash what a generation is a function of: files, versions, model and name."""
    languages = sorted({entry.language for entry in entries})
    versions = [(language, index_version(language)) for language in languages]
    head = [SNAPSHOT_VERSION, repo, model.identity.key if model else "", versions]
    digest = hashlib.sha256(json.dumps(head).encode())
    for entry in entries:
        digest.update(entry.path.encode("utf-8", "surrogateescape"))
        digest.update(f"\0{entry.blob}\0{entry.language}\0{entry.role}\n".encode())
    return digest.hexdigest()
