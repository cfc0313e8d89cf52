"""An answer in so many tokens: every pointer stays, bodies shrink to signatures, then go.

What an agent reads costs it context. The files of an answer are never cut from it; the code of
CORE chunks is shown while the budget lasts, the best chunks first, then the signatures of what
they define, then only where they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pyarrow.compute as pc

from codequarry.models.tokens import estimate_tokens
from codequarry.retrieval.answer import Answer, ChunkHit, CoreFile, RelatedFile
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.reading import read_lines

_MAX_LINE = 400  # characters of a line of code that are shown
_MAX_DOC = 120


class Form(StrEnum):
    """How much of a chunk is shown."""

    CODE = "code"
    SIGNATURES = "signatures"
    POINTER = "pointer"


@dataclass(frozen=True, slots=True)
class Packed:
    """An answer within a budget.

    Attributes:
        answer: what was packed, whole.
        budget: tokens allowed.
        tokens: tokens of ``text``, estimated; above the budget only where the pointers are.
        text: the answer as text.
        forms: by (path, first line) of each CORE chunk.
        bodies: by the same, the lines shown; without those that are only pointed at.
    """

    answer: Answer
    budget: int
    tokens: int
    text: str
    forms: dict[tuple[str, int], Form]
    bodies: dict[tuple[str, int], str]

    @property
    def reduced(self) -> int:
        """How many CORE chunks are not shown as code."""
        return sum(form is not Form.CODE for form in self.forms.values())

    def as_json(self) -> dict[str, Any]:
        """The answer's documented JSON form, each CORE chunk with what is shown of it."""
        document = self.answer.as_json()
        for file in document["core"]:
            for chunk in file["chunks"]:
                key = (file["path"], chunk["start_line"])
                chunk["form"] = self.forms[key].value
                if key in self.bodies:
                    chunk["text"] = self.bodies[key]
        budget = {"max_tokens": self.budget, "tokens": self.tokens, "reduced": self.reduced}
        return document | {"budget": budget}


def pack(generation: Generation, answer: Answer, budget: int) -> Packed:
    """Show as much of an answer as a budget of tokens lets through.

    Args:
        generation: that was searched; code is read from its files as they are now.
        answer: what was found.
        budget: in tokens, as `codequarry.models.tokens` estimates them.
    """
    forms = {
        (file.path, hit.start_line): Form.POINTER for file in answer.core for hit in file.chunks
    }
    bodies: dict[tuple[str, int], str] = {}
    brief = estimate_tokens(_text(answer, bodies, brief=False)) > budget
    left = budget - estimate_tokens(_text(answer, bodies, brief=brief))
    lines = {file.path: read_lines(generation.layout, file.path) for file in answer.core}
    hits = [(hit, file) for file in answer.core for hit in file.chunks]
    for hit, file in sorted(hits, key=lambda pair: -pair[0].score):
        for form, body in (
            (Form.CODE, _code(lines[file.path], hit)),
            (Form.SIGNATURES, _signatures(generation, file.path, hit)),
        ):
            cost = estimate_tokens(body) + 1
            if body and cost <= left:
                left -= cost
                forms[file.path, hit.start_line] = form
                bodies[file.path, hit.start_line] = body
                break
    text = _text(answer, bodies, brief=brief)
    return Packed(answer, budget, estimate_tokens(text), text, forms, bodies)


def _code(lines: Sequence[str], hit: ChunkHit) -> str:
    shown = lines[hit.start_line - 1 : hit.end_line]
    return "\n".join(
        f"{number:>6} | {line.rstrip()[:_MAX_LINE]}"
        for number, line in enumerate(shown, hit.start_line)
    )


def _signatures(generation: Generation, path: str, hit: ChunkHit) -> str:
    file = generation.rows_by_path[path]
    first, count = (generation.files[name][file].as_py() for name in ("first_symbol", "n_symbols"))
    own = generation.symbols.select(["start_line", "signature", "qualified"]).slice(first, count)
    inside = pc.and_(
        pc.greater_equal(own["start_line"], hit.start_line),
        pc.less_equal(own["start_line"], hit.end_line),
    )
    return "\n".join(
        f"{row['start_line']:>6} : {' '.join((row['signature'] or row['qualified']).split())}"[
            :_MAX_LINE
        ]
        for row in own.filter(inside).to_pylist()
    )


def _text(answer: Answer, bodies: dict[tuple[str, int], str], *, brief: bool) -> str:
    """The answer as text; brief: without doc lines and symbols."""
    parts = [f"evidence: {answer.evidence.value}"]
    for file in answer.core:
        parts.append(_head(file, brief=brief))
        for hit in file.chunks:
            what = f" {hit.kind} {hit.name}".rstrip()
            parts.append(f"  {hit.start_line}-{hit.end_line}{what}")
            body = bodies.get((file.path, hit.start_line))
            if body:
                parts.append(body)
    if answer.related:
        parts.append("RELATED")
    parts += [_pointer(related, brief=brief) for related in answer.related]
    return "\n".join([*parts, *(f"note: {note}" for note in answer.notes)])


def _head(file: CoreFile, *, brief: bool) -> str:
    changed = " (changed since indexed)" if file.changed else ""
    doc = f" — {file.doc[:_MAX_DOC]}" if file.doc and not brief else ""
    return f"CORE {file.path}{changed}{doc}"


def _pointer(file: RelatedFile, *, brief: bool) -> str:
    changed = " (changed since indexed)" if file.changed else ""
    start, end = file.best_span
    what = f"  {', '.join(file.symbols[:4])}" if file.symbols and not brief else ""
    return f"  {file.path}:{start}-{end}{changed}{what}"
