"""References of Kotlin."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from codequarry.assets.references.paths import SELF, SUPER
from codequarry.assets.references.spec import Import, Pattern, RefSpec


def _imports(node: Node, source: bytes) -> Iterator[Import]:
    """``import a.b.C``, ``import a.b.C as D``, ``import a.b.*``."""
    row = node.start_point[0]
    parts = {c.type: c for c in node.named_children}
    if "identifier" not in parts:
        return
    name = parts["identifier"]
    dotted = "".join(source[name.start_byte : name.end_byte].decode("utf-8", "replace").split())
    if "wildcard_import" in parts:
        yield Import("", dotted, "*", row, written=f"{dotted}.*")
        return
    module, _, member = dotted.rpartition(".")
    local = member
    alias = parts.get("import_alias")
    inner = next(iter(alias.named_children), None) if alias is not None else None
    if inner is not None:
        local = source[inner.start_byte : inner.end_byte].decode("utf-8", "replace")
    yield Import(local, module, member, row, written=dotted)


_TYPE = "[(user_type) (nullable_type) (parenthesized_type)]"
_PATTERNS: tuple[Pattern, ...] = (
    ("function", "[(function_declaration) (secondary_constructor) (anonymous_function)] @region"),
    ("closure", "[(lambda_literal) (getter) (setter)] @region"),
    (
        "block",
        "[(control_structure_body) (for_statement) (catch_block) (when_expression) (when_entry)] @region",
    ),
    (
        "class",
        "[(class_declaration) (object_declaration) (companion_object) (object_literal)] @region",
    ),
    ("call", "(call_expression . (_) @callee (call_suffix (value_arguments) @args .))"),
    ("call", "(call_expression . (_) @callee (call_suffix (annotated_lambda)))"),
    ("super", '(constructor_delegation_call "super" (value_arguments) @args)'),
    ("call", '(constructor_delegation_call "this" @callee (value_arguments) @args)'),
    ("inherits", "(delegation_specifier (user_type) @base)"),
    ("inherits", "(delegation_specifier (constructor_invocation (user_type) @base))"),
    ("inherits", "(delegation_specifier (explicit_delegation . (user_type) @base))"),
    ("returns", f"(function_declaration (function_value_parameters) . {_TYPE} @type)"),
    ("param", "(function_value_parameters (parameter (simple_identifier) @name . (_) @type))"),
    ("loop", "(lambda_parameters (variable_declaration . (simple_identifier) @name .))"),
    (
        "let",
        f"(lambda_parameters (variable_declaration (simple_identifier) @name . {_TYPE} @type))",
    ),
    (
        "let",
        f"(property_declaration (variable_declaration (simple_identifier) @name . {_TYPE} @type))",
    ),
    (
        "let",
        "(property_declaration (variable_declaration . (simple_identifier) @name .) . (_)? @value)",
    ),
    ("loop", "(multi_variable_declaration (variable_declaration . (simple_identifier) @name))"),
    ("loop", "(for_statement (variable_declaration . (simple_identifier) @name) . (_) @over)"),
    ("let", "(catch_block (simple_identifier) @name . (user_type) @type)"),
    (
        "assign",
        "(assignment (directly_assignable_expression . (simple_identifier) @name .) (_) @value)",
    ),
    (
        "field",
        "(class_parameter (binding_pattern_kind) (simple_identifier) @name . (_) @type)",
    ),
    ("constant", "(enum_entry (simple_identifier) @name)"),
    ("bound", "(type_parameter (type_identifier) @name (user_type)? @type)"),
    ("alias", "(type_alias (type_identifier) @name (_) @type)"),
    ("import", "(import_header) @import"),
    ("package", "(package_header (identifier) @package)"),
)

KOTLIN = RefSpec(
    language="kotlin",
    patterns=_PATTERNS,
    names=frozenset({"simple_identifier", "this_expression", "super_expression"}),
    members={"navigation_expression": ("0", "#navigation_suffix")},
    calls={"call_expression": "0"},
    through={"parenthesized_expression": "0", "postfix_expression": "0"},
    operators={"postfix_expression": frozenset({"!!"})},
    casts={"as_expression": "1"},
    elements={"indexing_expression": "0"},
    bases={"this": SELF},
    words={"this": SELF, "super": SUPER},
    outer_word="this@",
    nulls=frozenset({"null_literal", "null"}),
    type_names=frozenset({"type_identifier"}),
    type_dotted={"user_type": "#type_arguments"},
    type_through={"nullable_type": "0", "type_projection": "0", "parenthesized_type": "0"},
    wrappers=frozenset({"Lazy"}),
    containers=frozenset(
        "List MutableList Set MutableSet Collection Iterable Sequence Array Map MutableMap"
        " ArrayList Flow".split()
    ),
    builtin_types=frozenset(
        "String Int Long Short Byte Char Boolean Double Float Unit Any Nothing List MutableList Set"
        " MutableSet Map MutableMap Collection Iterable Sequence Array Pair Triple Throwable"
        " Exception Comparable CharSequence Number".split()
    ),
    imports=_imports,
    calls_build=True,
    super_call=SUPER,
)

SPECS = (KOTLIN,)
