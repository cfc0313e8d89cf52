"""Reading one Parquet fragment of the store; a damaged one is told as such."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from codequarry.errors import IndexDamaged


def read_fragment(path: Path, columns: list[str] | None = None) -> pa.Table:
    """All rows of a fragment.

    Raises:
        IndexDamaged: it cannot be read.
    """
    try:
        return pq.ParquetFile(path, memory_map=True).read(columns=columns, use_threads=False)
    except (OSError, pa.ArrowInvalid) as error:
        raise IndexDamaged(
            f"a file of the index is damaged: {path}", "run: quarry index"
        ) from error
