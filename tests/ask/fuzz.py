"""Random answers in bulk: ``python tests/ask/fuzz.py [how many] [seed]``."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codequarry.ask.candidates import Candidates
    from codequarry.retrieval.index import Index

sys.path.insert(0, str(Path(__file__).parents[1]))

from answer_oracle import check, spliced, text_of
from answer_toys import TREE, cut, random_text


def fuzz(index: Index, candidates: Candidates, count: int, seed: int) -> tuple[int, int]:
    """Check ``count`` random answers, whole and cut; how many blocks and voids were in them."""
    source = random.Random(seed)
    blocks = voids = 0
    for _ in range(count):
        text = random_text(source)
        parts, splicer = spliced(index.generation, candidates, [text])
        check(parts)
        again, _ = spliced(index.generation, candidates, cut(text, source))
        assert text_of(again) == text_of(parts), text
        blocks += sum(part.shown is not None for part in parts)
        voids += splicer.void
    return blocks, voids


def main() -> None:
    """Fuzz from the command line."""
    from support import index, write_tree

    from codequarry.ask.candidates import find_candidates
    from codequarry.retrieval.index import open_index

    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as folder:
        root = write_tree(Path(folder) / "fees", TREE)
        index(root)
        opened = open_index(root, model="none")
        candidates = find_candidates(opened.generation, opened.search("fee"))
        started = time.perf_counter()
        blocks, voids = fuzz(opened, candidates, count, seed)
        seconds = time.perf_counter() - started
    sys.stdout.write(
        f"{count:,} answers, {blocks:,} blocks, {voids:,} void citations, {seconds:.0f} s: no line "
        "of code that was not read\n"
    )


if __name__ == "__main__":
    main()
