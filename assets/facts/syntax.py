"""One parse of one language's bytes: what stands in it, and where it can be cut.

A whole file is read so, and so is each piece of code inside a file of another language.
"""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from codequarry.assets.chunks.cast import cut
from codequarry.assets.chunks.measure import Measure
from codequarry.assets.chunks.php_legacy import cut_legacy, is_legacy, section_symbols
from codequarry.assets.languages.blanking import blanked
from codequarry.assets.languages.grammars import Grammar
from codequarry.assets.references.extract import references_of
from codequarry.assets.symbols.definitions import Definition, find, nesting
from codequarry.assets.symbols.extract import symbols_of
from codequarry.assets.symbols.scopes import resolve
from codequarry.vocabulary import Binding, Chunk, Reference, Symbol

MAX_NESTING = 100  # each definition names all around it: a file's facts grow as its square


class NestingError(Exception):
    """Definitions lie too deep in one another."""

    def __init__(self) -> None:
        super().__init__(f"definitions nested more than {MAX_NESTING} deep")


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one parse found."""

    grammar: Grammar
    root: Node
    definitions: list[Definition]
    symbols: tuple[Symbol, ...]
    references: tuple[Reference, ...]
    bindings: tuple[Binding, ...]
    legacy: bool = False  # a PHP page: functions, flow and HTML in one file
    trouble: str = ""  # why there are no references

    @property
    def has_error(self) -> bool:
        """Whether some of it is no code of its language."""
        return self.root.has_error

    def chunks(self, measure: Measure) -> list[Chunk]:
        """The parsed bytes, which `measure` holds, cut along their syntax."""
        grammar = self.grammar
        if self.legacy:
            return cut_legacy(self.root, measure, self.definitions, grammar)
        return cut(self.root, measure, self.definitions, grammar.spec, grammar.beside)


def parse(source: bytes, grammar: Grammar) -> Parsed:
    """Parse code and find its definitions and references.

    Raises:
        NestingError: its definitions lie too deep in one another.
    """
    root = grammar.parser.parse(blanked(source, grammar.spec)).root_node
    found = find(root, source, grammar)
    if nesting(found) > MAX_NESTING:
        raise NestingError
    definitions = resolve(found, source, grammar)
    symbols = symbols_of(definitions, found, source, grammar)
    named = [d for d in definitions if d.rule.emits and d.name]  # as `symbols_of` has them
    trouble = ""
    references: tuple[Reference, ...] = ()
    bindings: tuple[Binding, ...] = ()
    try:
        references, bindings = references_of(root, source, grammar, named)
    except Exception as error:  # a border: what a file refers to must not cost its chunks
        trouble = f"references: {type(error).__name__}: {error}"
    legacy = is_legacy(root, definitions, grammar)
    if legacy:  # behind the others: references count in definitions
        symbols += section_symbols(root, Measure(source))
    return Parsed(grammar, root, definitions, symbols, references, bindings, legacy, trouble)
