"""Search as the box of a documentation site does it: sections, the best of each page first.

Pages are ranked as files are. Of a page the section is given whose heading and text hold most of
the question, with its title path, the anchor that a renderer gives it, and a marked snippet.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from codequarry.identifiers import light_stem, split_word, words
from codequarry.retrieval.answer import Evidence
from codequarry.retrieval.evidence import band
from codequarry.retrieval.filters import Content
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.index import Index, Options
from codequarry.retrieval.query import parse_query
from codequarry.retrieval.reading import read_lines
from codequarry.vocabulary import Kind

PAGES = 10
CHUNKS = 60  # of documentation that are looked at
IN_HEADING, IN_TITLES, IN_TEXT = 1.0, 0.3, 0.4
LEAD_BONUS = 0.15  # of a page's best chunk, so that two sections alike are told apart
SNIPPET = 200  # characters

_ATTRIBUTES = re.compile(r"\s*\{[^{}]*\}\s*$")
_ANCHOR = re.compile(r"\{[^{}]*#([\w.:-]+)[^{}]*\}\s*$")
_UNSLUGGED = re.compile(r"[^\w\- ]")
_MARKS = re.compile(
    r"""(?x)
    ^\s*(?:\#{1,6}\s+|[-*+>|]\s+|\d+[.)]\s+|[=~^*\#-]{3,}\s*$|`{3,}.*|~{3,}.*)  # block marks
    | `+ | \*+(?=\S) | (?<=\S)\*+ | (?<!\w)_+(?=\S) | (?<=\S)_+(?!\w)  # of words
    | </?[A-Za-z][^<>]*>
    """
)


@dataclass(frozen=True, slots=True)
class DocHit:
    """A section that answers.

    Attributes:
        path: of its page.
        titles: headings from the page's title to the section's own.
        slug: the anchor of the section; empty at the top of a page without headings.
        start_line: of the section.
        end_line: of the section, up to its first sub-section.
        snippet: plain text of the lines that fit best.
        highlights: (start, end) offsets into the snippet of the question's words.
        score: of the page; comparable within one answer.
    """

    path: str
    titles: tuple[str, ...]
    slug: str
    start_line: int
    end_line: int
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    score: float

    def as_json(self) -> dict[str, Any]:
        """The documented JSON form."""
        return asdict(self) | {"score": round(self.score, 6)}


@dataclass(frozen=True, slots=True)
class DocAnswer:
    """Sections, the best page first."""

    query: str
    evidence: Evidence
    hits: tuple[DocHit, ...]

    def as_json(self) -> dict[str, Any]:
        """The documented JSON form."""
        hits = [hit.as_json() for hit in self.hits]
        return {"query": self.query, "evidence": self.evidence.value, "hits": hits}


@dataclass(frozen=True, slots=True)
class _Section:
    heading: str
    slug: str
    start: int
    end: int  # of its own text
    titles: tuple[str, ...]


def docsearch(
    index: Index, text: str, options: Options | None = None, pages: int = PAGES
) -> DocAnswer:
    """Search the documentation of a repository; errors as in `Index.search`.

    Args:
        index: where to look.
        text: the question, or the beginning of one.
        options: filters and ranker; the content is always documentation.
        pages: how many are given at most.
    """
    options = options or Options()
    filters = replace(options.filters, content=Content.DOCS)
    ranked = index.rank_chunks(text, replace(options, filters=filters), CHUNKS)
    query = parse_query(text, None, index.own_name)
    wanted = frozenset(light_stem(word) for word in query.content or query.parts)
    by_page: dict[str, list[tuple[int, int]]] = {}
    scores: dict[str, float] = {}
    for hit in ranked:
        by_page.setdefault(hit.path, []).append((hit.start_line, hit.end_line))
        scores.setdefault(hit.path, hit.score)
    if not wanted:
        return DocAnswer(text, Evidence.NONE, ())
    hits = [
        _best_section(index.generation, path, spans, wanted, scores[path])
        for path, spans in list(by_page.items())[:pages]
    ]
    judged = index.search(text, replace(options, filters=filters, check_files=False))
    return DocAnswer(text, band(judged.odds), tuple(hit for hit in hits if hit is not None))


def _best_section(
    generation: Generation,
    path: str,
    spans: Sequence[tuple[int, int]],
    wanted: frozenset[str],
    score: float,
) -> DocHit | None:
    lines = read_lines(generation.layout, path)
    if not lines:
        return None
    sections = _sections(generation, path, len(lines))
    near = [s for s in sections if any(s.start <= end and start <= s.end for start, end in spans)]

    def weight(section: _Section) -> float:
        text = "".join(lines[section.start - 1 : section.end])
        found = IN_HEADING * len(wanted & _stems(section.heading))
        found += IN_TITLES * len(wanted & _stems(" ".join(section.titles[:-1])))
        found += IN_TEXT * len(wanted & _stems(text))
        leads = spans[0][0] <= section.start <= spans[0][1]
        return found / len(wanted) + (LEAD_BONUS if leads else 0.0)

    best = max(near or sections, key=lambda section: (weight(section), -section.start))
    snippet = _snippet(lines[best.start - 1 : best.end], wanted)
    return DocHit(
        path,
        best.titles,
        best.slug,
        best.start,
        best.end,
        snippet,
        tuple(_marked(snippet, wanted)),
        score,
    )


def _sections(generation: Generation, path: str, n_lines: int) -> list[_Section]:
    """A page's sections in order, each up to the next heading; the page where it has none."""
    file = generation.rows_by_path[path]
    first, count = (generation.files[name][file].as_py() for name in ("first_symbol", "n_symbols"))
    columns = ["name", "kind", "scope", "start_line"]
    rows = generation.symbols.select(columns).slice(first, count).to_pylist()
    headings = [row for row in rows if row["kind"] == Kind.SECTION.value]
    ends = [*(row["start_line"] - 1 for row in headings[1:]), n_lines][: len(headings)]
    used: Counter[str] = Counter()
    found = []
    for row, end in zip(headings, ends, strict=True):
        titles = tuple(_heading(title) for title in (*row["scope"], row["name"]))
        slug = _slug(row["name"])
        used[slug] += 1
        slug = f"{slug}-{used[slug] - 1}" if used[slug] > 1 else slug
        start = row["start_line"]
        found.append(_Section(titles[-1], slug, start, max(start, end), titles))
    if not found or found[0].start > 1:
        until = found[0].start - 1 if found else n_lines
        found.insert(0, _Section("", "", 1, max(1, until), ()))
    return found


def _heading(text: str) -> str:
    return _ATTRIBUTES.sub("", text).replace("`", "").strip()


def _slug(heading: str) -> str:
    """The anchor: one that the heading gives itself, else as renderers make it of the text."""
    given = _ANCHOR.search(heading)
    if given:
        return given[1]
    return _UNSLUGGED.sub("", _heading(heading).lower()).strip().replace(" ", "-")


def _snippet(lines: Iterable[str], wanted: frozenset[str]) -> str:
    """The plain text around the line that holds most of the wanted words."""
    plain = [" ".join(_MARKS.sub("", line).split()) for line in list(lines)[1:]]
    plain = [line for line in plain if line]
    if not plain:
        return ""
    held = [len(wanted & _stems(line)) for line in plain]
    best = held.index(max(held))
    text = plain[best]
    for line in plain[best + 1 :]:
        if len(text) + len(line) >= SNIPPET:
            break
        text = f"{text} {line}"
    return text if len(text) <= SNIPPET else text[: SNIPPET - 1].rsplit(" ", 1)[0] + "…"


def _marked(text: str, wanted: frozenset[str]) -> Iterable[tuple[int, int]]:
    for found in re.finditer(r"\w+", text):
        if wanted & _stems(found[0]):
            yield found.start(), found.end()


def _stems(text: str) -> set[str]:
    return {light_stem(part) for word in words(text) for part in split_word(word)[0]}
