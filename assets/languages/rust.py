"""Rust."""

from __future__ import annotations

import re

from codequarry.assets.languages.spec import LangSpec, Rule, Visibility, node
from codequarry.vocabulary import Kind

RUST = LangSpec(
    name="rust",
    grammar="rust",
    rules=(
        *node("function_item", Kind.FUNCTION, member=Kind.METHOD),
        *node("function_signature_item", Kind.FUNCTION, member=Kind.METHOD, fields=("params",)),
        *node("struct_item", Kind.STRUCT, fields=("body",)),
        *node("enum_item", Kind.ENUM, fields=("body",)),
        *node("union_item", Kind.UNION, fields=("body",)),
        *node("trait_item", Kind.TRAIT, fields=("body",)),
        Rule("(mod_item name: (_) @name body: (_) @body) @def", Kind.MODULE),
        *node("type_item associated_type", Kind.TYPE, fields=()),
        *node("const_item", Kind.CONST, fields=()),
        *node("static_item", Kind.VAR, fields=()),
        *node("macro_definition", Kind.MACRO, fields=()),
        Rule(
            "(impl_item trait: (_)? @trait type: (_) @name body: (_)? @body) @def",
            Kind.IMPL,
            emits=False,
        ),
    ),
    comments=("line_comment", "block_comment"),
    attributes=("attribute_item",),
    inner_docs=True,
    delimiter="::",
    member_delimiter="::",
    visibility=Visibility.KEYWORD,
    show_words=frozenset({b"pub"}),
    self_params=frozenset({"self"}),
    self_makes_instance=True,
    strip=re.compile(r"^(?:#\[[^\]]*\]\s*)+"),
)

SPECS = (RUST,)
