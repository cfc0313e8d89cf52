"""Ask issues at the commits they were filed at, over git's objects: nothing is checked out.

A repository has one store in the cache, and its commits are indexed from the oldest to the newest,
so that each costs only what the ones before did not have.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from codequarry.assets.facts.pool import ParsePool
from codequarry.eval.errors import CorpusError
from codequarry.eval.mirror import as_corpus_error, by_date, resolve_tree
from codequarry.eval.run import run_questions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from codequarry.eval.corpora import Mirrors
    from codequarry.eval.golden import Golden, GoldenSet
    from codequarry.eval.protocol import Session
    from codequarry.eval.record import Run
    from codequarry.eval.searcher import QuarrySearcher


@dataclass(frozen=True, slots=True)
class Revisions:
    """Opens the repository of a question at its commit."""

    searcher: QuarrySearcher
    mirrors: Mirrors
    cache: Path
    pool: ParsePool

    def open(self, row: Golden) -> Session:
        """Index the commit of a question if it is not, and open it.

        Raises:
            QuarryError: there is no mirror of the repository, or no such commit in it.
        """
        if not row.commit:
            raise CorpusError(f"{row.id} names no commit", "a row needs base_commit or commit")
        mirror = self.mirrors.find(row.git_repo)
        resolve_tree(mirror, row.commit)
        store = self.cache / row.git_repo.replace("/", "+")
        with as_corpus_error():
            return self.searcher.open_revision(
                mirror, row.commit, row.repo.rpartition("/")[2], store, self.pool
            )


def chosen(golden: GoldenSet, repos: Collection[str] = (), limit: int = 0) -> GoldenSet:
    """Some of the questions: those of some repositories, and the first ``limit`` of these."""
    rows = [row for row in golden.rows if not repos or row.repo in repos]
    if not rows:
        raise CorpusError(f"{golden.name} has no question of {', '.join(sorted(repos))}")
    return replace(golden, rows=tuple(rows[:limit] if limit else rows))


def run_swebench(
    golden: GoldenSet,
    searcher: QuarrySearcher,
    mirrors: Mirrors,
    cache: Path,
    *,
    profiles: Sequence[str],
    parameters: Sequence[str] = (),
    progress: Callable[[str], None] = lambda _: None,
) -> Run:
    """Ask every question at its commit.

    Args:
        golden: the questions, each with a commit.
        searcher: the engine.
        mirrors: where the repositories are.
        cache: one store a repository is kept here.
        profiles: the ranker profiles to ask with, on the same index.
        parameters: ``name=value`` of settings that differ from the defaults, for the record.
        progress: told one line a commit.

    Raises:
        CorpusError: not one question could be asked.
    """
    pool = ParsePool()
    try:
        return run_questions(
            replace(golden, rows=tuple(_in_order(golden.rows, mirrors))),
            searcher.model,
            Revisions(searcher, mirrors, cache, pool).open,
            profiles=profiles,
            parameters=parameters,
            progress=progress,
        )
    finally:
        pool.close()


def _in_order(rows: Sequence[Golden], mirrors: Mirrors) -> list[Golden]:
    """Repository by repository, its commits by date; what cannot be found stays for the record."""
    ordered: list[Golden] = []
    for repo in dict.fromkeys(row.git_repo for row in rows):
        own = [row for row in rows if row.git_repo == repo]
        commits = list(dict.fromkeys(row.commit for row in own))
        try:
            place = {commit: i for i, commit in enumerate(by_date(mirrors.find(repo), commits))}
        except CorpusError:
            place = {}
        ordered += sorted(own, key=lambda row: place.get(row.commit, 0))
    return ordered
