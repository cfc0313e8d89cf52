"""The agents that can be set up: where each keeps its servers, and how an entry looks."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

NAME = "codequarry"  # of the entry

# A client expands this to the folder that is open in it.
_OPEN_FOLDER = "${workspaceFolder}"


class Scope(StrEnum):
    """For whom an agent is set up: all who work in the repository, or the user everywhere."""

    PROJECT = "project"
    USER = "user"


class Started(StrEnum):
    """In which folder a client starts its servers, so whether it must be told the repository."""

    THERE = "there"
    TOLD = "told"  # it fills in its own variable
    ELSEWHERE = "elsewhere"  # only the absolute path helps: the entry serves one repository


def _plain(command: list[str]) -> dict[str, Any]:
    return {"command": command[0], "args": command[1:]}


def _typed(command: list[str]) -> dict[str, Any]:
    return {"type": "stdio", **_plain(command)}


def _listed(command: list[str]) -> dict[str, Any]:
    return {"type": "local", "command": command}


@dataclass(frozen=True, slots=True)
class Agent:
    """One client of the protocol.

    Attributes:
        name: what the user types.
        title: what it is called.
        project: its file below the repository's root; empty where there is none.
        user: its file for the user; ``{…}`` are folders, see `_folders`.
        holder: the key its servers are under.
        entry: makes the entry of a command.
        started: where servers of the project's and of the user's file start.
        marks: commands and folders that show it is installed.
        default: the scope when none is asked for.
    """

    name: str
    title: str
    project: str
    user: str
    holder: str
    entry: Callable[[list[str]], dict[str, Any]]
    started: tuple[Started, Started]
    marks: tuple[str, ...]
    default: Scope = Scope.PROJECT


_HERE = (Started.THERE, Started.THERE)

AGENTS = (
    Agent(
        "claude",
        "Claude Code",
        ".mcp.json",
        "{claude}/.claude.json",
        "mcpServers",
        _typed,
        _HERE,
        ("claude", "{home}/.claude"),
    ),
    Agent(
        "codex",
        "Codex",
        ".codex/config.toml",
        "{codex}/config.toml",
        "mcp_servers",
        _plain,
        _HERE,
        ("codex", "{codex}"),
        default=Scope.USER,  # the project's file counts only once the user trusts the folder
    ),
    Agent(
        "cursor",
        "Cursor",
        ".cursor/mcp.json",
        "{home}/.cursor/mcp.json",
        "mcpServers",
        _plain,
        (Started.TOLD, Started.ELSEWHERE),
        ("cursor", "{home}/.cursor"),
    ),
    Agent(
        "vscode",
        "VS Code",
        ".vscode/mcp.json",
        "{application}/Code/User/mcp.json",
        "servers",
        _typed,
        (Started.TOLD, Started.TOLD),
        ("code", "{application}/Code"),
    ),
    Agent(
        "gemini",
        "Gemini CLI",
        ".gemini/settings.json",
        "{home}/.gemini/settings.json",
        "mcpServers",
        _plain,
        _HERE,
        ("gemini", "{home}/.gemini"),
    ),
    Agent(
        "windsurf",
        "Windsurf",
        "",
        "{home}/.codeium/windsurf/mcp_config.json",
        "mcpServers",
        _plain,
        (Started.ELSEWHERE, Started.ELSEWHERE),
        ("windsurf", "{home}/.codeium/windsurf"),
        default=Scope.USER,
    ),
    Agent(
        "zed",
        "Zed",
        ".zed/settings.json",
        "{zed}/settings.json",
        "context_servers",
        _plain,
        _HERE,
        ("zed", "zeditor", "{zed}"),
    ),
    Agent(
        "opencode",
        "OpenCode",
        "opencode.json",
        "{xdg}/opencode/opencode.json",
        "mcp",
        _listed,
        _HERE,
        ("opencode", "{xdg}/opencode"),
    ),
)


def configuration_of(agent: Agent, scope: Scope, root: Path) -> Path | None:
    """The file that an agent is set up in; None where it has none for the scope.

    A ``.jsonc`` beside it that is there already is taken where the file itself is not.
    """
    if scope is Scope.PROJECT:
        if not agent.project:
            return None
        path = root / agent.project
    else:
        path = Path(agent.user.format_map(_folders()))
    commented = path.with_suffix(".jsonc")
    return commented if commented.exists() and not path.exists() else path


def is_installed(agent: Agent) -> bool:
    """Whether there are signs of an agent on this machine."""
    folders = _folders()
    return any(
        Path(mark.format_map(folders)).is_dir() if mark.startswith("{") else shutil.which(mark)
        for mark in agent.marks
    )


def entry_of(agent: Agent, scope: Scope, root: Path) -> dict[str, Any]:
    """The entry that starts the server for a repository."""
    started = agent.started[scope is Scope.USER]
    there: dict[Started, list[str]] = {
        Started.THERE: [],
        Started.TOLD: ["-C", _OPEN_FOLDER],
        Started.ELSEWHERE: ["-C", str(root)],
    }
    return agent.entry([*_command(scope), *there[started], "mcp"])


def _command(scope: Scope) -> list[str]:
    """How the server is started: by name in a file that is shared, else by its path.

    Programs with windows are often started without the folders of the shell's PATH.
    """
    found = shutil.which("quarry")
    if found and scope is Scope.PROJECT:
        return ["quarry"]
    found = found or shutil.which("quarry", path=str(Path(sys.executable).parent))
    if found:
        return [str(Path(found).absolute())]
    # -P: nothing that lies in the folder the server is started in is imported
    return [sys.executable, "-P", "-m", "codequarry.shells.cli.main"]


def _folders() -> dict[str, str]:
    """Where programs keep their settings, as each of them finds it."""
    home = Path.home()
    xdg = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    xdg = xdg if xdg.is_absolute() else home / ".config"
    if sys.platform == "darwin":
        application = home / "Library" / "Application Support"
    elif sys.platform == "win32":
        application = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    else:
        application = xdg
    folders = {
        "home": home,
        "xdg": xdg,
        "application": application,
        "zed": application / "Zed" if sys.platform == "win32" else xdg / "zed",
        "codex": Path(os.environ.get("CODEX_HOME") or home / ".codex"),
        "claude": Path(os.environ.get("CLAUDE_CONFIG_DIR") or home),
    }
    return {name: str(folder) for name, folder in folders.items()}
