"""How well trees are cut: per language, what share of the lines lies in pieces cut by syntax.

Files are read in this process, one by one, and timed by its processor clock: figures of one
core, without what an index run spends on listing and storing.
"""

from __future__ import annotations

import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from codequarry.assets.census.census import read_blob, take_census
from codequarry.assets.chunks.partition import validate_partition
from codequarry.assets.facts.extract import extract_facts
from codequarry.assets.languages.detect import detect_language
from codequarry.eval.errors import CorpusError
from codequarry.eval.mirror import resolve_tree
from codequarry.gitobjects import list_tree, read_blobs
from codequarry.settings import Settings
from codequarry.text import UndecodableError
from codequarry.vocabulary import FileFacts, Kind, ParseState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_HEAD = 4096  # bytes a language is told from


@dataclass(frozen=True, slots=True)
class Source:
    """One file to cut."""

    path: str
    language: str
    data: bytes


@dataclass(slots=True)
class Tally:
    """What was seen of one language."""

    files: int = 0
    size: int = 0  # bytes
    lines: int = 0
    filled: int = 0  # lines with a visible character
    by_syntax: int = 0  # of these, in a piece that is no window
    chunks: int = 0
    symbols: int = 0
    seconds: float = 0.0
    states: Counter[ParseState] = field(default_factory=Counter)

    @property
    def share(self) -> float:
        """The part of the filled lines that is cut by syntax."""
        return self.by_syntax / self.filled if self.filled else 0.0

    @property
    def speed(self) -> float:
        """Megabytes a second."""
        return self.size / 1e6 / self.seconds if self.seconds else 0.0


@dataclass(slots=True)
class Survey:
    """What was seen of all files."""

    languages: dict[str, Tally] = field(default_factory=dict)
    fallbacks: list[str] = field(default_factory=list)  # "path: reason"
    violations: list[str] = field(default_factory=list)  # "path: what is wrong"
    undecodable: int = 0


def survey(sources: Iterable[Source], clock: Callable[[], float] = time.process_time) -> Survey:
    """Cut every file and tally it under its language."""
    seen = Survey()
    for source in sources:
        started = clock()
        try:
            facts = extract_facts(source.data, source.language)
        except UndecodableError:
            seen.undecodable += 1
            continue
        tally = seen.languages.setdefault(source.language, Tally())
        tally.seconds += clock() - started
        _count(tally, source, facts)
        problems = validate_partition(facts.chunks, facts.line_count)
        seen.violations += [f"{source.path}: {problem}" for problem in problems]
        if facts.state is ParseState.FALLBACK:
            seen.fallbacks.append(f"{source.path}: {facts.reason}")
    return seen


def _count(tally: Tally, source: Source, facts: FileFacts) -> None:
    filled = [bool(line.strip()) for line in source.data.split(b"\n")]
    tally.files += 1
    tally.size += len(source.data)
    tally.lines += facts.line_count
    tally.filled += sum(filled)
    tally.by_syntax += sum(
        sum(filled[chunk.start_line - 1 : chunk.end_line])
        for chunk in facts.chunks
        if chunk.kind is not Kind.WINDOW
    )
    tally.chunks += len(facts.chunks)
    tally.symbols += len(facts.symbols)
    tally.states[facts.state] += 1


def sources_of(place: Path) -> Iterator[Source]:
    """The files of a tree as an index run would take them, or of a bare repository's ``HEAD``."""
    if (place / "HEAD").is_file() and (place / "objects").is_dir():
        yield from _of_mirror(place)
        return
    for entry in take_census(place, Settings()).indexed:
        yield Source(entry.path, entry.language, read_blob(place, entry.path))


def _of_mirror(place: Path) -> Iterator[Source]:
    told = subprocess.run(
        ["git", "-C", str(place), "rev-parse", "HEAD"], capture_output=True, check=False
    )
    if told.returncode:
        raise CorpusError(f"{place} has no commit", "refresh the local mirror")
    tree = resolve_tree(place, told.stdout.decode("ascii").strip())
    entries = [entry for entry in list_tree(place, tree) if entry.is_file]
    for entry, data in zip(entries, read_blobs(place, [e.oid for e in entries]), strict=True):
        if data:
            yield Source(entry.path, detect_language(entry.path, data[:_HEAD]), data)


def to_text(seen: Survey) -> str:
    """The survey as a table, the language with most lines first, and what went wrong."""
    rows: list[tuple[str, ...]] = [_HEADINGS]
    rows += [
        _row(name, tally)
        for name, tally in sorted(seen.languages.items(), key=lambda item: -item[1].lines)
    ]
    widths = [max(len(row[at]) for row in rows) for at in range(len(_HEADINGS))]
    lines = [
        "  ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines.append(
        f"{len(seen.violations)} partition violations, {len(seen.fallbacks)} fallbacks,"
        f" {seen.undecodable} not text"
    )
    return "\n".join((*lines, *seen.violations, *seen.fallbacks))


_HEADINGS = (
    "language", "files", "lines", "ok", "partial", "fallback", "plain", "by syntax", "chunks",
    "symbols", "MB/s",
)  # fmt: skip


def _row(name: str, tally: Tally) -> tuple[str, ...]:
    states = (ParseState.OK, ParseState.PARTIAL, ParseState.FALLBACK, ParseState.PLAIN)
    return (
        name,
        str(tally.files),
        str(tally.lines),
        *(str(tally.states[state]) for state in states),
        f"{100 * tally.share:.2f} %",
        str(tally.chunks),
        str(tally.symbols),
        f"{tally.speed:.2f}",
    )
