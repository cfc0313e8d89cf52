"""The HTTP API over a repository, on a real socket, in a thread of the test's process."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import uvicorn

from codequarry.shells.http.app import make_app
from codequarry.shells.http.service import ServeOptions, Service

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def http_serving(root: Path, **options: Any) -> Iterator[httpx.Client]:
    """A client of a server that runs in a thread of this process."""
    service = Service.of(root, ServeOptions(**options))
    bound = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(make_app(service), log_config=None, lifespan="off", server_header=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    address = f"http://127.0.0.1:{bound.getsockname()[1]}"
    try:
        with httpx.Client(base_url=address, timeout=60, trust_env=False) as client:
            yield client
    finally:
        service.streams.stop()
        server.should_exit = True
        thread.join()
        bound.close()
