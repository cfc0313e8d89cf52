"""Links as a generation holds them: by symbol row, with both directions to walk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from codequarry.schemas import FILE_EDGES, GENERATION_LINKS

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
_LINE = np.int64(1) << 32


def generation_links(
    links: pa.Table, chunks: pa.Table, first_chunk: Int32, first_symbol: Int32
) -> pa.Table:
    """Links with the rows of their chunk and symbols in the generation.

    Args:
        links: rows of `LINKS`.
        chunks: of the generation.
        first_chunk: (files,) first chunk row of each file.
        first_symbol: (files,) first symbol row of each file.
    """
    file = np.asarray(links["file"]).astype(np.int64)
    scope = np.asarray(links["scope"])
    target_file = np.asarray(links["target_file"])
    target = np.asarray(links["target_symbol"])
    starts = np.asarray(chunks["file"]).astype(np.int64) * _LINE + np.asarray(chunks["start_line"])
    places = file * _LINE + np.asarray(links["line"])
    chunk = np.searchsorted(starts, places, side="right") - 1
    columns = {
        **{name: links[name] for name in links.column_names},
        "chunk": chunk.astype(np.int32),
        "symbol": np.where(scope >= 0, first_symbol[file] + scope, -1).astype(np.int32),
        "target_symbol": np.where(target >= 0, first_symbol[target_file] + target, -1).astype(
            np.int32
        ),
    }
    return pa.table([columns[name] for name in GENERATION_LINKS.names], schema=GENERATION_LINKS)


def file_edges(links: pa.Table) -> pa.Table:
    """How often each file refers to each other file, by type; sorted by all three."""
    known = np.asarray(links["target_file"]) >= 0
    ends = (np.asarray(links["file"])[known], np.asarray(links["target_file"])[known])
    type_ = links["type"].combine_chunks().filter(pa.array(known)).dictionary_encode()
    names = type_.dictionary.to_pylist()
    order = np.argsort(np.argsort(np.array(names, dtype=object))) if names else np.zeros(0, int)
    codes = order[np.asarray(type_.indices)] if names else np.zeros(0, int)
    other = ends[0] != ends[1]
    rows = np.stack([ends[0][other], ends[1][other], codes[other]], axis=1)
    distinct, count = np.unique(rows, axis=0, return_counts=True)
    return pa.table(
        {
            "from": distinct[:, 0].astype(np.int32),
            "to": distinct[:, 1].astype(np.int32),
            "type": [sorted(names)[code] for code in distinct[:, 2].tolist()],
            "n": count.astype(np.int32),
        },
        schema=FILE_EDGES,
    )


def write_neighbours(folder: Path, edges: pa.Table, n_files: int) -> None:
    """Write which files each file shares an edge with, either way, as CSR arrays."""
    ends = np.stack([np.asarray(edges["from"]), np.asarray(edges["to"])], axis=1)
    both = np.unique(np.concatenate([ends, ends[:, ::-1]]), axis=0)
    pointers = np.zeros(n_files + 1, np.int64)
    np.cumsum(np.bincount(both[:, 0], minlength=n_files), out=pointers[1:])
    np.save(folder / "file_neighbours.npy", both[:, 1].astype(np.int32))
    np.save(folder / "file_neighbours_pointers.npy", pointers)


def write_adjacency(folder: Path, links: pa.Table, n_symbols: int) -> None:
    """Write the resolved links of each symbol, inward and outward, as CSR arrays of link rows."""
    for name, column in (("in", "target_symbol"), ("out", "symbol")):
        symbols = np.asarray(links[column])
        known = np.flatnonzero((symbols >= 0) & (np.asarray(links["target_symbol"]) >= 0))
        order = known[np.argsort(symbols[known], kind="stable")].astype(np.int32)
        pointers = np.zeros(n_symbols + 1, np.int64)
        np.cumsum(np.bincount(symbols[known], minlength=n_symbols), out=pointers[1:])
        np.save(folder / f"links_{name}.npy", order)
        np.save(folder / f"links_{name}_pointers.npy", pointers)
