"""From scores to the two tiers of an answer: CORE files in full, RELATED as a map. None is cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from codequarry.retrieval.answer import ChunkHit, CoreFile, RelatedFile
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.ranking import GRAPH_FILES, Scores

CANDIDATES = 12  # files ranked by their best chunk
CORE_FILES = 4
CORE_GAP = 0.03  # of the leader's score
CORE_LOGITS = (
    1.5  # the same for `linear` (nl63 dev: CORE recall .845 with 1.7 files, 3 % rule .715)
)
CHUNK_SHARE = 0.80  # of the file's best, for a chunk to be shown
CHUNK_LOGITS = 6.4  # the same for `linear`
DENSE_FLOOR = 15  # the owners of this many best chunks by cosine alone always join
GRAPH_EXTRAS = 7  # neighbours that join, by their own best chunk (nl63 dev, bundle: .986 → .991)
MAX_SYMBOLS = 8  # names shown for a RELATED file

Float32 = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Bundle:
    """The two tiers, each in ranked order."""

    core: tuple[CoreFile, ...]
    related: tuple[RelatedFile, ...]


def make_bundle(
    generation: Generation, scores: Scores, named: Mapping[int, str] | None = None
) -> Bundle:
    """Tier the best files of a scored generation.

    Args:
        generation: what was scored.
        scores: of its chunks and files.
        named: files that the query names outright, and how; each let through by the filters
            is in the bundle.
    """
    best = scores.files
    ranked = top(best, CANDIDATES)
    if not len(ranked):
        return Bundle((), ())
    leader = float(best[ranked[0]])
    reach = leader - (abs(leader) * CORE_GAP if scores.features is None else CORE_LOGITS)
    core = [f for f in ranked.tolist()[:CORE_FILES] if best[f] >= reach]
    why = dict.fromkeys(ranked.tolist()[len(core) :], ("score",))
    named = named or {}
    for file, how in named.items():
        if np.isfinite(best[file]) and file not in core:
            why[file] = (*why.get(file, ()), how)
    for file in _dense_floor(generation, scores):
        if file not in core and file not in why:
            why[file] = ("recall-floor",)
    present = {*core, *why}
    for file in _graph_extras(generation, scores, ranked.tolist()[:GRAPH_FILES], present):
        why[file] = ("via-graph",)
    return Bundle(
        tuple(_core_file(generation, scores, f, named.get(f, "")) for f in core),
        tuple(
            _related_file(generation, scores.total, f, float(best[f]), reasons)
            for f, reasons in why.items()
        ),
    )


def top(values: Float32, k: int) -> npt.NDArray[np.int64]:
    """The positions of the k largest finite values, best first, ties by position."""
    some = np.flatnonzero(np.isfinite(values))
    if len(some) > 4 * k:
        finite = values[some]
        some = some[finite >= np.partition(finite, len(finite) - k)[len(finite) - k]]
    return some[np.argsort(-values[some], kind="stable")][:k]


def _dense_floor(generation: Generation, scores: Scores) -> list[int]:
    if not len(scores.dense):
        return []
    allowed = np.where(np.isfinite(scores.total), scores.dense, -np.inf)
    chunks = top(allowed, DENSE_FLOOR)
    return list(dict.fromkeys(generation.chunk_files[chunks].tolist()))


def _graph_extras(
    generation: Generation, scores: Scores, files: list[int], present: set[int]
) -> list[int]:
    """Graph neighbours of the best files, by their own score: they join last and rank nothing."""
    found = {n for file in files for n in generation.file_neighbours(file).tolist()}
    near = [n for n in sorted(found - present) if np.isfinite(scores.files[n])]
    near.sort(key=lambda n: -float(scores.files[n]))
    return near[:GRAPH_EXTRAS]


def _span(generation: Generation, file: int) -> slice:
    first = int(generation.first_chunks[file])
    return slice(first, first + int(generation.chunk_counts[file]))


def _core_file(generation: Generation, scores: Scores, file: int, how: str) -> CoreFile:
    total, best = scores.total, float(scores.files[file])
    by_share = scores.features is None
    span = _span(generation, file)
    floor = best - (abs(best) * (1.0 - CHUNK_SHARE) if by_share else CHUNK_LOGITS)
    shown = span.start + np.flatnonzero(total[span] >= floor)
    rows = generation.chunks.select(["name", "kind"]).take(shown).to_pylist()
    hits = tuple(
        ChunkHit(
            int(generation.start_lines[chunk]),
            int(generation.end_lines[chunk]),
            row["name"],
            row["kind"],
            float(total[chunk]),
        )
        for chunk, row in zip(shown.tolist(), rows, strict=True)
    )
    why = ("score", how) if how else ("score",)
    return CoreFile(generation.paths[file], best, hits, why, _doc(generation, file))


def _related_file(
    generation: Generation, total: Float32, file: int, best: float, why: tuple[str, ...]
) -> RelatedFile:
    span = _span(generation, file)
    chunk = span.start + int(np.argmax(total[span]))
    names = generation.chunks["names"].slice(span.start, span.stop - span.start).to_pylist()
    order = np.argsort(-total[span], kind="stable").tolist()
    symbols = list(dict.fromkeys(name for i in order for name in names[i]))[:MAX_SYMBOLS]
    return RelatedFile(
        generation.paths[file],
        best,
        why,
        (int(generation.start_lines[chunk]), int(generation.end_lines[chunk])),
        tuple(symbols),
        _doc(generation, file),
    )


def _doc(generation: Generation, file: int) -> str:
    return str(generation.files["doc"][file].as_py())
