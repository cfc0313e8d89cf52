"""The narrator by Claude Code's Agent SDK, against a stand-in of the SDK: words only, no tools."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from codequarry.ask.ask import ask, collect
from codequarry.ask.narrators.claude import ClaudeNarrator
from codequarry.errors import UsageError

if TYPE_CHECKING:
    from codequarry.retrieval.index import Index

QUESTION = "how is the fee of a transfer computed"


class StreamEvent(SimpleNamespace): ...


class AssistantMessage(SimpleNamespace): ...


class ResultMessage(SimpleNamespace): ...


class TextBlock(SimpleNamespace): ...


class ToolUseBlock(SimpleNamespace): ...


def delta(text: str, kind: str = "text_delta") -> StreamEvent:
    return StreamEvent(event={"type": "content_block_delta", "delta": {"type": kind, "text": text}})


def sdk(messages: list[Any], seen: list[Any]) -> SimpleNamespace:
    async def query(*, prompt: str, options: SimpleNamespace) -> Any:
        seen.append((prompt, options, list(Path(options.cwd).iterdir())))
        for message in messages:
            if isinstance(message, Exception):
                raise message
            yield message

    return SimpleNamespace(query=query, ClaudeAgentOptions=lambda **o: SimpleNamespace(**o))


def told(fees: Index, monkeypatch: pytest.MonkeyPatch, messages: list[Any]) -> tuple[Any, Any]:
    seen: list[Any] = []
    monkeypatch.setitem(sys.modules, "claude_agent_sdk", sdk(messages, seen))
    return collect(ask(fees, QUESTION, ClaudeNarrator())), seen[0]


def test_streamed_text_is_the_answer_once(fees: Index, monkeypatch: pytest.MonkeyPatch):
    whole = AssistantMessage(content=[TextBlock(text="It is here: [[1]]")])
    thought = delta("secret thoughts", "thinking_delta")
    answer, _ = told(fees, monkeypatch, [thought, delta("It is "), delta("here: [[1]]"), whole])
    assert answer.grounded
    assert answer.answer.count("It is here") == 1
    assert "secret thoughts" not in answer.answer


def test_without_a_stream_the_whole_message_is_taken(fees: Index, monkeypatch: pytest.MonkeyPatch):
    blocks = [ToolUseBlock(name="Bash"), TextBlock(text="Here: [[1]]")]
    answer, _ = told(fees, monkeypatch, [AssistantMessage(content=blocks)])
    assert answer.grounded


def test_it_can_do_nothing_but_write(fees: Index, monkeypatch: pytest.MonkeyPatch):
    _, (prompt, options, files) = told(fees, monkeypatch, [delta("x [[1]]")])
    assert QUESTION in prompt
    assert (options.tools, options.allowed_tools, options.mcp_servers) == ([], [], {})
    assert (options.setting_sources, options.strict_mcp_config) == ([], True)
    assert (options.max_turns, options.permission_mode) == (1, "dontAsk")
    assert files == []  # it works in an empty folder


@pytest.mark.parametrize(
    "end", [RuntimeError("not logged in"), ResultMessage(is_error=True, result="limit reached")]
)
def test_a_failure_shows_all_that_was_found(fees: Index, monkeypatch: pytest.MonkeyPatch, end: Any):
    answer, _ = told(fees, monkeypatch, [end])
    assert (answer.grounded, bool(answer.spans)) == (False, True)
    assert "Claude" in answer.answer


def test_without_the_sdk_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "claude_agent_sdk", None)
    with pytest.raises(UsageError) as error:
        ClaudeNarrator()
    assert "codequarry[claude]" in error.value.hint
