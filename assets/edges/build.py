"""Link a census: every reference, and the definition it means, as one table."""

from __future__ import annotations

import gc
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from codequarry.assets.census.census import Entry
from codequarry.assets.edges.link import CONFIDENCE, UNRESOLVED, link
from codequarry.assets.edges.linker import Linker
from codequarry.assets.edges.load import Loaded, load
from codequarry.assets.facts.expand import expand
from codequarry.assets.facts.extract import extractor_version
from codequarry.schemas import LINKS
from codequarry.store.atomic import atomic_path, write_errors
from codequarry.store.fragments import read_facts
from codequarry.store.layout import BUCKETS, Layout

EDGES_VERSION = "1"


@dataclass(slots=True)
class LinkReport:
    """How many references of each type there are, and how many are resolved."""

    references: Counter[str] = field(default_factory=Counter)
    resolved: Counter[str] = field(default_factory=Counter)


def links_key(entries: Sequence[Entry]) -> str:
    """A hash of all that the links of a census are made from."""
    digest = hashlib.sha256(EDGES_VERSION.encode())
    for entry in entries:
        digest.update(entry.path.encode("utf-8", "surrogateescape"))
        digest.update(f"\0{entry.blob}\0{extractor_version(entry.language)}\n".encode())
    return digest.hexdigest()[:24]


def links_path(layout: Layout, entries: Sequence[Entry]) -> Path:
    """Where the links of a census are kept."""
    return layout.state / "edges" / f"{links_key(entries)}.arrow"


def build_links(layout: Layout, root: Path, entries: Sequence[Entry]) -> pa.Table:
    """The links of a census; those of the last run are taken where nothing has changed.

    Raises:
        StoreWriteError: the disk refused.
    """
    target = links_path(layout, entries)
    if target.exists():
        try:
            with pa.memory_map(str(target)) as source:
                return pa.ipc.open_file(source).read_all()
        except (OSError, pa.ArrowInvalid):
            pass  # a damaged file is made anew
    table = link_all(load(layout, root, entries))
    with write_errors(layout.state):
        with (
            atomic_path(target) as part,
            pa.OSFile(str(part), "wb") as sink,
            pa.ipc.new_file(sink, table.schema) as writer,
        ):
            writer.write_table(table)
        for other in target.parent.glob("*.arrow"):
            if other != target:
                other.unlink(missing_ok=True)
    return table


def link_all(loaded: Loaded) -> pa.Table:
    """Link every reference; rows in the order of files and places."""
    collecting = gc.isenabled()
    gc.disable()  # nothing here is a cycle, and much is remembered
    try:
        return _link_all(loaded)
    finally:
        if collecting:
            gc.enable()


def _link_all(loaded: Loaded) -> pa.Table:
    linker = Linker(loaded.program)
    source: list[int] = []  # row of the reference
    types: list[str] = []
    files: list[int] = []
    symbols: list[int] = []
    rules: list[str] = []
    candidates: list[int] = []
    row = 0
    for file, refs in enumerate(loaded.refs):
        count = int(loaded.of_references.count[file])
        for place, ref in enumerate(refs):
            for found in link(linker, file, ref):
                source.append(row + place)
                types.append(found.type)
                files.append(found.file)
                symbols.append(found.symbol)
                rules.append(found.rule)
                candidates.append(found.candidates)
        row += count
    rows = loaded.references.take(pa.array(source, pa.int64()))
    held = pa.array(loaded.of_references.files).take(pa.array(source, pa.int64()))
    columns = {
        "file": held,
        "scope": rows["scope"],
        "type": types,
        "line": rows["line"],
        "byte": rows["byte"],
        "written": rows["written"],
        "receiver": rows["receiver"],
        "arity": rows["arity"],
        "target_file": files,
        "target_symbol": symbols,
        "rule": rules,
        "confidence": [CONFIDENCE.get(rule, 0.0) for rule in rules],
        "candidates": candidates,
    }
    return pa.table(columns, schema=LINKS)


def report(table: pa.Table) -> LinkReport:
    """Count the links of a table."""
    found = LinkReport()
    for type_, file in zip(
        table["type"].to_pylist(), table["target_file"].to_pylist(), strict=True
    ):
        found.references[type_] += 1
        found.resolved[type_] += file != UNRESOLVED
    return found


def dangling(layout: Layout, entries: Sequence[Entry], links: pa.Table) -> int:
    """How many links have an end that does not exist."""
    symbols = expand(entries, read_facts(layout, "symbols", BUCKETS)).count
    lost = 0
    for ends, numbers in (("file", "scope"), ("target_file", "target_symbol")):
        file, number = np.asarray(links[ends]), np.asarray(links[numbers])
        inside = (file >= 0) & (file < len(entries))
        lost += int(np.count_nonzero(~inside & (file != UNRESOLVED)))
        lost += int(np.count_nonzero(number[inside] >= symbols[file[inside]]))
    return lost
