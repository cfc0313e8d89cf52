"""The definitions that answer a question, weighed one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
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
COSINE = 1.6
VERB = 0.08  # for a name that says what the question says is done
RANK = 0.25  # for the chunk that ranks first, falling to 0 for one that was not ranked
BEHIND = -0.06  # for each unit of score that its file is behind the best one,
FARTHEST = 5.0  # up to so many; files that were not scored are taken to be so far behind
# What a definition's form makes of that, as factors added up.
FORM, LEAST_FORM = 0.65, 0.3
LENGTH, LONG_ENOUGH = 0.04, 40  # by the log of its lines: a declaration tells less than a body
WORK, MOST_WORK = 0.05, 12  # by the log of the calls in it: what does something calls something
DEMAND, MOST_DEMAND = 0.03, 30  # the same for the places that refer to it
CALLABLE, MINOR, PROSE, PUBLIC = 0.1, -0.2, -0.4, 0.04
THING = 0.8  # times, for a type where a question asks how something is done
BESIDE = 0.65  # times, for what lies in a folder of tries, copies or helps for tests
BARE, BARE_LINES = -0.3, 3  # a declaration without a body of its own, or a mere accessor
MAX_BODY = 2_500  # characters of a definition that are weighed
MOST_WEIGHED = 80  # definitions whose bodies are read, the best by their names and docs

_CALLABLE = frozenset((Kind.FUNCTION, Kind.METHOD, Kind.CONSTRUCTOR, Kind.MACRO))
_MINOR = frozenset((Kind.VAR, Kind.CONST, Kind.MODULE, Kind.NAMESPACE))
_BESIDE = frozenset(
    "test tests testing example examples sample samples demo demos tutorial bench benches "
    "benchmark benchmarks fixture fixtures mock mocks vendor dist contrib extras".split()
)
_NO_STEP = frozenset((Kind.FENCE, Kind.DOC))
_HOW = re.compile(r"\W*(?:how\b(?!\s+(?:many|much|long|often))|what\s+happens\b)", re.IGNORECASE)
_LOCAL_IN = 150  # lines; a longer function is a module in a function's form, its parts are steps
_LINE_COMMENT = re.compile(
    r"\s*(?://+!?|#(?![!\[{]|include|if|el|end|def|pragma|undef)|--(?!-)|;;+)"
)
_HEAD_END = re.compile(r"(?:[{:(,>]|\bdo|\bthen|=>?)\s*$")  # of a line of a definition's head
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
    degrees = _Degrees(generation)
    verbs = _verbs(query)
    asks_how = bool(_HOW.match(query.text))
    leader = max(scores.values(), default=0.0)

    def weigh(step: Step, relevance: float) -> float:
        """By what a step has of the question, where it was found, and its form."""
        behind = min(leader - scores.get(step.path, leader - FARTHEST), FARTHEST)
        relevance += RANK * ranks.get(step.number, 0.0) + BEHIND * behind
        beside = 1.0 if query.asks_for_tests or not is_beside(step.path) else BESIDE
        thing = THING if asks_how and step.is_type else 1.0
        return max(relevance, 0.0) * beside * thing * _form(generation, step, degrees)

    first = [replace(s, weight=weigh(s, _share(words, s, ""))) for s in steps]
    first = sorted(first, key=order)[:MOST_WEIGHED]
    full = _read(generation, first)
    cosines = _cosines(index, query, full)
    weighed = []
    for step, cosine in zip(full, cosines, strict=True):
        share = _share(words, step, step.body)
        verb = VERB if not verbs.isdisjoint(_stems(_own_name(step))) else 0.0
        weight = weigh(step, share + verb + COSINE * float(cosine))
        weighed.append(replace(step, share=share, weight=weight))
    return sorted(weighed, key=order)


def is_beside(path: str) -> bool:
    """Whether a file lies in a folder of examples, copies or helps for tests, by its name."""
    return not _BESIDE.isdisjoint(tokens(path.rpartition("/")[0]))


def order(step: Step) -> tuple[float, str, int]:
    """The most telling first; the same whatever order they were found in."""
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
                row,
                record["chunk"],
                generation.paths[record["file"]],
                start,
                max(start, last),
                record["qualified"],
                kind,
                record["signature"] or "",
                record["doc"] or "",
                "",
                0.0,
                0.0,
            )
        )
    holding = {step.number for step in steps}
    for chunk in chunks:
        if chunk not in holding and not (standing == chunk).any():
            first, last = int(generation.start_lines[chunk]), int(generation.end_lines[chunk])
            path = generation.paths[_file(generation, chunk)]
            name = generation.chunks["name"][chunk].as_py() or ""
            steps.append(Step(-1, chunk, path, first, last, name, "", "", "", "", 0.0, 0.0))
    return steps


class _Degrees:
    """How many resolved references stand in a symbol, and how many lead to it."""

    def __init__(self, generation: Generation) -> None:
        self._out = generation.link_array("out_pointers")
        self._into = generation.link_array("in_pointers")

    def out(self, row: int) -> int:
        return int(self._out[row + 1] - self._out[row])

    def into(self, row: int) -> int:
        return int(self._into[row + 1] - self._into[row])


def _form(generation: Generation, step: Step, degrees: _Degrees) -> float:
    """What the form of a definition says of how much it tells, whatever was asked."""
    length = step.end_line - step.start_line + 1
    weight = FORM + LENGTH * log(min(length, LONG_ENOUGH))
    role = generation.roles[generation.rows_by_path[step.path]]
    if step.row < 0 or step.kind == Kind.SECTION or role != Role.CODE:
        return weight + PROSE
    calls = degrees.out(step.row)
    weight += WORK * log1p(min(max(calls, length // 6), MOST_WORK))
    weight += DEMAND * log1p(min(degrees.into(step.row), MOST_DEMAND))
    if generation.symbols["exported"][step.row].as_py():
        weight += PUBLIC
    if step.kind in _CALLABLE:  # what happens, not what there is
        weight += CALLABLE
    if step.kind in _MINOR:
        weight += MINOR
    if length <= BARE_LINES and not (calls and step.doc):
        weight += BARE
    return max(weight, LEAST_FORM)


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
    """The comment that opens a body; a later one speaks of a detail."""
    found: list[str] = []
    for before, line in pairwise(own[:_LOOK_INSIDE]):
        if _LINE_COMMENT.match(line) and (found or _HEAD_END.search(before)):
            found.append(line)
        elif found or (line.strip() and _HEAD_END.search(before) and not _HEAD_END.search(line)):
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
    return [(frozenset(map(_stem, own)), by_word[word] / mass) for word, own in forms.items()]


def _share(words: Sequence[tuple[frozenset[str], float]], step: Step, body: str) -> float:
    """The share of the question's words that a definition has, by where."""
    places = (
        (_stems(_own_name(step)), IN_NAME),
        (_stems(f"{step.name} {step.signature} {step.doc}"), IN_DOC),
        (_stems(step.path), IN_PATH),
        (_stems(body), IN_BODY),
    )
    return sum(
        weight * next((value for stems, value in places if not stems.isdisjoint(word)), 0.0)
        for word, weight in words
    )


def _own_name(step: Step) -> str:
    return re.split(r"\.|::|\\", step.name)[-1]


def _verbs(query: Query) -> set[str]:
    """The stems of what the question says is done."""
    done = [w for w in query.content if w in _VERBS or w.endswith("ed")]
    return {_stem(form) for word in done for form in (word, *base_forms([word]))}


def _stems(text: str) -> set[str]:
    return {_stem(token) for token in set(tokens(text))}


@lru_cache(maxsize=1 << 16)
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
