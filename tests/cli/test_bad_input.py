"""What must never stop a run or end in a traceback; a full disk; two writers; the wrong model."""

from __future__ import annotations

import errno
import json
import shutil
import subprocess
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from support import (
    CASES,
    LEXICAL,
    QUARRY,
    found_paths,
    generation_bytes,
    index,
    modules,
    quarry_process,
    write_tree,
)

from codequarry.models.provider import ModelIdentity
from codequarry.retrieval.index import open_index
from codequarry.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from support import Ran

    Quarry = Callable[..., Ran]


def test_hard_files_are_indexed_and_named(tmp_path: Path, quarry: Quarry):
    root = write_tree(
        tmp_path / "repo",
        {
            "one_line.js": "var a = [" + ",".join(str(i) for i in range(75_000)) + "];\n",
            "deep.py": "x = " + "(" * 10_000 + "1" + ")" * 10_000 + "\n",
            "deep.js": "x = " + "[" * 10_000 + "]" * 10_000 + ";\n",
            "invalid.py": b"def bad():\n    return '\xff\xfe\xfd'\n",
            "carriage.py": b"def mac():\r    return 1\r",
            "cookie.py": b"# coding: undefined\ndef cookie(): pass\n",
            "escape.py": b"# coding: unicode_escape\nx = '\\ud800'\ndef escaped(): pass\n",
            "ok.py": "def neighbour(): pass\n",
        },
    )
    assert (root / "one_line.js").stat().st_size > 400_000
    ran = quarry("-C", root, "index", "--json")
    assert ran.status == 0
    assert ran.json["files"] == 8
    assert found_paths(root, "neighbour")[0] == "ok.py"
    for name in ("one_line.js", "deep.py", "deep.js"):
        document = quarry("-C", root, "chunks", name, "--json").json
        assert document["chunks"][-1]["end_line"] == document["line_count"] == 1
        assert quarry("-C", root, "search", name.partition(".")[0], "--full").status == 0


@pytest.mark.parametrize("case", ["C004", "C005"])
def test_deep_and_giant_files_harm_no_other(tmp_path: Path, case: str):
    root = tmp_path / "repo"
    shutil.copytree(CASES / case / "repo", root)
    started = time.monotonic()
    report = index(root)
    assert time.monotonic() - started < 60
    assert report.files == sum(1 for path in root.rglob("*.*") if ".quarry" not in path.parts)
    assert not report.trouble


# ------------------------------------------------------------------ incremental


def replaced(root: Path, tree: Path) -> None:
    """Make ``root`` hold what ``tree`` holds, keeping its index."""
    for path in root.iterdir():
        if path.name != ".quarry":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(tree, root, dirs_exist_ok=True)


def test_deleted_renamed_and_moved_files_leave_no_ghost(tmp_path: Path):
    root = tmp_path / "shop"
    static = Settings(workers=1)
    shutil.copytree(CASES / "C019/before", root)
    index(root, static)
    replaced(root, CASES / "C019/after")
    report = index(root, static)
    fresh = tmp_path / "fresh/shop"
    shutil.copytree(CASES / "C019/after", fresh)
    whole = index(fresh, static)
    assert generation_bytes(root) == generation_bytes(fresh)
    assert report.vectors_computed < whole.vectors_computed
    expected = json.loads((CASES / "C019/expect.json").read_text())
    opened = open_index(root)
    for item in expected["must_find"]:
        assert opened.search(item["query"]).paths[0] == item["path"]
    known = set(opened.generation.paths)
    assert known.isdisjoint(expected["must_not_find_path"])
    names = set(opened.generation.symbols["name"].to_pylist())
    assert names.isdisjoint(expected["must_not_find"])
    assert {"moved_needle", "now_a_directory", "kept_half"} <= names


def test_a_moved_file_parses_and_embeds_nothing(tmp_path: Path):
    root = write_tree(tmp_path / "shop", {"old/a.py": "def moved(): pass\n"} | modules(3))
    index(root, Settings(workers=1))
    (root / "old").rename(root / "new")
    report = index(root, Settings(workers=1))
    assert (report.blobs_parsed, report.vectors_computed) == (0, 0)


# ---------------------------------------------------------------- other models


class Words:
    """A model of 8 numbers: hashed words, turned round by ``turn``."""

    def __init__(self, name: str, dimension: int = 8, turn: int = 1, fail_after: int = 10**9):
        self._identity = ModelIdentity("test", name, dimension)
        self._turn = turn
        self.texts: list[str] = []
        self.fail_after = fail_after

    @property
    def identity(self) -> ModelIdentity:
        return self._identity

    @property
    def dimension(self) -> int:
        return self._identity.dimension

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        if len(self.texts) >= self.fail_after:
            raise KeyboardInterrupt
        self.texts += texts
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        vector = np.ones(self.dimension, np.float32)
        for word in text.split():
            vector[sum(word.encode()) * self._turn % self.dimension] += 1
        return vector / np.linalg.norm(vector)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Words], None]]:
    """Make every part use a model of the test's."""
    from codequarry.assets import checkout
    from codequarry.retrieval import index as retrieval

    def use(embedder: Words) -> None:
        for module in (checkout, retrieval):
            monkeypatch.setattr(module, "open_embedder", lambda *_, **__: embedder)

    return use


@pytest.mark.parametrize("other", [Words("b", turn=-1), Words("c", 12)], ids=["width", "other"])
def test_a_search_with_another_model_names_both_and_the_repair(
    tmp_path: Path, quarry: Quarry, model, other: Words
):
    root = shutil.copytree(CASES / "C022/repo", tmp_path / "repo")
    model(Words("a"))
    index(root, Settings(workers=1))
    before = generation_bytes(root)
    model(other)
    ran = quarry("-C", root, "search", "unit03", "--json")
    assert ran.status == 1
    error = ran.json["error"]
    assert error["code"] == "model_mismatch"
    assert "test:a" in error["message"]
    assert f"test:{other.identity.name}" in error["message"]
    assert "quarry index" in error["hint"]
    assert generation_bytes(root) == before
    index(root, Settings(workers=1))
    assert quarry("-C", root, "search", "unit03", "--json").status == 0
    fresh = shutil.copytree(CASES / "C022/repo", tmp_path / "fresh/repo")
    index(fresh, Settings(workers=1))
    assert generation_bytes(root) == generation_bytes(fresh)


def test_an_index_with_vectors_can_be_asked_without_a_model(tmp_path: Path, model):
    root = write_tree(tmp_path / "repo", modules(3))
    model(Words("a"))
    index(root, Settings(workers=1))
    model(None)  # type: ignore[arg-type]
    assert open_index(root).search("unit01").paths[0] == "mod_01.py"


def test_an_interrupted_embedding_is_not_done_and_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quarry: Quarry, model
):
    from codequarry.assets.embeddings import build

    monkeypatch.setattr(build, "_TEXTS_AT_ONCE", 4)
    root = shutil.copytree(CASES / "C020/repo", tmp_path / "repo")
    first = Words("a", fail_after=12)
    model(first)
    ran = quarry("-C", root, "index", "--json", "--workers", "1")
    assert ran.status == 130
    assert quarry("-C", root, "status").status == 1  # no index: certainly not "up to date"
    second = Words("a")
    model(second)
    report = index(root, Settings(workers=1))
    assert (report.up_to_date, report.missing_vectors, report.state) == (False, 0, "complete")
    assert not set(first.texts) & set(second.texts)
    assert len(first.texts) + len(second.texts) == report.chunks + report.files
    for word in ("unit00", "unit29"):
        assert f"mod_{word[-2:]}.py" in open_index(root).search(word).paths
    assert not (root / ".quarry/lock.owner").exists()


# -------------------------------------------------------------------- full disk


WRITES = {
    "facts": "codequarry.store.fragments.pq.write_table",
    "tables": "codequarry.assets.snapshot.build._write_ipc",
    "arrays": "numpy.save",
}


@pytest.mark.parametrize("where", WRITES)
def test_a_full_disk_is_one_line_and_the_old_index_serves(
    tmp_path: Path, quarry: Quarry, monkeypatch: pytest.MonkeyPatch, where: str
):
    root = write_tree(tmp_path / "repo", modules(4))
    index(root)
    before = generation_bytes(root)
    write_tree(root, {"new.py": "def new(): pass\n"})

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(WRITES[where], full)
    ran = quarry("-C", root, "index", "--model", "none")
    assert ran.status == 1
    assert ran.err.startswith(f"error: cannot write under {root}/.quarry: the disk is full\nhint:")
    assert len(ran.err.strip().split("\n")) == 2
    assert generation_bytes(root) == before
    assert open_index(root, model="none").search("unit01").paths[0] == "mod_01.py"
    monkeypatch.undo()
    assert index(root).files == 5


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 900 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=900k", "tmpfs", str(place)]
    try:
        done = subprocess.run(command, capture_output=True)
    except OSError:
        pytest.skip("no mount command")
    if done.returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_disk_that_really_is_full(small_disk: Path):
    root = write_tree(small_disk / "repo", modules(8))
    assert quarry_process("-C", str(root), "index", "--model", "none").status == 0
    before = generation_bytes(root)
    text = "".join(f"def function_{i}(): return {i}\n" for i in range(4000))
    write_tree(root, {f"more_{n}.py": text.replace("_", f"_{n}_") for n in range(3)})
    ran = quarry_process("-C", str(root), "index", "--model", "none")
    assert ran.status == 1
    assert "the disk is full" in ran.err
    assert "Traceback" not in ran.err
    assert generation_bytes(root) == before
    assert found_paths(root, "unit03")[0] == "mod_03.py"


# ------------------------------------------------------------------ two writers


def test_two_writers_at_once_take_turns_and_searches_go_on(tmp_path: Path):
    root = shutil.copytree(CASES / "C020/repo", tmp_path / "repo")
    index(root)
    write_tree(root, modules(40, first=40))
    command = [*QUARRY, "-C", str(root), "index", "--json", "--model", "none"]
    writers = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    while any(writer.poll() is None for writer in writers):
        assert open_index(root, model="none").search("unit07").paths[0] == "mod_07.py"
        time.sleep(0.02)
    reports = []
    for writer in writers:
        out, err = writer.communicate()
        assert (writer.returncode, err) == (0, "")
        reports.append(json.loads(out))
    assert sorted(report["blobs_parsed"] for report in reports) == [0, 40]
    assert {report["files"] for report in reports} == {70}


def test_a_writer_that_does_not_wait_says_who_is_at_work(tmp_path: Path, quarry: Quarry):
    from codequarry.store.layout import Layout
    from codequarry.store.lock import writer_lock

    root = write_tree(tmp_path / "repo", modules(2))
    index(root)
    write_tree(root, {"new.py": "x = 1\n"})
    with writer_lock(Layout.of(root)):
        ran = quarry_process("-C", str(root), "index", "--wait", "0.2", "--json")
        assert open_index(root, model="none").search("unit01").paths
    assert ran.status == 1
    assert ran.json["error"]["code"] == "index_busy"
    assert "another run is at work on this index (process " in ran.json["error"]["message"]
    assert index(root, LEXICAL).files == 3
