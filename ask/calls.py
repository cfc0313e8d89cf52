"""Which of some definitions call which: as edges know it, else as the text and the names tell."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from codequarry.ask.promises import is_promise
from codequarry.ask.receivers import called_on, is_of_type, type_of
from codequarry.ask.siblings import told_with
from codequarry.ask.step import Step, is_beside
from codequarry.identifiers import tokens
from codequarry.retrieval.edges import EDGE_LANGUAGES
from codequarry.retrieval.generation import Generation

LEAST_NAME = 3  # characters of a name that is taken to be called by it alone
RARE = 3  # definitions of that name outside tests, at most
_CALLED = re.compile(r"(?<!def )(?<!defp )(?<!func )\b([A-Za-z_]\w*[?!]?)\s*\(")
_CALLED_ON = re.compile(r"(?:\.|->|::)\s*([A-Za-z_]\w*[?!]?)\s*\(")


class Calls:
    """Calls between the definitions that could be told, by their places in the pool.

    Attributes:
        out: by place, what it calls.
        into: by place, what calls it.
        unsure: those, (caller, callee), that are told by a name alone.
        promised: those of what does a thing where the call is of what promises it.
    """

    def __init__(self, generation: Generation, pool: Sequence[Step]) -> None:
        self._generation = generation
        self._pool = pool
        self._ends = _row_ends(generation, pool)
        self._rows = {step.row: place for place, step in enumerate(pool) if step.row >= 0}
        self._out = (generation.link_array("out"), generation.link_array("out_pointers"))
        self._named = _by_name(pool)
        self._methods = _methods(pool)
        self._rare = _rare_names(generation, {name for _, name in self._named})
        known = {place: self._known(place) for place in range(len(pool))}
        self.promised: set[tuple[int, int]] = set()
        known = {place: self._with_doers(place, called) for place, called in known.items()}
        named = {place: self._named_in(place, known) for place in known}
        self.unsure = {(place, other) for place, more in named.items() for other in more}
        self.out = [[*known[place], *named[place]] for place in known]
        self.into: list[list[int]] = [[] for _ in pool]
        for place, called in enumerate(self.out):
            for other in called:
                self.into[other].append(place)

    def _known(self, place: int) -> list[int]:
        """What a definition is known to call, in the order of its lines, each once."""
        step = self._pool[place]
        if step.row < 0 or step.is_type:
            return []
        links, (out, pointers) = self._generation.links, self._out
        rows = np.sort(out[pointers[step.row] : pointers[self._ends[place]]])
        targets = links["target_symbol"].take(rows)
        calls = np.asarray(pc.equal(links["type"].take(rows), "calls"))
        found = (self._holder(t) for t in np.asarray(targets)[calls].tolist() if t >= 0)
        return [other for other in dict.fromkeys(found) if other not in (-1, place)]

    def _with_doers(self, place: int, called: Sequence[int]) -> list[int]:
        """Calls, and after one of what is only promised what does it."""
        found: dict[int, None] = {}
        for other in called:
            found[other] = None
            doer = self._doer(other) if is_promise(self._generation, self._pool[other]) else -1
            if doer not in (-1, place, *called):
                found[doer] = None
                self.promised.add((place, doer))
        return list(found)

    def _doer(self, place: int) -> int:
        """What does what a member promises: the most telling of its name in a type named alike."""
        promise = self._pool[place]
        said = set(tokens(type_of(promise.name)))
        fits = (
            other
            for other in self._methods.get((_suffix(promise), bare(promise.name)), ())
            if said & set(tokens(type_of(self._pool[other].name)))
            and not is_promise(self._generation, self._pool[other])
        )
        return next(fits, -1)

    def _holder(self, row: int) -> int:
        """The definition of the pool that a symbol is or lies in, −1 without one."""
        if row in self._rows:
            return self._rows[row]
        around = [
            place
            for place, step in enumerate(self._pool)
            if not step.is_type and 0 <= step.row < row < self._ends[place]
        ]
        return max(around, key=lambda place: self._pool[place].row, default=-1)

    def _named_in(self, place: int, known: dict[int, list[int]]) -> list[int]:
        """Definitions whose names a text calls on something, or at all without edges."""
        step = self._pool[place]
        if step.row < 0 or step.is_type or step.is_section:
            return []
        anything = self.is_by_name(place)
        called = (_CALLED if anything else _CALLED_ON).findall(step.body)
        told = {bare(self._pool[other].name) for other in known[place]}
        names = [n for n in called if n not in told and (anything or n in self._rare)]
        found = dict.fromkeys(self._named.get((_suffix(step), name), place) for name in names)
        if not anything:
            found |= dict.fromkeys(self._by_receiver(step, told))
        own = [
            other
            for other in found
            # one that leads here is not called from here, but has the name of what is
            if not self._is_of(other, place) and place not in below(known, other)
        ]
        return own or self._overload(place, known)

    def _overload(self, place: int, known: dict[int, list[int]]) -> list[int]:
        """The longer form of a definition, of its name beside it, that its text hands on to."""
        step = self._pool[place]
        name, length = bare(step.name), step.end_line - step.start_line
        if _CALLED.findall(step.body).count(name) < 2:
            return []
        forms = [
            other
            for other, form in enumerate(self._pool)
            if form.name == step.name and form.path == step.path and not form.is_type
            and form.end_line - form.start_line > length and place not in below(known, other)
        ]  # fmt: skip
        return sorted(forms, key=lambda o: self._pool[o].start_line - self._pool[o].end_line)[:1]

    def _by_receiver(self, step: Step, told: set[str]) -> list[int]:
        """Methods called on what is named as their type, the most telling of each name.

        ``resolver.resolve(`` is of a ``URLResolver``.
        """
        found: dict[str, int] = {}
        for receiver, name in called_on(step.body):
            if name in told or name in found:
                continue
            fits = (
                other
                for other in self._methods.get((_suffix(step), name), ())
                if is_of_type(receiver, self._pool[other].name)
            )
            first = next(fits, None)
            if first is not None:
                found[name] = first
        return list(found.values())

    def plainness(self, place: int) -> tuple[bool, int]:
        """The less, the more a definition is one to begin with by its form and name."""
        step = self._pool[place]
        exported = step.row >= 0 and bool(self._generation.symbols["exported"][step.row].as_py())
        return (not exported or bare(step.name).startswith("_"), len(tokens(bare(step.name))))

    def is_by_name(self, place: int) -> bool:
        """Whether a definition is in a language without edges."""
        return _without_edges(self._generation, self._pool[place])

    def _is_of(self, place: int, other: int) -> bool:
        """Whether a call of that name more likely is one to itself or its like."""
        return place == other or told_with(self._pool[other], [self._pool[place]]) != []

    def from_outside(self, place: int, told: Sequence[int]) -> list[tuple[str, str]]:
        """Code outside tests that calls a step and is none, (qualified name, path), best first."""
        step, generation, links = self._pool[place], self._generation, self._generation.links
        if step.row < 0:
            return []
        into, pointers = generation.link_array("in"), generation.link_array("in_pointers")
        rows = into[pointers[step.row] : pointers[step.row + 1]]
        calls = links.take(rows[:500]).select(["type", "file", "symbol"]).to_pylist()
        weights = {s.row: s.weight for s in self._pool}
        holding = [(self._pool[n].row, self._ends[n]) for n in told if self._pool[n].row >= 0]
        found: dict[int, float] = {}
        for call in calls:
            row = call["symbol"]
            inside = any(first <= row < end for first, end in holding)
            if call["type"] == "calls" and row >= 0 and not inside:
                path = generation.paths[call["file"]]
                if not generation.is_test[call["file"]] and not is_beside(path):
                    found[row] = weights.get(row, 0.0)
        best = sorted(found, key=lambda row: (-found[row], row))
        symbols = generation.symbols
        return [
            (symbols["qualified"][r].as_py(), generation.paths[symbols["file"][r].as_py()])
            for r in best
        ]


def _by_name(pool: Sequence[Step]) -> dict[tuple[str, str], int]:
    """The most telling function of each language and name; not of names too short to tell."""
    found: dict[tuple[str, str], int] = {}
    for place, step in enumerate(pool):
        name = bare(step.name)
        callable_ = step.row >= 0 and not step.is_type and not step.is_section
        if callable_ and len(name) >= LEAST_NAME:
            found.setdefault((_suffix(step), name), place)
    return found


def _methods(pool: Sequence[Step]) -> dict[tuple[str, str], list[int]]:
    """The members of types of each language and name, the most telling first."""
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, step in enumerate(pool):
        if step.row >= 0 and not step.is_type and type_of(step.name):
            found[_suffix(step), bare(step.name)].append(place)
    return found


def _rare_names(generation: Generation, names: set[str]) -> set[str]:
    """Those of some names that few definitions outside tests have: a call by them tells which."""
    symbols = generation.symbols
    wanted = pa.array(sorted(names), pa.string())
    rows = np.flatnonzero(np.asarray(pc.is_in(symbols["name"], wanted)))
    found = symbols.select(["name", "file"]).take(rows).to_pylist()
    beside = {file: is_beside(generation.paths[file]) for file in {f["file"] for f in found}}
    counts = Counter(
        f["name"] for f in found if not beside[f["file"]] and not generation.is_test[f["file"]]
    )
    return {name for name in names if counts[name] <= RARE}


def bare(name: str) -> str:
    """A qualified name without its scopes."""
    return re.split(r"[^\w?!]+", name)[-1]


def below(ties: Mapping[int, list[int]], place: int) -> set[int]:
    """A step and all that it leads to."""
    seen: set[int] = set()
    stack = [place]
    while stack:
        at = stack.pop()
        if at not in seen:
            seen.add(at)
            stack += ties[at]
    return seen


def _row_ends(generation: Generation, pool: Sequence[Step]) -> list[int]:
    """For each step, the row after the last symbol that it holds."""
    files = np.asarray(generation.symbols["file"])
    starts, ends = (np.asarray(generation.symbols[n]) for n in ("start_byte", "end_byte"))
    found = []
    for step in pool:
        last = step.row + 1
        if step.row >= 0:
            file, end = files[step.row], ends[step.row]
            while last < len(files) and files[last] == file and starts[last] < end:
                last += 1
        found.append(last)
    return found


def _without_edges(generation: Generation, step: Step) -> bool:
    file = generation.rows_by_path[step.path]
    return generation.files["language"][file].as_py() not in EDGE_LANGUAGES


def _suffix(step: Step) -> str:
    return step.path.rpartition(".")[2]
