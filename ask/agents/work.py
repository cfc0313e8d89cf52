"""One agent: reads its spans, looks further with tools, and writes notes that cite by number."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from threading import Event
from typing import Any, TypeAlias

from codequarry.ask.agents.shared import SharedCandidates
from codequarry.ask.agents.tools import TOOLS, Toolbox
from codequarry.ask.events import AgentDelta, AgentTool, Group
from codequarry.ask.prompt import RULES, border_for, entries_of
from codequarry.errors import PromptTooLong, ProviderError
from codequarry.models.chat import Chat, Message
from codequarry.models.chat_stream import ToolCall, Usage

ROUNDS = 3  # of tools
CALLS = 4  # in one round
NOTES_TOKENS = 700
NOTES_CHARACTERS = 6_000  # for a server that heeds no limit
CONTEXT_TOKENS = 8_000  # of the agent's own spans
LEAST_CONTEXT = 1_000

_SYSTEM = """\
You are one of several readers of a code repository. Another writer makes one answer of your \
notes. Write at most 250 words about your part of the question alone. Use a tool only where the \
spans do not show what you need; what it finds has a number too.

"""
_LAST = "No more tools: write your notes now, citing spans by number."

Working: TypeAlias = AgentDelta | AgentTool
Calls: TypeAlias = tuple[ToolCall, ...]


class Agent:
    """Works on one group of a plan.

    Attributes:
        group: what it works on.
        usage: tokens so far; None while the server has not counted any.
        stopped: set from outside, it ends the work at the next piece, tool or request.
    """

    def __init__(
        self, group: Group, chat: Chat, toolbox: Toolbox, shared: SharedCandidates
    ) -> None:
        self.group = group
        self.usage: Usage | None = None
        self.stopped = Event()
        self._done = False
        self._chat = chat
        self._toolbox = toolbox
        self._shared = shared
        self._turns: list[str] = []

    @property
    def notes(self) -> str:
        """What it wrote: its last words, or all it said where it did not come to its end."""
        last = self._turns[-1].strip() if self._turns and self._done else ""
        return last or "\n\n".join(turn.strip() for turn in self._turns if turn.strip())

    def work(self) -> Iterator[Working]:
        """Work until the notes are written.

        Raises:
            ProviderError: on iteration: the model failed, or wrote nothing.
        """
        messages, border, calls = yield from self._first()
        for left in reversed(range(ROUNDS)):
            if not calls:
                break
            messages.append(Message("assistant", self._turns[-1], calls))
            for call in calls:
                if self.stopped.is_set():
                    return
                used = self._toolbox.use(call)
                yield AgentTool(self.group.agent, call.name, used.argument, used.found)
                messages.append(Message("tool", _fenced(used.text, border), answers=call.id))
            if not left:
                messages.append(Message("user", _LAST))
            calls = yield from self._turn(messages, TOOLS if left else ())
        self._done = not self.stopped.is_set()
        if not self.notes:
            raise ProviderError("the model wrote nothing about this part")

    def _first(self) -> Generator[Working, None, tuple[list[Message], str, Calls]]:
        """The first turn, with less of the spans where the model cannot take them all."""
        budget = CONTEXT_TOKENS
        while True:
            messages, border = self._opening(budget)
            try:
                return messages, border, (yield from self._turn(messages, TOOLS))
            except PromptTooLong:
                if budget <= LEAST_CONTEXT:
                    raise
                budget //= 2

    def _opening(self, budget: int) -> tuple[list[Message], str]:
        numbers = self.group.numbers
        own = [span for number in numbers if (span := self._shared.get(number)) is not None]
        data = "\n".join(entries_of(own, budget, mask=not self._chat.local))
        border = border_for(data + self.group.question)
        user = f"Your part: {self.group.question}\n\n{_fenced(data, border)}"
        system = _SYSTEM + RULES.format(border=border)
        return [Message("system", system), Message("user", user)], border

    def _turn(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]
    ) -> Generator[Working, None, Calls]:
        """One request; gives the tools that are wanted now."""
        if self.stopped.is_set():
            return ()
        reply = self._chat.stream(messages, max_tokens=NOTES_TOKENS, tools=tools)
        self._turns.append("")
        for piece in reply:
            if self.stopped.is_set():
                return ()
            room = NOTES_CHARACTERS - sum(map(len, self._turns))
            if room <= 0:
                return ()
            self._turns[-1] += piece[:room]
            yield AgentDelta(self.group.agent, piece[:room])
        if reply.usage is not None:
            before = self.usage or Usage(0, 0)
            self.usage = Usage(
                before.prompt_tokens + reply.usage.prompt_tokens,
                before.completion_tokens + reply.usage.completion_tokens,
            )
        return reply.calls[:CALLS] if tools else ()


def _fenced(data: str, border: str) -> str:
    """Text of the repository between borders, which it does not hold."""
    data = data.replace(border, "")
    return f"BEGIN REPOSITORY DATA {border}\n{data}\nEND REPOSITORY DATA {border}"
