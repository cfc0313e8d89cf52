"""Swift."""

from __future__ import annotations

import re

from codequarry.assets.languages.java import ANNOTATIONS
from codequarry.assets.languages.spec import LangSpec, Rule, Visibility
from codequarry.vocabulary import Kind

SWIFT = LangSpec(
    name="swift",
    grammar="swift",
    rules=(
        *(
            Rule(f'(class_declaration "{word}" name: (_) @name body: (_) @body) @def', kind)
            for word, kind in (
                ("struct", Kind.STRUCT),
                ("enum", Kind.ENUM),
                ("class", Kind.CLASS),
                ("actor", Kind.CLASS),
            )
        ),
        Rule(
            '(class_declaration "extension" name: (_) @name body: (_) @body) @def',
            Kind.IMPL,
            emits=False,
        ),
        Rule("(protocol_declaration name: (_) @name body: (_) @body) @def", Kind.INTERFACE),
        Rule(
            "(function_declaration name: [(simple_identifier) (custom_operator)] @name"
            " body: (_) @body) @def",
            Kind.FUNCTION,
            member=Kind.METHOD,
        ),
        Rule("(protocol_function_declaration name: (simple_identifier) @name) @def", Kind.METHOD),
        Rule("(init_declaration body: (_) @body) @def", Kind.CONSTRUCTOR, unnamed="init"),
        Rule("(typealias_declaration name: (type_identifier) @name) @def", Kind.TYPE),
        Rule(
            "(source_file (property_declaration name: (pattern"
            " bound_identifier: (simple_identifier) @name)) @def)",
            Kind.VAR,
        ),
    ),
    comments=("comment", "multiline_comment"),
    visibility=Visibility.UNLESS,
    hide_words=frozenset({b"private", b"fileprivate"}),
    static_words=frozenset({b"static", b"class"}),
    params_after_name=True,
    name_split=re.compile(r"\."),
    upper_is_const=True,
    strip=ANNOTATIONS,
)

SPECS = (SWIFT,)
