"""C#."""

from __future__ import annotations

import re

from codequarry.assets.languages.spec import LangSpec, Rule, Visibility, node
from codequarry.vocabulary import Kind

CSHARP = LangSpec(
    name="csharp",
    grammar="csharp",
    rules=(
        *node("namespace_declaration", Kind.NAMESPACE, fields=("body",)),
        Rule("(file_scoped_namespace_declaration name: (_) @name) @def", Kind.NAMESPACE, rest=True),
        Rule('(record_declaration "struct" name: (_) @name body: (_)? @body) @def', Kind.STRUCT),
        *node("class_declaration record_declaration", Kind.CLASS, fields=("body",)),
        *node("struct_declaration", Kind.STRUCT, fields=("body",)),
        *node("interface_declaration", Kind.INTERFACE, fields=("body",)),
        *node("enum_declaration", Kind.ENUM, fields=("body",)),
        *node("method_declaration", Kind.METHOD),
        *node("constructor_declaration", Kind.CONSTRUCTOR),
        *(
            Rule(f"({type_} parameters: (_) @params body: (_)? @body) @def", Kind.METHOD, form=form)
            for type_, form in (
                ("destructor_declaration name: (_) @name", "~{}"),
                ("operator_declaration operator: _ @name", "operator {}"),
                ("conversion_operator_declaration type: (_) @name", "operator {}"),
            )
        ),
        *node("local_function_statement", Kind.FUNCTION),
        *node("delegate_declaration", Kind.TYPE, fields=("params",)),
        Rule(
            '(field_declaration (modifier) @m (#eq? @m "const") (variable_declaration'
            " (variable_declarator name: (identifier) @name))) @def",
            Kind.CONST,
        ),
    ),
    visibility=Visibility.KEYWORD,
    show_words=frozenset({b"public"}),
    static_words=frozenset({b"static"}),
    name_split=re.compile(r"\."),
    strip=re.compile(r"^(?:\[(?:[^\[\]]|\[[^\]]*\])*\]\s*)+"),
    blanked=(
        re.compile(rb"^[ \t]*(\*[ \t]*\([\w.]+\*\)&?)", re.MULTILINE),  # `*(int*)p = 1;`
        re.compile(rb"\b(ref)[ \t]+(?=partial[ \t]+struct\b)"),
    ),
    conditionals=True,
    transparent=("preproc_if", "preproc_else", "preproc_elif", "preproc_region"),
)

SPECS = (CSHARP,)
