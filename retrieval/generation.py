"""A published generation, mapped into memory: what every query answers from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from codequarry.errors import IndexDamaged, IndexVersionError
from codequarry.retrieval.lexicon import Lexicon, whole
from codequarry.store.generations import GENERATION_VERSION, current_generation
from codequarry.store.layout import Layout
from codequarry.vocabulary import Role

TYPE_KINDS = frozenset(
    "class interface struct enum object trait type union impl class_header namespace module".split()
)

_MAPPED = (
    "files chunks symbols priors chunk_vectors chunk_codes file_vectors path_vectors "
    "description_vectors "
    "body names stems light_stems parents symbol_names defines"
).split()

Float32 = npt.NDArray[np.float32]
Int32 = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Generation:
    """Tables and arrays of one generation; opened lazily, held for as long as it is used."""

    layout: Layout
    folder: Path
    manifest: dict[str, Any]

    @classmethod
    def open(cls, layout: Layout) -> Generation:
        """Open the live generation.

        Raises:
            IndexNotFound: there is none.
            IndexDamaged: it is not whole.
            IndexVersionError: it was written by a newer codequarry.
        """
        folder = current_generation(layout)
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        version = manifest.get("version")
        if version != GENERATION_VERSION:
            newer = isinstance(version, int) and version > GENERATION_VERSION
            raise IndexVersionError(
                f"the index has version {version}, this quarry reads {GENERATION_VERSION}",
                "upgrade codequarry" if newer else "run: quarry index",
            )
        opened = cls(layout, folder, manifest)
        opened._map()
        return opened

    def _map(self) -> None:
        """Map every file now: once mapped, a generation outlives its removal by later runs."""
        for name in _MAPPED:
            getattr(self, name)

    @property
    def id(self) -> str:
        """The generation's name."""
        return self.folder.name

    @cached_property
    def files(self) -> pa.Table:
        """`codequarry.schemas.GENERATION_FILES`."""
        return self._table("files")

    @cached_property
    def chunks(self) -> pa.Table:
        """`codequarry.schemas.GENERATION_CHUNKS`."""
        return self._table("chunks")

    @cached_property
    def symbols(self) -> pa.Table:
        """`codequarry.schemas.GENERATION_SYMBOLS`."""
        return self._table("symbols")

    @cached_property
    def links(self) -> pa.Table:
        """`codequarry.schemas.GENERATION_LINKS`."""
        return self._table("links")

    @property
    def n_files(self) -> int:
        """How many files there are."""
        return int(self.files.num_rows)

    @property
    def unknown_idf(self) -> float:
        """The idf of a term that stands nowhere."""
        return float(np.log1p((self.n_files + 0.5) / 0.5))

    @cached_property
    def chunk_files(self) -> Int32:
        """(chunks,) the file of each chunk."""
        return self._column("chunks", "file")

    @cached_property
    def start_lines(self) -> Int32:
        """(chunks,) first line of each chunk."""
        return self._column("chunks", "start_line")

    @cached_property
    def end_lines(self) -> Int32:
        """(chunks,) last line of each chunk."""
        return self._column("chunks", "end_line")

    @cached_property
    def first_chunks(self) -> Int32:
        """(files,) first chunk of each file."""
        return self._column("files", "first_chunk")

    @cached_property
    def chunk_counts(self) -> Int32:
        """(files,) number of chunks of each file."""
        return self._column("files", "n_chunks")

    @cached_property
    def filled_files(self) -> npt.NDArray[np.int64]:
        """The files that have chunks, ascending."""
        return np.flatnonzero(self.chunk_counts)

    @cached_property
    def paths(self) -> list[str]:
        """Shown path of each file."""
        return list(self.files["path"].to_pylist())

    @cached_property
    def rows_by_path(self) -> dict[str, int]:
        """The row of each file by its shown path."""
        return {path: row for row, path in enumerate(self.paths)}

    @cached_property
    def roles(self) -> npt.NDArray[np.str_]:
        """(files,) role of each file."""
        return np.array(self.files["role"].to_pylist(), dtype="U9")

    @cached_property
    def is_test(self) -> npt.NDArray[np.bool_]:
        """(files,) whether a file is a test."""
        tests: npt.NDArray[np.bool_] = self.roles == Role.TEST.value
        return tests

    @cached_property
    def chunk_vectors(self) -> Float32:
        """(chunks, d) unit vectors; (chunks, 0) without a model."""
        return self._array("chunk_vectors", len(self.chunk_files))

    @cached_property
    def chunk_codes(self) -> npt.NDArray[np.uint64] | None:
        """(words, chunks) sign codes of a large generation; None where vectors are read instead."""
        coded = self.has_vectors and "chunk_codes.npy" in self.manifest["sizes"]
        return self._load("chunk_codes") if coded else None

    @cached_property
    def chunk_moments(self) -> npt.NDArray[np.float64]:
        """(d + 1, d) mean vector and mean products of the chunk vectors; only beside codes."""
        moments: npt.NDArray[np.float64] = self._load("chunk_moments")
        return moments

    @cached_property
    def file_vectors(self) -> Float32:
        """(files, d) skeleton vectors; (files, 0) without a model."""
        return self._array("file_vectors", self.files.num_rows)

    @cached_property
    def path_vectors(self) -> Float32:
        """(files, d) vectors of stem and folders; (0, d) for models without term vectors."""
        return self._array("path_vectors", 0)

    @cached_property
    def description_vectors(self) -> Float32 | None:
        """(files, d') vectors of a model of whole files; None where the index has none."""
        described = "description_vectors.npy" in self.manifest["sizes"]
        return self._load("description_vectors") if described else None

    @cached_property
    def priors(self) -> Float32:
        """(files, `codequarry.schemas.PRIORS`)."""
        return self._load("file_priors")

    @cached_property
    def first_symbols(self) -> Int32:
        """(files,) first symbol of each file."""
        return self._column("files", "first_symbol")

    @cached_property
    def symbol_counts(self) -> Int32:
        """(files,) number of symbols of each file."""
        return self._column("files", "n_symbols")

    @cached_property
    def symbol_terms(self) -> Int32:
        """(symbols,) distinct words of each symbol's name."""
        return self._column("symbols", "name_terms")

    @cached_property
    def symbol_lengths(self) -> Float32:
        """(symbols,) distinct words of each symbol's name, at least 1."""
        return np.maximum(self.symbol_terms, 1).astype(np.float32)

    @cached_property
    def is_type(self) -> npt.NDArray[np.bool_]:
        """(symbols,) whether a symbol is a type."""
        kinds = whole(self.symbols["kind"]).dictionary_encode()
        types = np.array([kind in TYPE_KINDS for kind in kinds.dictionary.to_pylist()], bool)
        return types[kinds.indices.to_numpy()] if len(types) else np.zeros(0, bool)

    @cached_property
    def stem_lengths(self) -> Float32:
        """(files,) distinct words of each file's stem, at least 1."""
        return self.stems.lengths()

    @cached_property
    def parent_lengths(self) -> Float32:
        """(files,) distinct words of each file's innermost folder, at least 1."""
        return self.parents.lengths()

    def link_array(self, name: str) -> npt.NDArray[Any]:
        """A CSR array over `links`: ``in``, ``out``, and the pointers into each."""
        array: npt.NDArray[Any] = self._load(f"links_{name}")
        return array

    def file_neighbours(self, file: int) -> Int32:
        """The files that a file refers to or that refer to it, ascending."""
        order, pointers = self._file_pairs
        return order[pointers[file] : pointers[file + 1]]

    @cached_property
    def _file_pairs(self) -> tuple[Int32, npt.NDArray[np.int64]]:
        order: npt.NDArray[Any] = self._load("file_neighbours")
        pointers: npt.NDArray[Any] = self._load("file_neighbours_pointers")
        return order, pointers

    def graph_table(self, name: str) -> pa.Table:
        """One of the tables that `codequarry.assets.graph.build` names."""
        return self._table(name)

    @cached_property
    def file_edges(self) -> pa.Table:
        """`codequarry.schemas.FILE_EDGES`."""
        return self._table("file_edges")

    def best_symbol(self, values: Float32) -> Float32:
        """The largest value of each file's symbols: (files,) float32, 0 without symbols."""
        return best_of(values, self.first_symbols, self.symbol_counts)

    @cached_property
    def body(self) -> Lexicon:
        """BM25F postings over chunks."""
        return self._lexicon("body", len(self.chunk_files))

    @cached_property
    def names(self) -> Lexicon:
        """Which chunks define a name holding a term."""
        return self._lexicon("names", len(self.chunk_files))

    @cached_property
    def stems(self) -> Lexicon:
        """Which files' stems hold a term."""
        return self._lexicon("stems", self.files.num_rows)

    @cached_property
    def light_stems(self) -> Lexicon:
        """Which files' stems hold a term, both without common endings."""
        return self._lexicon("light_stems", self.files.num_rows)

    @cached_property
    def parents(self) -> Lexicon:
        """Which files' innermost folders hold a term."""
        return self._lexicon("parents", self.files.num_rows)

    @cached_property
    def symbol_names(self) -> Lexicon:
        """Which symbols' names hold a term."""
        return self._lexicon("symbol_names", self.symbols.num_rows)

    @cached_property
    def defines(self) -> Lexicon:
        """Which files define a name, given joined."""
        return self._lexicon("defines", self.files.num_rows)

    @property
    def has_vectors(self) -> bool:
        """Whether the index was made with an embedding model."""
        return bool(self.manifest["model_key"])

    def _table(self, name: str) -> pa.Table:
        path = self.folder / f"{name}.arrow"
        try:
            return pa.ipc.open_file(pa.memory_map(str(path))).read_all()
        except (OSError, pa.ArrowInvalid) as error:
            raise IndexDamaged(
                f"a file of the index is damaged: {path}", "run: quarry index --rebuild"
            ) from error

    def _column(self, table: str, name: str) -> Int32:
        values = getattr(self, table)[name]
        column: Int32 = whole(values).to_numpy()
        return column

    def _array(self, name: str, rows: int) -> Float32:
        if not self.has_vectors:
            return np.zeros((rows, 0), np.float32)
        return self._load(name)

    def _lexicon(self, name: str, n_docs: int) -> Lexicon:
        return Lexicon.open(self.folder / f"{name}.arrow", n_docs)

    def _load(self, name: str) -> npt.NDArray[Any]:
        path = self.folder / f"{name}.npy"
        try:
            # a plain view: np.memmap's own slicing takes ten times as long
            vectors: npt.NDArray[Any] = np.asarray(np.load(path, mmap_mode="r"))
        except (OSError, ValueError) as error:
            raise IndexDamaged(
                f"a file of the index is damaged: {path}", "run: quarry index --rebuild"
            ) from error
        return vectors


def best_of(values: Float32, first: Int32, counts: Int32) -> Float32:
    """The largest value of each span that starts at ``first``: float32, 0 for an empty one."""
    best = np.zeros(len(counts), np.float32)
    filled = np.flatnonzero(counts)
    if len(filled):
        best[filled] = np.maximum.reduceat(values, first[filled])
    return best
