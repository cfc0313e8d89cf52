"""The spans that all agents cite from: those of the search, and what their tools find besides."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock

from codequarry.ask.candidates import Candidate, Candidates, read_candidate
from codequarry.retrieval.generation import Generation

MOST_FOUND = 60  # spans that tools may add: numbers stay readable, and the footer short


class SharedCandidates:
    """Grows while agents look further; a span has one number, whoever finds it. Thread-safe."""

    def __init__(self, generation: Generation, candidates: Candidates) -> None:
        self._generation = generation
        self._first = candidates
        self._spans = list(candidates.spans)
        self._by_place = {(c.path, c.start_line, c.end_line): c for c in candidates.spans}
        self._lock = Lock()

    @property
    def generation(self) -> Generation:
        """Whose spans they are."""
        return self._generation

    def get(self, number: int) -> Candidate | None:
        """The span of a number, if there is one."""
        with self._lock:
            return self._spans[number - 1] if 1 <= number <= len(self._spans) else None

    def add(self, path: str, start: int, end: int) -> Candidate | None:
        """The span at these lines of an indexed file, new or known; None where no more fit.

        Raises:
            QuarryError: the file cannot be read.
        """
        place = (path, start, end)
        with self._lock:
            known = self._by_place.get(place)
            if known is not None:
                return known
            if len(self._spans) - len(self._first.spans) >= MOST_FOUND:
                return None
            made = read_candidate(self._generation, len(self._spans) + 1, place)
            self._spans.append(made)
            self._by_place[place] = made
            return made

    def all(self) -> Candidates:
        """What may be cited now."""
        with self._lock:
            return replace(self._first, spans=tuple(self._spans))
