"""Publishing, versions, damage and repair, over a real small index."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest
from support import found_paths, generation_bytes, index, modules, write_tree

from codequarry.errors import IndexDamaged, IndexNotFound, IndexVersionError, QuarryError
from codequarry.retrieval.index import open_index
from codequarry.store import generations as module
from codequarry.store.generations import (
    GENERATION_VERSION,
    KEEP,
    current_generation,
    damaged_files,
    is_whole,
    publish,
)
from codequarry.store.layout import STORE_VERSION, Layout

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path, tmp_path / ".quarry")


@pytest.fixture
def copied(thirty: Path, tmp_path: Path) -> Path:
    """A tree with an index of its own, to be spoiled."""
    return shutil.copytree(thirty, tmp_path / "thirty")


def put(layout: Layout, name: str, text: str = "x", *, replace: bool = False) -> bool:
    """Publish a toy generation; whether it was written."""
    with publish(layout, name, replace=replace) as folder:
        if folder is None:
            return False
        (folder / "data").write_text(text)
        (folder / "manifest.json").write_text("{}")
    return True


def test_a_generation_is_live_once_it_is_published(layout: Layout):
    with pytest.raises(IndexNotFound):
        current_generation(layout)
    assert put(layout, "one")
    assert current_generation(layout) == layout.generations / "one"
    assert layout.current.read_text() == "one\n"


def test_publishing_the_same_generation_again_writes_nothing(layout: Layout):
    put(layout, "one", "x")
    assert not put(layout, "one", "y")
    assert (current_generation(layout) / "data").read_text() == "x"


def test_going_back_to_an_older_generation_only_moves_the_name(layout: Layout):
    put(layout, "one")
    put(layout, "two")
    assert not put(layout, "one")
    assert current_generation(layout).name == "one"


def test_a_damaged_generation_is_written_anew(layout: Layout):
    put(layout, "one", "long text")
    (layout.generations / "one/data").write_text("long")
    with pytest.raises(IndexDamaged):
        current_generation(layout)
    assert put(layout, "one", "long text")
    assert (current_generation(layout) / "data").read_text() == "long text"


def test_asked_to_replace_a_whole_generation_is_written_anew(layout: Layout):
    put(layout, "one", "x")
    assert put(layout, "one", "y", replace=True)
    assert (current_generation(layout) / "data").read_text() == "y"


def test_a_failed_publication_leaves_the_generation_before(layout: Layout):
    put(layout, "one")
    with pytest.raises(RuntimeError), publish(layout, "two") as folder:
        assert folder is not None
        (folder / "data").write_text("half")
        raise RuntimeError
    assert current_generation(layout).name == "one"
    assert [path.name for path in layout.generations.iterdir()] == ["one"]


def test_old_generations_are_removed_but_for_the_last(layout: Layout):
    for i, name in enumerate(["one", "two", "three", "four"]):
        put(layout, name)
        os.utime(layout.generations / name, (i, i))
    assert {path.name for path in layout.generations.iterdir()} == {"three", "four"}
    assert len(list(layout.generations.iterdir())) == KEEP


def test_a_reader_that_reads_the_name_just_before_it_is_cleaned_up_tries_again(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
):
    put(layout, "one")
    real, calls = module.is_whole, []

    def while_writing(folder: Path) -> bool:
        if not calls:
            calls.append(folder)
            for name in ("two", "three"):
                put(layout, name)
            shutil.rmtree(layout.generations / "one", ignore_errors=True)
        return real(folder)

    monkeypatch.setattr(module, "is_whole", while_writing)
    assert current_generation(layout).name == "three"


@pytest.mark.parametrize("text", ["", "\n", "../generations/one\n", "gone\n", "\udcff"])
def test_a_strange_current_is_damage(layout: Layout, text: str):
    put(layout, "one")
    layout.current.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(IndexDamaged):
        current_generation(layout)


@pytest.mark.parametrize("manifest", ["", "{", "[]", "3", "{}", '{"sizes": {}}', '{"sizes": 3}'])
def test_a_strange_manifest_is_not_whole(layout: Layout, manifest: str):
    put(layout, "one")
    (layout.generations / "one/manifest.json").write_text(manifest)
    assert not is_whole(layout.generations / "one")


# ------------------------------------------------------------- a real index


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize("harm", [cut, lambda path: path.unlink()], ids=["cut", "deleted"])
def test_any_cut_or_missing_file_of_a_generation_is_told(
    copied: Path, harm: Callable[[Path], None]
):
    for path in current_generation(Layout.of(copied)).iterdir():
        whole = path.read_bytes()
        harm(path)
        with pytest.raises(IndexDamaged) as caught:
            open_index(copied, model="none").search("unit07")
        assert "quarry index" in caught.value.hint
        path.write_bytes(whole)
    assert found_paths(copied, "unit07")[0] == "mod_07.py"


def test_a_damaged_generation_heals_at_the_next_run(copied: Path):
    before = generation_bytes(copied)
    cut(current_generation(Layout.of(copied)) / "chunks.arrow")
    assert not index(copied).up_to_date
    assert generation_bytes(copied) == before


def test_every_file_of_the_store_can_be_cut_and_rebuild_heals_it(copied: Path):
    before = generation_bytes(copied)
    state = Layout.of(copied).state
    for path in sorted(state.rglob("*")):
        if path.is_file() and path.name != ".gitignore":
            cut(path)
    with pytest.raises(QuarryError):
        open_index(copied, model="none").search("unit07")
    assert index(copied, rebuild=True).files == 30
    assert generation_bytes(copied) == before
    assert found_paths(copied, "unit07")[0] == "mod_07.py"


@pytest.mark.parametrize("table", ["chunks", "references", "parses"])
def test_damaged_facts_are_derived_anew_and_told_once(copied: Path, table: str):
    layout = Layout.of(copied)
    for path in (layout.state / "blobs" / table).rglob("*.parquet"):
        cut(path)
    assert found_paths(copied, "unit07")[0] == "mod_07.py"  # the generation does not need them
    write_tree(copied, {"new.py": "x = 1\n"})
    report = index(copied)
    assert report.files == 31
    assert report.blobs_parsed >= 30
    assert report.repaired > 0
    assert index(copied, rebuild=True).repaired == 0


def test_damaged_vectors_are_derived_anew_and_give_the_same_index(tmp_path: Path):
    from codequarry.settings import Settings

    static = Settings(workers=1, name="repo")
    root = write_tree(tmp_path / "repo", modules(5))
    index(root, static)
    for path in (Layout.of(root).state / "vectors").rglob("*.parquet"):
        cut(path)
    write_tree(root, {"new.py": "def new(): pass\n"})
    report = index(root, static)
    assert report.repaired > 0
    assert (report.missing_vectors, report.state) == (0, "complete")
    fresh = write_tree(tmp_path / "fresh", modules(5) | {"new.py": "def new(): pass\n"})
    index(fresh, static)
    assert generation_bytes(root) == generation_bytes(fresh)


def tree_bytes(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_newer_store_is_refused_and_not_touched(copied: Path):
    state = Layout.of(copied).state
    (state / "store.json").write_text(json.dumps({"store_version": STORE_VERSION + 1}))
    before = tree_bytes(state)
    write_tree(copied, {"new.py": "x = 1\n"})
    for rebuild in (False, True):
        with pytest.raises(IndexVersionError) as caught:
            index(copied, rebuild=rebuild)
        assert str(STORE_VERSION + 1) in caught.value.message
        assert str(STORE_VERSION) in caught.value.message
    assert tree_bytes(state) == before


@pytest.mark.parametrize("text", ['{"store_version": 0}', "", "{", "[]", None])
def test_an_older_or_unknown_store_is_rebuilt(copied: Path, text: str | None):
    state = Layout.of(copied).state
    before = generation_bytes(copied)
    if text is None:
        (state / "store.json").unlink()
    else:
        (state / "store.json").write_text(text)
    for path in (state / "blobs").rglob("*.parquet"):
        path.write_bytes(b"of another time")
    assert index(copied).blobs_parsed == 30
    assert generation_bytes(copied) == before


def test_a_generation_of_another_version_is_named_with_both_versions(copied: Path):
    folder = current_generation(Layout.of(copied))
    manifest = json.loads((folder / "manifest.json").read_text())
    for version in (0, 99):
        (folder / "manifest.json").write_text(json.dumps(manifest | {"version": version}))
        with pytest.raises(IndexVersionError) as caught:
            open_index(copied, model="none")
        assert str(version) in caught.value.message
        assert str(manifest["version"]) in caught.value.message


def test_a_newer_generation_is_refused_whatever_the_store_says(copied: Path):
    layout = Layout.of(copied)
    path = current_generation(layout) / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": GENERATION_VERSION + 1}))
    before = tree_bytes(layout.state)
    write_tree(copied, {"new.py": "x = 1\n"})
    for rebuild in (False, True):
        with pytest.raises(IndexVersionError, match=str(GENERATION_VERSION + 1)):
            index(copied, rebuild=rebuild)
    assert tree_bytes(layout.state) == before


def test_an_older_generation_is_not_up_to_date(copied: Path):
    before = generation_bytes(copied)
    path = current_generation(Layout.of(copied)) / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": 0}))
    assert not index(copied).up_to_date
    assert generation_bytes(copied) == before


def test_a_file_of_the_right_size_and_another_kind_is_told(copied: Path):
    for path in current_generation(Layout.of(copied)).iterdir():
        if path.suffix in (".arrow", ".npy"):
            whole = path.read_bytes()
            path.write_bytes(bytes(len(whole)))
            with pytest.raises(IndexDamaged):
                open_index(copied, model="none")
            path.write_bytes(whole)


def test_one_changed_byte_is_found_when_asked_to_verify(copied: Path):
    folder = current_generation(Layout.of(copied))
    assert damaged_files(folder) == []
    data = bytearray((folder / "chunks.arrow").read_bytes())
    data[len(data) // 2] ^= 0xFF
    (folder / "chunks.arrow").write_bytes(data)
    assert damaged_files(folder) == ["chunks.arrow"]


def test_an_interrupted_rebuild_does_not_leave_vectors_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from codequarry.assets.checkout import Checkout
    from codequarry.settings import Settings

    static = Settings(workers=1)
    root = write_tree(tmp_path / "repo", modules(4))
    index(root, static)

    def dying(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Checkout, "embed", dying)
    with pytest.raises(KeyboardInterrupt):
        index(root, static, rebuild=True)
    monkeypatch.undo()
    index(root, static)
    write_tree(root, {"new.py": "def new(): pass\n"})
    report = index(root, static)
    assert (report.missing_vectors, report.state) == (0, "complete")
