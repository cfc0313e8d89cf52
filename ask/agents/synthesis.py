"""One answer of several agents' notes; the notes themselves where it fails."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codequarry.ask.agents.team import Draft, Findings
from codequarry.ask.candidates import Candidates
from codequarry.ask.narrators.openai import OpenAINarrator
from codequarry.ask.narrators.protocol import NarrationCut
from codequarry.ask.prompt import RULES, border_for, place_of
from codequarry.errors import QuarryError
from codequarry.models.chat import Message
from codequarry.models.tokens import estimate_tokens

NOTES_TOKENS = 12_000  # of all notes together

_SYSTEM = """\
You write one answer about a code repository for a programmer, from the notes of several readers \
who saw parts of it. Join them to one explanation in the order in which things happen; leave out \
what is said twice. Keep their citations as they are: the same numbers, each once. Add nothing \
that is not in the notes.

"""
_CITATION = re.compile(r"\[\[\d+(?::\d+-\d+)?\]\]")


class Synthesis:
    """A narrator that writes from drafts; without any, the narrator it stands for writes alone."""

    def __init__(self, narrator: OpenAINarrator, findings: Findings) -> None:
        self._narrator = narrator
        self._drafts = findings.drafts

    @property
    def name(self) -> str:
        """The word of the narrator it stands for."""
        return self._narrator.name

    def narrate(self, question: str, candidates: Candidates) -> Iterator[str]:
        """See `Narrator.narrate`. A text that breaks off or cites nothing is followed by the notes.

        Raises:
            NarrationCut: the answer is the notes, or ends with them.
        """
        if not self._drafts:
            yield from self._narrator.narrate(question, candidates)
            return
        text, why = "", "the writer cited nothing"
        try:
            mask = not self._narrator.chat.local
            messages = _messages(question, candidates, self._drafts, mask=mask)
            for piece in self._narrator.say(messages):
                text += piece
                yield piece
            if _CITATION.search(text):
                return
        except NarrationCut as cut:
            if _CITATION.search(text):
                raise
            why = cut.message
        except QuarryError as error:
            why = error.message
        yield from _notes(self._drafts, after_text=bool(text.strip()))
        raise NarrationCut(f"{why}: these are the readers' own notes")


def _messages(
    question: str, candidates: Candidates, drafts: tuple[Draft, ...], *, mask: bool
) -> list[Message]:
    share = NOTES_TOKENS // len(drafts)
    notes = "\n\n".join(
        f"Notes of {draft.group.agent} on: {draft.group.question}\n{_short(draft.text, share)}"
        for draft in drafts
    )
    cited = {int(n) for n in re.findall(r"\[\[(\d{1,9})(?!\d)", notes)}
    places = "\n".join(
        place_of(span, mask=mask) for span in candidates.spans if span.number in cited
    )
    data = f"{notes}\n\nSpans that they cite:\n{places}"
    border = border_for(data + question)
    user = (
        f"Question: {question.strip()}\n\n"
        f"BEGIN REPOSITORY DATA {border}\n{data}\nEND REPOSITORY DATA {border}\n\n"
        "Answer the question by the rules, citing spans by number."
    )
    return [Message("system", _SYSTEM + RULES.format(border=border)), Message("user", user)]


def _short(text: str, tokens: int) -> str:
    while estimate_tokens(text) > tokens:
        text = text[: len(text) * 3 // 4]
    return text


def _notes(drafts: tuple[Draft, ...], *, after_text: bool) -> Iterator[str]:
    """The drafts in the order of the plan, each below its question."""
    if after_text:
        yield "\n\n"
    for draft in drafts:
        yield f"**{_plain(draft.group.question)}**\n\n{draft.text}\n\n"


def _plain(text: str) -> str:
    """A question as a line of prose: it may be a model's."""
    return re.sub(r"[\[\]*`<>\\]", "", " ".join(text.split()))
