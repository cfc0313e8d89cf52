"""The flows of an index: given again, kept, and dropped when what they cite has moved on."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from codequarry.ask.answer import AskAnswer
from codequarry.ask.events import Bundle, Cached, Done, Event, Splice, SynthesisDelta
from codequarry.ask.flows.match import Match, key_of, match, prose_of, same_questions, vectors_of
from codequarry.ask.flows.store import Flow, FlowStore
from codequarry.ask.narrators.protocol import Narrator
from codequarry.errors import QuarryError
from codequarry.retrieval.answer import Answer, RelatedFile
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.index import Index, Options
from codequarry.retrieval.reading import get_code
from codequarry.settings import Settings

VARIABLE = "QUARRY_FLOWS"
MOST_FILES = 3  # of kept answers that join RELATED


@dataclass(frozen=True, slots=True)
class Told:
    """A kept answer that is given again."""

    flow: Flow
    similarity: float

    def events(self, question: str, started: float) -> Iterator[Event]:
        """What was told, as it was told, and the end."""
        yield Cached(self.flow.question, round(self.similarity, 4))
        for part in self.flow.parts:
            yield _event(part)
        document = self.flow.answer
        elapsed = (time.perf_counter() - started) * 1000
        yield Done(AskAnswer.of(document | {"question": question, "cached": True}, elapsed))


class FlowBook:
    """The flows of one open index, for one way of asking."""

    def __init__(self, index: Index, kind: str) -> None:
        """Open the book of an index.

        Args:
            index: that is asked.
            kind: what else decides an answer; see `kind_of`.
        """
        self._index = index
        self._kind = kind
        self.store = FlowStore.of(index.generation.layout)

    def find(self, question: str) -> Match:
        """What is kept that fits a question."""
        return match(self._index, self.store.all(self._kind), question, self._kind)

    def told(self, found: Match) -> Told | None:
        """The first kept answer all of whose files are on disk as they were."""
        for flow, similarity in zip(found.serve, found.similarity, strict=True):
            if holds(self._index.generation, flow):
                self.store.count_use(flow)
                return Told(flow, similarity)
        return None

    def keep(self, question: str, answer: AskAnswer, events: Iterable[Event]) -> bool:
        """Keep an answer, in place of one to the same question; whether it could be kept.

        Only what the prose itself cites is an answer, and only lines of indexed files can be
        looked at again.
        """
        files = {span.path: span.blob for span in answer.spans}
        if not answer.grounded or not files or not all(files.values()):
            return False
        asked, told = vectors_of(self._index, question, prose_of(answer.answer))
        flow = Flow(
            0,
            key_of(question, self._kind),
            question,
            self._kind,
            [_part(event) for event in events if isinstance(event, _PARTS)],
            answer.as_json(),
            files,
            self._index.model.identity.key if self._index.model else "",
            asked,
            told,
            time.time(),
        )
        self.store.put(flow, same_questions(self.store.all(self._kind), flow))
        return True


def kind_of(narrator: Narrator, options: Options) -> str:
    """What besides the question decides an answer, as one word."""
    told_by = f"{narrator.name} {getattr(narrator, 'model', '')}".strip()
    filters = options.filters
    restricted = [*filters.languages, *filters.roles, *filters.kinds, *filters.globs]
    return "|".join((told_by, filters.content.value, filters.scope, *restricted))


def open_book(
    index: Index, settings: Settings, narrator: Narrator, options: Options
) -> FlowBook | None:
    """The book, unless flows are turned off or a commit of git's objects is asked."""
    off = os.environ.get(VARIABLE, "").strip().lower() in ("0", "false", "off", "no")
    if off or not settings.flows or index.generation.layout.revision:
        return None
    book = FlowBook(index, kind_of(narrator, options))
    return None if book.store.switch.exists() else book


def holds(generation: Generation, flow: Flow) -> bool:
    """Whether every file that a flow cites is on disk, byte for byte as it was."""
    return all(_hash(generation, path) == blob for path, blob in flow.files.items())


def _hash(generation: Generation, path: str) -> str:
    """SHA-256 of a file now; empty where it cannot be read."""
    row = generation.rows_by_path.get(path)
    if row is None:
        return ""
    record = generation.files.slice(row, 1).to_pylist()[0]
    name = os.fsdecode(record["raw_path"]) if record["raw_path"] else path
    with suppress(OSError, QuarryError):
        root = generation.layout.root.resolve()
        full = (root / name).resolve(strict=True)
        if full.is_relative_to(root) and full.is_file():
            return hashlib.sha256(full.read_bytes()).hexdigest()
    return ""


def prune(generation: Generation, store: FlowStore) -> int:
    """Drop flows that cite a file which the index no longer has as it was; how many."""
    blobs = generation.files["blob"]
    rows = generation.rows_by_path
    stale = [
        flow.id
        for flow in store.all()
        if any(
            path not in rows or blobs[rows[path]].as_py() != blob
            for path, blob in flow.files.items()
        )
    ]
    if stale:
        store.remove(stale)
    return len(stale)


def with_flow_files(generation: Generation, answer: Answer, flows: Iterable[Flow]) -> Answer:
    """The answer with files of near flows behind all others, where they are missing."""
    missing: dict[str, RelatedFile] = {}
    here = set(answer.paths)
    for flow in flows:
        for span in flow.answer["spans"]:
            path = span["path"]
            if path in here or path in missing or path not in generation.rows_by_path:
                continue
            lines = (span["start_line"], span["end_line"])
            with suppress(QuarryError):
                get_code(generation, path, *lines)
                missing[path] = RelatedFile(path, 0.0, ("via-flow",), lines, ())
    extras = list(missing.values())[:MOST_FILES]
    return replace(answer, related=(*answer.related, *extras)) if extras else answer


_PARTS = (SynthesisDelta, Splice, Bundle)


def _part(event: Event) -> dict[str, Any]:
    return event.as_json()


def _event(part: dict[str, Any]) -> Event:
    fields = {name: value for name, value in part.items() if name not in ("v", "type")}
    kind = next(kind for kind in _PARTS if kind.type == part["type"])
    made: Event = kind(**fields)
    return made
