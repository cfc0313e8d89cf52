"""An open index: one generation and its embedder, answering queries from memory."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from codequarry.errors import IndexEmpty, ModelMismatch, UsageError
from codequarry.identifiers import tokens
from codequarry.models.provider import Embedder
from codequarry.models.registry import open_embedder
from codequarry.retrieval.answer import Answer, CoreFile, Evidence, RelatedFile
from codequarry.retrieval.bundle import make_bundle, top
from codequarry.retrieval.evidence import judge
from codequarry.retrieval.features import per_file
from codequarry.retrieval.filters import Content, Filters, apply_filters
from codequarry.retrieval.freshness import changed_files
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.linear import load_weights
from codequarry.retrieval.query import parse_query
from codequarry.retrieval.ranking import Profile, Scores, score
from codequarry.retrieval.symbols import find_symbols
from codequarry.retrieval.walk import ANCHORS, ChunkGraph, per_file_cap, reciprocal_ranks
from codequarry.settings import load_settings
from codequarry.store.layout import Layout, find_root


@dataclass(frozen=True, slots=True)
class Options:
    """How a query is answered."""

    profile: Profile = Profile.LINEAR
    filters: Filters = field(default_factory=Filters)
    check_files: bool = True  # compare the answer's files with the disk
    explain: bool = False  # what each feature adds to each file's score (`linear` only)
    walk_depth: int = 0  # follow edges this far from what was found; 0: do not
    near_symbol: str = ""  # walk from this symbol too


class Ranked(NamedTuple):
    """One chunk of a flat ranking."""

    path: str
    start_line: int
    end_line: int
    score: float


class Index:
    """A live generation held open; safe to query from several threads."""

    def __init__(self, generation: Generation, model: Embedder | None) -> None:
        self.generation = generation
        self.model = model
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
        query = parse_query(text, self.model, self.own_name)
        allowed = apply_filters(self.generation, options.filters)
        notes = allowed.notes
        if not query.content:
            notes = (*notes, "the query has no word to search for")
        scores = score(self.generation, query, options.profile, allowed.chunks)
        near = self._near(options.near_symbol)
        if not scores.total.size or not (query.content or near):
            return self._answer(text, options, started, Evidence.NONE, notes=notes)
        evidence = judge(self.generation, query, scores)  # what a walk finds bears nothing out
        if options.walk_depth or near:
            depth = options.walk_depth or 1
            ranked = top(scores.total, ANCHORS).tolist() if query.content else []
            scores = self._walked(scores, ranked, near, depth, allowed.chunks)
        bundle = make_bundle(self.generation, scores)
        if evidence is Evidence.NONE and bundle.core and query.content:
            notes = (*notes, "nothing searched here answers that; the nearest files follow")
        if evidence is not Evidence.STRONG and options.filters.content is Content.CODE:
            notes = (*notes, "documentation was not searched (--content all)")
        answer = self._answer(text, options, started, evidence, bundle.core, bundle.related, notes)
        if options.explain:
            answer = replace(answer, explanations=self._explanations(answer, scores))
        return self._checked(answer) if options.check_files else answer

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
        query = parse_query(text, self.model, self.own_name)
        allowed = apply_filters(self.generation, options.filters)
        scores = score(self.generation, query, options.profile, allowed.chunks)
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
        options: Options,
        started: float,
        evidence: Evidence,
        core: tuple[CoreFile, ...] = (),
        related: tuple[RelatedFile, ...] = (),
        notes: tuple[str, ...] = (),
    ) -> Answer:
        return Answer(
            query=text,
            mode=options.profile.value,
            evidence=evidence,
            elapsed_ms=(time.perf_counter() - started) * 1000,
            core=core,
            related=related,
            generation=self.generation.id,
            notes=notes,
        )

    def _explanations(self, answer: Answer, scores: Scores) -> dict[str, dict[str, float]]:
        if scores.features is None:
            return {}
        weights = load_weights(dense=bool(len(scores.dense)))
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


def open_index(path: Path | str = ".", *, model: str | None = None) -> Index:
    """Open the live index of the repository that ``path`` lies in.

    Args:
        path: a folder or file of the repository.
        model: the embedding model's name; the settings' when not given.

    Raises:
        IndexNotFound, IndexDamaged, IndexVersionError: see `Generation.open`.
        IndexEmpty: it holds no file.
        ModelMismatch: the index was made with another model.
    """
    root = find_root(Path(path))
    settings = load_settings(root, model=model)
    generation = Generation.open(Layout.of(root))
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
