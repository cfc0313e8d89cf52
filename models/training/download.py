"""Step 1: download the packages of packages.toml through their registries' ordinary clients.

``python -m codequarry.models.training.download WORK`` fills ``WORK/{deb,bin,npm,pypi}``. It needs
``apt-get`` (with source packages enabled), ``npm`` and ``pip``. Nothing is built, installed or
run. A Debian source package that the mirror does not hold is taken as its binary packages, for
languages whose binary packages hold the sources.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
_SOURCE_IN_BINARY = ("go", "rust", "ruby", "php", "lua", "bash")
_CLIENTS = {
    "deb": ["apt-get", "source", "--download-only", "-qq"],
    "bin": ["apt-get", "download", "-qq"],
    "npm": ["npm", "pack", "--silent", "--ignore-scripts"],
    "pypi": [sys.executable, "-m", "pip", "-q", "download", "--no-deps", "--only-binary", ":all:"],
}


def main() -> None:
    """Download what is missing; name what could not be had."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    work: Path = parser.parse_args().work
    wanted = tomllib.loads((HERE / "packages.toml").read_text(encoding="utf-8"))
    names = {registry: _names(wanted[registry]) for registry in ("deb", "npm", "pypi")}
    names["bin"] = _names(wanted["deb_binary"])
    failed = {registry: _fetch(registry, names[registry], work) for registry in names}
    for language in _SOURCE_IN_BINARY:
        for source in set(wanted["deb"][language].split()) & set(failed["deb"]):
            failed["bin"] += _fetch("bin", binaries(source, language), work)
    for registry, missing in failed.items():
        sys.stdout.write(f"{registry}: not to be had: {' '.join(missing) or 'none'}\n")


def binaries(source: str, language: str) -> list[str]:
    """The binary packages of a Debian source package that hold its sources."""
    shown = subprocess.run(["apt-cache", "showsrc", source], capture_output=True, text=True)
    found = re.search(r"^Binary: (.*(?:\n .*)*)", shown.stdout, re.MULTILINE)
    names = re.split(r"[,\s]+", found[1]) if found else []
    if language in ("go", "rust"):
        names = [name for name in names if name.endswith("-dev") and "+" not in name]
    return [name for name in names if not name.endswith(("-doc", "-dbg", "-dbgsym"))]


def _names(table: dict[str, str]) -> list[str]:
    return [name for line in table.values() for name in line.split()]


def _fetch(registry: str, names: list[str], work: Path) -> list[str]:
    """Download each of ``names``; returns those that failed."""
    folder = work / registry
    folder.mkdir(parents=True, exist_ok=True)

    def one(name: str) -> bool:
        command = [*_CLIENTS[registry], name]
        return subprocess.run(command, cwd=folder, capture_output=True).returncode == 0

    with ThreadPoolExecutor(2) as pool:
        return [name for name, ok in zip(names, pool.map(one, names), strict=True) if not ok]


if __name__ == "__main__":
    main()
