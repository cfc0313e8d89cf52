"""Definitions to `Symbol` rows."""

from __future__ import annotations

from codequarry.assets.languages.grammars import Grammar
from codequarry.assets.languages.spec import CALLABLE_KINDS, DocStyle, LangSpec
from codequarry.assets.symbols.arity import UNKNOWN, arity, parameters_after
from codequarry.assets.symbols.definitions import Definition, Found
from codequarry.assets.symbols.docs import doc_above, docstring_at, inner_doc, trailing_doc
from codequarry.assets.symbols.qualify import qualified_name
from codequarry.assets.symbols.signature import signature
from codequarry.vocabulary import Kind, Symbol

_NO_DROP: frozenset[str] = frozenset()


def symbols_of(
    definitions: list[Definition], found: Found, source: bytes, grammar: Grammar
) -> tuple[Symbol, ...]:
    """The symbols of a file in reading order."""
    spec = grammar.spec
    rows = []
    for definition in definitions:
        doc = _doc(definition, found, source, spec)  # moves the start over attributes
        if definition.rule.emits and definition.name:
            rows.append(_symbol(definition, doc, source, spec))
    return tuple(rows)


def _doc(definition: Definition, found: Found, source: bytes, spec: LangSpec) -> str:
    if spec.doc is DocStyle.COMMENT:
        doc = doc_above(definition, found, source, inner=spec.inner_docs)
        if not doc and spec.inner_docs and definition.kind is Kind.MODULE:
            return inner_doc(definition, source)
        return doc or trailing_doc(definition, found, source)
    if spec.doc is DocStyle.STRING and definition.body >= 0:
        return docstring_at(source, definition.body, definition.end)
    return ""


def _parameters(definition: Definition, source: bytes, spec: LangSpec) -> str | None:
    if definition.params is not None:
        first, last = definition.params
        return source[first:last].decode("utf-8", "replace")
    if not spec.params_after_name:
        return None
    head = source[definition.name_start : max(definition.body, definition.name_start)]
    return parameters_after(head.decode("utf-8", "replace"), 0)


def _symbol(definition: Definition, doc: str, source: bytes, spec: LangSpec) -> Symbol:
    least = most = UNKNOWN
    if definition.kind in CALLABLE_KINDS:
        text = _parameters(definition, source, spec)
        bound = definition.parent is not None and definition.parent.kind not in CALLABLE_KINDS
        if text is not None:
            least, most = arity(text, spec.self_params if bound else _NO_DROP)
    return Symbol(
        name=definition.name,
        qualified=qualified_name(definition, spec),
        kind=definition.kind,
        scope=definition.scope,
        name_line=definition.name_row + 1,
        start_line=definition.start_row + 1,
        end_line=definition.end_row + 1,
        start_byte=definition.start,
        end_byte=definition.end,
        signature=signature(definition, source, spec),
        doc=doc,
        static=definition.static,
        exported=definition.exported,
        default_export=definition.default,
        receiver=definition.receiver,
        trait=definition.trait,
        arity_min=least,
        arity_max=most,
    )
