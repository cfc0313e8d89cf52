"""Link a census: every reference, and the definition it means, as one table.

Where an edit changes no file's interface (its symbols and bindings), what other files mean is
what they meant before: only the edited files are linked again.
"""

from __future__ import annotations

import gc
import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from codequarry.assets.census.census import Entry
from codequarry.assets.edges.documents import Documents
from codequarry.assets.edges.interfaces import Interfaces, changed, interfaces_of
from codequarry.assets.edges.link import CONFIDENCE, UNRESOLVED, Link, Ref, link
from codequarry.assets.edges.linker import Linker
from codequarry.assets.edges.load import Loaded, load
from codequarry.assets.facts.expand import expand
from codequarry.assets.facts.extract import extractor_version
from codequarry.schemas import LINKS
from codequarry.store.atomic import atomic_path, write_errors
from codequarry.store.fragments import read_facts
from codequarry.store.layout import BUCKETS, Layout
from codequarry.vocabulary import EdgeType

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


def build_links(layout: Layout, root: Path, entries: Sequence[Entry]) -> pa.Table:
    """The links of a census; those of the last run are taken where nothing has changed.

    Raises:
        StoreWriteError: the disk refused.
    """
    folder = layout.state / "edges"
    target = folder / f"{links_key(entries)}.arrow"
    kept = _read(target)
    if kept is not None:
        return kept
    table, interfaces = _made(layout, root, entries, folder)
    with write_errors(layout.state):
        _write(target, table)
        _write(_beside(target), interfaces.table())
        for other in folder.glob("*.arrow"):
            if other not in (target, _beside(target)):
                other.unlink(missing_ok=True)
    return table


def _made(
    layout: Layout, root: Path, entries: Sequence[Entry], folder: Path
) -> tuple[pa.Table, Interfaces]:
    """Links from those of the last run where its interfaces still hold, else from nothing."""
    for older in sorted(folder.glob("*.interfaces.arrow")):
        before = _read(older)
        links = _read(older.with_name(older.name.replace(".interfaces", "")))
        if before is None or links is None:
            continue
        edited = changed(layout, entries, Interfaces.of(before))
        if edited is not None:
            interfaces = Interfaces.of(before).renewed(entries, edited)
            return _relinked(links, load(layout, root, entries, edited), edited), interfaces
    return link_all(load(layout, root, entries)), interfaces_of(layout, entries)


def _relinked(links: pa.Table, loaded: Loaded, edited: Iterable[int]) -> pa.Table:
    """Old links with those of the edited files in place of theirs."""
    fresh = link_all(loaded)
    old = links.filter(pa.array(~np.isin(np.asarray(links["file"]), sorted(edited))))
    both = pa.concat_tables([old, fresh])
    order = np.argsort(np.asarray(both["file"]), kind="stable")
    return both.take(pa.array(order)).combine_chunks()


def _beside(target: Path) -> Path:
    return target.with_suffix(".interfaces.arrow")


def _read(path: Path) -> pa.Table | None:
    """A table of the last run; none where there is none that can be read."""
    try:
        with pa.memory_map(str(path)) as source:
            return pa.ipc.open_file(source).read_all()
    except (OSError, pa.ArrowInvalid):
        return None


def _write(target: Path, table: pa.Table) -> None:
    with (
        atomic_path(target) as part,
        pa.OSFile(str(part), "wb") as sink,
        pa.ipc.new_file(sink, table.schema) as writer,
    ):
        writer.write_table(table)


def link_all(loaded: Loaded) -> pa.Table:
    """Link every loaded reference; rows in the order of files and places."""
    collecting = gc.isenabled()
    gc.disable()  # nothing here is a cycle, and much is remembered
    try:
        return _link_all(loaded)
    finally:
        if collecting:
            gc.enable()


def _link_all(loaded: Loaded) -> pa.Table:
    linker = Linker(loaded.program)
    documents = Documents(linker)
    source: list[int] = []  # row of the reference
    types: list[str] = []
    files: list[int] = []
    symbols: list[int] = []
    rules: list[str] = []
    candidates: list[int] = []
    for file, refs in enumerate(loaded.refs):
        row = int(loaded.of_references.first[file])
        known: dict[Ref, list[Link]] = {}  # a name means the same all over its scope
        for place, ref in enumerate(refs):
            if ref is None:
                continue
            meant = known.get(ref)
            if meant is None:
                is_mention = ref.type == EdgeType.DOCUMENTS
                meant = documents.links(file, ref) if is_mention else link(linker, file, ref)
                known[ref] = meant
            for found in meant:
                source.append(row + place)
                types.append(found.type)
                files.append(found.file)
                symbols.append(found.symbol)
                rules.append(found.rule)
                candidates.append(found.candidates)
    taken = pa.array(source, pa.int64())
    rows = loaded.references.take(taken)
    columns = {
        "file": pa.array(loaded.of_references.files).take(taken),
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
    return pa.table(columns, schema=LINKS).combine_chunks()


def report(table: pa.Table) -> LinkReport:
    """Count the links of a table."""
    found = LinkReport()
    known = table.filter(pc.not_equal(table["target_file"], UNRESOLVED))
    for rows, counts in ((table, found.references), (known, found.resolved)):
        for pair in pc.value_counts(rows["type"]).to_pylist():
            counts[pair["values"]] = pair["counts"]
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
