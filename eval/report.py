"""A run as one HTML page that needs nothing else: tables, plots, and every miss."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from codequarry.eval.summary import SHOWN, Slice, Summary, summarise
from codequarry.eval.svg import SERIES, Bar, Curve, bars, curves, histogram

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from codequarry.eval.bootstrap import Interval
    from codequarry.eval.record import Run

_CURVE_LENGTH = 20  # files; a bundle holds at most 12 + 7
_LISTED_MISSES = 60

_STYLE = """
:root{--ink:#1a1c1f;--soft:#5d6470;--paper:#fff;--panel:#f5f6f8;--rule:#dfe2e7;
--c0:#2f6fde;--c1:#e07b00;--c2:#1a936f;--c3:#9b4dca;--c4:#c2334d;--c5:#6b7280}
@media(prefers-color-scheme:dark){:root{--ink:#e7e9ec;--soft:#9aa3b0;--paper:#15171a;
--panel:#1e2125;--rule:#33383f;--c0:#6ea3ff;--c1:#ffab4d;--c2:#4cc9a0;--c3:#c792ea;--c4:#ff7a90;
--c5:#a0a8b4}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,sans-serif}main{max-width:980px;margin:0 auto;padding:32px 20px 64px}
h1{font-size:26px;margin:0 0 4px}h2{font-size:18px;margin:40px 0 10px}p,dl{color:var(--soft)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;font-size:13px}
dt{font-weight:600}dd{margin:0;overflow-wrap:anywhere}.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:13px;font-variant-numeric:tabular-nums}
th,td{padding:5px 8px;border-bottom:1px solid var(--rule);text-align:right;white-space:nowrap}
th{color:var(--soft);font-weight:600}th:first-child,td:first-child,.left{text-align:left}
td.left{white-space:normal;overflow-wrap:anywhere}tr.all td{font-weight:600}
small{display:block;color:var(--soft);font-size:11px}
figure{margin:0;background:var(--panel);border-radius:10px;padding:16px}
svg{display:block;width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:var(--ink)}
.tick{fill:var(--soft)!important}.middle{text-anchor:middle}.end{text-anchor:end}
.grid{stroke:var(--rule)}.axis{stroke:var(--soft)}.whisker{stroke:var(--ink);stroke-width:1.5}
.mark{stroke:var(--panel);stroke-width:1.5}.curve{fill:none;stroke-width:2}.s0{fill:var(--c0)}
""" + "".join(f".f{i}{{fill:var(--c{i})}}.l{i}{{stroke:var(--c{i})}}" for i in range(SERIES))


def render(run: Run, summary: Summary | None = None, profile: str = "") -> str:
    """Give the page.

    Args:
        run: what to show.
        summary: of the run, when it is at hand.
        profile: the profile the bars, the histogram and the misses are of; empty: the first.
    """
    numbers = summary or summarise(run)
    main = profile or run.record.profiles[0]
    table = run.of_profile(main)
    others = [name for name in run.record.profiles if name != main]
    sections = [
        _head(run, numbers),
        _section("Overall", _overview([numbers.overall(name) for name in (main, *others)])),
        _section("A relevant file within the first k", _recall(run, [main, *others])),
        *_breakdowns(numbers, main, others),
        _section(f"Latency of {main}", _latency(table, numbers.overall(main))),
        _section(f"Missed by {main}", _misses(table)),
        _section("Corpora", _corpora(run)),
    ]
    return page(f"{run.record.dataset}: evaluation of codequarry", "".join(sections))


def page(title: str, body: str) -> str:
    """A whole HTML page around ``body``, which is HTML."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body><main>"
        f"{body}</main></body></html>\n"
    )


def _head(run: Run, numbers: Summary) -> str:
    record, machine = run.record, run.record.environment
    facts = [
        ("Run", f"{record.id}, started {record.started}"),
        ("Questions", f"{record.dataset}, SHA-256 {record.dataset_sha256[:16]}"),
        ("codequarry", machine.commit or "installed copy"),
        ("Model", record.model),
        ("Parameters", ", ".join(record.parameters) or "defaults"),
        (
            "Index",
            (
                f"{numbers.index_files} files, {numbers.index_chunks} chunks, "
                f"{numbers.vectors_computed} vectors computed, {numbers.index_seconds:.1f} s"
            ),
        ),
        (
            "Machine",
            (
                f"{machine.processor}, {machine.cores} cores, "
                f"{machine.memory_bytes / 2**30:.1f} GiB, {machine.system}"
            ),
        ),
        ("Software", f"Python {machine.python}, " + ", ".join(machine.packages)),
        *(("Not asked", lost) for lost in record.missing),
    ]
    listed = "".join(f"<dt>{escape(key)}</dt><dd>{escape(value)}</dd>" for key, value in facts)
    return f"<h1>{escape(record.dataset)}</h1><dl>{listed}</dl>"


def _section(title: str, body: str) -> str:
    return f"<h2>{escape(title)}</h2>{body}" if body else ""


def _overview(parts: list[Slice]) -> str:
    head = ["profile", "n", *(title for _, title in SHOWN), "p50 ms", "p95 ms"]
    rows = [
        [
            escape(part.profile),
            str(part.queries),
            *(_cell(part.measure(name)) for name, _ in SHOWN),
            f"{part.p50_ms:.2f}",
            f"{part.p95_ms:.2f}",
        ]
        for part in parts
    ]
    means = "; ".join(
        f"{part.profile} {part.repo_mean_ndcg:.3f} over files, "
        f"{part.repo_mean_chunk_ndcg:.3f} over chunk ranks"
        for part in parts
    )
    note = f"<p>NDCG@10 as the mean of the repositories' means: {escape(means)}.</p>"
    return _table(head, rows) + note


def _breakdowns(numbers: Summary, main: str, others: list[str]) -> list[str]:
    sections = []
    for by in dict.fromkeys(part.by for part in numbers.slices if part.by != "all"):
        rows = [
            Bar(
                part.value,
                f"n={part.queries}",
                part.measure("ndcg_at_10"),
                tuple(_same_slice(numbers, name, part) for name in others),
            )
            for part in numbers.slices
            if part.by == by and part.profile == main
        ]
        title = f"NDCG@10 by {by}"
        legend = f"bars: {main}" + (f"; dots: {', '.join(others)}" if others else "")
        figure = _figure(bars(rows, title), f"{legend}; whiskers: 95 % bootstrap interval")
        sections.append(_section(title, figure))
    return sections


def _same_slice(numbers: Summary, profile: str, like: Slice) -> float:
    return next(
        part.measure("ndcg_at_10").mean
        for part in numbers.slices
        if (part.profile, part.by, part.value) == (profile, like.by, like.value)
    )


def _recall(run: Run, profiles: list[str]) -> str:
    lines = []
    for profile in profiles:
        ranks = run.of_profile(profile)["rank"].to_pylist()
        within = tuple(
            sum(0 < rank <= k for rank in ranks) / len(ranks) for k in range(1, _CURVE_LENGTH + 1)
        )
        lines.append(Curve(profile, within))
    drawn = curves(lines, "Share of questions with a relevant file within k", "files read")
    return _figure(drawn, "share of the questions")


def _latency(table: pa.Table, part: Slice) -> str:
    answered = zip(table["elapsed_ms"].to_pylist(), table["error"].to_pylist(), strict=True)
    values = [elapsed for elapsed, error in answered if not error]
    told = f"p50 {part.p50_ms:.2f} ms, p95 {part.p95_ms:.2f} ms; the last bin holds all slower ones"
    return _figure(histogram(values, "Latency", "milliseconds"), told) if values else ""


def _misses(table: pa.Table) -> str:
    """List the questions with a relevant file outside the bundle, then nothing else."""
    rows = []
    columns = ("id", "query", "gold", "secondary", "core", "related", "error")
    for row in table.select(columns).to_pylist():
        bundle = {*row["core"], *row["related"]}
        lost = [path for path in (*row["gold"], *row["secondary"]) if path not in bundle]
        if lost:
            first = row["error"] or ", ".join(row["core"][:2]) or "nothing"
            rows.append([row["id"], _short(row["query"]), ", ".join(lost), first])
    if not rows:
        return "<p>Every relevant file is in its bundle.</p>"
    shown = [[escape(cell) for cell in row] for row in rows[:_LISTED_MISSES]]
    told = f"<p>{len(rows)} questions; {len(shown)} listed.</p>"
    return told + _table(["id", "query", "not in the bundle", "found first"], shown, left=True)


def _corpora(run: Run) -> str:
    rows = [
        [
            escape(row["repo"])
            + f"<small>{escape(row['commit'][:12])} {escape(row['root'])}</small>",
            str(row["files"]),
            str(row["chunks"]),
            str(row["vectors_computed"]),
            f"{row['seconds']:.2f}",
        ]
        for row in run.indexes.to_pylist()
    ]
    return _table(["repository", "files", "chunks", "vectors computed", "index s"], rows)


def _cell(value: Interval) -> str:
    return f"{value.mean:.3f}<small>{value.low:.3f}–{value.high:.3f}</small>"


def _figure(drawn: str, caption: str) -> str:
    return f"<figure>{drawn}<p>{escape(caption)}</p></figure>"


def _table(head: Iterable[str], rows: Iterable[list[str]], *, left: bool = False) -> str:
    """Lay out cells that are HTML already."""
    name = ' class="left"' if left else ""
    top = "".join(f"<th{name}>{escape(title)}</th>" for title in head)
    body = "".join(
        "<tr>" + "".join(f"<td{name}>{cell}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f'<div class="wide"><table><tr>{top}</tr>{body}</table></div>'


def _short(text: str, width: int = 200) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
