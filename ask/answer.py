"""The answer to a question: Markdown, and the spans that its code was read from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """Lines of a file; ``blob`` is empty where it changed since it was indexed."""

    path: str
    start_line: int
    end_line: int
    blob: str


@dataclass(frozen=True, slots=True)
class AskAnswer:
    """What `codequarry.ask.ask.ask` comes to.

    Attributes:
        question: as asked.
        answer: Markdown; every block of code in it was read from disk.
        spans: the lines in those blocks, in order, each once.
        grounded: whether the prose itself cites any of them.
        narrator: who wrote the prose.
        cached: whether it is an earlier answer.
        uncited: what was found and is not in the answer.
        void_citations: citations that pointed at nothing.
        elapsed_ms: from question to end.
    """

    question: str
    answer: str
    spans: tuple[AnswerSpan, ...]
    grounded: bool
    narrator: str
    cached: bool
    uncited: tuple[AnswerSpan, ...]
    void_citations: int
    elapsed_ms: float

    def __repr__(self) -> str:
        return (
            f"<AskAnswer to {self.question[:60]!r} by {self.narrator}: "
            f"{len(self.spans)} spans, {self.elapsed_ms:.1f} ms>"
        )

    def _repr_markdown_(self) -> str:
        """The answer, as notebooks show it."""
        return self.answer

    @classmethod
    def of(cls, document: dict[str, Any], elapsed_ms: float) -> AskAnswer:
        """The answer of a document that `as_json` made, with another time."""
        spans, uncited = (
            tuple(AnswerSpan(**span) for span in document[name]) for name in ("spans", "uncited")
        )
        values = document | {"spans": spans, "uncited": uncited, "elapsed_ms": elapsed_ms}
        return cls(**values)

    def as_json(self) -> dict[str, Any]:
        """The documented JSON form."""
        return {
            "question": self.question,
            "answer": self.answer,
            "spans": [_span(span) for span in self.spans],
            "grounded": self.grounded,
            "narrator": self.narrator,
            "cached": self.cached,
            "uncited": [_span(span) for span in self.uncited],
            "void_citations": self.void_citations,
            "elapsed_ms": round(self.elapsed_ms, 3),
        }


def _span(span: AnswerSpan) -> dict[str, Any]:
    return {
        "path": span.path,
        "start_line": span.start_line,
        "end_line": span.end_line,
        "blob": span.blob,
    }
