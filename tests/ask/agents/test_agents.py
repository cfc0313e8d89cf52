"""Agents over real HTTP: whatever a model does at any point, a grounded answer comes, in time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from agent_toys import QUESTION, SECRET, Model, Talk, plan_of
from chat_server import DONE, piece

from codequarry.ask.agents.work import CALLS, ROUNDS
from codequarry.ask.events import (
    AgentDone,
    AgentError,
    AgentTool,
    Bundle,
    Classified,
    Done,
    Event,
    Plan,
)

if TYPE_CHECKING:
    from codequarry.retrieval.index import Index

TWO = plan_of(("who takes the order?", [1, 2]), ("who packs it?", [3, 4]))
OPEN_ENDED = [piece("half of the", None), 30.0]


def only(events: list[Event], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def grounded(events: list[Event]) -> str:
    """The answer's text; it must show code, and have been cited by somebody."""
    (done,) = only(events, Done)
    assert events[-1] is done
    assert done.answer.grounded
    assert done.answer.spans
    return done.answer.answer


def test_a_broad_question_is_split_looked_at_and_joined(talk: Talk):
    model = Model(plan=TWO, agent="Seen in [[3]].\n", writer="First [[1]], at last [[3]].\n")
    events = talk.events(model)
    types = list(dict.fromkeys(event.type for event in events))
    assert types[:5] == ["retrieval", "classified", "planning", "plan", "agent_start"]
    assert types[-4:] == ["synthesis_start", "synthesis_delta", "splice", "done"]
    assert [group.question for group in only(events, Plan)[0].groups] == [
        "who takes the order?",
        "who packs it?",
    ]
    assert sorted(model.roles) == ["agent", "agent", "plan", "writer"]
    assert len(only(events, AgentDone)) == 2
    answer = only(events, Done)[0].answer
    assert [span.path for span in answer.spans] == [
        only(events, type(events[0]))[0].candidates[n - 1].path for n in (1, 3)
    ]
    writer = talk.server.requests[-1]["messages"][1]["content"]
    assert writer.count("Seen in [[3]].") == 2  # both readers' notes


def test_agents_run_at_the_same_time(talk: Talk):
    def slow(_: dict[str, Any]) -> Any:
        return [0.6, piece("Noted [[1]].\n"), piece(None, "stop"), b"data: [DONE]\n\n"]

    started = time.monotonic()
    grounded(talk.events(Model(plan=TWO, agent=slow)))
    assert time.monotonic() - started < 1.1


def test_events_of_an_agent_end_with_its_end(talk: Talk):
    ended: set[str] = set()
    for event in talk.events(Model(plan=TWO, agent=[piece("a "), piece("b [[1]]"), *OPEN_ENDED])):
        name = getattr(event, "agent", None)
        assert name not in ended
        if isinstance(event, AgentDone | AgentError):
            ended.add(event.agent)
    assert len(ended) == 2


@pytest.mark.parametrize(
    "plan",
    [
        "I would rather not.",
        '{"readers": [{"question": "all", "spans": [1,',
        '{"readers": "none"}',
        "[" * 3000,
        plan_of(("only one", [1, 2, 3])),
        plan_of(("a", [99, -1]), ("b", ["1", None, 2.5, True])),
        [30.0],
        [b"data: {broken\n\n"],
        "",
    ],
    ids=lambda plan: str(plan)[:24],
)
def test_without_a_usable_plan_folders_make_one(talk: Talk, plan: Any):
    events = talk.events(Model(plan=plan), plan_seconds=0.7)
    groups = only(events, Plan)[0].groups
    candidates = only(events, type(events[0]))[0].candidates
    folders = [{candidates[n - 1].path.split("/")[0] for n in g.numbers} for g in groups]
    assert sorted(map(sorted, folders)) == [["post"], ["stock"], ["web"]]
    grounded(events)


def test_spans_of_a_plan_are_disjoint_and_none_is_lost(talk: Talk):
    plan = plan_of(("a", [1, 2, 2, 77]), ("b", [2, 1, 3]))
    events = talk.events(Model(plan=plan))
    numbers = [n for group in only(events, Plan)[0].groups for n in group.numbers]
    found = only(events, type(events[0]))[0].candidates
    assert sorted(numbers) == [candidate.number for candidate in found]


def test_a_hung_agent_dies_alone(talk: Talk):
    def one_hangs(body: dict[str, Any]) -> Any:
        hangs = "who packs it?" in body["messages"][1]["content"]
        return [30.0] if hangs else "Noted in [[1]].\n"

    started = time.monotonic()
    events = talk.events(Model(plan=TWO, agent=one_hangs), agent_seconds=0.5)
    assert time.monotonic() - started < 4
    (error,) = only(events, AgentError)
    assert error.agent == "agent-2"
    assert "took longer than 0.5 s" in error.message
    assert [done.agent for done in only(events, AgentDone)] == ["agent-1"]
    assert "It begins" in grounded(events)


def test_an_agent_left_behind_asks_nothing_more(talk: Talk):
    """It is in the middle of its rounds of tools, each of which would be paid for."""

    def slow(body: dict[str, Any]) -> Any:
        call = {"index": 0, "id": "c", "function": {"name": "get_symbol", "arguments": "{}"}}
        return [0.3, piece(None, tool_calls=[call]), piece(None, "tool_calls"), DONE]

    talk.events(Model(plan=TWO, agent=slow), agent_seconds=0.45)
    asked = len(talk.server.requests)
    time.sleep(1.2)
    assert len(talk.server.requests) == asked


def test_why_there_is_no_plan_is_told_and_the_answer_is_whole(talk: Talk):
    events = talk.events(Model(plan=[30.0]), plan_seconds=0.4)
    (error,) = only(events, AgentError)
    assert (error.agent, error.message) == ("planner", "gave no plan within 0.4 s")
    grounded(events)


@pytest.mark.parametrize(
    "notes", [f"Seen in [[{'9' * 5000}]] and [[1]].\n", "\ud800 [[1]] \udc00\n", "[[1]]" * 900]
)
def test_odd_notes_of_one_agent_cost_the_others_nothing(talk: Talk, notes: str):
    def odd(body: dict[str, Any]) -> str:
        return notes if "who takes" in body["messages"][1]["content"] else "Seen in [[3]].\n"

    assert "It begins in" in grounded(talk.events(Model(plan=TWO, agent=odd)))


def test_a_tool_of_an_odd_name_is_answered(talk: Talk):
    def odd(body: dict[str, Any]) -> Any:
        turns = sum(message["role"] == "tool" for message in body["messages"])
        return "Seen in [[1]].\n" if turns else [("\ud800tool", '{"a": "\\ud800"}')]

    events = talk.events(Model(plan=TWO, agent=odd))
    assert not only(events, AgentError)
    grounded(events)


def test_what_a_stopped_agent_had_written_is_used(talk: Talk):
    parts = [piece("Packed in [[3]], then"), 30.0]
    events = talk.events(Model(plan=TWO, agent=parts, writer=[30.0]), agent_seconds=0.7)
    assert len(only(events, AgentError)) == 2
    assert "Packed in" in grounded(events)


def test_an_agent_that_wants_tools_for_ever_is_told_to_write(talk: Talk):
    def greedy(body: dict[str, Any]) -> Any:
        if "tools" not in body:
            return "At last: [[1]].\n"
        return [("search_more", '{"query": "order"}')] * 30

    events = talk.events(Model(plan=TWO, agent=greedy))
    for agent in ("agent-1", "agent-2"):
        used = [tool for tool in only(events, AgentTool) if tool.agent == agent]
        assert len(used) == ROUNDS * CALLS
    grounded(events)
    asked = [r for r in talk.server.requests if len(r["messages"]) > 2]
    for body in asked:  # every call that is shown to the model has its result
        calls = [c["id"] for m in body["messages"] for c in m.get("tool_calls", ())]
        results = [m["tool_call_id"] for m in body["messages"] if m["role"] == "tool"]
        assert calls == results


def test_agents_that_only_ever_call_tools_leave_the_single_narrator(talk: Talk):
    events = talk.events(Model(plan=TWO, agent=[("get_symbol", '{"name": "pack"}')]))
    assert len(only(events, AgentError)) == 2
    assert "Alone:" in grounded(events)


def test_when_every_agent_and_the_narrator_die_all_that_was_found_is_shown(talk: Talk):
    dead = [b'data: {"error": {"message": "overloaded"}}\n\n']
    events = talk.events(Model(plan=dead, agent=dead, writer=dead, single=dead))
    failed = [error.agent for error in only(events, AgentError)]
    assert failed[0] == "planner"  # so folders made the plan
    assert sorted(failed[1:]) == ["agent-1", "agent-2", "agent-3"]
    assert only(events, Bundle)
    (done,) = only(events, Done)
    assert "overloaded" in done.answer.answer
    assert len(done.answer.spans) >= 4


@pytest.mark.parametrize(
    ("writer", "why"),
    [
        ([b'data: {"error": {"message": "overloaded"}}\n\n'], "overloaded"),
        ([piece("It begins with "), b'data: {"error": {"message": "gone"}}\n\n'], "gone"),
        ("I know all of it, and cite nothing.\n", "cited nothing"),
        ([piece("It begins"), 30.0], "took too long"),
        ([b"data: [DONE]\n\n"], "empty reply"),
        ([piece("It "), piece("is", "length"), b"data: [DONE]\n\n"], "limit of tokens"),
    ],
)
def test_when_the_writer_dies_the_notes_are_the_answer(talk: Talk, writer: Any, why: str):
    def noted(body: dict[str, Any]) -> str:
        return f"Seen [[{1 if 'takes' in body['messages'][1]['content'] else 3}]].\n"

    text = grounded(talk.events(Model(plan=TWO, agent=noted, writer=writer)))
    assert text.index("**who takes the order?**") < text.index("**who packs it?**")
    assert text.count("```python") >= 2
    assert why in text
    assert "readers' own notes" in text


def test_no_span_is_shown_twice_when_notes_follow_a_text_that_broke_off(talk: Talk):
    writer = [piece("It begins in [[1]], and\n\n"), b'data: {"error": {"message": "gone"}}\n\n']
    events = talk.events(Model(plan=TWO, agent="Seen [[1]].\n", writer=writer))
    spans = [(s.path, s.start_line) for s in only(events, Done)[0].answer.spans]
    assert len(spans) == len(set(spans))
    grounded(events)


def test_code_that_agents_and_writer_invent_never_becomes_code(talk: Talk):
    lie = "See [[1]].\n\n```python\nsteal(everything)\n```\n\n    rm -rf /\n"
    for model in (Model(TWO, lie, lie), Model(TWO, lie, "nothing cited")):
        answer = talk.answer(model)
        blocks = answer.answer.split("```")[1::2]
        assert blocks
        assert not any("steal(" in block or "rm -rf" in block for block in blocks)


def test_a_question_that_is_not_broad_has_one_narrator(shop: Index, talk: Talk):
    model = Model()
    events = talk.events(model, agents=None, question="stamp")
    assert [(c.broad, c.reasons) for c in only(events, Classified)] == [(False, ())]
    assert model.roles == ["single"]


def test_agents_can_be_forbidden(talk: Talk):
    model = Model(plan=TWO)
    events = talk.events(model, agents=False, question=" ".join(["order parcel stamp"] * 20))
    assert only(events, Classified)[0].broad is False
    assert model.roles == ["single"]


def test_a_long_question_is_broad(talk: Talk):
    long = "order parcel stamp place pack view form " * 4
    (classified,) = only(talk.events(Model(plan=TWO), agents=None, question=long), Classified)
    assert any("28 words" in reason for reason in classified.reasons)


def test_no_secret_leaves_for_an_address_that_is_not_this_machine(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("codequarry.models.chat.OpenAIChat.local", False)

    def curious(body: dict[str, Any]) -> Any:
        turns = sum(message["role"] == "tool" for message in body["messages"])
        wanted = [("get_file", '{"path": "post/keys.py"}'), ("get_symbol", '{"name": "POST_KEY"}')]
        return wanted if not turns else "The key is kept in [[4]].\n"

    events = talk.events(Model(plan=TWO, agent=curious, writer="Kept in [[1]].\n"))
    assert any(tool.found for tool in only(events, AgentTool))
    sent = str(talk.server.requests)
    assert "post/keys.py" in sent
    assert SECRET not in sent
    grounded(events)


def test_a_broad_answer_is_kept_only_when_it_is_whole(talk: Talk, shop: Index):
    from codequarry.ask.flows.book import open_book
    from codequarry.ask.narrators.openai import OpenAINarrator
    from codequarry.models.chat import open_chat
    from codequarry.retrieval.index import Options
    from codequarry.settings import Settings

    settings = Settings(chat_base_url=talk.server.url)
    book = open_book(shop, settings, OpenAINarrator(open_chat(settings, "m")), Options())
    broken = Model(plan=TWO, writer=[b'data: {"error": {"message": "gone"}}\n\n'])
    talk.events(broken, book=book)
    one_fails = Model(plan=TWO, agent=lambda body: _fails_on(body, "who packs it?"))
    talk.events(one_fails, book=book)
    asked = Model(plan=TWO)
    talk.events(asked, book=book)
    assert "writer" in asked.roles  # the notes were not kept as the answer
    again = Model(plan=TWO)
    events = talk.events(again, book=book)
    assert again.roles == []
    assert only(events, Done)[0].answer.cached


def _fails_on(body: dict[str, Any], part: str) -> Any:
    fails = part in body["messages"][1]["content"]
    return [b'data: {"error": {"message": "gone"}}\n\n'] if fails else "Seen in [[1]].\n"


def test_the_same_question_gives_the_same_requests(talk: Talk):
    first = talk.events(Model(plan=TWO))
    sent = sorted(map(str, talk.server.requests))
    talk.server.requests.clear()
    second = talk.events(Model(plan=TWO))
    assert sorted(map(str, talk.server.requests)) == sent
    assert only(first, Plan) == only(second, Plan)
    assert all(QUESTION in request for request in sent if "'tools'" not in request)
