"""The definitions that answer a question, weighed one by one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import log, log1p
from typing import Any

import numpy as np
import numpy.typing as npt

from codequarry.ask.comments import with_text
from codequarry.ask.promises import is_declared
from codequarry.ask.sections import asks_for_changes, is_change_log
from codequarry.ask.step import Step, is_beside, order
from codequarry.ask.wording import (
    base_verbs,
    is_maker,
    named,
    names_in,
    says_what_is_done,
    share,
    verbs_of,
    word_weights,
)
from codequarry.models.provider import BagEmbedder
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.index import Index
from codequarry.retrieval.query import Query
from codequarry.vocabulary import Kind, Role

# The signals beside the words of the question.
COSINE = 1.6
RANK = 0.25  # for the chunk that ranks first, falling to 0 for one that was not ranked
BEHIND = -0.06  # for each unit of score that its file is behind the best one,
FARTHEST = 5.0  # up to so many; files that were not scored are taken to be so far behind
# What a definition's form makes of that, as factors added up.
FORM, LEAST_FORM = 0.65, 0.3
LENGTH, LONG_ENOUGH = 0.04, 40  # by the log of its lines: a declaration tells less than a body
WORK, MOST_WORK = 0.05, 12  # by the log of the calls in it: what does something calls something
DEMAND, MOST_DEMAND = 0.03, 30  # the same for the places that refer to it
CALLABLE, MINOR, PROSE, PUBLIC = 0.1, -0.2, -0.4, 0.04
THING = 0.8  # times, for a type or a constructor where a question asks how something is done
BESIDE = 0.65  # times, for what lies in a folder of tries, copies or helps for tests
LISTED = 0.6  # times, for what a list of changes says, where a question asks for none
BARE, BARE_LINES = -0.3, 3  # a declaration without a body of its own, or a mere accessor
MOST_WEIGHED = 80  # definitions whose bodies are read, the best by their names and docs
_CALLABLE = frozenset((Kind.FUNCTION, Kind.METHOD, Kind.CONSTRUCTOR, Kind.MACRO))
_MINOR = frozenset((Kind.VAR, Kind.CONST, Kind.MODULE, Kind.NAMESPACE))
_NO_STEP = frozenset((Kind.FENCE, Kind.DOC))
_HOW = re.compile(r"\W*(?:how\b(?!\s+(?:many|much|long|often))|what\s+happens\b)", re.IGNORECASE)
_LOCAL_IN = 150  # lines; a longer function is a module in a function's form, its parts are steps


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
    words = word_weights(index, query)
    degrees = _Degrees(generation)
    verbs, does = verbs_of(query), base_verbs(query)
    wants_changes = asks_for_changes(query.text)
    asks_how = bool(_HOW.match(query.text))
    leader = max(scores.values(), default=0.0)

    def weigh(step: Step, relevance: float) -> float:
        """By what a step has of the question, where it was found, and its form."""
        behind = min(leader - scores.get(step.path, leader - FARTHEST), FARTHEST)
        relevance += RANK * ranks.get(step.number, 0.0) + BEHIND * behind
        beside = 1.0 if query.asks_for_tests or not is_beside(step.path) else BESIDE
        if step.is_section and not wants_changes and is_change_log(step.path):
            beside *= LISTED
        made = step.is_type or step.kind == Kind.CONSTRUCTOR or is_maker(step)
        thing = THING if asks_how and made else 1.0
        return max(relevance, 0.0) * beside * thing * _form(generation, step, degrees)

    names = names_in(query.text)
    steps = [replace(step, named=named(step, names)) for step in steps] if names else steps
    first = [replace(s, weight=weigh(s, share(words, s, ""))) for s in steps]
    first = sorted(first, key=order)[:MOST_WEIGHED]
    full = with_text(generation, first)
    cosines = _cosines(index, query, full)
    weighed = []
    for step, cosine in zip(full, cosines, strict=True):
        held = share(words, step, step.body)
        verb = says_what_is_done(step, verbs, does)
        weight = weigh(step, held + verb + COSINE * float(cosine))
        weighed.append(replace(step, share=held, weight=weight))
    return sorted(weighed, key=order)


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
    told = {record["chunk"] for record in records if record["kind"] not in _NO_STEP}
    for chunk in chunks:
        if chunk not in told:
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
    if step.row < 0 or step.is_section or role != Role.CODE:
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
    if length <= BARE_LINES and (not (calls and step.doc) or is_declared(generation, step.row)):
        weight += BARE
    return max(weight, LEAST_FORM)


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
