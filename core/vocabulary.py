"""The words every part shares: what a chunk, a symbol and the facts of one file are.

Values here are pure: nothing depends on a path, on another file, or on the machine.
Line numbers are 1-based and inclusive; a line ends at ``LF`` only (see `codequarry.text`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What a chunk or a symbol is (spec: one closed list for all languages)."""

    MODULE = "module"
    CLASS_HEADER = "class_header"
    CLASS = "class"
    FUNCTION = "function"
    METHOD = "method"
    CONSTRUCTOR = "constructor"
    BLOCK = "block"
    INTERFACE = "interface"
    TYPE = "type"
    ENUM = "enum"
    OBJECT = "object"  # a type and its only instance (Kotlin, Scala)
    STRUCT = "struct"
    UNION = "union"
    TRAIT = "trait"
    IMPL = "impl"
    MACRO = "macro"
    NAMESPACE = "namespace"
    CONST = "const"
    VAR = "var"
    SECTION = "section"
    DOC = "doc"
    HTML = "html"
    FENCE = "fence"
    WINDOW = "window"


class Role(StrEnum):
    """What a file is for; judged from its path and name alone."""

    CODE = "code"
    TEST = "test"
    DOCS = "docs"
    CONFIG = "config"
    GENERATED = "generated"
    DATA = "data"


class ParseState(StrEnum):
    """How far the syntax of a file carried its chunks."""

    OK = "ok"  # cut by syntax, no error node
    PARTIAL = "partial"  # cut by syntax, the tree holds error nodes
    FALLBACK = "fallback"  # syntax was wanted and failed: cut by line windows
    PLAIN = "plain"  # no grammar for it: line windows or scored cuts by design


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of whole lines; the chunks of a file partition its lines."""

    start_line: int
    end_line: int
    kind: Kind
    name: str = ""  # of the unit, or of the first unit when several were merged
    names: tuple[str, ...] = ()  # every definition merged into it, in line order
    scope: tuple[str, ...] = ()  # enclosing definitions or headings, outermost first
    part: int = 0  # k of "part k/n", 0 when the unit was not split
    parts: int = 0


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition as a span over the lines; nested definitions are symbols too."""

    name: str
    qualified: str  # in the language's own delimiters, without the module path
    kind: Kind
    scope: tuple[str, ...]  # names of the enclosing definitions, outermost first
    name_line: int
    start_line: int  # of the first decorator or attribute
    end_line: int
    start_byte: int
    end_byte: int
    signature: str = ""
    doc: str = ""
    static: bool = False
    exported: bool = False
    default_export: bool = False
    receiver: str = ""  # Go: the receiver's type as written
    trait: str = ""  # Rust: the trait an `impl` block gives
    arity_min: int = -1  # -1: not a callable, or not known
    arity_max: int = -1  # -1: unbounded or not known

    @property
    def parent(self) -> str:
        """The enclosing definition's name, empty at file level."""
        return self.scope[-1] if self.scope else ""


class EdgeType(StrEnum):
    """What kind of relation an edge states."""

    CALLS = "calls"
    IMPORTS = "imports"
    EXTENDS = "extends"
    IMPLEMENTS = "implements"
    MIXES_IN = "mixes_in"
    TYPE_REFS = "type_refs"
    DECLARES = "declares"
    DOCUMENTS = "documents"


class Receiver(StrEnum):
    """What a reference hangs on, as written."""

    NONE = "none"
    SELF = "self"
    SUPER = "super"
    NAME = "name"
    EXPRESSION = "expression"


class BindingKind(StrEnum):
    """What a name is bound to, or what is said of a symbol."""

    IMPORT = "import"  # `target` a module, `member` what of it
    EXPORT = "export"  # the same, and others can import it from here
    VALUE = "value"  # of a variable; `target` an access path
    FIELD = "field"  # of a member variable of the type that `scope` is or belongs to
    ALIAS = "alias"  # of a type
    BOUND = "bound"  # a type parameter and what it must be
    RETURNS = "returns"  # of the symbol `scope`
    BASE = "base"  # a supertype of the symbol `scope`; `name` says how
    DECLARATION = "declaration"  # of a function that is defined elsewhere
    PACKAGE = "package"  # the namespace the file lives in


class Reference(NamedTuple):
    """One mention of something that may be defined elsewhere, unresolved.

    Attributes:
        type: of the edge it is.
        path: what is meant, see `codequarry.assets.references.paths`; of an import the module.
        written: its names as a reader would write them.
        name: the last name; of an import what it takes; of a base how it is used.
        receiver: what it hangs on.
        scope: position of the innermost symbol around it in the file's symbols, -1 for none.
        arity: arguments of a call, -1 where that has no meaning.
        line: 1-based.
        byte: offset in the file's UTF-8 text.
    """

    type: EdgeType
    path: str
    written: str
    name: str
    receiver: Receiver
    scope: int
    arity: int
    line: int
    byte: int


class Binding(NamedTuple):
    """What a name of a file or of a type stands for, or what is declared of a symbol."""

    scope: int  # position of the symbol it belongs to, -1: the file
    name: str
    kind: BindingKind
    target: str
    member: str
    line: int


@dataclass(frozen=True, slots=True)
class FileFacts:
    """All that one parse of one blob yields; a function of its bytes and language only."""

    language: str
    encoding: str
    line_count: int
    state: ParseState
    chunks: tuple[Chunk, ...]
    symbols: tuple[Symbol, ...] = ()
    references: tuple[Reference, ...] = ()
    bindings: tuple[Binding, ...] = ()
    skeleton: str = ""  # empty: nothing to say about the file
    reason: str = ""  # why the state is not OK
