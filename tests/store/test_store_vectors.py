from __future__ import annotations

import hashlib
import sqlite3
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codequarry.assets.embeddings.check import unit_problems
from codequarry.errors import IndexDamaged
from codequarry.store.layout import Layout
from codequarry.store.vectors import (
    VectorCache,
    read_vectors,
    stored_vector_keys,
    vector_key,
    write_vectors,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path, tmp_path / ".quarry")


def keys(*names: str) -> list[bytes]:
    return [hashlib.sha256(name.encode()).digest() for name in names]


def test_vectors_are_read_back_by_key(layout: Layout):
    vectors = np.arange(12, dtype=np.float16).reshape(3, 4)
    write_vectors(layout, "m", "0", keys("a", "b"), vectors[:2])
    write_vectors(layout, "m", "f", keys("c"), vectors[2:])
    write_vectors(layout, "other", "0", keys("d"), vectors[:1])
    stored, rows = read_vectors(layout, "m", 4)
    assert dict(zip(stored.to_pylist(), rows.tolist(), strict=True)) == dict(
        zip(keys("a", "b", "c"), vectors.tolist(), strict=True)
    )
    assert stored_vector_keys(layout, "m", "0") == set(keys("a", "b"))
    assert read_vectors(layout, "m", 4, ["f"])[1].tolist() == vectors[2:].tolist()


def test_a_store_without_vectors_is_empty_and_keeps_the_width(layout: Layout):
    stored, rows = read_vectors(layout, "m", 7)
    assert (len(stored), rows.shape) == (0, (0, 7))
    write_vectors(layout, "m", "0", [], np.zeros((0, 7), np.float16))
    assert not layout.state.exists()


def test_vectors_of_another_width_are_damage(layout: Layout):
    write_vectors(layout, "m", "0", keys("a"), np.ones((1, 4), np.float16))
    with pytest.raises(IndexDamaged):
        read_vectors(layout, "m", 8)


def test_a_cut_file_of_vectors_is_damage(layout: Layout):
    write_vectors(layout, "m", "0", keys("a"), np.ones((1, 4), np.float16))
    (path,) = layout.vectors("m", "0").iterdir()
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(IndexDamaged):
        read_vectors(layout, "m", 4)


@given(st.text(), st.text(), st.text(), st.text())
def test_a_key_tells_model_and_text_apart(a: str, b: str, c: str, d: str):
    one = vector_key(a.replace("\0", ""), hashlib.sha256(b.encode()).hexdigest())
    two = vector_key(c.replace("\0", ""), hashlib.sha256(d.encode()).hexdigest())
    assert (one == two) == ((a.replace("\0", ""), b) == (c.replace("\0", ""), d))


def test_the_cache_gives_what_was_put_and_nothing_else(quarry_home: Path):
    names = [f"k{i}" for i in range(1200)]  # more than one question to the database
    VectorCache("m").put(zip(keys(*names), (name.encode() for name in names), strict=True))
    found = VectorCache("m").get(keys(*names, "unknown"))
    assert found == dict(zip(keys(*names), (name.encode() for name in names), strict=True))
    assert VectorCache("other").get(keys("k1")) == {}
    files = {path.name for path in (quarry_home / "vectors").iterdir()}
    assert files <= {"m.sqlite", "m.sqlite-wal", "m.sqlite-shm"}  # packed, not a file a vector


def test_a_broken_cache_costs_only_time(quarry_home: Path):
    folder = quarry_home / "vectors"
    folder.mkdir(parents=True)
    (folder / "m.sqlite").write_bytes(b"this is no database" * 100)
    cache = VectorCache("m")
    cache.put([(b"k" * 32, b"v")])
    assert cache.get([b"k" * 32]) == {}


def test_a_cache_that_cannot_be_written_is_left_alone(quarry_home: Path):
    quarry_home.mkdir()
    (quarry_home / "vectors").write_text("a file, not a folder")
    VectorCache("m").put([(b"k" * 32, b"v")])
    assert VectorCache("m").get([b"k" * 32]) == {}


def test_a_locked_cache_is_waited_for(quarry_home: Path):
    cache = VectorCache("m")
    cache.put([(b"a" * 32, b"1")])
    reader = sqlite3.connect(quarry_home / "vectors/m.sqlite")
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM v").fetchall()
    cache.put([(b"b" * 32, b"2")])
    reader.close()
    assert cache.get([b"b" * 32]) == {b"b" * 32: b"2"}


UNIT = np.eye(3, 8, dtype=np.float16)


def test_only_finite_vectors_of_length_one_or_zero_pass():
    assert unit_problems(UNIT) == []
    assert unit_problems(np.zeros((2, 8), np.float16)) == []
    assert unit_problems(UNIT * np.float16(2)) == ["3 vectors are not of length 1"]
    spoiled = UNIT.copy()
    spoiled[0, 0], spoiled[1, 1] = np.nan, np.inf
    assert unit_problems(spoiled) == ["2 vectors are not finite"]
