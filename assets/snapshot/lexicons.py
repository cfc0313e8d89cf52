"""All inverted indexes of a generation, by the name of their file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from codequarry.assets.facts.expand import Expanded
from codequarry.assets.snapshot.fields import (
    folders_of,
    parts_and_wholes,
    parts_only,
    repeat_for_chunks,
    stem_of,
    text_field,
)
from codequarry.assets.snapshot.postings import Field, bm25f, occurrences
from codequarry.identifiers import light_stem
from codequarry.vocabulary import Kind

PROSE_KINDS = frozenset((Kind.SECTION.value, Kind.FENCE.value, Kind.HTML.value))


@dataclass(frozen=True, slots=True)
class LexicalTexts:
    """The short texts that are indexed beside the bodies.

    Attributes:
        paths: (files,) paths as shown.
        names: (chunks,) names defined in each chunk, joined by blanks.
        scopes: (chunks,) names around each chunk.
        symbols: (symbols,) name of each symbol.
        symbol_kinds: (symbols,) its kind.
        symbol_files: (symbols,) its file.
    """

    paths: Sequence[str]
    names: Sequence[str]
    scopes: Sequence[str]
    symbols: Sequence[str]
    symbol_kinds: Sequence[str]
    symbol_files: npt.NDArray[np.int32]


def lexicons(texts: LexicalTexts, body: Field, chunks: Expanded) -> dict[str, pa.Table]:
    """Build the indexes.

    Returns:
        ``body``: BM25F over chunks. Occurrences: ``names`` over chunks; ``stems``,
        ``light_stems`` and ``parents`` (the innermost folder) over files; ``symbol_names``
        over symbols; ``defines`` (whole joined names) over files.
    """
    n_chunks, n_files = len(chunks.rows), len(texts.paths)
    own = np.arange(n_chunks, dtype=np.int32)
    files = np.arange(n_files, dtype=np.int32)
    stems = [stem_of(path) for path in texts.paths]
    folders = [folders_of(path) for path in texts.paths]
    chunk_stems, docs = repeat_for_chunks(stems, chunks)
    chunk_folders, _ = repeat_for_chunks(folders, chunks)
    names = text_field(texts.names, own, parts_and_wholes)
    fields = {
        "body": body,
        "names": names,
        "scope": text_field(texts.scopes, own, parts_and_wholes),
        "stem": text_field(chunk_stems, docs, parts_and_wholes),
        "folders": text_field(chunk_folders, docs, parts_and_wholes),
    }
    code = np.array([kind not in PROSE_KINDS for kind in texts.symbol_kinds], bool)
    rows = np.flatnonzero(code).astype(np.int32)
    symbols = [texts.symbols[row] for row in rows.tolist()]
    innermost = [path.rpartition("/")[0].rpartition("/")[2] for path in texts.paths]
    return {
        "body": bm25f(fields, n_chunks, chunks.files),
        "names": occurrences(names, n_chunks),
        "stems": occurrences(text_field(stems, files, parts_only), n_files),
        "light_stems": occurrences(text_field(stems, files, _light), n_files),
        "parents": occurrences(text_field(innermost, files, parts_only), n_files),
        "symbol_names": occurrences(text_field(symbols, rows, parts_only), len(texts.symbols)),
        "defines": occurrences(text_field(symbols, texts.symbol_files[rows], _joined), n_files),
    }


def _light(text: str) -> list[str]:
    return [light_stem(part) for part in parts_only(text)]


def _joined(text: str) -> list[str]:
    return ["".join(parts_only(text))]
