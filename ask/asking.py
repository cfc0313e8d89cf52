"""One way to ask for every shell: from what a user says to the stream of events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codequarry.ask.answer import AskAnswer
from codequarry.ask.ask import AskOptions, ask, collect
from codequarry.ask.events import Event
from codequarry.ask.flows.book import open_book
from codequarry.ask.narrators.choose import AUTO, OPENAI, choose_narrator
from codequarry.ask.narrators.openai import MAX_TOKENS, OpenAINarrator
from codequarry.ask.narrators.protocol import Narrator, Silent
from codequarry.errors import MissingAPIKey, UsageError
from codequarry.retrieval.filters import Content, Filters
from codequarry.retrieval.index import Index, Options, open_index
from codequarry.settings import Settings, load_settings


@dataclass(frozen=True, slots=True)
class Asking:
    """How a question is asked.

    Attributes:
        narrator: who writes the prose; one of `codequarry.ask.narrators.choose.NARRATORS`.
        model: the chat model, before that of the settings.
        max_tokens: of the prose.
        cache: give a kept answer again while what it cites stands, and keep new ones.
        agents: several readers; None: where a chat model gets a broad question.
        docs: answer from documentation.
        scope: only below this path.
    """

    narrator: str = AUTO
    model: str = ""
    max_tokens: int = MAX_TOKENS
    cache: bool = True
    agents: bool | None = None
    docs: bool = False
    scope: str = ""


def narrator_of(index: Index, settings: Settings, asking: Asking) -> Narrator:
    """Who narrates; without its key, one who says why and leaves what was found to be shown.

    Raises:
        UsageError: there is no such narrator, its package is not installed, or several readers
            were asked for and no chat model narrates.
    """
    narrator: Narrator
    try:
        narrator = choose_narrator(
            asking.narrator, settings, index, model=asking.model, max_tokens=asking.max_tokens
        )
    except MissingAPIKey as error:
        narrator = Silent(OPENAI, error)
    if asking.agents and not isinstance(narrator, OpenAINarrator | Silent):
        raise UsageError(
            f"agents need a chat model, and {narrator.name} narrates",
            "set OPENAI_BASE_URL or OPENAI_API_KEY, or give --narrator openai",
        )
    return narrator


def ask_events(
    index: Index, question: str, settings: Settings, narrator: Narrator, asking: Asking
) -> Iterator[Event]:
    """The events of an answer; `codequarry.ask.events.Done` comes last, on every path."""
    content = Content.DOCS if asking.docs else Content.CODE
    search = Options(filters=Filters(scope=asking.scope, content=content))
    book = open_book(index, settings, narrator, search) if asking.cache else None
    return ask(index, question, narrator, AskOptions(search, book, asking.agents))


def ask_stream(question: str, repo: Index | Path | str = ".", **asking: Any) -> Iterator[Event]:
    """The events of `answer_of` as they happen; the arguments and errors are the same."""
    index = repo if isinstance(repo, Index) else open_index(repo)
    how = Asking(**asking)
    settings = load_settings(index.generation.layout.root)
    return ask_events(index, question, settings, narrator_of(index, settings, how), how)


def answer_of(question: str, repo: Index | Path | str = ".", **asking: Any) -> AskAnswer:
    """Answer a question in prose, with every line of code read from disk.

    Args:
        question: in the user's own words.
        repo: an open index, or a path in the repository.
        asking: the fields of `Asking`, such as ``narrator="extractive"`` or ``cache=False``.

    Raises:
        QuarryError: nothing could be answered; of the kind that says why.
        TypeError: there is no such field.
    """
    return collect(ask_stream(question, repo, **asking))
