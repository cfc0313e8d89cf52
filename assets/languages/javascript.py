"""JavaScript, TypeScript and TSX: one family, three grammars."""

from __future__ import annotations

import re
from dataclasses import replace

from codequarry.assets.languages.spec import LangSpec, Rule, Visibility, Wrap, node
from codequarry.vocabulary import Kind

_FUNCTION_VALUE = (
    "[(arrow_function parameters: (_)? @params body: (_) @body)"
    " (function_expression parameters: (_) @params body: (_) @body)"
    " (generator_function parameters: (_) @params body: (_) @body)] @value"
)
_CLASS_VALUE = "(class body: (_) @body) @value"

# `memo(function Card() {})`: a component in a wrapper goes by the name it is bound to.
_WRAPPER = (
    "(call_expression function: [(identifier) @w (member_expression property: (_) @w)]"
    ' arguments: (arguments . {}) (#any-of? @w "memo" "forwardRef" "observer"))'
)
_WRAPPED = (_WRAPPER.format(_FUNCTION_VALUE), _WRAPPER.format(_WRAPPER.format(_FUNCTION_VALUE)))
_SAME_NAME = (
    "(call_expression arguments: (arguments . (function_expression name: (_) @same"
    " parameters: (_) @params body: (_) @body) @value)) (#eq? @name @same)"
)

_MODULE = re.compile(rb"(?<![\w.])module\.exports\s*=")  # the value's own name counts, if any
# A function or class bound to a name by `const`, an assignment or an object's key.
_BINDINGS = (
    Rule(
        f"(variable_declarator name: (identifier) @name value: {_FUNCTION_VALUE}) @def",
        Kind.FUNCTION,
    ),
    Rule(f"(variable_declarator name: (identifier) @name value: {_CLASS_VALUE}) @def", Kind.CLASS),
    *(
        Rule(f"(variable_declarator name: (identifier) @name value: {value}) @def", Kind.FUNCTION)
        for value in (*_WRAPPED, _SAME_NAME)
    ),
    Rule(
        "(variable_declarator name: (identifier) @name"
        f" value: (assignment_expression right: {_FUNCTION_VALUE})) @def",
        Kind.FUNCTION,
    ),
    Rule(
        "(assignment_expression left: (member_expression"
        f" object: (_) @owner property: (_) @name) right: {_FUNCTION_VALUE}) @def",
        Kind.FUNCTION,
        unless=_MODULE,
    ),
    Rule(
        "(assignment_expression left: (member_expression"
        f" object: (_) @owner property: (_) @name) right: {_CLASS_VALUE}) @def",
        Kind.CLASS,
        unless=_MODULE,
    ),
    Rule(
        f"(assignment_expression left: (identifier) @name right: {_FUNCTION_VALUE}) @def",
        Kind.FUNCTION,
    ),
    # The methods of an object given to a prototype: the prototype's type is their scope.
    Rule(
        "(assignment_expression left: (member_expression object: (identifier) @name"
        ' property: (property_identifier) @p (#eq? @p "prototype")) right: (object)) @def',
        Kind.CLASS,
        emits=False,
    ),
    *(
        Rule(
            f"({holder} (object (pair key: [(property_identifier) (string)] @name"
            f" value: {_FUNCTION_VALUE}) @def))",
            Kind.FUNCTION,
            member=Kind.METHOD,
        )
        for holder in (
            "variable_declarator value:",
            "assignment_expression right:",
            "export_statement value:",
        )
    ),
)

_JS_RULES = (
    *node(
        "function_declaration generator_function_declaration",
        Kind.FUNCTION,
        member=Kind.METHOD,
    ),
    *node("class_declaration", Kind.CLASS, fields=("body",)),
    *node("method_definition", Kind.FUNCTION, member=Kind.METHOD),
    *_BINDINGS,
    # What a module exports by default needs no name: importers give it one.
    *(
        Rule(f'(export_statement "default" @name value: {value} @def)', kind)
        for value, kind in (
            ("(arrow_function parameters: (_)? @params body: (_) @body)", Kind.FUNCTION),
            ("(function_expression !name parameters: (_) @params body: (_) @body)", Kind.FUNCTION),
            ("(class !name body: (_) @body)", Kind.CLASS),
        )
    ),
    Rule(
        "(function_expression name: (identifier) @name parameters: (_) @params"
        " body: (_) @body) @def",
        Kind.FUNCTION,
    ),
    Rule("(class name: (_) @name body: (_) @body) @def", Kind.CLASS),
)


_REQUIRE = re.compile(rb"=\s*(?:await\s+import|require|jest\.requireActual)\s*\(")


def _top_values() -> tuple[Rule, ...]:
    """``const X = …`` at file level."""
    return tuple(
        Rule(f"(program {form.format(holder)})", kind, unless=_REQUIRE, once=True)
        for holder, kind in (
            ('lexical_declaration kind: "const"', Kind.CONST),
            ('lexical_declaration kind: "let"', Kind.VAR),
            ("variable_declaration", Kind.VAR),
        )
        for form in (
            "({} (variable_declarator name: (identifier) @name) @def)",
            (
                "(export_statement declaration: ({}"
                " (variable_declarator name: (identifier) @name) @def))"
            ),
        )
    )


_WRAPS = (
    Wrap("(lexical_declaration (variable_declarator) @inner) @outer", same_line=True),
    Wrap("(variable_declaration (variable_declarator) @inner) @outer", same_line=True),
    Wrap("(expression_statement (assignment_expression) @inner) @outer", same_line=True),
    Wrap('(export_statement "default" . (_) @inner) @outer', exports=True, default=True),
    Wrap("(export_statement declaration: (_) @inner) @outer", exports=True),
)
_MODULE_EXPORTS = """
(program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @m property: (property_identifier) @e)
  right: (identifier) @exported
  (#eq? @m "module") (#eq? @e "exports"))))
"""
_EXPORTS_MEMBER = """
(program (expression_statement (assignment_expression
  left: (member_expression object: (_) @m)
  right: (identifier) @exported
  (#any-of? @m "exports" "module.exports"))))
"""
_EXPORTS = (
    "(export_specifier name: (identifier) @exported)",
    '(export_statement "default" value: (identifier) @default)',
    _MODULE_EXPORTS,
    _EXPORTS_MEMBER,
)
_DECORATORS = re.compile(r"^(?:@[\w.]+(?:\((?:[^()]|\([^()]*\))*\))?\s*)+")

JAVASCRIPT = LangSpec(
    name="javascript",
    grammar="javascript",
    rules=(
        *_JS_RULES,
        Rule(
            f"(field_definition property: (_) @name value: {_FUNCTION_VALUE}) @def",
            Kind.FUNCTION,
            member=Kind.METHOD,
        ),
        *_top_values(),
    ),
    wraps=_WRAPS,
    comments=("comment", "html_comment"),
    attributes=("decorator",),
    exports=_EXPORTS,
    constructors=frozenset({"constructor"}),
    visibility=Visibility.WRAPPER,
    hide_words=frozenset({b"private", b"protected"}),
    static_words=frozenset({b"static"}),
    self_params=frozenset({"this"}),
    strip=_DECORATORS,
    upper_is_const=True,
)

TYPESCRIPT = replace(
    JAVASCRIPT,
    name="typescript",
    grammar="typescript",
    rules=(
        *_JS_RULES,
        *node("abstract_class_declaration", Kind.CLASS, fields=("body",)),
        *node("interface_declaration", Kind.INTERFACE, fields=("body",)),
        *node("enum_declaration", Kind.ENUM, fields=("body",)),
        *node("type_alias_declaration", Kind.TYPE, fields=()),
        *node("internal_module", Kind.NAMESPACE, fields=("body",)),
        *node("module", Kind.NAMESPACE, fields=("body",)),
        *node("function_signature", Kind.FUNCTION, fields=("params",)),
        *node(
            "method_signature abstract_method_signature",
            Kind.FUNCTION,
            member=Kind.METHOD,
            fields=("params",),
        ),
        Rule(
            f"(public_field_definition name: (_) @name value: {_FUNCTION_VALUE}) @def",
            Kind.FUNCTION,
            member=Kind.METHOD,
        ),
        *_top_values(),
    ),
    wraps=(
        *_WRAPS,
        Wrap("(expression_statement (internal_module) @inner) @outer"),
        Wrap("(ambient_declaration (_) @inner) @outer"),
    ),
    name_split=re.compile(r"\."),
)

TSX = replace(TYPESCRIPT, name="tsx", grammar="tsx")

SPECS = (JAVASCRIPT, TYPESCRIPT, TSX)
