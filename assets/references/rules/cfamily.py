"""References of C."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from codequarry.assets.references.spec import Import, Pattern, RefSpec

_MAX_STARS = 3


def declared(kind: str = "identifier") -> str:
    """A name under its declarators: plain, pointer to it, array of it."""
    found = [f"({kind}) @name", f"(array_declarator declarator: ({kind}) @name)"]
    inner = f"({kind}) @name"
    for _ in range(_MAX_STARS):
        inner = f"(pointer_declarator declarator: {inner})"
        found.append(inner)
    return f"[{' '.join(found)}]"


_FUNCTION = (
    "[(function_declarator declarator: (identifier) @name)"
    " (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))"
    " (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator"
    " declarator: (identifier) @name)))]"
)
_POINTED_FUNCTION = (
    "(function_declarator declarator: (parenthesized_declarator"
    " (pointer_declarator declarator: (identifier) @name)))"
)


def _imports(node: Node, source: bytes) -> Iterator[Import]:
    """``#include``: all names of the file; ``<…>`` is kept to tell where it is looked for."""
    path = node.child_by_field_name("path")
    if path is None or path.type not in ("string_literal", "system_lib_string"):
        return
    text = source[path.start_byte : path.end_byte].decode("utf-8", "replace").strip()
    module = text if text.startswith("<") else text.strip('"')
    yield Import("", module, "*", node.start_point[0], written=text.strip('<>"'))


C_PATTERNS: tuple[Pattern, ...] = (
    ("function", "(function_definition) @region"),
    (
        "block",
        "[(compound_statement) (for_statement) (if_statement) (while_statement)] @region",
    ),
    ("class", "[(struct_specifier body: (_)) (union_specifier body: (_))] @region"),
    ("call", "(call_expression function: (_) @callee arguments: (_) @args)"),
    ("returns", "(function_definition type: (_) @type)"),
    ("param", f"(parameter_declaration type: (_) @type declarator: {declared()})"),
    ("param", f"(parameter_declaration declarator: {_POINTED_FUNCTION})"),
    (
        "type_ref",
        "(function_definition (_ (parameter_list (parameter_declaration type: (_) @type !declarator))))",
    ),
    ("let", f"(declaration type: (_) @type declarator: {declared()})"),
    (
        "let",
        f"(declaration type: (_) @type declarator: (init_declarator declarator: {declared()} value: (_) @value))",
    ),
    ("loop", f"(declaration declarator: {_POINTED_FUNCTION})"),
    ("loop", f"(declaration declarator: (init_declarator declarator: {_POINTED_FUNCTION}))"),
    ("field", f"(field_declaration type: (_) @type declarator: {declared('field_identifier')})"),
    ("alias", "(type_definition type: (_) @type declarator: (type_identifier) @name)"),
    ("declare", f"(declaration declarator: {_FUNCTION})"),
    ("import", "(preproc_include) @import"),
)

C = RefSpec(
    language="c",
    patterns=C_PATTERNS,
    names=frozenset({"identifier"}),
    members={"field_expression": ("argument", "field")},
    calls={"call_expression": "function"},
    through={
        "parenthesized_expression": "0",
        "pointer_expression": "argument",
    },
    casts={"cast_expression": "type"},
    elements={"subscript_expression": "argument"},
    nulls=frozenset({"null"}),
    type_names=frozenset({"type_identifier"}),
    type_through={
        "struct_specifier": "name",
        "union_specifier": "name",
        "enum_specifier": "name",
        "type_descriptor": "type",
    },
    builtin_types=frozenset(
        "size_t ssize_t ptrdiff_t bool int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t"
        " uint64_t uintptr_t intptr_t FILE va_list off_t time_t wchar_t".split()
    ),
    imports=_imports,
)

SPECS = (C,)
