"""The walkthrough without a model: where it begins, what calls what, in the project's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from codequarry.ask.candidates import Candidates
from codequarry.ask.flow import Flow
from codequarry.ask.siblings import Likeness, Sibling
from codequarry.ask.step import Step, short_name
from codequarry.ask.wording import FIELDS, NOTE
from codequarry.retrieval.answer import Evidence
from codequarry.retrieval.index import Index

LONG = 60  # lines of a definition that are shown whole
HEAD = 40  # lines that are shown of a longer one
TYPE_HEAD = 25  # lines that are shown of a type whose members are not all of interest
MAX_DOC = 320  # characters of a doc comment
MAX_SIGNATURE = 140  # characters of a signature that stands for one
MOST_CALLERS = 2
MOST_SIBLINGS = 3
CLEAR = 0.6  # share of the question's words in the lead: it bears on the question after all

_MARKUP = re.compile(r"^\s*(?:[/*#!;%-]+(?=\s|$)|\"{3}|'{3}|--\||\|)\s?")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|\{@\w+\s+([^{}]*)\}|:(?:\w+:)+`~?\.?([^`]*)`")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")  # its words stay; where it leads does not
_CITATION = re.compile(r"\[(?=\[)")
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(])")
_LIKE = {
    Likeness.COPY: "The same text is also in",
    Likeness.OVERLOAD: "It has further forms for other arguments in",
    Likeness.NAMESAKE: "Of the same name, elsewhere:",
    Likeness.VARIANT: "Much alike:",
}


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
        said: set[str] = set()
        for place, step in enumerate(flow.steps):
            yield f"\n\n{self._said(flow, place, step, said)}\n\n{_cited(step, flow)}"
        yield "\n"

    def _said(self, flow: Flow, place: int, step: Step, said: set[str]) -> str:
        """What one step does, what it calls and what is like it."""
        words = self._words(step, said)
        text = f"**{place + 1}. {_name(step)}**, in `{_plain(step.path)}`"
        text += f": {words}" if words else "."
        if place in flow.roots and not step.is_text:
            text += " The calls of the steps above are not known to lead here."
        for words, unsure in (("It calls", False), ("By its name, it may call", True)):
            called = [n for n in flow.calls.get(place, ()) if ((place, n) in flow.unsure) == unsure]
            if called:
                names = [f"{_name(flow.steps[n])} (step {n + 1})" for n in called]
                text += f" {words} {_listed(names)}."
        return text + "".join(_alike(flow.siblings.get(place, ())))

    def _words(self, step: Step, said: set[str]) -> str:
        """The project's own words on a step, else on its type, once, or how it is declared."""
        words = first_words(step.doc)
        if words or not step.name or step.is_text:
            return words
        outer = self._outer_doc(step)
        if outer and outer not in said:
            said.add(outer)
            return outer
        signature = " ".join(step.signature.split()).replace(" | ", " or ")  # no table in prose
        if not signature or step.is_type:
            return ""
        if len(signature) > MAX_SIGNATURE:
            signature = signature[:MAX_SIGNATURE].rsplit(" ", 1)[0] + " …"
        return f"no comment, declared as `{_plain(signature)}`."

    def _outer_doc(self, step: Step) -> str:
        """The doc comment of the type around a member."""
        if step.row < 0:
            return ""
        symbols = self._index.generation.symbols
        file, end = symbols["file"][step.row].as_py(), symbols["end_byte"][step.row].as_py()
        row = step.row - 1
        while row >= 0 and symbols["file"][row].as_py() == file:
            if symbols["end_byte"][row].as_py() >= end:
                words = first_words(symbols["doc"][row].as_py() or "")
                name = short_name(symbols["qualified"][row].as_py())
                return (
                    f"no comment of its own; of `{_plain(name)}` it says: {words}" if words else ""
                )
            row -= 1
        return ""


def _opening(flow: Flow, evidence: Evidence) -> str:
    """Where it begins, who calls that, where it leads, and how sure this is."""
    first = flow.steps[0]
    text = ""
    best = max(step.share for step in flow.steps)
    if evidence is Evidence.NONE and best < CLEAR:
        text = "Nothing here seems to answer that; what follows is the nearest code. "
    elif evidence is not Evidence.STRONG:
        nearest = "sections" if first.is_text else "definitions"
        text = f"The evidence is weak; these are the nearest {nearest}. "
    if first.is_text:
        also = _listed([f"{_name(s)} in `{_plain(s.path)}`" for s in flow.steps[1:]])
        text += f"It is told in {_name(first)} in `{_plain(first.path)}`"
        return text + (f"; see also {also}." if also else ".")
    if len(flow.steps) == 1:
        text += f"The place is {_name(first)} in `{_plain(first.path)}`."
    else:
        text += f"It begins with {_name(first)} in `{_plain(first.path)}`"
        end = min(flow.roots, default=len(flow.steps))
        others = dict.fromkeys(_name(step) for step in flow.steps[1:end])
        later = _listed([name for name in others if name != _name(first)])
        text += f" and goes on to {later}." if later and 0 in flow.calls else "."
    callers = flow.callers.get(0, [])
    if callers:
        names = [
            f"`{_plain(short_name(name))}` in `{_plain(path)}`"
            for name, path in callers[:MOST_CALLERS]
        ]
        more = len(callers) - len(names)
        text += f" {_name(first)} is called by "
        text += f"{', '.join(names)} and {more} more." if more else f"{_listed(names)}."
    return text


def _alike(siblings: Sequence[Sibling]) -> Iterator[str]:
    """What is told with a step, in a sentence for each likeness."""
    for likeness, words in _LIKE.items():
        own = [s for s in siblings if s.likeness is likeness]
        if not own:
            continue
        if likeness in (Likeness.COPY, Likeness.OVERLOAD):
            names = list(dict.fromkeys(f"`{_plain(s.path)}`" for s in own))
        else:
            names = list(dict.fromkeys(f"`{_plain(short_name(s.name))}`" for s in own))
        yield f" {words} {_listed(names, MOST_SIBLINGS)}."


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
    if step.row < 0 and end == step.end_line:
        return f"[[{step.number}]]"
    return f"[[{step.number}:{step.start_line}-{end}]]"


def first_words(doc: str) -> str:
    """The first paragraph of a doc comment as one line of plain prose, at most `MAX_DOC` long."""
    lines: list[str] = []
    for line in doc.splitlines():
        if FIELDS.match(line):
            if lines:
                break
            continue
        text = _MARKUP.sub("", line).strip()
        if NOTE.match(text):
            break
        if not text and lines:
            break
        if text:
            lines.append(text)
    text = _TAG.sub(lambda m: f"`{m[1] or m[2]}`" if m[1] or m[2] else "", " ".join(lines))
    text = _LINK.sub(r"\1", " ".join(text.replace("``", "`").split()))
    sentences = _END.split(text)
    if len(sentences) > 1 and sentences[-1].endswith(":"):
        text = " ".join(sentences[:-1])  # what it announces is not told
    if len(text) > MAX_DOC:
        kept = ""
        for sentence in _END.split(text):
            if kept and len(kept) + len(sentence) > MAX_DOC:
                break
            kept = f"{kept} {sentence}".strip()
        text = kept if len(kept) <= MAX_DOC else kept[:MAX_DOC].rsplit(" ", 1)[0] + " …"
    text = _inert(text.rstrip(":"))
    return text if not text or text[-1] in ".!?…" else text + "."


def _name(step: Step) -> str:
    """A step as prose calls it."""
    if step.is_section:  # the last two headings; they are no code
        return f"`{_plain(' > '.join(step.name.split(' > ')[-2:]))}`"
    if not step.name:
        return f"Lines {step.start_line}–{step.end_line}"
    return f"`{_plain(short_name(step.name))}`"


def _plain(text: str) -> str:
    return _inert(" ".join(text.replace("`", "'").split()))


def _inert(text: str) -> str:
    """The same without what the splicer would take as a citation: it is the project's text."""
    return _CITATION.sub("[ ", text)


def _listed(names: Sequence[str], most: int = 4) -> str:
    shown = list(names[:most])
    if len(names) > len(shown):
        return ", ".join(shown) + f" and {len(names) - len(shown)} more"
    return ", ".join(shown[:-1]) + f" and {shown[-1]}" if len(shown) > 1 else "".join(shown)
