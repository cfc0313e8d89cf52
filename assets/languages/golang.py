"""Go."""

from __future__ import annotations

import re

from codequarry.assets.languages.spec import LangSpec, Naming, Rule, Visibility, Wrap, node
from codequarry.vocabulary import Kind

GO = LangSpec(
    name="go",
    grammar="go",
    rules=(
        Rule("(package_clause (package_identifier) @name) @def", Kind.NAMESPACE, prefix=True),
        *node("function_declaration", Kind.FUNCTION),
        Rule(
            "(method_declaration receiver: (parameter_list (parameter_declaration"
            " type: (_) @receiver)) name: (_) @name parameters: (_) @params"
            " body: (_)? @body) @def",
            Kind.METHOD,
        ),
        Rule(
            "(type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @def",
            Kind.STRUCT,
        ),
        Rule("(type_spec name: (_) @name type: (interface_type)) @def", Kind.INTERFACE),
        Rule("(type_spec name: (_) @name) @def", Kind.TYPE),
        Rule("(type_alias name: (_) @name) @def", Kind.TYPE),
        Rule(
            "(type_spec type: (interface_type (method_elem name: (_) @name"
            " parameters: (_) @params) @def))",
            Kind.METHOD,
        ),
        *(
            Rule(f"(source_file {query})", kind, once=True)
            for query, kind in (
                ("(const_declaration (const_spec (identifier) @name) @def)", Kind.CONST),
                ("(var_declaration (var_spec name: (identifier) @name) @def)", Kind.VAR),
                (
                    "(var_declaration (var_spec_list (var_spec name: (identifier) @name) @def))",
                    Kind.VAR,
                ),
            )
        ),
    ),
    wraps=tuple(
        Wrap(f"({outer} ({inner}) @inner) @outer", same_line=True)
        for outer, inner in (
            ("type_declaration", "type_spec"),
            ("type_declaration", "type_alias"),
            ("const_declaration", "const_spec"),
            ("var_declaration", "var_spec"),
        )
    ),
    naming=Naming.GO,
    visibility=Visibility.CAPITAL,
    depth=4,  # file, type declaration, spec, interface
    nested=re.compile(rb"\n[ \t]+(type)[ \t(]"),  # local types
)

SPECS = (GO,)
