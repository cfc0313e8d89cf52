"""Evaluations as Dagster assets: the same runs as ``quarry eval``, with a gate as a check.

This module has no ``from __future__ import annotations``: Dagster reads the types of a
configuration from the annotations themselves.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import dagster as dg
from pydantic import Field

from codequarry.eval.corpora import CorpusCache, Mirrors
from codequarry.eval.gate import gate, load_baseline
from codequarry.eval.golden import load_golden
from codequarry.eval.output import write_run
from codequarry.eval.record import Run
from codequarry.eval.run import Places, run_golden
from codequarry.eval.searcher import QuarrySearcher
from codequarry.eval.summary import SHOWN, Slice, Summary
from codequarry.eval.swebench import chosen, run_swebench
from codequarry.retrieval.ranking import Profile
from codequarry.store.layout import quarry_home

GROUP = "evaluation"
GATE = "no_worse_than_baseline"

Outcome: TypeAlias = Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]


class EvalConfig(dg.Config):
    """What both evaluations take; the same as the options of ``quarry eval``."""

    file: str  # the questions, JSON lines or Parquet
    mirrors: str = ""  # local git mirrors: a directory, or a JSON map
    cache: str = ""  # where corpora and stores are kept
    out: str = ""  # the run's record; a new folder under quarry's home when not given
    profiles: list[str] = Field(default_factory=lambda: [Profile.LINEAR.value])
    model: str = "static"
    baseline: str = ""  # of the gate


class SwebenchConfig(EvalConfig):
    """What the issues take besides."""

    repos: list[str] = Field(default_factory=list)  # only of these
    limit: int = 0  # only the first; 0: all


def _check(name: str) -> dg.AssetCheckSpec:
    return dg.AssetCheckSpec(GATE, asset=name, description="Passes also without a baseline.")


@dg.asset(
    group_name=GROUP,
    kinds={"parquet"},
    description="How well the files of a golden set's questions are found.",
    check_specs=[_check("golden_eval")],
)
def golden_eval(context: dg.AssetExecutionContext, config: EvalConfig) -> Outcome:
    """Run ``quarry eval golden``."""
    file = Path(config.file)
    corpora = None
    if config.mirrors:
        cache = Path(config.cache) if config.cache else quarry_home() / "corpora"
        corpora = CorpusCache(Mirrors.at(Path(config.mirrors)), cache)
    run = run_golden(
        load_golden(file),
        QuarrySearcher(config.model),
        Places(file.parent, corpora),
        profiles=config.profiles,
        progress=context.log.info,
    )
    yield from _told(run, config)


@dg.asset(
    group_name=GROUP,
    kinds={"parquet"},
    description="How often the files that an issue's fix changed are found.",
    check_specs=[_check("swebench_eval")],
)
def swebench_eval(context: dg.AssetExecutionContext, config: SwebenchConfig) -> Outcome:
    """Run ``quarry eval swebench``."""
    run = run_swebench(
        chosen(load_golden(Path(config.file)), config.repos, config.limit),
        QuarrySearcher(config.model),
        Mirrors.at(Path(config.mirrors)),
        Path(config.cache) if config.cache else quarry_home() / "swebench",
        profiles=config.profiles,
        progress=context.log.info,
    )
    yield from _told(run, config)


def _told(run: Run, config: EvalConfig) -> Outcome:
    """Write the record; tell its numbers and what the gate says."""
    out = Path(config.out) if config.out else quarry_home() / "runs" / run.record.id
    out.mkdir(parents=True, exist_ok=True)
    yield dg.MaterializeResult(metadata=_metadata(run, write_run(run, out), out))
    failures = gate(run, load_baseline(Path(config.baseline))) if config.baseline else []
    yield dg.AssetCheckResult(
        check_name=GATE,
        passed=not failures,
        severity=dg.AssetCheckSeverity.ERROR,
        metadata={"baseline": config.baseline, "failures": failures},
    )


def _metadata(run: Run, summary: Summary, out: Path) -> dict[str, Any]:
    first = summary.overall(run.record.profiles[0])
    overall = [summary.overall(name) for name in run.record.profiles]
    return {name: first.measure(name).mean for name, _ in SHOWN} | {
        "queries": first.queries,
        "p50_ms": first.p50_ms,
        "missing": list(run.record.missing),
        "profiles": dg.MetadataValue.md(_table(overall)),
        "languages": dg.MetadataValue.md(
            _table([part for part in summary.slices if part.by == "language"])
        ),
        "report": dg.MetadataValue.path((out / "report.html").resolve()),
        "see": f"quarry eval compare {out} OTHER-RUN",
    }


def _table(parts: list[Slice]) -> str:
    """Means of each part, as Markdown."""
    heads = ["", "queries", *(heading for _, heading in SHOWN)]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for part in parts:
        name = part.profile if part.by == "all" else f"{part.profile}, {part.value}"
        means = [f"{part.measure(measure).mean:.3f}" for measure, _ in SHOWN]
        lines.append("| " + " | ".join([name, str(part.queries), *means]) + " |")
    return "\n".join(lines)
