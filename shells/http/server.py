"""Running the application: the socket first, so that a taken port is one line, then uvicorn."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import socket
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from codequarry.errors import QuarryError, UsageError
from codequarry.shells.http.app import make_app
from codequarry.shells.http.guard import is_loopback
from codequarry.shells.http.service import Service

_GRACE = 3  # seconds for answers under way when the server ends
_IDLE = 20  # seconds that a connection without a request is kept
_MOST_CONNECTIONS = 512
_BACKLOG = 256


class _Server(uvicorn.Server):
    """Says so when it is asked to end, before it waits for answers under way."""

    def __init__(self, config: uvicorn.Config, ending: Callable[[], None]) -> None:
        super().__init__(config)
        self._ending = ending

    def handle_exit(self, sig: int, frame: object) -> None:
        """Ctrl-C or a request to end."""
        self._ending()
        super().handle_exit(sig, frame)  # type: ignore[arg-type]


def bound_socket(host: str, port: int, token: str) -> socket.socket:
    """Bind the address; port 0 takes a free one.

    Raises:
        UsageError: others could reach it and there is no token, or the host is none.
        QuarryError: the port is taken or may not be used.
    """
    if not is_loopback(host) and not token:
        raise UsageError(
            f"{host} can be reached by others, and no token is set",
            "give --token, or set QUARRY_TOKEN; or leave out --host",
        )
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, UnicodeError) as error:
        raise UsageError(f"there is no address {host!r}", "for example 127.0.0.1") from error
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(_BACKLOG)
    except OSError as error:
        bound.close()
        taken = error.errno == errno.EADDRINUSE
        what = "is taken" if taken else f"cannot be bound: {error.strerror}"
        raise QuarryError(
            f"port {port} {what}", "give another --port; 0 takes a free one"
        ) from error
    return bound


def url_of(bound: socket.socket, token: str) -> str:
    """Where a browser finds the studio; a token goes in the part that is not sent."""
    host, port = bound.getsockname()[:2]
    name = f"[{host}]" if ":" in host else host
    name = "localhost" if ipaddress.ip_address(host).is_unspecified else name
    return f"http://{name}:{port}/" + (f"#token={token}" if token else "")


def serve(service: Service, bound: socket.socket, ready: Callable[[], None]) -> None:
    """Serve the HTTP API and the studio; see `run_app`."""
    run_app(make_app(service), bound, ready, ending=service.streams.stop)


def run_app(
    app: ASGIApp,
    bound: socket.socket,
    ready: Callable[[], None],
    *,
    ending: Callable[[], None] = lambda: None,
    lifespan: bool = False,
) -> None:
    """Serve until Ctrl-C or SIGTERM; answers under way get a few seconds to end.

    Args:
        app: what answers.
        bound: the listening socket.
        ready: called once requests are answered.
        ending: called when it is asked to end.
        lifespan: whether the application has something to start and to end itself.
    """
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="on" if lifespan else "off",
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_IDLE,
        timeout_graceful_shutdown=_GRACE,
        limit_concurrency=_MOST_CONNECTIONS,
        ws="none",
    )
    server = _Server(config, ending)

    async def run() -> None:
        serving = asyncio.create_task(server.serve(sockets=[bound]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        if server.started:
            ready()
        await serving

    asyncio.run(run())
