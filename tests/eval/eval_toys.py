"""Small things the tests of eval share: git, a word-counting engine, a few questions."""

from __future__ import annotations

import os
import re
import subprocess
import time
from typing import TYPE_CHECKING

from codequarry.errors import IndexEmpty
from codequarry.eval.golden import Golden, Target
from codequarry.eval.protocol import Answer, ChunkHit, IndexStats

if TYPE_CHECKING:
    from pathlib import Path

GIT_ENV = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}


def git(where: Path, *arguments: str, stdin: bytes = b"") -> str:
    done = subprocess.run(
        ["git", "-C", str(where), *arguments],
        input=stdin,
        check=True,
        capture_output=True,
        env=os.environ | GIT_ENV,
    )
    return done.stdout.decode().strip()


class WordSearcher:
    """Ranks files by how often they hold the query's words; a chunk is a file of two halves."""

    model = "none"

    def __init__(self) -> None:
        self.opened: list[Path] = []
        self.closed = 0

    def open(self, root: Path, name: str) -> WordSession:
        self.opened.append(root)
        files = {
            path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }
        if not files:
            raise IndexEmpty(f"no file in {root.name}")
        return WordSession(self, files)


class WordSession:
    def __init__(self, searcher: WordSearcher, files: dict[str, str]) -> None:
        self.searcher = searcher
        self.files = files
        self.stats = IndexStats(0.25, len(files), 2 * len(files), 0)

    def search(self, query: str, profile: str) -> Answer:
        if query == "break":
            raise RuntimeError("broken on purpose")
        started = time.perf_counter()
        words = re.findall(r"\w+", query.lower())
        scored = [
            (sum(text.lower().count(word) for word in words), path)
            for path, text in self.files.items()
        ]
        sign = 1 if profile == "reversed" else -1
        ranked = [path for n, path in sorted(scored, key=lambda s: (sign * s[0], s[1])) if n]
        chunks = [ChunkHit(path, 1, 5, 1.0) for path in ranked]
        elapsed = (time.perf_counter() - started) * 1000
        return Answer(tuple(ranked[:1]), tuple(ranked[1:3]), tuple(chunks), elapsed)

    def close(self) -> None:
        self.searcher.closed += 1


def question(query: str, *gold: str, **more: object) -> Golden:
    more = {"id": query, "repo": "toy", "language": "python", "kind": "symbol"} | more
    return Golden(query=query, gold=tuple(Target(path) for path in gold), **more)  # type: ignore[arg-type]


QUESTIONS = (
    question("store", "src/store.py"),
    question("cache", "src/cache.py", mentions_basename=True),
    question("socket", "src/wire.go", language="go", kind="semantic"),
    question("store cache", "src/cache.py", "src/log.py", exact_commit=False),
)
