"""One question to several repositories: asked at the same time, merged on calibrated scores.

A repository's own scores say which of its files is best, not whether it is the right repository.
That is what the evidence says: the log-odds that the repository holds the answer at all, of its
best file. Each further file lies below that by its distance to the best one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from codequarry.errors import UsageError
from codequarry.retrieval.answer import Answer, CoreFile, Evidence, RelatedFile
from codequarry.retrieval.bundle import CANDIDATES, CORE_GAP, CORE_LOGITS
from codequarry.retrieval.evidence import band
from codequarry.retrieval.index import Index, Options

MOST_CORE = 6  # CORE files over all repositories
_MOST_THREADS = 8
# Rankers whose scores are no log-odds keep their CORE to 3 %: so much is as far as `CORE_LOGITS`
_LOGITS_A_SHARE = CORE_LOGITS / CORE_GAP


@dataclass(frozen=True, slots=True)
class Placed:
    """A file of an answer, and where it is from."""

    repo: str
    odds: float  # log-odds that it answers the question
    file: CoreFile | RelatedFile


@dataclass(frozen=True, slots=True)
class ManyAnswer:
    """The bundle over several repositories, in ranked order."""

    query: str
    evidence: Evidence
    elapsed_ms: float
    core: tuple[Placed, ...]
    related: tuple[Placed, ...]
    answers: Mapping[str, Answer]  # of each repository by its name
    notes: tuple[str, ...] = ()

    @property
    def paths(self) -> list[tuple[str, str]]:
        """All files as (repository, path), in ranked order."""
        return [(placed.repo, placed.file.path) for placed in (*self.core, *self.related)]

    def as_json(self) -> dict[str, Any]:
        """The documented JSON form: that of one repository, each file with its repository."""
        tiers: dict[str, list[dict[str, Any]]] = {"core": [], "related": []}
        whole = {
            (repo, file["path"]): file
            for repo, answer in self.answers.items()
            for document in [answer.as_json()]
            for file in (*document["core"], *document["related"])
        }
        for tier, placed in (("core", self.core), ("related", self.related)):
            for entry in placed:
                file = whole[entry.repo, entry.file.path]
                tiers[tier].append({"repo": entry.repo, "odds": round(entry.odds, 4)} | file)
        return {
            "query": self.query,
            "evidence": self.evidence.value,
            "elapsed_ms": round(self.elapsed_ms, 3),
            **tiers,
            "repositories": {
                repo: {
                    "evidence": answer.evidence.value,
                    "generation": answer.generation,
                    "stale": answer.stale,
                }
                for repo, answer in self.answers.items()
            },
            "notes": list(self.notes),
        }


def search_repositories(
    indexes: Mapping[str, Index], text: str, options: Options | None = None
) -> ManyAnswer:
    """Ask several repositories one question.

    CORE holds at most `MOST_CORE` files; RELATED the other files of the best `CANDIDATES`, and
    what the answers of their repositories add to their own bundles.

    Args:
        indexes: by the name that the answer calls each repository by.
        text: the question.
        options: as for one repository.

    Raises:
        InvalidQuery, ProviderError: see `Index.search`.
        UsageError: there is no repository.
    """
    if not indexes:
        raise UsageError("no repository to search", "see: quarry repos add")
    started = time.perf_counter()
    with ThreadPoolExecutor(min(len(indexes), _MOST_THREADS)) as pool:
        asked = {repo: pool.submit(index.search, text, options) for repo, index in indexes.items()}
        answers = {repo: future.result() for repo, future in asked.items()}
    ranked = sorted(
        (placed for repo, answer in answers.items() for placed in _placed(repo, answer)),
        key=lambda placed: (-placed.odds, placed.repo, placed.file.path),
    )
    best = [placed for placed in ranked if _scored(placed.file)][:CANDIDATES]
    least = best[0].odds - CORE_LOGITS if best else 0.0
    core = [p for p in best if isinstance(p.file, CoreFile) and p.odds >= least][:MOST_CORE]
    chosen = set(map(id, core))
    repos = {placed.repo for placed in best}
    wanted = set(map(id, best))
    related = [
        placed
        for placed in ranked
        if id(placed) not in chosen
        and (id(placed) in wanted or (placed.repo in repos and not _scored(placed.file)))
    ]
    silent = [repo for repo in answers if repo not in repos]
    notes = [f"{repo}: {note}" for repo in sorted(repos) for note in answers[repo].notes]
    if silent:
        notes.append(f"nothing nearer in: {', '.join(silent)}")
    return ManyAnswer(
        text,
        band(best[0].odds) if best else Evidence.NONE,
        (time.perf_counter() - started) * 1000,
        tuple(core),
        tuple(related),
        answers,
        tuple(notes),
    )


def _scored(file: CoreFile | RelatedFile) -> bool:
    """Whether a file is in its repository's bundle for its own score."""
    return isinstance(file, CoreFile) or "score" in file.why


def _placed(repo: str, answer: Answer) -> list[Placed]:
    files = answer.files
    if not files:
        return []
    leader = files[0].score
    in_logits = answer.mode in ("linear", "issue")
    unit = 1.0 if in_logits else _LOGITS_A_SHARE / max(abs(leader), 1e-9)
    return [Placed(repo, answer.odds - unit * (leader - file.score), file) for file in files]
