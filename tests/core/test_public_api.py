"""`import codequarry`: what it offers, what it costs, and that it does what it says."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from support import QUARRY, modules, write_tree

import codequarry
from codequarry.errors import from_envelope

FRONT = Path(codequarry.__file__)
HEAVY = ("numpy", "pyarrow", "click", "rich", "dagster", "openai")


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_tree(
        tmp_path_factory.mktemp("api") / "repo",
        {
            **modules(6),
            "shop/till.py": (
                '"""The till."""\n\nfrom shop.tax import add_tax\n\n\n'
                "def ring_up(price):\n"
                '    """Ring up one article with its tax."""\n'
                "    return add_tax(price)\n"
            ),
            "shop/tax.py": (
                '"""Taxes."""\n\n\ndef add_tax(price):\n'
                '    """Add the tax of the country."""\n    return price * 1.2\n'
            ),
        },
    )
    codequarry.index_repo(root, model="none")
    (root / "quarry.toml").write_text('model = "none"\n')
    return root


def test_every_name_is_there_and_typed():
    tree = ast.parse(FRONT.read_bytes())
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    typed = {
        alias.asname or alias.name
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    at_once = {
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "codequarry.errors"
        for alias in node.names
    }
    assert typed | at_once | {"__version__"} == set(codequarry.__all__)
    for name in codequarry.__all__:
        assert getattr(codequarry, name) is not None
    assert set(codequarry.__all__) <= set(dir(codequarry))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'serach'"):
        codequarry.serach  # noqa: B018


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys; old = set(sys.modules); import codequarry; print(*set(sys.modules) - old)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not {name for name in loaded if name.split(".")[0] in HEAVY}
    assert {name for name in loaded if name.startswith("codequarry")} == {
        "codequarry",
        "codequarry.errors",
    }


def test_search_finds_what_an_open_index_finds(repo: Path):
    index = codequarry.open_index(repo)
    answer = codequarry.search("ring up an article", repo)
    assert answer.paths == index.search("ring up an article").paths
    assert answer.paths[0] == "shop/till.py"
    assert [one.paths[0] for one in codequarry.search_many(["add tax", "unit03"], index)] == [
        "shop/tax.py",
        "mod_03.py",
    ]
    assert codequarry.prune_search("add tax", index)[0].path == "shop/tax.py"


def test_filters_of_the_api_are_those_of_the_command_line(repo: Path):
    options = codequarry.Options(filters=codequarry.Filters(globs=("mod_*",)))
    assert "shop/till.py" not in codequarry.search("ring up", repo, options).paths


def test_ask_is_the_function_whatever_was_imported_before(repo: Path):
    for first in ("import codequarry", "import codequarry.ask.splice, codequarry"):
        code = f"{first}\nprint(codequarry.ask('who adds the tax', {str(repo)!r}).answer)"
        run = [sys.executable, "-c", code]
        done = subprocess.run(run, capture_output=True, text=True, check=True)
        assert "return price * 1.2" in done.stdout


def test_ask_streams_events_that_end_with_done(repo: Path):
    events = list(codequarry.ask_stream("who adds the tax", repo, cache=False))
    assert [events[0].type, events[-1].type] == ["retrieval", "done"]
    with pytest.raises(TypeError, match="narator"):
        codequarry.ask("who adds the tax", repo, narator="extractive")


def test_an_ask_that_cannot_be_answered_raises(repo: Path):
    with pytest.raises(codequarry.InvalidQuery):
        codequarry.ask("  ", repo)


def test_the_graph_answers_about_files_and_symbols(repo: Path):
    graph = codequarry.graph(repo)
    (edge,) = graph.callers("add_tax").edges
    assert (edge.path, edge.symbol) == ("shop/till.py", "shop.till.ring_up")
    assert [e.target for e in graph.callees("ring_up").edges] == ["shop.tax.add_tax"]
    assert graph.path("till", "tax").found
    assert graph.node("add_tax").path == "shop/tax.py"
    assert graph.definitions("ring_up")[0].doc == "Ring up one article with its tax."
    assert [hit.symbol for hit in graph.impact("add_tax")] == ["shop.till.ring_up"]
    assert graph.refs("add_tax").edges[0].path == "shop/till.py"
    assert graph.map().files == 8


def test_code_is_read_from_disk_and_only_of_indexed_files(repo: Path):
    span = codequarry.get_code("shop/tax.py", 4, 4, repo)
    assert span.text == "def add_tax(price):\n"
    with pytest.raises(codequarry.QuarryError, match="not in the index"):
        codequarry.get_code("../../etc/passwd", repo=repo)


def test_a_second_run_says_that_nothing_changed_and_progress_is_told(tmp_path: Path):
    root = write_tree(tmp_path / "repo", modules(4))
    seen: list[tuple[str, int, int]] = []
    first = codequarry.index_repo(root, model="none", on_progress=lambda *where: seen.append(where))
    again = codequarry.index_repo(root, model="none")
    assert (first.files, first.up_to_date, again.up_to_date) == (4, False, True)
    assert seen
    assert {stage for stage, _, _ in seen} <= {
        "starting", "census", "facts", "embeddings", "edges", "graph", "snapshot",
    }  # fmt: skip


def test_errors_of_a_run_come_back_as_what_they_are(tmp_path: Path):
    root = write_tree(tmp_path / "repo", {**modules(1), "quarry.toml": "modle = 'none'\n"})
    with pytest.raises(codequarry.QuarryError, match="unknown setting 'modle'") as caught:
        codequarry.index_repo(root)
    assert type(caught.value).__name__ == "UsageError"
    assert "known settings" in caught.value.hint


def test_without_an_index_it_is_said_so(tmp_path: Path):
    with pytest.raises(codequarry.IndexNotFound) as caught:
        codequarry.search("anything", tmp_path)
    assert caught.value.hint == "run: quarry index"


def test_an_envelope_gives_its_error_back():
    error = codequarry.ModelMismatch("other model", "run: quarry index", {"a": 1})
    again = from_envelope(error.envelope())
    assert type(again) is codequarry.ModelMismatch
    assert (again.message, again.hint, again.details) == ("other model", error.hint, {"a": 1})
    assert type(from_envelope({"error": {"class": "Other", "message": "m"}})).__name__ == (
        "QuarryError"
    )


def test_answers_show_themselves_in_notebooks(repo: Path):
    answer = codequarry.search("add tax", repo)
    assert repr(answer).startswith("<Answer to 'add tax': ")
    table = answer._repr_markdown_()
    assert "| **shop/tax.py** |" in table
    told = codequarry.ask("who adds the tax", repo, cache=False)
    assert told._repr_markdown_() == told.answer
    assert repr(told).startswith("<AskAnswer to 'who adds the tax' by extractive: ")


def test_a_name_cannot_break_out_of_the_table(tmp_path: Path):
    root = write_tree(tmp_path / "repo", {"a|b <script>.py": "def walrus():\n    pass\n"})
    codequarry.index_repo(root, model="none")
    (root / "quarry.toml").write_text('model = "none"\n')
    table = codequarry.search("walrus", root)._repr_markdown_()
    assert "a\\|b \\<script\\>.py" in table


def test_the_command_line_still_works_beside_the_api(repo: Path):
    done = subprocess.run(
        [*QUARRY, "-C", repo, "search", "add tax", "--json"], capture_output=True, text=True
    )
    assert '"shop/tax.py"' in done.stdout
