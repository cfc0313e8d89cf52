"""Agents on the command line: live lines on a terminal, nothing of them when piped."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest
from agent_toys import QUESTION, Model, Talk, plan_of
from rich.console import Console

from codequarry.ask.events import AgentDone, AgentError, AgentStart, AgentTool, Classified, Done
from codequarry.shells.cli.agents_terminal import TerminalAgents
from codequarry.shells.cli.answer_terminal import TerminalAnswer

if TYPE_CHECKING:
    from chat_server import ChatServer

    from codequarry.retrieval.index import Index

PLAN = plan_of(("who takes it?", [1, 2]), ("who packs it?", [3, 4]))


def screen() -> tuple[io.StringIO, Console]:
    out = io.StringIO()
    return out, Console(file=out, width=100, force_terminal=True, no_color=True)


def test_each_agent_has_a_line_that_says_how_it_ended(talk: Talk):
    out, console = screen()
    answer = io.StringIO()
    terminal = TerminalAnswer(Console(file=answer, width=100), TerminalAgents(console))
    for event in talk.events(Model(plan=PLAN)):
        terminal.show(event)
    last = out.getvalue()
    assert "a broad question: asked for" in last
    assert "✓ who takes it?" in last
    assert "✓ who packs it?" in last
    assert "It begins in" in answer.getvalue()
    assert "who takes it?" not in answer.getvalue()


def test_what_a_model_writes_cannot_steer_the_terminal():
    out, console = screen()
    agents = TerminalAgents(console)
    evil = "\x1b]0;owned\x07 \x1b[2J ask"
    agents.show(Classified(True, (evil,)))
    agents.show(AgentStart("a", evil))
    agents.show(AgentStart("b", evil))
    agents.show(AgentTool("a", f"search{evil}", evil, 3))
    agents.show(AgentError("a", evil))
    agents.show(AgentDone("b", 1234.5, None, None))
    agents.close()
    text = out.getvalue()
    assert "\x07" not in text
    assert "\x1b]0" not in text
    assert "\x1b[2J" not in text.replace("\x1b[2K", "")
    assert "✗" in text
    assert "done in 1.2 s" in text


def test_a_display_closed_twice_or_never_begun_is_quiet():
    out, console = screen()
    agents = TerminalAgents(console)
    agents.close()
    agents.show(Classified(False, ()))
    agents.close()
    assert out.getvalue() == ""


@pytest.fixture
def command(shop: Index, server: ChatServer, quarry, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("QUARRY_MODEL", "none")

    def run(*arguments: str):
        return quarry("-C", shop.generation.layout.root, "ask", QUESTION, "--no-cache", *arguments)

    return run


def test_events_hold_the_agents_and_the_answer_comes_last(command, server: ChatServer):
    server.answers = Model(plan=PLAN)
    ran = command("--agents", "--events")
    assert ran.status == 0, ran.err
    types = [json.loads(line)["type"] for line in ran.out.splitlines()]
    assert types.count("agent_start") == types.count("agent_done") == 2
    assert types[-1] == "done"
    assert types[1:4] == ["classified", "planning", "plan"]


def test_a_piped_answer_holds_nothing_of_the_drafts(command, server: ChatServer):
    server.answers = Model(plan=PLAN, agent="A draft: [[2]].\n")
    ran = command("--agents")
    assert ran.status == 0, ran.err
    assert "It begins in" in ran.out
    assert "draft" not in ran.out
    assert Done.type not in ran.out


def test_no_agents_asks_once(command, server: ChatServer):
    server.answers = Model()
    assert command("--no-agents").status == 0
    assert len(server.requests) == 1


def test_agents_without_a_chat_model_are_refused(command, server: ChatServer):
    ran = command("--agents", "--narrator", "extractive")
    assert ran.status == 2
    assert "agents need a chat model" in ran.err
    assert server.requests == []
