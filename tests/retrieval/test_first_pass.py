"""Large generations are searched in two stages: codes say what is looked at, never what ranks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import index, modules, write_tree

from codequarry.assets.snapshot import build
from codequarry.assets.snapshot.codes import moments, sign_codes
from codequarry.retrieval import first_pass as module
from codequarry.retrieval import ranking
from codequarry.retrieval.filters import Content, Filters
from codequarry.retrieval.first_pass import distances, spread_by_moments
from codequarry.retrieval.index import Index, Options, open_index
from codequarry.retrieval.products import products
from codequarry.retrieval.query import parse_query
from codequarry.retrieval.ranking import Profile
from codequarry.settings import Settings

QUESTIONS = ("ledger and basket", "where is the voucher window", "unit07", "refund tariff amount")


@pytest.fixture(scope="module")
def coded(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """An index whose generation holds codes, as a large one does."""
    root = write_tree(
        tmp_path_factory.mktemp("coded") / "shop",
        modules(60) | {"docs/ledger.md": "# Ledger\n\nHow the ledger is kept.\n", "empty.py": ""},
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "CODED_FROM", 0)
        index(root, Settings(workers=1))
    return open_index(root)


@pytest.fixture(autouse=True)
def every_size_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "NARROWED_FROM", 0)


@pytest.fixture(params=["by codes", "by products"])
def narrowed(request: pytest.FixtureRequest, coded: Index) -> Index:
    """The index searched in two stages, with and without codes."""
    if request.param == "by codes":
        assert coded.generation.chunk_codes is not None
        return coded
    manifest = coded.generation.manifest
    sizes = {name: n for name, n in manifest["sizes"].items() if name != "chunk_codes.npy"}
    return Index(replace(coded.generation, manifest={**manifest, "sizes": sizes}), coded.model)


@pytest.fixture
def whole(coded: Index) -> Index:
    """The same index with every file scored."""
    return Index(coded.generation, coded.model, whole=True)


@given(st.integers(1, 130), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_a_distance_is_the_weighted_count_of_differing_bits(d: int, n: int, seed: int):
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((n, d)).astype(np.float32)
    query = random.standard_normal(d).astype(np.float32)
    found = distances(sign_codes(vectors), query)
    scale = 2.0 * np.sqrt(np.mean(query.astype(np.float64) ** 2))
    levels = np.clip(np.floor((query / scale + 1) * 2), 0, 3).astype(int)
    signs = vectors > 0
    wanted = [
        sum(
            int((level >> bit & 1) != sign) << bit
            for level, sign in zip(levels, row, strict=True)
            for bit in range(2)
        )
        for row in signs
    ]
    assert found.tolist() == wanted


def test_nearer_by_code_is_nearer_by_cosine_on_the_whole():
    random = np.random.default_rng(1)
    vectors = random.standard_normal((3000, 256)).astype(np.float32)
    query = random.standard_normal(256).astype(np.float32)
    best = np.argsort(-(vectors @ query))[:20]
    order = np.argsort(distances(sign_codes(vectors), query), kind="stable")
    assert np.isin(best, order[:900]).mean() >= 0.95


def test_moments_give_the_mean_and_spread_of_all_cosines(coded: Index):
    query = coded.model.embed_query("voucher ledger")
    cosines = coded.generation.chunk_vectors @ query
    mean, deviation = spread_by_moments(coded.generation, query)
    assert mean == pytest.approx(float(cosines.mean()), abs=1e-5)
    assert deviation == pytest.approx(float(cosines.std()), rel=1e-3)
    assert moments(np.zeros((0, 4), np.float32)).shape == (5, 4)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("content", list(Content))
def test_where_everything_is_a_candidate_two_stages_answer_as_one(
    narrowed: Index, whole: Index, question: str, content: Content
):
    options = Options(filters=Filters(content=content))
    answer, wanted = narrowed.search(question, options), whole.search(question, options)
    assert answer.paths == wanted.paths
    assert [f.why for f in answer.related] == [f.why for f in wanted.related]
    scores = [f.score for f in wanted.files]
    assert [f.score for f in answer.files] == pytest.approx(scores, abs=1e-3)


@pytest.mark.parametrize("question", QUESTIONS)
def test_with_every_vector_read_a_score_is_the_same_to_the_bit(
    coded: Index, whole: Index, question: str
):
    generation = replace(coded.generation, manifest={**coded.generation.manifest, "sizes": {}})
    answer = Index(generation, coded.model).search(question, Options(explain=True))
    wanted = whole.search(question, Options(explain=True))
    assert replace(answer, elapsed_ms=0) == replace(wanted, elapsed_ms=0)


@pytest.mark.parametrize("question", QUESTIONS)
def test_few_candidates_keep_the_best_file_and_its_score(
    narrowed: Index, whole: Index, question: str, monkeypatch: pytest.MonkeyPatch
):
    keep_few(monkeypatch, near=16, kept=4)
    answer, wanted = narrowed.search(question), whole.search(question)
    assert answer.files[0].path == wanted.files[0].path
    assert answer.files[0].score == pytest.approx(wanted.files[0].score, abs=1e-3)
    scored = score_of(narrowed, question)
    assert 0 < np.isfinite(scored.files).sum() < narrowed.generation.n_files / 2


def test_graph_neighbours_of_the_best_files_are_scored_though_nothing_else_found_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    caller = "from helper import assist\n\n\ndef settle_invoice():\n    return assist()\n"
    tree = modules(40) | {"invoice.py": caller, "helper.py": "def assist():\n    return 1\n"}
    root = write_tree(tmp_path / "shop", tree)
    index(root, Settings(workers=1))
    keep_few(monkeypatch, near=2, kept=1)
    opened = open_index(root)
    answer = opened.search("settle invoice")
    assert answer.files[0].path == "invoice.py"
    assert "helper.py" in answer.paths
    scored = score_of(opened, "settle invoice")
    assert np.isfinite(scored.files).sum() < 10


def test_a_filter_that_lets_one_file_through_still_finds_it(narrowed: Index, whole: Index):
    options = Options(filters=Filters(globs=("mod_41.py",)))
    assert narrowed.search("ledger and basket", options).paths == ["mod_41.py"]
    assert narrowed.search("ledger", Options(filters=Filters(scope="nowhere"))).paths == []


def test_the_other_rankers_score_everything(narrowed: Index, whole: Index):
    for profile in set(Profile) - {Profile.LINEAR}:
        options = Options(profile=profile)
        answer = narrowed.search(QUESTIONS[0], options)
        wanted = whole.search(QUESTIONS[0], options)
        assert replace(answer, elapsed_ms=0) == replace(wanted, elapsed_ms=0)


def test_a_small_generation_holds_no_codes(tmp_path: Path):
    root = write_tree(tmp_path / "shop", modules(3))
    index(root, Settings(workers=1))
    generation = open_index(root).generation
    assert generation.chunk_codes is None
    assert not (generation.folder / "chunk_codes.npy").exists()


@given(st.integers(2, 60), st.integers(1, 300), st.integers(0, 2**32 - 1))
def test_a_row_has_the_same_product_whatever_rows_stand_around_it(n: int, d: int, seed: int):
    random = np.random.default_rng(seed)
    rows = random.standard_normal((n, d)).astype(np.float32)
    vector = random.standard_normal(d).astype(np.float32)
    some = random.permutation(n)[: n // 2]
    assert np.array_equal(products(rows, vector)[some], products(rows[some], vector))
    assert np.allclose(products(rows, vector), rows.astype(np.float64) @ vector, atol=1e-3)


def keep_few(patch: pytest.MonkeyPatch, *, near: int, kept: int) -> None:
    patch.setattr(module, "NEAR", near)
    patch.setattr(module, "KEPT", kept)
    patch.setattr(module, "KEPT_BY_CODES", kept)


def score_of(opened: Index, question: str) -> ranking.Scores:
    query = parse_query(question, opened.model, opened.own_name)
    every = np.ones(len(opened.generation.chunk_files), bool)
    return ranking.score(opened.generation, query, Profile.LINEAR, every, narrowed=True)
