"""From a word to a narrator: ``auto``, ``extractive``, ``openai`` or ``claude``."""

from __future__ import annotations

import os

from codequarry.ask.narrators.claude import ClaudeNarrator
from codequarry.ask.narrators.extractive import ExtractiveNarrator
from codequarry.ask.narrators.openai import MAX_TOKENS, OpenAINarrator
from codequarry.ask.narrators.protocol import Narrator
from codequarry.errors import MissingAPIKey, UsageError
from codequarry.models.chat import open_chat
from codequarry.models.openai_compatible import KEY_VARIABLE, URL_VARIABLE
from codequarry.retrieval.index import Index
from codequarry.settings import Settings

AUTO, EXTRACTIVE, OPENAI, CLAUDE = "auto", "extractive", "openai", "claude"
NARRATORS = (AUTO, EXTRACTIVE, OPENAI, CLAUDE)


def choose_narrator(
    word: str, settings: Settings, index: Index, *, model: str = "", max_tokens: int = MAX_TOKENS
) -> Narrator:
    """Open a narrator; nothing is sent yet.

    Args:
        word: one of `NARRATORS`. ``auto`` is ``openai`` where an address or a key is set and
            can be used, else ``extractive``.
        settings: for the chat's model and address.
        index: that is asked.
        model: the chat model, before that of the settings.
        max_tokens: of the text that a model writes.

    Raises:
        MissingAPIKey: ``openai`` without a usable key, at an address that needs one.
        UsageError: there is no such narrator, or its package is not installed.
    """
    if word not in NARRATORS:
        raise UsageError(f"there is no narrator {word!r}", f"one of: {', '.join(NARRATORS)}")
    if word == CLAUDE:
        return ClaudeNarrator(model)
    if word == EXTRACTIVE or (word == AUTO and not _is_configured(settings, model)):
        return ExtractiveNarrator(index)
    try:
        return OpenAINarrator(open_chat(settings, model), max_tokens=max_tokens)
    except (MissingAPIKey, UsageError):
        if word == OPENAI or model:
            raise
        return ExtractiveNarrator(index)


def _is_configured(settings: Settings, model: str) -> bool:
    named = (os.environ.get(name, "").strip() for name in (KEY_VARIABLE, URL_VARIABLE))
    return bool(any(named) or settings.chat_base_url or model)
