"""References of Rust."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from codequarry.assets.references.paths import CLS, ROOT, SELF, UP
from codequarry.assets.references.spec import Import, Pattern, RefSpec


def _text(node: Node, source: bytes) -> str:
    return "".join(source[node.start_byte : node.end_byte].decode("utf-8", "replace").split())


def _imports(node: Node, source: bytes) -> Iterator[Import]:
    row = node.start_point[0]
    shown = any(c.type == "visibility_modifier" for c in node.children)
    if node.type == "mod_item":
        name = node.child_by_field_name("name")
        if name is not None and node.child_by_field_name("body") is None:
            text = _text(name, source)
            yield Import(text, f"mod {text}", "", row, exported=shown)
        return
    if node.type == "extern_crate_declaration":
        name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
        if name is not None:
            crate = _text(name, source)
            yield Import(_text(alias, source) if alias is not None else crate, crate, "", row)
        return
    tree = node.child_by_field_name("argument")
    if tree is not None:
        yield from _use(tree, "", source, shown=shown)


def _use(node: Node, before: str, source: bytes, *, shown: bool) -> Iterator[Import]:
    """Every name of a ``use`` tree."""
    row = node.start_point[0]
    match node.type:
        case "scoped_use_list" | "use_list":
            path = node.child_by_field_name("path")
            inner = _joined(before, _text(path, source)) if path is not None else before
            listed = node.child_by_field_name("list") if node.type == "scoped_use_list" else node
            for part in listed.named_children if listed is not None else ():
                yield from _use(part, inner, source, shown=shown)
        case "use_wildcard":
            path = next(iter(node.named_children), None)
            module = _joined(before, _text(path, source)) if path is not None else before
            yield Import("", module, "*", row, exported=shown)
        case "use_as_clause":
            path, alias = node.child_by_field_name("path"), node.child_by_field_name("alias")
            if path is not None and alias is not None:
                yield _one(_joined(before, _text(path, source)), _text(alias, source), row, shown)
        case "self":
            yield _one(before, before.rpartition("::")[2], row, shown)
        case "identifier" | "scoped_identifier" | "crate" | "super":
            full = _joined(before, _text(node, source))
            yield _one(full, full.rpartition("::")[2], row, shown)


def _one(path: str, name: str, row: int, shown: bool) -> Import:
    module, _, member = path.removesuffix("::self").rpartition("::")
    if name == "self":
        name = member
    if not module:
        module, member = member, ""
    return Import("" if name == "_" else name, module, member, row, exported=shown, written=path)


def _joined(before: str, path: str) -> str:
    return f"{before}::{path}" if before else path


_NAMED = "[(identifier) @name (mut_pattern (identifier) @name) (ref_pattern (identifier) @name)]"
_PATTERNS: tuple[Pattern, ...] = (
    ("function", "[(function_item) (function_signature_item)] @region"),
    ("closure", "(closure_expression) @region"),
    (
        "block",
        (
            "[(block) (match_arm) (for_expression) (if_expression) (while_expression)"
            " (let_chain)] @region"
        ),
    ),
    ("class", "[(mod_item body: (_)) (impl_item) (trait_item)] @region"),
    ("call", "(call_expression function: (_) @callee arguments: (_) @args)"),
    ("macro", "(macro_invocation macro: (_) @name)"),
    (
        "token_call",
        "(token_tree (identifier) @name . (token_tree) @args)",
    ),
    ("returns", "(function_item return_type: (_) @type)"),
    ("returns", "(function_signature_item return_type: (_) @type)"),
    ("param", f"(parameter pattern: {_NAMED} type: (_) @type)"),
    ("param", "(closure_parameters [(identifier) @name (mut_pattern (identifier) @name)])"),
    ("let", f"(let_declaration pattern: {_NAMED} type: (_)? @type value: (_)? @value)"),
    ("loop", "(for_expression pattern: (identifier) @name value: (_) @over)"),
    *(
        ("loop", text)
        for text in (
            f"(tuple_struct_pattern type: (_) {_NAMED})",
            f"(tuple_pattern {_NAMED})",
            f"(slice_pattern {_NAMED})",
            "(match_pattern (identifier) @name)",
            "(field_pattern name: (shorthand_field_identifier) @name)",
            f"(field_pattern pattern: {_NAMED})",
            "(captured_pattern . (identifier) @name)",
            "(or_pattern (identifier) @name)",
        )
    ),
    ("assign", "(assignment_expression left: (identifier) @name right: (_) @value)"),
    ("field", "(field_declaration name: (_) @name type: (_) @type)"),
    ("implementation", "(impl_item trait: (_) @base type: (_) @owner)"),
    (
        "extends",
        (
            "(trait_item bounds: (trait_bounds"
            " [(type_identifier) (scoped_type_identifier) (generic_type)] @base))"
        ),
    ),
    (
        "bound",
        (
            "(type_parameter name: (type_identifier) @name bounds: (trait_bounds"
            " . [(type_identifier) (scoped_type_identifier) (generic_type)] @type))"
        ),
    ),
    ("bound", "(type_parameter name: (type_identifier) @name !bounds)"),
    (
        "bound",
        (
            "(where_predicate left: (type_identifier) @name bounds: (trait_bounds"
            " . [(type_identifier) (scoped_type_identifier) (generic_type)] @type))"
        ),
    ),
    ("alias", "(type_item name: (type_identifier) @name type: (_) @type)"),
    ("import", "[(use_declaration) (extern_crate_declaration) (mod_item)] @import"),
)

RUST = RefSpec(
    language="rust",
    patterns=_PATTERNS,
    names=frozenset({"identifier", "type_identifier"}),
    members={"field_expression": ("value", "field"), "scoped_identifier": ("path", "name")},
    path_nodes=frozenset({"scoped_identifier", "scoped_type_identifier"}),
    calls={"call_expression": "function"},
    constructs={"struct_expression": "name"},
    through={
        "parenthesized_expression": "0",
        "reference_expression": "value",
        "unary_expression": "0",
        "await_expression": "0",
        "generic_function": "function",
        "generic_type": "type",
        "bracketed_type": "0",
        "scoped_type_identifier": "name",
    },
    operators={"unary_expression": frozenset({"*"})},
    casts={"type_cast_expression": "type"},
    elements={"index_expression": "0"},
    bases={"self": SELF, "crate": ROOT, "super": UP},
    words={"Self": CLS},
    type_names=frozenset({"type_identifier", "identifier"}),
    type_members={
        "scoped_type_identifier": ("path", "name"),
        "scoped_identifier": ("path", "name"),
    },
    type_generics={"generic_type": ("type", "type_arguments")},
    type_through={
        "reference_type": "type",
        "pointer_type": "type",
        "abstract_type": "trait",
        "dynamic_type": "trait",
        "bounded_type": "0",
        "parenthesized_type": "0",
    },
    type_lists={"array_type": "element"},
    wrappers=frozenset("Box Rc Arc Ref RefMut Pin MutexGuard".split()),
    containers=frozenset("Vec VecDeque HashSet BTreeSet HashMap BTreeMap Slab".split()),
    builtin_types=frozenset(
        "String Vec Option Result Box Rc Arc HashMap HashSet BTreeMap BTreeSet VecDeque Cell"
        " RefCell Mutex RwLock Cow Pin PhantomData Send Sync Clone Copy Debug Display Default"
        " Iterator IntoIterator Into From AsRef Fn FnMut FnOnce Sized Eq PartialEq Ord PartialOrd"
        " Hash Drop ToString".split()
    ),
    imports=_imports,
    calls_build=True,
)

SPECS = (RUST,)
