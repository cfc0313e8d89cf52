"""Several agents at once: a plan, a thread each, one stream of events, and what each wrote.

An agent that hangs is left behind at its time limit: it asks nothing more, its thread ends with
the piece or the silence its connection is waiting for, and what it says is not heard. So a broad
question takes about `Limits.plan_seconds` and `Limits.agent_seconds` longer than a narrow one.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from threading import Thread
from typing import TypeAlias

from codequarry.ask.agents.plan import PLAN_TOKENS, cluster, plan_messages, read_plan
from codequarry.ask.agents.shared import SharedCandidates
from codequarry.ask.agents.tools import Toolbox
from codequarry.ask.agents.work import Agent, Working
from codequarry.ask.candidates import Candidates
from codequarry.ask.events import AgentDone, AgentError, AgentStart, Event, Group, Plan, Planning
from codequarry.errors import ProviderError, QuarryError
from codequarry.models.chat import Chat
from codequarry.retrieval.index import Index, Options

PLANNER = "planner"  # in events, of who splits the question


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds of wall time."""

    plan_seconds: float = 20.0
    agent_seconds: float = 90.0


@dataclass(frozen=True, slots=True)
class Draft:
    """What one agent wrote."""

    group: Group
    text: str


@dataclass(frozen=True, slots=True)
class Findings:
    """What a team came to.

    Attributes:
        candidates: what may be cited now.
        drafts: in the order of the plan, without those of agents that wrote nothing.
        failed: why agents ended before they were done.
    """

    candidates: Candidates
    drafts: tuple[Draft, ...] = ()
    failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _End:
    """An agent is over."""

    error: QuarryError | None = None


_Heard: TypeAlias = tuple[int, "Working | _End"]


def look(
    index: Index,
    question: str,
    chat: Chat,
    candidates: Candidates,
    options: Options,
    limits: Limits,
) -> Generator[Event, None, Findings]:
    """Split a question, let agents work on its parts, and give what they wrote.

    Nothing is raised: a plan that cannot be had is made of folders, and an agent that fails is an
    event.
    """
    yield Planning()
    planned = _plan(question, chat, candidates, limits)
    if isinstance(planned, QuarryError):
        yield AgentError(PLANNER, planned.message)
        planned = ()
    groups = planned or cluster(question, candidates)
    yield Plan(groups)
    if not groups:
        return Findings(candidates)
    shared = SharedCandidates(index.generation, candidates)
    toolbox = Toolbox(index, shared, options, mask=not chat.local)
    agents = [Agent(group, chat, toolbox, shared) for group in groups]
    failed = yield from _together(agents, limits.agent_seconds)
    drafts = tuple(Draft(agent.group, agent.notes) for agent in agents if agent.notes)
    return Findings(shared.all(), drafts, tuple(failed))


def _plan(
    question: str, chat: Chat, candidates: Candidates, limits: Limits
) -> tuple[Group, ...] | QuarryError:
    """A model's plan, empty where it is of no use; or why there is none."""
    replies: queue.SimpleQueue[str | QuarryError] = queue.SimpleQueue()
    messages = plan_messages(question, candidates, mask=not chat.local)

    def asked() -> None:
        try:
            replies.put(chat.complete(messages, max_tokens=PLAN_TOKENS))
        except Exception as error:  # whatever it is, it is told, and folders make the plan
            replies.put(_known(error))

    _start(asked)
    try:
        reply = replies.get(timeout=limits.plan_seconds)
    except queue.Empty:
        return ProviderError(f"gave no plan within {limits.plan_seconds:g} s")
    return reply if isinstance(reply, QuarryError) else read_plan(reply, candidates)


def _known(error: Exception) -> QuarryError:
    """An error as one of ours; a bug is named by its type."""
    if isinstance(error, QuarryError):
        return error
    return ProviderError(f"failed ({type(error).__name__})")


def _together(agents: Sequence[Agent], seconds: float) -> Generator[Event, None, list[str]]:
    """The events of all agents as they come, none of an agent after its end; why some failed."""
    heard: queue.SimpleQueue[_Heard] = queue.SimpleQueue()
    started = time.monotonic()
    for place, agent in enumerate(agents):
        yield AgentStart(agent.group.agent, agent.group.question)
        _start(_speaker(place, agent, heard))
    open_ = set(range(len(agents)))
    failed: list[str] = []
    while open_:
        try:
            place, said = heard.get(timeout=max(0.0, started + seconds - time.monotonic()))
        except queue.Empty:
            break
        if place not in open_:
            continue
        if not isinstance(said, _End):
            yield said
            continue
        open_.remove(place)
        failed += [said.error.message] if said.error else []
        yield _ended(agents[place], said, started)
    for place in sorted(open_):
        agents[place].stopped.set()
        failed.append(f"took longer than {seconds:g} s")
        yield AgentError(agents[place].group.agent, failed[-1])
    return failed


def _speaker(place: int, agent: Agent, heard: queue.SimpleQueue[_Heard]) -> Callable[[], None]:
    def speak() -> None:
        try:
            for event in agent.work():
                heard.put((place, event))
            heard.put((place, _End()))
        except Exception as error:  # one agent's end, whatever it is, is told and not the others'
            heard.put((place, _End(_known(error))))

    return speak


def _ended(agent: Agent, end: _End, started: float) -> Event:
    name, usage = agent.group.agent, agent.usage
    if end.error is not None:
        return AgentError(name, end.error.message)
    return AgentDone(
        name,
        round((time.monotonic() - started) * 1000, 3),
        usage.prompt_tokens if usage else None,
        usage.completion_tokens if usage else None,
    )


def _start(work: Callable[[], None]) -> None:
    Thread(target=work, daemon=True).start()
