"""Stack traces in free text: the frames of a dozen languages, innermost first.

A line is read by the first form that fits it. Lines of one form that follow each other make a
trace. Every pattern starts a path where a run of path characters starts and repeats nothing
inside a repetition, so that hostile text costs time in proportion to its length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import unquote

MAX_CHARS = 200_000  # of a text; what follows is not read
MAX_LINE = 1_000  # characters of a line
MAX_FRAMES = 400  # of a text
GAP = 6  # lines without a frame inside one trace: source shown between, values, carets

# Every alternative begins where no path character stands before, so a run is scanned once.
_START = r"(?<![\w./\\@~+$-])"
_PATH = _START + r"(?P<path>(?:[A-Za-z]:[\\/])?[\w./\\@~+$\-\[\]]{1,400}\.[A-Za-z]\w{0,9})"
_LOOSE = r"(?P<path>[^\s\"'<>|][^\"'<>|\n]{0,400}?)"  # spaces allowed; an end must follow
_URL = re.compile(r"^(?:webpack(?:-internal)?|file|https?|rsc|turbopack|app|vite|ng):/{0,3}")
_SOURCES = (
    "py pyi pyx js jsx mjs cjs ts tsx mts cts vue svelte go rs java kt kts scala groovy rb php cs "
    "fs vb c cc cpp cxx h hh hpp hxx m mm swift ex exs erl dart lua pl pm r jl hs ml clj cljs zig "
    "nim sh cr f90 sol"
)
SOURCE_ENDINGS = frozenset(_SOURCES.split())


@dataclass(frozen=True, slots=True)
class Frame:
    """One place of a trace.

    Attributes:
        path: as `clean_path` leaves it; never empty.
        line: 1-based; 0 where none is given.
        function: as written, perhaps qualified; empty where none is given.
        form: the name of the trace's form.
    """

    path: str
    line: int
    function: str
    form: str


@dataclass(frozen=True, slots=True)
class Trace:
    """Frames that belong together, innermost first, and the lines of text they take."""

    frames: tuple[Frame, ...]
    first_line: int  # 0-based, of the text
    last_line: int  # inclusive
    is_cause: bool = False  # of what the trace before it reports


@dataclass(frozen=True, slots=True)
class _Form:
    name: str
    pattern: re.Pattern[str]
    innermost_last: bool = False
    needs: str = ""  # text without which a line cannot be of this form: spares the pattern
    path: Callable[[re.Match[str]], str] | None = None


def _java_path(match: re.Match[str]) -> str:
    """``a.b.C$Inner.m`` in ``File.java``: a folder for each part of the package."""
    parts = match["function"].rpartition("/")[2].split(".")[:-1]
    while parts and (not parts[-1] or not parts[-1][0].islower()):
        parts.pop()
    return "/".join([*parts, match["path"]])


_NUMBER = r"(?P<line>\d{1,7})"
_FORMS = (
    _Form(
        "python",
        re.compile(rf'File "(?P<path>[^"\n]{{1,400}})", line {_NUMBER}(?:, in (?P<function>\S+))?'),
        innermost_last=True,
        needs='File "',
    ),
    _Form(
        "ipython",
        re.compile(rf"^(?:File )?{_PATH}(?::{_NUMBER})?,? in (?P<function>[\w.<>]+)\s*\("),
        innermost_last=True,
        needs=" in ",
    ),
    _Form(
        "java",
        re.compile(
            r"^[\s>|]*at (?P<function>[\w$./<>@-]{1,300})"
            rf"\((?P<path>[\w$-]{{1,120}}\.[a-z]{{1,8}})(?::{_NUMBER})?\)"
        ),
        needs="at ",
        path=_java_path,
    ),
    _Form(
        "csharp",
        re.compile(
            rf"^[\s>|]*at (?P<function>\S[^()\n]{{0,300}}\([^\n]*?\)) in {_LOOSE}:line {_NUMBER}"
        ),
        needs=":line ",
    ),
    _Form(
        "javascript",
        re.compile(
            r"^[\s>|]*at (?:async |new )*(?P<function>[^\s()][^()\n]{0,200}?) "
            rf"\((?:eval at [^\n]{{0,200}}?\()?(?P<path>[^()\n]{{1,400}}?):{_NUMBER}(?::\d+)?\)"
        ),
        needs="at ",
    ),
    _Form(
        "javascript",
        re.compile(rf"^[\s>|]*at (?:async )?(?P<path>[^\s()][^()\n]{{0,400}}?):{_NUMBER}:\d+\s*$"),
        needs="at ",
    ),
    _Form(
        "javascript",
        re.compile(
            rf"^\s*(?P<function>[\w$.<>/\[\] ]{{0,120}})@(?P<path>\S{{1,400}}?):{_NUMBER}:\d+\s*$"
        ),
        needs="@",
    ),
    _Form(
        "rust",
        re.compile(rf"panicked at (?:'[^\n]*', )?(?P<path>[^\s:',]{{1,300}}\.rs):{_NUMBER}"),
        needs="panicked at",
    ),
    _Form("rust", re.compile(rf"^\s+at (?P<path>\S{{1,300}}\.rs):{_NUMBER}"), needs=".rs:"),
    _Form("rustc", re.compile(rf"^\s*(?:-->|:::) (?P<path>\S{{1,300}}):{_NUMBER}:\d+"), needs=":"),
    _Form(
        "php",
        re.compile(rf"^\s*#\d+ {_LOOSE}\({_NUMBER}\): (?P<function>[^\s(]{{1,200}})"),
        needs="#",
    ),
    _Form("php", re.compile(rf"\bin {_LOOSE}(?:\:| on line ){_NUMBER}(?!\S*:\d)"), needs=".php"),
    _Form(
        "native",
        re.compile(
            r"^\s*(?:\[[^\]\n]{0,40}\]\s*)?#\d+ +(?:0x[0-9a-fA-F]+ (?:in )?)?"
            rf"(?P<function>[^\n]{{0,300}}?) (?:at )?\(?{_PATH}:{_NUMBER}"
        ),
        needs="#",
    ),
    _Form(
        "dart",
        re.compile(
            rf"^\s*#\d+ +(?P<function>\S[^\n]{{0,200}}?) +\((?P<path>[\w:./+-]{{1,300}}?):{_NUMBER}"
        ),
        needs="#",
    ),
    _Form(
        "ruby-last",
        re.compile(rf"^\s*\d+: from {_PATH}:{_NUMBER}:in [`'](?P<function>[^'\n]{{1,200}})"),
        innermost_last=True,
        needs=": from ",
    ),
    _Form(
        "ruby", re.compile(rf"{_PATH}:{_NUMBER}:in [`'](?P<function>[^'\n]{{1,200}})"), needs=":in "
    ),
    _Form(
        "elixir",
        re.compile(
            rf"^\s*(?:\([\w .-]{{1,80}}\) )?{_PATH}:{_NUMBER}: (?P<function>[A-Z:][\w.]*[\w?!]/\d+)"
        ),
        needs=": ",
    ),
    _Form("go", re.compile(rf"^\s+{_PATH}:{_NUMBER}(?: \+0x[0-9a-f]+)?\s*$"), needs=":"),
    _Form(
        "pytest",
        re.compile(rf"^(?:E\s+)?{_PATH}:{_NUMBER}: (?:in (?P<function>[\w<>]+)|[\w.]*\w)"),
        innermost_last=True,
        needs=":",
    ),
    _Form(
        "compiler",
        re.compile(rf"{_PATH}(?::|\(|, line | line |\", line |:line ){_NUMBER}"),
        innermost_last=False,
        needs="",
    ),
)
_CAUSED = re.compile(r"^\s*(?:Caused by|caused by|Root cause)\b")
_GO_CALL = re.compile(r"^(?P<function>[\w./*()-]+\.[\w*()]+[\w.]*)\(.*\)\s*$")
_IPYTHON_ARROW = re.compile(r"^-{1,8}> *(\d{1,7})\b")


def find_traces(text: str) -> list[Trace]:
    """All traces of a text, in its order; the first `MAX_CHARS` characters are read."""
    found: list[Trace] = []
    frames: list[tuple[int, Frame, bool]] = []
    for total, (number, frame, last) in enumerate(_frames(text), 1):
        if frames and not _continues(frames[-1], (number, frame, last)):
            found.append(_trace(frames))
            frames = []
        frames.append((number, frame, last))
        if total >= MAX_FRAMES:
            break
    if frames:
        found.append(_trace(frames))
    return [trace for trace in found if trace.frames]


def clean_path(path: str) -> str:
    """A path as repositories write it: ``/`` between parts, no scheme, host, drive or query."""
    path = path.strip().strip("()\"'`")
    url = _URL.match(path)
    if url:
        path = path[url.end() :]
        if url[0].startswith("http") or url[0].startswith("webpack://") or url[0][:3] == "vit":
            host, slash, rest = path.partition("/")
            if slash and (":" in host or "." in host.strip(".") or host == "localhost"):
                path = rest
        path = unquote(path)
    path = path.partition("?")[0].replace("\\", "/")
    if len(path) > 1 and path[1] == ":":
        path = path[2:]
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if parts:
                parts.pop()
        elif part not in ("", ".", "~"):
            parts.append(part)
    return "/".join(parts)


def _frames(text: str) -> Iterator[tuple[int, Frame, bool]]:
    before, waiting = "", None
    for number, line in enumerate(text[:MAX_CHARS].splitlines()):
        line = line[:MAX_LINE]
        if waiting is not None:  # a form that names its line further down
            arrow = _IPYTHON_ARROW.match(line)
            if arrow:
                yield waiting[0], replace(waiting[1], line=int(arrow[1])), True
                waiting = None
        if _CAUSED.match(line):
            yield number, Frame("", 0, "", "cause"), False
        read = _read(line, before)
        if read is not None:
            if waiting is not None:
                yield waiting[0], waiting[1], True
                waiting = None
            frame, last = read
            if frame.form == "ipython" and not frame.line:
                waiting = number, frame
            else:
                yield number, frame, last
        before = line
    if waiting is not None:
        yield waiting[0], waiting[1], True


def _read(line: str, before: str) -> tuple[Frame, bool] | None:
    if not any(char in line for char in ":(,") and " in " not in line:
        return None
    for form in _FORMS:
        if form.needs not in line:
            continue
        match = form.pattern.search(line)
        if match is None:
            continue
        groups = match.groupdict()
        path = clean_path(form.path(match) if form.path else match["path"])
        name = path.rpartition("/")[2]
        if not name or (form.name == "compiler" and _ending(name) not in SOURCE_ENDINGS):
            continue
        function = (groups.get("function") or "").strip()
        if form.name == "go":
            call = _GO_CALL.match(before)
            function = call["function"] if call else ""
        return Frame(path, int(groups.get("line") or 0), function, form.name), form.innermost_last
    return None


def _ending(name: str) -> str:
    return name.rpartition(".")[2].lower()


def _continues(last: tuple[int, Frame, bool], this: tuple[int, Frame, bool]) -> bool:
    """Whether a frame belongs to the trace of the frame before it."""
    if this[1].form == "cause":
        return False
    if this[0] - last[0] > GAP:
        return False
    return last[1].form == "cause" or last[2] == this[2]


def _trace(frames: list[tuple[int, Frame, bool]]) -> Trace:
    kept = [frame for _, frame, _ in frames if frame.path]
    if frames[-1][2]:
        kept.reverse()
    return Trace(tuple(kept), frames[0][0], frames[-1][0], frames[0][1].form == "cause")
