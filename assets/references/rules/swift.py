"""References of Swift."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from codequarry.assets.references.paths import CLS, SELF, SUPER
from codequarry.assets.references.spec import Import, Pattern, RefSpec


def _imports(node: Node, source: bytes) -> Iterator[Import]:
    """``import Module``, ``import struct Module.Name``: all that it shows."""
    name = next((c for c in node.named_children if c.type == "identifier"), None)
    if name is not None:
        text = source[name.start_byte : name.end_byte].decode("utf-8", "replace")
        yield Import("", "".join(text.split()), "*", node.start_point[0])


_TYPE = (
    "[(user_type) (optional_type) (array_type) (dictionary_type) (opaque_type) (existential_type)]"
)
_BOUND = "(pattern bound_identifier: (simple_identifier) @name)"
_PATTERNS: tuple[Pattern, ...] = (
    (
        "function",
        (
            "[(function_declaration) (init_declaration) (deinit_declaration) (protocol_function_declaration)"
            " (subscript_declaration)] @region"
        ),
    ),
    ("closure", "[(lambda_literal) (computed_property)] @region"),
    (
        "block",
        "[(if_statement) (for_statement) (while_statement) (switch_entry) (do_statement) (catch_block)] @region",
    ),
    ("class", "[(class_declaration) (protocol_declaration)] @region"),
    ("call", '(call_expression . (_) @callee (call_suffix (value_arguments . "(") @args .))'),
    ("call", "(call_expression . (_) @callee (call_suffix (lambda_literal)))"),
    *(
        (
            "inherits",
            f'(class_declaration declaration_kind: "{kind}" (inheritance_specifier inherits_from: (user_type) @base))',
        )
        for kind in ("class", "struct", "enum", "actor")
    ),
    ("inherits", "(protocol_declaration (inheritance_specifier inherits_from: (user_type) @base))"),
    (
        "implementation",
        '(class_declaration declaration_kind: "extension" name: (user_type) @owner (inheritance_specifier inherits_from: (user_type) @base))',
    ),
    *(
        ("returns", f"({kind} name: (simple_identifier) name: {_TYPE} @type)")
        for kind in ("function_declaration", "protocol_function_declaration")
    ),
    ("param", "(parameter name: (simple_identifier) @name name: (_) @type)"),
    ("loop", "(lambda_parameter . name: (simple_identifier) @name .)"),
    ("let", "(lambda_parameter name: (simple_identifier) @name name: (_) @type)"),
    ("let", f"(property_declaration name: {_BOUND} (type_annotation (_) @type))"),
    ("let", f"(property_declaration name: {_BOUND} . value: (_) @value)"),
    ("let", '(if_statement bound_identifier: (simple_identifier) @name "=" . (_) @value)'),
    ("let", '(guard_statement bound_identifier: (simple_identifier) @name "=" . (_) @value)'),
    ("loop", "(pattern (pattern (simple_identifier) @name))"),
    ("loop", f"(switch_pattern (pattern {_BOUND}))"),
    ("loop", f"(catch_block error: {_BOUND})"),
    ("loop", f"(for_statement item: {_BOUND} collection: (_) @over)"),
    (
        "assign",
        "(assignment target: (directly_assignable_expression . (simple_identifier) @name .) result: (_) @value)",
    ),
    (
        "member",
        (
            "(assignment target: (directly_assignable_expression (navigation_expression target: (_) @object"
            " suffix: (navigation_suffix suffix: (simple_identifier) @name))) result: (_) @value)"
        ),
    ),
    ("field", f"(protocol_property_declaration name: {_BOUND} (type_annotation (_) @type))"),
    ("constant", "(enum_entry name: (simple_identifier) @name)"),
    ("bound", "(type_parameter (type_identifier) @name name: (user_type)? @type)"),
    ("alias", "(typealias_declaration name: (type_identifier) @name name: (_) @type)"),
    ("import", "(import_declaration) @import"),
)

SWIFT = RefSpec(
    language="swift",
    patterns=_PATTERNS,
    names=frozenset({"simple_identifier"}),
    members={"navigation_expression": ("target", "suffix")},
    calls={"call_expression": "0"},
    through={
        "tuple_expression": "value",
        "try_expression": "expr",
        "await_expression": "expr",
        "postfix_expression": "target",
    },
    casts={"as_expression": "name"},
    bases={"self_expression": SELF, "super_expression": SUPER},
    words={"Self": CLS, "self": SELF, "super": SUPER},
    nulls=frozenset({"nil"}),
    type_names=frozenset({"type_identifier"}),
    type_dotted={"user_type": "#type_arguments"},
    type_through={
        "optional_type": "wrapped",
        "opaque_type": "0",
        "existential_type": "0",
        "type_annotation": "name",
    },
    type_lists={"array_type": "name", "dictionary_type": "value"},
    wrappers=frozenset({"Optional"}),
    containers=frozenset("Array Set Dictionary Sequence Collection AsyncStream".split()),
    builtin_types=frozenset(
        "String Int Int8 Int16 Int32 Int64 UInt UInt8 UInt16 UInt32 UInt64 Double Float Bool Void"
        " Character Any AnyObject Never Error Optional Array Dictionary Set Result Equatable"
        " Hashable Codable Comparable Sendable Identifiable".split()
    ),
    imports=_imports,
    calls_build=True,
)

SPECS = (SWIFT,)
