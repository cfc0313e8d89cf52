"""A generation of any size out of indexed repositories, to measure search at that size.

The generations of several repositories become one, as if their trees stood side by side. Where
they hold fewer chunks than are wanted they are taken again and again, each copy perturbed: its
vectors turned by some 26 degrees, a share of its postings dropped, the others' weights moved. A
copy is thus near its original and no twin of it. The mean length that BM25F divides by stays each
repository's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from codequarry.assets.snapshot.codes import CODED_FROM, write_codes
from codequarry.errors import UsageError
from codequarry.models.provider import normalise
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.lexicon import Lexicon
from codequarry.retrieval.part import Part
from codequarry.schemas import POSTINGS, WEIGHTED_POSTINGS
from codequarry.store.generations import GENERATION_VERSION, publish, start_store
from codequarry.store.layout import Layout

NOISE = 0.5  # length of what is added to a copy's unit vectors
KEPT = 0.85  # share of a copy's postings
WEIGHED = (0.8, 1.25)  # what a copy's postings weigh, of the original's

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Piece:
    """Files of one source as a part of the fleet."""

    part: Part
    home: str  # folder of its files, of its own
    copy: int  # 0: the source itself
    chunks: int  # how many stand before it
    files: int
    symbols: int

    def random(self, purpose: int) -> np.random.Generator:
        return np.random.default_rng((purpose, self.copy, self.chunks))


def fleet_layout(root: Path) -> Layout:
    """Where a fleet lies: below ``root`` itself, never under the user-level folder."""
    return Layout(root, root / "store")


def build_fleet(root: Path, sources: Sequence[Generation], chunks: int) -> Generation:
    """Publish at ``root`` a generation of about ``chunks`` chunks, whole files only.

    Raises:
        UsageError: the sources hold no chunk.
        StoreWriteError: the disk refused.
    """
    sources = [source for source in sources if len(source.chunk_files)]
    if not sources:
        raise UsageError("the repositories hold no chunk", "give some with code in them")
    layout = fleet_layout(root)
    layout.state.mkdir(parents=True, exist_ok=True)
    start_store(layout)
    pieces = _pieces(sources, chunks)
    first = sources[0].manifest
    manifest = {
        **{name: first[name] for name in ("model", "model_key", "composed", "versions")},
        "version": GENERATION_VERSION,
        "id": f"fleet-{chunks}",
        "repo": "fleet",
        "files": sum(p.part.n_files for p in pieces),
        "chunks": sum(len(p.part.chunks) for p in pieces),
        "symbols": sum(len(p.part.symbols) for p in pieces),
        "copies": pieces[-1].copy,
    }
    with publish(layout, f"fleet-{chunks}", replace=True) as folder:
        assert folder is not None
        _write_tables(folder, pieces)
        _write_vectors(folder, pieces, int(manifest["chunks"]))
        _write_lexicons(folder, pieces)
        (folder / "manifest.json").write_text(json.dumps(manifest))
    return Generation.open(layout)


def _pieces(sources: Sequence[Generation], wanted: int) -> list[_Piece]:
    pieces: list[_Piece] = []
    chunks = files = symbols = copy = 0
    while chunks < wanted:
        for place, source in enumerate(sources):
            some = np.arange(source.n_files)
            left = (wanted - chunks) / max(len(source.chunk_files), 1)
            if left < 1:  # some of its files, from all over it
                spaced = np.linspace(0, len(some) - 1, max(1, int(left * len(some))))
                some = np.unique(spaced.astype(np.int64))
            part = Part(source, some)
            home = f"{place}-{source.manifest['repo']}-{copy}/"
            pieces.append(_Piece(part, home, copy, chunks, files, symbols))
            chunks, files = chunks + len(part.chunks), files + part.n_files
            symbols += len(part.symbols)
            if left <= 1:
                return pieces
        copy += 1
    return pieces


def _write_tables(folder: Path, pieces: Sequence[_Piece]) -> None:
    with _ipc(folder / "files.arrow") as write:
        for piece in pieces:
            table = piece.part.generation.files.take(pa.array(piece.part.files))
            paths = [piece.home + path for path in table["path"].to_pylist()]
            table = _set(table, "path", pa.array(paths))
            table = _set(table, "first_chunk", _row(piece.part.first_chunks, piece.chunks))
            starts = np.cumsum(piece.part.symbol_counts) - piece.part.symbol_counts
            write(_set(table, "first_symbol", _row(starts, piece.symbols)))
    with _ipc(folder / "chunks.arrow") as write:
        for piece in pieces:
            table = piece.part.generation.chunks.take(pa.array(piece.part.chunks))
            write(_set(table, "file", _row(piece.part.chunk_files, piece.files)))
    with _ipc(folder / "symbols.arrow") as write:
        for piece in pieces:
            table = piece.part.generation.symbols.take(pa.array(piece.part.symbols))
            of = np.repeat(np.arange(piece.part.n_files), piece.part.symbol_counts)
            at = _places(piece.part.chunks, len(piece.part.generation.chunk_files))
            table = _set(table, "chunk", _row(at[np.asarray(table["chunk"])], piece.chunks))
            write(_set(table, "file", _row(of, piece.files)))
    _write_neighbours(folder, pieces)


def _write_neighbours(folder: Path, pieces: Sequence[_Piece]) -> None:
    order, counts = [], []
    for piece in pieces:
        source = piece.part.generation
        at = _places(piece.part.files, source.n_files)
        for file in piece.part.files.tolist():
            near = at[source.file_neighbours(file)]
            near = near[near >= 0]
            order.append((near + piece.files).astype(np.int32))
            counts.append(len(near))
    np.save(folder / "file_neighbours.npy", np.concatenate(order))
    np.save(folder / "file_neighbours_pointers.npy", np.concatenate([[0], np.cumsum(counts)]))


def _write_vectors(folder: Path, pieces: Sequence[_Piece], chunks: int) -> None:
    width = pieces[0].part.generation.chunk_vectors.shape[1]
    target = np.lib.format.open_memmap(
        folder / "chunk_vectors.npy", "w+", np.float32, (chunks, width)
    )
    for piece in pieces:
        own = piece.part.generation.chunk_vectors[piece.part.chunks]
        target[piece.chunks : piece.chunks + len(own)] = _turned(own, piece, 1)
    target.flush()
    if chunks > CODED_FROM:
        write_codes(folder, target)
    for purpose, name in enumerate(("file_vectors", "path_vectors"), start=2):
        turned = [_turned(getattr(piece.part, name), piece, purpose) for piece in pieces]
        np.save(folder / f"{name}.npy", np.concatenate(turned))
    np.save(folder / "file_priors.npy", np.concatenate([piece.part.priors for piece in pieces]))


def _turned(
    vectors: npt.NDArray[np.float32], piece: _Piece, purpose: int
) -> npt.NDArray[np.float32]:
    if not piece.copy:
        return vectors
    added = piece.random(purpose).standard_normal(vectors.shape, np.float32)
    added *= np.float32(NOISE / np.sqrt(vectors.shape[1]))
    return normalise(vectors + added * vectors.any(axis=1, keepdims=True))


def _write_lexicons(folder: Path, pieces: Sequence[_Piece]) -> None:
    for name in ("body", "names"):
        rows = [(p.part.chunks, p.chunks) for p in pieces]
        _merge(folder, name, pieces, rows, thin=True)
    for name in ("stems", "light_stems", "parents", "defines"):
        _merge(folder, name, pieces, [(p.part.files, p.files) for p in pieces])
    rows = [(p.part.symbols, p.symbols) for p in pieces]
    _merge(folder, "symbol_names", pieces, rows)


def _merge(
    folder: Path,
    name: str,
    pieces: Sequence[_Piece],
    rows: Sequence[tuple[Int64, int]],
    *,
    thin: bool = False,
) -> None:
    """Write one lexicon over all pieces; ``rows`` are the documents of each and their new start."""
    lexicons: list[Lexicon] = [getattr(piece.part.generation, name) for piece in pieces]
    hashes = np.unique(np.concatenate([lexicon.hashes for lexicon in lexicons]))
    cells = list(zip(lexicons, pieces, rows, strict=True))
    counts = np.zeros(len(hashes), np.int64)
    holders = np.zeros(len(hashes), np.int64)
    for lexicon, piece, (own, _) in cells:
        terms, docs, _, _ = _postings(lexicon, piece, own, hashes, thin)
        counts += np.bincount(terms, minlength=len(hashes))
        if lexicon.idf is not None:
            files = piece.part.chunk_files[docs]
            new = np.ones(len(terms), bool)
            new[1:] = (terms[1:] != terms[:-1]) | (files[1:] != files[:-1])
            holders += np.bincount(terms[new], minlength=len(hashes))
    offsets = np.concatenate([[0], np.cumsum(counts)])
    weighted = lexicons[0].idf is not None
    n_files = pieces[-1].files + pieces[-1].part.n_files
    idf = np.log1p((n_files - holders + 0.5) / (holders + 0.5)).astype(np.float32)
    all_docs = np.empty(offsets[-1], np.int32)
    impacts = np.empty(offsets[-1] if weighted else 0, np.float32)
    free = offsets[:-1].copy()
    for lexicon, piece, (own, start) in cells:
        terms, docs, shares, within = _postings(lexicon, piece, own, hashes, thin)
        at = free[terms] + within
        all_docs[at] = docs + start
        if weighted:
            impacts[at] = shares * idf[terms]
        free += np.bincount(terms, minlength=len(hashes))
    lists = [pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(all_docs))]
    if weighted:
        lists.append(pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(impacts)))
    columns = [pa.array(hashes), *lists, *([pa.array(idf)] if weighted else [])]
    with _ipc(folder / f"{name}.arrow") as write:
        write(pa.table(columns, schema=WEIGHTED_POSTINGS if weighted else POSTINGS))


def _postings(
    lexicon: Lexicon, piece: _Piece, own: Int64, hashes: npt.NDArray[np.uint64], thin: bool
) -> tuple[Int64, Int64, npt.NDArray[np.float32], Int64]:
    """Postings of the documents ``own``: term, document, impact over idf, place in its term."""
    lengths = np.diff(lexicon.offsets)
    terms = np.repeat(np.searchsorted(hashes, lexicon.hashes), lengths)
    docs = _places(own, lexicon.n_docs)[lexicon.docs]
    kept = docs >= 0
    random = piece.random(9)
    if thin and piece.copy:
        kept &= random.random(len(docs), np.float32) < KEPT
    shares = np.ones(len(docs), np.float32)
    if lexicon.impacts is not None and lexicon.idf is not None:
        shares = lexicon.impacts / np.repeat(np.maximum(lexicon.idf, 1e-9), lengths)
        if thin and piece.copy:
            shares *= random.uniform(*WEIGHED, len(docs)).astype(np.float32)
    terms, docs, shares = terms[kept], docs[kept], shares[kept]
    first = np.searchsorted(terms, terms)
    return terms, docs, shares, np.arange(len(terms)) - first


def _places(rows: Int64, n: int) -> Int64:
    """Where each of ``n`` rows stands in ``rows``; −1 where it does not."""
    at = np.full(n, -1, np.int64)
    at[rows] = np.arange(len(rows))
    return at


def _row(values: npt.NDArray[Any], shift: int) -> pa.Array:
    return pa.array((values + shift).astype(np.int32))


def _set(table: pa.Table, name: str, values: pa.Array) -> pa.Table:
    at = table.column_names.index(name)
    return table.set_column(at, table.schema.field(at), values)


@contextmanager
def _ipc(path: Path) -> Iterator[Any]:
    """A writer of tables of one schema, which are read back as one."""
    tables: list[pa.Table] = []
    yield tables.append
    table = pa.concat_tables(tables).combine_chunks()
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
