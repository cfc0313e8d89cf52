import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codequarry.identifiers import term_counts
from codequarry.models.static import StaticEmbedder
from codequarry.models.terms import gram_buckets, term_hash

TEXTS = st.lists(
    st.text(max_size=60)
    | st.lists(
        st.sampled_from(
            [
                "parse",
                "http",
                "getUserById",
                "HTTPServer",
                "token",
                "xyzzy",
                "q",
                "42",
                "日本",
                "_",
                "ñandú",
            ]
        ),
        max_size=30,
    ).map(" ".join),
    max_size=12,
)


def bags_of(texts: list[str]) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """The index's form of ``texts``, with the terms of each document in another order."""
    counted = [term_counts(text)[0] for text in texts]
    vocabulary = sorted({term for one in counted for term in one}, reverse=True)
    place = {term: i for i, term in enumerate(vocabulary)}
    entries = [sorted((place[term], n) for term, n in one.items()) for one in counted]
    ids = np.array([i for one in entries for i, _ in one], np.int32)
    counts = np.array([n for one in entries for _, n in one], np.int32)
    offsets = np.cumsum([0, *(len(one) for one in entries)]).astype(np.int64)
    return vocabulary, ids, counts, offsets


@given(TEXTS)
def test_bags_give_the_vectors_of_the_texts(tiny: StaticEmbedder, texts: list[str]) -> None:
    from_bags = tiny.embed_bags(*bags_of(texts))
    from_texts = tiny.embed_documents(texts)
    assert from_bags.shape == from_texts.shape == (len(texts), tiny.dimension)
    np.testing.assert_allclose(from_bags, from_texts, atol=2e-6)


@given(TEXTS)
def test_every_vector_is_of_length_one_or_zero(tiny: StaticEmbedder, texts: list[str]) -> None:
    vectors = tiny.embed_documents(texts)
    assert vectors.dtype == np.float32
    for text, length in zip(texts, np.linalg.norm(vectors, axis=1), strict=True):
        assert length == (pytest.approx(1, abs=1e-5) if term_counts(text)[0] else 0)


@given(st.text(max_size=80))
def test_a_query_is_embedded_as_a_document(tiny: StaticEmbedder, text: str) -> None:
    query = tiny.embed_query(text)
    assert query.shape == (tiny.dimension,)
    np.testing.assert_allclose(query, tiny.embed_documents([text])[0], atol=2e-6)


def test_a_vector_does_not_depend_on_its_neighbours(tiny: StaticEmbedder) -> None:
    texts = [f"parse http token {'user store ' * (i % 7)} {i}" for i in range(700)]
    together = tiny.embed_documents(texts)
    alone = np.concatenate([tiny.embed_documents([text]) for text in texts])
    assert (together == alone).all()


def test_a_document_is_the_weighted_sum_of_its_terms(tiny: StaticEmbedder) -> None:
    expected = np.log(3) * _row(tiny, "http") + np.log(2) * _row(tiny, "server")
    expected /= np.linalg.norm(expected)
    np.testing.assert_allclose(tiny.embed_query("httpServer http"), expected, atol=1e-6)


def test_an_unknown_term_is_the_mean_of_its_grams(tiny: StaticEmbedder) -> None:
    buckets = gram_buckets("xyzzy", 32)
    assert len(buckets) == 4  # ^xyz xyzz yzzy zzy$
    weights = tiny._weights
    rows = [weights.card.vocabulary + bucket for bucket in buckets]
    mean = (weights.table[rows] * weights.scales[rows, None]).mean(axis=0)
    np.testing.assert_allclose(tiny.embed_query("xyzzy"), mean / np.linalg.norm(mean), atol=1e-6)


@pytest.mark.parametrize(("term", "grams"), [("q", 1), ("qq", 1), ("qqq", 2), ("qqqq", 3)])
def test_every_term_has_a_gram(term: str, grams: int) -> None:
    assert len(gram_buckets(term, 1 << 30)) == grams


def test_hashes_and_buckets_are_fixed_for_all_time() -> None:
    """The weight files are keyed by them: these values come from the first release."""
    assert term_hash("parse") == PARSE_HASH
    assert gram_buckets("xyzzy", 16384) == XYZZY_BUCKETS


PARSE_HASH = 6495692958074113047
XYZZY_BUCKETS = [1272, 3566, 1384, 5132]


def test_texts_without_terms_are_zero(tiny: StaticEmbedder) -> None:
    vectors = tiny.embed_documents(["", " \n", "+-*/ {}", "parse"])
    assert vectors.any(axis=1).tolist() == [False, False, False, True]
    assert not tiny.embed_query("").any()


def test_nothing_in_gives_nothing_out(tiny: StaticEmbedder) -> None:
    assert tiny.embed_documents([]).shape == (0, tiny.dimension)
    empty = np.zeros(0, np.int32)
    assert tiny.embed_bags([], empty, empty, np.zeros(1, np.int64)).shape == (0, tiny.dimension)


def test_a_huge_count_is_bounded(tiny: StaticEmbedder) -> None:
    vectors = tiny.embed_documents(["http " * 5000 + "server"])
    assert np.isfinite(vectors).all()


def test_two_processes_give_the_same_bits() -> None:
    code = (
        "import hashlib; from codequarry.models.static import StaticEmbedder as S; m = S.open();"
        "v = m.embed_documents(['parse the HTTP header', 'quuxifyAll zorkmid', 'x' * 3]);"
        "q = m.embed_query('who parses headers');"
        "print(hashlib.sha256(v.tobytes() + q.tobytes()).hexdigest())"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert len(runs) == 1


def _row(model: StaticEmbedder, term: str) -> np.ndarray:
    weights = model._weights
    at = int(np.searchsorted(weights.terms, np.uint64(term_hash(term))))
    return weights.table[at] * weights.scales[at]
