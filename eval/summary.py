"""One page of numbers from a run: means with intervals, overall and by what questions are about."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from codequarry.eval.bootstrap import Interval, mean_intervals
from codequarry.eval.metrics import MEASURES

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from codequarry.eval.record import Run

SHOWN = (  # measure, heading
    ("ndcg_at_10", "NDCG"),
    ("chunk_ndcg_at_10", "chunk"),
    ("mrr", "MRR"),
    ("r_at_1", "R@1"),
    ("r_at_5", "R@5"),
    ("r_at_10", "R@10"),
    ("acc_at_1", "Acc@1"),
    ("acc_at_5", "Acc@5"),
    ("acc_at_10", "Acc@10"),
    ("core_recall", "CORE"),
    ("bundle_recall", "bundle"),
)


_DETAILED = (
    "ndcg_at_10 chunk_ndcg_at_10 mrr r_at_1 r_at_5 r_at_10 gold_at_1 acc_at_1 acc_at_5 acc_at_10 "
    "core_recall bundle_recall"
).split()
_REPOS_SHOWN = 16  # in the table for terminals; the record has all of them


@dataclass(frozen=True, slots=True)
class Slice:
    """The numbers of one profile over some of the questions."""

    profile: str
    by: str  # "all", "language", "kind", "repo", "commit", "gold in query", "gold path in query"
    value: str
    queries: int
    repos: int
    failed: int  # queries without an answer; they score 0
    intervals: tuple[Interval, ...]  # in the order of MEASURES
    repo_mean_ndcg: float  # the mean of the repositories' means, as the public benchmark has it
    repo_mean_chunk_ndcg: float
    p50_ms: float
    p95_ms: float

    def measure(self, name: str) -> Interval:
        """Give one measure by its name."""
        return self.intervals[MEASURES.index(name)]


@dataclass(frozen=True, slots=True)
class Summary:
    """All slices of a run, and what indexing cost."""

    run_id: str
    slices: tuple[Slice, ...]
    index_seconds: float
    first_index_seconds: float  # the mean of each repository's first corpus …
    next_index_seconds: float  # … and of its others, which may find much done; 0 for none
    index_files: int
    index_chunks: int
    vectors_computed: int

    def overall(self, profile: str) -> Slice:
        """Give the slice of all questions of a profile."""
        return next(part for part in self.slices if part.profile == profile and part.by == "all")


def summarise(run: Run) -> Summary:
    """Compute the numbers of every profile and slice."""
    slices: list[Slice] = []
    for profile in run.record.profiles:
        table = run.of_profile(profile)
        columns = np.column_stack([table[name].to_numpy() for name in MEASURES])
        for by, value, mask in _masks(table):
            slices.append(_slice(profile, by, value, table.filter(mask), columns[mask]))
    first, others = _by_turn(run.indexes)
    columns_summed = ("seconds", "files", "chunks", "vectors_computed")
    sums = {name: sum(run.indexes[name].to_pylist()) for name in columns_summed}
    return Summary(
        run.record.id,
        tuple(slices),
        index_seconds=sums["seconds"],
        first_index_seconds=_mean(first),
        next_index_seconds=_mean(others),
        index_files=sums["files"],
        index_chunks=sums["chunks"],
        vectors_computed=sums["vectors_computed"],
    )


def _by_turn(indexes: pa.Table) -> tuple[list[float], list[float]]:
    """Seconds of the first corpus of each repository, and of the others."""
    first: dict[str, float] = {}
    others: list[float] = []
    for repo, seconds in zip(
        indexes["repo"].to_pylist(), indexes["seconds"].to_pylist(), strict=True
    ):
        if repo in first:
            others.append(seconds)
        else:
            first[repo] = seconds
    return list(first.values()), others


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _masks(table: pa.Table) -> list[tuple[str, str, NDArray[np.bool_]]]:
    """Which rows belong to which slice; a column with one value makes no slices of its own."""
    everything = np.ones(table.num_rows, dtype=np.bool_)
    masks = [("all", "", everything)]
    exact = _flags(table, "exact_commit")
    if not exact.all():
        masks.append(("commit", "exact only", exact))
    named = _flags(table, "mentions_path") | _flags(table, "mentions_basename")
    if named.any():
        masks.append(("gold in query", "not named", ~named))
        masks.append(("gold in query", "named", named))
    stem = _flags(table, "mentions_stem")
    if stem.any():
        masks.append(("gold in query", "stem not named", ~stem))
    path = _flags(table, "mentions_path")
    if path.any():
        masks.append(("gold path in query", "no", ~path))
        masks.append(("gold path in query", "yes", path))
    for column in ("kind", "language", "repo"):
        values = np.array(table[column].to_pylist(), dtype=np.str_)
        distinct = sorted(set(values.tolist()))
        if len(distinct) > 1:
            masks += [(column, value or "(none)", values == value) for value in distinct]
    return masks


def _flags(table: pa.Table, column: str) -> NDArray[np.bool_]:
    return np.array(table[column].to_pylist(), dtype=np.bool_)


def _slice(
    profile: str, by: str, value: str, table: pa.Table, columns: NDArray[np.float64]
) -> Slice:
    repos = np.array(table["repo"].to_pylist(), dtype=np.str_)
    answered = np.array([not error for error in table["error"].to_pylist()], dtype=np.bool_)
    latency = table["elapsed_ms"].to_numpy()[answered]
    p50, p95 = np.quantile(latency, (0.5, 0.95)) if latency.size else (0.0, 0.0)
    return Slice(
        profile=profile,
        by=by,
        value=value,
        queries=table.num_rows,
        repos=len(set(repos.tolist())),
        failed=int((~answered).sum()),
        intervals=tuple(mean_intervals(columns)),
        repo_mean_ndcg=_repo_mean(repos, columns[:, MEASURES.index("ndcg_at_10")]),
        repo_mean_chunk_ndcg=_repo_mean(repos, columns[:, MEASURES.index("chunk_ndcg_at_10")]),
        p50_ms=float(p50),
        p95_ms=float(p95),
    )


def _repo_mean(repos: NDArray[np.str_], values: NDArray[np.float64]) -> float:
    if not values.size:
        return 0.0
    _, which = np.unique(repos, return_inverse=True)
    return float((np.bincount(which, values) / np.bincount(which)).mean())


def to_json(summary: Summary) -> dict[str, object]:
    """Give the summary as plain values; measures by their names."""
    slices = [
        {name: value for name, value in asdict(part).items() if name != "intervals"}
        | {name: asdict(part.measure(name)) for name in MEASURES}
        for part in summary.slices
    ]
    return asdict(summary) | {"slices": slices}


def to_text(summary: Summary) -> str:
    """Give the summary as a table that fits a terminal, the intervals of the main numbers below."""
    width = max(len(_label(part)) for part in summary.slices)
    heading = f"{'':{width}}      n " + " ".join(f"{title:>6}" for _, title in SHOWN)
    lines = [f"{summary.run_id}", ""]
    for profile in dict.fromkeys(part.profile for part in summary.slices):
        lines += [f"{profile}".ljust(width) + heading[width:] + "    p50    p95 ms"]
        shown = [part for part in summary.slices if part.profile == profile]
        if sum(part.by == "repo" for part in shown) > _REPOS_SHOWN:
            shown = [part for part in shown if part.by != "repo"]
        lines += [_line(part, width) for part in shown]
        lines += ["", *_details(summary.overall(profile)), ""]
    lines.append(
        f"index: {summary.index_files} files, {summary.index_chunks} chunks, "
        f"{summary.vectors_computed} vectors computed, {summary.index_seconds:.1f} s"
    )
    if summary.next_index_seconds:
        lines.append(
            f"       {summary.first_index_seconds:.1f} s for the first commit of a repository, "
            f"{summary.next_index_seconds:.1f} s for each further one"
        )
    return "\n".join(lines) + "\n"


def _label(part: Slice) -> str:
    return "  all" if part.by == "all" else f"  {part.by}: {part.value}"


def _line(part: Slice, width: int) -> str:
    numbers = " ".join(f"{part.measure(name).mean:6.3f}" for name, _ in SHOWN)
    return (
        f"{_label(part):{width}} {part.queries:6d} {numbers} {part.p50_ms:6.2f} {part.p95_ms:6.2f}"
    )


def _details(part: Slice) -> list[str]:
    lines = [f"  {name:18} {part.measure(name)}" for name in _DETAILED]
    lines.append(
        f"  mean of {part.repos} repositories: NDCG@10 {part.repo_mean_ndcg:.3f}, "
        f"over chunk ranks {part.repo_mean_chunk_ndcg:.3f}"
    )
    if part.failed:
        lines.append(f"  {part.failed} queries failed and count 0")
    return lines
