"""Detection beyond the common extensions: names, templates, modelines, and a guess at the rest."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from support import write_tree

from codequarry.assets.census.census import take_census
from codequarry.assets.languages import guess
from codequarry.assets.languages.detect import detect_language
from codequarry.assets.languages.extensions import BY_EXTENSION
from codequarry.assets.languages.grammars import load
from codequarry.assets.languages.registry import SPECS
from codequarry.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = {
    "Dockerfile": "dockerfile",
    "docker/Dockerfile.dev": "dockerfile",
    "Makefile": "make",
    "GNUmakefile": "make",
    "Jenkinsfile": "groovy",
    "Rakefile": "ruby",
    "Gemfile": "ruby",
    "Vagrantfile": "ruby",
    "CMakeLists.txt": "cmake",
    "go.mod": "gomod",
    "go.work": "gomod",
    ".envrc": "bash",
    "BUILD.bazel": "starlark",
    "WORKSPACE": "starlark",
    "meson.build": "meson",
    "SConstruct": "python",
    ".bashrc": "bash",
    "gradlew": "bash",
    "CODEOWNERS": "gitignore",
    ".vscodeignore": "gitignore",
    ".stylelintrc": "json",
    "App.csproj": "xml",
    "spring.factories": "properties",
    "a.code-workspace": "json",
    "config/web.config": "xml",
    "x.dtd": "dtd",
    "mod.pyx": "python",
    "Page.cshtml": "html",
    "CITATION.cff": "yaml",
    "PackageVersion.java.in": "java",
    "config.php.dist": "php",
    "Makefile.in": "make",
    "app.css.eex": "heex",
    "main.rs~": "rust",
    "settings.py.example": "python",
    "photo.unknown": "text",
    "nothing": "text",
}
HEADS = {
    b"#!/usr/bin/env -S uv run --script\n": "python",
    b"#!/usr/bin/env -S deno run -A\n": "typescript",
    b"#!/bin/busybox sh\n": "bash",
    b"#!/usr/bin/python3.12\n": "python",
    b"# -*- mode: ruby -*-\n": "ruby",
    b"# vim: set ft=nix :\n": "nix",
    b"x\n" * 9 + b"// vim: ft=go\n": "go",
    b"x\n" * 9 + b"# Local Variables:\n# mode: python\n# End:\n": "python",
    b"<!DOCTYPE html>\n": "html",
    b"%YAML 1.1\n": "yaml",
    b"<?php\n": "php",
    b"words\n": "text",
}


@pytest.mark.parametrize("path", NAMES)
def test_names_tell_the_language(path: str):
    head = b"<configuration/>" if path.endswith(".config") else b""
    assert detect_language(path, head) == NAMES[path]


@pytest.mark.parametrize("head", HEADS)
def test_first_and_last_lines_tell_the_language(head: bytes):
    assert detect_language("script", head) == HEADS[head]


def test_a_config_that_is_no_markup_is_text():
    assert detect_language("sys.config", b"[{kernel, []}].\n") == "text"


def test_every_language_with_a_grammar_can_be_detected():
    from codequarry.assets.languages.extensions import BY_NAME

    without = {"test", "udev", "gstlaunch"}  # corpora and rules whose names others use
    assert set(SPECS) - without <= {*BY_EXTENSION.values(), *BY_NAME.values()}


def test_a_modeline_at_the_end_of_a_long_file_counts(tmp_path: Path):
    text = "x = 1\n" * 4000 + "# vim: ft=python\n"
    root = write_tree(tmp_path / "repo", {"tool": text})
    assert take_census(root, Settings()).indexed[0].language == "python"


@pytest.fixture
def magika(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[bytes]]:
    """Install a Magika that always says the same; gives what it was asked."""

    def install(label: str) -> list[bytes]:
        asked: list[bytes] = []

        class Magika:
            def identify_bytes(self, data: bytes) -> SimpleNamespace:
                asked.append(data)
                return SimpleNamespace(output=SimpleNamespace(label=label))

        module = ModuleType("magika")
        module.Magika = Magika  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "magika", module)
        monkeypatch.setattr(guess, "guesser", lambda: "magika 1.0.1")
        guess._model.cache_clear()
        return asked

    yield install
    guess._model.cache_clear()


@pytest.mark.parametrize(
    ("label", "language"),
    [("shell", "bash"), ("cs", "csharp"), ("python", "python"), ("txt", "text"), ("pdf", "text")],
)
def test_what_no_rule_names_is_guessed(tmp_path: Path, magika, label: str, language: str):
    magika(label)
    root = write_tree(tmp_path / "repo", {"run-me": "echo a\n"})
    assert take_census(root, Settings()).indexed[0].language == language


def test_only_what_is_left_is_guessed(tmp_path: Path, magika):
    asked = magika("python")
    plain = {"LICENSE": "words\n", "MIT-LICENSE": "words\n", "notes.txt": "words\n"}
    named = {"a.py": "x = 1\n", "Makefile": "all:\n", "hook": "#!/bin/sh\n"}
    root = write_tree(tmp_path / "repo", plain | named | {"left": "over\n"})
    found = {entry.path: entry.language for entry in take_census(root, Settings()).indexed}
    assert asked == [b"over\n"]
    assert found["left"] == "python"
    assert {found[name] for name in plain} == {"text"}


def test_without_magika_it_is_plain_text_and_installing_it_reads_files_again(
    tmp_path: Path, magika, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("codequarry.assets.census.census.guesser", lambda: "")
    monkeypatch.setattr(guess, "guesser", lambda: "")
    guess._model.cache_clear()
    root = write_tree(tmp_path / "repo", {"run-me": "echo a\n"})
    first = take_census(root, Settings())
    assert first.indexed[0].language == "text"
    magika("shell")
    monkeypatch.setattr("codequarry.assets.census.census.guesser", lambda: "magika 1.0.1")
    second = take_census(root, Settings(), first)
    assert (second.indexed[0].language, second.changed) == ("bash", True)


def test_doctor_says_what_the_missing_extra_means(quarry, monkeypatch: pytest.MonkeyPatch):
    from codequarry.shells.cli import doctor

    real = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: "" if name == "magika" else real(name))
    findings = {f["what"]: f for f in quarry("doctor", "--json").json["findings"]}
    assert "plain text" in findings["extra magika"]["value"]
    assert findings["extra magika"]["repair"] == "pip install 'codequarry[magika]'"


def test_new_languages_have_grammars_that_load():
    for language in ("chatito", "cpon", "dtd", "gitcommit", "hyprlang", "netlinx", "readline"):
        assert load(language) is not None


def test_the_real_magika_knows_a_script():
    pytest.importorskip("magika")
    guess._model.cache_clear()
    code = b"import os\n\ndef main(argv):\n    print(os.getcwd())\n\nmain([])\n" * 4
    assert guess.guess_language("bin/tool", code) == "python"


def test_a_broken_magika_costs_the_guess_and_is_named(monkeypatch):
    module = ModuleType("magika")

    def broken():
        raise RuntimeError("no model file")

    module.Magika = broken  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "magika", module)
    monkeypatch.setattr(guess, "guesser", lambda: "magika 1.0.1")
    guess._model.cache_clear()
    try:
        assert guess.guess_language("strange", b"print(1)\n") == ""
        assert guess.guesser_fault() == "RuntimeError: no model file"
    finally:
        guess._model.cache_clear()
