"""The files of a generation and both lanes between them, opened once for any question."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from codequarry.retrieval.generation import Generation
from codequarry.vocabulary import EdgeType, Role

# Files that only hand on what stands beside them; they are no hubs of their own.
_FRONTS = frozenset(("__init__.py", "__init__.pyi", "mod.rs", "lib.rs"))
_INDEX = frozenset(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"))

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Tie:
    """One direction of what two files have to do with each other by reference."""

    file: int
    types: dict[str, int]  # how many references, by type of edge

    @property
    def count(self) -> int:
        """All references."""
        return sum(self.types.values())


def is_front(path: str) -> bool:
    """Whether a file is the front of its package: ``__init__``, ``index``, ``mod.rs``."""
    name = path.rpartition("/")[2]
    stem, _, ending = name.partition(".")
    return name in _FRONTS or (stem == "index" and ending in _INDEX)


class FileGraph:
    """Both lanes of a generation."""

    def __init__(self, generation: Generation) -> None:
        self.generation = generation
        files = generation.graph_table("graph")
        self.community: Int32 = np.asarray(files["community"])
        self.degree: Int32 = np.asarray(files["degree"])
        self.referring: Int32 = np.asarray(files["in"])
        self.referred: Int32 = np.asarray(files["out"])
        names = generation.graph_table("communities")
        self.names: list[str] = names["name"].to_pylist()
        self.sizes: Int32 = np.asarray(names["size"])
        semantic = generation.graph_table("semantic_edges")
        self._alike_from: Int32 = np.asarray(semantic["from"])
        self._alike_to: Int32 = np.asarray(semantic["to"])
        self._cosines: npt.NDArray[np.float32] = np.asarray(semantic["cosine"])
        self.edges = generation.graph_table("tied_files")
        self._from: Int32 = np.asarray(self.edges["from"])
        self._to: Int32 = np.asarray(self.edges["to"])

    def __len__(self) -> int:
        return len(self.community)

    @property
    def facts(self) -> dict[str, float]:
        """What was measured when the graph was made: floors, percentiles, counts."""
        found: dict[str, float] = self.generation.manifest["graph"]
        return found

    @property
    def hub_degree(self) -> int:
        """The degree above which a file is a hub."""
        return int(self.facts["hub_degree"])

    def path(self, file: int) -> str:
        """A file's path as shown."""
        return self.generation.paths[file]

    @cached_property
    def is_front(self) -> npt.NDArray[np.bool_]:
        """(files,) whether a file is the front of its package."""
        return np.array([is_front(path) for path in self.generation.paths], bool)

    @cached_property
    def is_docs(self) -> npt.NDArray[np.bool_]:
        """(files,) whether a file is documentation."""
        docs: npt.NDArray[np.bool_] = self.generation.roles == Role.DOCS.value
        return docs

    @cached_property
    def _by_target(self) -> tuple[Int64, Int32]:
        order = np.argsort(self._to, kind="stable")
        return order, self._to[order]

    @cached_property
    def _walked(self) -> tuple[Int32, Int32, Int32, Int32]:
        """The ends of the references that can be walked, by origin and by target.

        A name in a doc comment is no way from one file of code to another.
        """
        mention = np.asarray(pc.equal(self.edges["type"], EdgeType.DOCUMENTS.value))
        kept = np.flatnonzero(~mention | self.is_docs[self._from])
        origin, target = self._from[kept], self._to[kept]
        order = np.argsort(target, kind="stable")
        return origin, target, target[order], origin[order]

    def referred_files(self, file: int) -> set[int]:
        """The files a file refers to; of code, in its code."""
        keys, ends, _, _ = self._walked
        start, end = np.searchsorted(keys, [file, file + 1])
        return set(ends[start:end].tolist())

    def referring_files(self, file: int) -> set[int]:
        """The files that refer to a file; those of code in their code."""
        _, _, keys, ends = self._walked
        start, end = np.searchsorted(keys, [file, file + 1])
        return set(ends[start:end].tolist())

    def references(self, file: int) -> list[Tie]:
        """The files a file refers to, the most often named first."""
        start, end = np.searchsorted(self._from, [file, file + 1])
        return self._ties(np.arange(start, end), self._to)

    def referrers(self, file: int) -> list[Tie]:
        """The files that refer to a file, the most frequent first."""
        order, targets = self._by_target
        start, end = np.searchsorted(targets, [file, file + 1])
        return self._ties(order[start:end], self._from)

    def types(self, origin: int, target: int) -> dict[str, int]:
        """The references from one file to another, by type."""
        start, end = np.searchsorted(self._from, [origin, origin + 1])
        rows = np.flatnonzero(self._to[start:end] == target) + start
        ties = self._ties(rows, self._to)
        return ties[0].types if ties else {}

    def _ties(self, rows: Int64, ends: Int32) -> list[Tie]:
        types = self.edges["type"].take(rows).to_pylist()
        counts = self.edges["n"].take(rows).to_pylist()
        found: dict[int, dict[str, int]] = {}
        for end, type_, count in zip(ends[rows].tolist(), types, counts, strict=True):
            found.setdefault(end, {})[type_] = count
        ties = [Tie(end, of) for end, of in found.items()]
        return sorted(ties, key=lambda tie: (-tie.count, self.path(tie.file)))

    def alike(self, file: int) -> list[tuple[int, float]]:
        """The files that say what a file says, with the cosine; the likest first."""
        start, end = np.searchsorted(self._alike_from, [file, file + 1])
        pairs = zip(
            self._alike_to[start:end].tolist(), self._cosines[start:end].tolist(), strict=True
        )
        return [(other, round(cosine, 4)) for other, cosine in pairs]

    @cached_property
    def both_lanes(self) -> tuple[Int64, Int64, npt.NDArray[np.bool_]]:
        """Every pair once, lower file first, and whether it is tied by reference."""
        low = np.minimum(self._from, self._to).astype(np.int64)
        high = np.maximum(self._from, self._to).astype(np.int64)
        n = max(len(self), 1)
        tied = np.unique(low * n + high)
        semantic = self._alike_from.astype(np.int64) * n + self._alike_to
        only = np.setdiff1d(semantic[self._alike_from < self._alike_to], tied)
        pairs = np.concatenate([tied, only])
        by_reference = np.arange(len(pairs)) < len(tied)
        return pairs // n, pairs % n, by_reference
