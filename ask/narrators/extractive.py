"""The walkthrough without a model: where it begins, what calls what, in the project's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codequarry.ask.candidates import Candidates
from codequarry.ask.flow import Flow
from codequarry.ask.steps import Step
from codequarry.retrieval.answer import Evidence
from codequarry.retrieval.index import Index

LONG = 60  # lines of a definition that are shown whole
HEAD = 40  # lines that are shown of a longer one
TYPE_HEAD = 25  # lines that are shown of a type whose members are not all of interest
MAX_DOC = 320  # characters of a doc comment
MOST_CALLERS = 2

_MARKUP = re.compile(r"^\s*(?:[/*#!;%-]+(?=\s|$)|\"{3}|'{3}|--\||\|)\s?")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|\{@\w+\s+([^{}]*)\}|:\w+:`~?([^`]*)`")
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(])")
_FIELDS = re.compile(
    r"\s*(?:[:@\\](?:param|return|returns|rtype|type|throws|raises|see|since|author|example|since)"
    r"\b|(?:Args|Arguments|Parameters|Returns|Raises|Example|Examples|Usage|Note|Notes):?\s*$"
    r"|-{3,}|={3,}|```|>>>|\.\. )"
)


class ExtractiveNarrator:
    """Writes from the index alone: definitions, their doc comments and their calls."""

    def __init__(self, index: Index) -> None:
        self._index = index

    @property
    def name(self) -> str:
        """The word of this narrator."""
        return "extractive"

    def narrate(self, question: str, candidates: Candidates) -> Iterator[str]:
        """See `Narrator.narrate`; the same for the same index and question."""
        flow = candidates.flow
        if flow is None or not flow.steps:
            return
        yield _opening(flow, candidates.evidence)
        for place, step in enumerate(flow.steps):
            yield f"\n\n{self._said(flow, place, step)}\n\n{_cited(step, flow)}"
        yield "\n"

    def _said(self, flow: Flow, place: int, step: Step) -> str:
        """What one step does, and what it calls."""
        name = f"`{_plain(step.name)}`" if step.name else "Code without a name"
        words = self._words(step)
        text = f"**{place + 1}. {name}**, in `{_plain(step.path)}`"
        text += f": {words}" if words else "."
        called = [n for n in flow.calls.get(place, ()) if n != place]
        if called:
            names = _listed([f"`{_last(flow.steps[n].name)}` (step {n + 1})" for n in called])
            text += f" It calls {names}."
        return text

    def _words(self, step: Step) -> str:
        """The project's own words on a step: its doc, else that of the type it belongs to."""
        return first_words(step.doc) or self._outer_doc(step)

    def _outer_doc(self, step: Step) -> str:
        """The doc comment of the type around a member."""
        if step.row < 0:
            return ""
        symbols = self._index.generation.symbols
        file, end = symbols["file"][step.row].as_py(), symbols["end_byte"][step.row].as_py()
        row = step.row - 1
        while row >= 0 and symbols["file"][row].as_py() == file:
            doc = symbols["doc"][row].as_py()
            if symbols["end_byte"][row].as_py() >= end and doc:
                name = _last(symbols["qualified"][row].as_py())
                return f"(of `{_plain(name)}`) {first_words(doc)}" if first_words(doc) else ""
            row -= 1
        return ""


def _opening(flow: Flow, evidence: Evidence) -> str:
    """Where it begins, who calls that, and how sure this is."""
    first = flow.steps[0]
    text = ""
    if evidence is Evidence.NONE:
        text = "Nothing here seems to answer that; what follows is the nearest code. "
    elif evidence is Evidence.WEAK:
        text = "The evidence is weak; these are the nearest definitions. "
    name = f"`{_plain(first.name)}`" if first.name else "the code"
    if len(flow.steps) == 1:
        text += f"The place is {name} in `{_plain(first.path)}`."
    else:
        text += f"It begins with {name} in `{_plain(first.path)}`."
    callers = flow.callers.get(0, [])
    if callers:
        names = [f"`{_plain(name)}` in `{_plain(path)}`" for name, path in callers[:MOST_CALLERS]]
        more = len(callers) - len(names)
        text += f" It is called by {_listed(names)}" + (f" and {more} more." if more > 0 else ".")
    return text


def _cited(step: Step, flow: Flow) -> str:
    """The citation of a step: whole where it is short, else its beginning."""
    end = step.end_line
    if step.is_type:
        inner = [
            other.start_line
            for other in flow.steps
            if other is not step and other.path == step.path
            and step.start_line < other.start_line <= step.end_line
        ]  # fmt: skip
        if inner or end - step.start_line >= LONG:
            end = min([end, step.start_line + TYPE_HEAD - 1, *(line - 1 for line in inner)])
    elif end - step.start_line >= LONG:
        end = step.start_line + HEAD - 1
    if step.row < 0:
        return f"[[{step.number}]]"
    return f"[[{step.number}:{step.start_line}-{end}]]"


def first_words(doc: str) -> str:
    """The first paragraph of a doc comment as one line of plain prose, at most `MAX_DOC` long."""
    lines: list[str] = []
    for line in doc.splitlines():
        if _FIELDS.match(line):
            break
        text = _MARKUP.sub("", line).strip()
        if not text and lines:
            break
        if text:
            lines.append(text)
    text = _TAG.sub(lambda m: f"`{m[1] or m[2]}`" if m[1] or m[2] else "", " ".join(lines))
    text = " ".join(text.replace("``", "`").split())
    if len(text) > MAX_DOC:
        kept = ""
        for sentence in _END.split(text):
            if kept and len(kept) + len(sentence) > MAX_DOC:
                break
            kept = f"{kept} {sentence}".strip()
        text = kept if len(kept) <= MAX_DOC else kept[:MAX_DOC].rsplit(" ", 1)[0] + " …"
    return text if not text or text[-1] in ".!?…:" else text + "."


def _last(name: str) -> str:
    """The last part of a qualified name, with what makes it clear."""
    parts = re.split(r"(?<=\w)(?:\.|::|#|\\)", name)
    return ".".join(parts[-2:]) if len(parts) > 1 else name


def _plain(text: str) -> str:
    return text.replace("`", "'")


def _listed(names: list[str]) -> str:
    shown = names[:4]
    if len(names) > len(shown):
        return ", ".join(shown) + f" and {len(names) - len(shown)} more"
    return ", ".join(shown[:-1]) + f" and {shown[-1]}" if len(shown) > 1 else shown[0]
