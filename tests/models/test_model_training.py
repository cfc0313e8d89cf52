"""The pipeline's rules that decide what the weights may be made of."""

import json
from pathlib import Path

import numpy as np
import pytest

from codequarry.models.static import StaticEmbedder
from codequarry.models.terms import term_hashes
from codequarry.models.training.bags import Bags, Encoder
from codequarry.models.training.comments import find
from codequarry.models.training.evaluate import bm25, mrr
from codequarry.models.training.exclusions import forbidden_package, forbidden_path
from codequarry.models.training.licences import header_allows, parse_copyright, permissive
from codequarry.models.training.prose import sentence
from codequarry.models.training.vocabulary import held_out, load
from codequarry.models.weights import write_weights

MANIFEST = Path(__file__).parents[2] / "models" / "training" / "manifest.tsv"


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("Expat", True),
        ("BSD-2-Clause-Simplified", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("(MIT AND Zlib)", True),
        ("MIT OR GPL-2.0-only", True),
        ("GPL-2+ and MIT", False),
        ("LGPL-2.1", False),
        ("MPL-2.0", False),
        ("CC-BY-SA-4.0", False),
        ("SEE LICENSE IN LICENSE.md", False),
        ("SomethingNobodyKnows", False),
        ("", False),
    ],
)
def test_only_permissive_licences_pass(expression: str, allowed: bool) -> None:
    assert permissive(expression) is allowed


@pytest.mark.parametrize(
    ("header", "allowed"),
    [
        ("int main() {}", True),
        ("// SPDX-License-Identifier: MIT", True),
        ("/* SPDX-License-Identifier: GPL-2.0-only */", False),
        ("# This program is under the GNU General Public License", False),
        ("# GNU Lesser General Public", False),
        ("/* This Source Code Form is subject to the Mozilla Public License */", False),
    ],
)
def test_a_files_own_header_decides(header: str, allowed: bool) -> None:
    assert header_allows(header) is allowed


def test_the_last_matching_stanza_is_the_files_licence() -> None:
    stanzas = parse_copyright(
        "Format: copyright-format/1.0/\n\n"
        "Files: *\nCopyright: A\nLicense: Expat\n\n"
        "Files: lib/old/*\n src/x.c\nCopyright: B\nLicense: GPL-2+\n"
    )
    assert stanzas is not None
    paths = ("src/y.c", "src/x.c", "lib/old/z.py")
    assert [stanzas.licence(path) for path in paths] == ["Expat", "GPL-2+", "GPL-2+"]


@pytest.mark.parametrize(
    "name",
    [
        "django",
        "flask",
        "requests",
        "pytest",
        "scikit-learn",
        "httpx",
        "rich",
        "jinja2",
        "rust-serde",
        "rust-serde-json",
        "librust-tokio-dev",
        "rust-tokio-util",
        "ruby-activesupport",
        "php-illuminate-support",
        "golang-github-gin-gonic-gin",
        "libjackson2-core-java",
        "axios",
        "haskell-aeson",
        "@tailwindcss/typography",
        "@trpc/server",
        "nlohmann-json3",
        "libgoogle-gson-java",
    ],
)
def test_evaluation_projects_are_known_by_their_packages(name: str) -> None:
    assert forbidden_package(name)


@pytest.mark.parametrize("name", ["numpy", "rust-regex", "ruby-sequel", "sqlite3", "lodash"])
def test_other_packages_pass(name: str) -> None:
    assert not forbidden_package(name)


@pytest.mark.parametrize(
    ("path", "forbidden"),
    [
        ("pip/_vendor/rich/console.py", True),
        ("src/third_party/zlib/inflate.c", True),
        ("deps/nlohmann/json.hpp", True),
        ("lib/serde/de.rs", True),
        ("src/parser/lexer.rs", False),
    ],
)
def test_copies_inside_other_packages_are_skipped(path: str, forbidden: bool) -> None:
    assert forbidden_path(path) is forbidden


def test_the_manifest_names_no_evaluation_project() -> None:
    rows = [line.split("\t") for line in MANIFEST.read_text(encoding="utf-8").split("\n")[1:-1]]
    assert len(rows) > 100
    assert [row[1] for row in rows if forbidden_package(row[1])] == []
    assert all(permissive(row[3]) for row in rows if not row[3].startswith("per file"))
    assert all(row[2] and len(row[4]) >= 64 for row in rows)


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("/**\n * Opens the {@link Store}.\n * @param path where\n */", "Opens the Store."),
        (
            '/// <summary>\n/// Reads one <see cref="T:A.Row"/> at a time.\n/// </summary>',
            "Reads one Row at a time.",
        ),
        (
            "# Sends the request again\n# until it is answered. Then stops.",
            "Sends the request again until it is answered.",
        ),
        ("-- | Split a list at each separator.", "Split a list at each separator."),
        ("/* Copyright 2020 Somebody, all of it */", ""),
        ("// if (x) { return y; }", ""),
        ("// TODO make it fast", ""),
    ],
)
def test_a_comment_becomes_one_plain_sentence(comment: str, expected: str) -> None:
    assert sentence(comment) == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (
            "python",
            'def read(path):\n    """Read the file at path."""\n    return open(path).read()\n',
        ),
        (
            "go",
            "// Read reads the file at path.\nfunc Read(path string) []byte {\n\treturn nil\n}\n",
        ),
        ("ruby", "# Read the file at path.\ndef read(path)\n  File.read(path)\nend\n"),
        (
            "elixir",
            '@doc """\nRead the file at path.\n"""\ndef read(path) do\n  File.read(path)\nend\n',
        ),
        (
            "haskell",
            "-- | Read the file at path.\nreadIt :: FilePath -> IO Text\nreadIt = undefined\n",
        ),
        (
            "kotlin",
            "/** Read the file at path. */\nfun read(path: String): String {\n  return x\n}\n",
        ),
    ],
)
def test_pairs_are_found(language: str, text: str) -> None:
    found = [pair for pair in find(text, language) if not pair.module]
    assert len(found) == 1
    assert "path" in found[0].doc
    assert "file at path" not in found[0].code


def test_training_and_run_time_give_the_same_sums(tmp_path: Path) -> None:
    words = ["open", "file", "path"]
    table = np.random.default_rng(3).standard_normal((3 + 8, 12)).astype(np.float32)
    write_weights(tmp_path, table, term_hashes(words), name="n", version="1")
    texts = ["open the file", "path path", "zzzz"]
    bags = Encoder(words, 8).encode(texts)
    sums = np.stack([_sum(bags, i, table) for i in range(len(texts))])
    sums /= np.linalg.norm(sums, axis=1, keepdims=True)
    cosines = (StaticEmbedder.open(tmp_path).embed_documents(texts) * sums).sum(axis=1)
    assert (cosines > 0.999).all()  # int8 rounding only


def _sum(bags: Bags, i: int, table: np.ndarray) -> np.ndarray:
    entry = slice(bags.offsets[i], bags.offsets[i + 1])
    return (table[bags.rows[entry]] * bags.weights[entry, None]).sum(axis=0)


def test_a_held_out_package_is_whole_and_copies_are_dropped(tmp_path: Path) -> None:
    for package, count in (("a", 900), ("b", 300), ("c", 5000)):
        rows = [
            {"l": "go", "p": "x.go", "d": f"doc {package} {i // 5}", "c": f"{package}{i}", "m": 0}
            for i in range(count)
        ]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{package}.jsonl").write_text(lines)
    assert held_out(tmp_path)["go"] <= {"a", "b"}
    kept = list(load(tmp_path, frozenset({int(term_hashes(["x" * 60])[0])})))
    assert len(kept) == (900 + 300 + 5000) * 4 // 5  # 4 pairs of one sentence


def test_ranks_count_ties_against_us() -> None:
    scores = np.array([[1, 1, 0], [0, 0, 2]], np.float32)
    assert mrr(scores, [0, 2]) == pytest.approx((1 / 2 + 1) / 2)


def test_bm25_prefers_the_rare_word() -> None:
    scores = bm25(["open socket"], ["open the file", "open the socket", "open the door"])
    assert scores.argmax() == 1
