"""The products of many rows with one vector, the search's costliest step."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Float32 = npt.NDArray[np.float32]


def products(rows: Float32, vector: Float32) -> Float32:
    """The product of each row (n, d) with ``vector`` (d,): (n,) float32.

    Not by BLAS: it shares even the smallest product among threads, which wait for each other
    spinning, so that a busy machine takes ten times as long; and alone it is no quicker, as
    memory is the limit. A row's product is here the same whatever other rows there are.
    """
    found: Float32 = np.einsum("ij,j->i", rows, vector)
    return found
