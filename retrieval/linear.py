"""The `linear` ranker: a weighted sum of interpretable features, weights in a data file.

Weights are fitted by `quarry eval fit` on the development sets jointly; see
``retrieval/linear.json`` for what they are and how they were made.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from codequarry.errors import QuarryError
from codequarry.retrieval.features import FEATURES
from codequarry.retrieval.products import products
from codequarry.retrieval.query import Query

DATA = Path(__file__).with_name("linear.json")

Float32 = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Weights:
    """One weight a feature; features that the data file leaves out weigh nothing."""

    values: tuple[float, ...]
    names: tuple[str, ...] = FEATURES

    def scores(self, matrix: Float32) -> Float32:
        """Score all files: (files,) float32 from (files, features)."""
        return products(matrix, np.array(self.values, np.float32))

    def shares(self, row: Float32) -> dict[str, float]:
        """What each feature adds to one file's score, largest first."""
        added = {
            name: w * float(x) for name, w, x in zip(self.names, self.values, row, strict=True)
        }
        ordered = sorted(added.items(), key=lambda item: -abs(item[1]))
        return {name: value for name, value in ordered if value}


class Signals(StrEnum):
    """What an index has for a query; each has weights of its own in the data file."""

    LEXICAL = "lexical"
    VECTORS = "with_vectors"
    DESCRIPTIONS = "with_descriptions"  # vectors, and those of a sentence model a file

    @classmethod
    def of(cls, query: Query, *, dense: bool) -> Signals:
        """Those of a query, whose chunks have cosines or not."""
        if not dense:
            return cls.LEXICAL
        return cls.DESCRIPTIONS if len(query.description) else cls.VECTORS


@lru_cache(maxsize=8)
def load_weights(signals: Signals, path: Path = DATA, names: tuple[str, ...] = FEATURES) -> Weights:
    """Read the weights for what an index has.

    Args:
        signals: what it has; a file without weights for descriptions has them for vectors.
        path: the data file.
        names: the features, in the order of the matrix's columns.

    Raises:
        QuarryError: the file does not fit this version's features.
    """
    sections = json.loads(path.read_text(encoding="utf-8"))
    named = sections[signals if signals in sections else Signals.VECTORS]
    unknown = set(named) - set(names)
    if unknown:
        raise QuarryError(
            f"{path.name} weighs unknown features: {', '.join(sorted(unknown))}",
            "reinstall codequarry",
        )
    return Weights(tuple(float(named.get(name, 0.0)) for name in names), names)
