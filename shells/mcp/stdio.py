"""Serving over standard input and output, which carries messages of the protocol and nothing else.

The SDK moves both descriptors out of the way while it serves: what anything else prints lands on
standard error.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import traceback
from types import FrameType

import anyio
from mcp.server.stdio import stdio_server

from codequarry.errors import QuarryError, UsageError
from codequarry.shells.mcp.repository import Repository
from codequarry.shells.mcp.server import make_server
from codequarry.shells.mcp.session import run_session


def serve_stdio(repository: Repository) -> None:
    """Serve until the client closes its end, or a signal ends the process.

    Raises:
        UsageError: there is no standard input or output.
    """
    if sys.stdin is None or sys.stdout is None:
        raise UsageError("standard input or output is closed", "an agent starts this command")
    logging.basicConfig(stream=sys.stderr, level=logging.ERROR)
    # the thread that reads standard input cannot be interrupted while the client is silent
    signal.signal(signal.SIGTERM, _end_at_once)
    signal.signal(signal.SIGINT, _end_at_once)
    try:
        anyio.run(_serve, repository)
    except* (ConnectionError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass  # the client reads no more: nobody is left to tell


def _end_at_once(number: int, _: FrameType | None) -> None:
    os._exit(128 + number)


async def _serve(repository: Repository) -> None:
    server = make_server(repository)
    async with stdio_server() as (read, write), anyio.create_task_group() as tasks:
        tasks.start_soon(anyio.to_thread.run_sync, _begin_first_index, repository)
        await run_session(server, read, write)
        tasks.cancel_scope.cancel()


def _begin_first_index(repository: Repository) -> None:
    """A repository without an index gets one while the client says hello."""
    try:
        repository.indexer.ensure()
    except QuarryError as error:  # every tool says so when it is called
        sys.stderr.write(f"{error.message}\n")
    except Exception as error:  # the border of a background task: the session goes on without it
        traceback.print_exception(error)
