"""Give definitions their scope: who encloses whom, and what kind that makes them."""

from __future__ import annotations

import re

from codequarry.assets.languages.grammars import Grammar
from codequarry.assets.languages.spec import (
    CALLABLE_KINDS,
    CONTAINER_KINDS,
    NAMESPACE_KINDS,
    LangSpec,
    Naming,
)
from codequarry.assets.symbols.definitions import Definition, Found
from codequarry.assets.symbols.visibility import is_visible
from codequarry.vocabulary import Kind

_MODULE_OBJECTS = frozenset({"exports", "module.exports", "module"})
_SELF_OBJECTS = frozenset({"this", "self"})
_ARGUMENTS = re.compile(r"\s*<[^<>]*>")
_CAST = re.compile(r"\boperator\s+(?!new\b|delete\b|co_await\b)(\w[^()]*?)\s*\(.*$", re.DOTALL)
_OPERATOR = re.compile(r"\boperator\s*([^\w\s].*)$", re.DOTALL)
_PATH = re.compile(r"[\w$#.]+")
_TYPE_NAME = re.compile(r"[\w:.]+")


def resolve(found: Found, source: bytes, grammar: Grammar) -> list[Definition]:
    """Set scope, kind, static, visibility and prefix; give the definitions that count."""
    spec = grammar.spec
    stack: list[Definition] = []
    kept: list[Definition] = []
    prefix: tuple[str, ...] = ()
    sections = iter(sorted(found.sections))
    section = next(sections, None)
    once: set[tuple[tuple[str, ...], str]] = set()
    declared: dict[tuple[str, ...], Definition] = {}
    namespaces: set[tuple[str, ...]] = set()
    for definition in found.definitions:
        if definition.rule.prefix:
            named = _parts(definition.name, spec)
            prefix = (*prefix, *named) if spec.prefix_adds_up else named
            continue
        while section is not None and section[0] < definition.inner:
            _pop(stack, section[0])
            if stack:
                stack[-1].section = section[1]
            section = next(sections, None)
        _pop(stack, definition.inner)
        if stack and (stack[-1].inner, stack[-1].end) == (definition.inner, definition.end):
            stack.pop()  # Go `x, y = 1, 2`: beside each other, not inside
        _place(definition, stack[-1] if stack else None, prefix, spec)
        if definition.rule.once:
            key = (definition.scope, definition.name)
            if key in once:
                continue
            once.add(key)
        _mark(definition, found, source, grammar)
        if spec.owner_in_name:
            _join(definition, declared, namespaces)
        kept.append(definition)
        if definition.rule.scopes:
            stack.append(definition)
    return kept


def inner_scope(definition: Definition) -> tuple[str, ...]:
    """The scope path of what stands inside ``definition``."""
    return (*definition.scope, *definition.path)


def _pop(stack: list[Definition], at: int) -> None:
    while stack and stack[-1].end <= at:
        stack.pop()


def _parts(name: str, spec: LangSpec) -> tuple[str, ...]:
    if spec.name_split is None:
        return (name,)
    return tuple(part for part in spec.name_split.split(name) if part)


def _place(
    definition: Definition,
    parent: Definition | None,
    prefix: tuple[str, ...],
    spec: LangSpec,
) -> None:
    if definition.outside:
        parent = _around_types(parent)
    definition.prefix = prefix
    definition.parent = parent
    definition.scope = inner_scope(parent) if parent is not None else ()
    rule = definition.rule
    if not (rule.emits or rule.declares):
        definition.name = _scope_name(definition)
    definition.static = rule.static and rule.emits
    if definition.receiver and spec.naming is Naming.GO:
        definition.scope = (*definition.scope, _type_name(definition.receiver.lstrip("*&")))
    if definition.owner:
        _assign(definition)
    elif spec.owner_in_name and "::" in definition.name and definition.kind in CALLABLE_KINDS:
        *owners, definition.name = _parts(_without_arguments(definition.name), spec)
        definition.scope = (*definition.scope, *map(_type_name, owners))
        definition.kind = rule.member or definition.kind
    elif rule.member is not None and parent is not None and _is_type(parent):
        definition.kind = rule.member
    if spec.owner_in_name:
        definition.name = _without_arguments(definition.name)
    # Ruby `class << self` has no name and adds none.
    definition.path = _parts(definition.name, spec) if definition.name else ()
    definition.name = definition.path[-1] if definition.path else ""
    if definition.kind is Kind.METHOD and (
        definition.name in spec.constructors
        or (spec.constructor_is_class_name and definition.scope[-1:] == (definition.name,))
    ):
        definition.kind = Kind.CONSTRUCTOR
    if definition.kind is Kind.VAR and spec.upper_is_const and definition.name.isupper():
        definition.kind = Kind.CONST
    if parent is not None:
        if definition.kind in CALLABLE_KINDS:
            definition.static = definition.static or parent.rule.static_members
        definition.trait = definition.trait or ("" if parent.rule.emits else parent.trait)


def _around_types(parent: Definition | None) -> Definition | None:
    while parent is not None and _is_type(parent):
        parent = parent.parent
    return parent


def _scope_name(definition: Definition) -> str:
    """The type that a block without a symbol of its own belongs to."""
    if definition.rule.static_members:
        return ""  # Ruby `class << self`
    if definition.rule.dotted:
        return _ARGUMENTS.sub("", definition.name)
    return _type_name(definition.name)


def _join(
    definition: Definition,
    declared: dict[tuple[str, ...], Definition],
    namespaces: set[tuple[str, ...]],
) -> None:
    """What a definition outside its class has from its declaration inside it (C++)."""
    path = (*definition.scope, *definition.path)
    if definition.rule.declares:
        declared.setdefault(path, definition)
    elif definition.kind is Kind.NAMESPACE:
        namespaces.update(path[: end + 1] for end in range(len(path)))
    elif definition.kind is Kind.METHOD and definition.scope in namespaces:
        definition.kind = Kind.FUNCTION  # `void ns::run() {}`: its owner is no class
    elif (first := declared.get(path)) is not None:
        definition.static = definition.static or first.static
        definition.exported = definition.exported and first.exported


def _is_type(parent: Definition) -> bool:
    return parent.kind in CONTAINER_KINDS and parent.kind not in NAMESPACE_KINDS


def _type_name(written: str) -> str:
    """``fmt::Display<T>`` → ``Display``; ``&'a Foo<T>`` → ``Foo``."""
    names = _TYPE_NAME.findall(written.split("<", 1)[0].split("[", 1)[0])
    return re.split(r"::|\.", names[-1])[-1] if names else written


def _without_arguments(name: str) -> str:
    """``formatter<T, Char>`` → ``formatter``, ``operator <<`` → ``operator<<`` (C++)."""
    cast = _CAST.search(name)
    if cast is not None:  # `operator bool() const`
        return f"{name[: cast.start()]}operator {cast[1]}"
    operator = _OPERATOR.search(name)
    if operator is not None:
        return name[: operator.start()] + "operator" + operator[1]
    inner = None
    while inner != name:
        inner, name = name, _ARGUMENTS.sub("", name)
    return name


def _assign(definition: Definition) -> None:
    """``Emitter.prototype.on = function``: the owner is the scope (CommonJS, prototypes)."""
    owner = definition.owner
    if owner in _MODULE_OBJECTS:
        definition.exported = True
        return
    for start in ("module.exports.", "exports."):
        owner = owner.removeprefix(start)
    on_instance = owner.endswith(".prototype")
    owner = owner.removesuffix(".prototype")
    definition.kind = Kind.METHOD
    if owner in _SELF_OBJECTS:
        return
    if not _PATH.fullmatch(owner):
        return  # an expression is no name: the enclosing scope has to do
    definition.static = not on_instance and owner[:1].isupper()
    definition.scope = (*definition.scope, *owner.split("."))


def _mark(definition: Definition, found: Found, source: bytes, grammar: Grammar) -> None:
    spec = grammar.spec
    header = source[definition.start : definition.name_start]
    words = grammar.static_words
    if words is not None and not definition.static and words.search(header):
        definition.static = definition.kind in CALLABLE_KINDS
    parent = definition.parent
    if definition.kind is Kind.METHOD and spec.self_makes_instance:
        definition.static = not _has_self(definition, source, spec)
    if not definition.scope or parent is None:
        if definition.name in found.default:
            definition.default = definition.exported = True
        elif definition.name in found.exported:
            definition.exported = True
    definition.exported = is_visible(definition, header, grammar)


def _has_self(definition: Definition, source: bytes, spec: LangSpec) -> bool:
    if definition.params is None:
        return False
    first = source[definition.params[0] : definition.params[1]].split(b",", 1)[0]
    names = re.findall(r"\w+", first.split(b":", 1)[0].decode("utf-8", "replace"))
    return bool(names) and names[-1] in spec.self_params
