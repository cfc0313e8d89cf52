"""One bad file costs itself, never the run."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pool_tasks
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import modules, write_tree

from codequarry.assets.census.census import take_census
from codequarry.assets.facts.build import FactsReport, build_facts, dirty_jobs
from codequarry.assets.facts.pool import BATCH_BYTES, BATCH_FILES, ParsePool, batches
from codequarry.assets.facts.worker import Job, parse_batch
from codequarry.settings import Settings
from codequarry.store.fragments import read_facts
from codequarry.store.layout import BUCKETS, Layout

if TYPE_CHECKING:
    from pathlib import Path


def facts_of(root: Path, task=pool_tasks.misbehave) -> tuple[FactsReport, dict[str, str], Layout]:
    """Parse a tree; the report, and each path's parse state and reason."""
    layout = Layout(root, root.parent / "state")
    census = take_census(root, Settings())
    pool = ParsePool(2, batch_seconds=4, file_seconds=1.5, task=task)
    try:
        report = build_facts(layout, root, dirty_jobs(layout, census), pool)
    finally:
        pool.close()
    parses = read_facts(layout, "parses", BUCKETS).to_pylist()
    states = {row["blob"]: f"{row['state']}: {row['reason']}" for row in parses}
    return report, {e.path: states.get(e.blob, "") for e in census.indexed}, layout


def test_a_file_that_breaks_the_parser_gets_windows_and_is_named(tmp_path: Path):
    bad = {f"{name}.py": f"def {name}(): pass\n" for name in ("crash", "raise", "memory")}
    report, states, layout = facts_of(write_tree(tmp_path / "repo", modules(12) | bad))
    assert report.parsed == 15
    assert not report.missing
    assert {states[path] for path in modules(12)} == {"ok: "}
    assert states["crash.py"] == "fallback: the parser crashed"
    assert states["raise.py"] == "fallback: parsing failed: ValueError"
    assert states["memory.py"] == "fallback: parsing failed: MemoryError"
    kinds = read_facts(layout, "chunks", BUCKETS)["kind"].to_pylist()
    assert kinds.count("window") == 3


@pytest.mark.slow
def test_a_file_that_hangs_is_stopped_and_gets_windows(tmp_path: Path):
    tree = modules(6) | {"hang.py": "def hang(): pass\n"}
    report, states, _ = facts_of(write_tree(tmp_path / "repo", tree))
    assert report.parsed == 7
    assert states["hang.py"] == "fallback: parsing took too long and was stopped"
    assert {states[path] for path in modules(6)} == {"ok: "}


def test_a_file_that_fails_without_syntax_too_is_reported_and_the_rest_is_kept(tmp_path: Path):
    tree = modules(6) | {"crash_always.py": "x = 1\n", "raise_always.py": "y = 1\n"}
    report, states, _ = facts_of(write_tree(tmp_path / "repo", tree))
    assert sorted(report.missing.values()) == [
        "parsing failed: ValueError",
        "the parser crashed",
    ]
    assert {path for path, state in states.items() if not state} == {
        "crash_always.py",
        "raise_always.py",
    }


def test_vanished_files_of_one_content_and_two_languages_do_not_hold_up_their_bucket(
    tmp_path: Path,
):
    files = modules(40)
    root = write_tree(tmp_path / "repo", files)
    gone = b"int twice;\n"
    blob = hashlib.sha256(gone).hexdigest()
    layout = Layout(root, tmp_path / "state")
    dirty = dirty_jobs(layout, take_census(root, Settings()))
    twins = [Job(blob, language, "gone", len(gone)) for language in ("c", "cpp")]
    dirty[blob[0]] = [*dirty.get(blob[0], []), *twins]
    pool = ParsePool(1)
    try:
        report = build_facts(layout, root, dirty, pool)
    finally:
        pool.close()
    assert report.parsed == 40
    assert set(report.missing) == {blob}
    assert len(read_facts(layout, "parses", BUCKETS)) == 40


def test_facts_do_not_depend_on_the_order_or_size_of_batches(tmp_path: Path):
    root = write_tree(tmp_path / "repo", modules(8))
    jobs = [
        Job(entry.blob, entry.language, entry.path, entry.stat[0])
        for entry in take_census(root, Settings()).indexed
    ]
    whole = _rows([parse_batch(str(root), jobs)])
    assert _rows([parse_batch(str(root), [job]) for job in reversed(jobs)]) == whole
    assert _rows([parse_batch(str(root), jobs[5:]), parse_batch(str(root), jobs[:5])]) == whole


def _rows(results: list) -> list[str]:
    from codequarry.assets.facts.worker import from_ipc

    return sorted(
        f"{name} {row}"
        for result in results
        for name, data in result.tables.items()
        for row in from_ipc(data).to_pylist()
    )


def test_facts_do_not_depend_on_the_path(tmp_path: Path):
    text = "def same(): pass\n"
    write_tree(tmp_path, {"a.py": text, "deep/er/tests/b.py": text})
    blob = hashlib.sha256(text.encode()).hexdigest()
    one, two = (
        parse_batch(str(tmp_path), [Job(blob, "python", path, 1)])
        for path in ("a.py", "deep/er/tests/b.py")
    )
    assert one == two


JOBS = st.lists(st.integers(0, 2 * BATCH_BYTES), max_size=300).map(
    lambda sizes: [Job(str(i), "python", "p", size) for i, size in enumerate(sizes)]
)


@given(JOBS)
def test_batches_keep_every_job_in_order_and_within_bounds(jobs: list[Job]):
    cut = list(batches(jobs))
    assert [job for batch in cut for job in batch] == jobs
    for batch in cut:
        assert 1 <= len(batch) <= BATCH_FILES
        assert len(batch) == 1 or sum(job.size for job in batch) <= BATCH_BYTES


@given(st.lists(st.just(1), max_size=300))
def test_small_files_share_batches(sizes: list[int]):
    jobs = [Job(str(i), "python", "p", size) for i, size in enumerate(sizes)]
    assert len(list(batches(jobs))) == -(-len(jobs) // BATCH_FILES)
