"""The table of routes: what each takes and gives. The OpenAPI document is made from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from codequarry.ask.narrators.choose import AUTO, CLAUDE, EXTRACTIVE, OPENAI
from codequarry.retrieval.filters import Content
from codequarry.retrieval.impact import MAX_DEPTH
from codequarry.retrieval.index import Mode
from codequarry.retrieval.ranking import Profile
from codequarry.shells.http import answers
from codequarry.shells.http.service import Service
from codequarry.shells.service.parameters import Kind, Parameter
from codequarry.vocabulary import Role

Answer = Callable[[Service, Mapping[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one route.

    Attributes:
        method: GET or POST.
        path: of the route.
        name: of the operation, for the OpenAPI document and generated clients.
        summary: one line.
        parameters: of the query string (GET) or the JSON body (POST).
        answer: from checked values to the document; None for streams.
        status: of a success.
        changes: refused by a server that only reads.
        limited: counts against the rate limit.
        open: needs no token.
    """

    method: str
    path: str
    name: str
    summary: str
    parameters: tuple[Parameter, ...] = ()
    answer: Answer | None = None
    status: int = 200
    changes: bool = False
    limited: bool = False
    open: bool = False


_Q = Parameter("q", "The question, words, or a whole pasted issue.", required=True)
_SEARCH = (
    _Q,
    Parameter("lang", "Only files of these languages.", Kind.STRINGS),
    Parameter("role", "Only files of these roles.", Kind.STRINGS, choices=tuple(Role)),
    Parameter("kind", "Only chunks that define one of these.", Kind.STRINGS),
    Parameter("glob", "Only paths that match a gitignore pattern.", Kind.STRINGS),
    Parameter("in", "Only below this path."),
    Parameter("content", "From code, docs or all.", choices=tuple(Content)),
    Parameter("ranker", "The ranking profile.", choices=tuple(Profile)),
    Parameter("mode", "Read as a question or as an issue.", choices=tuple(Mode)),
    Parameter("explain", "Say what each feature adds to a score.", Kind.BOOLEAN),
    Parameter("walk_depth", "Follow edges so many hops.", Kind.INTEGER, high=2),
    Parameter("near_symbol", "Answer from around this symbol."),
    Parameter("max_tokens", "Fit the answer in so many tokens.", Kind.INTEGER),
    Parameter("prune", "Only the chunks that say something, flat.", Kind.BOOLEAN),
)
_PATH = Parameter("path", "Of an indexed file.", required=True)
_ASK = (
    Parameter("question", "In your own words.", required=True),
    Parameter("narrator", "Who writes.", choices=(AUTO, EXTRACTIVE, OPENAI, CLAUDE)),
    Parameter("model", "The chat model."),
    Parameter("max_tokens", "Of the prose.", Kind.INTEGER, low=16, high=32_000),
    Parameter("cache", "Take and keep answers.", Kind.BOOLEAN),
    Parameter("agents", "Several readers, or one.", Kind.BOOLEAN),
    Parameter("docs", "Answer from documentation.", Kind.BOOLEAN),
    Parameter("in", "Only below this path."),
)
_INDEX = (Parameter("rebuild", "Parse and embed everything anew.", Kind.BOOLEAN),)
_GRAPH = (
    Parameter("op", "What to ask.", required=True, choices=answers.GRAPH_OPS),
    Parameter("what", "A path, a symbol or words (all but map and path)."),
    Parameter("from", "Where a path begins."),
    Parameter("to", "Where a path ends."),
    Parameter("brief", "A map without all nodes and edges.", Kind.BOOLEAN),
    Parameter("lines", "Of a node's code at most; 0: all.", Kind.INTEGER),
    Parameter("limit", "Edges at most; 0: all.", Kind.INTEGER),
    Parameter("depth", "How far impact goes.", Kind.INTEGER, low=1, high=MAX_DEPTH),
    Parameter("possible", "Calls of the name on unknown receivers too.", Kind.BOOLEAN),
)

OPERATIONS = (
    Operation("GET", "/health", "health", "Whether it is there and can answer.",
              answer=answers.health, open=True),
    Operation("GET", "/config", "config", "How the repository is served.", answer=answers.config),
    Operation("GET", "/repos", "repos", "The user's list of repositories.", answer=answers.repos),
    Operation("GET", "/search", "search", "Every file that bears on a question, ranked.",
              _SEARCH, answers.search),
    Operation("POST", "/search", "searchByBody", "The same, from a JSON body.",
              _SEARCH, answers.search),
    Operation("GET", "/docsearch", "docSearch", "Sections of the documentation.",
              (_Q, Parameter("limit", "Pages at most.", Kind.INTEGER, low=1, high=100)),
              answers.doc_search),
    Operation("GET", "/get", "getCode", "Lines of an indexed file, as they are on disk.",
              (_PATH, Parameter("start", "First line.", Kind.INTEGER, low=1, high=2**31),
               Parameter("end", "Last line.", Kind.INTEGER, low=1, high=2**31)), answers.code),
    Operation("GET", "/chunks", "chunks", "How a file was cut.", (_PATH,), answers.chunks),
    Operation("GET", "/symbols", "symbols", "Where the symbols of a name are defined.",
              (Parameter("name", "Qualified or not.", required=True),), answers.symbols),
    Operation("GET", "/graph", "graph", "The map, a file, a route, callers, callees, impact.",
              _GRAPH, answers.graph),
    Operation("GET", "/flows", "flows", "The kept answers, and what else could be asked.",
              answer=answers.flows),
    Operation("GET", "/status", "status", "What is indexed.", answer=answers.status),
    Operation("GET", "/skipped", "skipped", "What is not indexed, and why.",
              answer=answers.skipped),
    Operation("POST", "/ask", "ask", "An answer in prose, its code read from disk.",
              _ASK, answers.ask, limited=True),
    Operation("POST", "/ask/stream", "askStream", "The same as server-sent events.",
              _ASK, limited=True),
    Operation("POST", "/index", "index", "Bring the index up to date, in the background.",
              _INDEX, answers.index, status=202, changes=True),
    Operation("POST", "/index/stream", "indexStream", "The same, with its progress as events.",
              _INDEX, changes=True),
)  # fmt: skip
