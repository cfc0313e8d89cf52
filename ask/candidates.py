"""The numbered spans that an answer may cite, each read from disk."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from codequarry.ask.disk import DiskFile, State, find_lines, read_file
from codequarry.errors import QuarryError
from codequarry.retrieval.answer import Answer, Evidence
from codequarry.retrieval.generation import Generation
from codequarry.store.fragments import read_facts

if TYPE_CHECKING:
    from codequarry.ask.flow import Flow


@dataclass(frozen=True, slots=True)
class Outline:
    """A definition that shares lines with a candidate."""

    start_line: int
    end_line: int
    name: str  # qualified
    signature: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A span that may be cited by its number.

    Attributes:
        number: from 1, in the order of the answer: CORE chunks by line, then RELATED spans.
        path: as shown.
        start_line: first line on disk.
        end_line: last line on disk.
        blob: SHA-256 of the file as it was indexed.
        language: for the block's tag.
        symbol: what the chunk defines; may be empty.
        file: it is of, as it was read.
        state: whether these are the lines that were indexed.
        core: of a CORE file.
        outline: definitions around and inside it, in line order; by the indexed lines.
    """

    number: int
    path: str
    start_line: int
    end_line: int
    blob: str
    language: str
    symbol: str
    file: DiskFile
    state: State
    core: bool
    outline: tuple[Outline, ...]

    @property
    def text(self) -> str:
        """Its lines from disk, with their ends."""
        return "".join(self.file.lines[self.start_line - 1 : self.end_line])

    @property
    def masked(self) -> str:
        """The same lines as they may leave this machine."""
        return "".join(self.file.masked[self.start_line - 1 : self.end_line])


@dataclass(frozen=True, slots=True)
class Candidates:
    """What may be cited, in the order of its numbers.

    Attributes:
        spans: number k is the k-th.
        unread: why files could not be read any more.
        evidence: how sure the search is.
        flow: the definitions that answer the question, in the order they run.
        earlier: the prose of kept answers to questions near this one; no part may be cited.
    """

    spans: tuple[Candidate, ...]
    unread: tuple[str, ...] = ()
    evidence: Evidence = Evidence.STRONG
    flow: Flow | None = None
    earlier: tuple[str, ...] = ()

    def get(self, number: int) -> Candidate | None:
        """The candidate of a number, if there is one."""
        return self.spans[number - 1] if 1 <= number <= len(self.spans) else None


def find_candidates(
    generation: Generation, answer: Answer, more: Iterable[tuple[str, int, int]] = ()
) -> Candidates:
    """Number the spans of an answer, and further chunks after them, and read them from disk.

    Args:
        generation: that was searched.
        answer: what was found.
        more: (path, first line, last line) of chunks; those of the answer are left out.
    """
    spans: list[Candidate] = []
    unread: dict[str, None] = {}
    files: dict[str, DiskFile] = {}
    seen: set[tuple[str, int, int]] = set()
    for path, start, end, core in (*_spans(answer), *((*place, False) for place in more)):
        if (path, start, end) in seen:
            continue
        seen.add((path, start, end))
        try:
            if path not in files:
                files[path] = read_file(generation, path)
            spans.append(
                _candidate(generation, len(spans) + 1, (path, start, end), core, files[path])
            )
        except QuarryError as error:
            unread[error.message] = None
    return Candidates(tuple(spans), tuple(unread), answer.evidence)


def read_candidate(generation: Generation, number: int, place: tuple[str, int, int]) -> Candidate:
    """A further span, read from disk.

    Args:
        generation: where its file is indexed.
        number: to cite it by.
        place: path, first line, last line.

    Raises:
        FileNotIndexed: the file is not indexed, or cannot be read any more.
    """
    return _candidate(generation, number, place, False, read_file(generation, place[0]))


def _spans(answer: Answer) -> Iterator[tuple[str, int, int, bool]]:
    for file in answer.core:
        for hit in sorted(file.chunks, key=lambda hit: hit.start_line):
            yield file.path, hit.start_line, hit.end_line, True
    for related in answer.related:
        yield related.path, *related.best_span, False


def _candidate(
    generation: Generation, number: int, place: tuple[str, int, int], core: bool, file: DiskFile
) -> Candidate:
    path, start, end = place
    record = generation.files.slice(generation.rows_by_path[path], 1).to_pylist()[0]
    outline = _outline(generation, record, start, end)
    state, length = State.INDEXED, end - start + 1
    if file.changed:
        moved = _moved(generation, record, start, end, file.lines)
        state = State.CHANGED if moved is None else State.MOVED
        first = min(start, len(file.lines)) if moved is None else moved
        start, end = first, min(first + length - 1, len(file.lines))
    return Candidate(
        number,
        path,
        start,
        end,
        record["blob"],
        record["language"],
        _symbol(generation, record, start, end) if state is State.INDEXED else "",
        file,
        state,
        core,
        outline,
    )


def _symbol(generation: Generation, record: dict[str, int], start: int, end: int) -> str:
    """What the chunk at these lines defines."""
    first, count = record["first_chunk"], record["n_chunks"]
    starts = generation.start_lines[first : first + count]
    chunk = first + int(np.searchsorted(starts, start, side="right")) - 1
    names = generation.chunks["names"][chunk].as_py() or [generation.chunks["name"][chunk].as_py()]
    return ", ".join(name for name in names[:3] if name) + ("…" if len(names) > 3 else "")


def _outline(
    generation: Generation, record: dict[str, int], start: int, end: int
) -> tuple[Outline, ...]:
    columns = ["start_line", "end_line", "qualified", "signature"]
    own = generation.symbols.select(columns).slice(record["first_symbol"], record["n_symbols"])
    near = pc.and_(pc.less_equal(own["start_line"], end), pc.greater_equal(own["end_line"], start))
    rows = own.filter(near).sort_by("start_line").to_pylist()
    return tuple(
        Outline(r["start_line"], r["end_line"], r["qualified"], r["signature"] or "") for r in rows
    )


def _moved(
    generation: Generation, record: dict[str, str], start: int, end: int, lines: list[str]
) -> int | None:
    """Where the indexed chunk stands in a file that changed; None if it does no more."""
    blob = record["blob"]
    facts = read_facts(generation.layout, "chunks", [blob[0]])
    same = pc.and_(
        pc.and_(pc.equal(facts["blob"], blob), pc.equal(facts["language"], record["language"])),
        pc.and_(pc.equal(facts["start_line"], start), pc.equal(facts["end_line"], end)),
    )
    wanted = set(facts.filter(same)["text_hash"].to_pylist())

    def matches(text: list[str]) -> bool:
        return hashlib.sha256("".join(text).encode("utf-8", "surrogatepass")).hexdigest() in wanted

    return find_lines(lines, end - start + 1, matches, start) if wanted else None
