"""Kotlin, Scala and Groovy."""

from __future__ import annotations

from codequarry.assets.languages.java import ANNOTATIONS
from codequarry.assets.languages.spec import LangSpec, Rule, Versions, Visibility, node
from codequarry.vocabulary import Kind

KOTLIN = LangSpec(
    name="kotlin",
    grammar="kotlin",
    rules=(
        Rule("(package_header (identifier) @name) @def", Kind.NAMESPACE, prefix=True),
        *(
            Rule(
                f"(class_declaration {word}(type_identifier) @name"
                " [(class_body) (enum_class_body)]? @body) @def",
                kind,
            )
            for word, kind in (
                ('"interface" ', Kind.INTERFACE),
                ('"enum" ', Kind.ENUM),
                ("", Kind.CLASS),
            )
        ),
        Rule(
            "(object_declaration (type_identifier) @name (class_body)? @body) @def",
            Kind.OBJECT,
            static_members=True,
        ),
        Rule(
            "(companion_object (type_identifier)? @name (class_body)? @body) @def",
            Kind.OBJECT,
            static_members=True,
            unnamed="Companion",
        ),
        Rule(
            "(function_declaration receiver: (_)? @receiver (simple_identifier) @name ."
            " (function_value_parameters) @params (function_body)? @body) @def",
            Kind.FUNCTION,
            member=Kind.METHOD,
        ),
        Rule(
            "(secondary_constructor (function_value_parameters) @params) @def",
            Kind.CONSTRUCTOR,
            unnamed="constructor",
        ),
        Rule("(type_alias (type_identifier) @name) @def", Kind.TYPE),
        Rule(
            "(source_file (property_declaration (variable_declaration"
            " (simple_identifier) @name)) @def)",
            Kind.VAR,
        ),
    ),
    comments=("line_comment", "multiline_comment"),
    # An annotation with arguments above a class is read as an expression before it.
    attributes=("prefix_expression . (annotation)",),
    swallowing=("import_list", "package_header"),
    visibility=Visibility.UNLESS,
    hide_words=frozenset({b"private", b"protected", b"internal"}),
    upper_is_const=True,
    strip=ANNOTATIONS,
    versions=Versions(extractor="2"),
)

SCALA = LangSpec(
    name="scala",
    grammar="scala",
    rules=(
        Rule("(package_clause name: (_) @name) @def", Kind.NAMESPACE, prefix=True),
        *node("class_definition", Kind.CLASS, fields=("body",)),
        Rule(
            "(object_definition name: (_) @name body: (_)? @body) @def",
            Kind.OBJECT,
            static_members=True,
        ),
        Rule(
            "(package_object name: (_) @name body: (_)? @body) @def",
            Kind.OBJECT,
            static_members=True,
        ),
        *node("trait_definition", Kind.TRAIT, fields=("body",)),
        *node("enum_definition", Kind.ENUM, fields=("body",)),
        *node("function_definition", Kind.FUNCTION, member=Kind.METHOD),
        *node("function_declaration", Kind.FUNCTION, member=Kind.METHOD, fields=("params",)),
        *node("type_definition", Kind.TYPE, fields=()),
        Rule(
            "(given_definition name: (_) @name body: (with_template_body) @body) @def",
            Kind.CLASS,
        ),
        # `given T with` has no name of its own: its members go by the type.
        Rule(
            "(given_definition !name return_type: (_) @name body: (with_template_body) @body) @def",
            Kind.IMPL,
            emits=False,
        ),
        *node("given_definition", Kind.VAR, fields=()),
        *(
            Rule(f"({parent} ({value} pattern: (identifier) @name) @def)", Kind.VAR)
            for parent in ("compilation_unit",)
            for value in ("val_definition", "var_definition")
        ),
    ),
    comments=("comment", "block_comment"),
    constructors=frozenset({"this"}),
    visibility=Visibility.UNLESS,
    hide_words=frozenset({b"private", b"protected"}),
    prefix_adds_up=True,
    upper_is_const=True,
    strip=ANNOTATIONS,
    versions=Versions(extractor="2"),
)

SPECS = (KOTLIN, SCALA)
