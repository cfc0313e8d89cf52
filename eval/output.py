"""Write all that a run leaves behind: Parquet records, the summary, the HTML page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from codequarry.eval.record import save_run
from codequarry.eval.report import render
from codequarry.eval.summary import Summary, summarise, to_json, to_text

if TYPE_CHECKING:
    from pathlib import Path

    from codequarry.eval.record import Run


def write_run(run: Run, directory: Path) -> Summary:
    """Write a run's Parquet files, ``summary.json``, ``summary.txt`` and ``report.html``."""
    save_run(run, directory)
    summary = summarise(run)
    told = json.dumps(to_json(summary), indent=1) + "\n"
    (directory / "summary.json").write_text(told, encoding="utf-8")
    (directory / "summary.txt").write_text(to_text(summary), encoding="utf-8")
    (directory / "report.html").write_text(render(run, summary), encoding="utf-8")
    return summary
