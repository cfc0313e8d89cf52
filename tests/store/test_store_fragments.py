from __future__ import annotations

import hashlib
from pathlib import Path

import pyarrow as pa
import pytest

from codequarry.errors import IndexDamaged
from codequarry.schemas import FACTS, FACTS_VERSION
from codequarry.store import fragments
from codequarry.store.fragments import (
    MAX_FRAGMENTS,
    merge_fragments,
    read_facts,
    stored_keys,
    write_facts,
)
from codequarry.store.layout import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path, tmp_path / ".quarry")


def blob(text: str) -> str:
    return "a" + hashlib.sha256(text.encode()).hexdigest()[1:]


def tables(*blobs: str, version: str = "v") -> dict[str, pa.Table]:
    """Facts of some blobs: two chunks each."""
    made = {}
    for name, schema in FACTS.items():
        per_blob = 2 if name == "chunks" else 1
        rows = [
            {field.name: _value(field.type) for field in schema}
            | {"blob": b, "language": "python", "version": version}
            for b in blobs
            for _ in range(per_blob)
        ]
        made[name] = pa.Table.from_pylist(rows, schema=schema)
    return made


def _value(kind: pa.DataType) -> object:
    if pa.types.is_list(kind):
        return []
    if pa.types.is_boolean(kind):
        return False
    return "" if pa.types.is_string(kind) else 1


def test_facts_are_read_back(layout: Layout):
    one, two = blob("1"), blob("2")
    write_facts(layout, "a", tables(one))
    write_facts(layout, "a", tables(two))
    assert stored_keys(layout, "a") == {(b, "python", "v") for b in (one, two)}
    assert sorted(read_facts(layout, "chunks", ["a"])["blob"].to_pylist()) == sorted([one, two] * 2)
    assert read_facts(layout, "chunks", ["b"]).num_rows == 0


def test_the_same_blobs_are_the_same_fragment(layout: Layout):
    one, two = blob("1"), blob("2")
    assert write_facts(layout, "a", tables(one, two)) == write_facts(layout, "a", tables(two, one))
    assert read_facts(layout, "parses", ["a"]).num_rows == 2


def test_a_blob_in_two_fragments_is_read_once(layout: Layout):
    one, two, three = blob("1"), blob("2"), blob("3")
    write_facts(layout, "a", tables(one, two))
    write_facts(layout, "a", tables(two, three))
    for name in FACTS:
        rows = read_facts(layout, name, ["a"])["blob"].to_pylist()
        assert sorted(set(rows)) == sorted([one, two, three])
        assert len(rows) == (6 if name == "chunks" else 3)


@pytest.mark.parametrize("before", range(len(FACTS)))
def test_a_crash_between_two_tables_leaves_nothing_visible(
    layout: Layout, monkeypatch: pytest.MonkeyPatch, before: int
):
    real, written = fragments.pq.write_table, []

    def dying(*arguments: object, **options: object) -> None:
        if len(written) == before:
            raise KeyboardInterrupt
        written.append(arguments)
        real(*arguments, **options)

    monkeypatch.setattr(fragments.pq, "write_table", dying)
    with pytest.raises(KeyboardInterrupt):
        write_facts(layout, "a", tables(blob("1")))
    monkeypatch.undo()
    assert stored_keys(layout, "a") == set()
    assert all(read_facts(layout, name, ["a"]).num_rows == 0 for name in FACTS)
    write_facts(layout, "a", tables(blob("1")))
    assert read_facts(layout, "chunks", ["a"]).num_rows == 2


def test_many_fragments_are_merged_into_one(layout: Layout):
    blobs = [blob(str(i)) for i in range(MAX_FRAGMENTS + 1)]
    for i, b in enumerate(blobs):
        assert not merge_fragments(layout, "a")
        write_facts(layout, "a", tables(b, blobs[max(0, i - 1)]))
    before = {name: _sorted(read_facts(layout, name, ["a"])) for name in FACTS}
    assert merge_fragments(layout, "a")
    assert {name: _sorted(read_facts(layout, name, ["a"])) for name in FACTS} == before
    for name in FACTS:
        assert len(list(layout.fragments(name, FACTS_VERSION, "a").iterdir())) == 1


def test_a_crash_while_merging_loses_and_repeats_nothing(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
):
    for i in range(MAX_FRAGMENTS + 1):
        write_facts(layout, "a", tables(blob(str(i))))
    before = _sorted(read_facts(layout, "chunks", ["a"]))
    real = Path.unlink

    def dying(path: Path, **options: bool) -> None:
        if path.suffix == ".parquet":
            real(path)
            raise KeyboardInterrupt
        real(path, **options)

    monkeypatch.setattr(Path, "unlink", dying)
    with pytest.raises(KeyboardInterrupt):
        merge_fragments(layout, "a")
    monkeypatch.undo()
    assert _sorted(read_facts(layout, "chunks", ["a"])) == before


def _sorted(table: pa.Table) -> list[str]:
    return sorted(map(str, table.to_pylist()))


@pytest.mark.parametrize("keep", [0, 3, 100])
def test_a_cut_fragment_is_told_and_names_the_repair(layout: Layout, keep: int):
    write_facts(layout, "a", tables(blob("1")))
    (path,) = layout.fragments("chunks", FACTS_VERSION, "a").iterdir()
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(IndexDamaged) as caught:
        read_facts(layout, "chunks", ["a"])
    assert caught.value.hint == "run: quarry index"


def test_a_fragment_without_its_other_tables_is_damage_not_nothing(layout: Layout):
    write_facts(layout, "a", tables(blob("1")))
    (path,) = layout.fragments("symbols", FACTS_VERSION, "a").iterdir()
    path.unlink()
    with pytest.raises(IndexDamaged):
        read_facts(layout, "symbols", ["a"])
