"""Generations of any size for measuring, and what `quarry eval scale` tells of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support import index, modules, write_tree

from codequarry.eval import fleet, scale
from codequarry.eval.fleet import build_fleet
from codequarry.eval.scale import measure, to_text
from codequarry.retrieval import ranking
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.index import Index, Options, open_index
from codequarry.settings import Settings
from codequarry.shells.cli.main import run

LEXICONS = "body names stems light_stems parents symbol_names defines".split()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Index:
    caller = {"caller.py": "from mod_00 import ledger_ledger_00\nledger_ledger_00(1)\n"}
    root = write_tree(tmp_path_factory.mktemp("fleet") / "shop", modules(24) | caller)
    index(root, Settings(workers=1))
    return open_index(root)


def test_one_whole_repository_stays_what_it_is(shop: Index, tmp_path: Path):
    source = shop.generation
    made = build_fleet(tmp_path, [source], len(source.chunk_files))
    assert made.paths == [f"0-shop-0/{path}" for path in source.paths]
    assert np.array_equal(made.chunk_vectors, source.chunk_vectors)
    for name in LEXICONS:
        ours, theirs = getattr(made, name), getattr(source, name)
        assert np.array_equal(ours.hashes, theirs.hashes), name
        assert np.array_equal(ours.offsets, theirs.offsets), name
        assert np.array_equal(ours.docs, theirs.docs), name
    assert np.allclose(made.body.impacts, source.body.impacts, rtol=1e-5)
    near = [made.file_neighbours(file).tolist() for file in range(made.n_files)]
    assert near == [source.file_neighbours(file).tolist() for file in range(source.n_files)]
    assert any(near)


def test_copies_are_near_their_originals_and_no_twins(shop: Index, tmp_path: Path):
    source = shop.generation
    n = len(source.chunk_files)
    made = build_fleet(tmp_path, [source], 2 * n)
    assert len(made.chunk_files) == 2 * n and made.n_files == 2 * source.n_files
    cosines = (made.chunk_vectors[:n] * made.chunk_vectors[n:]).sum(axis=1)
    assert cosines.min() > 0.8 and cosines.max() < 0.97
    assert len(made.body.docs) < 2 * len(source.body.docs)
    assert made.start_lines[n:].tolist() == source.start_lines.tolist()


def test_a_fleet_is_searched_like_any_index(shop: Index, tmp_path: Path):
    made = build_fleet(tmp_path, [shop.generation], 60)
    answer = Index(made, shop.model).search("unit07", Options(check_files=False))
    assert answer.paths[0].endswith("mod_07.py")


def test_a_large_fleet_tells_how_two_stages_agree_with_one(
    shop: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(fleet, "CODED_FROM", 50)
    monkeypatch.setattr(scale, "NARROWED_FROM", 50)
    monkeypatch.setattr(ranking, "NARROWED_FROM", 50)
    build_fleet(tmp_path, [shop.generation], 80)
    found = measure(tmp_path, ["unit07", "ledger of the basket"])
    assert found.agreement is not None
    assert (found.agreement.recall, found.agreement.first, found.agreement.bundle) == (1, 1, 1)
    assert all(found.stages[name] >= 0 for name in ("query", "lexical", "dense", "bundle"))
    assert "recall@50 1.0000" in to_text([found])


def test_the_command_prints_a_row_for_each_size(shop: Index, capsys: pytest.CaptureFixture[str]):
    root = shop.generation.layout.root
    assert run(["eval", "scale", str(root), "--chunks", "20", "--chunks", "40"]) == 0
    out = capsys.readouterr().out
    assert [line.split("|")[1].strip() for line in out.split("\n")[2:4]] == ["20", "40"]


def test_an_index_without_vectors_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    root = write_tree(tmp_path / "shop", modules(3))
    index(root)
    assert run(["eval", "scale", str(root), "--chunks", "20"]) == 2
    assert "no vectors" in capsys.readouterr().err


def test_a_fleet_is_the_same_twice(shop: Index, tmp_path: Path):
    made = [build_fleet(tmp_path / name, [shop.generation], 70) for name in "ab"]
    first, second = (sorted(Generation.open(g.layout).folder.iterdir()) for g in made)
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name


def test_two_repositories_of_one_name_keep_their_files_apart(shop: Index, tmp_path: Path):
    """And all of it lies where it was asked for, nothing under the user-level folder."""
    source = shop.generation
    made = build_fleet(tmp_path / "work", [source, source], 2 * len(source.chunk_files))
    assert len(set(made.paths)) == len(made.paths) == 2 * source.n_files
    assert made.folder.is_relative_to(tmp_path / "work")
