"""Vectors for every chunk and skeleton that has none yet; nothing is computed twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from codequarry.assets.census.census import Entry, read_blob
from codequarry.assets.embeddings.keys import bare_keys, breadcrumb, crumb_key
from codequarry.assets.facts.expand import Expanded, expand
from codequarry.models.provider import BagEmbedder, Embedder
from codequarry.secrets import mask_secrets
from codequarry.store.fragments import read_facts
from codequarry.store.layout import Layout
from codequarry.store.vectors import VectorCache, stored_vector_keys, write_vectors
from codequarry.text import UndecodableError, decode, split_lines

MAX_EMBED_CHARS = 24_000  # of a text sent to a model; the verbatim span is never cut
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
) -> dict[str, VectorReport]:
    """Make the missing vectors of some buckets and write them, a fragment a bucket.

    Args:
        layout: the store.
        root: the tree, read again only for models that need the text.
        repo: the repository's name, for breadcrumbs.
        entries: the indexed files.
        buckets: whose vectors to make.
        model: the embedder.

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
        chunks = read_facts(layout, "chunks", [bucket])
        skeletons = read_facts(layout, "skeletons", [bucket])
        stored = stored_vector_keys(layout, model.identity.key, bucket)
        if isinstance(model, BagEmbedder):
            for table in (chunks, skeletons):
                bags.add(bucket, table, expand(some, table).rows, stored, model.identity.key)
        else:
            texts = list(_texts(root, repo, some, chunks, skeletons, model.identity.key))
            missing = _first_of_each([key for key, _, _ in texts], stored)
            writer = _Writer(layout, model, bucket)
            writer.add_texts([texts[i] for i in missing])
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
        keys = bare_keys(model, _taken(table, "text_hash", rows))
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

    def __init__(self, layout: Layout, model: Embedder, bucket: str) -> None:
        self.report = VectorReport()
        self._layout, self._model, self._bucket = layout, model, bucket
        self._cache = VectorCache(model.identity.key)

    def add_texts(self, missing: Sequence[tuple[bytes, str, str]]) -> None:
        """Embed texts: (key, breadcrumb, text)."""
        cached = self._cache.get([key for key, _, _ in missing])
        if cached:
            keys = sorted(cached)
            packed = np.frombuffer(b"".join(cached[key] for key in keys), "<f2")
            self.write(keys, packed.reshape(len(keys), -1), cached=len(keys))
        todo = [item for item in missing if item[0] not in cached]
        for start in range(0, len(todo), _TEXTS_AT_ONCE):
            some = todo[start : start + _TEXTS_AT_ONCE]
            texts = [mask_secrets(f"{crumb}\n{text}")[:MAX_EMBED_CHARS] for _, crumb, text in some]
            vectors = self._model.embed_documents(texts).astype("<f2")
            keys = [key for key, _, _ in some]
            self._cache.put((k, row.tobytes()) for k, row in zip(keys, vectors, strict=True))
            self.write(keys, vectors, computed=len(keys))

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


def _texts(
    root: Path,
    repo: str,
    entries: Sequence[Entry],
    chunks: pa.Table,
    skeletons: pa.Table,
    model: str,
) -> Iterable[tuple[bytes, str, str]]:
    """(key, breadcrumb, text) of every chunk and skeleton, reading each file once."""
    of_chunks, of_skeletons = expand(entries, chunks), expand(entries, skeletons)
    names = ("start_line", "end_line", "names", "scope", "text_hash")
    columns = {name: _taken(chunks, name, of_chunks.rows) for name in names}
    hashes = _taken(skeletons, "text_hash", of_skeletons.rows)
    skeleton_texts = _taken(skeletons, "text", of_skeletons.rows)
    for i, entry in enumerate(entries):
        for j in _span(of_skeletons, i):
            crumb = breadcrumb(repo, entry.path, (), ())
            yield crumb_key(model, crumb, hashes[j]), crumb, skeleton_texts[j]
        try:
            lines = split_lines(decode(read_blob(root, entry.path)).text)
        except (OSError, UndecodableError):
            continue  # gone since the census: the next run sees it
        for j in _span(of_chunks, i):
            crumb = breadcrumb(repo, entry.path, columns["scope"][j], columns["names"][j])
            text = "".join(lines[int(columns["start_line"][j]) - 1 : int(columns["end_line"][j])])
            if text.strip():
                yield crumb_key(model, crumb, columns["text_hash"][j]), crumb, text


def _span(expanded: Expanded, file: int) -> range:
    return range(expanded.first[file], expanded.first[file] + expanded.count[file])
