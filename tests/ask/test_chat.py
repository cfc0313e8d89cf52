"""Chat over real HTTP: every way a server may be nearly compatible, and every way to fail."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from chat_server import piece
from support import CASES

from codequarry.errors import MissingAPIKey, ProviderError, ProviderTimeout, UsageError
from codequarry.models.chat import Message, OpenAIChat, Timeouts, open_chat
from codequarry.models.chat_stream import Ending, Pieces, Usage
from codequarry.models.endpoints import find_endpoint
from codequarry.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from chat_server import ChatServer

QUESTION = [Message("user", "What is the rate?")]
STREAMS = CASES / "C050" / "streams"
EXPECTED = json.loads((CASES / "C050" / "expect.json").read_text())["answer_is"]
ROWS = json.loads((CASES / "C052" / "matrix.json").read_text())["rows"]


@pytest.fixture
def chat(server: ChatServer) -> Iterator[OpenAIChat]:
    opened = OpenAIChat(
        "m", find_endpoint("m", base_url=server.url), Timeouts(connect=1, idle=0.3, total=1)
    )
    yield opened
    opened.close()


def play(server: ChatServer, name: str) -> None:
    server.script = [(STREAMS / f"{name}.sse").read_bytes()]


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_nearly_compatible_streams_give_the_answer(server, chat, name: str):
    play(server, name)
    reply = chat.stream(QUESTION, max_tokens=10)
    assert "".join(reply) == EXPECTED[name]
    assert (reply.ending, reply.cut) == (Ending.STOP, False)


@pytest.mark.parametrize("name", sorted(path.stem for path in STREAMS.iterdir()))
def test_a_stream_means_the_same_however_its_bytes_are_cut(name: str):
    data = (STREAMS / f"{name}.sse").read_bytes()

    def read(parts: list[bytes]) -> tuple[object, ...]:
        pieces, texts, failure = Pieces(), [], ""
        try:
            for part in parts:
                texts += pieces.feed(part)
            texts += pieces.finish()
        except ProviderError as error:
            failure = error.message
        return "".join(texts), failure, pieces.ending, pieces.calls()

    whole = read([data])
    assert read([data[i : i + 1] for i in range(len(data))]) == whole
    assert read([data[:50], data[50:]]) == whole


def test_reasoning_alone_is_no_answer(server, chat):
    play(server, "reasoning_only")
    with pytest.raises(ProviderError, match="gave no answer: only reasoning") as caught:
        chat.complete(QUESTION, max_tokens=10)
    assert "thinking" not in caught.value.message


@pytest.mark.parametrize(
    ("name", "text", "ending"),
    [("cut_by_length", "Rate is", Ending.LENGTH), ("no_finish", "Rate is 7.", Ending.DROPPED)],
)
def test_a_cut_answer_is_kept_and_marked(server, chat, name: str, text: str, ending: Ending):
    play(server, name)
    reply = chat.stream(QUESTION, max_tokens=10)
    assert "".join(reply) == text
    assert (reply.ending, reply.cut) == (ending, True)


def test_an_error_inside_a_200_stream_is_an_error(server, chat):
    play(server, "error_inside_200")
    reply = chat.stream(QUESTION, max_tokens=10)
    assert next(reply) == "Rate "
    with pytest.raises(ProviderError, match="upstream failed"):
        next(reply)


@pytest.mark.parametrize("name", ["tool_args_split", "tool_no_id"])
def test_a_tool_call_is_put_together(server, chat, name: str):
    play(server, name)
    reply = chat.stream(QUESTION, max_tokens=10, tools=[{"type": "function"}])
    assert list(reply) == []
    assert [(call.name, json.loads(call.arguments)) for call in reply.calls] == [
        ("search", {"query": "rate"})
    ]
    assert server.requests[0]["tools"] == [{"type": "function"}]


def test_usage_is_what_the_server_counted_or_unknown(server, chat):
    for name, usage in (("usage_last", Usage(5, 4)), ("no_usage", None)):
        play(server, name)
        reply = chat.stream(QUESTION, max_tokens=10)
        list(reply)
        assert reply.usage == usage


def test_one_json_document_is_read_where_a_stream_was_asked_for(server, chat):
    server.content_type = "application/json"
    message = {"role": "assistant", "content": "Rate is 7."}
    document = {"choices": [{"message": message, "finish_reason": "stop"}]}
    server.script = [json.dumps(document, indent=1).encode()]
    assert chat.complete(QUESTION, max_tokens=10) == "Rate is 7."


def test_a_thought_that_never_ends_is_no_answer(server, chat):
    server.says("<think>", "on and on")
    with pytest.raises(ProviderError, match="only reasoning"):
        chat.complete(QUESTION, max_tokens=10)


def test_a_tag_named_in_the_middle_of_an_answer_stays(server, chat):
    server.says("The tag <think> opens ", "a thought.")
    assert chat.complete(QUESTION, max_tokens=10) == "The tag <think> opens a thought."


@pytest.mark.parametrize("data", [b"data: {broken\n\n", b"data: [1]\n\n"])
def test_what_is_no_chat_reply_is_an_error(server, chat, data: bytes):
    server.script = [piece("Rate "), data]
    reply = chat.stream(QUESTION, max_tokens=10)
    assert next(reply) == "Rate "
    with pytest.raises(ProviderError, match="sent a piece that is not"):
        next(reply)


def test_a_connection_that_drops_is_an_error(server, chat):
    server.promised = 10_000
    server.script = [piece("Rate ")]
    reply = chat.stream(QUESTION, max_tokens=10)
    assert next(reply) == "Rate "
    with pytest.raises(ProviderError, match="broke off"):
        next(reply)


def test_silence_is_a_time_out(server, chat):
    server.script = [piece("Rate "), 3.0]
    reply = chat.stream(QUESTION, max_tokens=10)
    assert next(reply) == "Rate "
    with pytest.raises(ProviderTimeout, match="took too long"):
        next(reply)


def test_signs_of_life_without_an_answer_are_a_time_out(server, chat):
    server.script = [b": ping\n\n", 0.1] * 30
    with pytest.raises(ProviderTimeout):
        chat.complete(QUESTION, max_tokens=10)


def test_a_closed_port_is_one_sentence_with_the_address():
    chat = OpenAIChat("m", find_endpoint("m", base_url="http://127.0.0.1:9/v1"))
    with pytest.raises(ProviderError, match=r"127\.0\.0\.1 cannot be reached.*refused"):
        chat.complete(QUESTION, max_tokens=10)
    chat.close()


@pytest.mark.parametrize(
    ("words", "sent"),
    [
        ("Use 'max_completion_tokens' instead of max_tokens.", "max_completion_tokens"),
        ("'temperature' does not support 0 with this model", "max_tokens"),
    ],
)
def test_newer_models_are_asked_again_in_their_words(server, chat, words: str, sent: str):
    refused = "max_tokens" if "completion" in words else "temperature"
    server.refuses = lambda body: words if refused in body else ""
    server.says("Rate is 7.")
    assert chat.complete(QUESTION, max_tokens=10) == "Rate is 7."
    assert chat.complete(QUESTION, max_tokens=10) == "Rate is 7."
    assert len(server.requests) == 3
    assert server.requests[-1][sent] == 10


def test_a_refusal_is_not_repeated_and_shows_no_key(server, monkeypatch):
    key = "k3y-4bcdefgh1234567"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    server.status, server.content_type = 401, "application/json"
    server.script = [json.dumps({"error": {"message": f"Incorrect API key: {key}"}}).encode()]
    chat = OpenAIChat("m", find_endpoint("m", base_url=server.url))
    with pytest.raises(ProviderError, match="refused with 401: Incorrect API key") as caught:
        chat.complete(QUESTION, max_tokens=10)
    assert key not in f"{caught.value.message} {caught.value.hint} {caught.value.__cause__}"
    assert "OPENAI_API_KEY" in caught.value.hint
    assert server.keys == [f"Bearer {key}"]
    chat.close()


def test_keys_as_people_set_them(server, monkeypatch):
    """Each row of the table: missing, false and needless keys."""
    for row in ROWS:
        key = row["key"]
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        if key is not None:
            monkeypatch.setenv("OPENAI_API_KEY", key)
        remote = row["base_url"] in ("remote", None)
        url = "https://models.example/v1" if row["base_url"] == "remote" else ""
        if remote and (not key or key.strip() != "abc123"):
            with pytest.raises(MissingAPIKey, match="OPENAI_API_KEY") as caught:
                find_endpoint("The chat model m", base_url=url)
            assert not key or key not in f"{caught.value.message}{caught.value.hint}"
        elif remote:
            found = find_endpoint("The chat model m", base_url=url)
            assert found.key == "abc123"
            assert "abc123" not in repr(found)
        else:
            server.says("Rate is 7.")
            address = server.url.removesuffix("/v1")
            for spelling in ("", "/", "/v1", "/v1/", "/v1/chat/completions"):
                chat = OpenAIChat("m", find_endpoint("m", base_url=address + spelling))
                assert chat.complete(QUESTION, max_tokens=10) == "Rate is 7."
                chat.close()
            assert set(server.paths) == {"/v1/chat/completions"}


@pytest.mark.parametrize("key", ["<your key>", "sk-xxxx", "YOUR_API_KEY", "changeme", "$KEY"])
def test_a_placeholder_neither_passes_nor_blocks_a_local_server(monkeypatch, key: str):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(MissingAPIKey, match="looks like a placeholder"):
        find_endpoint("m", base_url="https://models.example")
    assert find_endpoint("m", base_url="http://localhost:11434").key == ""


def test_a_repository_cannot_send_the_key_elsewhere(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-really-mine-0123456789")
    with pytest.raises(UsageError, match="may only name this machine"):
        open_chat(Settings(chat_base_url="https://evil.example/v1"))
    server.says("Rate is 7.")
    chat = open_chat(Settings(chat_base_url=server.url, chat_model="tiny"))
    assert chat.complete(QUESTION, max_tokens=10) == "Rate is 7."
    assert (server.requests[0]["model"], server.keys) == ("tiny", ["Bearer local"])
    chat.close()


def test_the_environment_goes_before_the_repository(server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    server.says("Rate is 7.")
    chat = open_chat(Settings(chat_base_url="http://127.0.0.1:9/v1"), "given")
    assert chat.complete(QUESTION, max_tokens=10) == "Rate is 7."
    assert server.requests[0]["model"] == "given"
    chat.close()
