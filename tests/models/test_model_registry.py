import pytest

from codequarry.errors import MissingAPIKey, UsageError
from codequarry.models.openai_compatible import OpenAICompatibleEmbedder
from codequarry.models.registry import open_embedder
from codequarry.models.static import StaticEmbedder


def test_the_default_is_the_embedded_model() -> None:
    assert isinstance(open_embedder(), StaticEmbedder)


def test_none_is_lexical_only() -> None:
    assert open_embedder("none") is None


def test_a_model_of_an_endpoint() -> None:
    model = open_embedder("openai:bge:large", base_url="http://localhost:1234/v1")
    assert isinstance(model, OpenAICompatibleEmbedder)
    model.close()


def test_a_missing_key_is_told_on_opening(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(MissingAPIKey):
        open_embedder("openai:text-embedding-3-small")


@pytest.mark.parametrize("spec", ["", "minilm", "openai:", "openai", "STATIC"])
def test_an_unknown_model_is_a_usage_error(spec: str) -> None:
    with pytest.raises(UsageError, match="no embedding model"):
        open_embedder(spec)
