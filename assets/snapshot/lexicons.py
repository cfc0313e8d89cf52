"""All inverted indexes of a generation, by the name of their file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from codequarry.assets.facts.expand import Expanded
from codequarry.assets.snapshot.fields import (
    body_field,
    folders_of,
    for_chunks,
    listed_field,
    stem_of,
    text_field,
)
from codequarry.assets.snapshot.postings import Field, bm25f, occurrences
from codequarry.identifiers import LIGHT_MARK, light_stem, parts_and_wholes, tokens
from codequarry.vocabulary import Kind

PROSE_KINDS = frozenset((Kind.SECTION.value, Kind.FENCE.value, Kind.HTML.value))


@dataclass(frozen=True, slots=True)
class Rows:
    """A facts table and its expansion over the files."""

    table: pa.Table
    expanded: Expanded


def lexicons(paths: Sequence[str], chunks: Rows, symbols: Rows) -> dict[str, pa.Table]:
    """Build the indexes.

    Args:
        paths: (files,) paths as shown.
        chunks: the facts `chunks` of all files.
        symbols: the facts `symbols` of all files.

    Returns:
        ``body``: BM25F over chunks. Occurrences: ``names`` over chunks; ``stems``,
        ``light_stems`` and ``parents`` (the innermost folder) over files; ``symbol_names``
        over symbols; ``defines`` (whole joined names) over files.
    """
    n_chunks, n_files = len(chunks.expanded.rows), len(paths)
    files = np.arange(n_files, dtype=np.int32)
    stems = [stem_of(path) for path in paths]
    folders = [folders_of(path) for path in paths]
    names = listed_field(chunks.table, "name_terms", chunks.expanded.rows)
    fields = {
        "body": body_field(chunks.table, chunks.expanded),
        "names": names,
        "light": _light_field(names),
        "scope": listed_field(chunks.table, "scope_terms", chunks.expanded.rows),
        "stem": for_chunks(text_field(stems, files, parts_and_wholes), chunks.expanded),
        "folders": for_chunks(text_field(folders, files, parts_and_wholes), chunks.expanded),
    }
    symbol_names, defines = _symbol_fields(symbols)
    innermost = [path.rpartition("/")[0].rpartition("/")[2] for path in paths]
    return {
        "body": bm25f(fields, n_chunks, chunks.expanded.files),
        "names": occurrences(names, n_chunks),
        "stems": occurrences(text_field(stems, files, tokens), n_files),
        "light_stems": occurrences(text_field(stems, files, _light), n_files),
        "parents": occurrences(text_field(innermost, files, tokens), n_files),
        "symbol_names": occurrences(symbol_names, len(symbols.expanded.rows)),
        "defines": occurrences(defines, n_files),
    }


def _symbol_fields(symbols: Rows) -> tuple[Field, Field]:
    """Parts of each symbol's name, by symbol; and the joined names, by file; no prose."""
    kinds = symbols.table["kind"].combine_chunks().take(pa.array(symbols.expanded.rows))
    prose = pc.is_in(kinds, value_set=pa.array(sorted(PROSE_KINDS)))
    code = np.flatnonzero(~prose.to_numpy(zero_copy_only=False))
    rows = symbols.expanded.rows[code]
    parts = listed_field(symbols.table, "name_parts", rows)
    by_symbol = Field(parts.terms, code[parts.docs].astype(np.int32), parts.counts)
    lists = symbols.table["name_parts"].combine_chunks().take(pa.array(rows))
    joined = pc.binary_join(lists, "")
    by_file = Field(joined, symbols.expanded.files[code], np.ones(len(joined), np.float32))
    return by_symbol, by_file


def _light_field(names: Field) -> Field:
    """The names' terms without common endings, marked, so that they meet only their like."""
    encoded = names.terms.dictionary_encode()
    marked = [LIGHT_MARK + light_stem(term) for term in encoded.dictionary.to_pylist()]
    terms = pa.array(marked, pa.string()).take(encoded.indices)
    return Field(terms, names.docs, names.counts)


def _light(text: str) -> list[str]:
    return [light_stem(part) for part in tokens(text)]
