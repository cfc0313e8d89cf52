"""Qualified names in each language's own delimiters, without the path-dependent part."""

from __future__ import annotations

from codequarry.assets.languages.spec import CALLABLE_KINDS, LangSpec, Naming
from codequarry.assets.symbols.definitions import Definition
from codequarry.vocabulary import Kind

_MEMBERS = frozenset({Kind.METHOD, Kind.CONSTRUCTOR})


def qualified_name(definition: Definition, spec: LangSpec) -> str:
    r"""``Class.method``, ``(*T).M``, ``Admin::Users#render``, ``Ns\Class::method``."""
    scope, name = definition.scope, spec.delimiter.join(definition.path)
    match spec.naming:
        case Naming.GO:
            return _go(definition)
        case Naming.MEMBER:
            outer = spec.delimiter.join((*definition.prefix, *scope))
            if not outer or not (scope and definition.kind in _MEMBERS):
                return spec.delimiter.join((*definition.prefix, *scope, name))
            joint = (
                spec.delimiter
                if definition.kind not in CALLABLE_KINDS
                else _joint(definition, spec)
            )
            return f"{outer}{joint}{name}"
        case Naming.PLAIN:
            return spec.delimiter.join((*definition.prefix, *scope, name))


def _joint(definition: Definition, spec: LangSpec) -> str:
    if spec.member_delimiter == "#" and definition.static:
        return "."
    return spec.member_delimiter


def _go(definition: Definition) -> str:
    if definition.receiver:
        owner = definition.scope[-1]
        pointer = definition.receiver.startswith("*")
        return f"(*{owner}).{definition.name}" if pointer else f"{owner}.{definition.name}"
    if definition.kind is Kind.METHOD and definition.scope:
        return f"{definition.scope[-1]}.{definition.name}"
    return ".".join((*definition.prefix, *definition.scope, definition.name))
