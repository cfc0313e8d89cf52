"""The six tools: what each takes and gives. Nothing here loads the engine."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from codequarry.shells.mcp.outcome import Outcome, Report
from codequarry.shells.mcp.repository import Repository
from codequarry.shells.service.parameters import Kind, Parameter, from_body

GRAPH_OPS = ("map", "node", "path", "def", "callers", "callees", "refs", "impact")
_ANSWERS = "codequarry.shells.mcp.answers"

INSTRUCTIONS = """\
codequarry answers questions about this repository from an index on this machine. No model ranks
anything; all code shown is read from disk, and no line of it is invented.

- quarry_search first, whenever you do not know where something is: ask in plain words, or paste an
  issue or a traceback whole. CORE files come with code; RELATED ones are everything else that
  bears on it. Read those before you say that something is not there.
- quarry_ask for "how does X work": a walkthrough in call order with the code of each step.
- quarry_graph when you have a name: def, callers, callees, refs; impact before you change it; map
  for an unfamiliar repository; node for one file; path for how two files are tied.
- quarry_index after you changed many files; answers say when they are stale.
- "not ready, n of m" means that the first index is being made: ask again in a few seconds.
- max_tokens bounds an answer: code shrinks to signatures, no file is dropped.
"""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        name: that agents call it by.
        title: for people.
        description: when to use it, for the model.
        parameters: its arguments.
        output: the properties of its structured output.
        required: those of them that are always there.
        reads: whether it changes nothing.
    """

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    output: Mapping[str, Any]
    required: tuple[str, ...]
    reads: bool = True

    def output_schema(self) -> dict[str, Any]:
        """The JSON Schema of its structured output."""
        return {
            "type": "object",
            "properties": dict(self.output),
            "required": list(self.required),
        }

    def call(self, repository: Repository, arguments: Mapping[str, Any], report: Report) -> Outcome:
        """Check the arguments and do it.

        Raises:
            UsageError: an argument is missing, not known or not of its type.
            QuarryError: of the kind that says what went wrong.
        """
        values = from_body(self.parameters, dict(arguments))
        work = getattr(importlib.import_module(_ANSWERS), self.name.removeprefix("quarry_"))
        found: Outcome = work(repository, values, report)
        return found


_STRING, _INTEGER, _BOOLEAN = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
_NUMBER, _ROWS, _OBJECT = {"type": "number"}, {"type": "array"}, {"type": "object"}


def _objects(*names: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "object", "required": list(names)}}


_TOKENS = Parameter("max_tokens", "Fit the answer in about so many tokens.", Kind.INTEGER, low=16)
_IN = Parameter("in", "Only below this path.")
_NARRATORS = ("auto", "extractive", "openai", "claude")

TOOLS = (
    Tool(
        "quarry_search",
        "Search the repository",
        "Find every file that bears on a question, ranked and complete, in milliseconds. Takes "
        "plain words, names, a whole issue or a traceback. Use it before grep.",
        (
            Parameter("query", "The question, words, or a pasted issue.", required=True),
            _TOKENS,
            Parameter("lang", "Only files of these languages.", Kind.STRINGS),
            Parameter(
                "role",
                "Only files of these roles.",
                Kind.STRINGS,
                choices=("code", "test", "docs", "config", "generated", "data"),
            ),
            Parameter("glob", "Only paths that match a gitignore pattern.", Kind.STRINGS),
            _IN,
            Parameter("content", "From code, docs or all.", choices=("code", "docs", "all")),
            Parameter("mode", "How to read it.", choices=("auto", "query", "issue")),
            Parameter("near_symbol", "Answer from around this symbol."),
        ),
        {
            "query": _STRING,
            "mode": _STRING,
            "evidence": {"type": "string", "enum": ["strong", "weak", "none"]},
            "core": _objects("path", "chunks"),
            "related": _objects("path", "best_span"),
            "generation": _STRING,
            "stale": _BOOLEAN,
            "notes": _ROWS,
            "tokens": _INTEGER,
        },
        ("query", "evidence", "core", "related", "generation"),
    ),
    Tool(
        "quarry_ask",
        "Ask how something works",
        "A walkthrough that answers a question about the code: entry points, call order, what each "
        "step does, with the code of each step read from disk.",
        (
            Parameter("question", "In your own words.", required=True),
            Parameter("max_tokens", "Of the prose.", Kind.INTEGER, low=16, high=32_000),
            Parameter("docs", "Answer from documentation.", Kind.BOOLEAN),
            Parameter("narrator", "Who writes.", choices=_NARRATORS),
            Parameter("agents", "Several readers (needs a chat model).", Kind.BOOLEAN),
            _IN,
        ),
        {
            "question": _STRING,
            "answer": _STRING,
            "spans": _objects("path", "start_line", "end_line"),
            "grounded": _BOOLEAN,
            "narrator": _STRING,
            "cached": _BOOLEAN,
            "uncited": _objects("path", "start_line", "end_line"),
            "void_citations": _INTEGER,
            "elapsed_ms": _NUMBER,
        },
        ("question", "answer", "spans", "grounded"),
    ),
    Tool(
        "quarry_graph",
        "Look around a symbol or file",
        "map: the repository in so many tokens. node: one file and what it touches. path: how two "
        "files are tied. def, callers, callees, refs: of a symbol. impact: who breaks when it "
        "changes.",
        (
            Parameter("op", "What to ask.", required=True, choices=GRAPH_OPS),
            Parameter("target", "A symbol, a path or words (all but map and path)."),
            Parameter("from", "Where a path begins."),
            Parameter("to", "Where a path ends."),
            Parameter("depth", "How far impact goes.", Kind.INTEGER, low=1, high=10),
            Parameter("limit", "Rows at most; 0: all.", Kind.INTEGER),
            Parameter("lines", "Of a node's code at most.", Kind.INTEGER),
            _TOKENS,
        ),
        {"count": _INTEGER, "status": _STRING, "rows": _ROWS, "path": _STRING, "files": {}},
        (),
    ),
    Tool(
        "quarry_index",
        "Bring the index up to date",
        "Index what changed, in the background; with wait until it is done. With start false it "
        "only says how things stand.",
        (
            Parameter("start", "Begin a run; true when not given.", Kind.BOOLEAN),
            Parameter("wait", "Answer when it is done.", Kind.BOOLEAN),
            Parameter("rebuild", "Parse and embed everything anew.", Kind.BOOLEAN),
        ),
        {"standing": _OBJECT, "report": {"type": ["object", "null"]}},
        ("standing", "report"),
        reads=False,
    ),
    Tool(
        "quarry_forge",
        "List file types without a grammar",
        "Extensions of this repository that no grammar covers and that are cut by lines only, with "
        "samples. Search finds them, but coarsely.",
        (),
        {"count": _INTEGER, "uncovered": _objects("extension", "files", "lines", "samples")},
        ("count", "uncovered"),
    ),
    Tool(
        "quarry_flows",
        "Look after kept answers",
        "Answers that are kept and given again while every line they cite stands: list them, show "
        "one, or clear them all.",
        (
            Parameter("op", "list when not given.", choices=("list", "show", "clear")),
            Parameter("id", "Which one to show.", Kind.INTEGER),
        ),
        {"count": _INTEGER, "flows": _ROWS, "answer": _OBJECT, "dropped": _INTEGER},
        ("count",),
        reads=False,
    ),
)
