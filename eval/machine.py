"""What a run ran on: the commit of codequarry, versions of what it stands on, the machine."""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

_PACKAGES = ("codequarry", "numpy", "pyarrow", "ir-measures", "tree-sitter", "dagster")


@dataclass(frozen=True, slots=True)
class Environment:
    """Where numbers come from; two runs differ in speed for one of these reasons first."""

    commit: str  # of codequarry's own checkout, "+dirty" when changed; empty when installed
    python: str
    packages: tuple[str, ...]  # "name version"
    system: str
    processor: str
    cores: int
    memory_bytes: int


def environment() -> Environment:
    """Look at the running machine."""
    return Environment(
        commit=_commit(Path(__file__).resolve().parent),
        python=platform.python_version(),
        packages=tuple(f"{name} {version}" for name in _PACKAGES if (version := _version(name))),
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else _cores(),
        memory_bytes=_memory(),
    )


def _cores() -> int:
    return os.cpu_count() or 1


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _commit(where: Path) -> str:
    """Ask git, but only when this very file is tracked: an installed copy has no commit."""
    try:
        tracked = _git(where, "ls-files", "--error-unmatch", Path(__file__).name)
        if tracked.returncode:
            return ""
        head = _git(where, "rev-parse", "HEAD").stdout.strip()
        changed = _git(where, "status", "--porcelain", "--untracked-files=no", ":/").stdout.strip()
    except OSError:
        return ""
    return f"{head}+dirty" if head and changed else head


def _git(where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", "-C", str(where), *arguments], capture_output=True, text=True, check=False
    )


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n"):
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass  # not Linux
    return platform.processor()


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0  # not told by this system
