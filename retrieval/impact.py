"""Who breaks when a symbol changes: everything that reaches it, nearest first."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from codequarry.errors import UsageError
from codequarry.retrieval.edges import MODULE, Edges
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.symbols import SymbolRow, symbol_at

MAX_DEPTH = 10
_HUNK = re.compile(rb"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")
_FILE = re.compile(rb"^\+\+\+ (?:b/)?(.*)$")


@dataclass(frozen=True, slots=True)
class Impacted:
    """A symbol, or a file's own code, that a change may break."""

    depth: int  # edges away from the change
    symbol: str
    kind: str
    path: str
    line: int  # of the reference
    via: str  # what it refers to
    type: str
    confidence: float  # of the whole way: the product over its edges
    test: bool


def impact(edges: Edges, symbols: Sequence[SymbolRow], depth: int = 3) -> list[Impacted]:
    """Everything that refers to some symbols, by distance, each once by its shortest way.

    Args:
        edges: of the index.
        symbols: what changes.
        depth: how far to go, at most `MAX_DEPTH`.

    Raises:
        UsageError: the depth is out of range.
    """
    if not 1 <= depth <= MAX_DEPTH:
        raise UsageError(f"a depth of {depth} is out of range", f"give 1 to {MAX_DEPTH}")
    generation = edges.generation
    links = generation.links
    columns = {
        name: np.asarray(links[name]) for name in ("file", "symbol", "target_symbol", "confidence")
    }
    types = links["type"]
    reached = {symbol.row: 1.0 for symbol in symbols}
    files: set[int] = set()
    found: list[Impacted] = []
    border = sorted(reached)
    for step in range(1, depth + 1):
        following: dict[int, float] = {}
        for target in border:
            for link in edges.into(target).tolist():
                source, file = int(columns["symbol"][link]), int(columns["file"][link])
                sure = reached[target] * float(columns["confidence"][link])
                if source in reached or (source < 0 and file in files):
                    continue
                if source >= 0 and source in following:
                    continue
                if source < 0:
                    files.add(file)
                else:
                    following[source] = sure
                edge = edges.edges([link])[0]
                kind = generation.symbols["kind"][source].as_py() if source >= 0 else "module"
                found.append(
                    Impacted(
                        depth=step,
                        symbol=edge.symbol if source >= 0 else MODULE,
                        kind=kind,
                        path=edge.path,
                        line=edge.line,
                        via=edge.target,
                        type=types[link].as_py(),
                        confidence=round(sure, 3),
                        test=bool(generation.is_test[file]),
                    )
                )
        reached |= following
        border = sorted(following)
    return found


def changed_symbols(generation: Generation, root: Path, revision: str) -> list[SymbolRow]:
    """The innermost symbols that the lines changed since a revision stand in.

    Raises:
        UsageError: git does not know the revision, or this is no work tree of git.
    """
    command = ["git", "-C", str(root), "diff", "--unified=0", "--no-color", "--no-ext-diff"]
    done = subprocess.run(
        [*command, "--end-of-options", revision, "--", "."], capture_output=True, check=False
    )
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        raise UsageError(f"git cannot compare with {revision}: {reason}", "give a commit or branch")
    found: dict[int, SymbolRow] = {}
    path = ""
    for line in done.stdout.splitlines():
        named = _FILE.match(line)
        if named is not None:
            path = named[1].decode("utf-8", "replace")
            continue
        hunk = _HUNK.match(line)
        if hunk is not None and path in generation.rows_by_path:
            first, count = int(hunk[1]), int(hunk[2] or 1)
            for row in _inside(generation, path, first, max(first, first + count - 1)):
                found[row] = symbol_at(generation, row)
    return [found[row] for row in sorted(found)]


def _inside(generation: Generation, path: str, first: int, last: int) -> list[int]:
    """The innermost symbols of a file that some lines touch."""
    file = generation.files.slice(generation.rows_by_path[path], 1).to_pylist()[0]
    start, count = file["first_symbol"], file["n_symbols"]
    rows = generation.symbols.slice(start, count).select(["start_line", "end_line"]).to_pylist()
    touched = [
        i for i, row in enumerate(rows) if row["start_line"] <= last and row["end_line"] >= first
    ]
    inner = [
        i
        for i in touched
        if not any(
            j != i
            and rows[j]["start_line"] >= rows[i]["start_line"]
            and rows[j]["end_line"] <= rows[i]["end_line"]
            and (rows[j]["start_line"] <= first and rows[j]["end_line"] >= last)
            for j in touched
        )
    ]
    return [start + i for i in inner]
