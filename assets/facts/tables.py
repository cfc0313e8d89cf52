"""Facts of files as Arrow tables: the row form of `FileFacts`, one table an artefact."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import pyarrow as pa

from codequarry.assets.embedded.searchable import searchable
from codequarry.identifiers import parts_and_wholes, term_counts, tokens
from codequarry.schemas import FACTS
from codequarry.store.fragments import FactKey
from codequarry.text import split_lines
from codequarry.vocabulary import Binding, Chunk, FileFacts, Reference, Symbol

_MAX_COUNT = 65_535
MAX_TERMS_TEXT = 200_000  # characters of one chunk that are tokenised; more is data, not code


class FactsBuilder:
    """Collects the facts of files and gives them as tables."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, list[object]]] = {
            table: {name: [] for name in schema.names} for table, schema in FACTS.items()
        }

    def add(self, key: FactKey, facts: FileFacts, text: str) -> None:
        """Add one file's facts; ``text`` is its decoded text, which the lines refer to."""
        self._append(
            "parses", key, (facts.encoding, facts.line_count, facts.state.value, facts.reason)
        )
        lines = split_lines(text)
        for chunk in facts.chunks:
            self._append("chunks", key, _chunk_row(chunk, lines, facts.language))
        for symbol in facts.symbols:
            self._append("symbols", key, _symbol_row(symbol))
        for reference in facts.references:
            self._append("references", key, _reference_row(reference))
        for binding in facts.bindings:
            self._append("bindings", key, _binding_row(binding))
        if facts.skeleton:
            terms, counts = _counts(term_counts(facts.skeleton)[0])
            row = (facts.skeleton, _sha256(facts.skeleton), terms, counts)
            self._append("skeletons", key, row)

    def _append(self, table: str, key: FactKey, row: Iterable[object]) -> None:
        for column, value in zip(self._rows[table].values(), (*key, *row), strict=True):
            column.append(value)

    def tables(self) -> dict[str, pa.Table]:
        """All rows so far, one table each."""
        return {
            table: pa.table(columns, schema=FACTS[table]) for table, columns in self._rows.items()
        }


def _chunk_row(chunk: Chunk, lines: list[str], language: str) -> tuple[object, ...]:
    own = lines[chunk.start_line - 1 : chunk.end_line]
    text = "".join(own)
    parts, wholes = term_counts(searchable(own, language)[:MAX_TERMS_TEXT])
    return (
        chunk.start_line,
        chunk.end_line,
        chunk.kind.value,
        chunk.name,
        chunk.names,
        chunk.scope,
        chunk.part,
        chunk.parts,
        _sha256(text),
        *_counts(parts),
        *_counts(wholes),
        [term for name in chunk.names for term in parts_and_wholes(name)],
        [term for name in chunk.scope for term in parts_and_wholes(name)],
    )


def _symbol_row(symbol: Symbol) -> tuple[object, ...]:
    return (
        symbol.name,
        symbol.qualified,
        symbol.kind.value,
        symbol.scope,
        symbol.name_line,
        symbol.start_line,
        symbol.end_line,
        symbol.start_byte,
        symbol.end_byte,
        symbol.signature,
        symbol.doc,
        symbol.static,
        symbol.exported,
        symbol.default_export,
        symbol.receiver,
        symbol.trait,
        symbol.arity_min,
        symbol.arity_max,
        list(dict.fromkeys(tokens(symbol.name))),
    )


def _reference_row(reference: Reference) -> tuple[object, ...]:
    return (
        reference.type.value,
        reference.path,
        reference.written,
        reference.name,
        reference.receiver.value,
        reference.scope,
        reference.arity,
        reference.line,
        reference.byte,
    )


def _binding_row(binding: Binding) -> tuple[object, ...]:
    return (
        binding.scope,
        binding.name,
        binding.kind.value,
        binding.target,
        binding.member,
        binding.line,
    )


def _counts(counts: Mapping[str, int]) -> tuple[list[str], list[int]]:
    """Terms in the order of their first occurrence, and their counts."""
    values = list(counts.values())
    if values and max(values) > _MAX_COUNT:
        values = [min(value, _MAX_COUNT) for value in values]
    return list(counts), values


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
