"""Step 6: MRR@10 of held-out doc sentences against held-out code, per language, beside BM25.

``python -m codequarry.models.training.evaluate WORK [FOLDER]`` measures the weight files in
FOLDER (default: those of the package) on ``WORK/heldout.jsonl``. BM25 ranks the same tokens.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import numpy.typing as npt

from codequarry.identifiers import term_counts
from codequarry.models.static import DATA, StaticEmbedder
from codequarry.models.training.report import say
from codequarry.models.training.vocabulary import path_text

MAX_DOCUMENTS = 4000
MAX_QUERIES = 1000
K1, B = 1.2, 0.75


def main() -> None:
    """Print a table: language, queries, documents, BM25, static model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("folder", type=Path, nargs="?", default=DATA)
    parser.add_argument("--no-bm25", action="store_true")
    parser.add_argument("--paths", action="store_true", help="add path words to the documents")
    arguments = parser.parse_args()
    groups: dict[str, list[dict[str, str]]] = defaultdict(list)
    for line in (arguments.work / "heldout.jsonl").read_text(encoding="utf-8").split("\n"):
        if line:
            row = json.loads(line)
            groups[row["l"]].append(row)
    model = StaticEmbedder.open(arguments.folder)
    totals = []
    for language, rows in sorted(groups.items()):
        queries, documents, gold = sample(rows, with_path=arguments.paths)
        dense = model.embed_documents(queries) @ model.embed_documents(documents).T
        lexical = np.zeros_like(dense) if arguments.no_bm25 else bm25(queries, documents)
        scores = (mrr(lexical, gold), mrr(dense, gold), mrr(_z(lexical) + 2 * _z(dense), gold))
        totals.append(scores)
        say(
            f"{language:12}{len(queries):6}{len(documents):6}"
            + "".join(f"{one:8.3f}" for one in scores)
        )
    say("mean".ljust(24) + "".join(f"{one:8.4f}" for one in np.mean(totals, axis=0)))


def sample(
    rows: list[dict[str, str]], *, with_path: bool
) -> tuple[list[str], list[str], list[int]]:
    """Queries, distinct documents, and the position of each query's document."""
    chosen = np.random.default_rng(0).permutation(len(rows))[:MAX_DOCUMENTS]
    rows = [rows[i] for i in chosen]
    documents: dict[str, int] = {}
    queries: list[str] = []
    gold: list[int] = []
    for row in rows:
        text = path_text(row["p"]) + "\n" + row["c"] if with_path else row["c"]
        place = documents.setdefault(text, len(documents))
        queries.append(row["d"])
        gold.append(place)
    return queries[:MAX_QUERIES], list(documents), gold[:MAX_QUERIES]


def mrr(scores: npt.NDArray[np.float32], gold: list[int], depth: int = 10) -> float:
    """Mean reciprocal rank within ``depth``; ties count against us."""
    own = scores[np.arange(len(gold)), gold][:, None]
    ranks = (scores >= own).sum(axis=1)
    return float(np.where(ranks <= depth, 1.0 / ranks, 0.0).mean())


def bm25(queries: list[str], documents: list[str]) -> npt.NDArray[np.float32]:
    """BM25 scores (queries, documents) over `codequarry.identifiers` parts."""
    counts = [term_counts(text)[0] for text in documents]
    lengths = np.array([sum(one.values()) for one in counts], np.float32)
    norm = K1 * (1 - B + B * lengths / lengths.mean())
    postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for i, one in enumerate(counts):
        for term, count in one.items():
            postings[term].append((i, count))
    scores = np.zeros((len(queries), len(documents)), np.float32)
    for row, query in enumerate(queries):
        for term, times in Counter(term_counts(query)[0]).items():
            held = postings.get(term)
            if not held:
                continue
            places = np.array([one[0] for one in held])
            tf = np.array([one[1] for one in held], np.float32)
            idf = math.log(1 + (len(documents) - len(held) + 0.5) / (len(held) + 0.5))
            scores[row, places] += min(times, 1) * idf * tf * (K1 + 1) / (tf + norm[places])
    return scores


def _z(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    spread = scores.std(axis=1, keepdims=True)
    spread[spread == 0] = 1
    result: npt.NDArray[np.float32] = (scores - scores.mean(axis=1, keepdims=True)) / spread
    return result


if __name__ == "__main__":
    main()
