"""The vectors of a generation: stored text vectors, gathered by key and composed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from codequarry.assets.census.census import Entry
from codequarry.assets.embeddings.keys import bare_keys, breadcrumb, crumb_key, key_spaces
from codequarry.assets.facts.expand import Expanded
from codequarry.assets.snapshot.compose import compose, embed_field
from codequarry.assets.snapshot.fields import (
    folders_of,
    stem_of,
    text_field,
)
from codequarry.identifiers import tokens
from codequarry.models.provider import BagEmbedder, Embedder, normalise
from codequarry.store.layout import Layout
from codequarry.store.vectors import read_vectors

Float32 = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class GenerationVectors:
    """Vectors a query scores against.

    Attributes:
        chunks: (chunks, d) float32.
        files: (files, d) float32, of the skeletons; zero where a file has none.
        paths: (files, d) float32, of stem and folders; empty for models without term vectors.
        missing: how many chunks have no vector (a remote run that was cut short).
    """

    chunks: Float32
    files: Float32
    paths: Float32
    missing: int


def gather(
    layout: Layout,
    repo: str,
    entries: Sequence[Entry],
    shown: Sequence[str],
    chunks: tuple[pa.Table, Expanded],
    skeletons: tuple[pa.Table, Expanded],
    model: Embedder,
) -> GenerationVectors:
    """Gather and compose the vectors of all files.

    Args:
        layout: the store.
        repo: the repository's name.
        entries: the indexed files.
        shown: their paths as shown.
        chunks: the table of chunks and its expansion.
        skeletons: the same of skeletons.
        model: the embedder whose vectors are stored.
    """
    identity = model.identity.key
    table, expanded = chunks
    by_hash = isinstance(model, BagEmbedder)
    hashes = _column(table, "text_hash", expanded)
    names = _column(table, "names", expanded)
    if by_hash:
        keys = bare_keys(identity, _column(table, "language", expanded), hashes)
    else:
        scopes = _column(table, "scope", expanded)
        spaces = key_spaces(identity, (entry.language for entry in entries))
        space = [spaces[entry.language] for entry in entries]
        keys = [
            crumb_key(space[f], breadcrumb(repo, entries[f].path, scope, name), h)
            for f, scope, name, h in zip(
                expanded.files.tolist(), scopes, names, hashes, strict=True
            )
        ]
    stored = read_vectors(layout, identity, model.dimension)
    text, missing = _lookup(*stored, keys)
    files = _of_skeletons(repo, entries, skeletons, model, stored)
    paths = np.zeros((0, model.dimension), np.float32)
    if isinstance(model, BagEmbedder):
        every_file = np.arange(len(entries), dtype=np.int32)
        stem = embed_field(
            model, text_field([stem_of(p) for p in shown], every_file, tokens), len(entries)
        )
        folders = embed_field(
            model, text_field([folders_of(p) for p in shown], every_file, tokens), len(entries)
        )
        joined = [" ".join(several) for several in names]
        own = embed_field(
            model,
            text_field(joined, np.arange(len(joined), dtype=np.int32), tokens),
            len(joined),
        )
        text = compose(text, expanded, stem=stem, folders=folders, names=own, skeleton=files)
        paths = normalise(stem + 0.5 * folders)
    return GenerationVectors(text, files, paths, missing)


def skeleton_vectors(
    layout: Layout,
    repo: str,
    entries: Sequence[Entry],
    skeletons: tuple[pa.Table, Expanded],
    model: Embedder | None,
) -> Float32:
    """The vectors of all files alone, as `gather` gives them; (files, 0) without a model."""
    if model is None:
        return np.zeros((len(entries), 0), np.float32)
    stored = read_vectors(layout, model.identity.key, model.dimension)
    return _of_skeletons(repo, entries, skeletons, model, stored)


def _of_skeletons(
    repo: str,
    entries: Sequence[Entry],
    skeletons: tuple[pa.Table, Expanded],
    model: Embedder,
    stored: tuple[pa.Array, npt.NDArray[np.float16]],
) -> Float32:
    identity, (table, expanded) = model.identity.key, skeletons
    hashes = _column(table, "text_hash", expanded)
    if isinstance(model, BagEmbedder):
        keys = bare_keys(identity, _column(table, "language", expanded), hashes)
    else:
        spaces = key_spaces(identity, (entry.language for entry in entries))
        keys = [
            crumb_key(spaces[entries[f].language], breadcrumb(repo, entries[f].path, (), ()), h)
            for f, h in zip(expanded.files.tolist(), hashes, strict=True)
        ]
    vectors = np.zeros((len(entries), model.dimension), np.float32)
    vectors[expanded.files] = _lookup(*stored, keys)[0]
    return vectors


def _column(table: pa.Table, name: str, expanded: Expanded) -> list[str]:
    return list(table[name].combine_chunks().take(pa.array(expanded.rows)).to_pylist())


def _lookup(
    stored_keys: pa.Array, stored: npt.NDArray[np.float16], keys: Sequence[bytes]
) -> tuple[Float32, int]:
    """The unit vectors of ``keys`` (n, d) float32, zero where none is stored, and how many."""
    at = pc.index_in(pa.array(keys, pa.binary(32)), value_set=stored_keys)
    found = np.asarray(at.fill_null(-1))
    vectors = np.zeros((len(keys), stored.shape[1]), np.float32)
    hit = found >= 0
    vectors[hit] = stored[found[hit]]
    return normalise(vectors), int((~hit).sum())
