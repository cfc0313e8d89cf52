"""Write `commands.md`: every command, its help and its real output on the shop in `demo/`.

Run as ``python docs/generate.py``; a test tells when the help has moved on. What differs
from run to run (times, names of generations, where things lie) is shown as dots.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE / "commands.md"
MOST_LINES = 28  # of an output that are shown

# each command and its examples; without any, its help alone
COMMANDS: list[tuple[str, list[str]]] = [
    ("scan", ["scan"]),
    ("index", ["index", "index --dry-run"]),
    ("reindex", ["reindex --dry-run"]),
    ("watch", []),
    ("search", ['search "how is an article rung up"', 'search --prune "tax of an article"']),
    ("ask", ['ask --no-cache "what happens when an article is rung up"']),
    ("flows", ["flows warm 2", "flows list"]),
    ("get", ["get shop/tax.py:6-8"]),
    ("chunks", ["chunks shop/till.py"]),
    ("def", ["def Till.ring_up --json"]),
    ("callers", ["callers add_tax"]),
    ("callees", ["callees Till.ring_up"]),
    ("refs", ["refs Ledger"]),
    ("impact", ["impact Ledger.write"]),
    ("signature", ["signature printReceipt"]),
    ("map", ["map --tokens 120"]),
    ("graph", ["graph node shop/ledger.py --json", "graph path shop/till.py shop/tax.py --json"]),
    ("links", ["links"]),
    ("sql", ['sql "select path, language, n_chunks from files order by path"']),
    ("status", ["status"]),
    ("export", []),
    ("serve", []),
    ("studio", []),
    ("mcp", []),
    ("install", []),
    ("repos", ["repos add", "repos list"]),
    ("completion", []),
    ("doctor", []),
    ("eval", []),
]
_VOLATILE = [
    (re.compile(r"\d+\.\d+ m?s\b"), "… ms"),
    (re.compile(r'("elapsed_ms"): [\d.]+'), r"\1: …"),
    (re.compile(r"\b[0-9a-f]{20}\b"), "…"),
    (re.compile(r"-?\d+\.\d{2,}"), "…"),
]


def page() -> str:
    """The whole page."""
    head = (
        "# Commands\n\nEach command with its help and its output on the small shop in "
        "[demo/](demo). Made by `python docs/generate.py`; times and names that differ from run "
        "to run are dots. `-C PATH` works on another repository, or on a folder of one: then "
        "answers stay inside it. `--json` prints one JSON document.\n"
    )
    parts = [head]
    with tempfile.TemporaryDirectory(prefix="quarry-docs-") as folder:
        root = Path(folder) / "shop"
        shutil.copytree(HERE / "demo", root)
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("QUARRY_", "OPENAI_", "DAGSTER_"))
        } | {
            "QUARRY_HOME": str(Path(folder) / "home"),
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "PYTHONIOENCODING": "utf-8",
        }
        for name, examples in COMMANDS:
            parts.append(f"## quarry {name}\n")
            parts.append(_block("", _run([name, "--help"], root, environment)))
            for example in examples:
                words = re.findall(r'"[^"]*"|\S+', example)
                arguments = [word.strip('"') for word in words]
                said = _run(arguments, root, environment).replace(str(root), "~/shop")
                parts.append(_block(f"$ quarry {example}\n", _shown(said)))
    return "\n".join(parts)


def _run(arguments: list[str], root: Path, environment: dict[str, str]) -> str:
    command = [sys.executable, "-m", "codequarry.shells.cli.main", *arguments]
    done = subprocess.run(
        command,
        cwd=root,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
    )
    return (done.stdout + done.stderr).strip("\n") + "\n"


def _shown(text: str) -> str:
    for pattern, dots in _VOLATILE:
        text = pattern.sub(dots, text)
    lines = [line[:140] + ("…" if len(line) > 140 else "") for line in text.split("\n")]
    more = [] if len(lines) <= MOST_LINES else [f"… {len(lines) - MOST_LINES} more lines", ""]
    return "\n".join(lines[:MOST_LINES] + more)


def _block(head: str, text: str) -> str:
    return f"````text\n{head}{text.rstrip()}\n````\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
