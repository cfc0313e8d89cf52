"""Tiny weights and a loopback embedding endpoint."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from model_toys import Endpoint, write_tiny

from codequarry.models.static import StaticEmbedder


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    write_tiny(folder)
    return folder


@pytest.fixture(scope="session")
def tiny(tiny_folder: Path) -> StaticEmbedder:
    return StaticEmbedder.open(tiny_folder)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    for variable in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)
    state = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append(body)
            state.keys.append(self.headers.get("Authorization", ""))
            rows = [
                {"object": "embedding", "index": i, "embedding": vector}
                for i, vector in enumerate(state.answer(body["input"]))
            ]
            reply = {
                "object": "list",
                "model": body["model"],
                "data": state.order(rows),
                "usage": {"prompt_tokens": 1, "total_tokens": 1},
            }
            if state.status != 200:
                reply = {"error": {"message": "no such model"}}
            data = json.dumps(reply).encode()
            self.send_response(state.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield state
    server.shutdown()
    thread.join()
    server.server_close()
