"""A grammar that is missing or does not load: told per language with its cause, and healed."""

from __future__ import annotations

import shutil
import socket
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
import tree_sitter_language_pack as pack
from support import CASES, generation_bytes, write_tree

from codequarry.assets import checkout
from codequarry.assets.facts.pool import batches
from codequarry.assets.facts.worker import parse_batch
from codequarry.assets.languages import grammars

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support import Ran

    Quarry = Callable[..., Ran]

OPTIONS = ("--model", "none")


class Inline:
    """A pool that parses in this process, where the test has broken the loader."""

    def __init__(self, *_: object) -> None: ...

    def prefetch(self, *_: object) -> None: ...

    def close(self) -> None: ...

    def parse(self, root: str, jobs: list) -> Iterator:
        for batch in batches(jobs):
            yield parse_batch(root, batch)


@pytest.fixture
def loader(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Break the loader of some grammars, or mend it again."""
    monkeypatch.setattr(checkout, "ParsePool", Inline)
    real = pack.get_language

    def broken(*names: str, error: Exception | None = None) -> None:
        def get_language(name: str) -> object:
            if name in names:
                raise error or LookupError(f"Could not find language library for {name}")
            return real(name)

        monkeypatch.setattr(pack, "get_language", get_language)
        grammars.load.cache_clear()

    yield broken
    grammars.load.cache_clear()


def load_failure(cause: ImportError) -> LookupError:
    """What the pack raises; its cause tells a missing grammar from a broken one."""
    error = LookupError("Could not find language library for zig")
    error.__cause__ = cause
    return error


def case(tmp_path: Path) -> Path:
    return shutil.copytree(CASES / "C058/repo", tmp_path / "repo")


def test_nothing_is_fetched_and_everything_is_found_with_the_network_blocked(
    tmp_path: Path, quarry: Quarry, loader, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was used")

    loader()
    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    root = case(tmp_path)
    ran = quarry("-C", root, "index", *OPTIONS, "--json")
    assert ran.status == 0
    assert ran.json["without_grammar"] == []
    for word, path in (
        ("has_grammar", "a.py"),
        ("noGrammar", "b.zig"),
        ("strange_needle", "c.unknownext"),
    ):
        assert quarry("-C", root, "search", word, "--json").json["core"][0]["path"] == path


CAUSES = [
    (None, "not in the installed tree-sitter-language-pack"),
    (load_failure(ModuleNotFoundError("No module named 'zig'")), "not in the installed"),
    (load_failure(ImportError("zig.so: undefined symbol: x")), "failed to load: zig.so: undefined"),
    (OSError("zig.so: wrong ELF class"), "OSError: zig.so: wrong ELF class"),
]


@pytest.mark.parametrize(("error", "cause"), CAUSES, ids=["absent", "no module", "broken", "other"])
def test_the_fallback_is_announced_per_language_with_its_cause(
    tmp_path: Path, quarry: Quarry, loader, error: Exception | None, cause: str
):
    root = case(tmp_path)
    write_tree(root, {"more.zig": "pub fn other() u8 {\n    return 2;\n}\n"})
    loader("zig", error=error)
    report = quarry("-C", root, "index", *OPTIONS, "--json").json
    (row,) = report["without_grammar"]
    assert (row["language"], row["files"], row["symbols"]) == ("zig", 2, None)
    assert cause in row["reason"]
    assert "language not found" not in row["reason"].lower()
    assert report["degraded"] == []
    status = quarry("-C", root, "status", "--json").json
    assert status["without_grammar"] == report["without_grammar"]
    for command in ("index", "status"):
        said = quarry("-C", root, command, *(OPTIONS if command == "index" else ())).out
        assert "zig: 2 files cut by lines, symbols and edges not available" in said
        assert cause in said
    doctor = quarry("doctor", "--languages", "--json")
    assert doctor.status == 1
    assert cause in doctor.json["zig"]
    assert doctor.json["python"] == "syntax, own rules"
    assert quarry("-C", root, "search", "noGrammar", "--json").json["core"][0]["path"] == "b.zig"


def test_a_grammar_that_loads_again_is_used_at_the_next_run(tmp_path: Path, quarry: Quarry, loader):
    root = case(tmp_path)
    loader("zig", "python")
    lacking = quarry("-C", root, "index", *OPTIONS, "--json").json
    assert [row["language"] for row in lacking["without_grammar"]] == ["python", "zig"]
    assert quarry("-C", root, "index", *OPTIONS, "--json").json["up_to_date"]
    loader("zig")
    half = quarry("-C", root, "index", *OPTIONS, "--json").json
    assert [row["language"] for row in half["without_grammar"]] == ["zig"]
    loader()
    healed = quarry("-C", root, "index", *OPTIONS, "--json").json
    assert (healed["without_grammar"], healed["parse_states"]["ok"]) == ([], 2)
    assert quarry("-C", root, "index", *OPTIONS, "--json").json["up_to_date"]
    fresh = shutil.copytree(CASES / "C058/repo", tmp_path / "fresh/repo")
    quarry("-C", fresh, "index", *OPTIONS)
    assert generation_bytes(root) == generation_bytes(fresh)


def test_what_was_cut_by_syntax_stays_when_a_grammar_breaks(tmp_path: Path, quarry: Quarry, loader):
    root = case(tmp_path)
    loader()
    before = quarry("-C", root, "index", *OPTIONS, "--json").json
    loader("python")
    write_tree(root, {"new.py": "def later():\n    return 1\n"})
    after = quarry("-C", root, "index", *OPTIONS, "--json").json
    assert [(row["language"], row["files"]) for row in after["without_grammar"]] == [("python", 1)]
    assert after["symbols"] == before["symbols"]


def test_the_pack_holds_its_grammars_in_its_own_files():
    assert import_module(".bindings.zig", pack.__name__).__file__
