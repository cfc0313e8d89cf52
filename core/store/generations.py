"""Generations: immutable folders, made live by one atomic replace of ``CURRENT``."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from codequarry.errors import IndexDamaged, IndexNotFound, IndexVersionError
from codequarry.store.atomic import atomic_dir, remove_leftovers, write_bytes, write_errors
from codequarry.store.layout import STORE_VERSION, Layout
from codequarry.store.revisions import named_generations

GENERATION_VERSION = 2
_MAGIC = {".arrow": (b"ARROW1", b"ARROW1"), ".npy": (b"\x93NUMPY", b"")}
KEEP = 2  # generations: the live one, and the one readers may still be opening


@contextmanager
def publish(layout: Layout, generation: str, *, replace: bool = False) -> Iterator[Path | None]:
    """Give a folder to fill; on a clean exit it becomes the live generation.

    Gives None when that generation is already there and whole, and ``replace`` is not asked
    for: it is then only made live.

    Raises:
        StoreWriteError: the disk refused; the generation before stays live.
    """
    target = layout.generations / generation
    with write_errors(layout.state):
        if not replace and is_whole(target) and _version(target) in (None, GENERATION_VERSION):
            yield None
        else:
            with atomic_dir(target, replace=True) as folder:
                yield folder
                _seal(folder)
        write_bytes(layout.current, f"{generation}\n".encode())
    _collect(layout, generation)


def _seal(folder: Path) -> None:
    """Add every file's size and hash to the manifest.

    Sizes tell a cut file when it is opened; hashes tell any other damage when asked to verify.
    """
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    items = [item for item in sorted(folder.iterdir()) if item != path]
    manifest["sizes"] = {item.name: item.stat().st_size for item in items}
    manifest["hashes"] = {item.name: _sha256(item) for item in items}
    path.write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def damaged_files(folder: Path) -> list[str]:
    """The files of a generation whose bytes are not those that were written."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return [
        name
        for name, digest in manifest.get("hashes", {}).items()
        if _sha256(folder / name) != digest
    ]


def _version(folder: Path) -> object:
    """The version of a generation; None where its manifest cannot be read."""
    try:
        return json.loads((folder / "manifest.json").read_text(encoding="utf-8")).get("version")
    except (OSError, ValueError, AttributeError):
        return None


def is_whole(folder: Path) -> bool:
    """Tell whether a generation has all its files at their full sizes and of their kinds.

    Cheap on purpose, as every reader asks; see `damaged_files` for the whole truth.
    """
    try:
        sizes = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["sizes"]
        return bool(sizes) and all(_is_file(folder / name, size) for name, size in sizes.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _is_file(path: Path, size: int) -> bool:
    """Whether a file has its size, and begins and ends as files of its kind do."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size != size:
            return False
        head, tail = _MAGIC.get(path.suffix, (b"", b""))
        if file.read(len(head)) != head:
            return False
        file.seek(size - len(tail))
        return file.read(len(tail)) == tail


def current_generation(layout: Layout, tries: int = 3) -> Path:
    """The folder of the live generation.

    Raises:
        IndexNotFound: nothing was ever published here.
        IndexDamaged: ``CURRENT`` names a generation that is not there.
    """
    try:
        name = layout.current.read_text(encoding="utf-8").strip()
    except (FileNotFoundError, NotADirectoryError):
        raise _not_found(layout) from None
    except (OSError, UnicodeDecodeError) as error:
        raise IndexDamaged(
            f"cannot read {layout.current}: {error}", "run: quarry index --rebuild"
        ) from error
    folder = layout.generations / name
    if name and "/" not in name and is_whole(folder):
        return folder
    if tries > 1:  # a writer may have published and cleaned up just now
        return current_generation(layout, tries - 1)
    raise IndexDamaged(
        "the live generation is missing or incomplete", "run: quarry index --rebuild"
    )


def check_store_version(layout: Layout) -> bool:
    """Tell whether the store is of this version; False when it is older.

    Raises:
        IndexVersionError: it is newer; nothing in it was touched.
    """
    _refuse_newer_generation(layout)
    path = layout.state / "store.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["store_version"]
    except FileNotFoundError:
        return not layout.current.exists()
    except (OSError, ValueError, KeyError, TypeError):
        return False
    if isinstance(found, int) and found > STORE_VERSION:
        raise IndexVersionError(
            f"the index in {layout.state} has version {found}, this quarry knows {STORE_VERSION}",
            "upgrade codequarry, or move the folder away to index anew",
        )
    return bool(found == STORE_VERSION)


def _refuse_newer_generation(layout: Layout) -> None:
    """A generation of a newer codequarry is not replaced, whatever the store says of itself."""
    try:
        name = layout.current.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return
    found = _version(layout.generations / name) if name and "/" not in name else None
    if isinstance(found, int) and found > GENERATION_VERSION:
        raise IndexVersionError(
            f"the index in {layout.state} has version {found}, "
            f"this quarry knows {GENERATION_VERSION}",
            "upgrade codequarry, or move the folder away to index anew",
        )


def start_store(layout: Layout) -> None:
    """Write the version and clean up after writers that died; the lock's holder only."""
    with write_errors(layout.state):
        version = json.dumps({"store_version": STORE_VERSION}).encode()
        path = layout.state / "store.json"
        if not path.is_file() or path.read_bytes() != version:
            write_bytes(path, version)
        remove_leftovers(layout.state)


def discard_store(layout: Layout) -> None:
    """Throw facts, vectors and censuses away; the lock's holder only.

    The live generation goes on serving until the next one replaces it; so do revisions.
    """
    with write_errors(layout.store):
        for state in (layout.store, layout.revisions):
            (state / "census.arrow").unlink(missing_ok=True)
            for name in ("blobs", "vectors", "edges", "graph"):
                shutil.rmtree(state / name, ignore_errors=True)


def _not_found(layout: Layout) -> IndexNotFound:
    if layout.revision:
        what = f"this revision of {layout.root} is not indexed (tree {layout.revision[:12]})"
        return IndexNotFound(what, "run: quarry index --rev REVISION")
    return IndexNotFound(f"there is no index in {layout.root}", "run: quarry index")


def _collect(layout: Layout, live: str) -> None:
    """Remove old generations; a folder that a reader holds open may stay until later."""
    kept = {live}
    if layout.revision:
        kept |= named_generations(layout)
    folders = [path for path in layout.generations.iterdir() if path.is_dir()]
    others = sorted(
        (path for path in folders if path.name not in kept),
        key=lambda path: path.stat().st_mtime_ns,
        reverse=True,
    )
    for path in others[KEEP - 1 :]:
        shutil.rmtree(path, ignore_errors=True)
