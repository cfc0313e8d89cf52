"""Bootstrap confidence intervals of a mean, and of the mean of paired differences.

Percentile interval: Efron & Tibshirani, An Introduction to the Bootstrap, 1993, §13.3; over the
queries of a test collection: Sakai, SIGIR 2006. Seeded, so a report says the same twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SAMPLES = 2000
LEVEL = 0.95
SEED = 20260101
_BLOCK = 1 << 22  # drawn indices held at a time


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and its confidence interval."""

    mean: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """Whether zero lies outside: for a difference, that it is not chance at this level."""
        return self.low > 0.0 or self.high < 0.0

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def mean_intervals(
    columns: NDArray[np.float64],
    *,
    samples: int = SAMPLES,
    level: float = LEVEL,
    seed: int = SEED,
) -> list[Interval]:
    """Give the mean of every column and its percentile bootstrap interval.

    Args:
        columns: one row a query, one column a measure; no row gives intervals of zeros.
        samples: how many resamplings of the rows.
        level: how much of the resampled means lies inside.
        seed: of the resampling.
    """
    count, width = columns.shape
    if not count:
        return [Interval(0.0, 0.0, 0.0)] * width
    random = np.random.default_rng(seed)
    step = max(1, _BLOCK // count)
    means = np.concatenate(
        [
            _how_often(random.integers(0, count, (min(step, samples - done), count))) @ columns
            for done in range(0, samples, step)
        ]
    )
    tail = (1.0 - level) / 2.0
    lows, highs = np.quantile(means / count, (tail, 1.0 - tail), axis=0)
    return [
        Interval(float(mean), float(low), float(high))
        for mean, low, high in zip(columns.mean(0), lows, highs, strict=True)
    ]


def mean_interval(values: Sequence[float], *, seed: int = SEED) -> Interval:
    """Give the mean of one column and its interval."""
    return mean_intervals(np.asarray(values, np.float64).reshape(-1, 1), seed=seed)[0]


def paired_interval(
    before: Sequence[float], after: Sequence[float], *, seed: int = SEED
) -> Interval:
    """Give the mean of ``after - before`` over the same queries, with its interval."""
    if len(before) != len(after):
        raise ValueError(f"not the same queries: {len(before)} and {len(after)}")
    return mean_interval([b - a for a, b in zip(before, after, strict=True)], seed=seed)


def _how_often(drawn: NDArray[np.int64]) -> NDArray[np.float64]:
    """Count how often each row was drawn in each resampling (one resampling a line)."""
    samples, count = drawn.shape
    offset = np.arange(samples)[:, None] * count
    counts = np.bincount((drawn + offset).ravel(), minlength=samples * count)
    return counts.reshape(samples, count).astype(np.float64)
