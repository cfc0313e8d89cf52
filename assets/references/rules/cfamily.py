"""References of C and C++."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tree_sitter import Node

from codequarry.assets.references.paths import SELF
from codequarry.assets.references.spec import Import, Pattern, RefSpec

_MAX_STARS = 3
USING = "*using"  # the member of `using namespace`


def declared(kind: str = "identifier", *, references: bool = False) -> str:
    """A name under its declarators: plain, pointer to it, array of it, reference to it."""
    found = [f"({kind}) @name", f"(array_declarator declarator: ({kind}) @name)"]
    inner = f"({kind}) @name"
    for _ in range(_MAX_STARS):
        inner = f"(pointer_declarator declarator: {inner})"
        found.append(inner)
    if references:
        found += [f"(reference_declarator {form})" for form in found[:_MAX_STARS]]
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


def _text(node: Node, source: bytes) -> str:
    return "".join(source[node.start_byte : node.end_byte].decode("utf-8", "replace").split())


def _usings(node: Node, source: bytes) -> Iterator[Import]:
    """``using namespace a``, ``using a::b``, ``namespace x = a::b``; includes as in C."""
    row = node.start_point[0]
    if node.type == "preproc_include":
        yield from _imports(node, source)
    elif node.type == "namespace_alias_definition":
        name, target = node.child_by_field_name("name"), node.named_children[-1]
        if name is not None:
            yield Import(_text(name, source), _text(target, source), "", row, edge=False)
    elif node.named_children:
        full = _text(node.named_children[0], source)
        if any(c.type == "namespace" for c in node.children):
            yield Import("", full, USING, row, edge=False)
        else:
            module, _, member = full.rpartition("::")
            yield Import(member, module, member, row, edge=False)


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

_REFERRED = declared(references=True)
_CPP_PATTERNS: tuple[Pattern, ...] = (
    ("function", "(function_definition) @region"),
    ("closure", "(lambda_expression) @region"),
    (
        "block",
        "[(compound_statement) (for_statement) (for_range_loop) (if_statement) (while_statement) (catch_clause) (case_statement)] @region",
    ),
    (
        "class",
        "[(class_specifier body: (_)) (struct_specifier body: (_)) (union_specifier body: (_)) (namespace_definition)] @region",
    ),
    ("call", "(call_expression function: (_) @callee arguments: (_) @args)"),
    ("call", "(field_initializer . (field_identifier) @callee (argument_list) @args)"),
    (
        "call",
        "(field_initializer . (template_method name: (field_identifier) @callee) (argument_list) @args)",
    ),
    ("new", "(new_expression type: (_) @type arguments: (_)? @args)"),
    (
        "new",
        "(compound_literal_expression type: [(type_identifier) (qualified_identifier) (template_type)] @type value: (_) @args)",
    ),
    (
        "built",
        "(declaration type: [(type_identifier) (qualified_identifier) (template_type)] @type declarator: (identifier))",
    ),
    (
        "built",
        (
            "(declaration type: [(type_identifier) (qualified_identifier) (template_type)] @type"
            " declarator: (init_declarator declarator: (identifier) value: [(argument_list) (initializer_list)] @args))"
        ),
    ),
    (
        "extends",
        "(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)",
    ),
    ("returns", "(function_definition type: (_) @type)"),
    (
        "returns",
        "(function_definition declarator: (function_declarator (trailing_return_type (_) @type)))",
    ),
    (
        "returns",
        "(field_declaration type: (_) @type declarator: (function_declarator) default_value: (number_literal))",
    ),
    ("param", f"(parameter_declaration type: (_) @type declarator: {_REFERRED})"),
    ("param", f"(optional_parameter_declaration type: (_) @type declarator: {_REFERRED})"),
    ("param", f"(parameter_declaration declarator: {_POINTED_FUNCTION})"),
    (
        "type_ref",
        "(function_definition (_ (parameter_list (parameter_declaration type: (_) @type !declarator))))",
    ),
    ("let", f"(declaration type: (_) @type declarator: {_REFERRED})"),
    (
        "let",
        f"(declaration type: (_) @type declarator: (init_declarator declarator: {_REFERRED} value: (_) @value))",
    ),
    (
        "let",
        f"(condition_clause value: (declaration type: (_) @type declarator: {_REFERRED} value: (_) @value))",
    ),
    ("loop", f"(declaration declarator: (init_declarator declarator: {_POINTED_FUNCTION}))"),
    ("loop", "(structured_binding_declarator (identifier) @name)"),
    (
        "let",
        f"(for_range_loop type: [(type_identifier) (qualified_identifier) (template_type)] @type declarator: {_REFERRED})",
    ),
    (
        "loop",
        f"(for_range_loop type: (placeholder_type_specifier) declarator: {_REFERRED} right: (_) @over)",
    ),
    ("assign", "(assignment_expression left: (identifier) @name right: (_) @value)"),
    (
        "field",
        f"(field_declaration type: (_) @type declarator: {declared('field_identifier', references=True)})",
    ),
    ("alias", "(type_definition type: (_) @type declarator: (type_identifier) @name)"),
    ("alias", "(alias_declaration name: (type_identifier) @name type: (_) @type)"),
    ("bound", "(type_parameter_declaration (type_identifier) @name)"),
    ("declare", f"(declaration declarator: {_FUNCTION})"),
    (
        "import",
        "[(preproc_include) (using_declaration) (namespace_alias_definition)] @import",
    ),
)

CPP = replace(
    C,
    language="cpp",
    patterns=_CPP_PATTERNS,
    names=frozenset({"identifier", "namespace_identifier", "field_identifier", "type_identifier"}),
    members={"field_expression": ("argument", "field"), "qualified_identifier": ("scope", "name")},
    path_nodes=frozenset({"qualified_identifier"}),
    constructs={"new_expression": "type", "compound_literal_expression": "type"},
    through={
        "parenthesized_expression": "0",
        "pointer_expression": "argument",
        "template_function": "name",
        "template_method": "name",
        "template_type": "name",
        "dependent_name": "0",
    },
    casting=frozenset(
        "static_cast dynamic_cast reinterpret_cast const_cast make_unique make_shared"
        " static_pointer_cast dynamic_pointer_cast".split()
    ),
    silent=frozenset("static_cast dynamic_cast reinterpret_cast const_cast".split()),
    bases={"this": SELF},
    type_names=frozenset({"type_identifier", "namespace_identifier", "identifier"}),
    type_members={"qualified_identifier": ("scope", "name")},
    type_generics={"template_type": ("name", "arguments")},
    inferred=frozenset({"auto"}),
    wrappers=frozenset(
        "unique_ptr shared_ptr weak_ptr optional reference_wrapper not_null".split()
    ),
    containers=frozenset(
        "vector list deque set unordered_set array span map unordered_map multimap forward_list"
        " initializer_list".split()
    ),
    imports=_usings,
    separator="::",
    rooted="::",
    calls_build=True,
)

SPECS = (C, CPP)
