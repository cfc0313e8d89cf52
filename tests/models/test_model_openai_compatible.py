import math

import numpy as np
import pytest
from model_toys import Endpoint, vector_of

from codequarry.errors import MissingAPIKey, ProviderError, UsageError
from codequarry.models.openai_compatible import OpenAICompatibleEmbedder, is_local


@pytest.fixture
def remote(endpoint: Endpoint):
    model = OpenAICompatibleEmbedder("embedder", base_url=endpoint.url, dimension=4, batch=3)
    yield model
    model.close()


def unit(text: str) -> np.ndarray:
    vector = np.array(vector_of(text), np.float32)
    return vector / np.linalg.norm(vector)


def test_texts_go_in_batches_and_come_back_in_order(endpoint, remote) -> None:
    texts = ["alpha", "b", "cc", "data", "e", "ff", "gaga"]
    vectors = remote.embed_documents(texts)
    np.testing.assert_allclose(vectors, [unit(text) for text in texts], rtol=1e-5)
    assert [request["input"] for request in endpoint.requests] == [texts[:3], texts[3:6], texts[6:]]
    assert {request["model"] for request in endpoint.requests} == {"embedder"}
    assert vectors.dtype == np.float32


def test_replies_are_paired_by_index(endpoint, remote) -> None:
    endpoint.order = lambda rows: rows[::-1]
    texts = ["one", "three", "a"]
    np.testing.assert_allclose(
        remote.embed_documents(texts), [unit(text) for text in texts], rtol=1e-5
    )


def test_blank_texts_are_not_sent(endpoint, remote) -> None:
    vectors = remote.embed_documents(["", "word", " \n"])
    assert vectors.any(axis=1).tolist() == [False, True, False]
    assert endpoint.requests[0]["input"] == ["word"]


def test_nothing_is_sent_for_no_texts(endpoint, remote) -> None:
    assert remote.embed_documents([]).shape == (0, 4)
    assert endpoint.requests == []


@pytest.mark.parametrize(
    ("order", "what"),
    [
        (lambda rows: rows[1:], "1 vectors for 2 texts"),
        (lambda rows: rows + rows, "4 vectors for 2 texts"),
        (lambda rows: [rows[0], rows[0]], "1 of them"),
        (lambda rows: [rows[0], rows[1] | {"index": 7}], "2 vectors for 2 texts"),
        (lambda rows: [], "0 vectors for 2 texts"),
    ],
)
def test_a_wrong_count_is_refused(endpoint, remote, order, what: str) -> None:
    endpoint.order = order
    with pytest.raises(ProviderError, match=what):
        remote.embed_documents(["one", "two"])


@pytest.mark.parametrize(
    ("vector", "what"),
    [
        ([0.0, 0.0, 0.0, 0.0], "zero vector"),
        ([1.0, math.nan, 0.0, 0.0], "not finite"),
        ([1.0, math.inf, 0.0, 0.0], "not finite"),
        ([1.0, 2.0, 3.0], "width"),
        ([], "width"),
    ],
)
def test_a_bad_vector_is_refused(endpoint, remote, vector: list[float], what: str) -> None:
    endpoint.answer = lambda texts: [vector_of(texts[0]), vector]
    with pytest.raises(ProviderError, match=what) as caught:
        remote.embed_documents(["one", "two"])
    assert caught.value.hint


def test_huge_numbers_do_not_overflow(endpoint, remote) -> None:
    endpoint.answer = lambda texts: [[1e300, 1e300, 0.0, 0.0]]
    np.testing.assert_allclose(remote.embed_query("x"), [0.5**0.5, 0.5**0.5, 0, 0], rtol=1e-6)


def test_a_refusal_names_the_host_and_the_reason(endpoint, remote) -> None:
    endpoint.status = 404
    with pytest.raises(ProviderError, match=r"127\.0\.0\.1 did not embed.*no such model"):
        remote.embed_query("x")


def test_no_endpoint_is_a_clear_error() -> None:
    model = OpenAICompatibleEmbedder("m", base_url="http://127.0.0.1:9/v1", dimension=4)
    with pytest.raises(ProviderError, match="did not embed"):
        model.embed_query("x")
    model.close()


def test_an_unknown_width_is_asked_once(endpoint) -> None:
    model = OpenAICompatibleEmbedder("embedder", base_url=endpoint.url)
    assert (model.dimension, model.identity.dimension) == (4, 4)
    assert len(endpoint.requests) == 1
    assert "dimensions" not in endpoint.requests[0]
    model.close()


def test_a_wanted_width_is_asked_for(endpoint, remote) -> None:
    remote.embed_query("x")
    assert endpoint.requests[0]["dimensions"] == 4


def test_the_identity_holds_the_address_but_no_secret(monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    model = OpenAICompatibleEmbedder(
        "m", base_url="https://me:hunter2@embed.example/v1?token=t0p", dimension=4
    )
    assert model.identity.settings == "https://embed.example/v1"
    assert "secret" not in repr(model.identity)
    model.close()


def test_a_missing_key_names_the_variable(endpoint) -> None:
    with pytest.raises(MissingAPIKey, match="needs an API key") as caught:
        OpenAICompatibleEmbedder("text-embedding-3-small")
    assert "OPENAI_API_KEY" in caught.value.hint


def test_the_environment_gives_address_and_key(endpoint, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    model = OpenAICompatibleEmbedder("embedder", dimension=4)
    model.embed_query("x")
    assert endpoint.keys == ["Bearer sk-test"]
    model.close()


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("::1", True),
        ("192.168.1.7", True),
        ("ollama", True),
        ("host.docker.internal", True),
        ("api.openai.com", False),
        ("8.8.8.8", False),
        ("localhost.example.com", False),
    ],
)
def test_which_addresses_need_no_key(host: str, local: bool) -> None:
    assert is_local(host) is local


@pytest.mark.parametrize("url", ["ftp://host/v1", "host:8080/v1", "/v1"])
def test_a_bad_address_is_a_usage_error(url: str) -> None:
    with pytest.raises(UsageError, match="not the address"):
        OpenAICompatibleEmbedder("m", base_url=url)
