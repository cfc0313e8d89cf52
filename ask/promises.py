"""Members that only say what others do: of interfaces, or of bases that do nothing themselves."""

from __future__ import annotations

import re

from codequarry.ask.step import Step
from codequarry.retrieval.generation import Generation
from codequarry.vocabulary import Kind

_PROMISES = frozenset((Kind.INTERFACE, Kind.TRAIT))
_MEMBERS = 200  # symbols before one that are looked through for the type around it
_LONG = 40  # lines; what is longer does something
_REFUSES = re.compile(
    r"NotImplemented|[Nn]ot implemented|UnsupportedOperation|@abstractmethod|\babstract\b"
)


def is_promise(generation: Generation, step: Step) -> bool:
    """Whether a member only says what another does."""
    if step.row < 0 or step.is_type or step.end_line - step.start_line >= _LONG:
        return False
    return bool(_REFUSES.search(step.body)) or is_declared(generation, step.row)


def is_declared(generation: Generation, row: int) -> bool:
    """Whether a symbol stands in an interface."""
    symbols = generation.symbols
    file, end = symbols["file"][row].as_py(), symbols["end_byte"][row].as_py()
    for outer in range(row - 1, max(-1, row - _MEMBERS), -1):
        if symbols["file"][outer].as_py() != file:
            return False
        if symbols["end_byte"][outer].as_py() >= end:
            return symbols["kind"][outer].as_py() in _PROMISES
    return False
