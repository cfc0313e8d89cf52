"""`quarry serve` and `quarry studio`: the HTTP API with the studio."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from codequarry.errors import UsageError
from codequarry.shells.cli.options import place_of, where
from codequarry.shells.cli.output import print_json, printable

_PORT = 8080


def _options(function: Any) -> Any:
    options = (
        where,
        click.option("--host", default="127.0.0.1", show_default=True, help="Address to bind."),
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=_PORT,
            show_default=True,
            help="0 takes a free one.",
        ),
        click.option(
            "--token",
            envvar="QUARRY_TOKEN",
            default="",
            help="Ask for this token; better set QUARRY_TOKEN, which others cannot see.",
        ),
        click.option("--readonly", is_flag=True, help="Never index, keep no answers."),
        click.option(
            "--rate-limit",
            type=click.IntRange(min=0),
            default=0,
            metavar="N",
            help="Questions a minute and client; a kept answer counts for nothing.",
        ),
        click.option(
            "--cors", multiple=True, metavar="ORIGIN", help="Let pages of this origin ask too."
        ),
        click.option(
            "--allow-host", "hosts", multiple=True, metavar="NAME", help="A name it is known by."
        ),
        click.option("--log", is_flag=True, help="Print a line a request, without what was asked."),
        click.option("--json", "as_json", is_flag=True, help="Print where it is as JSON."),
    )
    for option in reversed(options):
        function = option(function)
    return function


@click.command("serve")
@_options
@click.pass_context
def serve_command(ctx: click.Context, /, path: Path | None, **given: Any) -> int:
    """Serve the HTTP API and the studio on this machine.

    A repository that was never indexed is indexed in the background first. The API is described
    at /openapi.json. Bound to another address than loopback, it wants a token.

    \b
    Examples:
      quarry serve
      quarry -C ~/src/app serve --port 0 --readonly
      QUARRY_TOKEN=$(openssl rand -hex 16) quarry serve --host 0.0.0.0
    """
    return _serve(ctx, path, given, browser=False)


@click.command("studio")
@_options
@click.pass_context
def studio_command(ctx: click.Context, /, path: Path | None, **given: Any) -> int:
    """Open the studio in a browser: `quarry serve`, and its page.

    \b
    Examples:
      quarry studio
      quarry -C ~/src/app studio --port 0
    """
    return _serve(ctx, path, given, browser=True)


def _serve(ctx: click.Context, path: Path | None, given: dict[str, Any], *, browser: bool) -> int:
    try:
        from codequarry.shells.http.server import bound_socket, serve, url_of
        from codequarry.shells.http.service import ServeOptions, Service
    except ImportError as error:
        raise UsageError(
            f"serving needs {error.name}, which is not installed",
            "pip install 'codequarry[server]'",
        ) from error
    root = place_of(ctx, path).root
    token = given["token"].strip()
    names = tuple(name.lower() for name in given["hosts"])
    options = ServeOptions(
        given["host"],
        token,
        given["readonly"],
        given["rate_limit"],
        given["cors"],
        names,
        given["log"],
    )
    service = Service.of(root, options)
    bound = bound_socket(given["host"], given["port"], token)
    address = url_of(bound, token)

    def ready() -> None:
        if given["as_json"]:
            print_json({"url": address, "root": str(root), "port": bound.getsockname()[1]})
        else:
            click.echo(f"serving {printable(str(root))} at {address}")
        if browser:
            import webbrowser

            webbrowser.open(address)

    if not options.readonly:
        service.warm.indexer.ensure()
    try:
        serve(service, bound, ready)
    except KeyboardInterrupt:
        pass  # asked to end, and ended
    finally:
        bound.close()
    return 0
