"""`quarry mcp`: the same answers for coding agents."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import click

from codequarry.errors import QuarryError, UsageError

if TYPE_CHECKING:
    from codequarry.shells.mcp.repository import Repository

_PORT = 8081


@click.command("mcp")
@click.option(
    "-C", "path", type=click.Path(path_type=Path), default=None, help="Work on this repository."
)
@click.option("--http", is_flag=True, help="Serve streamable HTTP instead of stdin and stdout.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to bind.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=_PORT,
    show_default=True,
    help="0 takes a free one.",
)
@click.option(
    "--token",
    envvar="QUARRY_TOKEN",
    default="",
    help="Ask for this token; better set QUARRY_TOKEN, which others cannot see.",
)
@click.pass_context
def mcp_command(
    ctx: click.Context, path: Path | None, http: bool, host: str, port: int, token: str
) -> int:
    """Serve agents over the Model Context Protocol: on stdin and stdout, or over HTTP.

    Agents start it themselves; `quarry install` tells them how. A repository that was never
    indexed is indexed in the background, and tools say how far that is.

    \b
    Examples:
      quarry -C ~/src/app mcp
      quarry mcp --http --port 8081
    """
    gc.disable()  # the client waits; to look for garbage takes a fifth of the imports' time
    try:
        from codequarry.shells.mcp.repository import Repository
        from codequarry.shells.mcp.stdio import serve_stdio
    except ImportError as error:
        raise UsageError(
            f"the agents' server needs {error.name}, which is not installed",
            "pip install 'codequarry[mcp]'",
        ) from error
    finally:
        gc.enable()
    repository = Repository(path or (ctx.obj or {}).get("path") or Path())
    if http:
        return _http(repository, host, port, token.strip())
    status = 0
    try:
        serve_stdio(repository)
    except QuarryError:
        raise
    except Exception as error:
        traceback.print_exception(error)
        status = 1
    sys.stderr.flush()
    os._exit(status)  # a thread that reads or works must not keep a server whose client is gone


def _http(repository: Repository, host: str, port: int, token: str) -> int:
    from codequarry.shells.http.server import bound_socket, url_of
    from codequarry.shells.http.service import ServeOptions
    from codequarry.shells.mcp.http import PATH, serve_http

    bound = bound_socket(host, port, token)
    address = url_of(bound, "").rstrip("/") + PATH

    def ready() -> None:
        click.echo(f"serving agents at {address}" + (", with the token" if token else ""))

    repository.indexer.ensure()
    try:
        serve_http(repository, ServeOptions(host, token), bound, ready)
    except KeyboardInterrupt:
        pass  # asked to end, and ended
    finally:
        bound.close()
    return 0
