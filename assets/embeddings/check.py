"""What stored vectors must be: finite, and of length 1, or 0 where a text has no known term."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

TOLERANCE = 0.01  # float16 keeps eleven bits; 256 rounded entries stay well within


def unit_problems(vectors: npt.NDArray[np.float16]) -> list[str]:
    """What is wrong with stored vectors (n, d) float16; empty when all is well."""
    wide = vectors.astype(np.float32)
    finite = np.asarray(np.isfinite(wide).all(axis=1))
    lengths = np.sqrt(np.square(np.where(finite[:, None], wide, 0)).sum(axis=1))
    off = finite & (np.abs(lengths - 1) > TOLERANCE) & (lengths > TOLERANCE)
    problems = []
    if not finite.all():
        problems.append(f"{int((~finite).sum())} vectors are not finite")
    if off.any():
        problems.append(f"{int(off.sum())} vectors are not of length 1")
    return problems
