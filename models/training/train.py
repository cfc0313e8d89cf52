"""Step 5: train the table with a symmetric InfoNCE loss and write the weight files.

``python -m codequarry.models.training.train WORK --seed 1 --out table-1.npy`` trains one run;
``… --average table-1.npy table-2.npy table-3.npy --export FOLDER`` averages runs that began from
the same initial table and writes the weights. Needs PyTorch; nothing imports this at run time.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch  # type: ignore[import-not-found, unused-ignore]
from torch import Tensor
from torch.nn import functional  # type: ignore[import-not-found, unused-ignore]

from codequarry.models.terms import term_hashes
from codequarry.models.training.bags import Bags
from codequarry.models.training.report import say
from codequarry.models.training.vocabulary import BUCKETS
from codequarry.models.weights import write_weights

DIMENSION = 256
BATCH = 2048
RATE = 0.01
TEMPERATURE = 0.05
DROP_DOCUMENT = 0.3
DROP_QUERY = 0.15
WARMUP = 20
MAX_COPIES = 3.0
NAME = "quarry-static"


def main() -> None:
    """Train one run, or average and export."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--temperature", type=float, default=TEMPERATURE)
    parser.add_argument("--initial", default="initial.npy")
    parser.add_argument("--out", default="table.npy")
    parser.add_argument("--average", nargs="*", default=[])
    parser.add_argument("--export", type=Path)
    parser.add_argument("--version", default="1")
    arguments = parser.parse_args()
    work: Path = arguments.work
    if arguments.average:
        table = np.mean([np.load(work / one) for one in arguments.average], axis=0)
    else:
        table = train(work, arguments)
    np.save(work / arguments.out, table.astype(np.float32))
    if arguments.export:
        export(work, table, arguments.export, arguments.version)


def export(work: Path, table: npt.NDArray[np.float32], folder: Path, version: str) -> None:
    """Write ``table`` as weight files into ``folder``."""
    vocabulary = (work / "vocabulary.txt").read_text(encoding="utf-8").split("\n")[:-1]
    manifest = hashlib.sha256((work / "manifest.tsv").read_bytes()).hexdigest()
    card = write_weights(
        folder, table, term_hashes(vocabulary), name=NAME, version=version, manifest_sha256=manifest
    )
    say(card)


def train(work: Path, arguments: argparse.Namespace) -> npt.NDArray[np.float32]:
    """Train one run from the initial table (or a random one) and return the table (V + B, d)."""
    torch.manual_seed(arguments.seed)
    rng = np.random.default_rng(arguments.seed)
    query, code, path = (
        Bags.load(work / f"train-{part}.npz") for part in ("query", "code", "path")
    )
    with np.load(work / "train-meta.npz") as meta:
        language = meta["language"]
        code_hash, query_hash = (
            meta["code_hash"].astype(np.int64),
            meta["query_hash"].astype(np.int64),
        )
    table = torch.nn.Parameter(torch.from_numpy(initial(work, arguments.initial)))
    optimiser = torch.optim.Adam([table], lr=arguments.rate, fused=True)
    batch = arguments.batch
    copies = balance(language)
    steps = arguments.epochs * (int(copies.sum()) // batch)
    step, begun = 0, time.monotonic()
    for _ in range(arguments.epochs):
        drawn = np.floor(copies + rng.random(len(copies))).astype(np.int64)
        order = rng.permutation(np.repeat(np.arange(len(query)), drawn))
        for at in range(0, len(order) - batch + 1, batch):
            index = order[at : at + batch]
            with_path = rng.random(batch) < 0.5
            documents = _with_paths(code.take(index), path.take(index), with_path)
            q = _embed(table, query.take(index), DROP_QUERY, rng)
            d = _embed(table, documents, DROP_DOCUMENT, rng)
            same = _same(code_hash[index]) | _same(query_hash[index])
            logits = (q @ d.T / arguments.temperature).masked_fill(same, -1e4)
            target = torch.arange(batch)
            loss = (
                functional.cross_entropy(logits, target)
                + functional.cross_entropy(logits.T, target)
            ) / 2
            for group in optimiser.param_groups:
                group["lr"] = (
                    arguments.rate * min(1.0, (step + 1) / WARMUP) * max(0.02, 1 - step / steps)
                )
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
            optimiser.step()
            step += 1
            if step % 20 == 0:
                say(f"{step}/{steps} loss {loss.item():.4f} {time.monotonic() - begun:.0f}s")
    trained: npt.NDArray[np.float32] = table.detach().numpy()
    return trained


def initial(work: Path, name: str) -> npt.NDArray[np.float32]:
    """The table that training begins from: ``WORK/name``, else random with unit-length rows."""
    if name and (work / name).exists():
        table: npt.NDArray[np.float32] = np.load(work / name).astype(np.float32)
        return table
    words = len((work / "vocabulary.txt").read_text(encoding="utf-8").split("\n")) - 1
    rng = np.random.default_rng(0)
    drawn: npt.NDArray[np.float32] = rng.standard_normal((words + BUCKETS, DIMENSION), np.float32)
    return drawn / np.float32(DIMENSION**0.5)


def balance(language: npt.NDArray[np.int16]) -> npt.NDArray[np.float64]:
    """How often each pair is drawn in an epoch: rare languages up to three times, (n,).

    An epoch is of fixed length; a language's share of it is the square root of its size.
    """
    counts = np.bincount(language)
    shares = np.sqrt(counts) * len(language) / np.sqrt(counts).sum()
    copies: npt.NDArray[np.float64] = np.minimum(shares / counts, MAX_COPIES)[language]
    return copies


def _same(hashes: npt.NDArray[np.int64]) -> Tensor:
    """(n, n) true where two different rows are the same text: not to be pushed apart."""
    equal = torch.from_numpy(hashes[:, None] == hashes[None, :])
    return equal.fill_diagonal_(False)


def _with_paths(code: Bags, path: Bags, chosen: npt.NDArray[np.bool_]) -> Bags:
    """Add the path's tokens to the ``chosen`` documents."""
    n = len(code)
    lengths = np.diff(path.offsets) * chosen
    keep = np.repeat(chosen, np.diff(path.offsets))
    document = np.concatenate(
        [np.repeat(np.arange(n), np.diff(code.offsets)), np.repeat(np.arange(n), lengths)]
    )
    rows = np.concatenate([code.rows, path.rows[keep]])
    weights = np.concatenate([code.weights, path.weights[keep]])
    order = np.argsort(document, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.diff(code.offsets) + lengths)])
    return Bags(rows[order], weights[order], offsets)


def _embed(table: Tensor, bags: Bags, drop: float, rng: np.random.Generator) -> Tensor:
    kept = (rng.random(len(bags.rows)) >= drop).astype(np.float32)
    summed = functional.embedding_bag(
        torch.from_numpy(bags.rows.astype(np.int64)),
        table,
        torch.from_numpy(bags.offsets[:-1]),
        mode="sum",
        per_sample_weights=torch.from_numpy(bags.weights * kept),
    )
    return functional.normalize(summed, dim=1, eps=1e-6)


if __name__ == "__main__":
    main()
