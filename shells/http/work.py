"""The work behind the two streams: an answer, and a run of the index."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from typing import Any

from codequarry.ask.asking import ask_events, narrator_of
from codequarry.errors import QuarryError
from codequarry.shells.http.answers import asking_of
from codequarry.shells.http.service import Service

Document = dict[str, Any]

_LOOK = 0.2  # seconds between two looks at a run
VERSION = 1  # of the events of a run; those of an answer are `codequarry.ask.events`


def answer_events(service: Service, values: Mapping[str, Any]) -> Generator[Document, None, None]:
    """The events of an answer; ``done`` comes last.

    Raises:
        QuarryError: there is nothing to ask; before the first event.
    """
    index, settings, how = service.held.index, service.settings, asking_of(service, values)
    narrator = narrator_of(index, settings, how)
    for event in ask_events(index, values["question"], settings, narrator, how):
        yield event.as_json()


def run_events(
    service: Service, values: Mapping[str, Any], *, start: bool
) -> Generator[Document, None, None]:
    """How a run goes on, and what it did; ``done`` comes last.

    Args:
        service: of the repository.
        values: of the request.
        start: start one, unless one is at work; else one is only followed.
    """
    indexer = service.warm.indexer
    if start:
        indexer.start(*(["--rebuild"] if values.get("rebuild") else []))
    last: Document = {}
    while True:
        standing = indexer.standing()
        document = standing.as_json()
        if standing.progress is None:
            break
        if document != last:
            last = document
            yield {"v": VERSION, "type": "progress", **document}
        time.sleep(_LOOK)
    if standing.error:
        yield {"v": VERSION, "type": "error", **standing.error}
    yield {"v": VERSION, "type": "done", **document, "report": indexer.report()}


def error_events(error: Exception) -> list[Document]:
    """The end of a stream whose work failed."""
    if not isinstance(error, QuarryError):
        error = QuarryError("something broke inside", "the server's log says more")
    return [
        {"v": VERSION, "type": "error", **error.envelope()["error"]},
        {"v": VERSION, "type": "done", "answer": None},
    ]
