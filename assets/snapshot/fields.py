"""The fields of the lexical lane and the small texts of the composed vectors, from rows.

Every field is a flat list of (term, document) pairs: body terms come counted from the facts,
the short fields (names, scope, path) are split here, once for each distinct string.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from codequarry.assets.facts.expand import Expanded
from codequarry.assets.snapshot.postings import Field

Int32 = npt.NDArray[np.int32]


def list_rows(column: pa.ListArray, rows: npt.NDArray[np.int64]) -> tuple[pa.Array, Int32]:
    """Flatten the lists at ``rows``: the values, and for each the position in ``rows``."""
    taken = column.take(pa.array(rows))
    lengths = np.asarray(taken.value_lengths().fill_null(0))
    return taken.flatten(), np.repeat(np.arange(len(rows)), lengths).astype(np.int32)


def body_field(chunks: pa.Table, expanded: Expanded) -> Field:
    """Identifier parts and joined wholes of each chunk's text, with their counts."""
    terms, docs, counts = [], [], []
    for name, count_name in (("terms", "counts"), ("wholes", "whole_counts")):
        values, where = list_rows(_one(chunks, name), expanded.rows)
        n, _ = list_rows(_one(chunks, count_name), expanded.rows)
        terms.append(values)
        docs.append(where)
        counts.append(np.asarray(n).astype(np.float32))
    return Field(pa.concat_arrays(terms), np.concatenate(docs), np.concatenate(counts))


def listed_field(table: pa.Table, name: str, rows: npt.NDArray[np.int64]) -> Field:
    """A short field that the facts hold split: the lists of column ``name`` at ``rows``."""
    values, docs = list_rows(_one(table, name), rows)
    return Field(values, docs, np.ones(len(values), np.float32))


def text_field(texts: Sequence[str], docs: Int32, split: Callable[[str], list[str]]) -> Field:
    """A short field: ``texts[i]`` belongs to document ``docs[i]``."""
    cache: dict[str, list[str]] = {}
    terms: list[str] = []
    lengths = np.zeros(len(texts), np.int64)
    for i, text in enumerate(texts):
        found = cache.get(text)
        if found is None:
            found = cache[text] = split(text)
        terms += found
        lengths[i] = len(found)
    return Field(
        pa.array(terms, pa.string()), np.repeat(docs, lengths), np.ones(len(terms), np.float32)
    )


def stem_of(path: str) -> str:
    """A file's name without its extensions."""
    pure = PurePosixPath(path)
    return pure.name.split(".")[0] or pure.name.lstrip(".")


def folders_of(path: str) -> str:
    """The folders of a path, as one text."""
    return path.rpartition("/")[0].replace("/", " ")


def for_chunks(field: Field, expanded: Expanded) -> Field:
    """A field over files, given to each chunk of the file."""
    lengths = np.bincount(field.docs, minlength=len(expanded.count))
    starts = np.cumsum(lengths) - lengths
    per_chunk = lengths[expanded.files]
    ends = np.cumsum(per_chunk)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - per_chunk, per_chunk)
    at = np.repeat(starts[expanded.files], per_chunk) + within
    docs = np.repeat(np.arange(len(per_chunk)), per_chunk).astype(np.int32)
    return Field(field.terms.take(pa.array(at)), docs, field.counts[at])


def _one(table: pa.Table, name: str) -> pa.ListArray:
    column = table[name].combine_chunks()
    return column if isinstance(column, pa.ListArray) else column.chunk(0)
