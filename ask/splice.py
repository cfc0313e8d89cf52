"""Prose in, grounded answer out: citations become blocks that are read from disk here and now.

The answer is Markdown. Its blocks of code come from `codequarry.ask.blocks` alone; prose goes
through `codequarry.ask.prose` and `codequarry.ask.inline`, which let none through.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from codequarry.ask import inline
from codequarry.ask.blocks import block, label, name, place
from codequarry.ask.candidates import Candidate, Candidates
from codequarry.ask.citations import Void, resolve
from codequarry.ask.disk import Shown, show
from codequarry.ask.inline import TokenKind
from codequarry.ask.lines import LineReader, clean
from codequarry.ask.prose import LineKind, ProseFilter, ProseLine
from codequarry.errors import QuarryError
from codequarry.retrieval.generation import Generation

NOTICE = "*(Code that the narrator wrote is left out or quoted; code below is read from files.)*"
NOTHING_CITED = "the text cites nothing that was found: it is without evidence"
NOTHING_WRITTEN = "no text was written about it"
NOTHING_FOUND = "no file of the index bears on the question"
FOOTER = "Also found, not cited:"


class PartKind(StrEnum):
    """What a part of an answer is."""

    PROSE = "prose"
    SPLICE = "splice"
    BUNDLE = "bundle"  # the sentence that says why all that was found follows
    FOOTER = "footer"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the answer; joined in order, the texts are the answer."""

    kind: PartKind
    text: str
    shown: Shown | None = None


class Splicer:
    """Grounds one answer. What it gives does not depend on how the prose was cut.

    Attributes:
        shown: spans that the answer holds, in order, each once.
        cited: numbers of the candidates that were cited.
        void: how many citations pointed at nothing.
    """

    def __init__(self, generation: Generation, candidates: Candidates) -> None:
        self.shown: list[Shown] = []
        self.cited: set[int] = set()
        self._present: set[int] = set()
        self.void = 0
        self._generation = generation
        self._candidates = candidates
        self._reader = LineReader()
        self._filter = ProseFilter()
        self._parts: list[Part] = []
        self._pending: list[Shown] = []
        self._spliced: set[tuple[str, int, int]] = set()
        self._noticed = False
        self._wants_gap = False
        self._in_paragraph = False
        self._written = False
        self._ends = "\n\n"  # how the answer ends so far

    @property
    def uncited(self) -> list[Candidate]:
        """Candidates that are not in the answer."""
        covered = self.cited | self._present
        return [c for c in self._candidates.spans if c.number not in covered]

    def feed(self, piece: str) -> list[Part]:
        """Take a piece of prose; the parts it completes."""
        self._written = self._written or bool(piece.strip())
        for line in self._reader.feed(piece):
            self._line(line)
        return self._taken()

    def finish(self, failure: str = "", note: str = "") -> list[Part]:
        """The prose is over.

        Args:
            failure: why it is not whole or not there; then all that was found is shown.
            note: what else the reader must know, such as that it was cut.
        """
        for line in self._reader.finish():
            self._line(line)
        self._flush()
        if note:
            self._paragraph(PartKind.PROSE, f"*({inline.plain(clean(note))})*")
        if failure or not self.cited:
            self._bundle(failure)
        self._footer()
        return self._taken()

    def _line(self, text: str) -> None:
        line = self._filter.line(text)
        if line.kind is LineKind.BLANK:
            self._flush()
            self._wants_gap, self._in_paragraph = True, False
            return
        if line.kind in (LineKind.DROPPED, LineKind.QUOTED):
            self._notice()
            if line.kind is LineKind.DROPPED:
                self._wants_gap, self._in_paragraph = True, False
                return
        if line.starts:
            self._flush()
        self._prose(line)

    def _prose(self, line: ProseLine) -> None:
        quoted = line.kind is LineKind.QUOTED
        texts, has_words, cites = [], False, False
        for token in inline.quote(line.content) if quoted else inline.scan(line.content):
            cites = cites or token.kind is TokenKind.CITATION
            if token.kind is TokenKind.TEXT:
                has_words = has_words or any(char.isalnum() for char in token.text)
                texts.append(token.text)
            elif token.kind is TokenKind.CITATION:
                text, must_show = self._citation(token.text)
                has_words = has_words or must_show
                texts.append(text)
            else:
                has_words = True
                self.void += 1
                texts.append(f"{inline.plain(token.text)} *(not checked)*")
        if quoted:
            self._paragraph(PartKind.PROSE, "> " + inline.join(texts).rstrip())
        elif has_words or not cites or line.prefix or self._in_paragraph:
            self._emit(PartKind.PROSE, f"{line.prefix}{inline.join(texts)}".rstrip(" ") + "\n")
            self._in_paragraph = True
        else:  # nothing but citations: their blocks say it
            self._flush()

    def _citation(self, text: str) -> tuple[str, bool]:
        """What stands in the prose for a citation, and whether it must be seen."""
        found = resolve(text, self._candidates)
        if isinstance(found, Void):
            self.void += 1
            return f"*(void citation: {found.reason})*", True
        try:
            shown = show(self._generation, found.candidate, found.start_line, found.end_line)
        except QuarryError as error:
            self.void += 1
            return f"*(void citation: {inline.plain(clean(error.message))})*", True
        self.cited.add(found.candidate.number)
        if shown.key in self._spliced:
            return f"{label(shown)} (above)", True
        if all(shown.key != other.key for other in self._pending):
            self._pending.append(shown)
        return label(shown), False

    def _flush(self) -> None:
        """Put the blocks of the citations so far."""
        pending, self._pending = self._pending, []
        for shown in pending:
            self._block(shown)

    def _block(self, shown: Shown) -> None:
        self._wants_gap = True
        self._emit(PartKind.SPLICE, block(shown), shown)
        self._wants_gap, self._in_paragraph = True, False
        self._spliced.add(shown.key)
        self.shown.append(shown)

    def _bundle(self, reason: str) -> None:
        """All that was found, because the prose cannot be relied on to have chosen."""
        if not self._candidates.spans:
            what, reason = "Nothing was found", reason or NOTHING_FOUND
        else:
            what = "All that was found follows"
            reason = reason or (NOTHING_CITED if self._written else NOTHING_WRITTEN)
        text = f"*({what}: {inline.plain(clean(reason)).removesuffix('.')}.)*"
        self._paragraph(PartKind.BUNDLE, text)
        for candidate in self._candidates.spans:
            try:
                shown = show(self._generation, candidate, candidate.start_line, candidate.end_line)
            except QuarryError as error:
                self._paragraph(PartKind.PROSE, inline.plain(clean(error.message)))
                continue
            self._present.add(candidate.number)
            if shown.key not in self._spliced:
                self._block(shown)

    def _footer(self) -> None:
        rows = [
            f"- {place(c.path, c.start_line, c.end_line)}"
            + (f" {name(c.symbol)}" if c.symbol else "")
            for c in self.uncited
        ]
        rows += [f"- {inline.plain(clean(reason))}" for reason in self._candidates.unread]
        if rows:
            self._paragraph(PartKind.FOOTER, "\n".join([FOOTER, "", *rows]))

    def _notice(self) -> None:
        if not self._noticed:
            self._noticed = True
            self._flush()
            self._paragraph(PartKind.PROSE, NOTICE)

    def _paragraph(self, kind: PartKind, text: str) -> None:
        self._wants_gap = True
        self._emit(kind, text + "\n")
        self._wants_gap, self._in_paragraph = True, False

    def _emit(self, kind: PartKind, text: str, shown: Shown | None = None) -> None:
        gap = "\n" if self._wants_gap and not self._ends.endswith("\n\n") else ""
        self._wants_gap = False
        self._parts.append(Part(kind, gap + text, shown))
        self._ends = (self._ends + gap + text)[-2:]

    def _taken(self) -> list[Part]:
        parts, self._parts = self._parts, []
        return parts
