"""What one way of reading a file gave, before it is put together as the file's facts."""

from __future__ import annotations

from dataclasses import dataclass

from codequarry.assets.chunks.measure import Measure
from codequarry.assets.chunks.strategy import Cut
from codequarry.assets.chunks.windows import window_chunks
from codequarry.vocabulary import Binding, ParseState, Reference, Symbol

MAX_PARSE_BYTES = 8 * 1024 * 1024  # a parser's time cannot be bounded from here, its input can


@dataclass(frozen=True, slots=True)
class Reading:
    """The cut and the facts of a file, and how well reading it went."""

    cut: Cut
    symbols: tuple[Symbol, ...] = ()
    references: tuple[Reference, ...] = ()
    bindings: tuple[Binding, ...] = ()
    state: ParseState = ParseState.OK
    reason: str = ""


def in_windows(measure: Measure, reason: str) -> Reading:
    """A file whose syntax could not be had: line windows, and why."""
    return Reading(Cut(window_chunks(measure)), state=ParseState.FALLBACK, reason=reason)
