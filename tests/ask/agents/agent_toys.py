"""A small repository in three folders, and a scripted model that plays every role."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from codequarry.ask.agents.team import Limits
from codequarry.ask.ask import AskOptions, ask, collect
from codequarry.ask.narrators.openai import OpenAINarrator
from codequarry.models.chat import Timeouts, open_chat
from codequarry.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from chat_server import Answer, ChatServer

    from codequarry.ask.answer import AskAnswer
    from codequarry.ask.events import Event
    from codequarry.retrieval.index import Index

QUESTION = "how does an order become a parcel"
SECRET = "sk-live-51Hx9Qm2Lk8Vt3Zp7Rw4Ny6Bd1"
TREE = {
    "web/views.py": "from stock.orders import place\n\n\ndef order_view(form):\n"
    '    """Take an order."""\n    return place(form)\n',
    "stock/orders.py": "from post.parcels import pack\n\n\ndef place(form):\n"
    '    """Place an order."""\n    return pack(form)\n',
    "post/parcels.py": 'def pack(order):\n    """Pack an order into a parcel."""\n'
    "    return stamp(order)\n\n\n"
    'def stamp(order):\n    """Stamp a parcel of an order."""\n    return [order]\n',
    "post/keys.py": f'"""Keys of the parcel post, not of orders."""\n\nPOST_KEY = "{SECRET}"\n',
    ".env": "PASSWORD=hunter2\n",
}


def asked(body: dict[str, Any]) -> str:
    """Who is asked: the planner, an agent by its number, or the writer."""
    system, user = body["messages"][0]["content"], body["messages"][1]["content"]
    if system.startswith("You split"):
        return "plan"
    if system.startswith("You are one of several readers"):
        return "agent"
    return "writer" if system.startswith("You write one answer") else f"single {user[:0]}".strip()


@dataclass
class Model:
    """A scripted model: what each role answers, by what it was sent."""

    plan: Answer | Callable[[dict[str, Any]], Answer] = ""
    agent: Answer | Callable[[dict[str, Any]], Answer] = "Noted in [[1]].\n"
    writer: Answer | Callable[[dict[str, Any]], Answer] = "It begins in [[1]].\n"
    single: Answer | Callable[[dict[str, Any]], Answer] = "Alone: [[1]].\n"
    roles: list[str] = field(default_factory=list)

    def __call__(self, body: dict[str, Any]) -> Answer:
        """Answer one request."""
        role = asked(body)
        self.roles.append(role)
        given = getattr(self, role)
        return given(body) if callable(given) else given


def plan_of(*groups: tuple[str, list[Any]]) -> str:
    """A planner's reply."""
    return json.dumps({"readers": [{"question": q, "spans": spans} for q, spans in groups]})


@dataclass
class Talk:
    """One question asked of a scripted model."""

    index: Index
    server: ChatServer

    def events(self, model: Model, **more: Any) -> list[Event]:
        """All events of the answer."""
        self.server.answers = model
        settings = Settings(chat_base_url=self.server.url)
        narrator = OpenAINarrator(open_chat(settings, "m", Timeouts(1, 0.8, 2)))
        limits = Limits(more.pop("plan_seconds", 3.0), more.pop("agent_seconds", 3.0))
        question = more.pop("question", QUESTION)
        options = AskOptions(limits=limits, **({"agents": True} | more))
        return list(ask(self.index, question, narrator, options))

    def answer(self, model: Model, **more: Any) -> AskAnswer:
        """The answer alone."""
        return collect(iter(self.events(model, **more)))
