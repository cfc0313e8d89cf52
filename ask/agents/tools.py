"""What an agent may use: it reads the index, and nothing else.

No tool reaches a file that is not indexed, whatever its path; none asks a model. What a tool finds
gets a number, so that it can be cited. A call that is wrong in any way gives a sentence that says
how, never an exception.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from codequarry.ask.agents.shared import SharedCandidates
from codequarry.ask.prompt import entries_of
from codequarry.errors import QuarryError, UsageError
from codequarry.models.chat_stream import ToolCall
from codequarry.models.tokens import estimate_tokens
from codequarry.retrieval.filters import apply_filters
from codequarry.retrieval.index import Index, Options
from codequarry.retrieval.reading import find_file
from codequarry.retrieval.symbols import find_symbols

FILES_FOUND = 5  # of a search
SYMBOLS_FOUND = 3
MAX_LINES = 200  # of a file at once
OUTPUT_TOKENS = 2_500  # of one tool's output
MAX_ARGUMENTS = 4_000  # characters
_DIGITS = 18


def _schema(name: str, told: str, /, **arguments: str) -> dict[str, Any]:
    properties = {
        key: {"type": "integer" if key in ("start", "end") else "string", "description": text}
        for key, text in arguments.items()
    }
    needed = [key for key in properties if key not in ("start", "end")]
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": told,
            "parameters": {"type": "object", "properties": properties, "required": needed},
        },
    }


TOOLS = (
    _schema("search_more", "Find more code of this repository.", query="What to look for."),
    _schema(
        "get_file",
        f"Read lines of a file, at most {MAX_LINES} at once.",
        path="As shown before a span.",
        start="First line.",
        end="Last line.",
    ),
    _schema("get_symbol", "Read a definition.", name="Bare, or qualified: Class.method."),
)


@dataclass(frozen=True, slots=True)
class Used:
    """What a call came to: for the model, and for people."""

    text: str
    argument: str = ""
    found: int = 0


class Toolbox:
    """The tools over one index; safe to use from several threads."""

    def __init__(
        self, index: Index, shared: SharedCandidates, options: Options, *, mask: bool
    ) -> None:
        """Open the box.

        Args:
            index: that is read.
            shared: gets what is found.
            options: how the question itself was searched; filters hold for the tools too.
            mask: replace key-shaped literals: the output leaves this machine.
        """
        self._index = index
        self._shared = shared
        self._options = replace(options, walk_depth=0, near_symbol="")
        self._mask = mask
        self._tools: dict[str, Callable[[dict[str, Any]], Used]] = {
            "search_more": self._search_more,
            "get_file": self._get_file,
            "get_symbol": self._get_symbol,
        }

    def use(self, call: ToolCall) -> Used:
        """Do what a model asks for."""
        tool = self._tools.get(call.name)
        if tool is None:
            return Used(f"there is no tool {call.name[:60]!r}: use {', '.join(self._tools)}")
        try:
            return tool(_arguments(call))
        except QuarryError as error:
            return Used(f"{error.message} ({error.hint})" if error.hint else error.message)
        except Exception as error:  # a fault of a tool is the tool's: the agent goes on without
            return Used(f"{call.name} failed ({type(error).__name__})")

    def _search_more(self, arguments: dict[str, Any]) -> Used:
        query = _text(arguments, "query")
        found = self._index.search(query, self._options)
        best = [(core.path, core.chunks[0].start_line, core.chunks[0].end_line)
                for core in found.core if core.chunks]  # fmt: skip
        best += [(related.path, *related.best_span) for related in found.related]
        return self._shown(best[:FILES_FOUND], query, "nothing is found")

    def _get_file(self, arguments: dict[str, Any]) -> Used:
        asked = _text(arguments, "path")
        generation = self._index.generation
        row = find_file(generation, asked)
        self._check(row)
        path, length = generation.paths[row], generation.files["line_count"][row].as_py()
        start = min(max(1, _number(arguments, "start", 1)), max(1, length))
        last = min(length, start + MAX_LINES - 1)
        end = max(start, min(last, _number(arguments, "end", last)))
        return self._shown([(path, start, end)], f"{path}:{start}-{end}", "the file is empty")

    def _get_symbol(self, arguments: dict[str, Any]) -> Used:
        name = _text(arguments, "name")
        rows = self._index.generation.rows_by_path
        places = [
            (symbol.path, symbol.line, min(symbol.end_line, symbol.line + MAX_LINES - 1))
            for symbol in find_symbols(self._index.generation, name)
            if self._open[rows[symbol.path]]
        ]
        return self._shown(places[:SYMBOLS_FOUND], name, "no definition has that name")

    @cached_property
    def _open(self) -> npt.NDArray[np.bool_]:
        """(files,) which files the question's filters let through."""
        generation = self._index.generation
        allowed = apply_filters(generation, self._options.filters).chunks
        files = np.zeros(generation.n_files, bool)
        files[generation.chunk_files[allowed]] = True
        return files

    def _check(self, row: int) -> None:
        """Refuse a file that the question's filters shut out."""
        if not self._open[row]:
            path = self._index.generation.paths[row]
            raise UsageError(f"{path} is not among the files that were asked about")

    def _shown(self, places: list[tuple[str, int, int]], argument: str, nothing: str) -> Used:
        entries: list[str] = []
        left, found = OUTPUT_TOKENS, 0
        for place in places:
            span = self._shared.add(*place)
            if span is None:
                entries.append("(no more spans can be added: write with what you have)")
                break
            (entry,) = entries_of([span], left, mask=self._mask)
            left -= estimate_tokens(entry)
            entries.append(entry)
            found += 1
        return Used("\n".join(entries) or nothing, argument, found)


def _arguments(call: ToolCall) -> dict[str, Any]:
    if len(call.arguments) > MAX_ARGUMENTS:
        raise UsageError(f"the arguments of {call.name} are too long")
    try:
        given = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        raise UsageError(f"the arguments of {call.name} are not JSON") from None
    if not isinstance(given, dict):
        raise UsageError(f"the arguments of {call.name} are no JSON object")
    return given


def _text(arguments: dict[str, Any], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{name} is missing, or is no text")
    return value


def _number(arguments: dict[str, Any], name: str, default: int) -> int:
    value = arguments.get(name, default)
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value.strip()[:_DIGITS])  # more only says: past the end
    return value if type(value) is int else default
