"""An embedding endpoint on this machine that keeps what it was sent."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH = 8


@dataclass
class Sent:
    """The address, and the texts of every request."""

    url: str = ""
    requests: list[list[str]] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        return [text for request in self.requests for text in request]


def vector_of(text: str) -> list[float]:
    vector = [1.0] * WIDTH
    for word in text.split():
        vector[sum(word.encode()) % WIDTH] += 1
    return vector


@contextmanager
def loopback() -> Iterator[Sent]:
    """Serve until the block ends."""
    sent = Sent()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            sent.requests.append(body["input"])
            rows = [
                {"object": "embedding", "index": i, "embedding": vector_of(text)}
                for i, text in enumerate(body["input"])
            ]
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            reply = {"object": "list", "model": body["model"], "data": rows, "usage": usage}
            data = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sent.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield sent
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
