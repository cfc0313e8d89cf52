"""Shorter specs of programming languages: definitions, scopes and doc comments."""

from __future__ import annotations

import re
from dataclasses import replace

from codequarry.assets.languages.spec import LangSpec, Rule, Visibility, node
from codequarry.vocabulary import Kind


def rules(*pairs: tuple[str, Kind]) -> tuple[Rule, ...]:
    """Rules that are a pattern and a kind, no more."""
    return tuple(Rule(query, kind) for query, kind in pairs)


BASH = LangSpec(
    name="bash",
    grammar="bash",
    rules=node("function_definition", Kind.FUNCTION, fields=("body",)),
)

LUA = LangSpec(
    name="lua",
    grammar="lua",
    rules=(
        *node("function_declaration", Kind.FUNCTION, member=Kind.METHOD),
        Rule(
            "(assignment_statement (variable_list . name: (_) @name) (expression_list . value:"
            " (function_definition parameters: (_) @params body: (_)? @body))) @def",
            Kind.FUNCTION,
        ),
    ),
    name_split=re.compile(r"[.:]"),
)

POWERSHELL = LangSpec(
    name="powershell",
    grammar="powershell",
    rules=rules(
        ("(function_statement (function_name) @name (script_block)? @body) @def", Kind.FUNCTION),
        ("(class_statement . (simple_name) @name) @def", Kind.CLASS),
        ("(class_method_definition (simple_name) @name) @def", Kind.METHOD),
    ),
)

R = LangSpec(
    name="r",
    grammar="r",
    rules=rules(
        (
            (
                "(binary_operator lhs: (identifier) @name rhs: (function_definition"
                " parameters: (_) @params body: (_)? @body)) @def"
            ),
            Kind.FUNCTION,
        ),
    ),
)

JULIA = LangSpec(
    name="julia",
    grammar="julia",
    rules=rules(
        ("(module_definition name: (_) @name) @def", Kind.MODULE),
        (
            (
                "(function_definition (signature (call_expression . (_) @name"
                " (argument_list) @params))) @def"
            ),
            Kind.FUNCTION,
        ),
        (
            "(assignment . (call_expression . (identifier) @name (argument_list) @params)) @def",
            Kind.FUNCTION,
        ),
        (
            (
                "(macro_definition (signature (call_expression . (_) @name"
                " (argument_list) @params))) @def"
            ),
            Kind.MACRO,
        ),
        ("(struct_definition (type_head (identifier) @name)) @def", Kind.STRUCT),
        ("(abstract_definition (type_head (identifier) @name)) @def", Kind.TYPE),
    ),
    comments=("line_comment", "block_comment"),
)

DART = LangSpec(
    name="dart",
    grammar="dart",
    rules=(
        *node("class_definition", Kind.CLASS, fields=("body",)),
        *node("enum_declaration", Kind.ENUM, fields=("body",)),
        *node("extension_declaration", Kind.CLASS, fields=("body",)),
        *rules(
            ("(mixin_declaration (identifier) @name (class_body)? @body) @def", Kind.TRAIT),
            ("(type_alias . (type_identifier) @name) @def", Kind.TYPE),
            ("(getter_signature name: (_) @name) @def", Kind.METHOD),
            ("(setter_signature name: (_) @name) @def", Kind.METHOD),
        ),
        Rule(
            "(constructor_signature name: (_) @name parameters: (_) @params) @def",
            Kind.CONSTRUCTOR,
        ),
        Rule(
            "(function_signature name: (_) @name (formal_parameter_list) @params) @def",
            Kind.FUNCTION,
            member=Kind.METHOD,
        ),
    ),
    comments=("comment", "documentation_comment"),
    visibility=Visibility.UNDERSCORE,
)

ELIXIR = LangSpec(
    name="elixir",
    grammar="elixir",
    rules=(
        *(
            Rule(
                f"(call target: (identifier) @t (arguments . {name}) (do_block)? @body"
                f" (#any-of? @t {words})) @def",
                kind,
            )
            for words, kind, name in (
                ('"defmodule"', Kind.MODULE, "(alias) @name"),
                ('"defprotocol"', Kind.INTERFACE, "(alias) @name"),
                (
                    '"def" "defp" "defdelegate"',
                    Kind.FUNCTION,
                    "(call target: (identifier) @name (arguments) @params)",
                ),
                ('"def" "defp"', Kind.FUNCTION, "(identifier) @name"),
                (
                    '"def" "defp"',
                    Kind.FUNCTION,
                    (
                        "(binary_operator left:"
                        " (call target: (identifier) @name (arguments) @params))"
                    ),
                ),
                (
                    '"defmacro" "defmacrop"',
                    Kind.MACRO,
                    "(call target: (identifier) @name (arguments) @params)",
                ),
            )
        ),
    ),
    name_split=re.compile(r"\."),
    visibility=Visibility.UNLESS,
    hide_words=frozenset({b"defp", b"defmacrop"}),
)

CLOJURE = LangSpec(
    name="clojure",
    grammar="clojure",
    rules=tuple(
        Rule(
            f"(source (list_lit . (sym_lit) @t . (sym_lit) @name (#any-of? @t {words})) @def)",
            kind,
        )
        for words, kind in (
            ('"defn" "defn-" "defmulti" "defmethod" "deftest"', Kind.FUNCTION),
            ('"defmacro"', Kind.MACRO),
            ('"def" "defonce"', Kind.VAR),
            ('"defprotocol" "definterface"', Kind.INTERFACE),
            ('"defrecord" "deftype"', Kind.STRUCT),
        )
    ),
)

HASKELL = LangSpec(
    name="haskell",
    grammar="haskell",
    rules=rules(
        ("(declarations (function name: (variable) @name) @def)", Kind.FUNCTION),
        ("(declarations (bind name: (variable) @name) @def)", Kind.FUNCTION),
        ("(data_type name: (_) @name) @def", Kind.TYPE),
        ("(newtype name: (_) @name) @def", Kind.TYPE),
        ("(type_synomym name: (_) @name) @def", Kind.TYPE),
        ("(class name: (_) @name) @def", Kind.INTERFACE),
    ),
    comments=("comment", "haddock"),
)
HASKELL = replace(HASKELL, rules=tuple(replace(rule, once=True) for rule in HASKELL.rules))

OCAML = LangSpec(
    name="ocaml",
    grammar="ocaml",
    rules=rules(
        (
            (
                "(value_definition (let_binding pattern: (value_name) @name (parameter)"
                " body: (_) @body)) @def"
            ),
            Kind.FUNCTION,
        ),
        (
            (
                "(value_definition (let_binding pattern: (value_name) @name"
                " body: (fun_expression) @body)) @def"
            ),
            Kind.FUNCTION,
        ),
        ("(module_definition (module_binding (module_name) @name)) @def", Kind.MODULE),
        ("(type_definition (type_binding name: (_) @name)) @def", Kind.TYPE),
        ("(class_definition (class_binding (class_name) @name)) @def", Kind.CLASS),
        ("(method_definition (method_name) @name) @def", Kind.METHOD),
    ),
)

FSHARP = LangSpec(
    name="fsharp",
    grammar="fsharp",
    rules=rules(
        ("(named_module name: (_) @name) @def", Kind.MODULE),
        ("(module_defn (identifier) @name) @def", Kind.MODULE),
        (
            "(function_or_value_defn (function_declaration_left . (_) @name) body: (_) @body) @def",
            Kind.FUNCTION,
        ),
        ("(type_definition (_ (type_name type_name: (_) @name))) @def", Kind.TYPE),
    ),
    comments=("line_comment", "block_comment"),
)

ZIG = LangSpec(
    name="zig",
    grammar="zig",
    rules=rules(
        (
            (
                "(Decl (FnProto function: (IDENTIFIER) @name (ParamDeclList)? @params)"
                " (Block)? @body) @def"
            ),
            Kind.FUNCTION,
        ),
        (
            (
                "(Decl (VarDecl variable_type_function: (IDENTIFIER) @name (ErrorUnionExpr"
                " (SuffixExpr (ContainerDecl) @body)))) @def"
            ),
            Kind.STRUCT,
        ),
    ),
    comments=("line_comment", "doc_comment", "container_doc_comment"),
)
ZIG = replace(ZIG, rules=(replace(ZIG.rules[0], member=Kind.METHOD), *ZIG.rules[1:]))

SPECS = (BASH, LUA, POWERSHELL, R, JULIA, DART, ELIXIR, CLOJURE, HASKELL, OCAML, FSHARP, ZIG)
