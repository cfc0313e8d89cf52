"""codequarry itself as an evaluation asks it: index a corpus, answer with a ranker profile."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codequarry.ask.ask import AskOptions, ask, collect
from codequarry.ask.narrators.choose import choose_narrator
from codequarry.eval.protocol import Answer, ChunkHit, IndexStats
from codequarry.gitobjects import resolve_tree
from codequarry.models.registry import open_embedder
from codequarry.pipelines.reindex import reindex
from codequarry.pipelines.revisions import index_revision
from codequarry.retrieval.filters import Content, Filters
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.index import Index, Options
from codequarry.retrieval.ranking import Profile
from codequarry.settings import Settings
from codequarry.store.layout import Layout

if TYPE_CHECKING:
    from pathlib import Path

    from codequarry.ask.narrators.protocol import Narrator
    from codequarry.assets.facts.pool import ParsePool

CHUNKS_RANKED = 50
_REVISIONS_KEPT = 2  # each is asked once, and then another commit is indexed


@dataclass(frozen=True, slots=True)
class QuarrySearcher:
    """Indexes with one model; profiles are those of `codequarry.retrieval.ranking`."""

    model_spec: str = "static"
    content: Content = Content.CODE
    narrator: str = ""  # the files that its answer cites lead; empty: nobody is asked
    chat_model: str = ""  # of a narrator that is a chat model

    @property
    def model(self) -> str:
        """The identity of the embedding model."""
        embedder = open_embedder(self.model_spec)
        return str(embedder.identity) if embedder else "none"

    def open(self, root: Path, name: str) -> QuarrySession:
        """Bring the index of ``root`` up to date and open it.

        Raises:
            QuarryError: it cannot be indexed.
        """
        started = time.perf_counter()
        report = reindex(root, Settings(name=name, model=self.model_spec), wait_seconds=-1)
        seconds = time.perf_counter() - started
        stats = IndexStats(seconds, report.files, report.chunks, report.vectors_computed)
        return self._session(Generation.open(Layout.of(root)), stats)

    def open_revision(
        self, mirror: Path, commit: str, name: str, store: Path, pool: ParsePool
    ) -> QuarrySession:
        """Index a commit from git's objects, and open it.

        Args:
            mirror: the repository.
            commit: of it.
            name: its name.
            store: the folder of its store, kept for its other commits.
            pool: parsing processes, kept for them too.

        Raises:
            QuarryError: it cannot be indexed.
        """
        started = time.perf_counter()
        layout = Layout(mirror, store)
        settings = Settings(name=name, model=self.model_spec, keep_revisions=_REVISIONS_KEPT)
        report = index_revision(mirror, settings, commit, layout=layout, pool=pool, wait_seconds=-1)
        seconds = time.perf_counter() - started
        stats = IndexStats(seconds, report.files, report.chunks, report.vectors_computed)
        return self._session(Generation.open(layout.at(resolve_tree(mirror, commit))), stats)

    def _session(self, generation: Generation, stats: IndexStats) -> QuarrySession:
        index = Index(generation, open_embedder(self.model_spec))
        narrator = None
        if self.narrator:
            settings = Settings(model=self.model_spec)
            narrator = choose_narrator(self.narrator, settings, index, model=self.chat_model)
        return QuarrySession(index, stats, self.content, narrator)


@dataclass(frozen=True, slots=True)
class QuarrySession:
    """One open index of codequarry."""

    index: Index
    stats: IndexStats
    content: Content
    narrator: Narrator | None = None

    def search(self, query: str, profile: str) -> Answer:
        """Answer with CORE, RELATED and the flat chunk ranking.

        With a narrator the files that its answer cites come first, in the order of the answer; a
        narrator that fails or cites nothing leaves retrieval's order.
        """
        options = Options(Profile(profile), Filters(content=self.content), check_files=False)
        answer = self.index.search(query, options)
        chunks = tuple(
            ChunkHit(*hit) for hit in self.index.rank_chunks(query, options, CHUNKS_RANKED)
        )
        core = tuple(file.path for file in answer.core)
        if self.narrator is None:
            related = tuple(file.path for file in answer.related)
            return Answer(core, related, chunks, answer.elapsed_ms)
        told = collect(ask(self.index, query, self.narrator, AskOptions(options)))
        cited = tuple(dict.fromkeys(span.path for span in told.spans)) if told.grounded else core
        others = tuple(path for path in answer.paths if path not in cited)
        return Answer(cited, others, chunks, told.elapsed_ms)

    def close(self) -> None:
        """Nothing is held but maps, which go with the index."""
