"""References of Ruby."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from codequarry.assets.references.paths import CLS, SELF, SUPER
from codequarry.assets.references.spec import Import, Pattern, RefSpec


def _imports(node: Node, source: bytes) -> Iterator[Import]:
    """``require``, ``require_relative``, ``load``, ``autoload``: files, no names."""
    method, arguments = node.child_by_field_name("method"), node.child_by_field_name("arguments")
    if method is None or arguments is None:
        return
    word = source[method.start_byte : method.end_byte].decode("utf-8", "replace")
    texts = [c for c in arguments.named_children if c.type == "string"]
    if not texts:
        return
    path = source[texts[-1].start_byte + 1 : texts[-1].end_byte - 1].decode("utf-8", "replace")
    if not path or "#{" in path or "\n" in path:
        return
    relative = word == "require_relative"
    module = f"./{path}" if relative and not path.startswith(".") else path
    yield Import("", module, "", node.start_point[0], written=path)


# Where an identifier stands that is a call unless it is a local name.
_BARE = (
    "body_statement",
    "block_body",
    "program",
    "then",
    "else",
    "ensure",
    "argument_list",
    "array",
    "interpolation",
    "parenthesized_statements",
    "begin",
    "do",
)
_PARAMS = (
    "(method_parameters (identifier) @name)",
    "(lambda_parameters (identifier) @name)",
    "(optional_parameter name: (identifier) @name)",
    "(keyword_parameter name: (identifier) @name)",
    "(splat_parameter name: (identifier) @name)",
    "(hash_splat_parameter name: (identifier) @name)",
    "(block_parameter name: (identifier) @name)",
    "(destructured_parameter (identifier) @name)",
)
_PATTERNS: tuple[Pattern, ...] = (
    ("function", "[(method) (singleton_method)] @region"),
    ("block", "[(block) (do_block) (lambda)] @region"),
    ("class", "[(class) (module) (singleton_class)] @region"),
    *(("param", text) for text in _PARAMS),
    ("loop", "(block_parameters (identifier) @name)"),
    ("var", "(assignment left: (identifier) @name right: (_) @value)"),
    ("loop", "(left_assignment_list (identifier) @name)"),
    ("loop", "(operator_assignment left: (identifier) @name)"),
    ("loop", "(exception_variable (identifier) @name)"),
    ("loop", "(for pattern: (identifier) @name)"),
    ("let", "(assignment left: (constant) @name right: (_) @value)"),
    ("member", "(assignment left: (instance_variable) @name right: (_) @value)"),
    (
        "call",
        "(call receiver: (_)? @receiver method: [(identifier) (constant)] @name arguments: (_)? @args)",
    ),
    ("super", "[(super)] @args"),
    *(("bare", f"({holder} (identifier) @name)") for holder in _BARE),
    ("bare", "(call receiver: (identifier) @name)"),
    ("bare", "(assignment right: (identifier) @name)"),
    ("bare", "(binary [left: (identifier) @name right: (identifier) @name])"),
    ("bare", "(unary operand: (identifier) @name)"),
    ("bare", "(conditional condition: (identifier) @name)"),
    ("bare", "([(if) (unless) (if_modifier) (unless_modifier)] condition: (identifier) @name)"),
    ("bare", "([(if_modifier) (unless_modifier)] body: (identifier) @name)"),
    ("bare", "(pair value: (identifier) @name)"),
    ("bare", "(element_reference object: (identifier) @name)"),
    ("extends", "(class superclass: (superclass [(constant) (scope_resolution)] @base))"),
    (
        "mixes_in",
        (
            "(call !receiver method: (identifier) @mode arguments: (argument_list"
            ' [(constant) (scope_resolution)] @base) (#any-of? @mode "include" "extend" "prepend"))'
        ),
    ),
    (
        "import",
        (
            "(call !receiver method: (identifier) @_m"
            ' (#any-of? @_m "require" "require_relative" "load" "autoload")) @import'
        ),
    ),
)

RUBY = RefSpec(
    language="ruby",
    patterns=_PATTERNS,
    names=frozenset({"identifier", "constant"}),
    members={"scope_resolution": ("scope", "name")},
    split_calls={"call": ("receiver", "method")},
    through={"parenthesized_statements": "0"},
    elements={"element_reference": "object"},
    bases={"self": SELF, "super": SUPER},
    words={"new": f"{CLS} new"},
    nulls=frozenset({"nil"}),
    self_fields=frozenset({"instance_variable"}),
    build_method="new",
    class_member="class",
    type_names=frozenset({"constant"}),
    type_members={"scope_resolution": ("scope", "name")},
    imports=_imports,
    separator="::",
    rooted="::",
    ordered=False,
    silent=frozenset(
        "require require_relative load autoload include extend prepend private protected public"
        " module_function attr_reader attr_writer attr_accessor private_constant".split()
    ),
    calls_methods=True,
    super_call=SUPER,
)

SPECS = (RUBY,)
