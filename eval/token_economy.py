"""What an answer costs a reader: tokens against the relevant files they bring, as a curve.

Two readers of the same questions. One asks codequarry with a budget and, when tokens are left,
reads the spans that RELATED points at. The other greps for the question's words, looks at the
list of files (those with most distinct words first, then most matches), and reads them whole, as
agents with a shell do. A file counts as *named* once its path was read, as *seen* once its code
was.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from codequarry.errors import QuarryError
from codequarry.eval.errors import CorpusError
from codequarry.eval.report import page
from codequarry.eval.svg import Curve, curves
from codequarry.models.tokens import estimate_tokens
from codequarry.retrieval.index import Options
from codequarry.retrieval.packing import Form, pack
from codequarry.retrieval.query import parse_query
from codequarry.retrieval.reading import read_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from codequarry.eval.golden import GoldenSet
    from codequarry.eval.run import Places
    from codequarry.eval.searcher import QuarrySearcher
    from codequarry.retrieval.index import Index

BUDGETS = (250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000)
WAYS = ("quarry named", "quarry seen", "grep named", "grep seen")
_LISTED = 50  # lines of grep's list that are looked at
_READ_LINES = 2_000  # of one file: what agents' tools read at once
_MIN_WORD = 3  # letters of a word worth grepping for


@dataclass(frozen=True, slots=True)
class Economy:
    """Mean recall of the relevant files by way and budget.

    Attributes:
        dataset: the questions' name.
        queries: how many were asked.
        missing: repositories that could not be had.
        recall: a value for each of `BUDGETS`, by each of `WAYS`.
    """

    dataset: str
    queries: int
    missing: tuple[str, ...]
    recall: Mapping[str, tuple[float, ...]]


def measure(
    golden: GoldenSet,
    searcher: QuarrySearcher,
    places: Places,
    progress: Callable[[str], None] = lambda _: None,
) -> Economy:
    """Ask every question in both ways at every budget.

    Raises:
        CorpusError: not one question could be asked.
    """
    sums: dict[str, list[float]] = {way: [0.0] * len(BUDGETS) for way in WAYS}
    asked, missing = 0, []
    by_corpus = defaultdict(list)
    for row in golden.rows:
        by_corpus[row.repo, row.commit, row.root].append(row)
    for rows in by_corpus.values():
        try:
            index = searcher.open(places.find(rows[0]), rows[0].repo.rpartition("/")[2]).index
        except QuarryError as error:
            missing.append(f"{rows[0].repo}: {error.message}")
            continue
        tree = _Tree(index)
        for row in rows:
            wanted = set(row.relevant_paths)
            asked += 1
            found = tree.grepped(row.query) | _asked(index, tree, row.query)
            for way, by_budget in found.items():
                for place, files in enumerate(by_budget):
                    sums[way][place] += len(wanted & files) / len(wanted)
        progress(f"{rows[0].repo}: {len(rows)} questions")
    if not asked:
        raise CorpusError(f"no question of {golden.name} could be asked: {missing[0]}")
    means = {way: tuple(value / asked for value in values) for way, values in sums.items()}
    return Economy(golden.name, asked, tuple(missing), means)


class _Tree:
    """The texts of an index's files, as a shell finds them."""

    def __init__(self, index: Index) -> None:
        self.index = index
        layout, paths = index.generation.layout, index.generation.paths
        self.lines = {path: read_lines(layout, path) for path in paths}
        self._lower = {path: [line.lower() for line in self.lines[path]] for path in paths}
        self._tokens: dict[str, int] = {}

    def cost(self, path: str) -> int:
        """Tokens of reading a file, cut as agents' tools cut it."""
        if path not in self._tokens:
            self._tokens[path] = estimate_tokens("".join(self.lines[path][:_READ_LINES]))
        return self._tokens[path]

    def grepped(self, question: str) -> dict[str, list[set[str]]]:
        """What ``grep -c`` for the words and reading down its list bring, by budget."""
        query = parse_query(question, None, self.index.own_name)
        words = [word for word in query.content if len(word) >= _MIN_WORD] or list(query.parts)
        pattern = re.compile("|".join(map(re.escape, words)))
        hits = {}
        for path, lines in self._lower.items():
            matched = [line for line in lines if pattern.search(line)]
            if matched:
                text = "\n".join(matched)
                hits[path] = (-sum(word in text for word in words), -len(matched), path)
        listed = sorted(hits, key=hits.__getitem__)[:_LISTED]
        costs = [estimate_tokens(f"{path}:{-hits[path][1]}\n") for path in listed]
        whole = sum(costs)
        return {
            "grep named": [_within(budget, listed, costs) for budget in BUDGETS],
            "grep seen": [
                _within(budget - whole, listed, [self.cost(path) for path in listed])
                for budget in BUDGETS
            ],
        }


def _asked(index: Index, tree: _Tree, question: str) -> dict[str, list[set[str]]]:
    """What an answer of each budget names and shows, and the spans it points at."""
    answer = index.search(question, Options(check_files=False))
    related = [file.path for file in answer.related]
    spans = [
        estimate_tokens("".join(tree.lines[file.path][first - 1 : last]))
        for file in answer.related
        for first, last in [file.best_span]
    ]
    named, seen = [], []
    for budget in BUDGETS:
        packed = pack(index.generation, answer, budget)
        lines = packed.text.split("\n")
        costs = [estimate_tokens(line + "\n") for line in lines]
        read = _first(budget, lines, costs)
        named.append({path for path in answer.paths if any(_names(line, path) for line in read)})
        shown = {path for (path, _), form in packed.forms.items() if form is Form.CODE}
        seen.append(shown | _within(budget - packed.tokens, related, spans))
    return {"quarry named": named, "quarry seen": seen}


def _names(line: str, path: str) -> bool:
    """Whether a line of a packed answer is the head of a file or the pointer at it."""
    head, pointer = f"CORE {path}", f"  {path}:"
    return line == head or line.startswith((f"{head} ", pointer))


def _within(budget: int, paths: list[str], costs: list[int]) -> set[str]:
    return set(_first(budget, paths, costs))


def _first(budget: int, things: list[str], costs: list[int]) -> list[str]:
    """The first things that a budget pays for, in order."""
    taken = []
    for thing, cost in zip(things, costs, strict=True):
        budget -= cost
        if budget < 0:
            break
        taken.append(thing)
    return taken


def to_text(economy: Economy) -> str:
    """The curve as a table."""
    head = f"{'tokens':>8}" + "".join(f"{way:>14}" for way in WAYS)
    lines = [f"{economy.dataset}: {economy.queries} questions, share of the relevant files", head]
    lines += [
        f"{budget:>8,}" + "".join(f"{economy.recall[way][place]:>14.3f}" for way in WAYS)
        for place, budget in enumerate(BUDGETS)
    ]
    return "\n".join([*lines, *(f"not asked: {lost}" for lost in economy.missing)])


def to_html(economy: Economy) -> str:
    """The curve as a page of its own."""
    ticks = tuple(f"{budget // 1000}k" if budget >= 1000 else str(budget) for budget in BUDGETS)
    title = f"{economy.dataset}: relevant files against tokens read"
    drawn = curves([Curve(way, economy.recall[way]) for way in WAYS], title, "tokens read", ticks)
    table = f"<pre>{escape(to_text(economy))}</pre>"
    told = escape(f"{economy.queries} questions; named: its path was read, seen: its code was")
    return page(title, f"<h1>{escape(title)}</h1><figure>{drawn}<p>{told}</p></figure>{table}")
