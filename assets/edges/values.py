"""What an access path can turn out to be."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from codequarry.vocabulary import Kind

TYPE_KINDS = frozenset(
    {
        Kind.CLASS,
        Kind.INTERFACE,
        Kind.TRAIT,
        Kind.STRUCT,
        Kind.UNION,
        Kind.ENUM,
        Kind.TYPE,
        *(k for k in Kind if k.value == "object"),
    }
)
FUNCTION_KINDS = frozenset({Kind.FUNCTION, Kind.METHOD, Kind.CONSTRUCTOR, Kind.MACRO})
SPACE_KINDS = frozenset({Kind.NAMESPACE, Kind.MODULE})
VALUE_KINDS = frozenset({Kind.VAR, Kind.CONST})


class Def(NamedTuple):
    """A definition itself: a function, a type, a variable, a namespace."""

    file: int
    symbol: int


class Instance(NamedTuple):
    """An instance of a type."""

    of: Def


class Many(NamedTuple):
    """A container of instances of a type."""

    of: Def


class Super(NamedTuple):
    """The supertypes of a type, from inside it."""

    of: Def
    static: bool


class Module(NamedTuple):
    """The names a file exports, as one value."""

    file: int


class Space(NamedTuple):
    """A namespace that several files make up: a package, a folder."""

    name: str
    family: str


class External(NamedTuple):
    """Something outside the repository."""

    name: str


Value: TypeAlias = Def | Instance | Many | Super | Module | Space | External


class Found(NamedTuple):
    """What a name or path means, how it was found, and how sure that is."""

    value: Value
    rule: str
    candidates: int = 1
