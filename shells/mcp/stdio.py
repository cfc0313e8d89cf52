"""Serving over standard input and output, which carries messages of the protocol and nothing else.

The SDK moves both descriptors out of the way while it serves: what anything else prints lands on
standard error.
"""

from __future__ import annotations

import logging
import sys

import anyio
from mcp.server.stdio import stdio_server

from codequarry.shells.mcp.repository import Repository
from codequarry.shells.mcp.server import make_server


def serve_stdio(repository: Repository) -> None:
    """Serve until the client closes its end."""
    logging.basicConfig(stream=sys.stderr, level=logging.ERROR)
    anyio.run(_serve, repository)


async def _serve(repository: Repository) -> None:
    server = make_server(repository)
    async with stdio_server() as (read, write), anyio.create_task_group() as tasks:
        tasks.start_soon(anyio.to_thread.run_sync, _begin_first_index, repository)
        await server.run(read, write, server.create_initialization_options())
        tasks.cancel_scope.cancel()


def _begin_first_index(repository: Repository) -> None:
    """A repository without an index gets one while the client says hello."""
    from codequarry.errors import QuarryError  # after the handshake has begun

    try:
        repository.indexer.ensure()
    except QuarryError as error:  # every tool says so when it is called
        sys.stderr.write(f"{error.message}\n")
