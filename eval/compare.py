"""Compare two runs, or two profiles of one, query by query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from codequarry.eval.bootstrap import Interval, paired_interval
from codequarry.eval.errors import RecordError
from codequarry.eval.metrics import MEASURES

if TYPE_CHECKING:
    from codequarry.eval.record import Run

_SAME = 1e-9  # two values of a measure nearer than this are equal


@dataclass(frozen=True, slots=True)
class Delta:
    """One measure before and after, over the queries both runs asked."""

    measure: str
    before: float
    after: float
    difference: Interval
    wins: int
    losses: int


@dataclass(frozen=True, slots=True)
class Change:
    """One query whose NDCG@10 changed."""

    id: str
    query: str
    before: float
    after: float
    before_rank: int  # of the first relevant file; 0: not in the answer
    after_rank: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed from one run to another."""

    before: str
    after: str
    queries: int
    only_before: int  # queries the other run did not ask
    only_after: int
    deltas: tuple[Delta, ...]
    wins: tuple[Change, ...]  # the largest first
    losses: tuple[Change, ...]

    def delta(self, measure: str) -> Delta:
        """Give one measure by its name."""
        return self.deltas[MEASURES.index(measure)]


@dataclass(frozen=True, slots=True)
class _Outcome:
    query: str
    rank: int
    values: tuple[float, ...]  # in the order of MEASURES


def compare(
    before: Run, after: Run, before_profile: str = "", after_profile: str = ""
) -> Comparison:
    """Compare two runs of the same questions.

    Args:
        before: the older run, or the ranker to beat.
        after: the newer one.
        before_profile: which of its profiles; empty: its first.
        after_profile: likewise; empty: the same as before if it has it, else its first.

    Raises:
        RecordError: the runs have no question in common.
    """
    old_profile = before_profile or before.record.profiles[0]
    same = old_profile if old_profile in after.record.profiles else after.record.profiles[0]
    new_profile = after_profile or same
    old, new = _outcomes(before, old_profile), _outcomes(after, new_profile)
    shared = [key for key in old if key in new and old[key].query == new[key].query]
    if not shared:
        raise RecordError("the two runs have no question in common", "run the same golden file")
    changes = _changes(old, new, shared)
    return Comparison(
        before=f"{before.record.id} {old_profile}",
        after=f"{after.record.id} {new_profile}",
        queries=len(shared),
        only_before=len(old) - len(shared),
        only_after=len(new) - len(shared),
        deltas=tuple(
            _delta(
                name,
                [old[key].values[position] for key in shared],
                [new[key].values[position] for key in shared],
            )
            for position, name in enumerate(MEASURES)
        ),
        wins=tuple(sorted((c for c in changes if c.after > c.before), key=_size)),
        losses=tuple(sorted((c for c in changes if c.after < c.before), key=_size)),
    )


def to_text(comparison: Comparison, listed: int = 10) -> str:
    """Give the comparison as a table; a star marks a difference whose interval excludes zero."""
    lines = [
        f"before  {comparison.before}",
        f"after   {comparison.after}",
        (
            f"{comparison.queries} queries in both; {comparison.only_before} only before, "
            f"{comparison.only_after} only after"
        ),
        "",
        f"{'measure':18} before  after  difference                  wins losses",
    ]
    for delta in comparison.deltas:
        gap = delta.difference
        interval = f"{gap.mean:+.4f} [{gap.low:+.4f}, {gap.high:+.4f}]"
        star = "*" if gap.excludes_zero else " "
        lines.append(
            f"{delta.measure:18} {delta.before:6.3f} {delta.after:6.3f}  {interval}{star}"
            f" {delta.wins:4d} {delta.losses:6d}"
        )
    for title, changes in (("losses", comparison.losses), ("wins", comparison.wins)):
        lines += ["", f"{title} ({len(changes)}), NDCG@10 and rank of the first relevant file"]
        lines += [
            f"  {change.before:.3f} -> {change.after:.3f}  "
            f"{change.before_rank or '-'} -> {change.after_rank or '-'}  "
            f"{change.id}  {_one_line(change.query)}"
            for change in changes[:listed]
        ]
    return "\n".join(lines) + "\n"


def _outcomes(run: Run, profile: str) -> dict[str, _Outcome]:
    table = run.of_profile(profile)
    values = zip(*(table[name].to_pylist() for name in MEASURES), strict=True)
    rows = zip(
        table["id"].to_pylist(),
        table["query"].to_pylist(),
        table["rank"].to_pylist(),
        values,
        strict=True,
    )
    return {key: _Outcome(query, rank, measured) for key, query, rank, measured in rows}


def _delta(name: str, before: list[float], after: list[float]) -> Delta:
    gaps = [new - old for old, new in zip(before, after, strict=True)]
    return Delta(
        measure=name,
        before=sum(before) / len(before),
        after=sum(after) / len(after),
        difference=paired_interval(before, after),
        wins=sum(gap > _SAME for gap in gaps),
        losses=sum(gap < -_SAME for gap in gaps),
    )


def _changes(old: dict[str, _Outcome], new: dict[str, _Outcome], shared: list[str]) -> list[Change]:
    position = MEASURES.index("ndcg_at_10")
    changes = []
    for key in shared:
        before, after = old[key], new[key]
        if abs(after.values[position] - before.values[position]) > _SAME:
            changes.append(
                Change(
                    key,
                    before.query,
                    before.values[position],
                    after.values[position],
                    before.rank,
                    after.rank,
                )
            )
    return changes


def _size(change: Change) -> tuple[float, str]:
    return -abs(change.after - change.before), change.id


def _one_line(text: str, width: int = 80) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"
