"""A logged-in Claude Code subscription as narrator, through its Agent SDK: words only.

Everything an agent could do is off: no tool, no server, one turn, no settings of the user's or the
repository's, and an empty folder as its place, so that no file of the repository is read but what
the prompt holds.
"""

from __future__ import annotations

import asyncio
import queue
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

from codequarry.ask.candidates import Candidates
from codequarry.ask.prompt import CONTEXT_TOKENS, build_messages
from codequarry.errors import ProviderError, ProviderTimeout, UsageError

IDLE = 120.0  # seconds without a word, the start of the program included


class ClaudeNarrator:
    """Asks Claude Code to explain, citing by number."""

    def __init__(self, model: str = "", *, context_tokens: int = CONTEXT_TOKENS) -> None:
        """Take the model's name; the subscription's own when empty.

        Raises:
            UsageError: the Agent SDK is not installed.
        """
        try:
            import claude_agent_sdk
        except ImportError as error:
            raise UsageError(
                "the narrator claude needs the Claude Agent SDK", "pip install 'codequarry[claude]'"
            ) from error
        self._sdk: Any = claude_agent_sdk
        self._model = model
        self._context_tokens = context_tokens

    @property
    def name(self) -> str:
        """The word of this narrator."""
        return "claude"

    @property
    def model(self) -> str:
        """The model, for people."""
        return f"{self._model or 'Claude'} by Claude Code"

    def narrate(self, question: str, candidates: Candidates) -> Iterator[str]:
        """Stream the model's text; see `Narrator.narrate`."""
        system, user = build_messages(question, candidates, budget=self._context_tokens)
        pieces: queue.Queue[str | BaseException | None] = queue.Queue()
        stopped = threading.Event()

        def run() -> None:
            try:
                with tempfile.TemporaryDirectory() as folder:
                    asyncio.run(self._ask(system.content, user.content, folder, pieces, stopped))
            except BaseException as error:
                pieces.put(error)
            else:
                pieces.put(None)

        threading.Thread(target=run, daemon=True).start()
        try:
            while (piece := self._next(pieces)) is not None:
                yield piece
        finally:
            stopped.set()

    def _next(self, pieces: queue.Queue[str | BaseException | None]) -> str | None:
        try:
            piece = pieces.get(timeout=IDLE)
        except queue.Empty:
            raise ProviderTimeout(f"{self.model} said nothing for {IDLE:g} s") from None
        if isinstance(piece, BaseException):
            first = str(piece).strip().split("\n")[0][:200]
            raise ProviderError(
                f"{self.model} failed ({type(piece).__name__}: {first})",
                "log in with: claude login",
            ) from None
        return piece

    async def _ask(
        self,
        system: str,
        user: str,
        folder: str,
        pieces: queue.Queue[str | BaseException | None],
        stopped: threading.Event,
    ) -> None:
        options = self._sdk.ClaudeAgentOptions(
            system_prompt=system,
            model=self._model or None,
            tools=[],
            allowed_tools=[],
            mcp_servers={},
            strict_mcp_config=True,
            setting_sources=[],
            permission_mode="dontAsk",
            max_turns=1,
            include_partial_messages=True,
            cwd=folder,
        )
        async for text in self._texts(self._sdk.query(prompt=user, options=options)):
            if stopped.is_set():
                return
            pieces.put(text)

    async def _texts(self, messages: AsyncIterator[Any]) -> AsyncIterator[str]:
        """The text as it comes; whole messages count only where nothing was streamed."""
        streamed = False
        async for message in messages:
            kind = type(message).__name__
            if kind == "StreamEvent":
                delta = message.event.get("delta") or {}
                if delta.get("type") == "text_delta" and delta.get("text"):
                    streamed = True
                    yield delta["text"]
            elif kind == "AssistantMessage" and not streamed:
                for block in message.content:
                    if type(block).__name__ == "TextBlock" and block.text:
                        yield block.text
            elif kind == "ResultMessage" and message.is_error:
                raise ProviderError(str(message.result or "the model ended with an error"))
