"""How a language writes what it refers to: one frozen `RefSpec`, data and an import reader.

A child of a node is named by its field (``"function"``), by position (``"0"`` the first
named child, ``"-1"`` the last) or by type (``"#type_arguments"``).

Patterns pair an action with a tree-sitter query. Actions and their captures:

``call``        @callee, @args: a call; ``@receiver`` and ``@name`` instead where the grammar
                splits the callee
``new``         @type, @args: an instance built
``built``       @type: a variable of a type is declared: its constructor runs, if it has one
``super``       @args: a call of the superclass's constructor
``extends`` ``implements`` ``mixes_in`` ``inherits``   @base (``inherits``: the target's kind
                decides which of the first two it is), ``@mode`` a word that says how
``returns``     @type: the declared type of what the enclosing function gives
``type_ref``    @type: a type mentioned, bound to nothing
``bound``       @name, @type: a type parameter and what it must be
``param``       @name, @type: a parameter; without @type nothing is known about it
``receiver``    the same, without being a reference to the type
``let``         @name, @type, @value: a name bound from here to the end of its block
``var``         the same, for the whole function
``assign``      @name, @value: a bound name gets another value
``loop``        @name, @over: a name bound to each element of a value
``field``       @name, @type, @value: a member variable, declared in its type's body
``property``    the same, declared as a parameter of the constructor
``member``      @object, @name, @value: one set through an instance (``self.x = …``)
``constant``    @name: a member that is an instance of its own type (of an enumeration)
``alias``       @name, @type: another name of a type
``declare``     @name: a function that is defined elsewhere (C prototypes)
``implementation``   @base, @owner: a supertype given to a type outside its declaration
``macro``       @name: a macro that is called by a name of its own kind (``name!`` in Rust)
``bare``        @name: a call without arguments or brackets, unless it is a local name (Ruby)
``token_call``  @name, @args: a call among the tokens of a macro's arguments
``import``      @import: read by the spec's ``imports``
``package``     @package: the namespace the whole file, or what follows, lives in
``function`` ``closure`` ``block`` ``class``    @region: where names live
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from tree_sitter import Node

Pattern = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Import:
    """One name a file gets from elsewhere.

    Attributes:
        name: as it is called here; empty when the import binds no name.
        module: the module specifier as written.
        member: what of the module; empty for the module itself, ``*`` for all of it.
        exported: whether it can be imported from here in turn.
        row: 0-based line.
        edge: whether the statement is an edge of its own.
        written: how the edge names what is not in the repository, if not by the module.
    """

    name: str
    module: str
    member: str
    row: int
    exported: bool = False
    edge: bool = True
    written: str = ""  # how an edge names it; empty: the module


ImportReader = Callable[[Node, bytes], Iterable[Import]]


@dataclass(frozen=True, slots=True)
class RefSpec:
    """What tells the references of one language from another's."""

    language: str
    patterns: tuple[Pattern, ...]
    # expressions: node type → children
    names: frozenset[str]
    members: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # object, name
    calls: Mapping[str, str] = field(default_factory=dict)  # function
    split_calls: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # object, name
    constructs: Mapping[str, str] = field(default_factory=dict)  # type
    through: Mapping[str, str] = field(default_factory=dict)  # the child that it stands for
    casts: Mapping[str, str] = field(default_factory=dict)  # the type it is cast to
    elements: Mapping[str, str] = field(default_factory=dict)  # container
    bases: Mapping[str, str] = field(default_factory=dict)  # node type → base token
    words: Mapping[str, str] = field(default_factory=dict)  # a name that is a base: `super`
    self_fields: frozenset[str] = frozenset()  # `@name`: a field of the instance (Ruby)
    casting: frozenset[str] = frozenset()  # templates that give an instance of their argument
    build_method: str = ""  # the member that builds an instance: `new`
    class_member: str = ""  # the member of the instance that is its type: `class`
    operators: Mapping[str, frozenset[str]] = field(default_factory=dict)  # those `through` needs
    inferred: frozenset[str] = frozenset()  # words in a type's place: `var`, `auto`
    nulls: frozenset[str] = frozenset()  # values that say nothing about a type
    # types: node type → children
    type_names: frozenset[str] = frozenset()
    type_members: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    type_generics: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # outer, arguments
    type_dotted: Mapping[str, str] = field(default_factory=dict)  # `a.B<C>` in one node: arguments
    type_through: Mapping[str, str] = field(default_factory=dict)
    type_lists: Mapping[str, str] = field(default_factory=dict)  # element
    type_unions: frozenset[str] = frozenset()
    type_strings: frozenset[str] = frozenset()  # types in quotes (Python)
    wrappers: frozenset[str] = frozenset()  # `Optional[X]`: as good as X
    containers: frozenset[str] = frozenset()  # `List[X]`: many X, the last argument
    builtin_types: frozenset[str] = frozenset()  # no reference
    # names
    imports: ImportReader | None = None
    outer_word: str = ""  # `this@`: what follows names an enclosing type
    separator: str = "."  # of names in one token, such as `A::B` or `A\\B`
    rooted: str = ""  # a leading mark that starts at the global scope (`::`, `\`)
    calls_build: bool = False  # calling a type builds an instance (Python, Kotlin)
    first_is_self: bool = False  # the first parameter of a method is the instance (Python)
    self_params: frozenset[str] = frozenset()  # words that stand for the type there (``cls``)
    path_nodes: frozenset[str] = frozenset()  # members of modules and types, not of instances
    rebinding: frozenset[str] = frozenset()  # function nodes with a `this` of their own
    calls_methods: bool = False  # `f()` is never a call of what a variable holds (Java)
    ordered: bool = True  # a name means its last binding before; else all of them must agree
    silent: frozenset[str] = frozenset()  # calls that are statements: `require`, `include`
    super_call: str = ""  # `super` action targets: the base whose constructor it is
