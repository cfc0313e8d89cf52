import numpy as np
import pytest

from codequarry.models.openai_compatible import OpenAICompatibleEmbedder
from codequarry.models.provider import BagEmbedder, Embedder, ModelIdentity, normalise
from codequarry.models.static import StaticEmbedder


def test_equal_identities_have_one_key() -> None:
    first = ModelIdentity("openai", "embed v1/large", 8, "http://localhost/v1")
    assert first == ModelIdentity("openai", "embed v1/large", 8, "http://localhost/v1")
    assert first.key == "openai-embed-v1-large-8-" + first.key.rsplit("-", 1)[1]


@pytest.mark.parametrize(
    "other",
    [
        ModelIdentity("static", "m", 8, "s"),
        ModelIdentity("openai", "n", 8, "s"),
        ModelIdentity("openai", "m", 9, "s"),
        ModelIdentity("openai", "m", 8, "t"),
    ],
)
def test_a_difference_in_any_field_changes_the_key(other: ModelIdentity) -> None:
    assert other.key != ModelIdentity("openai", "m", 8, "s").key


def test_the_key_is_safe_as_a_folder_name() -> None:
    key = ModelIdentity("openai", "../../Ünïcode: * ?" + "x" * 300, 8).key
    assert len(key) < 80
    assert all(char.isascii() and (char.isalnum() or char == "-") for char in key)


def test_normalise_leaves_zero_rows_zero() -> None:
    rows = normalise(np.array([[3, 4], [0, 0]], np.float32))
    assert rows.tolist() == [[np.float32(0.6), np.float32(0.8)], [0.0, 0.0]]


def test_the_static_model_takes_bags(tiny: StaticEmbedder) -> None:
    assert isinstance(tiny, BagEmbedder)
    assert isinstance(tiny, Embedder)


def test_a_remote_model_takes_texts_only() -> None:
    remote = OpenAICompatibleEmbedder("m", base_url="http://localhost:1/v1", dimension=4)
    assert isinstance(remote, Embedder)
    assert not isinstance(remote, BagEmbedder)
    remote.close()
