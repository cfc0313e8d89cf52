"""An open index: one generation and its embedder, answering queries from memory."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from codequarry.errors import IndexEmpty, ModelMismatch, UsageError
from codequarry.gitobjects import resolve_tree
from codequarry.identifiers import tokens
from codequarry.models.provider import Embedder
from codequarry.models.registry import open_embedder
from codequarry.retrieval.answer import Answer, CoreFile, Evidence, RelatedFile
from codequarry.retrieval.bundle import make_bundle, top
from codequarry.retrieval.evidence import band, log_odds
from codequarry.retrieval.features import per_file
from codequarry.retrieval.filters import Allowed, Content, Filters, apply_filters
from codequarry.retrieval.freshness import changed_files
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.issue.rank import IssueRanker
from codequarry.retrieval.query import Query, check_length, parse_query
from codequarry.retrieval.ranking import Profile, Scores, score
from codequarry.retrieval.symbols import find_symbols
from codequarry.retrieval.walk import ANCHORS, ChunkGraph, per_file_cap, reciprocal_ranks
from codequarry.settings import load_settings
from codequarry.store.layout import Layout, find_root
from codequarry.store.revisions import mark_used

ISSUE_TOKENS = 25  # a longer query is a pasted issue, not a question


class Mode(StrEnum):
    """How a query is read; `auto` takes text for a question if a profile but `linear` is chosen."""

    AUTO = "auto"  # as an issue if it is longer than `ISSUE_TOKENS` identifier tokens
    QUERY = "query"
    ISSUE = "issue"


@dataclass(frozen=True, slots=True)
class Options:
    """How a query is answered."""

    profile: Profile = Profile.LINEAR  # of questions; issues have a ranker of their own
    filters: Filters = field(default_factory=Filters)
    check_files: bool = True  # compare the answer's files with the disk
    explain: bool = False  # what each feature adds to each file's score (`linear` and issues)
    walk_depth: int = 0  # follow edges this far from what was found; 0: do not
    near_symbol: str = ""  # walk from this symbol too
    mode: Mode = Mode.AUTO


class _Asked(NamedTuple):
    """A query as it was read."""

    query: Query  # an issue's: its title
    scores: Scores
    judged: Scores  # what bears the answer out: an issue's, those of its title
    named: dict[int, str]  # files that an issue names, and how
    mode: str


class Ranked(NamedTuple):
    """One chunk of a flat ranking."""

    path: str
    start_line: int
    end_line: int
    score: float


class Index:
    """A live generation held open; safe to query from several threads."""

    def __init__(
        self, generation: Generation, model: Embedder | None, *, whole: bool = False
    ) -> None:
        """Hold a generation open.

        Args:
            generation: what is searched.
            model: the embedder of its vectors.
            whole: score every file however many there are: slow, to compare with.
        """
        self.generation = generation
        self.model = model
        self._whole = whole
        self._filtered: tuple[Filters, Allowed] | None = None
        self.own_name = frozenset(tokens(generation.manifest["repo"]))

    def search(self, text: str, options: Options | None = None) -> Answer:
        """Answer one query.

        Raises:
            InvalidQuery: the query is too long.
            UsageError: a filter names an unknown role or kind.
            ProviderError: a remote model failed to embed the query.
        """
        options = options or Options()
        started = time.perf_counter()
        allowed = self._allowed(options.filters)
        notes = allowed.notes
        asked = self._read(text, options, allowed.chunks)
        query, scores = asked.query, asked.scores
        if not query.content:
            notes = (*notes, "the query has no word to search for")
        near = self._near(options.near_symbol)
        if not scores.total.size or not (query.content or near):
            return self._answer(text, asked.mode, started, Evidence.NONE, notes=notes)
        odds = log_odds(self.generation, query, asked.judged)  # what a walk finds bears nothing out
        evidence = band(odds)
        if options.walk_depth or near:
            depth = options.walk_depth or 1
            ranked = top(scores.total, ANCHORS).tolist() if query.content else []
            scores = self._walked(scores, ranked, near, depth, allowed.chunks)
        bundle = make_bundle(self.generation, scores, asked.named)
        if evidence is Evidence.NONE and bundle.core and query.content:
            notes = (*notes, "nothing searched here answers that; the nearest files follow")
        if evidence is not Evidence.STRONG and options.filters.content is Content.CODE:
            notes = (*notes, "documentation was not searched (--content all)")
        core, related = bundle.core, bundle.related
        answer = self._answer(text, asked.mode, started, evidence, core, related, notes)
        answer = replace(answer, odds=odds)
        if options.explain:
            answer = replace(answer, explanations=self._explanations(answer, scores))
        on_disk = not self.generation.layout.revision  # what git has does not change
        return self._checked(answer) if options.check_files and on_disk else answer

    def _allowed(self, filters: Filters) -> Allowed:
        """What the filters let through; asked again with the same ones, the same arrays."""
        kept = self._filtered
        if kept is None or kept[0] != filters:
            kept = self._filtered = (filters, apply_filters(self.generation, filters))
        return kept[1]

    @cached_property
    def issues(self) -> IssueRanker:
        """The ranker of pasted issues; made at the first one."""
        return IssueRanker(self.generation, self.generation.manifest["repo"], self.own_name)

    def _read(self, text: str, options: Options, allowed: npt.NDArray[np.bool_]) -> _Asked:
        """Read a query as a question or as an issue, and score every chunk for it."""
        check_length(text)
        automatic = options.mode is Mode.AUTO and options.profile is Profile.LINEAR
        if options.mode is Mode.ISSUE or (automatic and len(tokens(text)) > ISSUE_TOKENS):
            ranking = self.issues.rank(text, self.model, allowed)
            named = ranking.grounding.reasons
            return _Asked(
                ranking.title, ranking.scores, ranking.title_scores, named, Mode.ISSUE.value
            )
        query = parse_query(text, self.model, self.own_name)
        scores = score(self.generation, query, options.profile, allowed, narrowed=not self._whole)
        return _Asked(query, scores, scores, {}, options.profile.value)

    @cached_property
    def chunk_graph(self) -> ChunkGraph:
        """Edges between chunks; made at the first walk."""
        return ChunkGraph(self.generation)

    def _near(self, name: str) -> list[int]:
        """The chunks that define a symbol, in index order."""
        if not name:
            return []
        found = find_symbols(self.generation, name)
        if not found:
            raise UsageError(f"no symbol is called {name}", "see: quarry def NAME")
        chunks = self.generation.symbols["chunk"]
        return list(dict.fromkeys(chunks[symbol.row].as_py() for symbol in found))

    def _walked(
        self,
        scores: Scores,
        ranked: list[int],
        near: list[int],
        depth: int,
        allowed: npt.NDArray[np.bool_],
    ) -> Scores:
        """Scores by reciprocal rank, with what a walk from the best chunks adds."""
        anchors = reciprocal_ranks(near + [chunk for chunk in ranked if chunk not in set(near)])
        reached = self.chunk_graph.reach(anchors, depth)
        total = np.full(len(scores.total), -np.inf, np.float32)
        for chunk, weight in anchors.items():
            total[chunk] = weight
        added: Counter[int] = Counter()
        order = sorted(reached.weights, key=lambda c: (-reached.weights[c], c))
        for chunk in order:
            if not allowed[chunk]:
                continue
            if not np.isfinite(total[chunk]):
                file = int(self.generation.chunk_files[chunk])
                added[file] += 1
                if added[file] > per_file_cap(depth):
                    continue
                total[chunk] = 0.0
            total[chunk] += np.float32(reached.weights[chunk])
        return replace(
            scores, total=total, files=per_file(self.generation, total, -np.inf), features=None
        )

    def rank_chunks(self, text: str, options: Options | None = None, k: int = 10) -> list[Ranked]:
        """The k best chunks of a query, best first, whatever file they are in."""
        options = options or Options()
        allowed = self._allowed(options.filters)
        scores = self._read(text, options, allowed.chunks).scores
        return [
            Ranked(
                self.generation.paths[int(self.generation.chunk_files[chunk])],
                int(self.generation.start_lines[chunk]),
                int(self.generation.end_lines[chunk]),
                float(scores.total[chunk]),
            )
            for chunk in top(scores.total, k).tolist()
        ]

    def search_many(self, texts: Iterable[str], options: Options | None = None) -> list[Answer]:
        """Answer queries one after another."""
        return [self.search(text, options) for text in texts]

    def _answer(
        self,
        text: str,
        mode: str,
        started: float,
        evidence: Evidence,
        core: tuple[CoreFile, ...] = (),
        related: tuple[RelatedFile, ...] = (),
        notes: tuple[str, ...] = (),
    ) -> Answer:
        return Answer(
            query=text,
            mode=mode,
            evidence=evidence,
            elapsed_ms=(time.perf_counter() - started) * 1000,
            core=core,
            related=related,
            generation=self.generation.id,
            notes=notes,
        )

    def _explanations(self, answer: Answer, scores: Scores) -> dict[str, dict[str, float]]:
        if scores.features is None or scores.weights is None:
            return {}
        weights = scores.weights
        rows = self.generation.rows_by_path
        return {path: weights.shares(scores.features[rows[path]]) for path in answer.paths}

    def _checked(self, answer: Answer) -> Answer:
        changed = changed_files(self.generation, answer.paths)
        if not changed:
            return answer
        return replace(
            answer,
            core=tuple(replace(f, changed=f.path in changed) for f in answer.core),
            related=tuple(replace(f, changed=f.path in changed) for f in answer.related),
            stale=True,
            notes=(
                *answer.notes,
                f"{len(changed)} file(s) changed since indexing; run: quarry index",
            ),
        )


def revision_layout(root: Path, rev: str) -> Layout:
    """The store as a revision sees it, noted as used now so that it is kept.

    Raises:
        GitError: there is no such revision.
    """
    layout = Layout.of(root).at(resolve_tree(root, rev))
    mark_used(layout)
    return layout


def open_index(
    path: Path | str = ".", *, model: str | None = None, rev: str | None = None
) -> Index:
    """Open the live index of the repository that ``path`` lies in, or that of a revision.

    Args:
        path: a folder or file of the repository.
        model: the embedding model's name; the settings' when not given.
        rev: a commit, branch or tag; code is then shown from git's objects.

    Raises:
        GitError: there is no such revision.
        IndexNotFound, IndexDamaged, IndexVersionError: see `Generation.open`.
        IndexEmpty: it holds no file.
        ModelMismatch: the index was made with another model.
    """
    root = find_root(Path(path))
    settings = load_settings(root, model=model)
    generation = Generation.open(Layout.of(root) if rev is None else revision_layout(root, rev))
    if not generation.files.num_rows:
        raise IndexEmpty(f"the index of {root} holds no file", "see: quarry status --skipped")
    embedder = open_embedder(settings.model, base_url=settings.base_url)
    asked = embedder.identity.key if embedder else ""
    if asked and generation.has_vectors and asked != generation.manifest["model_key"]:
        raise ModelMismatch(
            f"the index was made with {generation.manifest['model']} "
            f"[{generation.manifest['model_key'][-8:]}], the settings ask for "
            f"{embedder.identity if embedder else 'none'} [{asked[-8:]}]",
            "run: quarry index (or set the model back)",
        )
    return Index(generation, embedder if generation.has_vectors else None)
