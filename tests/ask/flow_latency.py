"""How much faster a repeated question is: python tests/ask/flow_latency.py DIR [QUESTION]

DIR is an indexed repository. The first answer comes from a scripted chat endpoint over HTTP that
streams for seven seconds, as a hosted model does; the repeats come from what was kept.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from chat_server import chat_server, piece

from codequarry.ask.ask import AskOptions, ask, collect
from codequarry.ask.flows.book import open_book
from codequarry.ask.flows.store import FlowStore
from codequarry.ask.narrators.openai import OpenAINarrator
from codequarry.models.chat import open_chat
from codequarry.retrieval.index import Options, open_index
from codequarry.settings import Settings

STREAM_SECONDS, PIECES, REPEATS = 7.0, 100, 200


def main(root: str, question: str) -> None:
    index = open_index(Path(root))
    with chat_server() as server, tempfile.TemporaryDirectory() as folder:
        os.environ["OPENAI_BASE_URL"] = server.url
        words = [piece("word ") for _ in range(PIECES)]
        pauses = [STREAM_SECONDS / PIECES] * PIECES
        server.script = [part for pair in zip(words, pauses, strict=True) for part in pair]
        server.script += [piece("so: [[1]]\n"), piece(None, "stop"), b"data: [DONE]\n\n"]
        narrator = OpenAINarrator(open_chat(Settings(), "scripted"))
        book = open_book(index, Settings(), narrator, Options())
        assert book is not None
        book.store = FlowStore(Path(folder) / "flows.sqlite")
        options = AskOptions(book=book)
        took = []
        for _ in range(REPEATS + 1):
            started = time.perf_counter()
            answer = collect(ask(index, question, narrator, options))
            took.append(time.perf_counter() - started)
        assert answer.cached
    first, rest = took[0], sorted(took[1:])
    p50 = statistics.median(rest)
    sys.stdout.write(
        f"first {first:.2f} s; repeat p50 {1000 * p50:.2f} ms, p99 {1000 * rest[-2]:.2f} ms\n"
    )
    sys.stdout.write(f"{first / p50:,.0f} times faster\n")


if __name__ == "__main__":
    main(sys.argv[1], " ".join(sys.argv[2:]) or "how does this work")
