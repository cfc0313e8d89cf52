"""What a language is to the engine: one frozen `LangSpec`, data only.

A definition is found by a tree-sitter pattern (`Rule`), so a whole file is searched at the
speed of the query engine. Captures with a meaning:

``@def``       the node that is the definition's span
``@name``      its name
``@params``    its parameter list, counted for the arity
``@body``      where the signature ends
``@owner``     the object a definition is assigned to (``Emitter.prototype`` in JavaScript)
``@receiver``  the receiver's type (Go, Kotlin extensions)
``@trait``     the trait an implementation block gives (Rust)
``@value``     the anonymous or inner-named value bound to the name; no symbol of its own
``@outer`` ``@inner``  a wrapper that lends its start to the definition inside it
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from codequarry.vocabulary import Kind

# Of the rules that all languages share; a `LangSpec` raises its own where only its rules changed.
CHUNKER_VERSION = "1"  # where files are cut
EXTRACTOR_VERSION = "1"  # symbols, references and bindings
SKELETON_VERSION = "1"
TEXT_VERSION = "1"  # what of a chunk or skeleton is embedded


class Versions(NamedTuple):
    """What the facts and vectors of a language depend on besides the bytes of a file."""

    chunker: str = CHUNKER_VERSION
    extractor: str = EXTRACTOR_VERSION
    skeleton: str = SKELETON_VERSION
    text: str = TEXT_VERSION


UNRAISED = Versions()

CALLABLE_KINDS = frozenset({Kind.FUNCTION, Kind.METHOD, Kind.CONSTRUCTOR})
CONTAINER_KINDS = frozenset(
    {
        Kind.CLASS,
        Kind.INTERFACE,
        Kind.TRAIT,
        Kind.IMPL,
        Kind.OBJECT,
        Kind.STRUCT,
        Kind.UNION,
        Kind.ENUM,
        Kind.NAMESPACE,
        Kind.MODULE,
    }
)
NAMESPACE_KINDS = frozenset({Kind.NAMESPACE, Kind.MODULE})


class Visibility(StrEnum):
    """How a language says that a definition can be seen from outside."""

    ALL = "all"
    UNDERSCORE = "underscore"  # a leading underscore hides
    CAPITAL = "capital"  # a leading capital shows (Go)
    KEYWORD = "keyword"  # one of `show_words` in the header shows
    UNLESS = "unless"  # one of `hide_words` in the header hides
    WRAPPER = "wrapper"  # an export statement around it shows


class DocStyle(StrEnum):
    """Where a language keeps the words about a definition."""

    COMMENT = "comment"  # the comment right above it
    STRING = "string"  # the first string of its body (Python)
    NONE = "none"


class Naming(StrEnum):
    """How qualified names are written."""

    PLAIN = "plain"  # scope and name joined by `delimiter`
    GO = "go"  # package.Func, T.M, (*T).M
    MEMBER = "member"  # methods by `member_delimiter` (Ruby #, PHP ::)


@dataclass(frozen=True, slots=True)
class Rule:
    """One way a language writes a definition."""

    query: str
    kind: Kind
    member: Kind | None = None  # the kind it has inside a type
    static: bool = False
    static_members: bool = False  # what stands directly in it is static (Kotlin `object`)
    emits: bool = True  # False: only gives a scope (Rust `impl`, Ruby `class << self`)
    scopes: bool = True  # False: what is inside keeps the outer scope
    prefix: bool = False  # names what follows in the file (package, namespace)
    rest: bool = False  # its scope reaches to the end of the file (C# `namespace A;`)
    unnamed: str = ""  # the name where the language needs none (Kotlin `companion object`)
    unless: re.Pattern[bytes] | None = None  # text at its start that unmakes it (`require(`)
    once: bool = False  # only the first definition of this name in its scope counts
    declares: bool = False  # says that something exists; what defines it is the symbol (C++)
    dotted: bool = False  # its name is a path to the type, each part a scope (Swift extensions)
    form: str = ""  # how the captured name is written out (`~{}` of a destructor)
    section: str = ""  # who sees its members before a word says so (C++ classes: `private`)


@dataclass(frozen=True, slots=True)
class Wrap:
    """A node around a definition that belongs to it: decorators, exports, `const`."""

    query: str
    exports: bool = False
    default: bool = False
    same_line: bool = False  # only where both begin on one line (`type A`, not `type (A; B)`)
    in_signature: bool = True  # its words open the signature (decorators do not)
    outside: bool = False  # it belongs around the type it is written in (C++ friends)


@dataclass(frozen=True, slots=True)
class LangSpec:
    """Everything that tells one language from another."""

    name: str
    grammar: str
    rules: tuple[Rule, ...]
    wraps: tuple[Wrap, ...] = ()
    comments: tuple[str, ...] = ("comment",)
    attributes: tuple[str, ...] = ()  # decorators and attributes that stand beside what they mark
    exports: tuple[str, ...] = ()  # patterns whose @exported or @default names a definition
    sections: tuple[str, ...] = ()  # @section words that govern what follows (Ruby, C++)
    doc: DocStyle = DocStyle.COMMENT
    inner_docs: bool = False  # `//!` speaks of what it stands in (Rust)
    naming: Naming = Naming.PLAIN
    delimiter: str = "."
    member_delimiter: str = "."
    constructors: frozenset[str] = frozenset()
    constructor_is_class_name: bool = False
    visibility: Visibility = Visibility.ALL
    show_words: frozenset[bytes] = frozenset()
    hide_words: frozenset[bytes] = frozenset()
    static_words: frozenset[bytes] = frozenset()  # in the header or a decorator
    self_params: frozenset[str] = frozenset()  # parameters a caller does not pass
    self_makes_instance: bool = False  # a member without such a parameter is static (Rust)
    owner_in_name: bool = False  # `Class::method` outside its class (C++)
    params_after_name: bool = False  # parameters without a node around them (Swift)
    prefix_adds_up: bool = False  # several package clauses make one path (Scala)
    swallowing: tuple[str, ...] = ()  # nodes that take the comment after them in (import lists)
    transparent: tuple[str, ...] = ()  # nodes whose children are cut as if they were not there
    # Most definitions stand within `depth` levels; deeper ones begin where `nested` says they may
    # (group 1 is the start of the node). Searching to that depth first halves the query's time.
    depth: int = 0  # 0: search the whole tree at once
    nested: re.Pattern[bytes] | None = None
    blanked: tuple[re.Pattern[bytes], ...] = ()  # macros whose group the grammar must not see
    conditionals: bool = False  # an `#if` may cut a construct in two (C)
    name_split: re.Pattern[str] | None = None  # cuts a compound name (`A::B`, `Acme.Shop`)
    upper_is_const: bool = False  # a VAR in capitals is a CONST (Python, JavaScript)
    strip: re.Pattern[str] | None = None  # annotations to drop from the front of a signature
    versions: Versions = UNRAISED
    generic: bool = field(default=False)  # made from node names, not written by hand


def node(
    types: str,
    kind: Kind,
    *,
    name: str = "name: (_)",
    fields: tuple[str, ...] = ("params", "body"),
    member: Kind | None = None,
    static: bool = False,
) -> tuple[Rule, ...]:
    """Rules for plain definition nodes: one a type, with a name field and the usual fields."""
    tail = "".join(_FIELD[f] for f in fields)
    return tuple(
        Rule(f"({type_} {name} @name{tail}) @def", kind, member=member, static=static)
        for type_ in types.split()
    )


_FIELD = {
    "params": " parameters: (_)? @params",
    "body": " body: (_)? @body",
}
