"""Taking a streamed chat reply apart: server-sent events to text, ending, usage, tool calls.

Endpoints that call themselves compatible send pieces without choices, null content, content
as a list of parts, reasoning in fields or tags of its own, errors under status 200, one JSON
document where a stream was asked for, and ends without an end. Reasoning is never text.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from codequarry.errors import ProviderError

_OPEN_TAG = "<think>"
_CLOSE_TAG = "</think>"
_MAX_HELD = 16 * 1024 * 1024  # characters of one event; more is no chat reply


class Ending(StrEnum):
    """How a reply ended."""

    OPEN = "open"
    STOP = "stop"
    LENGTH = "length"  # the limit of tokens
    FILTERED = "filtered"  # the provider's content filter
    DROPPED = "dropped"  # the connection ended before the reply did


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that the server counted."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool the model wants called; ``arguments`` as it wrote them, JSON or not."""

    id: str
    name: str
    arguments: str


class Pieces:
    """The state of one reply; bytes go in cut anywhere, text comes out."""

    def __init__(self) -> None:
        self.content_type = ""
        self.ending = Ending.OPEN
        self.usage: Usage | None = None
        self.done = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self._data: list[str] = []
        self._answer = _WithoutThinking()
        self._seen_text = self._seen_reasoning = False
        self._calls: dict[Any, list[str]] = {}

    def feed(self, data: bytes) -> Iterator[str]:
        """Take bytes; give the text they complete.

        Raises:
            ProviderError: the server reported an error, or sent what is not JSON.
        """
        self._held += self._decoder.decode(data)
        if len(self._held) > _MAX_HELD:
            raise ProviderError("sent an event without an end")
        if "json" in self.content_type:
            return
        *lines, self._held = self._held.split("\n")
        for line in lines:
            yield from self._line(line.removesuffix("\r"))

    def finish(self) -> Iterator[str]:
        """The bytes are over.

        Raises:
            ProviderError: as `feed`, or there was no answer at all.
        """
        rest = self._held + self._decoder.decode(b"", True)
        self._held = ""
        if "json" in self.content_type:
            yield from self._document(rest)
        else:
            yield from self._line(rest)
            yield from self._line("")
        for text in self._answer.finish():
            self._seen_text = True
            yield text
        if self.ending is Ending.OPEN:
            self.ending = Ending.STOP if self.done else Ending.DROPPED
        if not self._seen_text and not self._calls:
            only = self._seen_reasoning or self._answer.dropped
            what = "only reasoning" if only else "an empty reply"
            raise ProviderError(f"gave no answer: {what}")

    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, put together from their pieces, in the order they began."""
        return tuple(
            ToolCall(identity or f"call_{number}", name, arguments)
            for number, (identity, name, arguments) in enumerate(self._calls.values())
        )

    def _line(self, line: str) -> Iterator[str]:
        """One line of the event stream; an empty one ends an event."""
        if self.done or line.startswith(":"):
            return
        name, _, value = line.partition(":")
        if name == "data":
            self._data.append(value.removeprefix(" "))
            if not _is_whole("\n".join(self._data)):
                return  # an event of several lines; others send no empty line in between
        elif line:
            return
        if self._data:
            event, self._data = "\n".join(self._data), []
            yield from self._event(event)

    def _event(self, event: str) -> Iterator[str]:
        if event.strip() == "[DONE]":
            self.done = True
        elif event.strip():
            yield from self._document(event)

    def _document(self, text: str) -> Iterator[str]:
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            raise ProviderError("sent a piece that is not JSON") from None
        if not isinstance(document, dict):
            raise ProviderError("sent a piece that is not a chat reply")
        if document.get("error"):
            raise ProviderError(f"reported an error: {error_words(document['error'])}")
        self._take_usage(document.get("usage"))
        choices = document.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict) or choice.get("index") not in (0, None):
            return
        yield from self._delta(choice.get("delta") or choice.get("message"))
        reason = choice.get("finish_reason")
        if reason:
            self.ending = {"length": Ending.LENGTH, "content_filter": Ending.FILTERED}.get(
                str(reason), Ending.STOP
            )

    def _delta(self, delta: Any) -> Iterator[str]:
        if not isinstance(delta, dict):
            return
        if any(delta.get(name) for name in ("reasoning_content", "reasoning", "thinking")):
            self._seen_reasoning = True
        for text in self._answer.feed(_text_of(delta.get("content"))):
            self._seen_text = True
            yield text
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                self._take_call(call)

    def _take_call(self, call: Mapping[str, Any]) -> None:
        key = call.get("index", call.get("id"))
        whole = self._calls.setdefault(str(key), ["", "", ""])
        function = call.get("function")
        part = function if isinstance(function, dict) else {}
        whole[0] = whole[0] or _encodable(str(call.get("id") or ""))
        whole[1] = whole[1] or _encodable(str(part.get("name") or ""))
        arguments = part.get("arguments") or ""
        whole[2] += _encodable(arguments) if isinstance(arguments, str) else json.dumps(arguments)

    def _take_usage(self, usage: Any) -> None:
        if not isinstance(usage, dict):
            return
        asked, given = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if isinstance(asked, int) and isinstance(given, int):
            self.usage = Usage(asked, given)


class _WithoutThinking:
    """Text without the ``<think>`` blocks that may stand before an answer."""

    def __init__(self) -> None:
        self.dropped = False
        self._held = ""
        self._state = "start"

    def feed(self, text: str) -> Iterator[str]:
        if self._state == "answer":
            if text:
                yield text
            return
        self._held += text
        while True:
            if self._state == "thinking":
                _, found, rest = self._held.partition(_CLOSE_TAG)
                if not found:
                    self._held = self._held[-len(_CLOSE_TAG) :]
                    return
                self._state, self._held = "start", rest
            start = self._held.lstrip()
            if start.startswith(_OPEN_TAG):
                self.dropped = True
                self._state, self._held = "thinking", start[len(_OPEN_TAG) :]
            elif _OPEN_TAG.startswith(start):
                return  # not enough to tell
            else:
                self._state, self._held = "answer", ""
                yield start
                return

    def finish(self) -> Iterator[str]:
        if self._state == "start" and self._held.strip():
            yield self._held.lstrip()


def _is_whole(event: str) -> bool:
    if event.strip() == "[DONE]":
        return True
    try:
        json.loads(event)
    except (ValueError, RecursionError):
        return False
    return True


def _text_of(content: Any) -> str:
    """The text of a message's content: a string, or a list of parts of which some are text."""
    if isinstance(content, str):
        return _encodable(content)
    parts = content if isinstance(content, list) else ()
    texts = (
        part.get("text")
        for part in parts
        if isinstance(part, dict) and part.get("type") in ("text", "output_text", None)
    )
    return _encodable("".join(text for text in texts if isinstance(text, str)))


def _encodable(text: str) -> str:
    """Text without the halves of surrogate pairs that JSON may hold: they cannot be sent on."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def error_words(error: Any) -> str:
    """What an error object of a reply says."""
    if isinstance(error, dict):
        inner = error.get("error")
        if inner:
            return error_words(inner)
        return str(error.get("message") or error.get("code") or "no reason given")
    return str(error)
