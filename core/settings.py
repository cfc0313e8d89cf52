"""Settings of a repository: ``quarry.toml`` or ``[tool.quarry]`` in ``pyproject.toml``.

Precedence: command line, then the environment (``QUARRY_MODEL``), then the file, then the
defaults here. Every key is checked; an unknown one is an error, not a silent no-op.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from codequarry.errors import UsageError

MAX_FILE_BYTES = 4 * 1024 * 1024
RANKERS = ("linear", "hybrid", "fused", "lexical", "dense")
BRING_BACK = ("generated", "vendored", "minified", "lock_file", "too_large")
_LEAST = {"workers": 0, "max_file_bytes": 1, "keep_revisions": 1}


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user may set; see README "Settings"."""

    name: str = ""  # shown in breadcrumbs; the root folder's name when empty
    model: str = "static"  # "static", "quality", "none" or "openai:<model>"
    base_url: str = ""  # of the OpenAI-compatible endpoint; OPENAI_BASE_URL when empty
    exclude: tuple[str, ...] = ()  # ignore patterns on top of .gitignore and .quarryignore
    include: tuple[str, ...] = ()  # patterns brought back from the built-in skips
    bring_back: tuple[str, ...] = ()  # built-in skips that are off: see `BRING_BACK`
    max_file_bytes: int = MAX_FILE_BYTES
    workers: int = 0  # processes for parsing; 0: one a usable core
    ranker: str = "linear"
    keep_revisions: int = 8  # revisions whose index is kept, by last use
    flows: bool = True  # keep answers, and give them again while what they cite stands
    chat_model: str = ""  # that narrates answers; a small one of OpenAI's when empty
    chat_base_url: str = ""  # of a chat server on this machine; OPENAI_BASE_URL goes before it


def load_settings(root: Path, **overrides: Any) -> Settings:
    """Read the settings of the repository at ``root``.

    Raises:
        UsageError: the file is not TOML, or a key or a type is wrong.
    """
    table, where = _read_table(root)
    known = {f.name: f for f in fields(Settings)}
    values: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name not in known:
            raise UsageError(
                f"{where}: unknown setting {key!r}", f"known settings: {', '.join(sorted(known))}"
            )
        values[name] = _checked(where, key, value, getattr(Settings(), name))
    if os.environ.get("QUARRY_MODEL"):
        values["model"] = os.environ["QUARRY_MODEL"]
    values.update({key: value for key, value in overrides.items() if value is not None})
    settings = replace(Settings(), **values)
    for key, low in _LEAST.items():
        if getattr(settings, key) < low:
            raise UsageError(f"{key} = {getattr(settings, key)} is too small", f"at least {low}")
    for reason in settings.bring_back:
        if reason not in BRING_BACK:
            raise UsageError(
                f"bring_back: there is no skip {reason!r}", f"some of: {', '.join(BRING_BACK)}"
            )
    if settings.ranker not in RANKERS:
        raise UsageError(f"unknown ranker {settings.ranker!r}", f"one of: {', '.join(RANKERS)}")
    return settings


def _read_table(root: Path) -> tuple[dict[str, Any], str]:
    own, shared = root / "quarry.toml", root / "pyproject.toml"
    for path in (own, shared):
        if path.exists() and not (path.is_file() or path.is_dir()):  # a pipe would be waited for
            if path == own:
                raise UsageError(f"{path.name} is not a file", "mend it")
            continue
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            if path == shared and b"[tool.quarry" not in path.read_bytes():
                continue  # somebody else's broken file is not ours to judge
            raise UsageError(f"{path.name} is not valid TOML: {error}", "mend it") from error
        except OSError as error:
            if path == shared:
                continue
            raise UsageError(f"{path.name} cannot be read: {error.strerror}", "mend it") from error
        if path == own:
            return document, path.name
        tool = document.get("tool", {})
        table = tool.get("quarry", {}) if isinstance(tool, dict) else {}
        if not isinstance(table, dict):
            raise UsageError("pyproject.toml: tool.quarry is not a table", "write [tool.quarry]")
        return table, "pyproject.toml [tool.quarry]"
    return {}, ""


def _checked(where: str, key: str, value: Any, default: Any) -> Any:
    if isinstance(default, tuple):
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise UsageError(f"{where}: {key} must be a list of strings", f'write {key} = ["…"]')
    if type(value) is not type(default):
        raise UsageError(
            f"{where}: {key} must be {type(default).__name__}, not {type(value).__name__}",
            f"for example {key} = {default!r}",
        )
    return value
