"""Java."""

from __future__ import annotations

import re

from codequarry.assets.languages.spec import LangSpec, Rule, Visibility, node
from codequarry.vocabulary import Kind

ANNOTATIONS = re.compile(r"^(?:@[\w.]+(?!\w)(?<!@interface)(?:\((?:[^()]|\([^()]*\))*\))?\s*)+")

JAVA = LangSpec(
    name="java",
    grammar="java",
    rules=(
        Rule("(package_declaration (_) @name) @def", Kind.NAMESPACE, prefix=True),
        *node("class_declaration", Kind.CLASS, fields=("body",)),
        *node("record_declaration", Kind.CLASS, fields=("params", "body")),
        *node(
            "interface_declaration annotation_type_declaration", Kind.INTERFACE, fields=("body",)
        ),
        *node("enum_declaration", Kind.ENUM, fields=("body",)),
        *node("method_declaration", Kind.METHOD),
        *node("annotation_type_element_declaration", Kind.METHOD, fields=()),
        *node("constructor_declaration", Kind.CONSTRUCTOR),
        *node("compact_constructor_declaration", Kind.CONSTRUCTOR, fields=("body",)),
        Rule(
            "(field_declaration (modifiers) @m declarator: (variable_declarator"
            ' name: (identifier) @name) (#match? @m "static[^@]*final|final[^@]*static")) @def',
            Kind.CONST,
        ),
        Rule(
            "(interface_body (constant_declaration declarator: (variable_declarator"
            " name: (identifier) @name)) @def)",
            Kind.CONST,
        ),
    ),
    comments=("line_comment", "block_comment"),
    visibility=Visibility.KEYWORD,
    show_words=frozenset({b"public"}),
    static_words=frozenset({b"static"}),
    strip=ANNOTATIONS,
)

SPECS = (JAVA,)
