"""What an embedding model is to the rest: an identity, and texts in, unit vectors out."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Vectors: TypeAlias = npt.NDArray[np.float32]
"""Float32; one row a text, of length 1 or all zero."""


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """What must be equal for two vectors to be comparable.

    Attributes:
        provider: Who computes: ``static``, ``openai``, …
        name: The model's name at that provider.
        dimension: The width of its vectors.
        settings: Whatever else changes a vector (version, weights, address), as one string.
    """

    provider: str
    name: str
    dimension: int
    settings: str = ""

    @property
    def key(self) -> str:
        """A short string, safe as a folder name, that differs when any field differs."""
        fields = json.dumps([self.provider, self.name, self.dimension, self.settings])
        digest = hashlib.sha256(fields.encode()).hexdigest()[:16]
        readable = re.sub(r"[^a-z0-9]+", "-", f"{self.provider} {self.name}".lower()).strip("-")
        return f"{readable[:40]}-{self.dimension}-{digest}"

    def __str__(self) -> str:
        return f"{self.provider}:{self.name} ({self.dimension} dimensions)"


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into L2-normalised float32 vectors."""

    @property
    def identity(self) -> ModelIdentity:
        """The identity that the vectors are stored under."""
        ...

    @property
    def dimension(self) -> int:
        """The width d of the vectors."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed what is searched: (n, d), row i for text i."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """Embed what is asked: (d,)."""
        ...


class RemoteEmbedder(Embedder, Protocol):
    """An embedder that sends texts away; see `as_remote`."""

    @property
    def host(self) -> str:
        """Where texts are sent."""
        ...

    @property
    def dollars_a_million_tokens(self) -> float | None:
        """What it costs; None where that is not known, zero where it costs nothing."""
        ...

    def recall(self, keys: Iterable[str]) -> bool:
        """Take the width from keys of stored vectors; say whether the identity is known."""
        ...


def as_remote(embedder: Embedder | None) -> RemoteEmbedder | None:
    """The embedder, if it sends texts away; nothing is asked of it to find out."""
    remote = embedder is not None and hasattr(type(embedder), "recall")
    return cast("RemoteEmbedder", embedder) if remote else None


def describer_of(embedder: Embedder | None) -> Embedder | None:
    """The model of whole files that an embedder brings besides, if it does."""
    return getattr(embedder, "describer", None)


@runtime_checkable
class BagEmbedder(Embedder, Protocol):
    """An embedder that needs only how often each term occurs, not the text."""

    def embed_bags(
        self,
        vocabulary: Sequence[str],
        ids: npt.NDArray[np.int32],
        counts: npt.NDArray[Any],
        offsets: npt.NDArray[np.int64],
    ) -> Vectors:
        """Embed documents given as term counts in compressed rows.

        Args:
            vocabulary: The distinct terms: parts of `codequarry.identifiers.term_counts`.
            ids: (nnz,) int32 positions in ``vocabulary``.
            counts: (nnz,) how often that term occurs in that document, at least 1.
            offsets: (n + 1,) int64; document i is ``ids[offsets[i]:offsets[i + 1]]``.

        Returns:
            (n, d) float32: what `embed_documents` gives for the texts, up to rounding.
        """
        ...


def normalise(vectors: Vectors) -> Vectors:
    """Scale each row of ``vectors`` (n, d) to length 1 in place; zero rows stay zero.

    The lengths are summed in float64, so that the last bit does not depend on the machine.
    """
    wide = vectors.astype(np.float64)
    lengths = np.sqrt(np.square(wide, out=wide).sum(axis=1))
    lengths[lengths == 0.0] = 1.0
    vectors /= lengths[:, None].astype(np.float32)
    return vectors
