"""Ranking measures of one query, from `ir-measures`, and the measures of a bundle.

A relevant file is a gold or a secondary one; both have gain 1, as in the public benchmark.

* NDCG@k: Järvelin & Kekäläinen, ACM TOIS 20(4), 2002; gain / log2(1 + rank), over the ideal.
* MRR: Voorhees, TREC-8 question answering track, 1999; the first relevant file.
* R@k (success@k): a relevant file is within the first k. Gold@1: the first file is a gold one.
* Acc@k: all gold files are within the first k.
* CORE and bundle recall: the share of the relevant files that was delivered, whatever the order.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import ir_measures
from ir_measures import RR, Success, nDCG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codequarry.eval.golden import Golden, Target
    from codequarry.eval.protocol import Answer, ChunkHit

_QUERY = "q"
_NDCG = nDCG @ 10
_RANKED = (_NDCG, RR, Success @ 1, Success @ 5, Success @ 10)


@dataclass(frozen=True, slots=True)
class Scores:
    """The measures of one query, each from 0 to 1."""

    ndcg_at_10: float = 0.0  # over deduplicated files
    chunk_ndcg_at_10: float = 0.0  # over chunk ranks, as the public benchmark publishes it
    mrr: float = 0.0
    r_at_1: float = 0.0
    r_at_5: float = 0.0
    r_at_10: float = 0.0
    gold_at_1: float = 0.0
    acc_at_1: float = 0.0
    acc_at_5: float = 0.0
    acc_at_10: float = 0.0
    core_recall: float = 0.0
    bundle_recall: float = 0.0
    bundle_complete: float = 0.0  # 1 when every relevant file is in the bundle


MEASURES: tuple[str, ...] = tuple(field.name for field in fields(Scores))


def score(row: Golden, answer: Answer) -> Scores:
    """Measure one answer."""
    files, gold, relevant = answer.files, row.gold_paths, row.relevant_paths
    ndcg, mrr, *success = _ranked(files, relevant)
    bundle = recall(files, relevant)
    return Scores(
        ndcg_at_10=ndcg,
        chunk_ndcg_at_10=chunk_ndcg_at_10(answer.chunks, (*row.gold, *row.secondary)),
        mrr=mrr,
        r_at_1=success[0],
        r_at_5=success[1],
        r_at_10=success[2],
        gold_at_1=float(bool(files) and files[0] in gold),
        acc_at_1=float(recall(files[:1], gold) == 1.0),
        acc_at_5=float(recall(files[:5], gold) == 1.0),
        acc_at_10=float(recall(files[:10], gold) == 1.0),
        core_recall=recall(answer.core, relevant),
        bundle_recall=bundle,
        bundle_complete=float(bundle == 1.0),
    )


def ndcg_at_10(ranking: Sequence[str], relevant: Sequence[str]) -> float:
    """NDCG@10 with gain 1 for each relevant document; the ranking must be without repeats."""
    (value,) = ir_measures.iter_calc([_NDCG], _qrels(relevant), _run(ranking))
    return float(value.value)


def chunk_ndcg_at_10(chunks: Sequence[ChunkHit], targets: Sequence[Target]) -> float:
    """NDCG@10 over chunk ranks.

    A target stands at the rank of the first chunk of its file that overlaps its span (any chunk
    when it has none). Further chunks of a file that is already found take up ranks, and targets
    first met by the same chunk count once, as the benchmark's published program has it.
    """
    first_met: dict[int, str] = {}
    for number, target in enumerate(targets):
        for rank, (path, start, end, _) in enumerate(chunks[:10]):
            if target.met_by(path, start, end):
                first_met.setdefault(rank, f"target {number}")
                break
    ranking = [first_met.get(rank, f"other {rank}") for rank in range(min(10, len(chunks)))]
    return ndcg_at_10(ranking, [f"target {number}" for number in range(len(targets))])


def recall(found: Sequence[str], wanted: Sequence[str]) -> float:
    """The fraction of the wanted files that were found, wherever they stand."""
    return len(set(wanted).intersection(found)) / len(set(wanted))


def first_rank(ranking: Sequence[str], wanted: Sequence[str]) -> int:
    """The 1-based rank of the first wanted file; 0 when there is none."""
    return next((rank for rank, path in enumerate(ranking, 1) if path in wanted), 0)


def _ranked(ranking: Sequence[str], relevant: Sequence[str]) -> list[float]:
    """Give the values of `_RANKED`, in its order; a ranking without documents gives zeros."""
    found = {
        metric.measure: float(metric.value)
        for metric in ir_measures.iter_calc(_RANKED, _qrels(relevant), _run(ranking))
    }
    return [found[measure] for measure in _RANKED]


def _qrels(relevant: Sequence[str]) -> list[ir_measures.Qrel]:
    return [ir_measures.Qrel(_QUERY, path, 1) for path in dict.fromkeys(relevant)]


def _run(ranking: Sequence[str]) -> list[ir_measures.ScoredDoc]:
    """Give ranks as scores: the library sorts by score, and equal ones by name."""
    return [ir_measures.ScoredDoc(_QUERY, path, -float(rank)) for rank, path in enumerate(ranking)]
