"""What a run would do and what it would cost, counted without doing it.

Files whose facts are not stored are parsed, in memory only: the counts are those of the real
run, nothing is written, and nobody is asked over the network.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from codequarry.assets.census.census import Census, Entry
from codequarry.assets.checkout import Checkout
from codequarry.assets.embeddings.keys import bare_keys
from codequarry.assets.embeddings.texts import texts_without_vector
from codequarry.assets.facts.build import in_order
from codequarry.assets.facts.expand import expand
from codequarry.assets.facts.worker import Job, from_ipc
from codequarry.errors import ConfirmationRequired
from codequarry.models.provider import BagEmbedder, as_remote
from codequarry.models.tokens import estimate_tokens
from codequarry.schemas import FACTS
from codequarry.store.fragments import read_facts
from codequarry.store.layout import BUCKETS
from codequarry.store.vectors import VectorCache, known_models, stored_vector_keys

FLOOR_TOKENS = 50_000  # fewer are sent to a remote model without asking: a tenth of a cent
_TABLES = ("chunks", "skeletons")


@dataclass(frozen=True, slots=True)
class Preview:
    """Counts of a run; the documented JSON is `as_json`."""

    model: str
    files: int = 0
    blobs_to_parse: int = 0
    chunks: int = 0
    texts_to_embed: int = 0
    texts_in_cache: int = 0
    tokens: int = 0  # estimated, of what would be sent; 0 for a model on this machine
    host: str = ""  # where texts go; empty: nowhere
    price_usd: float | None = 0.0  # estimated; None: not known

    @property
    def needs_consent(self) -> bool:
        """Whether somebody has to say yes: it costs or may cost, and is more than a trifle."""
        return self.price_usd != 0.0 and self.tokens > FLOOR_TOKENS

    def as_json(self) -> dict[str, Any]:
        """All fields by name."""
        return {name: getattr(self, name) for name in self.__slots__}

    def sentence(self) -> str:
        """Where how much goes, and for how much money."""
        price = "price not known" if self.price_usd is None else f"about ${self.price_usd:,.4f}"
        return (
            f"{self.texts_to_embed:,} texts, about {self.tokens:,} tokens, would be sent to "
            f"{self.host} ({self.model}; {price})"
        )

    def refusal(self) -> ConfirmationRequired:
        """The error for who cannot be asked."""
        return ConfirmationRequired(
            self.sentence(), "give --yes to send them, --dry-run to look", self.as_json()
        )


def preview(checkout: Checkout, *, fresh: bool = False) -> Preview:
    """Count what a run would parse and embed.

    Args:
        checkout: the tree; its census is taken, nothing is written.
        fresh: stored facts and vectors will not do.
    """
    census = checkout.observe()
    dirty = _all_jobs(census) if fresh else checkout.dirty()
    jobs = in_order(dirty)
    parsed = _parsed(checkout, jobs) if jobs else {}
    return _counted(checkout, census, len(jobs), parsed, fresh)


def preview_of_stored(checkout: Checkout) -> Preview:
    """The same once the facts are made: only vectors are left to count."""
    return _counted(checkout, checkout.census, 0, {}, fresh=False)


def _all_jobs(census: Census) -> dict[str, list[Job]]:
    jobs = {
        (e.blob, e.language): Job(e.blob, e.language, e.path, e.stat[0], e.oid)
        for e in census.indexed
    }
    dirty: dict[str, list[Job]] = {}
    for key in sorted(jobs):
        dirty.setdefault(key[0][0], []).append(jobs[key])
    return dirty


def _parsed(checkout: Checkout, jobs: Sequence[Job]) -> dict[str, list[pa.Table]]:
    """The chunks and skeletons of some blobs, parsed now and kept nowhere."""
    tables: dict[str, list[pa.Table]] = {name: [] for name in _TABLES}
    pool = checkout.start_pool(len(jobs))
    try:
        for result in pool.parse(str(checkout.root), jobs):
            for name in _TABLES:
                if name in result.tables:
                    tables[name].append(from_ipc(result.tables[name]))
    finally:
        checkout.stop_pool()
    return tables


def _counted(
    checkout: Checkout,
    census: Census,
    jobs: int,
    parsed: Mapping[str, list[pa.Table]],
    fresh: bool,
) -> Preview:
    counter = _Counter(checkout, fresh)
    for bucket in BUCKETS:
        entries = [entry for entry in census.indexed if entry.blob[0] == bucket]
        tables = {}
        for name in _TABLES:
            stored = [] if fresh else [read_facts(checkout.layout, name, [bucket])]
            every = [*stored, *parsed.get(name, [])]
            tables[name] = pa.concat_tables(every) if every else FACTS[name].empty_table()
        counter.add(bucket, entries, tables["chunks"], tables["skeletons"])
    return counter.result(len(census.indexed), jobs)


class _Counter:
    """Adds up, bucket by bucket, what has no vector."""

    def __init__(self, checkout: Checkout, fresh: bool) -> None:
        model = checkout.model
        self._checkout, self._fresh = checkout, fresh
        self._remote = as_remote(model)
        self._key = ""  # of a model that nobody can know vectors of yet
        if model is not None and (
            self._remote is None or self._remote.recall(known_models(checkout.layout))
        ):
            self._key = model.identity.key
        self._chunks = self._texts = self._cached = self._tokens = 0

    def add(
        self, bucket: str, entries: Sequence[Entry], chunks: pa.Table, skeletons: pa.Table
    ) -> None:
        of_chunks = expand(entries, chunks)
        self._chunks += len(of_chunks.rows)
        model, layout = self._checkout.model, self._checkout.layout
        if model is None:
            return
        stored: set[bytes] = set()
        if self._key and not self._fresh:
            stored = stored_vector_keys(layout, self._key, bucket)
        if self._remote is None and isinstance(model, BagEmbedder):
            self._texts += len(set(_bare(self._key, entries, chunks, skeletons)) - stored)
            return
        self._add_texts(entries, chunks, skeletons, stored)

    def _add_texts(
        self, entries: Sequence[Entry], chunks: pa.Table, skeletons: pa.Table, stored: set[bytes]
    ) -> None:
        checkout = self._checkout
        missing = list(
            texts_without_vector(
                checkout.root, checkout.repo, entries, chunks, skeletons, self._key, stored
            )
        )
        cached: set[bytes] = set()
        if self._key and not checkout.force:
            cached = set(VectorCache(self._key).get([text.key for text in missing]))
        self._cached += len(cached)
        for text in missing:
            if text.key not in cached:
                self._texts += 1
                if self._remote is not None:
                    self._tokens += estimate_tokens(text.sent())

    def result(self, files: int, jobs: int) -> Preview:
        remote = self._remote
        price: float | None = 0.0
        if remote is not None and self._tokens:
            each = remote.dollars_a_million_tokens
            price = None if each is None else round(each * self._tokens / 1e6, 6)
        return Preview(
            model=self._checkout.settings.model,
            files=files,
            blobs_to_parse=jobs,
            chunks=self._chunks,
            texts_to_embed=self._texts,
            texts_in_cache=self._cached,
            tokens=self._tokens,
            host=remote.host if remote is not None else "",
            price_usd=price,
        )


def _bare(
    model: str, entries: Sequence[Entry], chunks: pa.Table, skeletons: pa.Table
) -> Iterator[bytes]:
    for table in (chunks, skeletons):
        rows = pa.array(expand(entries, table).rows)
        columns = (
            table[name].combine_chunks().take(rows).to_pylist()
            for name in ("language", "text_hash")
        )
        yield from bare_keys(model, *columns)
