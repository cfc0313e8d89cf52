"""Tiny weights, and vectors that a toy endpoint gives."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from codequarry.models.terms import term_hashes
from codequarry.models.weights import write_weights

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = ["parse", "http", "server", "request", "token", "user", "store", "get", "by", "id"]
BUCKETS = 32
WIDTH = 16


def write_tiny(folder: Path, seed: int = 7) -> None:
    vectors = np.random.default_rng(seed).standard_normal((len(WORDS) + BUCKETS, WIDTH))
    write_weights(folder, vectors.astype(np.float32), term_hashes(WORDS), name="tiny", version="1")


class Endpoint:
    """What the server on loopback saw, and how it answers."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.answer: Callable[[list[str]], Any] = lambda texts: [vector_of(t) for t in texts]
        self.order: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = list
        self.status = 200


def vector_of(text: str) -> list[float]:
    """A vector of width 4 that tells texts apart, not of length 1."""
    return [float(len(text)), float(text.count("a")), float(ord(text[0])), 3.0]
