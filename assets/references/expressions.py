"""Read an expression or a type off the syntax tree as an access path."""

from __future__ import annotations

from tree_sitter import Node

from codequarry.assets.references.paths import (
    CALL,
    CLS,
    EACH,
    GLOBAL,
    HERE,
    MANY,
    NEW,
    OF,
    OUTER,
    SELF,
    UNKNOWN,
)
from codequarry.assets.references.spec import RefSpec

_MAX_DEPTH = 40
_MAX_NAME = 120
_MAX_WALK = 400  # nodes of one type expression that are looked at


def child(node: Node, how: str) -> Node | None:
    """A child by field, ``"0"`` by position, ``"#type"`` by type."""
    if how[0] == "#":
        wanted = how[1:]
        return next((c for c in node.named_children if c.type == wanted), None)
    if how.lstrip("-").isdigit():
        n = node.named_child_count
        place = int(how)
        place = place if place >= 0 else n + place
        return node.named_child(place) if 0 <= place < n else None
    return node.child_by_field_name(how)


class Reader:
    """Reads the expressions and types of one file."""

    __slots__ = ("_names", "_texts", "source", "spec")

    def __init__(self, spec: RefSpec, source: bytes) -> None:
        self.spec = spec
        self.source = source
        self._texts: dict[bytes, str] = {}  # a file says the same few names again and again
        self._names: dict[str, str] = {}

    def text(self, node: Node) -> str:
        """The source of a node, as one token of a path."""
        start, end = node.byte_range
        raw = self.source[start:end]
        text = self._texts.get(raw)
        if text is None:
            text = self._texts[raw] = raw.decode("utf-8", "replace")
        return text

    def name(self, node: Node) -> str:
        """A name as a path: ``Acme\\Shop`` gives two members."""
        text = self.text(node)
        path = self._names.get(text)
        if path is None:
            path = self._names[text] = self.names_of(text)
        return path

    def names_of(self, text: str) -> str:
        """What `name` gives, of a text."""
        spec = self.spec
        if text in spec.words:
            return spec.words[text]
        if spec.outer_word and text.startswith(spec.outer_word):
            return OUTER + text[len(spec.outer_word) :]
        rooted = bool(spec.rooted) and text.startswith(spec.rooted)
        if rooted:
            text = text[len(spec.rooted) :]
        parts = text.split(spec.separator) if spec.separator in text else [text]
        parts = [part.strip().strip("`") for part in parts]
        if not all(parts) or len(text) > _MAX_NAME or any(" " in p or "\n" in p for p in parts):
            return UNKNOWN
        if rooted:
            return " .".join([GLOBAL, *parts])
        parts[0] = spec.words.get(parts[0], parts[0])
        return " .".join(parts)

    def value(self, node: Node | None, depth: int = 0) -> str:
        """The path of an expression; ``?`` for what is not followed."""
        if node is None or depth > _MAX_DEPTH:
            return UNKNOWN
        spec, kind = self.spec, node.type
        if kind in spec.names:
            return self.name(node)
        if kind in spec.bases:
            return spec.bases[kind]
        if kind in spec.self_fields:
            return f"{SELF} .{self.text(node)}"
        if kind in spec.members:
            holder, name = spec.members[kind]
            inside = child(node, holder)
            if inside is None and kind in spec.path_nodes:
                return f"{GLOBAL} .{self.value(child(node, name), depth + 1)}"
            path = self._member(inside, child(node, name), depth)
            return self._as_module(path) if kind in spec.path_nodes else path
        return self._made(node, depth)

    def _made(self, node: Node, depth: int) -> str:
        """The path of what an expression makes of another."""
        spec, kind = self.spec, node.type
        if kind in spec.calls:
            if spec.casting:
                cast = self._cast(child(node, spec.calls[kind]))
                if cast:
                    return cast
            called = self.value(child(node, spec.calls[kind]), depth + 1)
            return called if called == UNKNOWN else f"{called} {CALL}"
        if kind in spec.split_calls:
            holder, name = spec.split_calls[kind]
            called = self.callee(child(node, holder), child(node, name), depth)
            if called == UNKNOWN or called.endswith((f" {NEW}", CLS)):
                return called
            return f"{called} {CALL}"
        if kind in spec.constructs:
            built = self.type_path(child(node, spec.constructs[kind]))
            return built if built == UNKNOWN else f"{built} {NEW}"
        if kind in spec.through:
            if kind in spec.operators and self._operator(node) not in spec.operators[kind]:
                return UNKNOWN
            return self.value(child(node, spec.through[kind]), depth + 1)
        if kind in spec.casts:
            return self.instance(child(node, spec.casts[kind]))
        if kind in spec.elements:
            whole = self.value(child(node, spec.elements[kind]), depth + 1)
            return whole if whole == UNKNOWN else f"{whole} {EACH}"
        return UNKNOWN

    @staticmethod
    def _as_module(path: str) -> str:
        """In a module path ``self`` is the module."""
        return HERE + path[len(SELF) :] if path.startswith(f"{SELF} ") else path

    def _operator(self, node: Node) -> str:
        sign = next((c for c in node.children if not c.is_named), None)
        return self.text(sign) if sign is not None else ""

    def _cast(self, function: Node | None) -> str:
        """An instance of the argument of ``static_cast<T>``, ``make_unique<T>``."""
        while function is not None and function.type in self.spec.path_nodes:
            function = function.child_by_field_name("name")
        if function is None or function.type != "template_function":
            return ""
        name, arguments = (function.child_by_field_name(f) for f in ("name", "arguments"))
        if name is None or arguments is None or self.text(name) not in self.spec.casting:
            return ""
        return self.instance(child(arguments, "0"))

    def callee(self, holder: Node | None, name: Node | None, depth: int = 0) -> str:
        """The path of what a split call calls."""
        if name is None:
            return UNKNOWN
        return self.name(name) if holder is None else self._member(holder, name, depth)

    def among_tokens(self, name: Node) -> str:
        """The path of a name among a macro's tokens, from what stands before it."""
        parts = [self.text(name)]
        joint = name.prev_sibling
        signs: list[str] = []
        while joint is not None and joint.type in (".", "::"):
            before = joint.prev_sibling
            if before is None or not (
                before.type in self.spec.names or before.type in self.spec.bases
            ):
                return f"{UNKNOWN} .{parts[-1]}"
            signs.append(joint.type)
            parts.append(self.spec.bases.get(before.type) or self.text(before))
            joint = before.prev_sibling
        path = " .".join(reversed(parts))
        return self._as_module(path) if signs and signs[-1] == "::" else path

    def _member(self, holder: Node | None, name: Node | None, depth: int) -> str:
        if name is None:
            return UNKNOWN
        inside = self.value(holder, depth + 1)
        if name.type in self.spec.path_nodes or name.type in self.spec.through:
            nested = self.value(name, depth + 1)  # C++: `a::(b::c)`
            return nested if nested == UNKNOWN else f"{inside} .{nested}"
        if name.type in self.spec.type_generics:
            name = child(name, self.spec.type_generics[name.type][0]) or name
        member = self.text(name).lstrip("?.!")
        if member == "this" and " " not in inside:  # Java: `Outer.this`
            return OUTER + inside
        if member == self.spec.build_method:
            return f"{inside} {NEW}"
        if member == self.spec.class_member and inside == SELF:
            return CLS
        if " " in member or "\n" in member or not member or len(member) > _MAX_NAME:
            return UNKNOWN
        return f"{inside} .{member.strip('`')}"

    def is_inferred(self, node: Node) -> bool:
        """Whether a word in a type's place leaves the type to the value (``var``, ``auto``)."""
        return bool(self.spec.inferred) and self.text(node) in self.spec.inferred

    def is_null(self, node: Node) -> bool:
        """Whether a value says nothing about a type (``None``, ``null``)."""
        return node.type in self.spec.nulls

    # types

    def instance(self, node: Node | None) -> str:
        """The path of a value of a declared type: ``Order of``, ``Order many``."""
        path = self.type_path(node)
        return path if path == UNKNOWN or path.endswith(f" {MANY}") else f"{path} {OF}"

    def type_path(self, node: Node | None, depth: int = 0) -> str:
        """The path of a type expression; a container's ends in ``many``."""
        if node is None or depth > _MAX_DEPTH:
            return UNKNOWN
        spec, kind = self.spec, node.type
        if kind in spec.type_dotted:
            named = self.names_of(self.text(node).partition("<")[0].strip())
            return self._applied(named, child(node, spec.type_dotted[kind]), depth)
        if kind in spec.type_generics:
            outer, arguments = spec.type_generics[kind]
            return self._generic(child(node, outer), child(node, arguments), depth)
        if kind in spec.type_members:
            return self._type_member(node, depth)
        if kind in spec.type_names:
            return self.name(node)
        if kind in spec.bases:
            return spec.bases[kind]
        if kind in spec.type_through:
            return self.type_path(child(node, spec.type_through[kind]), depth + 1)
        if kind in spec.type_lists:
            element = self.type_path(child(node, spec.type_lists[kind]), depth + 1)
            return UNKNOWN if element == UNKNOWN or element.endswith(MANY) else f"{element} {MANY}"
        if kind in spec.type_strings:
            return self._quoted(node)
        if kind in spec.type_unions:
            return self._union(node, depth)
        return UNKNOWN

    def _type_member(self, node: Node, depth: int) -> str:
        spec = self.spec
        holder, name = spec.type_members[node.type]
        outer, last = child(node, holder), child(node, name)
        inside = GLOBAL if outer is None else self.type_path(outer, depth + 1)
        if last is not None and last.type in spec.type_generics:
            named, arguments = (child(last, how) for how in spec.type_generics[last.type])
            if named is not None and self.text(named) in (*spec.wrappers, *spec.containers):
                return self._generic(named, arguments, depth)
            last = named
        if inside == UNKNOWN or last is None:
            return UNKNOWN
        if last.type in spec.type_members and last.type in spec.path_nodes:
            nested = self.type_path(last, depth + 1)
            return nested if nested == UNKNOWN or nested.endswith(MANY) else f"{inside} .{nested}"
        path = f"{inside} .{self.text(last).strip('`')}"
        return self._as_module(path) if node.type in spec.path_nodes else path

    def _generic(self, outer: Node | None, arguments: Node | None, depth: int) -> str:
        return self._applied(self.type_path(outer, depth + 1), arguments, depth)

    def _applied(self, path: str, arguments: Node | None, depth: int) -> str:
        """A generic type with its arguments: wrappers and containers are told by name."""
        name = path.rpartition(" ")[2].lstrip(".")
        spec = self.spec
        if arguments is not None and (name in spec.wrappers or name in spec.containers):
            inner = self.type_path(child(arguments, "-1"), depth + 1)
            if name in spec.wrappers or inner == UNKNOWN:
                return inner
            return inner if inner.endswith(MANY) else f"{inner} {MANY}"
        return path

    def _quoted(self, node: Node) -> str:
        text = self.text(node).strip("'\"")
        return self.names_of(text) if text.replace(".", "").isidentifier() else UNKNOWN

    def _union(self, node: Node, depth: int) -> str:
        """``X | None`` is X; a union of two types is neither."""
        spec = self.spec
        parts = [c for c in node.named_children if not self._is_null_type(c)]
        if len(parts) != 1:
            return UNKNOWN
        return self.type_path(parts[0], depth + 1) if spec.type_unions else UNKNOWN

    def _is_null_type(self, node: Node) -> bool:
        return node.type in self.spec.nulls or self.text(node) in ("null", "undefined", "None")

    def mentions(self, node: Node) -> list[tuple[str, Node]]:
        """Every type named in a type expression, builtins left out."""
        spec = self.spec
        found: list[tuple[str, Node]] = []
        stack, seen = [node], 0
        while stack and seen < _MAX_WALK:
            at = stack.pop()
            seen += 1
            if at.type in spec.type_dotted:
                path = self.names_of(self.text(at).partition("<")[0].strip())
                arguments = child(at, spec.type_dotted[at.type])
                stack.extend(arguments.named_children if arguments is not None else ())
            elif at.type in spec.type_members:
                arguments = self._arguments_of(at)
                path = self.type_path(at)
                if arguments is not None:  # `std::map<Key, Item>`: the outer type, then those
                    path = self.names_of(self.text(at).partition("<")[0].strip())
                    stack.extend(arguments.named_children)
            elif at.type in spec.type_names:
                path = self.type_path(at)
            elif at.type in spec.type_strings:
                path = self._quoted(at)
            else:
                stack.extend(reversed(at.named_children))
                continue
            if path != UNKNOWN and path not in spec.builtin_types and path[0] != "@":
                found.append((path, at))
        return found

    def _arguments_of(self, node: Node) -> Node | None:
        """The type arguments of the last name of a qualified type."""
        spec = self.spec
        last: Node | None = node
        while last is not None and last.type in spec.type_members:
            last = child(last, spec.type_members[last.type][1])
        if last is None or last.type not in spec.type_generics:
            return None
        return child(last, spec.type_generics[last.type][1])
