"""The weight files of the static model: one JSON and three ``.npy`` files, memory-mapped.

Format 1, all in one folder, read with NumPy alone and without pickle:

=============  =================  ==========================================================
``model.json`` one object         the fields of `Card`
``terms.npy``  (V,) uint64        sorted hashes of the known terms (`codequarry.models.terms`)
``table.npy``  (V + B, d) int8    row i < V: the term of ``terms[i]``; V + b: gram bucket b
``scales.npy`` (V + B,) float32   what row i is multiplied with
=============  =================  ==========================================================
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from codequarry.errors import QuarryError

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1
CARD = "model.json"
_TERMS, _TABLE, _SCALES = "terms.npy", "table.npy", "scales.npy"


class WeightsError(QuarryError):
    """The weight files are missing, damaged, or of a format this version does not read."""


@dataclass(frozen=True, slots=True)
class Card:
    """What ``model.json`` says of the weights beside it."""

    format: int
    name: str
    version: str
    dimension: int
    vocabulary: int
    buckets: int
    weights_sha256: str  # of terms, table and scales in this order
    manifest_sha256: str  # of the list of packages the weights were trained on


@dataclass(frozen=True, slots=True)
class Weights:
    """The opened weights; the arrays are read-only maps of the files."""

    card: Card
    terms: npt.NDArray[np.uint64]
    table: npt.NDArray[np.int8]
    scales: npt.NDArray[np.float32]


def open_weights(folder: Path) -> Weights:
    """Map the weights of ``folder``; nothing is read but the card and three headers.

    Raises:
        WeightsError: a file is missing, unreadable, or does not fit the card.
    """
    try:
        card = _read_card(folder / CARD)
        terms, table, scales = (_map(folder / name) for name in (_TERMS, _TABLE, _SCALES))
    except (OSError, EOFError, LookupError, ValueError, TypeError) as error:
        raise WeightsError(
            f"The embedded model in {folder} cannot be read: {error}",
            hint="Reinstall codequarry; its weight files are damaged or missing.",
        ) from error
    rows = card.vocabulary + card.buckets
    fits = (
        terms.dtype == np.uint64
        and table.dtype == np.int8
        and scales.dtype == np.float32
        and terms.shape == (card.vocabulary,)
        and table.shape == (rows, card.dimension)
        and scales.shape == (rows,)
        and card.vocabulary > 0
        and card.buckets > 0
    )
    if not fits:
        raise WeightsError(
            f"The embedded model in {folder} does not have the shape its card gives.",
            hint="Reinstall codequarry; its weight files do not belong together.",
        )
    return Weights(card, terms, table, scales)


def write_weights(
    folder: Path,
    vectors: npt.NDArray[np.float32],
    hashes: npt.NDArray[np.uint64],
    *,
    name: str,
    version: str,
    manifest_sha256: str = "",
) -> Card:
    """Quantise ``vectors`` to int8 with one scale a row and write the weight files.

    Args:
        folder: Where to write; files of the same names are replaced.
        vectors: (V + B, d) float32: the terms in the order of ``hashes``, then the buckets.
        hashes: (V,) uint64, distinct, in any order.
        name: The model's name.
        version: The model's version.
        manifest_sha256: Of the training manifest.
    """
    order = np.argsort(hashes, kind="stable")
    known = len(hashes)
    vectors = np.concatenate([vectors[:known][order], vectors[known:]]).astype(np.float32)
    scales = (np.abs(vectors).max(axis=1) / 127.0).astype(np.float32)
    scales[scales == 0.0] = 1.0
    table = np.rint(vectors / scales[:, None]).astype(np.int8)
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    for file_name, array in ((_TERMS, hashes[order]), (_TABLE, table), (_SCALES, scales)):
        # A running process may have the old file mapped: replace it, do not write into it.
        fresh = folder / f"{file_name}.new"
        with fresh.open("wb") as out:
            np.save(out, np.ascontiguousarray(array), allow_pickle=False)
        digest.update(fresh.read_bytes())
        fresh.replace(folder / file_name)
    card = Card(
        format=FORMAT,
        name=name,
        version=version,
        dimension=int(vectors.shape[1]),
        vocabulary=known,
        buckets=len(vectors) - known,
        weights_sha256=digest.hexdigest(),
        manifest_sha256=manifest_sha256,
    )
    (folder / CARD).write_text(json.dumps(asdict(card), indent=2) + "\n", encoding="utf-8")
    return card


def weights_sha256(folder: Path) -> str:
    """The digest that the card of an undamaged ``folder`` gives as ``weights_sha256``."""
    digest = hashlib.sha256()
    for name in (_TERMS, _TABLE, _SCALES):
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()


def _read_card(path: Path) -> Card:
    raw = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise ValueError(f"{path.name} is not of format {FORMAT}")
    return Card(
        format=FORMAT,
        name=str(raw["name"]),
        version=str(raw["version"]),
        dimension=int(raw["dimension"]),
        vocabulary=int(raw["vocabulary"]),
        buckets=int(raw["buckets"]),
        weights_sha256=str(raw["weights_sha256"]),
        manifest_sha256=str(raw["manifest_sha256"]),
    )


def _map(path: Path) -> npt.NDArray[Any]:
    # A plain array over the map: indexing a `np.memmap` costs microseconds more each time.
    return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False)).view(np.ndarray)
