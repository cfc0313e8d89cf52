"""What the families of languages differ in when names are followed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from codequarry.assets.edges.program import Bound, Sym
from codequarry.assets.edges.values import (
    FUNCTION_KINDS,
    SPACE_KINDS,
    TYPE_KINDS,
    Def,
    Found,
    Module,
    Value,
)
from codequarry.vocabulary import Kind

if TYPE_CHECKING:
    from codequarry.assets.edges.linker import Linker


class Family:
    """The rules most languages share; a family overrides what it has otherwise."""

    name: ClassVar[str]
    languages: ClassVar[tuple[str, ...]]
    implicit_members: ClassVar[bool] = False  # members are used without `this`
    calls_build: ClassVar[bool] = False  # calling a type builds an instance
    open_types: ClassVar[bool] = True  # members may stand outside their type
    static_strict: ClassVar[bool] = False  # type and instance members never stand for each other
    static_self: ClassVar[bool] = True  # `this` in a static member is the type
    class_level_self: ClassVar[bool] = False  # and so it is in the type's body
    pointers: ClassVar[bool] = False  # `x[0]` of a pointer to a type is an instance of it
    type_kinds: ClassVar[frozenset[Kind]] = TYPE_KINDS
    space_kinds: ClassVar[frozenset[Kind]] = SPACE_KINDS
    foreign_types: ClassVar[frozenset[str]] = frozenset()  # core types that files only reopen
    private_variables: ClassVar[bool] = False  # functions do not see the file's variables
    self_returns: ClassVar[bool] = True  # a method that returns its own type, the receiver's
    converts: ClassVar[bool] = False  # calling a type converts a value, nothing runs
    indexed_functions: ClassVar[bool] = False  # `name[T]` is a generic function, not an element
    called_elements: ClassVar[bool] = False  # the element of a container is read as a call of it
    overloads: ClassVar[bool] = False  # a type adds to the overloads it inherits
    super_means_method: ClassVar[bool] = False  # a call of `super` calls the method overridden

    def prepare(self, linker: Linker) -> None:
        """Index what the family's files declare, before anything is asked."""

    def extend(self, linker: Linker) -> None:
        """Attach members that name their type in another way than by their scope."""

    def module(self, linker: Linker, file: int, specifier: str) -> Value | None:
        """What a module specifier means in a file."""
        return None

    def imported(self, linker: Linker, file: int, scope: int, bound: Bound) -> Value | None:
        """What an import binds its name to."""
        module = self.module(linker, file, bound.target)
        if module is None or not bound.member:
            return module
        found = linker.exported(module, bound.member)
        return found.value if found is not None else None

    def import_targets(
        self, linker: Linker, file: int, specifier: str, member: str
    ) -> Sequence[int]:
        """The files that an import statement takes something from."""
        module = self.module(linker, file, specifier)
        return [module.file] if isinstance(module, Module) else []

    def exported(self, linker: Linker, file: int, name: str) -> Found | None:
        """What a file gives to others under a name."""
        return linker.file_level(file, name)

    def space_member(self, linker: Linker, space: str, name: str) -> Found | None:
        """What a namespace of the family gives under a name."""
        return None

    def beside(self, linker: Linker, file: int, space: Def, name: str) -> Found | None:
        """A name of a namespace around, by what other files add to it (C++)."""
        return None

    def outer(self, linker: Linker, file: int, scope: int, name: str) -> Found | None:
        """What a name means that the file itself does not define or import."""
        return None

    def stops(self, name: str) -> bool:
        """Whether a name is sought in the innermost type alone, not in those around it."""
        return False

    def closes(self, symbol: Sym) -> bool:
        """Whether names from outside a definition are unknown inside it (Rust's modules)."""
        return False

    def place(self, linker: Linker, file: int, scope: int, word: str) -> Value | None:
        """The module that ``@here``, ``@up``, ``@root`` or ``@global`` means."""
        return None

    def side(
        self, linker: Linker, type_: Def, found: list[Def], static: bool, own: bool
    ) -> list[Def]:
        """Those of a type's members that can be seen from its static or its instance side."""
        if not found:
            return found
        fitting = [d for d in found if _on_side(linker.symbol(d), static)]
        return fitting if fitting or self.static_strict else found

    def line(self, linker: Linker, type_: Def, static: bool) -> list[Def]:
        """A type and its ancestors, nearest first."""
        order, stack = [type_], [base for _, base in reversed(linker.members.supertypes(type_))]
        while stack:
            at = stack.pop()
            if at in order:
                continue
            order.append(at)
            stack.extend(base for _, base in reversed(linker.members.supertypes(at)))
        return order

    def extra_bases(self, type_: Def) -> list[tuple[str, Def]]:
        """Supertypes that are not written at the type (Rust's implemented traits)."""
        return []


def _on_side(symbol: Sym, static: bool) -> bool:
    """Nested types are seen from both sides of their type."""
    return symbol.static == static or symbol.kind not in FUNCTION_KINDS
