"""Read downloaded packages: name, version, licence, digest, and their source files as text."""

from __future__ import annotations

import email
import gzip
import hashlib
import io
import json
import re
import tarfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from codequarry.models.training.grammar import LANGUAGE_OF
from codequarry.models.training.licences import Stanzas, parse_copyright, permissive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_FILE = 400_000
_TEXT_LICENCES = (
    (re.compile(r"Permission is hereby granted, free of charge|MIT License", re.IGNORECASE), "MIT"),
    (re.compile(r"Apache License,?\s+Version 2\.0", re.IGNORECASE), "Apache-2.0"),
    (
        re.compile(r"Redistribution and use in source and binary forms", re.IGNORECASE),
        "BSD-3-Clause",
    ),
    (re.compile(r"Permission to use, copy, modify, and(/or)? distribute", re.IGNORECASE), "ISC"),
)


@dataclass(frozen=True, slots=True)
class Package:
    """One downloaded package.

    Attributes:
        registry: ``deb``, ``pypi`` or ``npm``.
        name: Its name there.
        version: The version downloaded.
        archives: The files that hold its sources.
        sha256: Of the archives, in order, joined by ``+``.
        licence: As declared; empty when each file's stanza decides.
        stanzas: Per-file licences, for Debian.
        installed: The paths are those of an installed system, not of a source tree.
    """

    registry: str
    name: str
    version: str
    archives: tuple[Path, ...]
    sha256: str
    licence: str
    stanzas: Stanzas | None = field(default=None, repr=False)
    installed: bool = False

    def allows(self, path: str) -> bool:
        """Whether the declared licence of ``path`` is permissive."""
        if self.stanzas is not None and self.installed:
            # Installed paths differ from source paths: every stanza that may mean it must allow.
            parts = path.split("/")
            return all(
                permissive(self.stanzas.licence("/".join(parts[i:]))) for i in range(len(parts))
            )
        if self.stanzas is not None:
            return permissive(self.stanzas.licence(path))
        return permissive(self.licence)


def packages(folder: Path, overrides: dict[str, str]) -> Iterator[Package]:
    """Every package under ``folder``'s ``deb``, ``npm`` and ``pypi``, in name order."""
    for dsc in sorted((folder / "deb").glob("*.dsc")):
        found = _debian(dsc, overrides)
        if found is not None:
            yield found
    for archive in sorted((folder / "bin").glob("*.deb")):
        yield _binary(archive, overrides)
    for archive in sorted((folder / "npm").glob("*.tgz")):
        yield _npm(archive)
    for archive in sorted((folder / "pypi").glob("*.whl")):
        yield _wheel(archive)


def files(package: Package, chosen: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """Yield (path, text) of the package's source files of known languages that are chosen."""
    for archive in package.archives:
        prefix = ""
        component = re.search(r"\.orig-([\w-]+)\.tar", archive.name)
        if component:
            prefix = component[1] + "/"
        for path, data in _members(archive, chosen):
            if b"\0" not in data[:4096]:
                yield prefix + path, data.decode("utf-8", "replace")


def _members(archive: Path, chosen: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as zipped:
            for info in zipped.infolist():
                if _wanted(info.filename, info.file_size) and chosen(info.filename):
                    yield info.filename, zipped.read(info)
        return
    installed = archive.suffix == ".deb"
    with _open_deb(archive) if installed else tarfile.open(archive, "r|*") as tar:
        for member in tar:
            path = member.name.removeprefix("./")
            path = path if installed else path.partition("/")[2]
            if member.isreg() and _wanted(path, member.size) and chosen(path):
                source = tar.extractfile(member)
                if source is not None:
                    yield path, source.read()


def _wanted(path: str, size: int) -> bool:
    return 200 < size < MAX_FILE and Path(path).suffix in LANGUAGE_OF and ".min." not in path


def _debian(dsc: Path, overrides: dict[str, str]) -> Package | None:
    text = dsc.read_text(encoding="utf-8", errors="replace")
    name, version = (
        re.search(rf"^{key}: (\S+)", text, re.MULTILINE) for key in ("Source", "Version")
    )
    sums = re.search(r"^Checksums-Sha256:\s*\n((?: .*\n)+)", text, re.MULTILINE)
    if not (name and version and sums):
        return None
    listed = {words[2]: words[0] for words in map(str.split, sums[1].strip().split("\n"))}
    held = [one for one in listed if (dsc.parent / one).exists()]
    sources = [
        one
        for one in held
        if ".tar." in one and ".debian.tar." not in one and not one.endswith(".asc")
    ]
    if len(held) < len([one for one in listed if not one.endswith(".asc")]) or not sources:
        return None
    stanzas = None
    licence = overrides.get(name[1], "")
    if not licence:
        stanzas = parse_copyright(_debian_copyright(dsc.parent, held))
    return Package(
        "deb",
        name[1],
        version[1],
        tuple(dsc.parent / one for one in sources),
        "+".join(listed[one] for one in sources),
        licence or ("per file, debian/copyright" if stanzas else ""),
        stanzas,
    )


def _debian_copyright(folder: Path, held: list[str]) -> str:
    for name in held:
        if name.endswith(".diff.gz"):
            patch = gzip.decompress((folder / name).read_bytes()).decode("utf-8", "replace")
            part = re.search(
                r"^\+\+\+ \S*debian/copyright\n@@.*\n((?:\+.*\n)+)", patch, re.MULTILINE
            )
            if part:
                return re.sub(r"^\+", "", part[1], flags=re.MULTILINE)
        elif ".tar." in name and (
            ".debian." in name or len([h for h in held if ".tar." in h]) == 1
        ):
            with tarfile.open(folder / name, "r|*") as tar:
                for member in tar:
                    if member.name.endswith("debian/copyright") and member.isreg():
                        source = tar.extractfile(member)
                        return source.read().decode("utf-8", "replace") if source else ""
    return ""


def _binary(archive: Path, overrides: dict[str, str]) -> Package:
    name, version = archive.stem.split("_")[:2]
    licence = overrides.get(name, "")
    stanzas = None
    with _open_deb(archive) as tar:
        for member in tar:
            if (
                not licence
                and re.search(r"usr/share/doc/[^/]+/copyright$", member.name)
                and member.isreg()
            ):
                source = tar.extractfile(member)
                if source is not None:
                    stanzas = parse_copyright(source.read().decode("utf-8", "replace"))
                break
    licence = licence or ("per file, debian/copyright" if stanzas else "")
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    return Package(
        "deb-binary", name, version.replace("%3a", ":"), (archive,), digest, licence, stanzas, True
    )


def _open_deb(archive: Path) -> tarfile.TarFile:
    """Open the data part of a binary package, an ``ar`` archive."""
    data = archive.read_bytes()
    at = 8
    while at < len(data):
        name, size = data[at : at + 16].decode().strip().rstrip("/"), int(data[at + 48 : at + 58])
        if name.startswith("data.tar"):
            return tarfile.open(fileobj=io.BytesIO(data[at + 60 : at + 60 + size]), mode="r|*")
        at += 60 + size + size % 2
    raise ValueError(f"{archive.name} has no data part")


def _npm(archive: Path) -> Package:
    card: dict[str, object] = {}
    text = ""
    with tarfile.open(archive, "r:gz") as tar:
        for member in tar:
            inner = member.name.partition("/")[2]
            source = tar.extractfile(member) if member.isreg() else None
            if source is not None and inner == "package.json":
                card = json.loads(source.read())
            elif source is not None and re.fullmatch(r"(?i)licen[sc]e(\.\w+)?", inner):
                text = source.read().decode("utf-8", "replace")
    declared = card.get("license") or card.get("licenses") or ""
    if isinstance(declared, list):
        declared = " OR ".join(
            str(one.get("type", "")) if isinstance(one, dict) else str(one) for one in declared
        )
    elif isinstance(declared, dict):
        declared = str(declared.get("type", ""))
    licence = str(declared) or _from_text(text)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    return Package(
        "npm", str(card.get("name", "")), str(card.get("version", "")), (archive,), digest, licence
    )


def _wheel(archive: Path) -> Package:
    with zipfile.ZipFile(archive) as zipped:
        names = [
            one for one in zipped.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", one)
        ]
        card = email.message_from_bytes(zipped.read(names[0]))
        texts = [
            one
            for one in zipped.namelist()
            if re.search(r"dist-info/(licenses/)?LICEN[SC]E[^/]*$", one)
        ]
        text = zipped.read(texts[0]).decode("utf-8", "replace") if texts else ""
    licence = card.get("License-Expression") or ""
    if not licence:
        classes = [
            one.rsplit("::", 1)[-1].strip()
            for one in card.get_all("Classifier", [])
            if one.startswith("License")
        ]
        licence = " AND ".join(one for one in classes if one != "OSI Approved")
    if not licence:
        declared = (card.get("License") or "").strip()
        licence = declared if 0 < len(declared) < 60 else _from_text(declared or text)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    return Package("pypi", str(card["Name"]), str(card["Version"]), (archive,), digest, licence)


def _from_text(text: str) -> str:
    for pattern, name in _TEXT_LICENCES:
        if pattern.search(text[:3000]):
            return name
    return ""
