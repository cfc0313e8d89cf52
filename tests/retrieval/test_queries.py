"""Any text is a query; names are found in any spelling; paths have one form."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import pytest
from support import CASES, QUARRY, index, write_tree

from codequarry.errors import FileNotIndexed, UsageError
from codequarry.retrieval.filters import Filters, normalise_path
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.index import Options, open_index
from codequarry.retrieval.reading import find_file, get_code
from codequarry.store.layout import Layout

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ran

    from codequarry.retrieval.index import Index

    Quarry = Callable[..., Ran]


def copied(case: str, factory: pytest.TempPathFactory) -> Path:
    root = write_tree(factory.mktemp(case) / "repo", {})
    for path in (CASES / case / "repo").rglob("*"):
        if path.is_file():
            name = path.relative_to(CASES / case / "repo").as_posix()
            write_tree(root, {name: path.read_bytes()})
    index(root)
    return root


def expected(case: str) -> list[dict[str, str]]:
    return json.loads((CASES / case / "expect.json").read_text())["must_find_top1"]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return open_index(copied("C043", tmp_path_factory), model="none")


@pytest.fixture(scope="module")
def punctuation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied("C044", tmp_path_factory)


@pytest.mark.parametrize(
    "item",
    expected("C043"),
    ids=lambda item: item["query"],
)
def test_names_inside_names_are_found_first_without_a_model(names: Index, item: dict[str, str]):
    assert names.search(item["query"]).paths[0] == item["path"]


@pytest.mark.parametrize("name", ["getUserById", "HTTPServerError", "OAuth2Client", "error_page"])
@pytest.mark.parametrize("case", [str, str.lower, str.upper])
def test_an_exact_name_in_any_letter_case_is_the_first_hit(names: Index, name: str, case):
    symbols = names.generation.symbols
    row = symbols["name"].to_pylist().index(name)
    path = names.generation.paths[symbols["file"][row].as_py()]
    assert names.search(case(name)).paths[0] == path


@pytest.mark.parametrize("item", expected("C044"), ids=lambda item: ascii(item["query"]))
def test_punctuation_and_unspaced_scripts_are_searchable(punctuation: Path, item: dict[str, str]):
    assert open_index(punctuation, model="none").search(item["query"]).paths[0] == item["path"]


HOSTILE = json.loads((CASES / "C044/queries.json").read_text())["must_not_fail"]


@pytest.mark.parametrize("query", HOSTILE, ids=lambda query: ascii(query)[:20])
def test_any_text_gives_an_answer_or_one_sentence(quarry: Quarry, punctuation: Path, query: str):
    ran = quarry("-C", punctuation, "search", "--json", "--", query)
    assert ran.status in (0, 1, 2)
    if "error" in ran.json:
        assert ran.json["error"]["message"]
        assert ran.json["error"]["code"] in ("usage", "invalid_query")
    else:
        assert ran.json["query"] == query
    ran = quarry("-C", punctuation, "search", "--", query)
    assert "Traceback" not in ran.err
    assert len([line for line in ran.err.split("\n") if line]) <= 3


@pytest.mark.parametrize("query", ["???", "the of and to", "", " ", "*"])
def test_a_query_without_a_word_says_so_and_gives_no_hits(
    quarry: Quarry, punctuation: Path, query: str
):
    ran = quarry("-C", punctuation, "search", "--json", "--", query)
    assert ran.status in (1, 2)
    if "error" not in ran.json:
        assert ran.json["core"] == ran.json["related"] == []
        assert ran.json["notes"]


def test_a_batch_of_hostile_queries_answers_each(punctuation: Path, tmp_path: Path):
    rows = [{"id": i, "query": query} for i, query in enumerate(HOSTILE) if len(query) < 5000]
    (tmp_path / "batch").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = subprocess.run(
        [*QUARRY, "-C", punctuation, "search", "--batch", tmp_path / "batch", "--json"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.split("\n") if line]
    assert [answer["id"] for answer in answers] == [row["id"] for row in rows]


def test_scores_are_finite_and_files_ranked_by_them(names: Index):
    for query in ("user", "getUserById", "error", "nothing like that"):
        answer = names.search(query)
        scores = [file.score for file in (*answer.core, *answer.related)]
        assert np.isfinite(scores).all()
        assert len(set(answer.paths)) == len(answer.paths)


# ------------------------------------------------------------------------ paths


@pytest.fixture(scope="module")
def slashes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied("C046", tmp_path_factory)


SAME = json.loads((CASES / "C046/queries.json").read_text())


@pytest.mark.parametrize("item", SAME["same_place"], ids=lambda item: item["path"])
def test_every_spelling_of_a_path_is_the_same_place(quarry: Quarry, slashes: Path, item):
    ran = quarry("-C", slashes, "get", f"{item['path']}:{item['line']}", "--json")
    assert ran.status == 0
    assert (ran.json["path"], ran.json["text"]) == ("src/otp.py", "def check_otp(a, b):\n")
    chunks = quarry("-C", slashes, "chunks", item["path"], "--json").json
    assert chunks["path"] == "src/otp.py"


def test_a_wrong_path_or_line_says_which_part_is_wrong(quarry: Quarry, slashes: Path):
    ran = quarry("-C", slashes, "get", "src/nothing.py:1")
    assert (ran.status, "src/nothing.py is not in the index" in ran.err) == (1, True)
    ran = quarry("-C", slashes, "get", "src/otp.py:99")
    assert (ran.status, "it has lines 1-9" in ran.err) == (2, True)


def test_near_names_are_offered(slashes: Path):
    generation = Generation.open(Layout.of(slashes))
    with pytest.raises(FileNotIndexed) as caught:
        find_file(generation, "lib/otp.py")
    assert "src/otp.py" in caught.value.hint


def test_an_absolute_path_inside_the_repository_is_understood(slashes: Path):
    generation = Generation.open(Layout.of(slashes))
    assert get_code(generation, str(slashes / "src/otp.py"), 4, 4).text == "def new_otp():\n"


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("a/b", "a/b"),
        ("a\\b", "a/b"),
        ("./a//b/", "a/b"),
        (".\\a\\.\\b", "a/b"),
        ("a/../a/b", "a/b"),
        ("", ""),
        (".", ""),
    ],
)
def test_paths_have_one_form(path: str, wanted: str):
    assert normalise_path(path) == wanted


@pytest.mark.parametrize("path", ["..", "../a", "a/../../b", "..\\a"])
def test_no_spelling_leads_above_the_root(path: str):
    assert ".." in normalise_path(path).split("/")  # stays as it is, and is in no index


@pytest.mark.skipif(os.name == "nt", reason="such names cannot be made")
def test_odd_names_can_be_found_and_read(tmp_path: Path):
    root = write_tree(
        tmp_path / "repo",
        {
            "a\\b.py": "def backslash(): pass\n",
            os.fsdecode(b"caf\xe9.py"): "def latin(): pass\n",
            "line\nbreak.py": "def newline(): pass\n",
            "a.py:3": "def colon(): pass\n",
        },
    )
    index(root)
    opened = open_index(root, model="none")
    for word in ("backslash", "latin", "newline", "colon"):
        answer = opened.search(word)
        path = answer.paths[0]
        assert f"def {word}" in get_code(opened.generation, path).text
        assert not answer.stale
        json.dumps(answer.as_json()).encode("utf-8")


# ---------------------------------------------------------------------- filters


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Index:
    root = write_tree(
        tmp_path_factory.mktemp("mixed") / "repo",
        {
            "src/needle.py": "class Needle:\n    def thread(self): pass\n",
            "src/needle.go": "package needle\n\nfunc Needle() {}\n",
            "tests/test_needle.py": "def test_needle(): pass\n",
            "docs/needle.md": "# Needle\n\nHow to thread a needle.\n",
            "needle.toml": "needle = 1\n",
        },
    )
    index(root)
    return open_index(root, model="none")


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ({}, {"src/needle.py", "src/needle.go", "tests/test_needle.py", "needle.toml"}),
        ({"content": "docs"}, {"docs/needle.md"}),
        ({"languages": ("go",)}, {"src/needle.go"}),
        (
            {"languages": ("Go", "PYTHON")},
            {"src/needle.go", "src/needle.py", "tests/test_needle.py"},
        ),
        ({"roles": ("test",)}, {"tests/test_needle.py"}),
        ({"roles": ("docs", "config")}, {"docs/needle.md", "needle.toml"}),
        ({"kinds": ("class",)}, {"src/needle.py"}),
        ({"globs": ("*.go",)}, {"src/needle.go"}),
        ({"globs": ("src/", "!*.go")}, {"src/needle.py"}),
        ({"scope": "src"}, {"src/needle.py", "src/needle.go"}),
        ({"scope": "src/needle.go"}, {"src/needle.go"}),
        ({"scope": "sr"}, set()),
    ],
)
def test_filters_restrict_the_answer(mixed: Index, filters: dict, wanted: set[str]):
    from codequarry.retrieval.filters import Content

    if "content" in filters:
        filters = filters | {"content": Content(filters["content"])}
    answer = mixed.search("needle", Options(filters=Filters(**filters)))
    assert set(answer.paths) == wanted
    assert bool(answer.notes) == (not wanted)


@pytest.mark.parametrize("filters", [{"roles": ("nonsense",)}, {"kinds": ("nonsense",)}])
def test_an_unknown_role_or_kind_is_an_error_that_lists_the_known(mixed: Index, filters: dict):
    with pytest.raises(UsageError) as caught:
        mixed.search("needle", Options(filters=Filters(**filters)))
    assert "one of: " in caught.value.hint


def test_a_glob_that_is_no_pattern_is_an_error(mixed: Index):
    with pytest.raises(UsageError):
        mixed.search("needle", Options(filters=Filters(globs=("!",))))
