"""The five laws: each test fails when its rule is broken.

1. No LLM in the retrieval path.        2. Completeness beats ordering.
3. The graph never ranks.               4. Chunks are a line partition (tests/chunks).
5. Only code read from disk is shown.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import index, write_tree

from codequarry.retrieval.features import FEATURES
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.index import Index, open_index
from codequarry.retrieval.reading import get_code
from codequarry.settings import Settings
from codequarry.store.layout import Layout

PACKAGE = Path(__file__).resolve().parents[2]
FOLDERS = ("core", "assets", "pipelines", "retrieval", "models", "shells", "eval")

# Questions about this project's own tree, and every file a maintainer would want to see.
OWN_QUESTIONS = [
    ("how does a new generation become live", {"core/store/generations.py"}),
    ("files that are skipped and why", {"assets/census/rules.py", "assets/census/census.py"}),
    ("key and credential files are never indexed", {"assets/census/rules.py"}),
    ("how are camel case identifiers split", {"core/identifiers.py"}),
    ("bm25f postings of the lexical lane", {"assets/snapshot/postings.py"}),
    ("kill a parser that hangs on a file", {"assets/facts/pool.py"}),
    ("chunks of a file must cover every line", {"assets/chunks/partition.py"}),
    ("features and weights of the linear ranker", {"retrieval/linear.py", "retrieval/features.py"}),
    ("core and related tiers of an answer", {"retrieval/bundle.py", "retrieval/answer.py"}),
    ("git head sensor that starts a run", {"pipelines/definitions.py", "pipelines/head.py"}),
    ("embedding texts with an openai compatible endpoint", {"models/openai_compatible.py"}),
    ("one writer at a time", {"core/store/lock.py"}),
    ("decode a file with a byte order mark", {"core/text.py"}),
    ("markdown headings and fences", {"assets/chunks/markdown.py"}),
]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Index:
    root = tmp_path_factory.mktemp("own") / "codequarry"
    for folder in FOLDERS:
        leave = shutil.ignore_patterns("__pycache__", "*.npy", "manifest.tsv")
        shutil.copytree(PACKAGE / folder, root / folder, ignore=leave)
    index(root, Settings())
    return open_index(root)


def test_a_search_asks_no_model_and_opens_no_connection(own: Index):
    script = f"""
import sys
def refuse(event, arguments):
    if event.startswith("socket."):
        raise SystemExit(f"the network was touched: {{event}} {{arguments}}")
sys.addaudithook(refuse)
from codequarry.shells.cli.main import run
status = run(["-C", {str(own.generation.layout.root)!r}, "search", "how are files ranked"])
asked = {{"openai", "anthropic", "httpx", "requests", "torch", "onnxruntime"}} & set(sys.modules)
sys.exit(f"a model's client was loaded: {{asked}}" if asked else status)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("question", "wanted"), OWN_QUESTIONS, ids=[question for question, _ in OWN_QUESTIONS]
)
def test_every_file_that_answers_is_in_the_answer(own: Index, question: str, wanted: set[str]):
    assert wanted <= set(own.search(question).paths)


def test_no_feature_of_the_ranker_is_read_off_a_graph():
    assert set(FEATURES) == {
        *("bm25_ideal", "bm25_best", "bm25_share"),
        *("stem_coverage", "stem_precision", "stem_light", "folder_precision"),
        *("name_coverage", "class_precision", "defines"),
        *("dense_best", "dense_z", "dense_top3", "skeleton", "path", "description"),
        *("log_chunks", "depth", "test", "example", "data", "config", "old_version"),
    }


def test_code_that_is_shown_is_what_the_disk_holds_now(tmp_path: Path):
    root = write_tree(tmp_path / "repo", {"a.py": "def before():\n    return 1\n"})
    index(root, Settings(model="none"))
    (root / "a.py").write_text("def after():\n    return 2\n")
    span = get_code(Generation.open(Layout.of(root)), "a.py")
    assert (span.text, span.changed) == ("def after():\n    return 2\n", True)
    assert open_index(root, model="none").search("before").stale
