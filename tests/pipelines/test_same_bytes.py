"""However an index is made, the published generation is the same, byte for byte."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.resources import files
from typing import TYPE_CHECKING

import dagster as dg
import pytest
from support import commit_all, generation_bytes, index, modules, quarry_process, write_tree

from codequarry.pipelines.definitions import defs
from codequarry.pipelines.ranges import range_tags
from codequarry.settings import Settings
from codequarry.store.layout import BUCKETS, Layout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STATIC = Settings(workers=2)
PARTITIONED = "chunks,symbols,references,skeletons,embeddings"
TREE = modules(24) | {
    "README.md": "# Shop\n\nHow to run it.\n\n## Tests\n\nNone.\n",
    "src/store.ts": "export class Store {\n  getById(id: number) { return id; }\n}\n",
    "src/store.go": "package store\n\n// Get gets.\nfunc Get(id int) int { return id }\n",
    "twin/mod_03.py": modules(4)["mod_03.py"],
    "odd.sql": "select 1;\n",
    "src/Store.py": "from src.store_py import keep\n\n\ndef Keep():\n    return keep()\n",
    "src/store_py.py": "def keep():\n    return 1\n",
    "Zoo/import_case.ts": 'import { Store } from "../src/Store";\nnew Store().getById(1);\n',
    "größe.rb": "class Größe\n  def messen\n  end\nend\n",
}


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The generation of `TREE` in a folder named ``shop``, made by the command line."""
    root = write_tree(tmp_path_factory.mktemp("cli") / "shop", TREE)
    done = quarry_process("-C", str(root), "index", "--json")
    assert done.status == 0, done.err
    return generation_bytes(root)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "shop", TREE)


@pytest.fixture
def instance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shop: Path
) -> Iterator[dg.DagsterInstance]:
    """A Dagster home with the settings we ship, over ``shop``."""
    home = tmp_path / "dagster-home"
    home.mkdir()
    shipped = files("codequarry.pipelines") / "dagster.yaml"
    (home / "dagster.yaml").write_bytes(shipped.read_bytes())
    monkeypatch.setenv("DAGSTER_HOME", str(home))
    monkeypatch.setenv("QUARRY_REPOSITORY", str(shop))
    with dg.DagsterInstance.get() as made:
        yield made


def test_a_job_over_all_buckets(instance: dg.DagsterInstance, shop: Path, wanted):
    job = defs.resolve_job_def("reindex")
    done = job.execute_in_process(instance=instance, tags=range_tags(BUCKETS))
    assert done.success
    assert all(check.passed for check in done.get_asset_check_evaluations())
    assert generation_bytes(shop) == wanted


def test_a_job_over_one_bucket_still_publishes_everything(
    instance: dg.DagsterInstance, shop: Path, wanted
):
    job = defs.resolve_job_def("reindex")
    assert job.execute_in_process(instance=instance, partition_key="7").success
    assert generation_bytes(shop) == wanted
    assert index(shop, STATIC).up_to_date


@pytest.mark.slow
def test_dagster_asset_materialize_in_processes_of_their_own(
    instance: dg.DagsterInstance, shop: Path, wanted
):
    for select, *more in (
        ["census"],
        [PARTITIONED, "--partition-range", f"{BUCKETS[0]}...{BUCKETS[-1]}"],
        ["edges"],
        ["graph"],
        ["snapshot"],
    ):
        command = ["-m", "dagster", "asset", "materialize", "--select", select, *more]
        done = subprocess.run(
            [sys.executable, *command, "-m", "codequarry.pipelines.definitions"],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-2000:]
    assert generation_bytes(shop) == wanted
    assert index(shop, STATIC).up_to_date


@pytest.mark.slow
def test_the_command_line_with_a_dagster_home_records_its_run(
    instance: dg.DagsterInstance, shop: Path, wanted
):
    assert quarry_process("-C", str(shop), "index").status == 0
    assert generation_bytes(shop) == wanted
    runs = instance.get_runs()
    assert [run.status for run in runs] == [dg.DagsterRunStatus.SUCCESS]


@pytest.mark.parametrize("workers", [1, 3])
def test_the_number_of_workers_does_not_matter(shop: Path, wanted, workers: int):
    index(shop, Settings(workers=workers))
    assert generation_bytes(shop) == wanted


def test_the_order_files_were_made_in_does_not_matter(tmp_path: Path, wanted):
    root = write_tree(tmp_path / "shop", dict(reversed(TREE.items())))
    index(root, STATIC)
    assert generation_bytes(root) == wanted


@pytest.mark.parametrize("order", [str.casefold, lambda name: [-ord(char) for char in name]])
def test_the_order_a_file_system_lists_names_in_does_not_matter(
    shop: Path, wanted, monkeypatch: pytest.MonkeyPatch, order
):
    """Some list without regard to case, some in the order of hashes."""
    scan = os.scandir

    class Ordered:
        """What `os.scandir` gives, in another order."""

        def __init__(self, path: str = ".") -> None:
            with scan(path) as entries:
                listed = sorted(entries, key=lambda entry: order(os.fsdecode(entry.name)))
            self._entries = iter(listed)

        def __iter__(self) -> Iterator[os.DirEntry[str]]:
            return self._entries

        def __next__(self) -> os.DirEntry[str]:
            return next(self._entries)

        def __enter__(self) -> Ordered:
            return self

        def __exit__(self, *_: object) -> None: ...

        def close(self) -> None: ...

    monkeypatch.setattr(os, "scandir", Ordered)
    index(shop, STATIC)
    monkeypatch.undo()
    assert generation_bytes(shop) == wanted


def test_git_or_no_git_does_not_matter(shop: Path, wanted):
    commit_all(shop)
    index(shop, STATIC)
    assert generation_bytes(shop) == wanted


def test_a_history_of_edits_ends_where_a_fresh_index_ends(tmp_path: Path, wanted):
    root = tmp_path / "shop"
    write_tree(root, {"mod_03.py": "def old(): pass\n", "gone.py": "x = 1\n", "was/here.py": "y\n"})
    index(root, STATIC)
    write_tree(root, dict(list(TREE.items())[:20]))  # edits and additions
    index(root, STATIC)
    (root / "gone.py").unlink()
    (root / "was").rename(root / "moved")
    index(root, STATIC)
    shutil.rmtree(root / "moved")
    write_tree(root, TREE)
    (root / "mod_05.py").write_text("broken (\n")
    index(root, STATIC)
    write_tree(root, TREE)
    index(root, STATIC)
    assert generation_bytes(root) == wanted


def test_moving_and_deleting_parses_and_embeds_nothing(shop: Path):
    index(shop, STATIC)
    (shop / "src").rename(shop / "lib")
    (shop / "odd.sql").unlink()
    report = index(shop, STATIC)
    assert (report.blobs_parsed, report.vectors_computed, report.up_to_date) == (0, 0, False)
    assert report.files == len(TREE) - 1


def test_one_edited_file_parses_one_blob(shop: Path):
    index(shop, STATIC)
    (shop / "mod_00.py").write_text("def edited(): pass\n")
    report = index(shop, STATIC)
    assert report.blobs_parsed == 1
    assert 1 <= report.vectors_computed <= 2


def test_stored_facts_survive_a_switch_of_branches(shop: Path):
    commit_all(shop)
    index(shop, STATIC)
    before = generation_bytes(shop)
    (shop / "mod_00.py").write_text("def edited(): pass\n")
    index(shop, STATIC)
    write_tree(shop, TREE)
    report = index(shop, STATIC)
    assert (report.blobs_parsed, report.vectors_computed) == (0, 0)
    assert generation_bytes(shop) == before


def test_a_run_leaves_no_pending_census_and_no_half_files(shop: Path):
    index(shop, STATIC)
    names = {path.name for path in Layout.of(shop).state.rglob("*")}
    assert not {name for name in names if ".part-" in name or "next" in name}
    assert os.listdir(Layout.of(shop).state / "generations") == [
        Layout.of(shop).current.read_text().strip()
    ]
