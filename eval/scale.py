"""How search scales: its time at 10^3 … 10^6 chunks, where it goes, and what a large index keeps.

Each size is measured in a process of its own, over a fleet (`codequarry.eval.fleet`). Questions
are those of a golden set, and first lines of docs and names of symbols drawn from the fleet.
Above `NARROWED_FROM` chunks the search in two stages is compared with scoring every file.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import numpy as np

from codequarry.errors import UsageError
from codequarry.eval.fleet import build_fleet, fleet_layout
from codequarry.models.provider import Embedder
from codequarry.models.registry import open_embedder
from codequarry.retrieval.answer import Answer
from codequarry.retrieval.bundle import make_bundle
from codequarry.retrieval.evidence import log_odds
from codequarry.retrieval.filters import Filters, apply_filters
from codequarry.retrieval.first_pass import by_codes
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.index import Index, Options
from codequarry.retrieval.products import products
from codequarry.retrieval.query import parse_query
from codequarry.retrieval.ranking import DENSE_WEIGHT, NARROWED_FROM, Profile, score
from codequarry.store.layout import Layout, find_root

STAGES = ("filters", "query", "lexical", "dense", "features", "evidence", "bundle")
DRAWN = 60  # questions of each kind that are drawn from the fleet
RECALL_AT = 50
_WARM = 10  # questions asked before the clock runs
_COPY = 1 << 28  # bytes copied to learn the machine's bandwidth

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Agreement:
    """How the search in two stages compares with scoring every file, over all questions.

    Attributes:
        recall: share of the `RECALL_AT` best chunks by cosine that were scored exactly.
        first: share of questions with the same first file.
        bundle: share of the wanted bundle's files that are in the bundle.
    """

    recall: float
    first: float
    bundle: float


@dataclass(frozen=True, slots=True)
class Measured:
    """One size.

    Attributes:
        chunks: how many.
        files: how many.
        copies: how often the sources were copied beyond themselves.
        wall_ms: p50, p95 and p99 of a search.
        cpu_ms: the same of the process's processor time, which other processes disturb less.
        stages: median milliseconds of each of `STAGES`.
        opening_ms: to open the generation.
        anonymous, mapped: resident MiB after all questions, allocated and mapped from files.
        product: GB/s that the product of all vectors with a query reads.
        copy: GB/s that the machine copies (read and written).
        agreement: None where there is one stage.
    """

    chunks: int
    files: int
    copies: int
    wall_ms: tuple[float, float, float]
    cpu_ms: tuple[float, float, float]
    stages: dict[str, float]
    opening_ms: float
    anonymous: float
    mapped: float
    product: float
    copy: float
    agreement: Agreement | None


def run_scale(
    places: Sequence[Path], sizes: Sequence[int], questions: Sequence[str], work: Path
) -> list[Measured]:
    """Build a fleet of each size out of indexed repositories and measure it.

    Args:
        places: the repositories.
        sizes: in chunks.
        questions: asked at every size.
        work: where the fleets are made; some 3 GB at a million chunks.

    Raises:
        IndexNotFound, IndexDamaged, IndexVersionError: of a repository's index.
        UsageError: a repository was indexed without the embedded model.
    """
    sources = [Generation.open(Layout.of(find_root(place))) for place in places]
    model = open_embedder("static")
    if any(model is None or s.manifest["model_key"] != model.identity.key for s in sources):
        raise UsageError("a repository has no vectors of the embedded model", "run: quarry index")
    found = []
    for size in sizes:
        root = work / f"chunks-{size}"
        build_fleet(root, sources, size)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
            found.append(alone.submit(measure, root, list(questions)).result())
    return found


def measure(root: Path, questions: Sequence[str]) -> Measured:
    """Measure the live generation at ``root`` in this process."""
    started = time.perf_counter()
    generation = Generation.open(fleet_layout(root))
    opening = (time.perf_counter() - started) * 1000
    model = open_embedder("static")
    assert model is not None
    index = Index(generation, model)
    texts = [*questions, *_drawn(generation)]
    if not texts:
        raise UsageError("nothing to ask: no docs and no symbols", "give --questions")
    options = Options(check_files=False)  # a fleet's files are on no disk
    for text in texts[:_WARM]:
        index.search(text, options)
    wall, cpu, answers = [], [], []
    for text in texts:
        before = time.perf_counter(), time.process_time()
        answers.append(index.search(text, options))
        wall.append((time.perf_counter() - before[0]) * 1000)
        cpu.append((time.process_time() - before[1]) * 1000)
    anonymous, mapped = _resident()
    narrowed = len(generation.chunk_files) > NARROWED_FROM
    return Measured(
        chunks=len(generation.chunk_files),
        files=generation.n_files,
        copies=int(generation.manifest.get("copies", 0)),
        wall_ms=_quantiles(wall),
        cpu_ms=_quantiles(cpu),
        stages=_stages(index, model, texts),
        opening_ms=opening,
        anonymous=anonymous,
        mapped=mapped,
        product=_product(generation),
        copy=_copied(),
        agreement=_agreement(index, texts, answers, options) if narrowed else None,
    )


def to_text(found: Sequence[Measured]) -> str:
    """The figures as Markdown tables."""
    head = "chunks files copies p50_ms p95 p99 cpu_p50 anon_MiB mapped_MiB open_ms".split()
    lines = [f"| {' | '.join(head)} |", "|" + "--:|" * len(head)]
    lines += [
        f"| {m.chunks:,} | {m.files:,} | {m.copies} | {m.wall_ms[0]:.1f} | {m.wall_ms[1]:.1f} "
        f"| {m.wall_ms[2]:.1f} | {m.cpu_ms[0]:.1f} | {m.anonymous:.0f} | {m.mapped:.0f} "
        f"| {m.opening_ms:.0f} |"
        for m in found
    ]
    lines += ["", f"| chunks | {' | '.join(STAGES)} | product GB/s | copy GB/s |"]
    lines += ["|" + "--:|" * (len(STAGES) + 3)]
    lines += [
        f"| {m.chunks:,} | {' | '.join(f'{m.stages[name]:.2f}' for name in STAGES)} "
        f"| {m.product:.1f} | {m.copy:.1f} |"
        for m in found
    ]
    for m in found:
        if m.agreement is not None:
            a = m.agreement
            lines.append(
                f"\n{m.chunks:,} chunks in two stages, against every file scored: recall@"
                f"{RECALL_AT} {a.recall:.4f}, first file {a.first:.3f}, bundle {a.bundle:.4f}"
            )
    return "\n".join(lines)


def _drawn(generation: Generation) -> list[str]:
    random = np.random.default_rng(0)
    docs = [doc for doc in generation.files["doc"].to_pylist() if len(doc.split()) > 3]
    names = generation.symbols["name"]
    drawn = [docs[i][:200] for i in random.permutation(len(docs))[:DRAWN].tolist()]
    return drawn + [names[i].as_py() for i in random.permutation(len(names))[:DRAWN].tolist()]


def _stages(index: Index, model: Embedder, texts: Sequence[str]) -> dict[str, float]:
    """The median milliseconds of each stage, run one by one as a search runs them."""
    generation = index.generation
    spent: dict[str, list[float]] = {name: [] for name in STAGES}

    def timed(name: str, work: Callable[..., T], *of: object) -> T:
        started = time.perf_counter()
        result = work(*of)
        spent[name].append((time.perf_counter() - started) * 1000)
        return result

    codes, scored = generation.chunk_codes, partial(score, narrowed=True)
    for text in texts:
        allowed = timed("filters", apply_filters, generation, Filters()).chunks
        query = timed("query", parse_query, text, model, index.own_name)
        if not query.vector.any():
            continue
        lexical = timed("lexical", generation.body.scores, query.weights)
        if codes is None:
            timed("dense", products, generation.chunk_vectors, query.vector)
        else:
            asked = (codes, query, lexical, allowed, DENSE_WEIGHT)
            timed("dense", by_codes, generation, *asked)
        scores = timed("features", scored, generation, query, Profile.LINEAR, allowed)
        spent["features"][-1] -= spent["lexical"][-1] + spent["dense"][-1]
        timed("evidence", log_odds, generation, query, scores)
        timed("bundle", make_bundle, generation, scores)
    return {name: float(np.median(values)) for name, values in spent.items()}


def _agreement(
    index: Index, texts: Sequence[str], answers: Sequence[Answer], options: Options
) -> Agreement:
    generation = index.generation
    whole = Index(generation, index.model, whole=True)
    allowed = apply_filters(generation, Filters()).chunks
    recall, first, bundle = [], [], []
    for text, answer in zip(texts, answers, strict=True):
        wanted = whole.search(text, options)
        if wanted.paths:
            first.append(answer.paths[:1] == wanted.paths[:1])
            bundle.append(len(set(wanted.paths) & set(answer.paths)) / len(wanted.paths))
        query = parse_query(text, index.model, index.own_name)
        if query.vector.any():
            cosines = products(generation.chunk_vectors, query.vector)
            cosines = np.where(allowed, cosines, -np.inf)
            best = np.argpartition(-cosines, RECALL_AT)[:RECALL_AT]
            seen = score(generation, query, Profile.LINEAR, allowed, narrowed=True).dense
            recall.append(np.isfinite(seen[best]).mean())
    return Agreement(*(float(np.mean(values)) for values in (recall, first, bundle)))


def _quantiles(values: Sequence[float]) -> tuple[float, float, float]:
    low, middle, high = np.quantile(values, [0.5, 0.95, 0.99]).tolist()
    return low, middle, high


def _product(generation: Generation) -> float:
    vectors = generation.chunk_vectors
    query = np.ones(vectors.shape[1], np.float32)
    return vectors.nbytes / _quickest(lambda: products(vectors, query)) / 1e9


def _copied() -> float:
    source = np.ones(_COPY // 8)
    target = np.empty_like(source)
    return 2 * _COPY / _quickest(lambda: np.copyto(target, source)) / 1e9


def _quickest(work: Callable[[], object], times: int = 5) -> float:
    """The least seconds of some runs: what the machine can do when nothing disturbs it."""
    spent = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        spent.append(time.perf_counter() - started)
    return min(spent)


def _resident() -> tuple[float, float]:
    """Resident MiB of this process, allocated and mapped from files; zeros off Linux."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 0.0, 0.0
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    anonymous, mapped = (int(fields[name].split()[0]) / 1024 for name in ("RssAnon", "RssFile"))
    return anonymous, mapped
