"""Ask an index a question: search, narrate, splice, as one stream of events."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace

from codequarry.ask.agents.classify import broad
from codequarry.ask.agents.synthesis import Synthesis
from codequarry.ask.agents.team import Limits, look
from codequarry.ask.answer import AnswerSpan, AskAnswer
from codequarry.ask.candidates import Candidates
from codequarry.ask.events import (
    Bundle,
    Classified,
    Done,
    Error,
    Event,
    Found,
    Retrieval,
    Splice,
    SynthesisDelta,
    SynthesisStart,
)
from codequarry.ask.flows.book import FlowBook, Told, with_flow_files
from codequarry.ask.flows.match import Match, prose_of
from codequarry.ask.narrators.openai import OpenAINarrator
from codequarry.ask.narrators.protocol import NarrationCut, Narrator
from codequarry.ask.pool import gather
from codequarry.ask.splice import Part, PartKind, Splicer
from codequarry.errors import InvalidQuery, ProviderError, QuarryError, StoreWriteError
from codequarry.retrieval.answer import Answer
from codequarry.retrieval.index import Index, Options


@dataclass(frozen=True, slots=True)
class AskOptions:
    """How a question is answered."""

    search: Options = field(default_factory=Options)
    book: FlowBook | None = None  # of kept answers; none: nothing is kept and nothing given again
    agents: bool | None = None  # several for a broad question; None: where it is one
    limits: Limits = field(default_factory=Limits)  # of several agents


def ask(
    index: Index, question: str, narrator: Narrator, options: AskOptions | None = None
) -> Iterator[Event]:
    """Answer a question; `Done` comes last on every path, and nothing is raised for one.

    Args:
        index: where to look.
        question: in the user's own words.
        narrator: who writes the prose. If it fails, takes too long or cites nothing, all that
            was found is shown, with the reason.
        options: how to search, and whether several agents look at a broad question.
    """
    started = time.perf_counter()
    options = options or AskOptions()
    try:
        if not question.strip():
            raise InvalidQuery("no question given", 'for example: quarry ask "how do logins work"')
        kept, told = _kept(options.book, question)
        if told is not None:
            yield from told.events(question, started)
            return
        found = index.search(question, options.search)
        found = with_flow_files(index.generation, found, kept.near)
        candidates = gather(index, question, found, options.search)
        earlier = tuple(prose_of(flow.answer["answer"]) for flow in kept.near)
        candidates = replace(candidates, earlier=earlier)
    except QuarryError as error:
        yield Error(error)
        yield Done(_failed(question, narrator.name, started))
        return
    yield Retrieval(
        question,
        found.evidence.value,
        _found(candidates),
        found.notes,
        round((time.perf_counter() - started) * 1000, 3),
    )
    faults: list[str] = []
    if isinstance(narrator, OpenAINarrator):
        narrator, candidates = yield from _with_agents(
            index, question, narrator, found, candidates, options, faults
        )
    splicer = Splicer(index.generation, candidates)
    shown: list[SynthesisDelta | Splice | Bundle] = []
    for event in _narrated(splicer, question, narrator, candidates, faults):
        if isinstance(event, SynthesisDelta | Splice | Bundle):
            shown.append(event)
        yield event
    answer = _answer(question, narrator, splicer, shown, started)
    if options.book is not None and not faults:
        try:
            options.book.keep(question, answer, shown)
        except QuarryError as error:  # the answer is whole without being kept
            yield Error(error)
    yield Done(answer)


def _with_agents(
    index: Index,
    question: str,
    narrator: OpenAINarrator,
    found: Answer,
    candidates: Candidates,
    options: AskOptions,
    faults: list[str],
) -> Generator[Event, None, tuple[Narrator, Candidates]]:
    """Who writes the answer to a question, and from what: agents look first where it is broad.

    Why some of them failed goes into ``faults``: what the others found is told, but not kept.
    """
    reasons = broad(question, found) if options.agents is None else ("asked for",)
    wanted = bool(reasons) if options.agents is None else options.agents
    yield Classified(wanted, reasons if wanted else ())
    if not wanted or not candidates.spans:
        return narrator, candidates
    findings = yield from look(
        index, question, narrator.chat, candidates, options.search, options.limits
    )
    faults += findings.failed
    return Synthesis(narrator, findings), findings.candidates


def _kept(book: FlowBook | None, question: str) -> tuple[Match, Told | None]:
    """What is kept that fits; nothing where the book cannot be read: it is only a shortcut."""
    if book is None:
        return Match(), None
    try:
        found = book.find(question)
        return found, book.told(found)
    except StoreWriteError:
        return Match(), None


def _answer(
    question: str,
    narrator: Narrator,
    splicer: Splicer,
    shown: Iterable[SynthesisDelta | Splice | Bundle],
    started: float,
) -> AskAnswer:
    return AskAnswer(
        question=question,
        answer="".join(event.text for event in shown),
        spans=tuple(
            AnswerSpan(shown.path, shown.start_line, shown.end_line, shown.blob)
            for shown in splicer.shown
        ),
        grounded=bool(splicer.cited),
        narrator=narrator.name,
        cached=False,
        uncited=tuple(
            AnswerSpan(c.path, c.start_line, c.end_line, c.blob) for c in splicer.uncited
        ),
        void_citations=splicer.void,
        elapsed_ms=(time.perf_counter() - started) * 1000,
    )


def collect(events: Iterable[Event]) -> AskAnswer:
    """The answer of a stream of events.

    Raises:
        QuarryError: the question could not be asked at all.
    """
    failure: Error | None = None
    for event in events:
        if isinstance(event, Error):
            failure = event
        if isinstance(event, Done):
            if failure is not None and not event.answer.answer:
                raise failure.error
            return event.answer
    raise AssertionError("a stream of events ends with its answer")


def _narrated(
    splicer: Splicer,
    question: str,
    narrator: Narrator,
    candidates: Candidates,
    faults: list[str],
) -> Iterator[Event]:
    """What is told; why it is not whole goes into ``faults``."""
    failure, note = "", ""
    if candidates.spans:
        yield SynthesisStart(narrator.name)
        try:
            for piece in narrator.narrate(question, candidates):
                yield from _events(splicer.feed(piece))
        except NarrationCut as cut:
            note = cut.message
        except QuarryError as error:
            yield Error(error)
            failure = error.message
        except Exception as error:  # a narrator is foreign code: its bugs end here, named
            known = ProviderError(
                f"the narrator {narrator.name} failed ({type(error).__name__})",
                "this is a bug of the narrator",
            )
            yield Error(known)
            failure = known.message
    faults += [fault for fault in (failure, note) if fault]
    yield from _events(splicer.finish(failure, note))


def _events(parts: list[Part]) -> Iterator[Event]:
    for part in parts:
        if part.shown is not None:
            shown = part.shown
            yield Splice(
                shown.path,
                shown.start_line,
                shown.end_line,
                shown.blob,
                shown.language,
                shown.state.value,
                shown.text,
                part.text,
            )
        elif part.kind is PartKind.BUNDLE:
            yield Bundle(part.text)
        else:
            yield SynthesisDelta(part.text)


def _found(candidates: Candidates) -> tuple[Found, ...]:
    return tuple(
        Found(c.number, c.path, c.start_line, c.end_line, c.symbol, c.core)
        for c in candidates.spans
    )


def _failed(question: str, narrator: str, started: float) -> AskAnswer:
    empty = AskAnswer(question, "", (), False, narrator, False, (), 0, 0.0)
    return replace(empty, elapsed_ms=(time.perf_counter() - started) * 1000)
