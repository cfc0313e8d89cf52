"""A chat endpoint on this machine that answers as scripted and keeps what it was sent."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


# a text, parts of a stream, or (name, arguments as JSON) of tools to call
Answer: TypeAlias = "str | Sequence[bytes | float] | Sequence[tuple[str, str]]"
DONE = b"data: [DONE]\n\n"


@dataclass
class ChatServer:
    """Its address, what it says (bytes in parts; a number waits), and what it was asked."""

    url: str = ""
    status: int = 200
    content_type: str = "text/event-stream"
    script: list[bytes | float] = field(default_factory=list)
    answers: Callable[[dict[str, Any]], Answer] | None = None  # in place of the script
    refuses: Callable[[dict[str, Any]], str] = lambda body: ""
    promised: int = 0  # bytes that Content-Length promises; 0: none
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    stopped: Event = field(default_factory=Event)

    def says(self, *texts: str) -> None:
        """Stream these pieces, then stop as OpenAI does."""
        self.script = [*(piece(text) for text in texts), piece(None, "stop"), DONE]


def piece(content: Any, finish: str | None = None, **fields: Any) -> bytes:
    """One event of a stream."""
    delta = ({"content": content} if content is not None else {}) | fields
    document = {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    return b"data: " + json.dumps(document).encode() + b"\n\n"


def scripted(answer: Answer) -> list[bytes | float]:
    """What is sent for an answer: a text, the tools that are wanted, or the parts themselves."""
    if isinstance(answer, str):
        return [piece(answer), piece(None, "stop"), DONE]
    if all(isinstance(part, bytes | int | float) for part in answer):
        return [part for part in answer if not isinstance(part, tuple)]
    calls = [
        {
            "index": i,
            "id": f"call_{i}",
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }
        for i, (name, arguments) in enumerate(answer)
    ]
    return [piece(None, tool_calls=calls), piece(None, "tool_calls"), DONE]


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """Serve until the block ends."""
    state = ChatServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append(body)
            state.keys.append(self.headers.get("Authorization", ""))
            state.paths.append(self.path)
            refusal = state.refuses(body)
            self.send_response(400 if refusal else state.status)
            kind = "application/json" if refusal else state.content_type
            self.send_header("Content-Type", kind)
            if state.promised:
                self.send_header("Content-Length", str(state.promised))
            self.send_header("Connection", "close")
            self.end_headers()
            if refusal:
                self.wfile.write(json.dumps({"error": {"message": refusal}}).encode())
                return
            try:
                script = state.script
                if state.answers is not None:
                    script = scripted(state.answers(body))
                for part in script:
                    if isinstance(part, bytes):
                        self.wfile.write(part)
                        self.wfile.flush()
                    else:
                        state.stopped.wait(part)
            except OSError:
                pass  # the reader had enough
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.stopped.set()
        server.shutdown()
        thread.join()
        server.server_close()
