"""A chat model as narrator, at any OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codequarry.ask.candidates import Candidates
from codequarry.ask.narrators.protocol import NarrationCut
from codequarry.ask.prompt import CONTEXT_TOKENS, build_messages
from codequarry.errors import PromptTooLong
from codequarry.models.chat import Chat, Message, Reply
from codequarry.models.chat_stream import Ending

MAX_TOKENS = 1500  # of an answer's prose; its code costs the model nothing
LEAST_CONTEXT = 1_500  # tokens of repository text that are worth asking with
_WHY_CUT = {
    Ending.LENGTH: "the text was cut: it reached the limit of tokens",
    Ending.FILTERED: "the text was cut by the provider's filter",
    Ending.DROPPED: "the text was cut: the connection ended before it did",
}


class OpenAINarrator:
    """Asks a chat model to explain, citing by number."""

    def __init__(
        self, chat: Chat, *, max_tokens: int = MAX_TOKENS, context_tokens: int = CONTEXT_TOKENS
    ) -> None:
        self._chat = chat
        self._max_tokens = max_tokens
        self._context_tokens = context_tokens

    @property
    def name(self) -> str:
        """The word of this narrator."""
        return "openai"

    @property
    def model(self) -> str:
        """The model and its host, for people."""
        return self._chat.name

    @property
    def chat(self) -> Chat:
        """The model that is asked."""
        return self._chat

    def narrate(self, question: str, candidates: Candidates) -> Iterator[str]:
        """Stream the model's text; see `Narrator.narrate`."""
        while True:
            messages = build_messages(
                question, candidates, budget=self._context_tokens, mask=not self._chat.local
            )
            reply = self._chat.stream(messages, max_tokens=self._max_tokens)
            try:
                first = next(reply, "")
                break
            except PromptTooLong:
                if self._context_tokens <= LEAST_CONTEXT:
                    raise
                # kept for the next question: the model's context will not grow
                self._context_tokens = max(LEAST_CONTEXT, self._context_tokens // 2)
        yield first
        yield from _whole(reply)

    def say(self, messages: Sequence[Message]) -> Iterator[str]:
        """Stream the model's text on other messages; raises as `narrate` does."""
        yield from _whole(self._chat.stream(messages, max_tokens=self._max_tokens))


def _whole(reply: Reply) -> Iterator[str]:
    """The pieces of a reply.

    Raises:
        NarrationCut: it ended before the model was done.
    """
    yield from reply
    if reply.cut:
        raise NarrationCut(_WHY_CUT[reply.ending], "ask again, or give --max-tokens")
