"""Keep evaluation code out even where its name does not show: by its long lines.

``python -m codequarry.models.training.overlap WORK GIT_DIRECTORY…`` hashes every long line of the
evaluation repositories' newest commits into ``WORK/evaluation-lines.npy``; step 3 then drops each
pair that holds one of them.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from codequarry.models.terms import term_hash
from codequarry.models.training.grammar import LANGUAGE_OF
from codequarry.models.training.report import say

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = 60  # characters of a line without its indentation: shorter ones are anybody's
_FILE = "evaluation-lines.npy"


def main() -> None:
    """Hash the long lines of the given repositories."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("repositories", type=Path, nargs="+")
    arguments = parser.parse_args()
    hashes: set[int] = set()
    for repository in arguments.repositories:
        before = len(hashes)
        for text in _sources(repository):
            hashes.update(long_lines(text))
        say(repository.name, len(hashes) - before)
    np.save(arguments.work / _FILE, np.array(sorted(hashes), np.uint64))


def long_lines(text: str) -> set[int]:
    """The hashes of the long lines of ``text``."""
    stripped = (line.strip() for line in text.split("\n"))
    return {term_hash(line) for line in stripped if len(line) >= LONG}


def forbidden_lines(work: Path) -> frozenset[int]:
    """What `main` wrote; empty if it was not run."""
    path = work / _FILE
    return frozenset(np.load(path).tolist()) if path.exists() else frozenset()


def _sources(repository: Path) -> Iterator[str]:
    """The source files of the newest commit, straight from the object store."""
    listing = subprocess.run(
        ["git", "-C", str(repository), "ls-tree", "-r", "-z", "--full-tree", "HEAD"],
        capture_output=True,
        check=True,
    )
    blobs = []
    for entry in listing.stdout.decode("utf-8", "replace").split("\0"):
        head, _, path = entry.partition("\t")
        if Path(path).suffix in LANGUAGE_OF:
            blobs.append(head.split()[2])
    reading = subprocess.run(
        ["git", "-C", str(repository), "cat-file", "--batch"],
        input="\n".join(blobs).encode(),
        capture_output=True,
        check=True,
    )
    data, at = reading.stdout, 0
    while at < len(data):
        end = data.index(b"\n", at)
        words = data[at:end].split()
        size = int(words[2]) if len(words) == 3 else 0  # "<id> missing" has no body
        yield data[end + 1 : end + 1 + size].decode("utf-8", "replace")
        at = end + 1 + (size + 1 if len(words) == 3 else 0)


if __name__ == "__main__":
    main()
