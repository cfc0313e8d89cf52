"""References of Go."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from codequarry.assets.references.spec import Import, Pattern, RefSpec

_VERSION = re.compile(r"/v\d+$|\.v\d+$")


def _imports(node: Node, source: bytes) -> Iterator[Import]:
    path = node.child_by_field_name("path")
    if path is None:
        return
    module = source[path.start_byte + 1 : path.end_byte - 1].decode("utf-8", "replace")
    name = node.child_by_field_name("name")
    row = node.start_point[0]
    if name is None:
        local = _VERSION.sub("", module).rpartition("/")[2]
        yield Import(local, module, "", row)
    elif name.type == "dot":
        yield Import("", module, "*", row)
    elif name.type == "blank_identifier":
        yield Import("", module, "", row)
    else:
        text = source[name.start_byte : name.end_byte].decode("utf-8", "replace")
        yield Import(text, module, "", row)


_SIGNED = ("function_declaration", "method_declaration", "func_literal")
_PARAM = (
    "(parameter_list [(parameter_declaration name: (identifier) @name type: (_) @type)"
    " (variadic_parameter_declaration name: (identifier) @name type: (_) @type)])"
)
_UNNAMED = "(parameter_list (parameter_declaration !name type: (_) @type))"
_PATTERNS: tuple[Pattern, ...] = (
    ("function", "[(function_declaration) (method_declaration)] @region"),
    ("closure", "(func_literal) @region"),
    (
        "block",
        (
            "[(block) (if_statement) (for_statement) (expression_case) (default_case) (type_case)"
            " (communication_case) (expression_switch_statement) (type_switch_statement)] @region"
        ),
    ),
    ("call", "(call_expression function: (_) @callee arguments: (_) @args)"),
    (  # `first[int](x)` is read as a conversion; what is a type is no call
        "call",
        (
            "(type_conversion_expression type: (generic_type"
            " type: [(type_identifier) (qualified_type)] @callee))"
        ),
    ),
    *(("param", f"({kind} parameters: {_PARAM})") for kind in _SIGNED),
    *(("type_ref", f"({kind} parameters: {_UNNAMED})") for kind in _SIGNED),
    ("type_ref", f"(method_elem parameters: {_UNNAMED})"),
    (
        "type_ref",
        "(method_elem parameters: (parameter_list (parameter_declaration name: (_) type: (_) @type)))",
    ),
    *(
        ("returns", f"({kind} result: {shape})")
        for kind in (*_SIGNED[:2], "method_elem")
        for shape in (
            (
                "[(type_identifier) (pointer_type) (qualified_type) (slice_type) (map_type)"
                " (array_type) (generic_type)] @type"
            ),
            "(parameter_list . (parameter_declaration type: (_) @type))",
        )
    ),
    *(
        (
            "type_ref",
            (
                f"({kind} result: (parameter_list (parameter_declaration)"
                " (parameter_declaration type: (_) @type)))"
            ),
        )
        for kind in (*_SIGNED[:2], "method_elem")
    ),
    *(
        (
            "receiver",
            (
                f"({kind} result: (parameter_list"
                " (parameter_declaration name: (identifier) @name type: (_) @type)))"
            ),
        )
        for kind in _SIGNED
    ),
    (
        "receiver",
        (
            "(method_declaration receiver: (parameter_list"
            " (parameter_declaration name: (identifier) @name type: (_) @type)))"
        ),
    ),
    (
        "let",
        (
            "(short_var_declaration left: (expression_list . (identifier) @name)"
            " right: (expression_list . (_) @value))"
        ),
    ),
    ("loop", "(short_var_declaration left: (expression_list (identifier) (identifier) @name))"),
    ("let", "(var_spec name: (identifier) @name type: (_) @type)"),
    (
        "let",
        "(var_spec . name: (identifier) @name !type value: (expression_list . (_) @value))",
    ),
    ("loop", "(range_clause left: (expression_list . (identifier) @name))"),
    (
        "loop",
        "(range_clause left: (expression_list (identifier) (identifier) @name) right: (_) @over)",
    ),
    ("loop", "(type_switch_statement alias: (expression_list (identifier) @name))"),
    ("loop", "(receive_statement left: (expression_list (identifier) @name))"),
    (
        "assign",
        (
            "(assignment_statement left: (expression_list . (identifier) @name)"
            " right: (expression_list . (_) @value))"
        ),
    ),
    ("field", "(field_declaration name: (field_identifier) @name type: (_) @type)"),
    *(
        ("field", f"(field_declaration !name type: {shape})")
        for shape in (
            "(type_identifier) @name @type",
            "(qualified_type name: (type_identifier) @name) @type",
            "(generic_type type: (type_identifier) @name) @type",
        )
    ),
    ("extends", "(field_declaration !name type: (_) @base)"),
    (
        "extends",
        "(interface_type (type_elem . [(type_identifier) (qualified_type)] @base .))",
    ),
    ("alias", "(type_alias name: (_) @name type: (_) @type)"),
    (
        "bound",
        (
            "(type_parameter_declaration name: (identifier) @name"
            " type: (type_constraint . [(type_identifier) (qualified_type)] @type .))"
        ),
    ),
    ("import", "(import_spec) @import"),
    ("package", "(package_clause (package_identifier) @package)"),
)

GO = RefSpec(
    language="go",
    patterns=_PATTERNS,
    names=frozenset({"identifier", "package_identifier", "type_identifier"}),
    members={
        "selector_expression": ("operand", "field"),
        "qualified_type": ("package", "name"),
    },
    calls={"call_expression": "function"},
    constructs={"composite_literal": "type"},
    through={
        "parenthesized_expression": "0",
        "unary_expression": "operand",
        "type_instantiation_expression": "type",
    },
    operators={"unary_expression": frozenset({"&", "*"})},
    casts={"type_assertion_expression": "type", "type_conversion_expression": "type"},
    elements={"index_expression": "operand"},
    nulls=frozenset({"nil"}),
    type_names=frozenset({"type_identifier", "package_identifier"}),
    type_members={"qualified_type": ("package", "name")},
    type_generics={"generic_type": ("type", "type_arguments")},
    type_through={"pointer_type": "0", "parenthesized_type": "0"},
    type_lists={"slice_type": "element", "array_type": "element", "map_type": "value"},
    builtin_types=frozenset(
        "string int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64"
        " complex64 complex128 bool byte rune error any comparable".split()
    ),
    imports=_imports,
)

SPECS = (GO,)
