"""Vectors for every chunk and skeleton that has none yet; nothing is computed twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from codequarry.assets.census.census import Entry
from codequarry.assets.embeddings.keys import bare_keys
from codequarry.assets.embeddings.texts import Text, texts_without_vector
from codequarry.assets.facts.expand import expand
from codequarry.models.provider import BagEmbedder, Embedder
from codequarry.store.fragments import read_facts
from codequarry.store.layout import Layout
from codequarry.store.vectors import VectorCache, stored_vector_keys, write_vectors

_TEXTS_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class VectorReport:
    """How many vectors a run computed, and how many it found in the cache."""

    computed: int = 0
    cached: int = 0

    def __add__(self, other: VectorReport) -> VectorReport:
        return VectorReport(self.computed + other.computed, self.cached + other.cached)


def embed(
    layout: Layout,
    root: Path,
    repo: str,
    entries: Sequence[Entry],
    buckets: Sequence[str],
    model: Embedder,
    *,
    of_chunks: bool = True,
    cached: bool = True,
    progress: Callable[[int], None] | None = None,
) -> dict[str, VectorReport]:
    """Make the missing vectors of some buckets and write them, a fragment a bucket.

    Args:
        layout: the store.
        root: the tree, read again only for models that need the text.
        repo: the repository's name, for breadcrumbs.
        entries: the indexed files.
        buckets: whose vectors to make.
        model: the embedder.
        of_chunks: of chunks and skeletons; else of skeletons alone.
        cached: whether vectors of the user-level cache will do.
        progress: told how many texts are done.

    Returns:
        What was done, by bucket.

    Raises:
        ProviderError: a remote model failed; what was computed before it is kept.
        StoreWriteError: the disk refused.
    """
    reports = {}
    bags = _Bags()
    for bucket in buckets:
        some = [entry for entry in entries if entry.blob[0] == bucket]
        chunks = read_facts(layout, "chunks", [bucket] if of_chunks else [])
        skeletons = read_facts(layout, "skeletons", [bucket])
        stored = stored_vector_keys(layout, model.identity.key, bucket)
        if isinstance(model, BagEmbedder):
            for table in (chunks, skeletons):
                bags.add(bucket, table, expand(some, table).rows, stored, model.identity.key)
        else:
            key = model.identity.key
            missing = texts_without_vector(root, repo, some, chunks, skeletons, key, stored)
            writer = _Writer(layout, model, bucket, progress)
            writer.add_texts(list(missing), cached)
            reports[bucket] = writer.report
    if isinstance(model, BagEmbedder):
        for bucket, keys, vectors in bags.embed(model):
            writer = _Writer(layout, model, bucket)
            writer.write(keys, vectors, computed=len(keys))
            reports[bucket] = reports.get(bucket, VectorReport()) + writer.report
    return reports


def _first_of_each(keys: Sequence[bytes], stored: set[bytes]) -> list[int]:
    seen: set[bytes] = set()
    first = []
    for i, key in enumerate(keys):
        if key not in stored and key not in seen:
            seen.add(key)
            first.append(i)
    return first


def _taken(table: pa.Table, name: str, rows: npt.NDArray[np.int64]) -> list[str]:
    return list(table[name].combine_chunks().take(pa.array(rows)).to_pylist())


class _Bags:
    """Rows without a vector, over all buckets: a term is looked up once for all of them."""

    def __init__(self) -> None:
        self._where: list[tuple[str, list[bytes]]] = []
        self._rows: list[pa.Table] = []

    def add(
        self,
        bucket: str,
        table: pa.Table,
        rows: npt.NDArray[np.int64],
        stored: set[bytes],
        model: str,
    ) -> None:
        """Take those of ``rows`` whose keys are not stored; adds their keys to ``stored``."""
        rows = np.unique(rows)
        keys = bare_keys(model, _taken(table, "language", rows), _taken(table, "text_hash", rows))
        missing = _first_of_each(keys, stored)
        stored.update(keys)
        if missing:
            self._where.append((bucket, [keys[i] for i in missing]))
            self._rows.append(table.select(["terms", "counts"]).take(pa.array(rows[missing])))

    def embed(
        self, model: BagEmbedder
    ) -> Iterator[tuple[str, list[bytes], npt.NDArray[np.float32]]]:
        """Bucket, keys and vectors (n, d) of all rows taken."""
        if not self._rows:
            return
        table = pa.concat_tables(self._rows).combine_chunks()
        terms, counts = table["terms"].chunk(0), table["counts"].chunk(0)
        encoded = terms.flatten().dictionary_encode()
        vectors = model.embed_bags(
            encoded.dictionary.to_pylist(),
            np.asarray(encoded.indices).astype(np.int32),
            np.asarray(counts.flatten()),
            np.concatenate([[0], np.cumsum(np.asarray(terms.value_lengths()))]),
        )
        start = 0
        for bucket, keys in self._where:
            yield bucket, keys, vectors[start : start + len(keys)]
            start += len(keys)


class _Writer:
    """Writes vectors of one bucket; texts are first looked up in the user-level cache."""

    def __init__(
        self,
        layout: Layout,
        model: Embedder,
        bucket: str,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.report = VectorReport()
        self._progress = progress
        self._layout, self._model, self._bucket = layout, model, bucket
        self._cache = VectorCache(model.identity.key)

    def add_texts(self, missing: Sequence[Text], cached: bool = True) -> None:
        """Embed texts; a vector of the shared cache will do if ``cached`` says so."""
        known = self._cache.get([text.key for text in missing]) if cached else {}
        if known:
            keys = sorted(known)
            packed = np.frombuffer(b"".join(known[key] for key in keys), "<f2")
            self.write(keys, packed.reshape(len(keys), -1), cached=len(keys))
        todo = [text for text in missing if text.key not in known]
        for start in range(0, len(todo), _TEXTS_AT_ONCE):
            some = todo[start : start + _TEXTS_AT_ONCE]
            vectors = self._model.embed_documents([text.sent() for text in some]).astype("<f2")
            keys = [text.key for text in some]
            self._cache.put((k, row.tobytes()) for k, row in zip(keys, vectors, strict=True))
            self.write(keys, vectors, computed=len(keys))
            if self._progress is not None:
                self._progress(len(keys))

    def write(
        self, keys: Sequence[bytes], vectors: npt.NDArray[np.floating], **counts: int
    ) -> None:
        """Write one fragment and count it."""
        write_vectors(
            self._layout,
            self._model.identity.key,
            self._bucket,
            keys,
            vectors.astype(np.float16),
        )
        self.report += VectorReport(**counts)
