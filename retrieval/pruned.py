"""The flat form of an answer: chunks that say something about the question, best first, no tiers.

CORE files give the chunks they are shown by. A RELATED file gives its best chunk if it is near
the best file: the map beyond that is there so that nothing is missed, which is not its purpose.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from codequarry.retrieval.answer import Answer
from codequarry.retrieval.bundle import CORE_GAP, CORE_LOGITS
from codequarry.retrieval.index import Index, Options

NEAR = 2.0  # times as far from the best file as CORE reaches


@dataclass(frozen=True, slots=True)
class SignalChunk:
    """A chunk of a flat answer."""

    path: str
    start_line: int
    end_line: int
    name: str
    score: float

    def as_json(self) -> dict[str, Any]:
        """The documented JSON form."""
        return asdict(self) | {"score": round(self.score, 6)}


def prune(answer: Answer) -> list[SignalChunk]:
    """The chunks of an answer that are signal, best first."""
    files = answer.files
    if not files:
        return []
    leader = files[0].score
    in_logits = answer.mode in ("linear", "issue")
    reach = NEAR * (CORE_LOGITS if in_logits else CORE_GAP * abs(leader))
    found = [
        SignalChunk(file.path, hit.start_line, hit.end_line, hit.name, hit.score)
        for file in answer.core
        for hit in file.chunks
    ]
    found += [
        SignalChunk(file.path, *file.best_span, ", ".join(file.symbols[:1]), file.score)
        for file in answer.related
        if "score" in file.why and file.score >= leader - reach
    ]
    return sorted(found, key=lambda chunk: (-chunk.score, chunk.path, chunk.start_line))


def prune_search(index: Index, text: str, options: Options | None = None) -> list[SignalChunk]:
    """Search and give the flat form; errors as in `Index.search`."""
    return prune(index.search(text, options))
