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
            dotted=True,
        ),
        Rule("(protocol_declaration name: (_) @name body: (_) @body) @def", Kind.INTERFACE),
        Rule(
            # the name is what follows the word: an operator's sign is a node without a name
            '(function_declaration "func" . name: _ @name body: (_) @body) @def',
            Kind.FUNCTION,
            member=Kind.METHOD,
        ),
        Rule('(protocol_function_declaration "func" . name: _ @name) @def', Kind.METHOD),
        Rule('(init_declaration "init" @name body: (_)? @body) @def', Kind.CONSTRUCTOR),
        Rule('(deinit_declaration "deinit" @name body: (_) @body) @def', Kind.METHOD),
        Rule(
            '(subscript_declaration "subscript" @name (computed_property) @body) @def', Kind.METHOD
        ),
        Rule("(typealias_declaration name: (type_identifier) @name) @def", Kind.TYPE),
        Rule('(macro_declaration "macro" . (simple_identifier) @name) @def', Kind.MACRO),
        *(
            Rule(
                f'(source_file (property_declaration (value_binding_pattern mutability: "{word}")'
                " name: (pattern bound_identifier: (simple_identifier) @name)) @def)",
                kind,
            )
            for word, kind in (("let", Kind.CONST), ("var", Kind.VAR))
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
