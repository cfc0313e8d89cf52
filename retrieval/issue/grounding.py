"""What an issue names outright: files of its traces, paths, links, dotted names, identifiers.

Each kind of naming is a tier with values a file: a frame of a trace says more than a path,
a path more than a dotted name, that more than an identifier that the file defines. What fits
several files is not guessed, and an identifier counts less the more files define it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from codequarry.identifiers import split_word, words
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.issue.paths import PathIndex
from codequarry.retrieval.issue.traces import (
    SOURCE_ENDINGS,
    Frame,
    Trace,
    clean_path,
)
from codequarry.retrieval.issue.variants import Issue

TIERS = (
    "frame",  # 1 for the innermost frame of a trace in the repository, less further out
    "last_frame",  # 1: the innermost frame of some trace that lies in the repository
    "path",  # 1: a path with folders, or a link into a forge's view of the file
    "file_name",  # 1: a bare file name that only one file has
    "module",  # 1: a dotted name that leads to the file
    "defined",  # shares of the issue's identifiers that it defines, at most `DEFINED_CAP`
    "defined_title",  # the same of those in the title
)
NAMED = ("path", "file_name", "module")  # tiers that pin a file by name
DEFINED_CAP = 2.0
MIN_SHARE = 0.04  # of an identifier that many files define
FRAME_DECAY = 0.8  # of each frame further out
MAX_PATHS = 200  # read out of a text
MIN_WORD = 4  # characters of an identifier of one word

Float32 = npt.NDArray[np.float32]

_BLOB_URL = re.compile(
    r"https?://[^\s/]{3,100}/(?P<owner>[^\s/]{1,100})/(?P<repo>[^\s/]{1,100})/(?:-/)?"
    r"(?:blob|raw|blame|tree|src)/(?P<rest>[^\s)\"'<>\]#?]{3,500})(?:#(?:L|lines-)?(?P<line>\d{1,7}))?"
)
_RAW_URL = re.compile(
    r"https?://raw\.githubusercontent\.com/(?P<owner>[^\s/]{1,100})/(?P<repo>[^\s/]{1,100})/"
    r"(?P<rest>[^\s)\"'<>\]#?]{3,500})(?P<line>(?!))?"
)
_ANY_URL = re.compile(r"\bhttps?://\S+")
_WRITTEN_PATH = re.compile(
    r"(?<![\w./\\@~+$-])(?:[A-Za-z]:[\\/])?[\w./\\@~+$-]{1,300}\.[A-Za-z]\w{0,9}(?![\w/\\])"
)
_DOTTED = re.compile(
    r"(?<![\w./\\$-])[A-Za-z_]\w{0,80}(?:(?:\.|::)[A-Za-z_]\w{0,80}){1,12}(?![\w/\\])"
)


@dataclass(slots=True)
class Grounding:
    """What was found.

    Attributes:
        tiers: (files, `TIERS`) float32.
        lines: (file, line, function) of what was named with a line, best first.
        order: rows of the files that a trace or a name pins, best first.
        reasons: why each of these is, ``trace`` or ``named``.
    """

    tiers: Float32
    lines: list[tuple[int, int, str]] = field(default_factory=list)
    order: list[int] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)

    def pin(self, file: int, tier: str, value: float, reason: str) -> None:
        """Raise a file's value in a tier."""
        column = TIERS.index(tier)
        self.tiers[file, column] = max(self.tiers[file, column], np.float32(value))
        if file not in self.reasons:
            self.order.append(file)
            self.reasons[file] = reason


def ground(generation: Generation, index: PathIndex, issue: Issue) -> Grounding:
    """Look up all that an issue names."""
    found = Grounding(np.zeros((generation.files.num_rows, len(TIERS)), np.float32))
    ordered = sorted(issue.traces, key=lambda trace: not trace.is_cause)
    for trace in ordered:
        _ground_trace(index, found, trace)
    _ground_urls(index, found, issue.text)
    without_urls = _ANY_URL.sub(" ", issue.text)
    in_traces = _without_traces(without_urls, issue.traces)
    _ground_paths(index, found, in_traces)
    _ground_dotted(generation, index, found, in_traces)
    _ground_defined(generation, found, issue)
    return found


def _ground_trace(index: PathIndex, found: Grounding, trace: Trace) -> None:
    value = 1.0
    seen: set[int] = set()
    for frame in trace.frames:
        file = _frame_file(index, frame)
        if file is None or file in seen:
            continue
        seen.add(file)
        found.lines.append((file, frame.line, frame.function))
        found.pin(file, "frame", value, "trace")
        if len(seen) == 1:
            found.pin(file, "last_frame", 1.0, "trace")
        value *= FRAME_DECAY


def _frame_file(index: PathIndex, frame: Frame) -> int | None:
    if frame.form == "java":
        return index.find_loose(frame.path)
    return index.find(frame.path)


def _ground_urls(index: PathIndex, found: Grounding, text: str) -> None:
    for pattern in (_BLOB_URL, _RAW_URL):
        for match in pattern.finditer(text):
            path = clean_path(unquote(match["rest"]))
            own = match["repo"].lower().removesuffix(".git") == index.repo
            file = index.find(path)
            if file is None or (not own and path.count("/") < 3):
                continue
            if match["line"]:
                found.lines.append((file, int(match["line"]), ""))
            found.pin(file, "path", 1.0, "named")


def _ground_paths(index: PathIndex, found: Grounding, text: str) -> None:
    written = dict.fromkeys(match[0] for match in _WRITTEN_PATH.finditer(text))
    for path in list(written)[:MAX_PATHS]:
        clean = clean_path(path)
        ending = clean.rpartition(".")[2].lower()
        if "/" not in clean and ending not in SOURCE_ENDINGS:
            continue
        file = index.find(clean)
        if file is not None:
            found.pin(file, "path" if "/" in clean else "file_name", 1.0, "named")


def _ground_dotted(generation: Generation, index: PathIndex, found: Grounding, text: str) -> None:
    written = dict.fromkeys(match[0] for match in _DOTTED.finditer(text))
    for dotted in list(written)[:MAX_PATHS]:
        names = dotted.replace("::", ".").split(".")
        module = index.module(names)
        if module is None:
            continue
        file, taken = module
        rest = names[taken:]
        if rest:
            definer = _definer(generation, index, file, rest)
            file = file if definer is None else definer
        found.pin(file, "module", 1.0, "named")


def _definer(
    generation: Generation, index: PathIndex, module: int, rest: Sequence[str]
) -> int | None:
    """The file below a module's folder that defines what a dotted name goes on with."""
    below = None
    for name in rest[:2]:
        joined = "".join(split_word(name)[0])
        holders: set[int] = set(generation.defines.holders([joined]).tolist())
        if module in holders:
            return module
        below = index.package_files(module) if below is None else below
        inside = holders.intersection(below)
        if len(inside) == 1:
            return inside.pop()
    return None


def _ground_defined(generation: Generation, found: Grounding, issue: Issue) -> None:
    title = _last_names(_compound(issue.title))
    named = _last_names(issue.names)
    for tier, joined in (("defined", named), ("defined_title", title)):
        column = found.tiers[:, TIERS.index(tier)]
        for name in joined:
            files = np.unique(generation.defines.holders([name]))
            if len(files) and 1.0 / len(files) >= MIN_SHARE:
                column[files] += np.float32(1.0 / len(files))
        np.minimum(column, np.float32(DEFINED_CAP), out=column)


def _compound(text: str) -> list[str]:
    return [word for word in words(text) if split_word(word)[1]]


def _last_names(names: Iterable[str]) -> list[str]:
    """The distinct joined names, each part of a dotted one for itself."""
    found: dict[str, None] = {}
    for name in names:
        for part in re.split(r"\W+", name):
            joined = "".join(split_word(part)[0])
            if len(joined) >= MIN_WORD:
                found[joined] = None
    return list(found)


def _without_traces(text: str, traces: Sequence[Trace]) -> str:
    """The text with the lines of traces left out, as their frames are grounded already."""
    if not traces:
        return text
    lines = text.splitlines()
    for trace in traces:
        if len(trace.frames) == 1:  # a place cited in prose: the line says more
            continue
        for number in range(trace.first_line, min(trace.last_line + 1, len(lines))):
            lines[number] = ""
    return "\n".join(lines)
