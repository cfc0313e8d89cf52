"""What is sent to a remote model holds no key-shaped literal; local code still shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from support import index, write_tree

from codequarry.assets.census.census import take_census
from codequarry.assets.embeddings.build import embed
from codequarry.models.provider import ModelIdentity
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.reading import get_code
from codequarry.settings import Settings
from codequarry.store.layout import BUCKETS, Layout

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SECRET = "sk" + "-proj-" + "Zz9" * 12


class Recorder:
    """A model that keeps what it was sent."""

    identity = ModelIdentity("toy", "recorder", 4)
    dimension = 4

    def __init__(self) -> None:
        self.sent: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        self.sent += texts
        return np.tile(np.array([1, 0, 0, 0], np.float32), (len(texts), 1))

    def embed_query(self, text: str) -> np.ndarray:
        return np.array([1, 0, 0, 0], np.float32)


def test_a_key_in_code_is_masked_in_what_is_embedded_and_kept_in_what_is_shown(tmp_path: Path):
    code = f'API_KEY = "{SECRET}"\n\n\ndef pay_needle():\n    return API_KEY\n'
    root = write_tree(tmp_path / "repo", {"pay.py": code})
    index(root, Settings(model="none"))
    model, layout = Recorder(), Layout.of(root)
    entries = take_census(root, Settings()).indexed
    embed(layout, root, "repo", entries, BUCKETS, model)
    assert any("pay_needle" in text for text in model.sent)
    assert not any(SECRET in text for text in model.sent)
    assert get_code(Generation.open(layout), "pay.py").text == code


def test_no_chunk_of_a_long_key_shows_the_rest_of_it(tmp_path: Path):
    """A chunk that begins inside a key holds nothing that tells what its lines are."""
    key = [f"MII{i:03}{'Kj7' * 19}" for i in range(200)]
    text = "\n".join(["-----BEGIN PRIVATE KEY-----", *key, "-----END PRIVATE KEY-----", ""])
    root = write_tree(tmp_path / "repo", {"notes.txt": f"the key of the needle\n{text}"})
    index(root, Settings(model="none"))
    model, layout = Recorder(), Layout.of(root)
    entries = take_census(root, Settings()).indexed
    assert Generation.open(layout).chunks.num_rows > 2
    embed(layout, root, "repo", entries, BUCKETS, model)
    assert any("needle" in text for text in model.sent)
    assert not [line for line in key for text in model.sent if line in text]
