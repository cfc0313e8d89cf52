"""Schema, build and infrastructure languages: what they define, by name."""

from __future__ import annotations

from dataclasses import replace

from codequarry.assets.languages.light import rules
from codequarry.assets.languages.spec import LangSpec, Rule
from codequarry.vocabulary import Kind

PROTO = LangSpec(
    name="proto",
    grammar="proto",
    rules=(
        Rule("(package (full_ident) @name) @def", Kind.NAMESPACE, prefix=True),
        *rules(
            ("(message (message_name) @name (message_body) @body) @def", Kind.STRUCT),
            ("(service (service_name) @name) @def", Kind.INTERFACE),
            ("(rpc (rpc_name) @name) @def", Kind.METHOD),
            ("(enum (enum_name) @name (enum_body) @body) @def", Kind.ENUM),
        ),
    ),
)

THRIFT = LangSpec(
    name="thrift",
    grammar="thrift",
    rules=rules(
        ("(struct_definition type: (identifier) @name) @def", Kind.STRUCT),
        ("(union_definition type: (identifier) @name) @def", Kind.UNION),
        ("(exception_definition . (identifier) @name) @def", Kind.STRUCT),
        ("(enum_definition type: (identifier) @name) @def", Kind.ENUM),
        ("(service_definition type: (identifier) @name) @def", Kind.INTERFACE),
        (
            "(function_definition (identifier) @name . (parameters) @params) @def",
            Kind.METHOD,
        ),
    ),
)

SQL = LangSpec(
    name="sql",
    grammar="sql",
    rules=tuple(
        Rule(
            f"({created} (object_reference name: (_) @name)) @def",
            kind,
            scopes=False,
            once=True,
        )
        for created, kind in (
            ("create_table", Kind.STRUCT),
            ("create_view", Kind.TYPE),
            ("create_materialized_view", Kind.TYPE),
            ("create_type", Kind.TYPE),
            ("create_function", Kind.FUNCTION),
            ("create_trigger", Kind.FUNCTION),
        )
    ),
)

GRAPHQL = LangSpec(
    name="graphql",
    grammar="graphql",
    rules=rules(
        ("(object_type_definition . (name) @name) @def", Kind.TYPE),
        ("(object_type_definition (description) . (name) @name) @def", Kind.TYPE),
        ("(interface_type_definition (name) @name) @def", Kind.INTERFACE),
        ("(input_object_type_definition (name) @name) @def", Kind.STRUCT),
        ("(enum_type_definition (name) @name) @def", Kind.ENUM),
        ("(union_type_definition (name) @name) @def", Kind.UNION),
        ("(scalar_type_definition (name) @name) @def", Kind.TYPE),
        ("(operation_definition (name) @name) @def", Kind.FUNCTION),
        ("(fragment_definition (fragment_name) @name) @def", Kind.FUNCTION),
    ),
)

_BLOCK = "(block (identifier) (string_lit (template_literal) @name) . (block_start)) @def"
HCL = LangSpec(name="hcl", grammar="hcl", rules=rules((_BLOCK, Kind.VAR)))
TERRAFORM = replace(HCL, name="terraform", grammar="terraform")

MAKE = LangSpec(
    name="make",
    grammar="make",
    rules=rules(
        ("(rule (targets (word) @name)) @def", Kind.FUNCTION),
        ("(define_directive name: (_) @name) @def", Kind.MACRO),
    ),
)

CMAKE = LangSpec(
    name="cmake",
    grammar="cmake",
    rules=rules(
        ("(function_def (function_command (argument_list . (_) @name))) @def", Kind.FUNCTION),
        ("(macro_def (macro_command (argument_list . (_) @name))) @def", Kind.MACRO),
    ),
    comments=("line_comment", "bracket_comment"),
)


SPECS = (PROTO, THRIFT, SQL, GRAPHQL, HCL, TERRAFORM, MAKE, CMAKE)
