"""References of PHP."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from codequarry.assets.references.paths import CLS, SELF, SUPER
from codequarry.assets.references.spec import Import, Pattern, RefSpec

_HERE = "__DIR__"


def _text(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _imports(node: Node, source: bytes) -> Iterator[Import]:
    if node.type == "namespace_use_declaration":
        prefix = next((c for c in node.named_children if c.type == "namespace_name"), None)
        before = _text(prefix, source) if prefix is not None else ""
        for clause in _clauses(node):
            yield from _use(clause, before, source)
        return
    path = _included(next(iter(node.named_children), None), source)
    if path:
        yield Import("", path, "", node.start_point[0], written=path.removeprefix("./"))


def _clauses(node: Node) -> Iterator[Node]:
    for part in node.named_children:
        if part.type == "namespace_use_clause":
            yield part
        elif part.type == "namespace_use_group":
            yield from (c for c in part.named_children if c.type == "namespace_use_clause")


def _use(clause: Node, before: str, source: bytes) -> Iterator[Import]:
    alias = clause.child_by_field_name("alias")
    named = next((c for c in clause.named_children if c.type in ("qualified_name", "name")), None)
    if named is None:
        return
    full = _text(named, source).lstrip("\\")
    full = f"{before}\\{full}" if before else full
    module, _, member = full.rpartition("\\")
    local = _text(alias, source) if alias is not None else member
    yield Import(local, module, member, clause.start_point[0], written=full)


def _included(node: Node | None, source: bytes) -> str:
    """The path of ``require __DIR__ . '/a.php'``; empty when it is computed."""
    while node is not None and node.type == "parenthesized_expression":
        node = next(iter(node.named_children), None)
    if node is None:
        return ""
    if node.type in ("string", "encapsed_string"):
        text = _text(node, source)[1:-1]
        return "" if "$" in text else text
    if node.type == "binary_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and right is not None and _text(left, source) == _HERE:
            end = _included(right, source)
            return f"./{end.lstrip('/')}" if end else ""
    return ""


_NAME = "[(name) (qualified_name) (relative_scope)]"
_PATTERNS: tuple[Pattern, ...] = (
    ("function", "[(function_definition) (method_declaration)] @region"),
    ("closure", "[(anonymous_function) (arrow_function)] @region"),
    (
        "class",
        "[(class_declaration) (interface_declaration) (trait_declaration) (enum_declaration)] @region",
    ),
    ("call", "(function_call_expression function: (_) @callee arguments: (_) @args)"),
    *(
        ("call", f"({kind} object: (_) @receiver name: (name) @name arguments: (_) @args)")
        for kind in ("member_call_expression", "nullsafe_member_call_expression")
    ),
    (
        "call",
        "(scoped_call_expression scope: (_) @receiver name: (name) @name arguments: (_) @args)",
    ),
    ("new", f"(object_creation_expression . {_NAME} @type (arguments)? @args)"),
    ("extends", "(base_clause (_) @base)"),
    ("implements", "(class_interface_clause (_) @base)"),
    ("mixes_in", "(use_declaration [(name) (qualified_name)] @base)"),
    ("returns", "(function_definition return_type: (_) @type)"),
    ("returns", "(method_declaration return_type: (_) @type)"),
    ("param", "(simple_parameter type: (_)? @type name: (variable_name) @name)"),
    ("param", "(variadic_parameter name: (variable_name) @name)"),
    ("param", "(property_promotion_parameter type: (_)? @type name: (variable_name) @name)"),
    (
        "property",
        "(property_promotion_parameter type: (_)? @type name: (variable_name (name) @name))",
    ),
    ("var", "(assignment_expression left: (variable_name) @name right: (_) @value)"),
    ("loop", "(foreach_statement . (_) @over . (variable_name) @name)"),
    ("loop", "(foreach_statement (pair (_) (variable_name) @name))"),
    ("loop", "(list_literal (variable_name) @name)"),
    ("loop", "(anonymous_function_use_clause (by_ref (variable_name) @name))"),
    ("var", "(catch_clause type: (type_list . (_) @type .) name: (variable_name) @name)"),
    (
        "field",
        "(property_declaration type: (_)? @type (property_element name: (variable_name (name) @name)))",
    ),
    (
        "member",
        "(assignment_expression left: (member_access_expression object: (_) @object name: (name) @name) right: (_) @value)",
    ),
    ("constant", "(enum_case name: (name) @name)"),
    ("import", "(namespace_use_declaration) @import"),
    (
        "import",
        "[(require_expression) (require_once_expression) (include_expression) (include_once_expression)] @import",
    ),
    ("package", "(namespace_definition name: (_) @package)"),
)

PHP = RefSpec(
    language="php",
    patterns=_PATTERNS,
    names=frozenset({"name", "qualified_name", "variable_name", "relative_scope"}),
    members={
        "member_access_expression": ("object", "name"),
        "nullsafe_member_access_expression": ("object", "name"),
        "class_constant_access_expression": ("0", "1"),
    },
    calls={"function_call_expression": "function"},
    split_calls={
        "member_call_expression": ("object", "name"),
        "nullsafe_member_call_expression": ("object", "name"),
        "scoped_call_expression": ("scope", "name"),
    },
    constructs={"object_creation_expression": "0"},
    through={"parenthesized_expression": "0", "clone_expression": "0"},
    elements={"subscript_expression": "0"},
    nulls=frozenset({"null"}),
    type_names=frozenset({"name", "qualified_name", "relative_scope"}),
    type_through={"named_type": "0", "optional_type": "0"},
    type_unions=frozenset({"union_type"}),
    words={"$this": SELF, "self": CLS, "static": CLS, "parent": SUPER},
    builtin_types=frozenset("Closure Generator Traversable Iterator Countable Stringable".split()),
    imports=_imports,
    separator="\\",
    rooted="\\",
    ordered=False,
)

SPECS = (PHP,)
