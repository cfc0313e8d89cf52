"""What tests share: small trees, git, the command line as a process, published bytes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codequarry.pipelines.reindex import RunReport, reindex
from codequarry.retrieval.index import open_index
from codequarry.settings import Settings
from codequarry.store.generations import current_generation
from codequarry.store.layout import Layout

if TYPE_CHECKING:
    from collections.abc import Mapping

CASES = Path(__file__).parent / "cases"
LEXICAL = Settings(model="none", workers=1)
QUARRY = [sys.executable, "-m", "codequarry.shells.cli.main"]

_GIT_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "t",
    "GIT_AUTHOR_EMAIL": "t@example.invalid",
    "GIT_COMMITTER_NAME": "t",
    "GIT_COMMITTER_EMAIL": "t@example.invalid",
    "GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z",
}


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files (paths relative to ``root``) and return ``root``."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def modules(n: int, first: int = 0) -> dict[str, str]:
    """``n`` small, different Python modules; module i holds the marker ``unit<i>``."""
    words = ["ledger", "basket", "voucher", "courier", "stock", "refund", "tariff", "window"]
    made = {}
    for i in range(first, first + n):
        a, b = words[i % 8], words[(i * 3 + 1) % 8]
        made[f"mod_{i:02d}.py"] = (
            f'"""Module {i:02d}: {a} and {b}."""\n\n\n'
            f"def {a}_{b}_{i:02d}(amount):\n"
            f'    """Marker unit{i:02d}."""\n    return amount * {i + 2}\n'
        )
    return made


def git(folder: Path, *arguments: str) -> str:
    """Run git without anybody's configuration; its standard output."""
    return git_bytes(folder, *arguments).decode()


def git_bytes(folder: Path, *arguments: str) -> bytes:
    """As `git`, undecoded."""
    return subprocess.run(
        ["git", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *arguments],
        cwd=folder,
        env=os.environ | _GIT_ENVIRONMENT,
        check=True,
        capture_output=True,
    ).stdout


def commit_all(folder: Path, message: str = "x") -> str:
    """Make ``folder`` a repository if it is none, commit everything, return the commit."""
    if not (folder / ".git").exists():
        git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message, "--allow-empty")
    return git(folder, "rev-parse", "HEAD").strip()


def index(root: Path, settings: Settings = LEXICAL, **options: Any) -> RunReport:
    """Bring the index of ``root`` up to date in this process."""
    return reindex(root, settings, **options)


def generation_bytes(root: Path) -> dict[str, bytes]:
    """Every file of the live generation, by name; its id under ``""``."""
    folder = current_generation(Layout.of(root))
    found = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    return found | {"": folder.name.encode()}


def found_paths(root: Path, query: str, model: str = "none") -> list[str]:
    """The files of an answer, in ranked order."""
    return open_index(root, model=model).search(query).paths


@dataclass(frozen=True)
class Ran:
    """A finished command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)


def quarry_process(*arguments: str, cwd: Path | None = None, **environment: str) -> Ran:
    """Run ``quarry`` as a process of its own, to its end."""
    done = subprocess.run(
        [*QUARRY, *arguments],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
