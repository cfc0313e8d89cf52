"""References of C#."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from codequarry.assets.references.paths import SELF, SUPER
from codequarry.assets.references.spec import Import, Pattern, RefSpec

STATIC = "*static"
GLOBAL = "*global"


def _imports(node: Node, source: bytes) -> Iterator[Import]:
    """``using A.B``, ``using static A.B.C``, ``using X = A.B.C``, ``global using A.B``."""
    row = node.start_point[0]
    alias = node.child_by_field_name("name")
    target = node.named_children[-1] if node.named_children else None
    if target is None:
        return
    full = "".join(source[target.start_byte : target.end_byte].decode("utf-8", "replace").split())
    full = full.removeprefix("global::").partition("<")[0]
    words = {c.type for c in node.children if not c.is_named}
    if alias is not None:
        module, _, member = full.rpartition(".")
        local = source[alias.start_byte : alias.end_byte].decode("utf-8", "replace")
        yield Import(local, module, member, row, written=full)
    else:
        member = STATIC if "static" in words else GLOBAL if "global" in words else "*"
        yield Import("", full, member, row)


_CLASSES = "class_declaration record_declaration struct_declaration interface_declaration".split()
_PATTERNS: tuple[Pattern, ...] = (
    (
        "function",
        (
            "[(method_declaration) (constructor_declaration) (local_function_statement) (operator_declaration)"
            " (destructor_declaration) (conversion_operator_declaration)] @region"
        ),
    ),
    (
        "closure",
        "[(lambda_expression) (anonymous_method_expression) (accessor_declaration)] @region",
    ),
    (
        "block",
        (
            "[(block) (for_statement) (foreach_statement) (catch_clause) (using_statement) (switch_section)"
            " (switch_expression_arm)] @region"
        ),
    ),
    ("class", f"[{' '.join(f'({c})' for c in _CLASSES)} (enum_declaration)] @region"),
    ("call", "(invocation_expression function: (_) @callee arguments: (_) @args)"),
    ("new", "(object_creation_expression type: (_) @type arguments: (_)? @args)"),
    ("super", '(constructor_initializer "base" (argument_list) @args)'),
    ("call", '(constructor_initializer "this" @callee (argument_list) @args)'),
    ("inherits", "(base_list [(identifier) (qualified_name) (generic_name)] @base)"),
    ("inherits", "(base_list (primary_constructor_base_type type: (_) @base))"),
    ("returns", "(method_declaration returns: (_) @type)"),
    ("returns", "(local_function_statement type: (_) @type)"),
    ("param", "(parameter type: (_)? @type name: (identifier) @name)"),
    ("param", "(lambda_expression parameters: (implicit_parameter) @name)"),
    (
        "let",
        (
            "(local_declaration_statement (variable_declaration type: (_) @type"
            " (variable_declarator name: (identifier) @name . (_)? @value .)))"
        ),
    ),
    (
        "let",
        "(using_statement (variable_declaration type: (_) @type (variable_declarator name: (identifier) @name . (_)? @value .)))",
    ),
    (
        "let",
        "(for_statement (variable_declaration type: (_) @type (variable_declarator name: (identifier) @name . (_)? @value .)))",
    ),
    ("let", "(foreach_statement type: (_) @type left: (identifier) @name)"),
    ("loop", "(foreach_statement type: (implicit_type) left: (identifier) @name right: (_) @over)"),
    ("let", "(declaration_pattern type: (_) @type name: (identifier) @name)"),
    ("let", "(declaration_expression type: (_) @type name: (identifier) @name)"),
    ("let", "(catch_declaration type: (_) @type name: (identifier) @name)"),
    ("loop", "(tuple_pattern (identifier) @name)"),
    (
        "field",
        "(field_declaration (variable_declaration type: (_) @type (variable_declarator name: (identifier) @name)))",
    ),
    ("field", "(property_declaration type: (_) @type name: (identifier) @name)"),
    *(
        ("field", f"({kind} (parameter_list (parameter type: (_) @type name: (identifier) @name)))")
        for kind in _CLASSES[:3]
    ),
    ("constant", "(enum_member_declaration name: (identifier) @name)"),
    (
        "bound",
        "(type_parameter_constraints_clause . (identifier) @name . (type_parameter_constraint type: (_) @type))",
    ),
    ("bound", "(type_parameter name: (identifier) @name)"),
    ("import", "(using_directive) @import"),
)

CSHARP = RefSpec(
    language="csharp",
    patterns=_PATTERNS,
    names=frozenset({"identifier"}),
    members={
        "member_access_expression": ("expression", "name"),
        "conditional_access_expression": ("condition", "#member_binding_expression"),
        "qualified_name": ("qualifier", "name"),
    },
    calls={"invocation_expression": "function"},
    constructs={"object_creation_expression": "type"},
    through={
        "parenthesized_expression": "0",
        "await_expression": "0",
        "generic_name": "0",
        "checked_expression": "0",
        "postfix_unary_expression": "0",
    },
    operators={"postfix_unary_expression": frozenset({"!"})},
    casts={"as_expression": "right", "cast_expression": "type"},
    elements={"element_access_expression": "expression"},
    bases={"this": SELF, "base": SUPER, "this_expression": SELF, "base_expression": SUPER},
    nulls=frozenset({"null_literal"}),
    inferred=frozenset({"var"}),
    type_names=frozenset({"identifier"}),
    type_members={"qualified_name": ("qualifier", "name")},
    type_generics={"generic_name": ("0", "#type_argument_list")},
    type_through={"nullable_type": "0", "ref_type": "0"},
    type_lists={"array_type": "type"},
    wrappers=frozenset("Task ValueTask Lazy Nullable".split()),
    containers=frozenset(
        "List IList IEnumerable ICollection IReadOnlyList IReadOnlyCollection HashSet ISet Queue"
        " Stack Dictionary IDictionary IReadOnlyDictionary IAsyncEnumerable".split()
    ),
    builtin_types=frozenset(
        "String Object Int32 Int64 Boolean Task ValueTask List IList IEnumerable Dictionary HashSet"
        " Func Action Exception Type Guid DateTime TimeSpan CancellationToken dynamic var".split()
    ),
    imports=_imports,
    super_call=SUPER,
)

SPECS = (CSHARP,)
