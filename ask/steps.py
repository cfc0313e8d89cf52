"""The definitions that answer a question, weighed one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log, log1p
from typing import Any

import numpy as np
import numpy.typing as npt

from codequarry.ask.disk import read_file
from codequarry.errors import QuarryError
from codequarry.identifiers import light_stem, tokens
from codequarry.models.provider import BagEmbedder
from codequarry.retrieval.generation import TYPE_KINDS, Generation
from codequarry.retrieval.index import Index
from codequarry.retrieval.query import Query
from codequarry.vocabulary import Kind, Role

# How much of a question's word counts by where it stands; then the other signals.
IN_NAME, IN_DOC, IN_PATH, IN_BODY = 1.0, 0.8, 0.5, 0.35
COSINE, CALLABLE, MINOR, PROSE = 1.6, 0.2, -0.35, -0.8
RANK = 0.25  # for the chunk that ranks first, falling to 0 for one that was not ranked
BEHIND = -0.06  # for each unit of score that its file is behind the best one,
FARTHEST = 5.0  # up to so many; files that were not scored are taken to be so far behind
LENGTH, LONG_ENOUGH = 0.09, 40  # a declaration tells less than what has a body
WORK, MOST_WORK = 0.1, 12  # by the log of the calls in it: what does something calls something
DEMAND, MOST_DEMAND = 0.03, 30  # the same for the places that refer to it
PUBLIC = 0.05
BARE, BARE_LINES = -0.3, 3  # a declaration without a body of its own, or a mere accessor
MAX_BODY = 4_000  # characters of a definition that are weighed
MOST_WEIGHED = 120  # definitions whose bodies are read, the best by their names and docs

_CALLABLE = frozenset((Kind.FUNCTION, Kind.METHOD, Kind.CONSTRUCTOR, Kind.MACRO))
_MINOR = frozenset((Kind.VAR, Kind.CONST, Kind.MODULE, Kind.NAMESPACE))
_NO_STEP = frozenset((Kind.FENCE, Kind.DOC))
_LOCAL_IN = 150  # lines; a longer function is a module in a function's form, its parts are steps
_LINE_COMMENT = re.compile(r"\s*(?://+!?|#(?![!\[{]|include|if|el|end|def|pragma|undef)|--(?!-)|;;+)")
_POINTS_ELSEWHERE = re.compile(r"\W*(?:see|same as|like|alias (?:of|for)|@private)\b.{0,60}$", re.I)
_LOOK_INSIDE = 12  # lines of a body that are searched for its first comment
_LOOK_ABOVE = 40  # lines above a definition that its comment may have
_TELLING = 3  # words that a comment must have to say something
# Verb forms that no ending tells; a question is asked in them, code is named by the verb.
_VERBS = {
    "bound": "bind", "built": "build", "caught": "catch", "chosen": "choose", "drawn": "draw",
    "driven": "drive", "found": "find", "given": "give", "held": "hold", "hidden": "hide",
    "kept": "keep", "made": "make", "read": "read", "ran": "run", "sent": "send", "shown": "show",
    "spawned": "spawn", "taken": "take", "thrown": "throw", "told": "tell", "woken": "wake",
    "written": "write",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """A definition that may be a step of the answer.

    Attributes:
        row: its symbol; −1 for a span that defines nothing.
        number: the candidate it can be cited by; before there are any, its chunk.
        path: of its file, as shown.
        start_line: its first line inside the candidate.
        end_line: its last line inside the candidate.
        name: qualified; the heading of a section; may be empty.
        kind: of the symbol; empty without one.
        signature: as written; may be empty.
        doc: its doc comment, else the comment above it or the first one inside; may be empty.
        body: its text, as far as it is weighed.
        share: the share of the question's words that its name, doc, path and body have, 0 to 1.
        weight: how much of the question it answers; comparable within one question.
    """

    row: int
    number: int
    path: str
    start_line: int
    end_line: int
    name: str
    kind: str
    signature: str
    doc: str
    body: str
    share: float
    weight: float

    @property
    def is_type(self) -> bool:
        """Whether it is a class, a struct or the like."""
        return self.kind in TYPE_KINDS


def base_forms(words: Iterable[str]) -> list[str]:
    """The verbs that irregular forms among some words are of."""
    return [_VERBS[word] for word in words if word in _VERBS]


def find_steps(
    index: Index,
    query: Query,
    chunks: Sequence[int],
    ranks: Mapping[int, float],
    scores: Mapping[str, float],
) -> list[Step]:
    """All definitions that begin in some chunks, the most telling first.

    Args:
        index: that the chunks are of.
        query: what was asked.
        chunks: where to look; tests count only if the question asks for them.
        ranks: of chunks that a search ranked: 1 for the first, towards 0.
        scores: of files that a search scored, by path.
    """
    generation = index.generation
    wanted = [
        c for c in chunks if query.asks_for_tests or not generation.is_test[_file(generation, c)]
    ]
    steps = _definitions(generation, wanted)
    words = _weights(index, query)
    leader = max(scores.values(), default=0.0)

    def prior(step: Step) -> float:
        """What is known of a step from where it stands."""
        behind = min(leader - scores.get(step.path, leader - FARTHEST), FARTHEST)
        return RANK * ranks.get(step.number, 0.0) + BEHIND * behind + _form(generation, step)

    first = [replace(s, weight=_share(words, s, "") + prior(s)) for s in steps]
    first = sorted(first, key=_order)[:MOST_WEIGHED]
    full = _read(generation, first)
    cosines = _cosines(index, query, full)
    weighed = []
    for step, cosine in zip(full, cosines, strict=True):
        share = _share(words, step, step.body)
        weight = share + COSINE * cosine + prior(step)
        weighed.append(replace(step, share=share, weight=weight))
    return sorted(weighed, key=_order)


def _order(step: Step) -> tuple[float, str, int]:
    return (-step.weight, step.path, step.start_line)


def _file(generation: Generation, chunk: int) -> int:
    return int(generation.chunk_files[chunk])


def _definitions(generation: Generation, chunks: Sequence[int]) -> list[Step]:
    """The definitions that begin in some chunks; the chunk itself where none does."""
    columns = ["chunk", "qualified", "kind", "signature", "doc", "start_line", "end_line"]
    standing = np.asarray(generation.symbols["chunk"])
    rows = np.flatnonzero(np.isin(standing, np.asarray(chunks, standing.dtype)))
    records = generation.symbols.select([*columns, "file"]).take(rows).to_pylist()
    steps: list[Step] = []
    around: tuple[int, int] = (-1, -1)  # file and last line of the function that we are in
    for row, record in zip(rows.tolist(), records, strict=True):
        kind, start, end = record["kind"], record["start_line"], record["end_line"]
        inside = around[0] == record["file"] and end <= around[1]
        if kind in _NO_STEP or inside:  # what a function holds is told with it
            continue
        if kind in _CALLABLE and end - start < _LOCAL_IN:
            around = (record["file"], end)
        last = min(end, int(generation.end_lines[record["chunk"]]))
        steps.append(
            Step(
                row, record["chunk"], generation.paths[record["file"]], start, max(start, last),
                record["qualified"], kind, record["signature"] or "", record["doc"] or "",
                "", 0.0, 0.0,
            )  # fmt: skip
        )
    holding = {step.number for step in steps}
    for chunk in chunks:
        if chunk not in holding and not (standing == chunk).any():
            first, last = int(generation.start_lines[chunk]), int(generation.end_lines[chunk])
            path = generation.paths[_file(generation, chunk)]
            name = generation.chunks["name"][chunk].as_py() or ""
            steps.append(Step(-1, chunk, path, first, last, name, "", "", "", "", 0.0, 0.0))
    return steps


def _form(generation: Generation, step: Step) -> float:
    """What the form of a definition says of how much it tells, whatever was asked."""
    length = step.end_line - step.start_line + 1
    weight = LENGTH * log(min(length, LONG_ENOUGH))
    role = generation.roles[generation.rows_by_path[step.path]]
    if step.row < 0 or step.kind == Kind.SECTION or role != Role.CODE:
        return weight + PROSE
    out, into = generation.link_array("out_pointers"), generation.link_array("in_pointers")
    calls = int(out[step.row + 1] - out[step.row])
    weight += WORK * log1p(min(max(calls, length // 6), MOST_WORK))
    weight += DEMAND * log1p(min(int(into[step.row + 1] - into[step.row]), MOST_DEMAND))
    if generation.symbols["exported"][step.row].as_py():
        weight += PUBLIC
    if step.kind in _CALLABLE:  # what happens, not what there is
        weight += CALLABLE
    if step.kind in _MINOR:
        weight += MINOR
    if length <= BARE_LINES and not (calls and step.doc):
        weight += BARE
    return weight


def _read(generation: Generation, steps: Sequence[Step]) -> list[Step]:
    """Steps with their text, and a comment where they have no doc; not of files that changed."""
    files: dict[str, list[str]] = {}
    for path in dict.fromkeys(step.path for step in steps):
        try:
            file = read_file(generation, path)
        except QuarryError:  # gone since: it is named where its lines would be shown
            continue
        if not file.changed:
            files[path] = file.lines
    read = []
    for step in steps:
        lines = files.get(step.path)
        if lines is None:
            continue
        own = lines[step.start_line - 1 : step.end_line]
        doc = step.doc
        if step.row >= 0 and not doc.strip():
            doc = _above(lines, step.start_line) or _inside(own)
        if step.row < 0:
            doc = ""
        read.append(replace(step, doc=doc, body="".join(own)[:MAX_BODY]))
    return read


def _above(lines: Sequence[str], start: int) -> str:
    """The comment that ends right above a line, or one blank line above it."""
    at = start - 2
    if at > 0 and not lines[at].strip():
        at -= 1
        if not lines[at].rstrip().endswith("*/"):
            return ""  # without its form, a comment that far off may speak of anything
    last = at
    if at >= 0 and lines[at].rstrip().endswith("*/"):
        while at >= max(0, last - _LOOK_ABOVE) and "/*" not in lines[at]:
            at -= 1
        found = lines[max(at, 0) : last + 1] if lines[at].lstrip().startswith("/*") else []
    else:
        while at >= max(0, last - _LOOK_ABOVE) and _LINE_COMMENT.match(lines[at]):
            at -= 1
        found = lines[at + 1 : last + 1]
    return _telling(found)


def _inside(own: Sequence[str]) -> str:
    """The first comment of its own lines in a body."""
    found: list[str] = []
    for line in own[1:_LOOK_INSIDE]:
        if _LINE_COMMENT.match(line):
            found.append(line)
        elif found:
            break
    return _telling(found)


def _telling(comment: Sequence[str]) -> str:
    """A comment without its marks, if it is a sentence more than a code or an order."""
    plain = [re.sub(r"^\s*(?:/?\*+/?|//+!?|#+|--+|;+)\s?|\s*\*/\s*$", "", x) for x in comment]
    text = "\n".join(line.rstrip() for line in plain).strip("\n")
    words = re.findall(r"[A-Za-z]{2,}", text)
    return text if len(words) >= _TELLING and not text.rstrip().endswith((";", "{", "}")) else ""


def _weights(index: Index, query: Query) -> list[tuple[frozenset[str], float]]:
    """The stems that a word of the question may be, and its share by rarity."""
    words = list(query.content or query.parts)
    forms = {word: [word, *base_forms([word])] for word in words}
    idf = index.generation.body.idf_of([f for own in forms.values() for f in own], 1.0)
    by_word = {word: min(idf[form] for form in own) for word, own in forms.items()}
    mass = sum(by_word.values()) or 1.0
    return [
        (frozenset(map(_stem, own)), by_word[word] / mass) for word, own in forms.items()
    ]


def _share(words: Sequence[tuple[frozenset[str], float]], step: Step, body: str) -> float:
    """The share of the question's words that a definition has, by where."""
    own = re.split(r"\.|::|\\", step.name)[-1]
    places = (
        (_stems(own), IN_NAME),
        (_stems(f"{step.name} {step.signature} {step.doc}"), IN_DOC),
        (_stems(step.path), IN_PATH),
        (_stems(body), IN_BODY),
    )
    return sum(
        weight * next((value for stems, value in places if not stems.isdisjoint(word)), 0.0)
        for word, weight in words
    )


def _stems(text: str) -> set[str]:
    return {_stem(token) for token in set(tokens(text))}


def _stem(word: str) -> str:
    """So that ``rendered``, ``renderer`` and ``render`` meet, and ``jobs`` and ``job``."""
    stem = light_stem(light_stem(word))
    return stem[:-1] if len(stem) == 4 and stem[-1] in "se" else stem


def _cosines(index: Index, query: Query, steps: Sequence[Step]) -> npt.NDArray[Any]:
    """How near each definition is to the question; 0 without a model on this machine."""
    model = index.model
    if not steps or not isinstance(model, BagEmbedder) or not query.vector.any():
        return np.zeros(len(steps), np.float32)
    texts = [
        "\n".join((step.name, step.name, step.signature, step.doc, step.doc, step.body))
        for step in steps
    ]
    cosines: npt.NDArray[Any] = np.asarray(model.embed_documents(texts)) @ query.vector
    return cosines
