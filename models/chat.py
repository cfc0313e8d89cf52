"""Chat with a model: the interface, and any OpenAI-compatible endpoint behind it.

The stream is read as bytes and taken apart in `codequarry.models.chat_stream`: what servers
send under that name differs too much for a client that trusts it.
"""

from __future__ import annotations

import importlib
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from codequarry.errors import PromptTooLong, ProviderError, ProviderTimeout, UsageError
from codequarry.models.chat_stream import Ending, Pieces, ToolCall, Usage, error_words
from codequarry.models.endpoints import Endpoint, find_endpoint, is_loopback
from codequarry.models.openai_compatible import KEY_VARIABLE, URL_VARIABLE

if TYPE_CHECKING:
    from openai import OpenAI

    from codequarry.settings import Settings

# How servers say that a prompt does not fit: they agree on no code
_TOO_LONG = re.compile(
    r"context.{0,20}(?:size|length|window|exceed)|exceed.{0,40}context|maximum.{0,20}tokens"
    r"|(?:prompt|request|input).{0,20}too (?:long|large)",
    re.IGNORECASE,
)
DEFAULT_MODEL = "gpt-4.1-mini"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn; ``role`` is ``system``, ``user``, ``assistant`` or ``tool``.

    Attributes:
        role: whose turn.
        content: its text.
        calls: tools that an assistant wanted called.
        answers: the id of the call that a tool's turn is the result of.
    """

    role: str
    content: str
    calls: tuple[ToolCall, ...] = ()
    answers: str = ""

    def as_json(self) -> dict[str, Any]:
        """The form on the wire."""
        turn: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.calls:
            turn["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in self.calls
            ]
        if self.answers:
            turn["tool_call_id"] = self.answers
        return turn


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds: to connect, between two pieces, and for the whole reply.

    The whole is looked at whenever something comes, so it can be passed by one idle time.
    """

    connect: float = 10.0
    idle: float = 60.0
    total: float = 300.0


class Reply(Iterator[str]):
    """The pieces of an answer as they come, then how it ended.

    Attributes:
        ending: `Ending.OPEN` until the pieces are used up.
        usage: None where the server did not say.
        calls: tools the model wants called, whole.
    """

    ending: Ending = Ending.OPEN
    usage: Usage | None = None
    calls: tuple[ToolCall, ...] = ()

    @property
    def cut(self) -> bool:
        """Whether the answer ended before the model was done."""
        return self.ending in (Ending.LENGTH, Ending.DROPPED, Ending.FILTERED)


class Chat(Protocol):
    """A model that can be talked to."""

    @property
    def name(self) -> str:
        """The model and where it is, for people."""
        ...

    @property
    def local(self) -> bool:
        """Whether what is sent stays on this machine or its private network."""
        ...

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> Reply:
        """Ask; the answer's text in pieces, none empty.

        Raises:
            ProviderError: on iteration: refused, broken off with an error, or no answer in it.
            ProviderTimeout: on iteration: it took too long.
        """
        ...

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int, temperature: float = 0
    ) -> str:
        """Ask; the answer's whole text, errors as in `stream`."""
        ...


class OpenAIChat:
    """A chat at an OpenAI-compatible ``/chat/completions``."""

    def __init__(self, model: str, endpoint: Endpoint, timeouts: Timeouts | None = None) -> None:
        """Take a checked address; nothing is sent yet.

        Raises:
            UsageError: ``openai`` is not installed.
        """
        self._model = model
        self._endpoint = endpoint
        self._timeouts = timeouts or Timeouts()
        self._client = _client(endpoint, self._timeouts)
        self._limit_name = "max_tokens"
        self._takes_temperature = True

    @property
    def name(self) -> str:
        """The model and its host."""
        return f"{self._model} at {self._endpoint.host}"

    @property
    def local(self) -> bool:
        """Whether the host is this machine or its private network."""
        return self._endpoint.local

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> Reply:
        """See `Chat.stream`."""
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [message.as_json() for message in messages],
        }
        if tools:
            body["tools"] = [dict(tool) for tool in tools]
        return _StreamedReply(self, body, max_tokens, temperature)

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int, temperature: float = 0
    ) -> str:
        """See `Chat.complete`."""
        return "".join(self.stream(messages, max_tokens=max_tokens, temperature=temperature))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def pieces(
        self, body: dict[str, Any], max_tokens: int, temperature: float, into: Pieces
    ) -> Iterator[str]:
        """Send one request and give its text; what else is learnt lies in ``into``."""
        from openai import APIConnectionError, APIStatusError, APITimeoutError, OpenAIError

        deadline = time.monotonic() + self._timeouts.total
        try:
            with self._open(body, max_tokens, temperature) as response:
                into.content_type = response.headers.get("content-type", "")
                for data in response.iter_bytes():
                    yield from into.feed(data)
                    if into.done:
                        break
                    if time.monotonic() > deadline:
                        raise self._slow()
            yield from into.finish()
        except APITimeoutError:
            raise self._slow() from None
        except APIStatusError as error:
            raise self._refused(error) from None
        except APIConnectionError as error:
            cause = error.__cause__ or error
            raise self._failed(f"cannot be reached ({self._endpoint.masked(cause)})") from None
        except ProviderTimeout:
            raise
        except ProviderError as error:
            raise self._failed(self._endpoint.masked(error)) from None
        except OpenAIError as error:
            raise self._failed(f"did not answer: {self._endpoint.masked(error)}") from None
        except _transport_error() as error:
            if "Timeout" in type(error).__name__:
                raise self._slow() from None
            raise self._failed(f"broke off: {self._endpoint.masked(error)}") from None

    def _open(self, body: dict[str, Any], max_tokens: int, temperature: float) -> Any:
        """The response, asked again where a newer model wants its limits in other words."""
        from openai import BadRequestError

        while True:
            limits: dict[str, Any] = {self._limit_name: max_tokens}
            if self._takes_temperature:
                limits["temperature"] = temperature
            create = self._client.chat.completions.with_streaming_response.create
            manager = create(**body, **limits, stream=True)
            try:
                return _Opened(manager, manager.__enter__())
            except BadRequestError as error:
                words = str(error)
                if "max_completion_tokens" in words and self._limit_name == "max_tokens":
                    self._limit_name = "max_completion_tokens"
                elif "temperature" in words and self._takes_temperature:
                    self._takes_temperature = False
                else:
                    raise

    def _refused(self, error: Any) -> ProviderError:
        hint = {
            401: f"The key in {KEY_VARIABLE} is not accepted.",
            403: f"The key in {KEY_VARIABLE} may not use this model.",
            404: f"Check the model's name and the address in {URL_VARIABLE} (…/v1).",
            429: "The endpoint limits how much is asked; wait, or check the account.",
        }.get(error.status_code, "See what the endpoint says; nothing is wrong with the index.")
        said = self._endpoint.masked(ProviderError(error_words(error.body or error.message)))
        what = f"{self.name} refused with {error.status_code}: {said}"
        if error.status_code in (400, 413, 422) and _TOO_LONG.search(said):
            return PromptTooLong(what, "Take a model with a larger context.")
        return ProviderError(what, hint)

    def _failed(self, what: str) -> ProviderError:
        return ProviderError(f"{self.name} {what}", f"Check the address in {URL_VARIABLE}.")

    def _slow(self) -> ProviderTimeout:
        return ProviderTimeout(
            f"{self.name} took too long (more than {self._timeouts.idle:g} s of silence, or "
            f"{self._timeouts.total:g} s in all)",
            "Ask again, or take a faster model.",
        )


class _StreamedReply(Reply):
    """A reply that sends its request when the first piece is wanted."""

    def __init__(
        self, chat: OpenAIChat, body: dict[str, Any], max_tokens: int, temperature: float
    ) -> None:
        self._learnt = Pieces()
        self._pieces = chat.pieces(body, max_tokens, temperature, self._learnt)

    def __next__(self) -> str:
        try:
            return next(self._pieces)
        except StopIteration:
            self.ending = self._learnt.ending
            self.usage = self._learnt.usage
            self.calls = self._learnt.calls()
            raise


class _Opened:
    """An entered response, left when its block ends."""

    def __init__(self, manager: Any, response: Any) -> None:
        self._manager = manager
        self._response = response

    def __enter__(self) -> Any:
        return self._response

    def __exit__(self, *exception: Any) -> None:
        self._manager.__exit__(*exception)


def open_chat(settings: Settings, model: str = "", timeouts: Timeouts | None = None) -> OpenAIChat:
    """The chat that option, environment and settings name.

    A repository's own settings may send questions to this very machine only: whoever wrote
    them must not learn the user's key or code by naming another host.

    Args:
        settings: for ``chat_model`` and ``chat_base_url``.
        model: goes before the settings'.
        timeouts: in place of the usual ones.

    Raises:
        MissingAPIKey: the address is not local and there is no usable key.
        UsageError: no HTTP address, one the repository may not set, or ``openai`` is missing.
    """
    name = model or settings.chat_model or DEFAULT_MODEL
    what = f"The chat model {name}"
    if os.environ.get(URL_VARIABLE, "").strip() or not settings.chat_base_url:
        return OpenAIChat(name, find_endpoint(what), timeouts)
    if not is_loopback(settings.chat_base_url):
        raise UsageError(
            "chat_base_url of a repository may only name this machine",
            f"set {URL_VARIABLE} to agree to another address",
        )
    found = find_endpoint(what, base_url=settings.chat_base_url)
    return OpenAIChat(name, Endpoint(found.url, found.host, ""), timeouts)


def _client(endpoint: Endpoint, timeouts: Timeouts) -> OpenAI:
    try:
        from openai import OpenAI, Timeout
    except ImportError as error:
        raise UsageError(
            "A chat model needs the openai package.", hint="pip install 'codequarry[openai]'"
        ) from error
    return OpenAI(
        base_url=endpoint.url,
        api_key=endpoint.key or "local",
        timeout=Timeout(timeouts.idle, connect=timeouts.connect),
        max_retries=0,
    )


def _transport_error() -> type[Exception]:
    """The base of what breaks while a body is read, in the HTTP library that openai uses.

    It is ``httpx`` in some versions and ``httpx2`` in others, and not wrapped there.
    """
    from openai import DefaultHttpxClient

    client = next(base for base in DefaultHttpxClient.__mro__ if base.__name__ == "Client")
    library = importlib.import_module(client.__module__.partition(".")[0])
    error: type[Exception] = library.HTTPError
    return error
