"""Step 3: choose the vocabulary, split off the held-out packages, and encode all pairs.

``python -m codequarry.models.training.vocabulary WORK`` reads ``WORK/pairs`` and writes
``vocabulary.txt``, ``train-{query,code,path}.npz``, ``train-meta.npz`` and ``heldout.jsonl``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
import zlib
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from codequarry.identifiers import term_counts
from codequarry.models.training.bags import Encoder
from codequarry.models.training.overlap import forbidden_lines, long_lines
from codequarry.models.training.report import say

if TYPE_CHECKING:
    from collections.abc import Iterator

VOCABULARY = 40_960
BUCKETS = 16_384
MIN_PACKAGES = 3
MIN_DOCUMENTS = 20
HELD_OUT_SHARE = 0.05
HELD_OUT_MIN_PAIRS = 120
MAX_SAME_DOC = 4  # of one sentence in the whole corpus
_NUMBER = re.compile(r"\d{3,}$")


def main() -> None:
    """Build the vocabulary and the encoded training set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    work: Path = parser.parse_args().work
    held = held_out(work / "pairs")
    say(json.dumps({k: sorted(v) for k, v in held.items()}, indent=1))
    pairs = list(load(work / "pairs", forbidden_lines(work)))
    rest = [row for row in pairs if is_held_out(row, held)]
    anywhere = set().union(*held.values())
    train = [row for row in pairs if row["package"] not in anywhere and not is_held_out(row, held)]
    vocabulary = choose(train)
    (work / "vocabulary.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    with (work / "heldout.jsonl").open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rest)
    encoder = Encoder(vocabulary, BUCKETS)
    encoder.encode(row["d"] for row in train).save(work / "train-query.npz")
    encoder.encode(row["c"] for row in train).save(work / "train-code.npz")
    encoder.encode(path_text(row["p"]) for row in train).save(work / "train-path.npz")
    languages = sorted({row["l"] for row in train})
    np.savez(
        work / "train-meta.npz",
        code_hash=np.array([_hash(row["c"]) for row in train], np.uint64),
        query_hash=np.array([_hash(row["d"].lower()) for row in train], np.uint64),
        language=np.array([languages.index(row["l"]) for row in train], np.int16),
    )
    counts = Counter(row["l"] for row in train)
    say(len(train), "pairs", dict(counts.most_common()), "held out", len(rest))


def load(folder: Path, forbidden: frozenset[int]) -> Iterator[dict[str, Any]]:
    """Yield the distinct pairs of ``folder`` that hold no forbidden line, with ``package``."""
    docs: Counter[str] = Counter()
    dropped = 0
    seen: set[tuple[str, str]] = set()
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            if not line:
                continue
            row = json.loads(line)
            key = (row["d"], row["c"])
            docs[row["d"]] += 1
            if key in seen or docs[row["d"]] > MAX_SAME_DOC:
                continue
            seen.add(key)
            if forbidden and not forbidden.isdisjoint(long_lines(row["c"])):
                dropped += 1
                continue
            row["package"] = path.stem
            yield row
    say(dropped, "pairs hold a line of an evaluation repository")


def held_out(folder: Path) -> dict[str, set[str]]:
    """Choose, for each language, whole packages worth about 5 % of its pairs, by name hash."""
    sizes: dict[str, Counter[str]] = defaultdict(Counter)
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line:
                sizes[line[7 : line.index('"', 7)]][path.stem] += 1
    chosen: dict[str, set[str]] = {}
    for language, counts in sizes.items():
        total, taken, names = sum(counts.values()), 0, set()
        order = sorted(counts, key=lambda name: hashlib.sha256(f"held {name}".encode()).digest())
        for name in order:
            large_enough = counts[name] >= min(HELD_OUT_MIN_PAIRS, total // 20)
            if large_enough and counts[name] <= total / 6:
                names.add(name)
                taken += counts[name]
            if taken >= max(HELD_OUT_SHARE * total, 300) or taken >= 3000:
                break
        chosen[language] = names
    return chosen


def is_held_out(row: dict[str, Any], held: dict[str, set[str]]) -> bool:
    """Whether a pair is for measuring: by its package.

    Where one package has nearly all pairs of a language, one file in twenty is held out instead.
    """
    names = held[row["l"]]
    by_file = not names and zlib.crc32(row["p"].encode("utf-8", "replace")) % 20 == 0
    return row["package"] in names or by_file


def choose(rows: list[dict[str, Any]]) -> list[str]:
    """The most frequent terms, with languages balanced by the square root of their size."""
    by_language: dict[str, Counter[str]] = defaultdict(Counter)
    packages: dict[str, set[str]] = defaultdict(set)
    documents: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for row in rows:
        terms = (
            set(term_counts(row["d"])[0])
            | set(term_counts(row["c"])[0])
            | set(term_counts(path_text(row["p"]))[0])
        )
        by_language[row["l"]].update(terms)
        documents.update(terms)
        sizes[row["l"]] += 1
        for term in terms:
            if len(packages[term]) < MIN_PACKAGES:
                packages[term].add(row["package"])
    score: dict[str, float] = defaultdict(float)
    for language, counts in by_language.items():
        balance = 1.0 / math.sqrt(sizes[language])
        for term, count in counts.items():
            score[term] += balance * count
    allowed = [
        term
        for term in score
        if (len(packages[term]) >= MIN_PACKAGES or documents[term] >= MIN_DOCUMENTS)
        and not _NUMBER.fullmatch(term)
    ]
    allowed.sort(key=lambda term: (-score[term], term))
    return allowed[:VOCABULARY]


def path_text(path: str) -> str:
    """What of a path goes into a document: its last three segments, without the suffix."""
    return " ".join(path.rsplit(".", 1)[0].split("/")[-3:])


def _hash(text: str) -> int:
    return int.from_bytes(
        hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little"
    )


if __name__ == "__main__":
    main()
