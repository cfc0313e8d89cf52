"""References of JavaScript, TypeScript and TSX."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tree_sitter import Node

from codequarry.assets.references.paths import SELF, SUPER
from codequarry.assets.references.spec import Import, Pattern, RefSpec

_PATTERN_NAMES = (
    "(object_pattern (shorthand_property_identifier_pattern) @name)",
    "(object_pattern (pair_pattern value: (identifier) @name))",
    (
        "(object_pattern (object_assignment_pattern"
        " left: (shorthand_property_identifier_pattern) @name))"
    ),
    "(array_pattern (identifier) @name)",
    "(assignment_pattern left: (identifier) @name)",
    "(rest_pattern (identifier) @name)",
)
_COMMON: tuple[Pattern, ...] = (
    (
        "function",
        (
            "[(function_declaration) (function_expression) (generator_function)"
            " (generator_function_declaration) (method_definition)] @region"
        ),
    ),
    ("closure", "(arrow_function) @region"),
    ("block", "[(statement_block) (for_statement) (for_in_statement) (catch_clause)] @region"),
    ("class", "[(class_declaration) (class)] @region"),
    ("call", "(call_expression function: (_) @callee arguments: (arguments) @args)"),
    ("call", "(call_expression function: (_) @callee arguments: (template_string))"),
    ("call", "(decorator [(identifier) (member_expression)] @callee)"),
    ("new", "(new_expression constructor: (_) @type arguments: (_)? @args)"),
    ("param", "(arrow_function parameter: (identifier) @name)"),
    ("let", "(variable_declarator name: (identifier) @name !value)"),
    *(("let", text) for text in _PATTERN_NAMES),
    ("let", "(catch_clause parameter: (identifier) @name)"),
    ("loop", "(for_in_statement left: (identifier) @name right: (_) @over)"),
    ("assign", "(assignment_expression left: (identifier) @name right: (_) @value)"),
    (
        "member",
        (
            "(assignment_expression left: (member_expression object: (_) @object"
            " property: (_) @name) right: (_) @value)"
        ),
    ),
    ("import", "(import_statement) @import"),
    ("import", "(export_statement source: (string)) @import"),
    ("import", "(export_statement (export_clause)) @import"),
    ("import", "(variable_declarator value: (_) @_v) @import"),
    ("import", "(expression_statement (call_expression function: (identifier) @_f)) @import"),
    ("import", "(assignment_expression right: [(identifier) (object) (call_expression)]) @import"),
    ("import", "(call_expression function: (import)) @import"),
)


def _text(node: Node | None, source: bytes) -> str:
    if node is None:
        return ""
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _first(node: Node) -> Node | None:
    return next(iter(node.named_children), None)


def _string(node: Node | None, source: bytes) -> str:
    if node is None or node.type not in ("string", "template_string"):
        return ""
    text = _text(node, source)[1:-1]
    return "" if "${" in text or "\n" in text else text


def _imports(node: Node, source: bytes) -> Iterator[Import]:
    match node.type:
        case "import_statement":
            yield from _import_statement(node, source)
        case "export_statement":
            yield from _export_statement(node, source)
        case "variable_declarator":
            yield from _required(node, source)
        case "expression_statement":
            module = _module_of(_first(node), source)
            if module:
                yield Import("", module, "", node.start_point[0])
        case "assignment_expression":
            yield from _module_exports(node, source)
        case "call_expression":
            yield from _dynamic(node, source)


def _import_statement(node: Node, source: bytes) -> Iterator[Import]:
    row = node.start_point[0]
    module = _string(node.child_by_field_name("source"), source)
    clause = next((c for c in node.named_children if c.type == "import_clause"), None)
    required = next((c for c in node.named_children if c.type == "import_require_clause"), None)
    if required is not None:
        names = [c for c in required.named_children if c.type == "identifier"]
        module = _string(required.child_by_field_name("source"), source)
        if names and module:
            yield Import(_text(names[0], source), module, "=", row)
        return
    if not module:
        return
    if clause is None:
        yield Import("", module, "", row)
        return
    for part in clause.named_children:
        if part.type == "identifier":
            yield Import(_text(part, source), module, "default", row)
        elif part.type == "namespace_import":
            yield Import(_text(_first(part), source), module, "", row)
        elif part.type == "named_imports":
            for item in part.named_children:
                if item.type == "import_specifier":
                    name = _text(item.child_by_field_name("name"), source)
                    alias = _text(item.child_by_field_name("alias"), source) or name
                    yield Import(alias, module, name, row)


def _export_statement(node: Node, source: bytes) -> Iterator[Import]:
    row = node.start_point[0]
    module = _string(node.child_by_field_name("source"), source)
    clause = next((c for c in node.named_children if c.type == "export_clause"), None)
    if clause is not None:
        for item in clause.named_children:
            if item.type == "export_specifier":
                name = _text(item.child_by_field_name("name"), source).strip("'\"")
                alias = _text(item.child_by_field_name("alias"), source).strip("'\"") or name
                yield Import(alias, module, name, row, exported=True)
        return
    spaces = next((c for c in node.named_children if c.type == "namespace_export"), None)
    if spaces is not None:
        yield Import(_text(_first(spaces), source), module, "", row, exported=True)
    elif module:
        yield Import("", module, "*", row, exported=True)


def _module_of(node: Node | None, source: bytes) -> str:
    """The module of ``require("x")`` or ``await import("x")``."""
    while node is not None and node.type in ("await_expression", "parenthesized_expression"):
        node = _first(node)
    if node is None or node.type != "call_expression":
        return ""
    called = node.child_by_field_name("function")
    if called is None or (called.type != "import" and _text(called, source) != "require"):
        return ""
    arguments = node.child_by_field_name("arguments")
    return _string(_first(arguments), source) if arguments is not None else ""


def _required(node: Node, source: bytes) -> Iterator[Import]:
    value = node.child_by_field_name("value")
    member = "="
    if value is not None and value.type == "member_expression":  # require("x").y
        member = _text(value.child_by_field_name("property"), source)
        value = value.child_by_field_name("object")
    module = _module_of(value, source)
    name = node.child_by_field_name("name")
    if not module or name is None:
        return
    row = node.start_point[0]
    if value is not None and value.type == "await_expression" and member == "=":
        member = ""
    if name.type == "identifier":
        yield Import(_text(name, source), module, member, row)
    elif name.type == "object_pattern":
        bound = False
        for item in name.named_children:
            if item.type == "shorthand_property_identifier_pattern":
                key = local = _text(item, source)
            elif item.type == "pair_pattern":
                key = _text(item.child_by_field_name("key"), source)
                local = _text(item.child_by_field_name("value"), source)
            else:
                continue
            bound = True
            if local.isidentifier():
                yield Import(local, module, key, row)
        if not bound:
            yield Import("", module, "", row)


def _module_exports(node: Node, source: bytes) -> Iterator[Import]:
    """CommonJS exports that are names or other modules, not definitions."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "member_expression":
        return
    row = node.start_point[0]
    target = "".join(_text(left, source).split())
    module = _module_of(right, source)
    if target == "module.exports":
        if module:
            yield Import("", module, "*", row, exported=True)
        elif right.type == "identifier":
            yield Import("=", "", _text(right, source), row, exported=True)
        elif right.type == "object":
            yield from _exported_object(right, source)
        return
    for start in ("module.exports.", "exports."):
        if target.startswith(start) and "." not in target[len(start) :]:
            name = target[len(start) :]
            if module:
                yield Import(name, module, "=", row, exported=True)
            elif right.type == "identifier":
                yield Import(name, "", _text(right, source), row, exported=True)


def _exported_object(node: Node, source: bytes) -> Iterator[Import]:
    for item in node.named_children:
        row = item.start_point[0]
        if item.type == "shorthand_property_identifier":
            name = _text(item, source)
            yield Import(name, "", name, row, exported=True)
        elif item.type == "pair":
            key = _text(item.child_by_field_name("key"), source).strip("'\"")
            value = item.child_by_field_name("value")
            module = _module_of(value, source)
            if module:
                yield Import(key, module, "=", row, exported=True)
            elif value is not None and value.type == "identifier":
                yield Import(key, "", _text(value, source), row, exported=True)
        elif item.type == "spread_element":
            inner = _first(item)
            module = _module_of(inner, source)
            if module:
                yield Import("", module, "*", row, exported=True)
            elif inner is not None and inner.type == "identifier":
                yield Import("", "", f"*{_text(inner, source)}", row, exported=True)


def _dynamic(node: Node, source: bytes) -> Iterator[Import]:
    """``import("x")`` whose value no declaration takes."""
    module = _module_of(node, source)
    if module:
        yield Import("", module, "", node.start_point[0])


# An element of an upper-case name is a component: rendering it runs it.
_JSX: tuple[Pattern, ...] = tuple(
    pattern
    for kind in ("jsx_opening_element", "jsx_self_closing_element")
    for pattern in (
        ("call", f'({kind} name: (identifier) @callee (#match? @callee "^[A-Z]"))'),
        ("call", f"({kind} name: (member_expression) @callee)"),
    )
)
_JS_PARAMS: tuple[Pattern, ...] = (
    ("param", "(formal_parameters (identifier) @name)"),
    (
        "let",
        "(lexical_declaration (variable_declarator name: (identifier) @name value: (_) @value))",
    ),
    (
        "var",
        "(variable_declaration (variable_declarator name: (identifier) @name value: (_)? @value))",
    ),
    ("extends", "(class_heritage [(identifier) (member_expression)] @base)"),
    ("field", "(field_definition property: (_) @name value: (_)? @value)"),
)
_TS_PARAMS: tuple[Pattern, ...] = (
    (
        "param",
        "(required_parameter pattern: (identifier) @name type: (type_annotation (_) @type)?)",
    ),
    (
        "param",
        "(optional_parameter pattern: (identifier) @name type: (type_annotation (_) @type)?)",
    ),
    (
        "let",
        (
            "(lexical_declaration (variable_declarator name: (identifier) @name"
            " type: (type_annotation (_) @type)? value: (_) @value))"
        ),
    ),
    (
        "var",
        (
            "(variable_declaration (variable_declarator name: (identifier) @name"
            " type: (type_annotation (_) @type)? value: (_)? @value))"
        ),
    ),
    ("class", "[(abstract_class_declaration) (interface_declaration)] @region"),
    ("function", "[(function_signature) (method_signature) (abstract_method_signature)] @region"),
    ("closure", "[(function_type) (construct_signature) (call_signature)] @region"),
    ("block", "(internal_module) @region"),
    ("extends", "(extends_clause value: [(identifier) (member_expression)] @base)"),
    ("implements", "(implements_clause (_) @base)"),
    ("extends", "(extends_type_clause type: (_) @base)"),
    ("returns", "(function_declaration return_type: (type_annotation (_) @type))"),
    ("returns", "(generator_function_declaration return_type: (type_annotation (_) @type))"),
    ("returns", "(function_expression return_type: (type_annotation (_) @type))"),
    ("returns", "(arrow_function return_type: (type_annotation (_) @type))"),
    ("returns", "(method_definition return_type: (type_annotation (_) @type))"),
    ("returns", "(method_signature return_type: (type_annotation (_) @type))"),
    ("returns", "(abstract_method_signature return_type: (type_annotation (_) @type))"),
    ("returns", "(function_signature return_type: (type_annotation (_) @type))"),
    (
        "field",
        "(public_field_definition name: (_) @name type: (type_annotation (_) @type)? value: (_)? @value)",
    ),
    (
        "member",
        '(method_definition "get" name: (_) @name return_type: (type_annotation (_) @type))',
    ),
    ("field", "(property_signature name: (_) @name type: (type_annotation (_) @type))"),
    (
        "property",
        (
            "(required_parameter (accessibility_modifier) pattern: (identifier) @name"
            " type: (type_annotation (_) @type)?)"
        ),
    ),
    ("bound", "(type_parameter name: (type_identifier) @name constraint: (constraint (_) @type)?)"),
    ("alias", "(type_alias_declaration name: (type_identifier) @name value: (_) @type)"),
)

JAVASCRIPT = RefSpec(
    language="javascript",
    patterns=(*_COMMON, *_JSX, *_JS_PARAMS),
    names=frozenset({"identifier", "shorthand_property_identifier"}),
    members={"member_expression": ("object", "property")},
    calls={"call_expression": "function"},
    constructs={"new_expression": "constructor"},
    through={
        "parenthesized_expression": "0",
        "await_expression": "0",
        "non_null_expression": "0",
        "satisfies_expression": "0",
    },
    casts={"as_expression": "1", "type_assertion": "0"},
    elements={"subscript_expression": "object"},
    bases={"this": SELF, "this_type": SELF, "super": SUPER},
    nulls=frozenset({"null", "undefined"}),
    type_names=frozenset({"identifier", "type_identifier"}),
    type_members={
        "member_expression": ("object", "property"),
        "nested_type_identifier": ("module", "name"),
        "nested_identifier": ("object", "property"),
    },
    type_generics={"generic_type": ("name", "type_arguments")},
    type_through={"parenthesized_type": "0", "readonly_type": "0"},
    type_lists={"array_type": "0"},
    type_unions=frozenset({"union_type"}),
    wrappers=frozenset({"Promise", "Readonly", "Partial", "Required", "NonNullable"}),
    containers=frozenset("Array ReadonlyArray Set Map ReadonlySet ReadonlyMap Iterable".split()),
    builtin_types=frozenset(
        "Array ReadonlyArray Promise Record Partial Required Readonly Pick Omit Exclude Extract"
        " Map Set WeakMap WeakSet Date RegExp Error Function Object String Number Boolean Symbol"
        " Iterable Iterator ReturnType Parameters NonNullable Awaited InstanceType".split()
    ),
    imports=_imports,
    rebinding=frozenset(
        {"function_declaration", "function_expression", "generator_function", "method_definition"}
    ),
    silent=frozenset({"require"}),
    super_call=SUPER,
)
TYPESCRIPT = replace(JAVASCRIPT, language="typescript", patterns=(*_COMMON, *_TS_PARAMS))
TSX = replace(TYPESCRIPT, language="tsx", patterns=(*_COMMON, *_JSX, *_TS_PARAMS))

SPECS = (JAVASCRIPT, TYPESCRIPT, TSX)
