"""Code questions on programs whose every symbol and edge a person has verified.

Three categories, each a mean over the questions of a program:

``call_graph_recall``      callers of a symbol, against the verified set (precision beside it)
``parent_scope_coverage``  a nested symbol is found by its name, in the right scope
``doc_comment_matching``   a doc comment as the question: the code it documents comes first

A program is a folder with ``expected.json``: ``{"language", "files", "symbols": [{"qualified",
"name", "file", "line", "end_line", "parent", "doc"?}], "edges": [{"type", "from", "from_file",
"to", "to_file", "resolved"}], "allowed_extra": [edge]}``.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from codequarry.eval.errors import CorpusError
from codequarry.pipelines.reindex import reindex
from codequarry.retrieval.edges import Edges
from codequarry.retrieval.filters import Content, Filters
from codequarry.retrieval.index import Index, Options, open_index
from codequarry.retrieval.symbols import find_symbols
from codequarry.settings import Settings

CATEGORIES = ("call_graph_recall", "parent_scope_coverage", "doc_comment_matching")
EXPECTED = "expected.json"
_ALL = Options(filters=Filters(content=Content.ALL))


@dataclass(frozen=True, slots=True)
class Question:
    """One question and how it was answered."""

    program: str
    language: str
    category: str
    question: str
    score: float  # 0 to 1
    missed: tuple[str, ...] = ()  # what should have been found
    wrong: tuple[str, ...] = ()  # what should not


@dataclass(frozen=True, slots=True)
class BrainBench:
    """All questions of a run."""

    questions: tuple[Question, ...]

    def mean(self, category: str, language: str = "") -> float:
        """The mean of a category, of all programs or those of a language; 1 without questions."""
        scores = [q.score for q in self._of(category, language)]
        return fmean(scores) if scores else 1.0

    def count(self, category: str, language: str = "") -> int:
        """How many questions a category has."""
        return len(list(self._of(category, language)))

    @property
    def languages(self) -> list[str]:
        """The languages of the programs."""
        return sorted({question.language for question in self.questions})

    def _of(self, category: str, language: str) -> Iterator[Question]:
        for question in self.questions:
            if question.category == category and language in ("", question.language):
                yield question

    def as_json(self) -> dict[str, Any]:
        """Means by category, then every question that was not answered in full."""
        return {
            "means": {name: round(self.mean(name), 4) for name in CATEGORIES},
            "questions": {name: self.count(name) for name in CATEGORIES},
            "wrong_callers": sum(len(question.wrong) for question in self.questions),
            "missed": [asdict(q) for q in self.questions if q.score < 1 or q.wrong],
        }


def run_brainbench(places: Iterable[Path]) -> BrainBench:
    """Index each program in a folder of its own and ask.

    Args:
        places: folders with an ``expected.json``, or folders of such.

    Raises:
        CorpusError: a place holds no program, or one that cannot be read.
    """
    found: list[Question] = []
    for program in _programs(places):
        expected = _read(program)
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / program.name
            shutil.copytree(program, root, ignore=shutil.ignore_patterns(EXPECTED, ".quarry"))
            reindex(root, Settings(workers=1))
            found += _asked(open_index(root), program.name, expected)
    return BrainBench(tuple(found))


def _programs(places: Iterable[Path]) -> Iterator[Path]:
    for place in places:
        inside = sorted(path.parent for path in place.glob(f"*/{EXPECTED}"))
        if (place / EXPECTED).is_file():
            yield place
        elif inside:
            yield from inside
        else:
            raise CorpusError(f"no program in {place}", f"a program is a folder with {EXPECTED}")


def _read(program: Path) -> dict[str, Any]:
    try:
        document = json.loads((program / EXPECTED).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CorpusError(f"{program / EXPECTED} cannot be read: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("symbols"), list):
        raise CorpusError(f"{program / EXPECTED} names no symbols")
    return document


def _asked(index: Index, program: str, expected: dict[str, Any]) -> Iterator[Question]:
    language = str(expected["language"])
    for category, answers in (
        ("call_graph_recall", _callers(index, expected)),
        ("parent_scope_coverage", _scopes(index, expected)),
        ("doc_comment_matching", _docs(index, expected)),
    ):
        for question, score, missed, wrong in answers:
            yield Question(program, language, category, question, score, missed, wrong)


_Answer = tuple[str, float, tuple[str, ...], tuple[str, ...]]


def _callers(index: Index, expected: dict[str, Any]) -> Iterator[_Answer]:
    """Who calls each symbol that anything is known to call."""
    calls = [e for e in expected.get("edges", []) if e["type"] == "calls" and e["resolved"]]
    allowed = [e for e in expected.get("allowed_extra", []) if e["type"] == "calls"]
    wanted: dict[tuple[str, str], set[str]] = defaultdict(set)
    for edge in calls:
        wanted[edge["to"], edge["to_file"]].add(f"{edge['from_file']} {edge['from']}")
    edges = Edges(index.generation)
    for (name, file), callers in sorted(wanted.items()):
        found = {
            f"{edge.path} {edge.symbol}"
            for edge in edges.callers(name).edges
            if edge.target_path == file and edge.target == name
        }
        also = {f"{e['from_file']} {e['from']}" for e in allowed if e["to"] == name}
        missed, wrong = callers - found, found - callers - also
        score = 1 - len(missed) / len(callers)
        yield name, score, tuple(sorted(missed)), tuple(sorted(wrong))


def _scopes(index: Index, expected: dict[str, Any]) -> Iterator[_Answer]:
    """Whether each nested symbol is found by its bare name, within its parents."""
    for symbol in expected["symbols"]:
        if not symbol.get("parent"):
            continue
        scopes = [
            list(index.generation.symbols["scope"][row.row].as_py())
            for row in find_symbols(index.generation, symbol["name"])
            if row.path == symbol["file"] and row.line == symbol["line"]
        ]
        hit = symbol["parent"] in scopes
        yield symbol["qualified"], float(hit), () if hit else (str(symbol["parent"]),), ()


def _docs(index: Index, expected: dict[str, Any]) -> Iterator[_Answer]:
    """Whether the first chunk for a doc comment, among code and prose, is of its definition."""
    for symbol in expected["symbols"]:
        doc = re.split(r"(?<=[.!?])\s", str(symbol.get("doc") or "").strip())[0]
        if not doc:
            continue
        ranked = index.rank_chunks(doc, _ALL, 1)
        hit = bool(ranked) and (
            ranked[0].path == symbol["file"]
            and ranked[0].start_line <= symbol["end_line"]
            and symbol["line"] <= ranked[0].end_line
        )
        yield doc, float(hit), () if hit else (f"{symbol['file']}:{symbol['line']}",), ()


def to_text(bench: BrainBench) -> str:
    """A table by language, and what was missed."""
    lines = [f"{'':12} " + "  ".join(f"{name:>24}" for name in CATEGORIES)]
    for language in ("", *bench.languages):
        cells = [f"{bench.mean(n, language):.3f} of {bench.count(n, language)}" for n in CATEGORIES]
        lines.append(f"{language or 'all':12} " + "  ".join(f"{cell:>24}" for cell in cells))
    for question in bench.questions:
        if question.score < 1 or question.wrong:
            missed = f" missed {', '.join(question.missed)}" if question.missed else ""
            wrong = f" got {', '.join(question.wrong)}" if question.wrong else ""
            what = f"{question.program} {question.category}: {question.question}:"
            lines.append(f"{what}{missed}{wrong}")
    return "\n".join(lines)
