"""`quarry`: the group, its lazily loaded commands, and the border where errors become lines.

This module and what it imports stay free of Dagster: parsing processes re-import it.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from pathlib import Path
from typing import Any

import click

from codequarry import __version__
from codequarry.errors import ConfirmationRequired, QuarryError
from codequarry.shells.cli import interrupts
from codequarry.shells.cli.output import print_error, print_json

COMMANDS = {
    "scan": ("scan", "Show what would be indexed and what not, before indexing."),
    "index": ("index", "Bring the index up to date."),
    "reindex": ("reindex", "Derive the index anew where its rules changed, or all of it."),
    "watch": ("watch", "Keep the index up to date while files change."),
    "search": ("search", "Find every file that bears on a question."),
    "ask": ("ask", "Answer a question in prose, with code read from disk."),
    "flows": ("flows", "Look after the answers that are kept."),
    "get": ("read", "Print lines of an indexed file."),
    "chunks": ("read", "Show how a file was cut."),
    "def": ("edges", "Show where a symbol is defined."),
    "callers": ("edges", "Show who calls a symbol."),
    "callees": ("edges", "Show what a symbol calls."),
    "refs": ("edges", "Show every place that refers to a symbol."),
    "impact": ("edges", "Show who breaks when a symbol changes."),
    "signature": ("edges", "Show a symbol's signature and doc comment."),
    "map": ("graph", "Show a repository's communities and what everything touches."),
    "graph": ("graph", "Show the map, one file of it, or the route between two."),
    "links": ("links", "Show which code the documentation mentions."),
    "sql": ("sql", "Ask the published tables in SQL."),
    "status": ("status", "Show what is indexed, what is not, and why."),
    "export": ("export", "Write files, chunks, symbols or edges as JSON Lines or Parquet."),
    "serve": ("serve", "Serve the HTTP API and the studio."),
    "studio": ("serve", "Open the studio in a browser."),
    "mcp": ("mcp", "Serve agents over the Model Context Protocol."),
    "install": ("install", "Set up coding agents to use this index."),
    "repos": ("repos", "Look after the list of repositories that you work with."),
    "completion": ("completion", "Print the line that completes commands in your shell."),
    "doctor": ("doctor", "Check the installation and the index, with a repair for each fault."),
    "eval": ("evaluate", "Measure retrieval on a golden set."),
}
_FOR_AGENTS = frozenset(
    ("callers", "callees", "refs", "def", "signature", "impact", "sql", "graph", "links")
)
_COMPUTE_MUCH = frozenset(("index", "reindex", "eval"))
_INTERRUPTED = 130
_OF_INDEX_EXTRA = frozenset(("dagster", "pebble", "tree_sitter", "tree_sitter_language_pack"))


class LazyGroup(click.Group):
    """Imports a command's module only when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of the help page."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        if cmd_name not in COMMANDS:
            return None
        if cmd_name not in _COMPUTE_MUCH:
            # NumPy's threads wait for work spinning, a tenth of a second from its import on
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        module = importlib.import_module(f"codequarry.shells.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog='Start with: quarry search "how does login work"',
)
@click.version_option(__version__, prog_name="quarry")
@click.option(
    "-C",
    "path",
    type=click.Path(path_type=Path),
    default=None,
    help="Work on this repository (or a folder of it: then answers stay inside it).",
)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.pass_context
def cli(ctx: click.Context, path: Path | None, debug: bool) -> None:
    """Ask a repository a question; get every related file, ranked and complete."""
    ctx.obj = {"path": path, "debug": debug}


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    interrupts.listen()
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: list[str]) -> int:
    """Run the command line; the exit status: 0 done, 1 failed or nothing found, 2 usage."""
    command = _command_of(arguments)
    # nobody is at a terminal: agents get JSON; the standard output of `mcp` is the protocol's
    as_agent = command in _FOR_AGENTS and not sys.stdout.isatty()
    as_json = command != "mcp" and (as_agent or "--json" in arguments)
    debug = "--debug" in arguments or bool(os.environ.get("QUARRY_DEBUG"))
    arguments = [argument for argument in arguments if argument != "--debug"]
    try:
        result: Any = cli.main(arguments, prog_name="quarry", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "quarry"
        print_error(
            "usage", "UsageError", error.format_message(), f"see: {command} --help", as_json
        )
        return 2
    except (KeyboardInterrupt, click.Abort):
        return _interrupted()
    except (BrokenPipeError, SystemExit):  # Click's own way out of a broken pipe
        # the reader has enough; closing stdout again at exit must not complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except QuarryError as error:
        if debug:
            raise
        if as_json or (isinstance(error, ConfirmationRequired) and not sys.stdout.isatty()):
            print_json(error.envelope())
        else:
            print_error(error.code, type(error).__name__, error.message, error.hint, as_json=False)
        return error.exit_status
    except Exception as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # it came while a class was made
            return _interrupted()
        if debug:
            raise
        return _report_unexpected(error, as_json)
    return result if isinstance(result, int) else 0


def _command_of(arguments: list[str]) -> str:
    """The command's name, behind the options of the group."""
    words = iter(arguments)
    for word in words:
        if word == "-C":
            next(words, None)
        elif not word.startswith("-"):
            return word
    return ""


def _report_unexpected(error: Exception, as_json: bool) -> int:
    """What is left at the border: a missing extra, a full disk behind stdout, or a bug."""
    kind = type(error).__name__
    if isinstance(error, ModuleNotFoundError) and error.name in _OF_INDEX_EXTRA:
        what = f"indexing needs {error.name}, which is not installed"
        print_error("missing_extra", kind, what, "pip install 'codequarry[index]'", as_json)
        return 2
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        print_error("disk_full", kind, "the disk is full", "free some space", as_json=False)
        return 1
    message = f"{kind}: {error}".split("\n", maxsplit=1)[0]
    print_error("internal", kind, message, "this is a bug; see it with --debug", as_json)
    return 1


def _interrupted() -> int:
    click.echo("interrupted: the last complete index still serves", err=True)
    return _INTERRUPTED


if __name__ == "__main__":
    main()
