"""Who breaks when a symbol changes: everything that reaches it, nearest first."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from codequarry.errors import UsageError
from codequarry.retrieval.edges import MODULE, Edges
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.symbols import SymbolRow, symbol_at

MAX_DEPTH = 10
_HUNK = re.compile(rb"^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_FILE = re.compile(rb"^\+\+\+ (.*)$")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_LETTERS = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f"}
# A definition on a removed line, in the words of most languages.
_DEFINED = re.compile(
    rb"\b(?:def|func|function|fn|fun|class|struct|trait|interface|enum|module|type)\s+"
    rb"(?:\([^)]*\)\s*)?(?:self\.)?([A-Za-z_$][\w$]*)"
)


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


@dataclass(frozen=True, slots=True)
class Change:
    """What has changed since a revision."""

    symbols: tuple[SymbolRow, ...]  # the innermost symbols that changed lines stand in
    removed: tuple[str, ...]  # names whose definitions are gone
    paths: tuple[str, ...]  # changed files that are indexed


def changed_symbols(generation: Generation, root: Path, revision: str) -> Change:
    """What the lines changed since a revision belong to.

    Raises:
        UsageError: git does not know the revision, or this is no work tree of git.
    """
    found: dict[int, SymbolRow] = {}
    removed: set[bytes] = set()
    paths: dict[str, None] = {}
    for path, first, last, gone in _hunks(_diff(root, revision)):
        removed.update(name for line in gone for name in _DEFINED.findall(line))
        if path in generation.rows_by_path:
            paths[path] = None
            for row in _inside(generation, path, first, last) if last >= first else ():
                found[row] = symbol_at(generation, row)
    left = {name.decode("utf-8", "replace") for name in removed}
    known = pc.is_in(pa.array(sorted(left), pa.string()), generation.symbols["name"]).to_pylist()
    lost = [name for name, there in zip(sorted(left), known, strict=True) if not there]
    return Change(tuple(found[row] for row in sorted(found)), tuple(lost), tuple(paths))


def _diff(root: Path, revision: str) -> bytes:
    """Git's own diff, whatever the user's settings make of it."""
    done = subprocess.run(
        [
            *("git", "-C", str(root), "-c", "core.quotePath=false", "-c", "diff.noprefix=false"),
            *("-c", "diff.mnemonicPrefix=false", "diff", "--unified=0", "--no-color"),
            *("--no-ext-diff", "--no-textconv", "--no-renames", "--src-prefix=a/"),
            *("--dst-prefix=b/", "--relative", "--end-of-options", revision, "--", "."),
        ],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        raise UsageError(f"git cannot compare with {revision}: {reason}", "give a commit or branch")
    return done.stdout


def _hunks(diff: bytes) -> Iterator[tuple[str, int, int, list[bytes]]]:
    """Each hunk: the file, its first and last new line (last before first: none), lost lines."""
    lines = iter(diff.split(b"\n"))
    path = ""
    for line in lines:
        named = _FILE.match(line)
        if named is not None:
            path = _unquoted(named[1])
            continue
        hunk = _HUNK.match(line)
        if hunk is None:
            continue
        old, first, new = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
        gone = [next(lines, b"")[1:] for _ in range(old)]  # content is never read as a header
        for _ in range(new):
            next(lines, b"")
        yield path, first, first + new - 1, gone


def _unquoted(name: bytes) -> str:
    """A path as git prints it: with a tab after spaces, quoted where it holds odd bytes."""
    name = name.removesuffix(b"\t")
    if name.startswith(b'"') and name.endswith(b'"'):
        name = _ESCAPE.sub(_unescaped, name[1:-1])
    return name.removeprefix(b"b/").decode("utf-8", "replace")


def _unescaped(found: re.Match[bytes]) -> bytes:
    text = found[1]
    return bytes([int(text, 8)]) if text.isdigit() else _LETTERS.get(text, text)


def lost_callers(edges: Edges, names: Sequence[str]) -> list[Impacted]:
    """Calls of names that nothing defines any more: what a removed definition breaks."""
    found: list[Impacted] = []
    for name in names:
        for edge in edges.edges(edges.open_calls({name})):
            row = edges.generation.rows_by_path[edge.path]
            found.append(
                Impacted(
                    depth=1,
                    symbol=edge.symbol,
                    kind="",
                    path=edge.path,
                    line=edge.line,
                    via=f"{name} (removed)",
                    type=edge.type,
                    confidence=0.5,
                    test=bool(edges.generation.is_test[row]),
                )
            )
    return found


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
