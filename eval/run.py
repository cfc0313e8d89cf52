"""Run a golden set: open each corpus once, ask every question with every profile, score it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from codequarry.errors import QuarryError
from codequarry.eval.errors import CorpusError
from codequarry.eval.machine import environment
from codequarry.eval.metrics import Scores, first_rank, score
from codequarry.eval.protocol import Answer
from codequarry.eval.record import INDEXES, QUERIES, Run, RunRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from codequarry.eval.corpora import CorpusCache
    from codequarry.eval.golden import Golden, GoldenSet
    from codequarry.eval.protocol import Searcher, Session

_Row: TypeAlias = dict[str, object]
_NOTHING = Answer((), (), (), 0.0)
_WARM_UP = "where is the entry point of the program"  # no golden question: it would be cached


@dataclass(frozen=True, slots=True)
class Places:
    """Where the repository of a question is: a commit comes from a mirror, else from disk."""

    base: Path  # `repo` of a question without a commit is relative to this
    cache: CorpusCache | None = None

    def find(self, row: Golden) -> Path:
        """Give the directory to index for a question."""
        if row.commit:
            if self.cache is None:
                raise CorpusError(
                    f"{row.repo} is wanted at commit {row.commit}, and no mirrors are given",
                    "give the local git mirrors of the repositories",
                )
            return self.cache.corpus(row.git_repo, row.commit, row.root).path
        place = self.base / row.repo
        if not place.is_dir():
            raise CorpusError(f"no repository at {place}", "`repo` is a directory, or give commits")
        if row.root:
            raise CorpusError(f"{row.repo} has a benchmark_root but no commit")
        return place


def run_golden(
    golden: GoldenSet,
    searcher: Searcher,
    places: Places,
    *,
    profiles: Sequence[str],
    parameters: Sequence[str] = (),
    progress: Callable[[str], None] = lambda _: None,
) -> Run:
    """Ask every question of a golden set.

    Args:
        golden: the questions.
        searcher: the engine.
        places: finds the repositories.
        profiles: the ranker profiles to ask with, on the same index.
        parameters: ``name=value`` of settings that differ from the defaults, for the record.
        progress: told one line a corpus.

    Returns:
        The record; repositories that could not be had or indexed are listed in it as missing.

    Raises:
        CorpusError: not one question could be asked.
    """

    def open_corpus(row: Golden) -> Session:
        return searcher.open(places.find(row), row.repo.rpartition("/")[2])

    return run_questions(
        golden,
        searcher.model,
        open_corpus,
        profiles=profiles,
        parameters=parameters,
        progress=progress,
    )


def run_questions(
    golden: GoldenSet,
    model: str,
    opened: Callable[[Golden], Session],
    *,
    profiles: Sequence[str],
    parameters: Sequence[str] = (),
    progress: Callable[[str], None] = lambda _: None,
) -> Run:
    """Ask every question, opening each corpus once; see `run_golden`.

    Args:
        golden: the questions.
        model: the identity of the embedding model, for the record.
        opened: gives the index of a question's corpus, or raises a `QuarryError`.
        profiles: as there.
        parameters: as there.
        progress: as there.
    """
    started = datetime.now(UTC)
    queries: list[_Row] = []
    indexes: list[_Row] = []
    missing: list[str] = []
    for rows in _by_corpus(golden.rows):
        first = rows[0]
        try:
            session = opened(first)
        except QuarryError as error:
            missing.append(f"{first.repo} ({len(rows)} questions): {error.message}")
            progress(missing[-1])
            continue
        try:
            indexes.append(_index_row(first, session))
            for profile in profiles:
                queries += _ask_all(session, profile, rows)
            stats = session.stats
        finally:
            session.close()
        progress(f"{first.repo}: {stats.files} files, {len(rows)} questions, {stats.seconds:.2f} s")
    if not queries:
        raise CorpusError(f"no question of {golden.name} could be asked: {missing[0]}")
    record = RunRecord(
        id=f"{golden.name}-{started:%Y%m%dT%H%M%SZ}",
        started=started.isoformat(timespec="seconds"),
        dataset=golden.name,
        dataset_sha256=golden.sha256,
        model=model,
        profiles=tuple(profiles),
        parameters=tuple(parameters),
        missing=tuple(missing),
        environment=environment(),
    )
    return Run(
        record,
        pa.Table.from_pylist(queries, schema=QUERIES),
        pa.Table.from_pylist(indexes, schema=INDEXES),
    )


def _by_corpus(rows: Iterable[Golden]) -> list[list[Golden]]:
    groups: dict[tuple[str, str, str, str], list[Golden]] = {}
    for row in rows:
        groups.setdefault((row.repo, row.git_repo, row.commit, row.root), []).append(row)
    return list(groups.values())


def _ask_all(session: Session, profile: str, rows: Sequence[Golden]) -> list[_Row]:
    _ask(session, profile, _WARM_UP)  # maps the index in; not measured
    return [_query_row(row, profile, *_ask(session, profile, row.query)) for row in rows]


def _ask(session: Session, profile: str, query: str) -> tuple[Answer, str]:
    try:
        return session.search(query, profile), ""
    # Isolation border: one query that fails is a row that says so, not the end of the run.
    except Exception as error:
        return _NOTHING, f"{type(error).__name__}: {error}"


def _index_row(row: Golden, session: Session) -> _Row:
    return {"repo": row.repo, "commit": row.commit, "root": row.root} | asdict(session.stats)


def _query_row(row: Golden, profile: str, answer: Answer, error: str) -> _Row:
    return {
        "profile": profile,
        "id": row.id,
        "query": row.query,
        "repo": row.repo,
        "commit": row.commit,
        "language": row.language,
        "kind": row.kind,
        "exact_commit": row.exact_commit,
        "mentions_path": row.mentions_path,
        "mentions_basename": row.mentions_basename,
        "mentions_stem": row.mentions_stem,
        "gold": row.gold_paths,
        "secondary": row.relevant_paths[len(row.gold_paths) :],
        "core": answer.core,
        "related": answer.related,
        "rank": first_rank(answer.files, row.relevant_paths),
        "elapsed_ms": answer.elapsed_ms,
        "error": error,
    } | asdict(Scores() if error else score(row, answer))
