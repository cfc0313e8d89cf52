"""Server-sent events: made in a thread, kept a while, and sent again to who was cut off.

The id of an event is ``<stream>:<number>``. A client that reconnects with ``Last-Event-ID`` gets
what it has missed from the same work; only when that is forgotten the work is done again.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
import time
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from contextlib import closing, suppress
from typing import Any

Document = Mapping[str, Any]
Work = Callable[[], Generator[dict[str, Any], None, None]]
Failed = Callable[[Exception], list[dict[str, Any]]]

MOST_STREAMS = 32
HEARTBEAT = 15.0  # seconds without an event after which a comment is sent
KEPT = 60.0  # seconds that a finished stream can be asked for again
ALONE = 20.0  # seconds that work goes on when nobody listens


class TooManyStreams(Exception):
    """As many streams as may be are under way."""


class Stream:
    """The events of one piece of work, in order; `None` marks the end."""

    def __init__(self, name: str, loop: asyncio.AbstractEventLoop) -> None:
        self.name = name
        self._loop = loop
        self._events: list[Document] = []
        self._ended = False
        self._changed = asyncio.Event()
        self._listeners = 0
        self._left_at = time.monotonic()
        self.stopped = threading.Event()

    @property
    def ended(self) -> bool:
        """Whether all events are there."""
        return self._ended

    @property
    def idle(self) -> float:
        """Seconds since somebody last listened; 0 while somebody does."""
        return 0.0 if self._listeners else time.monotonic() - self._left_at

    def run(self, work: Work, failed: Failed) -> None:
        """Do the work in this thread.

        Args:
            work: gives events; closed early when nobody listens any more.
            failed: the last events for an exception that it raised.
        """
        try:
            events = work()
            with closing(events):
                for event in events:
                    self._tell(event)
                    if self.stopped.is_set() or self.idle > ALONE:
                        return
        except Exception as error:  # the border of the thread: told to whoever listens
            for event in failed(error):
                self._tell(event)
        finally:
            self._tell(None)

    def _tell(self, event: Document | None) -> None:
        with suppress(RuntimeError):  # the loop is gone: so are all listeners
            self._loop.call_soon_threadsafe(self._add, event)

    def _add(self, event: Document | None) -> None:
        if event is None:
            self._ended = True
        else:
            self._events.append(event)
        self._changed.set()

    async def sent(self, after: int = 0) -> AsyncIterator[str]:
        """The events after a number, as they are sent; comments while there are none."""
        self._listeners += 1
        number = max(0, after)
        try:
            while True:
                while number < len(self._events):
                    event = self._events[number]
                    number += 1
                    yield _block(f"{self.name}:{number}", event)
                if self._ended:
                    return
                self._changed.clear()
                try:
                    await asyncio.wait_for(self._changed.wait(), HEARTBEAT)
                except TimeoutError:
                    yield ": still at work\n\n"
        finally:
            self._listeners -= 1
            self._left_at = time.monotonic()


class Streams:
    """The streams of a server."""

    def __init__(self) -> None:
        self._streams: dict[str, Stream] = {}

    def start(self, work: Work, failed: Failed) -> Stream:
        """Begin a piece of work in a thread of its own.

        Raises:
            TooManyStreams: there are as many as may be.
        """
        self._forget()
        if sum(not stream.ended for stream in self._streams.values()) >= MOST_STREAMS:
            raise TooManyStreams
        stream = Stream(secrets.token_hex(8), asyncio.get_running_loop())
        self._streams[stream.name] = stream
        threading.Thread(
            target=stream.run, args=(work, failed), name=f"stream {stream.name}", daemon=True
        ).start()
        return stream

    def resumed(self, last_event: str) -> tuple[Stream, int] | None:
        """The stream that an id is of, and the number in it; None where it is not known."""
        name, _, number = last_event.rpartition(":")
        stream = self._streams.get(name)
        if stream is None or not (number.isascii() and number.isdigit() and len(number) < 10):
            return None
        return stream, int(number)

    def stop(self) -> None:
        """Have all work end after its next event."""
        for stream in self._streams.values():
            stream.stopped.set()

    def _forget(self) -> None:
        gone = [name for name, one in self._streams.items() if one.ended and one.idle > KEPT]
        for name in gone:
            del self._streams[name]


def _block(identity: str, event: Document) -> str:
    """One event: JSON has no line break, so its text cannot end the block early."""
    kind = str(event.get("type", "message"))
    return f"id: {identity}\nevent: {kind}\ndata: {json.dumps(event)}\n\n"
