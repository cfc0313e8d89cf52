"""Every reference of a repository, with the definition it means where that is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from codequarry.assets.edges.linker import AMBIGUOUS, Linker
from codequarry.assets.edges.values import (
    FUNCTION_KINDS,
    VALUE_KINDS,
    Def,
    Found,
    Instance,
    Super,
)
from codequarry.assets.references.extract import IMPLICIT
from codequarry.vocabulary import EdgeType, Kind

CONFIDENCE = {
    "local": 1.0,
    "scope": 1.0,
    "self": 1.0,
    "super": 1.0,
    "import": 1.0,
    "module": 1.0,
    "package": 1.0,
    "static": 1.0,
    "outer": 1.0,
    "typed": 0.95,
    "constructed": 0.95,
    "field": 0.85,
    "returned": 0.85,
    "bound": 0.85,
    "path": 1.0,  # from here on of what prose mentions
    "fence": 0.95,
    "path-suffix": 0.9,
    "qualified": 0.9,
    "unique-name": 0.8,
}
_INTERFACES = (Kind.INTERFACE, Kind.TRAIT)
_TYPE_EDGES = (EdgeType.EXTENDS, EdgeType.IMPLEMENTS, EdgeType.MIXES_IN, EdgeType.TYPE_REFS)


class Ref(NamedTuple):
    """One reference row, as linking needs it."""

    type: str
    path: str
    name: str
    scope: int
    arity: int


class Link(NamedTuple):
    """What a reference means."""

    type: str  # an `inherits` is told apart by its target
    file: int  # -1: not resolved
    symbol: int  # -1: the file itself
    rule: str
    candidates: int


UNRESOLVED = -1


def link(linker: Linker, file: int, ref: Ref) -> list[Link]:
    """The links of one reference: one, but for an import that means several files."""
    type_ = EdgeType(ref.type)
    if type_ is EdgeType.IMPORTS:
        return list(_imports(linker, file, ref))
    if type_ is EdgeType.CALLS:
        return [_call(linker, file, ref)]
    path = ref.path.removesuffix(" many")  # `std::vector<Item>` names Item
    found = linker.evaluate(file, _outside(linker, file, ref, type_), path)
    target = _type_of(linker, found)
    if target is None:
        return [Link(ref.type, UNRESOLVED, -1, "", 0)]
    if ref.name == "inherits" and linker.symbol(target).kind in _INTERFACES:
        own = linker.symbol(Def(file, ref.scope)).kind if ref.scope >= 0 else Kind.CLASS
        type_ = EdgeType.EXTENDS if own in _INTERFACES else EdgeType.IMPLEMENTS
    assert found is not None
    return [Link(type_.value, target.file, target.symbol, found.rule, found.candidates)]


def _outside(linker: Linker, file: int, ref: Ref, type_: EdgeType) -> int:
    """A supertype is looked up from outside the type that names it."""
    if type_ is EdgeType.TYPE_REFS or ref.scope < 0:
        return ref.scope
    symbol = linker.files[file].symbols[ref.scope]
    return symbol.parent if symbol.kind in linker.rules(file).type_kinds else ref.scope


def _type_of(linker: Linker, found: Found | None) -> Def | None:
    if found is None or found.rule == AMBIGUOUS or not isinstance(found.value, Def):
        return None
    type_ = found.value
    return type_ if linker.is_type(type_) and not linker.is_foreign(type_) else None


def _imports(linker: Linker, file: int, ref: Ref) -> Iterator[Link]:
    targets = linker.rules(file).import_targets(linker, file, ref.path, ref.name)
    for target in dict.fromkeys(targets):
        if target != file:
            yield Link(ref.type, target, -1, "import", 1)
    if not targets:
        yield Link(ref.type, UNRESOLVED, -1, "", 0)


def _call(linker: Linker, file: int, ref: Ref) -> Link:
    nothing = Link(ref.type, UNRESOLVED, -1, "", 0)
    path = ref.path.removesuffix(" new")
    found = linker.evaluate(file, ref.scope, path)
    if found is None:
        return nothing
    if found.rule == AMBIGUOUS:
        return Link(ref.type, UNRESOLVED, -1, AMBIGUOUS, found.candidates)
    value = found.value
    if isinstance(value, Super):
        targets = _overridden(linker, file, ref, value)
    elif isinstance(value, Def):
        if found.rule == "local" and linker.symbol(value).kind in FUNCTION_KINDS:
            targets = [value]  # one of several functions of a name, told by its place
        else:
            targets = linker.ask(("called", value), lambda: _called(linker, value))
            targets = _inherited(linker, targets, ref.arity) or targets
        if ref.name == IMPLICIT:  # a type without a constructor is only laid out
            targets = [t for t in targets if linker.symbol(t).kind is Kind.CONSTRUCTOR]
    elif isinstance(value, Instance) and path == "@self":  # `this(…)` in a constructor
        targets = linker.members.constructor(value.of)
    else:
        return nothing
    if not targets:
        return nothing
    target, candidates = _by_arity(linker, targets, ref.arity)
    return Link(ref.type, target.file, target.symbol, found.rule, max(candidates, found.candidates))


def _called(linker: Linker, value: Def) -> list[Def]:
    """The function, or what runs when a type is called."""
    for _ in range(8):
        kind = linker.symbol(value).kind
        if kind in linker.rules(value.file).type_kinds:
            held = linker.steps.held(value) if kind is Kind.TYPE else None
            if held is not None and isinstance(held.value, Def) and held.value != value:
                value = held.value
                continue
            if linker.rules(value.file).converts:
                return []
            return linker.members.constructor(value)
        if kind in FUNCTION_KINDS:
            return _overloads(linker, value)
        if kind not in VALUE_KINDS:
            return []
        held = linker.steps.held(value)
        if held is None or not isinstance(held.value, Def) or held.value == value:
            return []
        value = held.value
    return []


def _inherited(linker: Linker, targets: list[Def], arity: int) -> list[Def]:
    """Overloads of a supertype's method, where none of the type's own takes so many arguments."""
    if not targets or not linker.rules(targets[0].file).overloads:
        return []
    if any(_takes(linker, target, arity) for target in targets):
        return []
    symbol = linker.symbol(targets[0])
    owner, _ = linker.owner(targets[0].file, targets[0].symbol)
    if symbol.kind is not Kind.METHOD or owner is None:
        return []
    found = linker.members.member_of(owner, symbol.name, symbol.static, above=True)
    if found is None or found.rule == AMBIGUOUS or not isinstance(found.value, Def):
        return []
    above = _called(linker, found.value) if linker.symbol(found.value).kind is Kind.METHOD else []
    fitting = [d for d in above if _takes(linker, d, arity)]
    return fitting or _inherited(linker, above, arity)


def _overloads(linker: Linker, function: Def) -> list[Def]:
    """All definitions with the same qualified name beside a function."""
    file = linker.files[function.file]
    symbol = file.symbols[function.symbol]
    beside = file.inside.get(symbol.parent, {}) if symbol.parent >= 0 else file.top
    same = [Def(function.file, n) for n in beside.get(symbol.name, ())]
    same = [d for d in same if linker.symbol(d).qualified == symbol.qualified]
    return same if function in same else [function]


def _overridden(linker: Linker, file: int, ref: Ref, value: Super) -> list[Def]:
    """``super(…)``: the constructor of the supertype, or the method that is overridden."""
    if linker.rules(file).super_means_method:
        symbols, scope = linker.files[file].symbols, ref.scope
        while scope >= 0 and symbols[scope].kind not in (Kind.METHOD, Kind.CONSTRUCTOR):
            scope = symbols[scope].parent
        if scope < 0:
            return []
        found = linker.member(value, symbols[scope].name)
        return [found.value] if found is not None and isinstance(found.value, Def) else []
    bases = [
        base for _, base in linker.members.supertypes(value.of) if not _is_interface(linker, base)
    ]
    return linker.members.constructor(bases[0]) if bases else []


def _is_interface(linker: Linker, type_: Def) -> bool:
    return linker.symbol(type_).kind in _INTERFACES


def _by_arity(linker: Linker, targets: list[Def], arity: int) -> tuple[Def, int]:
    """The overload that takes so many arguments; the first where that does not decide."""
    if len(targets) == 1:
        return targets[0], 1
    fitting = [d for d in targets if _takes(linker, d, arity)] or targets
    return fitting[0], len(fitting)


def _takes(linker: Linker, function: Def, arity: int) -> bool:
    symbol = linker.symbol(function)
    if arity < 0 or symbol.arity_min < 0:
        return True
    return symbol.arity_min <= arity and (symbol.arity_max < 0 or arity <= symbol.arity_max)
