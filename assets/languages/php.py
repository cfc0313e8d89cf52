"""PHP."""

from __future__ import annotations

import re

from codequarry.assets.languages.spec import (
    LangSpec,
    Naming,
    Rule,
    Versions,
    Visibility,
    node,
)
from codequarry.vocabulary import Kind

PHP = LangSpec(
    name="php",
    grammar="php",
    rules=(
        Rule("(namespace_definition name: (_) @name) @def", Kind.NAMESPACE, prefix=True),
        *node("class_declaration", Kind.CLASS, fields=("body",)),
        *node("interface_declaration", Kind.INTERFACE, fields=("body",)),
        *node("trait_declaration", Kind.TRAIT, fields=("body",)),
        *node("enum_declaration", Kind.ENUM, fields=("body",)),
        *node("method_declaration", Kind.METHOD),
        *node("function_definition", Kind.FUNCTION),
        Rule("(const_declaration (const_element . (name) @name) @def)", Kind.CONST),
        Rule(
            "(assignment_expression left: (variable_name (name) @name)"
            " right: [(anonymous_function parameters: (_) @params body: (_) @body)"
            " (arrow_function parameters: (_) @params body: (_) @body)]) @def",
            Kind.FUNCTION,
        ),
    ),
    comments=("comment",),
    naming=Naming.MEMBER,
    delimiter="\\",
    member_delimiter="::",
    constructors=frozenset({"__construct"}),
    visibility=Visibility.UNLESS,
    hide_words=frozenset({b"private", b"protected"}),
    static_words=frozenset({b"static"}),
    versions=Versions(chunker="2", extractor="2"),
    strip=re.compile(r"^(?:#\[.*?\]\s*)+"),
)

SPECS = (PHP,)
