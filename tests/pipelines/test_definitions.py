"""What Dagster's UI shows, and when the schedule and the sensor ask for a run."""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml
from dagster._core.definitions.observe import observe
from hypothesis import given
from hypothesis import strategies as st
from support import LEXICAL, commit_all, git, index, modules, write_tree

from codequarry.eval import definitions as eval_definitions
from codequarry.pipelines import definitions
from codequarry.pipelines.definitions import defs, git_head_moved, nightly_reindex
from codequarry.pipelines.head import head_commit
from codequarry.pipelines.ranges import RANGE_END, RANGE_START, range_tags
from codequarry.store.layout import BUCKETS

TOP = Path(__file__).parents[2]


def test_the_definitions_load():
    dg.Definitions.validate_loadable(defs)


def test_the_asset_graph_is_the_documented_one():
    graph = defs.resolve_asset_graph()
    parents = {
        key.to_user_string(): {parent.to_user_string() for parent in graph.get(key).parent_keys}
        for key in graph.get_all_asset_keys()
    }
    facts = {"source_blobs", "census"}
    assert parents == {
        "source_blobs": set(),
        "census": set(),
        "chunks": facts,
        "symbols": facts,
        "references": facts,
        "skeletons": facts,
        "embeddings": {"chunks", "skeletons"},
        "edges": {"census", "symbols", "references"},
        "graph": {"census", "edges", "symbols", "skeletons", "embeddings"},
        "flow_warmup": {"snapshot"},
        "snapshot": {
            *("census", "chunks", "symbols", "skeletons"),
            *("embeddings", "edges", "graph"),
        },
    }


def test_facts_and_vectors_have_sixteen_buckets_in_one_run():
    graph = defs.resolve_asset_graph()
    for name in ("chunks", "symbols", "references", "skeletons", "embeddings"):
        node = graph.get(dg.AssetKey(name))
        assert node.partitions_def == dg.StaticPartitionsDefinition(list(BUCKETS))
        assert node.backfill_policy == dg.BackfillPolicy.single_run()
    for name in ("census", "edges", "snapshot"):
        assert graph.get(dg.AssetKey(name)).partitions_def is None


def test_checks_block_where_they_guard_the_generation():
    graph = defs.resolve_asset_graph()
    checks = {
        f"{key.asset_key.to_user_string()}:{key.name}": graph.get(key).blocking
        for key in graph.asset_check_keys
    }
    assert checks == {
        "chunks:line_partition": True,
        "edges:ends_exist": False,
        "graph:files_and_ends": False,
        "embeddings:unit_vectors": True,
        "snapshot:counts_equal_census": False,
    }


def test_every_asset_says_what_it_is():
    graph = defs.resolve_asset_graph()
    for key in graph.get_all_asset_keys():
        assert graph.get(key).description, key
        assert graph.get(key).group_name == "repository"


def test_one_job_one_schedule_one_sensor():
    repository = defs.get_repository_def()
    assert "reindex" in repository.job_names
    assert [schedule.name for schedule in repository.schedule_defs] == ["nightly_reindex"]
    assert [sensor.name for sensor in repository.sensor_defs] == ["git_head_moved"]


def test_the_workspace_loads_the_definitions():
    workspace = yaml.safe_load((TOP / "workspace.yaml").read_text())
    modules = [entry["python_module"] for entry in workspace["load_from"]]
    assert modules == [definitions.__name__, eval_definitions.__name__]


def test_the_shipped_dagster_settings_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    shipped = files("codequarry.pipelines") / "dagster.yaml"
    (tmp_path / "dagster.yaml").write_bytes(shipped.read_bytes())
    with dg.DagsterInstance.get() as instance:  # a warning is an error here
        assert type(instance.event_log_storage).__name__ == "ConsolidatedSqliteEventLogStorage"
        assert type(instance.compute_log_manager).__name__ == "NoOpComputeLogManager"
        assert not instance.telemetry_enabled
        assert not instance.nux_enabled
        queue = instance.get_concurrency_config().run_queue_config
        assert queue is not None
        assert queue.max_concurrent_runs == 1


# ------------------------------------------------------------ schedule and sensor


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = write_tree(tmp_path / "repo", modules(6))
    commit_all(root)
    monkeypatch.setenv("QUARRY_REPOSITORY", str(root))
    monkeypatch.setenv("QUARRY_MODEL", "none")
    return root


def results(definition: Any, context: Any) -> list[Any]:
    found = definition(context)
    return list(found) if hasattr(found, "__iter__") else [found]


def sensed(cursor: str | None = None) -> tuple[list[Any], str | None]:
    with dg.build_sensor_context(cursor=cursor) as context:
        return results(git_head_moved, context), context.cursor


def test_the_sensor_asks_once_a_commit(repository: Path):
    commit = head_commit(repository)
    (request,), cursor = sensed()
    assert (request.run_key, cursor) == (None, commit)
    (skip,), cursor = sensed(cursor)
    assert isinstance(skip, dg.SkipReason)
    write_tree(repository, {"new.py": "x = 1\n"})
    second = commit_all(repository)
    (request,), cursor = sensed(cursor)
    assert (request.run_key, cursor) == (None, second)


def test_the_sensor_skips_a_commit_that_is_indexed(repository: Path):
    index(repository, LEXICAL)
    (skip,), cursor = sensed()
    assert isinstance(skip, dg.SkipReason)
    assert cursor == head_commit(repository)


def test_the_sensor_outside_git_only_skips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("QUARRY_REPOSITORY", str(tmp_path))
    (skip,), cursor = sensed()
    assert isinstance(skip, dg.SkipReason)
    assert not cursor


def test_the_schedule_asks_when_anything_changed(repository: Path):
    with dg.build_schedule_context() as context:
        (request,) = results(nightly_reindex, context)
        assert {RANGE_START, RANGE_END} <= set(request.tags)
        index(repository, LEXICAL)
        (skip,) = results(nightly_reindex, context)
        assert isinstance(skip, dg.SkipReason)
        (repository / "mod_00.py").unlink()
        (request,) = results(nightly_reindex, context)
        assert request.tags[RANGE_START] == request.tags[RANGE_END] == BUCKETS[0]


def test_looking_for_changes_writes_nothing_into_the_repository(repository: Path):
    sensed()
    with dg.build_schedule_context() as context:
        results(nightly_reindex, context)
    assert not (repository / ".quarry").exists()


def test_a_requested_run_brings_the_index_up_to_date(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (request,), _ = sensed()
    with dg.DagsterInstance.ephemeral() as instance:
        job = defs.resolve_job_def("reindex")
        assert job.execute_in_process(instance=instance, tags=request.tags).success
    assert index(repository, LEXICAL).up_to_date


def test_observing_the_sources_gives_a_version_a_bucket(repository: Path):
    def versions() -> dict[str, str]:
        with dg.DagsterInstance.ephemeral() as instance:
            (source,) = [a for a in definitions.assets if not isinstance(a, dg.AssetsDefinition)]
            done = observe([source], instance=instance, resources=defs.resources)
            assert done.success
            return {
                event.asset_observation_data.asset_observation.partition: (
                    event.asset_observation_data.asset_observation.tags["dagster/data_version"]
                )
                for event in done.get_asset_observation_events()
            }

    first = versions()
    assert set(first) == set(BUCKETS)
    (repository / "mod_00.py").write_text("def edited(): pass\n")
    second = versions()
    assert 1 <= sum(first[bucket] != second[bucket] for bucket in BUCKETS) <= 2


# ----------------------------------------------------------------------- ranges


@given(st.lists(st.sampled_from(BUCKETS), min_size=1))
def test_a_range_holds_all_its_buckets(buckets: list[str]):
    tags = range_tags(buckets)
    start, end = (BUCKETS.index(tags[name]) for name in (RANGE_START, RANGE_END))
    assert set(buckets) <= set(BUCKETS[start : end + 1])
    assert {BUCKETS[start], BUCKETS[end]} <= set(buckets)


# ------------------------------------------------------------------------- HEAD


def head_by_git(root: Path) -> str:
    return git(root, "rev-parse", "HEAD").strip()


def test_head_is_what_git_says_in_every_kind_of_checkout(tmp_path: Path):
    root = write_tree(tmp_path / "repo", {"a.py": "x\n"})
    commit_all(root)
    assert head_commit(root) == head_by_git(root)
    git(root, "pack-refs", "--all")
    assert head_commit(root) == head_by_git(root)
    git(root, "checkout", "-qb", "feature/deep/name")
    git(root, "commit", "-q", "--allow-empty", "-m", "y")
    assert head_commit(root) == head_by_git(root)
    git(root, "checkout", "-q", "--detach", "main")
    assert head_commit(root) == head_by_git(root)
    git(root, "worktree", "add", "-q", "../tree", "feature/deep/name")
    assert head_commit(tmp_path / "tree") == head_by_git(tmp_path / "tree")
    commit_all(write_tree(tmp_path / "sub", {"b.py": "x\n"}))
    git(root, "submodule", "add", "-q", "../sub", "lib")
    assert head_commit(root / "lib") == head_by_git(root / "lib")


def test_head_outside_git_or_before_a_commit_is_empty(tmp_path: Path):
    assert head_commit(tmp_path) == ""
    git(tmp_path, "init", "-q")
    assert head_commit(tmp_path) == ""
    shutil.rmtree(tmp_path / ".git")
    (tmp_path / ".git").write_text("gitdir: nowhere\n")
    assert head_commit(tmp_path) == ""
