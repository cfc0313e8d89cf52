"""Step 2: mine (doc comment, code) and (module doc, skeleton) pairs from the downloaded packages.

``python -m codequarry.models.training.mine WORK`` reads ``WORK/{deb,npm,pypi}`` and writes one
JSON-lines file a package into ``WORK/pairs`` and the manifest to ``WORK/manifest.tsv``.
"""

from __future__ import annotations

import argparse
import json
import re
import tomllib
import zlib
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from codequarry.models.training.comments import Found, find
from codequarry.models.training.exclusions import forbidden_package, forbidden_path
from codequarry.models.training.grammar import GRAMMARS, LANGUAGE_OF
from codequarry.models.training.licences import header_allows
from codequarry.models.training.sources import Package, files, packages

HERE = Path(__file__).parent
MANIFEST_COLUMNS = ("registry", "name", "version", "licence", "sha256", "files", "pairs")
_MAX_PER_FILE = 200
_READ_BYTES = 6_000_000  # compressed
_PLENTIFUL = 6000  # the cap of a language of which there is enough
_MAX_SAME_DOC = 2  # of one doc sentence in one package
_CPP = re.compile(r"^\s*(?:class|namespace|template\s*<|public:|private:)|std::", re.MULTILINE)


def main() -> None:
    """Mine every package in two processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", default="", help="registries, comma separated")
    arguments = parser.parse_args()
    work: Path = arguments.work
    (work / "pairs").mkdir(parents=True, exist_ok=True)
    overrides = tomllib.loads((HERE / "packages.toml").read_text(encoding="utf-8")).get(
        "licences", {}
    )
    chosen = [one for one in packages(work, overrides) if not forbidden_package(one.name)]
    chosen.sort(key=lambda one: -sum(path.stat().st_size for path in one.archives))
    with ProcessPoolExecutor(arguments.processes) as pool:
        rows = [row for row in pool.map(partial(mine_package, out=work / "pairs"), chosen) if row]
    rows.sort()
    lines = ["\t".join(MANIFEST_COLUMNS), *("\t".join(map(str, row)) for row in rows)]
    (work / "manifest.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def mine_package(package: Package, out: Path) -> tuple[str, ...] | None:
    """Write the pairs of one package; returns its manifest row, or None if it gave nothing."""
    found: dict[str, list[tuple[str, Found]]] = defaultdict(list)
    used = 0
    if package.licence and (package.stanzas or package.allows("")):
        for path, text in files(package, partial(_sampled, share=_share(package))):
            language = _language(path, text)
            if (
                forbidden_path(path)
                or not package.allows(path)
                or not header_allows(text)
                or _is_data(text)
            ):
                continue
            used += 1
            of_file = islice(find(text, language), _MAX_PER_FILE)
            found[language].extend((path, pair) for pair in of_file)
    rng = np.random.default_rng(zlib.crc32(package.name.encode()))
    lines = []
    for language, pairs in sorted(found.items()):
        seen: Counter[str] = Counter()
        kept = []
        for path, pair in pairs:
            seen[pair.doc] += 1
            if seen[pair.doc] <= _MAX_SAME_DOC:
                kept.append((path, pair))
        if len(kept) > GRAMMARS[language].cap:
            chosen = rng.permutation(len(kept))[: GRAMMARS[language].cap]
            kept = [kept[i] for i in sorted(chosen)]
        for path, pair in kept:
            row = {"l": language, "p": path, "d": pair.doc, "c": pair.code, "m": int(pair.module)}
            lines.append(json.dumps(row, ensure_ascii=False))
    if not lines:
        return None
    slug = re.sub(r"[^\w.-]+", "-", package.name)
    (out / f"{package.registry}--{slug}.jsonl").write_text(
        "\n".join(lines) + "\n", encoding="utf-8", errors="replace"
    )
    return (
        package.registry,
        package.name,
        package.version,
        package.licence,
        package.sha256,
        str(used),
        str(len(lines)),
    )


def _share(package: Package) -> float:
    """Of a very large package only some files are read: its pairs are capped anyway."""
    return min(1.0, _READ_BYTES / sum(path.stat().st_size for path in package.archives))


def _sampled(path: str, share: float) -> bool:
    plentiful = GRAMMARS[LANGUAGE_OF[Path(path).suffix]].cap <= _PLENTIFUL
    return not plentiful or zlib.crc32(path.encode()) < share * 2**32


def _language(path: str, text: str) -> str:
    language = LANGUAGE_OF[Path(path).suffix]
    if path.endswith(".h") and _CPP.search(text):
        return "cpp"
    if path.endswith(".h") and "@interface" in text:
        return "objc"
    return language


def _is_data(text: str) -> bool:
    """Minified or tabular: few, long lines."""
    return len(text) > 200 * (text.count("\n") + 1)


if __name__ == "__main__":
    main()
