"""References of Python."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from codequarry.assets.references.paths import SELF, SUPER
from codequarry.assets.references.spec import Import, RefSpec

_PARAMS = (
    (
        "(parameters [(identifier) (list_splat_pattern (identifier)) (dictionary_splat_pattern"
        " (identifier))] @name)"
    ),
    "(parameters (default_parameter name: (identifier) @name))",
    "(parameters (typed_parameter . (identifier) @name type: (type) @type))",
    (
        "(parameters (typed_parameter . [(list_splat_pattern (identifier) @name)"
        " (dictionary_splat_pattern (identifier) @name)]))"
    ),
    "(parameters (typed_default_parameter name: (identifier) @name type: (type) @type))",
    (
        "(lambda_parameters [(identifier) @name (default_parameter name: (identifier) @name)"
        " (list_splat_pattern (identifier) @name) (dictionary_splat_pattern (identifier) @name)])"
    ),
)
_OPAQUE = (
    (
        "(assignment left: [(pattern_list (identifier) @name) (tuple_pattern (identifier) @name)"
        " (list_pattern (identifier) @name)])"
    ),
    "(for_statement left: [(pattern_list (identifier) @name) (tuple_pattern (identifier) @name)])",
    "(for_in_clause left: [(pattern_list (identifier) @name) (tuple_pattern (identifier) @name)])",
    "(as_pattern alias: (as_pattern_target (identifier) @name))",
    "(augmented_assignment left: (identifier) @name)",
    "(case_pattern (dotted_name . (identifier) @name .))",
)


def _dotted(node: Node, source: bytes) -> str:
    return "".join(source[node.start_byte : node.end_byte].decode("utf-8", "replace").split())


def _alias(item: Node, source: bytes) -> tuple[str, str]:
    """Name and local name of one thing imported."""
    if item.type != "aliased_import":
        name = _dotted(item, source)
        return name, name
    name_node, alias = item.child_by_field_name("name"), item.child_by_field_name("alias")
    if name_node is None or alias is None:
        return "", ""
    return _dotted(name_node, source), _dotted(alias, source)


def _imports(node: Node, source: bytes) -> Iterator[Import]:
    row = node.start_point[0]
    if node.type == "import_statement":
        for item in node.named_children:
            module, local = _alias(item, source)
            if item.type == "aliased_import":
                yield Import(local, module, "", row)
            elif module:
                yield Import(module.partition(".")[0], module, "^" if "." in module else "", row)
        return
    module_node = node.child_by_field_name("module_name")
    if module_node is None:
        return
    module = _dotted(module_node, source)
    for item in node.named_children:
        if item.type == "wildcard_import":
            yield Import("", module, "*", row, exported=True)
        elif item.start_byte != module_node.start_byte:
            name, local = _alias(item, source)
            if name and item.type in ("aliased_import", "dotted_name"):
                yield Import(local, module, name, row, exported=True)


PYTHON = RefSpec(
    language="python",
    patterns=(
        ("function", "[(function_definition) (lambda)] @region"),
        (
            "block",
            (
                "[(list_comprehension) (set_comprehension) (dictionary_comprehension)"
                " (generator_expression)] @region"
            ),
        ),
        ("class", "(class_definition) @region"),
        ("call", "(call function: (_) @callee arguments: (_) @args)"),
        ("call", "(decorator [(identifier) (attribute)] @callee)"),
        (
            "extends",
            (
                "(class_definition superclasses: (argument_list [(identifier) (attribute)"
                " (subscript)] @base))"
            ),
        ),
        ("returns", "(function_definition return_type: (type) @type)"),
        *(("param", text) for text in _PARAMS),
        ("var", "(assignment left: (identifier) @name type: (type)? @type right: (_)? @value)"),
        ("var", "(named_expression name: (identifier) @name value: (_) @value)"),
        *(("loop", text) for text in _OPAQUE),
        ("loop", "(for_statement left: (identifier) @name right: (_) @over)"),
        ("let", "(for_in_clause left: (identifier) @name)"),
        (
            "member",
            (
                "(assignment left: (attribute object: (identifier) @object attribute: (identifier)"
                " @name) type: (type)? @type right: (_)? @value)"
            ),
        ),
        ("import", "[(import_statement) (import_from_statement)] @import"),
    ),
    names=frozenset({"identifier"}),
    members={"attribute": ("object", "attribute")},
    calls={"call": "function"},
    through={"parenthesized_expression": "0", "await": "0", "type": "0"},
    elements={"subscript": "value"},
    nulls=frozenset({"none"}),
    type_names=frozenset({"identifier", "dotted_name"}),
    type_members={"attribute": ("object", "attribute"), "member_type": ("0", "-1")},
    type_generics={"generic_type": ("0", "#type_parameter"), "subscript": ("value", "subscript")},
    type_through={"type": "0", "parenthesized_expression": "0"},
    type_unions=frozenset({"binary_operator", "union_type"}),
    type_strings=frozenset({"string"}),
    wrappers=frozenset({"Optional", "Annotated", "Final", "ClassVar", "Awaitable"}),
    containers=frozenset(
        "list List set Set frozenset Sequence Iterable Iterator Collection deque dict Dict Mapping"
        " tuple Tuple MutableSequence Generator AsyncIterator AsyncIterable QuerySet".split()
    ),
    builtin_types=frozenset(
        "str int float bool bytes bytearray complex object None list dict set frozenset tuple type"
        " Any Optional Union List Dict Set Tuple Callable Iterable Iterator Sequence Mapping Type"
        " Self Literal Annotated Final ClassVar NoReturn Never Generator AsyncIterator Awaitable"
        " Coroutine".split()
    ),
    imports=_imports,
    silent=frozenset({SUPER}),  # `super()` names the supertype, it does not build it
    words={"super": SUPER, "Self": SELF},
    calls_build=True,
    first_is_self=True,
    self_params=frozenset({"self", "cls", "mcs", "mcls", "metacls"}),
    ordered=False,
)

SPECS = (PYTHON,)
