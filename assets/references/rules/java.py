"""References of Java."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from codequarry.assets.references.paths import SELF, SUPER
from codequarry.assets.references.spec import Import, Pattern, RefSpec


def _imports(node: Node, source: bytes) -> Iterator[Import]:
    """``import a.b.C``, ``import static a.b.C.m``, ``import a.b.*``."""
    row = node.start_point[0]
    name = next(
        (c for c in node.named_children if c.type in ("scoped_identifier", "identifier")), None
    )
    if name is None:
        return
    dotted = "".join(source[name.start_byte : name.end_byte].decode("utf-8", "replace").split())
    if any(c.type == "asterisk" for c in node.named_children):
        yield Import("", dotted, "*", row, written=f"{dotted}.*")
        return
    module, _, member = dotted.rpartition(".")
    yield Import(member, module, member, row, written=dotted)


_PATTERNS: tuple[Pattern, ...] = (
    (
        "function",
        "[(method_declaration) (constructor_declaration) (compact_constructor_declaration)] @region",
    ),
    ("closure", "(lambda_expression) @region"),
    (
        "block",
        (
            "[(block) (for_statement) (enhanced_for_statement) (catch_clause) (switch_block)"
            " (try_with_resources_statement)] @region"
        ),
    ),
    (
        "class",
        (
            "[(class_declaration) (interface_declaration) (enum_declaration) (record_declaration)"
            " (annotation_type_declaration) (class_body)] @region"
        ),
    ),
    (
        "call",
        "(method_invocation object: (_)? @receiver name: (identifier) @name arguments: (_) @args)",
    ),
    ("new", "(object_creation_expression type: (_) @type arguments: (_) @args)"),
    ("super", "(explicit_constructor_invocation constructor: (super) arguments: (_) @args)"),
    ("call", "(explicit_constructor_invocation constructor: (this) @callee arguments: (_) @args)"),
    ("extends", "(superclass (_) @base)"),
    ("implements", "(super_interfaces (type_list (_) @base))"),
    ("extends", "(extends_interfaces (type_list (_) @base))"),
    ("returns", "(method_declaration type: (_) @type)"),
    ("param", "(formal_parameter type: (_) @type name: (identifier) @name)"),
    ("param", "(spread_parameter (_) @type (variable_declarator name: (identifier) @name))"),
    ("param", "(lambda_expression parameters: (identifier) @name)"),
    ("param", "(inferred_parameters (identifier) @name)"),
    ("let", "(catch_formal_parameter name: (identifier) @name)"),
    ("let", "(resource type: (_) @type name: (identifier) @name value: (_) @value)"),
    ("let", "(enhanced_for_statement type: (_) @type name: (identifier) @name)"),
    ("let", "(instanceof_expression right: (_) @type name: (identifier) @name)"),
    ("let", "(type_pattern (_) @type (identifier) @name)"),
    (
        "let",
        (
            "(local_variable_declaration type: (_) @type"
            " declarator: (variable_declarator name: (identifier) @name value: (_)? @value))"
        ),
    ),
    (
        "field",
        (
            "(field_declaration type: (_) @type"
            " declarator: (variable_declarator name: (identifier) @name value: (_)? @value))"
        ),
    ),
    (
        "field",
        (
            "(record_declaration parameters: (formal_parameters"
            " (formal_parameter type: (_) @type name: (identifier) @name)))"
        ),
    ),
    ("constant", "(enum_constant name: (identifier) @name)"),
    ("bound", "(type_parameter (type_identifier) @name (type_bound . (_) @type)?)"),
    ("import", "(import_declaration) @import"),
    ("package", "(package_declaration [(scoped_identifier) (identifier)] @package)"),
)

JAVA = RefSpec(
    language="java",
    patterns=_PATTERNS,
    names=frozenset({"identifier"}),
    members={"field_access": ("object", "field"), "scoped_identifier": ("scope", "name")},
    split_calls={"method_invocation": ("object", "name")},
    constructs={"object_creation_expression": "type"},
    through={"parenthesized_expression": "0"},
    casts={"cast_expression": "type"},
    elements={"array_access": "array"},
    bases={"this": SELF, "super": SUPER},
    nulls=frozenset({"null_literal"}),
    inferred=frozenset({"var"}),
    type_names=frozenset({"type_identifier", "identifier"}),
    type_members={"scoped_type_identifier": ("0", "-1")},
    type_generics={"generic_type": ("0", "#type_arguments")},
    type_through={"annotated_type": "-1"},
    type_lists={"array_type": "element"},
    containers=frozenset(
        "List ArrayList LinkedList Set HashSet TreeSet Collection Iterable Iterator Queue Deque Map"
        " HashMap Stream".split()
    ),
    builtin_types=frozenset(
        "String Object Integer Long Short Byte Character Boolean Double Float Number Void Class"
        " Iterable Comparable CharSequence Runnable Throwable Exception RuntimeException Error"
        " Override Math System Thread Enum Record".split()
    ),
    imports=_imports,
    calls_methods=True,
    super_call=SUPER,
)

SPECS = (JAVA,)
