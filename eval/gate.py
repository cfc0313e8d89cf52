"""The gate: a change may not lose files from the bundle, nor rank worse beyond chance.

A baseline is a small JSON file kept in the repository: for one golden file and profile, every
question's gated measures. Keeping them by question makes the comparison paired, so that the
questions' own spread does not hide a loss.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codequarry.eval.bootstrap import paired_interval
from codequarry.eval.errors import RecordError

if TYPE_CHECKING:
    from pathlib import Path

    from codequarry.eval.record import Run

GATED = ("bundle_recall", "r_at_1", "ndcg_at_10")
_FORMAT = 1
_SAME = 1e-5  # values are kept with six decimals


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a profile reached on a golden file, by question."""

    dataset: str
    dataset_sha256: str
    profile: str
    run_id: str  # of the run that justifies it
    commit: str
    ids: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]  # a row a question, in the order of GATED


def gate(run: Run, baseline: Baseline) -> list[str]:
    """Say why a run may not pass; nothing when it may.

    Bundle recall fails when its mean is below the baseline's at all. R@1 and NDCG@10 fail when
    they drop and the paired bootstrap interval of the difference lies below zero.
    """
    if run.record.dataset_sha256 != baseline.dataset_sha256:
        told = (
            f"the baseline was measured on other questions ({baseline.dataset}, "
            f"{baseline.dataset_sha256[:12]}) than this run ({run.record.dataset}, "
            f"{run.record.dataset_sha256[:12]}): record a new baseline"
        )
        return [told]
    now = _by_id(run, baseline.profile)
    unasked = [key for key in baseline.ids if key not in now]
    if unasked:
        return [f"{len(unasked)} questions of the baseline were not asked, e.g. {unasked[0]}"]
    failures = []
    for position, name in enumerate(GATED):
        before = [row[position] for row in baseline.values]
        after = [now[key][position] for key in baseline.ids]
        gap = paired_interval(before, after)
        if name == "bundle_recall":
            fails, why = gap.mean < -_SAME, "it may not fall"
        else:
            fails, why = gap.high < -_SAME, f"beyond chance [{gap.low:+.4f}, {gap.high:+.4f}]"
        if fails:
            old, new = sum(before) / len(before), sum(after) / len(after)
            lost = [k for k, a, b in zip(baseline.ids, before, after, strict=True) if b < a - _SAME]
            failures.append(
                f"{name} fell from {old:.4f} to {new:.4f}: {why}; "
                f"{len(lost)} questions lost, e.g. {', '.join(lost[:3])}"
            )
    return failures


def baseline_of(run: Run, profile: str) -> Baseline:
    """Make a baseline of a run.

    Raises:
        RecordError: questions could not be asked or failed, so the run justifies nothing.
    """
    failed = [error for error in run.of_profile(profile)["error"].to_pylist() if error]
    if run.record.missing or failed:
        raise RecordError(f"the run is not whole: {(*run.record.missing, *failed)[0]}")
    rows = _by_id(run, profile)
    return Baseline(
        dataset=run.record.dataset,
        dataset_sha256=run.record.dataset_sha256,
        profile=profile,
        run_id=run.record.id,
        commit=run.record.environment.commit,
        ids=tuple(rows),
        values=tuple(rows.values()),
    )


def save_baseline(baseline: Baseline, path: Path) -> None:
    """Write a baseline, one question a line, so that a diff shows what changed."""
    head = {
        "format": _FORMAT,
        "dataset": baseline.dataset,
        "dataset_sha256": baseline.dataset_sha256,
        "profile": baseline.profile,
        "run_id": baseline.run_id,
        "commit": baseline.commit,
        "measures": GATED,
    }
    questions = ",\n".join(
        f"  {json.dumps(key)}: {json.dumps([round(value, 6) for value in row])}"
        for key, row in zip(baseline.ids, baseline.values, strict=True)
    )
    text = json.dumps(head, indent=1)[:-2] + ',\n "questions": {\n' + questions + "\n }\n}\n"
    path.write_text(text, encoding="utf-8")


def load_baseline(path: Path) -> Baseline:
    """Read a baseline.

    Raises:
        RecordError: there is none, or it is not one of this version.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        if raw["format"] != _FORMAT or tuple(raw["measures"]) != GATED:
            raise RecordError(f"{path} is a baseline of another version", "record it anew")
        questions = raw["questions"]
        return Baseline(
            raw["dataset"],
            raw["dataset_sha256"],
            raw["profile"],
            raw["run_id"],
            raw["commit"],
            tuple(questions),
            tuple(tuple(float(value) for value in row) for row in questions.values()),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"no baseline at {path}: {error}", "record one from a run") from error


def _by_id(run: Run, profile: str) -> dict[str, tuple[float, ...]]:
    table = run.of_profile(profile)
    columns = (table[name].to_pylist() for name in GATED)
    return dict(zip(table["id"].to_pylist(), zip(*columns, strict=True), strict=True))
