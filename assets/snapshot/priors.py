"""What a file's path and size alone say about how likely it answers a question."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from codequarry.assets.census.census import Entry
from codequarry.schemas import PRIORS
from codequarry.vocabulary import Role

_EXAMPLE = re.compile(
    r"(?i)(^|/)(examples?|samples?|demos?|benchmarks?|bench|benches|fixtures?|playground"
    r"|templates?|mocks?|testdata|snapshots?|__snapshots__)(/|$)"
)
_OLD_VERSION = re.compile(r"(?i)(^|/)(v\d+|legacy|deprecated|old|compat)(/|$)")


def priors(
    shown: Sequence[str], entries: Sequence[Entry], n_chunks: npt.NDArray[np.int32]
) -> npt.NDArray[np.float32]:
    """The priors of all files, (files, `codequarry.schemas.PRIORS`) float32.

    ``log_chunks`` is ln(chunks); ``depth`` counts folders below the shallowest file; the
    others are 0 or 1.
    """
    depth = np.array([path.count("/") for path in shown], np.float32)
    roles = np.array([entry.role for entry in entries])
    columns = {
        "log_chunks": np.log(np.maximum(n_chunks, 1)),
        "depth": depth - (depth.min() if len(depth) else 0),
        "test": roles == Role.TEST.value,
        "example": [bool(_EXAMPLE.search(path)) for path in shown],
        "data": roles == Role.DATA.value,
        "config": roles == Role.CONFIG.value,
        "old_version": [bool(_OLD_VERSION.search(path)) for path in shown],
    }
    table = [np.asarray(columns[name], np.float32) for name in PRIORS]
    return np.ascontiguousarray(np.stack(table, axis=1))
