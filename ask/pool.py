"""What an answer may be told from: the spans of a search, and the code that they call or serve.

A search gives the best span of a file. The definition where things begin is often another one:
elsewhere in the same file, or a caller in the next. So the definitions of the best files, of the
chunks that rank next, and the callers and callees of the best of them are weighed; those that
become steps of the flow join the candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from codequarry.ask.candidates import Candidates, find_candidates
from codequarry.ask.flow import make_flow
from codequarry.ask.receivers import chunks_called_on
from codequarry.ask.step import Step, order
from codequarry.ask.steps import find_steps
from codequarry.ask.wording import base_forms
from codequarry.retrieval.answer import Answer
from codequarry.retrieval.filters import apply_filters
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.index import Index, Options
from codequarry.retrieval.query import parse_query
from codequarry.retrieval.ranking import Profile

NEXT_CHUNKS = 40  # of the flat ranking that are looked at beside the answer's own spans
WHOLE_FILES = 6  # of the answer whose every definition is looked at
FILE_CHUNKS = 40  # of each of them, around which the file is cut
ANCHORS = 12  # definitions whose callers and callees are looked at
NAMING = 6  # of these, from whose texts calls are told by what they are called on
NEIGHBOURS = 10  # of each of them, each way


def gather(index: Index, question: str, answer: Answer, options: Options) -> Candidates:
    """The candidates of a question, with the flow through them.

    Args:
        index: that was searched.
        question: what was asked.
        answer: what was found.
        options: as it was searched.
    """
    generation = index.generation
    if not answer.files:
        return find_candidates(generation, answer)
    query = parse_query(question, index.model, index.own_name)
    flat = replace(options, profile=Profile.HYBRID)
    asked = " ".join((question, *base_forms(query.parts)))
    ranked = [
        _chunk_at(generation, hit.path, hit.start_line)
        for hit in index.rank_chunks(asked, flat, NEXT_CHUNKS)
    ]
    ranks = {chunk: 1 - place / NEXT_CHUNKS for place, chunk in enumerate(ranked)}
    scores = {file.path: file.score for file in answer.files}
    chunks = list(dict.fromkeys((*_own(generation, answer), *ranked)))
    anchors = find_steps(index, query, chunks, ranks, scores)
    allowed = apply_filters(generation, options.filters).chunks
    named = chunks_called_on(generation, anchors[:NAMING], NEIGHBOURS)
    near = dict.fromkeys((*_neighbours(generation, anchors[:ANCHORS]), *named))
    more = find_steps(index, query, [chunk for chunk in near if allowed[chunk]], ranks, scores)
    seen = {(step.row, step.number) for step in anchors}
    new = (step for step in more if (step.row, step.number) not in seen)
    weighed = sorted((*anchors, *new), key=order)
    flow = make_flow(generation, weighed)
    places = [_place(generation, step.number) for step in flow.steps]
    kept = find_candidates(generation, answer, places)
    numbers = {(c.path, c.start_line, c.end_line): c.number for c in kept.spans}
    if any(place not in numbers for place in places):  # a file changed between two reads
        return kept
    steps = tuple(
        replace(step, number=numbers[place]) for step, place in zip(flow.steps, places, strict=True)
    )
    return replace(kept, flow=replace(flow, steps=steps))


def _own(generation: Generation, answer: Answer) -> list[int]:
    """The chunks of the best files, and the best one of each other file."""
    files = [generation.rows_by_path[f.path] for f in answer.files]
    chunks: list[int] = []
    for file in files[:WHOLE_FILES]:
        first = int(generation.first_chunks[file])
        chunks += range(first, first + min(int(generation.chunk_counts[file]), FILE_CHUNKS))
    for core in answer.core:
        chunks += [_chunk_at(generation, core.path, hit.start_line) for hit in core.chunks]
    for related in answer.related:
        chunks.append(_chunk_at(generation, related.path, related.best_span[0]))
    return chunks


def _chunk_at(generation: Generation, path: str, line: int) -> int:
    """The chunk of a file that begins at a line, or that the line lies in."""
    file = generation.rows_by_path[path]
    first, count = int(generation.first_chunks[file]), int(generation.chunk_counts[file])
    starts = generation.start_lines[first : first + count]
    return first + max(0, int(np.searchsorted(starts, line, side="right")) - 1)


def _place(generation: Generation, chunk: int) -> tuple[str, int, int]:
    return (
        generation.paths[int(generation.chunk_files[chunk])],
        int(generation.start_lines[chunk]),
        int(generation.end_lines[chunk]),
    )


def _neighbours(generation: Generation, steps: Sequence[Step]) -> Iterable[int]:
    """Chunks outside tests that call some definitions or that they call."""
    links, symbols = generation.links, generation.symbols
    into, into_at = generation.link_array("in"), generation.link_array("in_pointers")
    out, out_at = generation.link_array("out"), generation.link_array("out_pointers")
    chunks: dict[int, None] = {}
    for step in steps:
        if step.row < 0:
            continue
        callers = into[into_at[step.row] : into_at[step.row + 1]][:50]
        callees = out[out_at[step.row] : out_at[step.row + 1]][:50]
        targets = np.asarray(links["target_symbol"].take(callees))
        for found in (
            np.asarray(links["chunk"].take(callers)),
            np.asarray(symbols["chunk"].take(targets[targets >= 0])),
        ):
            code = found[~generation.is_test[generation.chunk_files[found]]].tolist()
            chunks.update(dict.fromkeys(list(dict.fromkeys(code))[:NEIGHBOURS]))
    return chunks
