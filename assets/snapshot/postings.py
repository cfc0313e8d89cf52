"""The lexical lane, precomputed: what each term adds to the BM25F score of each chunk.

BM25F (Robertson & Zaragoza 2009): a term's frequency is summed over weighted, length-
normalised fields and saturated once. Field weights are those of the prototype run on the
natural-language set; idf counts files, not chunks, so a cut file is not a common word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from codequarry.schemas import POSTINGS, WEIGHTED_POSTINGS
from codequarry.term_hash import term_hashes

K1 = 1.2
BODY_B = 0.75  # length normalisation of the body; the short fields have none
FIELD_WEIGHTS = {"body": 1.0, "names": 3.0, "light": 1.0, "scope": 1.0, "stem": 4.0, "folders": 1.0}

Float32 = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Field:
    """Term occurrences of one field, flat: term i stands ``counts[i]`` times in ``docs[i]``."""

    terms: pa.Array  # (m,) string
    docs: npt.NDArray[np.int32]  # (m,) ascending
    counts: npt.NDArray[np.float32]  # (m,)


def bm25f(fields: Mapping[str, Field], n_docs: int, doc_files: npt.NDArray[np.int32]) -> pa.Table:
    """Build the weighted postings of all chunks.

    Args:
        fields: by name, as in `FIELD_WEIGHTS`.
        n_docs: how many chunks there are.
        doc_files: (n_docs,) the file of each chunk, ascending.

    Returns:
        `codequarry.schemas.WEIGHTED_POSTINGS`; an impact is what the term adds to the score.
    """
    vocabulary, ids = _encode([field.terms for field in fields.values()])
    docs = np.concatenate([field.docs for field in fields.values()])
    weights = np.concatenate([_field_tf(field, n_docs, name) for name, field in fields.items()])
    hashes, terms, docs, tf = _group(vocabulary, ids, docs, weights, n_docs)
    n_files = int(doc_files[-1]) + 1 if len(doc_files) else 0
    files = doc_files[docs]
    new_file = np.ones(len(terms), bool)
    new_file[1:] = (terms[1:] != terms[:-1]) | (files[1:] != files[:-1])
    df = np.bincount(terms[new_file], minlength=len(hashes))
    idf = np.log1p((n_files - df + 0.5) / (df + 0.5)).astype(np.float32)
    impacts = (idf[terms] * (tf * (K1 + 1) / (tf + K1))).astype(np.float32)
    return pa.table(
        [
            pa.array(hashes),
            _lists(terms, docs, len(hashes)),
            _lists(terms, impacts, len(hashes)),
            idf,
        ],
        schema=WEIGHTED_POSTINGS,
    )


def occurrences(field: Field, n_docs: int) -> pa.Table:
    """Postings that say only which documents hold a term: `codequarry.schemas.POSTINGS`."""
    vocabulary, ids = _encode([field.terms])
    ones = np.ones(len(ids), np.float32)
    hashes, terms, docs, _ = _group(vocabulary, ids, field.docs, ones, n_docs)
    return pa.table([pa.array(hashes), _lists(terms, docs, len(hashes))], schema=POSTINGS)


def _lists(terms: npt.NDArray[np.int64], values: npt.NDArray[Any], n_terms: int) -> pa.Array:
    """One list a term of ``values``, which stand in the order of their terms."""
    offsets = np.searchsorted(terms, np.arange(n_terms + 1)).astype(np.int64)
    return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(values))


def _field_tf(field: Field, n_docs: int, name: str) -> Float32:
    weight = FIELD_WEIGHTS[name]
    if name != "body":
        return weight * field.counts
    lengths = np.bincount(field.docs, weights=field.counts, minlength=n_docs)
    mean = lengths.mean() if n_docs else 1.0
    norm = 1.0 - BODY_B + BODY_B * lengths / max(mean, 1e-9)
    return (weight * field.counts / norm[field.docs]).astype(np.float32)


def _encode(columns: list[pa.Array]) -> tuple[pa.Array, npt.NDArray[np.int64]]:
    encoded = pa.concat_arrays(columns).dictionary_encode()
    return encoded.dictionary, np.asarray(encoded.indices).astype(np.int64)


def _radix_order(
    values: npt.NDArray[np.int64], order: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Refine ``order`` by ``values``, stably.

    Sixteen bits at a time: NumPy sorts those in linear time, and int64 by merging.
    """
    largest = int(values.max(initial=0))
    shift = 0
    while shift == 0 or largest >> shift:
        digits = (values[order] >> shift).astype(np.uint16)
        order = order[np.argsort(digits, kind="stable")]
        shift += 16
    return order


def _group(
    vocabulary: pa.Array,
    ids: npt.NDArray[np.int64],
    docs: npt.NDArray[np.int32],
    weights: Float32,
    n_docs: int,
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64], npt.NDArray[np.int32], Float32]:
    """Sum equal (term, document) pairs; order by the term's hash, then document."""
    hashes = term_hashes(vocabulary)
    order = np.argsort(hashes, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    by_pair = _radix_order(docs.astype(np.int64), np.arange(len(docs)))
    by_pair = _radix_order(rank[ids], by_pair)
    pairs = rank[ids[by_pair]] * max(n_docs, 1) + docs[by_pair]
    first = np.ones(len(pairs), bool)
    first[1:] = pairs[1:] != pairs[:-1]
    starts = np.flatnonzero(first)
    summed = (
        np.add.reduceat(weights[by_pair].astype(np.float64), starts) if len(starts) else weights
    )
    pairs = pairs[starts]
    docs = (pairs % max(n_docs, 1)).astype(np.int32)
    return hashes[order], pairs // max(n_docs, 1), docs, summed.astype(np.float32)
