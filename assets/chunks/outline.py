"""The outline of a prose file: its headings, and how good a cut before each line is."""

from __future__ import annotations

from dataclasses import dataclass, field

from codequarry.assets.chunks.cuts import BLANK_LINE, PLAIN_LINE

FENCE_BOUNDARY = 80
PARAGRAPH_START = 20


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: the row of its first line, its level from 1, its title."""

    row: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Fence:
    """A block of code on a page.

    Attributes:
        first: its row, that of its opening line.
        last: its last row, that of its closing line if it has one.
        body: first and last row of the code in it; the last lies before the first if it is empty.
        info: the words after the opening.
        column: what of each line's indentation is the page's, not the code's.
        quotes: how many quote marks stand before each line.
    """

    first: int
    last: int
    body: tuple[int, int]
    info: str
    column: int = 0
    quotes: int = 0


@dataclass(slots=True)
class Outline:
    """What the scanner of a prose language found."""

    headings: list[Heading] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)
    fences: list[Fence] = field(default_factory=list)

    def head(self, row: int, level: int, title: str) -> None:
        """Note a heading; H1 … H6 score 100 … 50."""
        self.headings.append(Heading(row, level, title))
        self.scores[row] = heading_score(level)


def heading_score(level: int) -> int:
    """How good a cut before a heading of this level is (S1 §03)."""
    return 110 - 10 * min(level, 6)


def base_scores(lines: list[str]) -> list[int]:
    """Paragraph starts and blank lines; every other line scores least."""
    scores = []
    blank_before = True
    for line in lines:
        blank = not line.strip()
        if blank:
            scores.append(BLANK_LINE)
        else:
            scores.append(PARAGRAPH_START if blank_before else PLAIN_LINE)
        blank_before = blank
    return scores
