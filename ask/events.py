"""What happens while an answer is made, as typed events: one stream for every shell.

Each has a ``type`` and the version of this vocabulary. ``done`` comes last, on every path.
Joined in order, the ``text`` of `SynthesisDelta`, `Splice` and `Bundle` is the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any, ClassVar, TypeAlias

from codequarry.ask.answer import AskAnswer
from codequarry.errors import QuarryError

EVENTS_VERSION = 1


@dataclass(frozen=True, slots=True)
class _Event:
    type: ClassVar[str]

    def as_json(self) -> dict[str, Any]:
        """The documented JSON form."""
        document: dict[str, Any] = {"v": EVENTS_VERSION, "type": self.type}
        for field in fields(self):
            document[field.name] = _plain(getattr(self, field.name))
        return document


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, AskAnswer):
        return value.as_json()
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return value


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate as an event names it."""

    number: int
    path: str
    start_line: int
    end_line: int
    symbol: str
    core: bool


@dataclass(frozen=True, slots=True)
class Group:
    """One agent's part of a plan: its question and the numbers of its candidates."""

    agent: str
    question: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Retrieval(_Event):
    """The index was searched."""

    type: ClassVar[str] = "retrieval"
    question: str
    evidence: str
    candidates: tuple[Found, ...]
    notes: tuple[str, ...]
    elapsed_ms: float


@dataclass(frozen=True, slots=True)
class Cached(_Event):
    """An earlier answer still holds and is given again."""

    type: ClassVar[str] = "cached"
    question: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Classified(_Event):
    """Whether the question is broad enough for several agents, and why."""

    type: ClassVar[str] = "classified"
    broad: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Planning(_Event):
    """The question is being split."""

    type: ClassVar[str] = "planning"


@dataclass(frozen=True, slots=True)
class Plan(_Event):
    """How the question was split."""

    type: ClassVar[str] = "plan"
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class AgentStart(_Event):
    """An agent begins."""

    type: ClassVar[str] = "agent_start"
    agent: str
    question: str


@dataclass(frozen=True, slots=True)
class AgentDelta(_Event):
    """An agent wrote something; a draft, not part of the answer."""

    type: ClassVar[str] = "agent_delta"
    agent: str
    text: str


@dataclass(frozen=True, slots=True)
class AgentTool(_Event):
    """An agent used a tool."""

    type: ClassVar[str] = "agent_tool"
    agent: str
    tool: str
    argument: str
    found: int


@dataclass(frozen=True, slots=True)
class AgentDone(_Event):
    """An agent is done. Tokens are None where the provider did not count them."""

    type: ClassVar[str] = "agent_done"
    agent: str
    elapsed_ms: float
    prompt_tokens: int | None
    completion_tokens: int | None


@dataclass(frozen=True, slots=True)
class AgentError(_Event):
    """An agent failed; the others go on."""

    type: ClassVar[str] = "agent_error"
    agent: str
    message: str


@dataclass(frozen=True, slots=True)
class SynthesisStart(_Event):
    """The narrator begins to write the answer."""

    type: ClassVar[str] = "synthesis_start"
    narrator: str


@dataclass(frozen=True, slots=True)
class SynthesisDelta(_Event):
    """Prose of the answer, free of code."""

    type: ClassVar[str] = "synthesis_delta"
    text: str


@dataclass(frozen=True, slots=True)
class Splice(_Event):
    """Lines read from disk became part of the answer.

    ``code`` is the lines alone, ``text`` their block in Markdown; ``state`` says whether they
    are ``indexed``, ``moved`` or ``changed``.
    """

    type: ClassVar[str] = "splice"
    path: str
    start_line: int
    end_line: int
    blob: str
    language: str
    state: str
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Bundle(_Event):
    """All that was found follows as splices; ``text`` says why."""

    type: ClassVar[str] = "bundle"
    text: str


@dataclass(frozen=True, slots=True)
class Error(_Event):
    """Something failed; what can still be answered follows."""

    type: ClassVar[str] = "error"
    error: QuarryError

    def as_json(self) -> dict[str, Any]:
        """Version and type, then class, code, message and hint."""
        envelope = self.error.envelope()["error"]
        return {"v": EVENTS_VERSION, "type": self.type, **envelope}


@dataclass(frozen=True, slots=True)
class Done(_Event):
    """The end, with the whole answer."""

    type: ClassVar[str] = "done"
    answer: AskAnswer


Event: TypeAlias = (
    Retrieval
    | Cached
    | Classified
    | Planning
    | Plan
    | AgentStart
    | AgentDelta
    | AgentTool
    | AgentDone
    | AgentError
    | SynthesisStart
    | SynthesisDelta
    | Splice
    | Bundle
    | Error
    | Done
)
