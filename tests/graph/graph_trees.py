"""Trees whose graph is known, and the graph of an indexed one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support import LEXICAL, generation_bytes, index, write_tree

from codequarry.retrieval.generation import Generation
from codequarry.retrieval.graph.lanes import FileGraph
from codequarry.store.layout import Layout

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

GRAPH_FILES = tuple(
    f"{name}.arrow"
    for name in ("graph", "communities", "tied_files", "semantic_edges", "surprises")
)
HUB_USERS = 94


def graph_of(root: Path) -> FileGraph:
    return FileGraph(Generation.open(Layout.of(root)))


def indexed(root: Path, files: Mapping[str, str], settings=LEXICAL) -> FileGraph:
    write_tree(root, files)
    index(root, settings)
    return graph_of(root)


def graph_bytes(root: Path) -> dict[str, bytes]:
    found = generation_bytes(root)
    return {name: found[name] for name in GRAPH_FILES}


def with_logger() -> dict[str, str]:
    """Ninety-four modules that log and read settings, and one real way between two of them."""
    files = {
        "app/logger.py": "def log(text):\n    print(text)\n",
        "app/config.py": "def setting(name):\n    return name\n",
    }
    for i in range(HUB_USERS - 4):
        files[f"app/part{i:02d}.py"] = (
            "from app.config import setting\nfrom app.logger import log\n\n\n"
            f"def part_{i:02d}():\n    log(setting('{i}'))\n"
        )
    chain = ("orders", "pricing", "taxes", "rates")
    for name, used in zip(chain, (*chain[1:], None), strict=True):
        taken = f"from app.{used} import run_{used}\n" if used else ""
        call = f"    run_{used}()\n" if used else ""
        files[f"app/{name}.py"] = (
            f"from app.config import setting\nfrom app.logger import log\n{taken}\n\n"
            f"def run_{name}():\n    log(setting('{name}'))\n{call}"
        )
    return files
