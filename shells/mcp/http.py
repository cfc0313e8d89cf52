"""Serving over streamable HTTP, behind the same guard as the HTTP API."""

from __future__ import annotations

import socket
from collections.abc import Callable

from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp

from codequarry.shells.http.guard import Guard
from codequarry.shells.http.server import run_app
from codequarry.shells.http.service import ServeOptions
from codequarry.shells.mcp.repository import Repository
from codequarry.shells.mcp.server import make_server

PATH = "/mcp"


def make_http_app(repository: Repository, options: ServeOptions) -> ASGIApp:
    """The application that serves one repository at `PATH`."""
    server = make_server(repository)
    # names and origins are the guard's to judge, which knows the token too
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = server.streamable_http_app(
        streamable_http_path=PATH, transport_security=security, host=options.host
    )
    return Guard(app, options, frozenset())


def serve_http(
    repository: Repository, options: ServeOptions, bound: socket.socket, ready: Callable[[], None]
) -> None:
    """Serve until Ctrl-C or SIGTERM."""
    run_app(make_http_app(repository, options), bound, ready, lifespan=True)
