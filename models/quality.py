"""The model `quality`: the embedded table for every chunk, a sentence model for every file."""

from __future__ import annotations

from pathlib import Path

from codequarry.models.provider import ModelIdentity
from codequarry.models.sentence import SentenceEmbedder
from codequarry.models.static import DATA, StaticEmbedder
from codequarry.models.weights import Weights, open_weights


class QualityEmbedder(StaticEmbedder):
    """The static embedder, with one of whole files beside it.

    Attributes:
        describer: embeds each file's path and skeleton.
    """

    def __init__(self, weights: Weights, describer: SentenceEmbedder) -> None:
        super().__init__(weights)
        self.describer = describer
        own, other = self._identity, describer.identity
        self._identity = ModelIdentity(
            provider="quality",
            name=f"{own.name}+{other.name}",
            dimension=own.dimension,
            settings=f"{own.settings} {other.settings}",
        )

    @classmethod
    def open(cls, folder: Path = DATA) -> QualityEmbedder:
        """Map the table in ``folder``; the sentence model is loaded with its first text.

        Raises:
            UsageError: the extra is not installed.
        """
        return cls(open_weights(folder), SentenceEmbedder.open())
