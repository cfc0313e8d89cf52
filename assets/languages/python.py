"""Python and its dialects."""

from __future__ import annotations

import re

from codequarry.assets.languages.spec import (
    DocStyle,
    LangSpec,
    Rule,
    Versions,
    Visibility,
    Wrap,
    node,
)
from codequarry.vocabulary import Kind

PYTHON = LangSpec(
    name="python",
    grammar="python",
    rules=(
        *node("function_definition", Kind.FUNCTION, member=Kind.METHOD),
        *node("class_definition", Kind.CLASS, fields=("body",)),
        Rule("(type_alias_statement left: (type (identifier) @name)) @def", Kind.TYPE),
        Rule(
            "(module (assignment left: (identifier) @name"
            " right: (lambda parameters: (_)? @params body: (_) @body)) @def)",
            Kind.FUNCTION,
        ),
        Rule("(module (assignment left: (identifier) @name) @def)", Kind.VAR, once=True),
    ),
    wraps=(Wrap("(decorated_definition definition: (_) @inner) @outer", in_signature=False),),
    attributes=("decorator",),
    doc=DocStyle.STRING,
    constructors=frozenset({"__init__"}),
    visibility=Visibility.UNDERSCORE,
    static_words=frozenset({b"staticmethod", b"classmethod"}),
    self_params=frozenset({"self", "cls", "mcs", "mcls", "metacls"}),
    depth=5,  # module, class, block, decorated definition, definition
    nested=re.compile(rb"\n[ \t]*((?:async[ \t]+)?(?:def|class)\b)"),
    upper_is_const=True,
    versions=Versions(extractor="2"),
)

STARLARK = LangSpec(
    name="starlark",
    grammar="starlark",
    rules=(
        *node("function_definition", Kind.FUNCTION),
        Rule(
            "(module (expression_statement (assignment left: (identifier) @name) @def))",
            Kind.VAR,
            once=True,
        ),
    ),
    doc=DocStyle.STRING,
    visibility=Visibility.UNDERSCORE,
    upper_is_const=True,
)

SPECS = (PYTHON, STARLARK)
