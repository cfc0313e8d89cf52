"""Which comment is a doc comment, and its text without markers."""

from __future__ import annotations

import pytest

from codequarry.assets.facts.extract import extract_facts


def doc(source: str, language: str, name: str = "f") -> str:
    (symbol,) = [s for s in extract_facts(source.encode(), language).symbols if s.name == name]
    return symbol.doc


@pytest.mark.parametrize(
    ("source", "language"),
    [
        ('def f():\n    """Does it."""\n', "python"),
        ("def f():\n    r'''\n    Does it.\n    '''\n", "python"),
        ('def f(): "Does it."\n', "python"),
        ("/** Does it. */\nfunction f() {}\n", "javascript"),
        ("/**\n * Does it.\n */\nexport default function f() {}\n", "typescript"),
        ("/** Does it. */\nexport const f = () => 1;\n", "typescript"),
        ("class A {\n  /** Does it. */\n  @Dec()\n  f() {}\n}\n", "typescript"),
        ("package p\n\n// Does it.\nfunc f() {}\n", "go"),
        ("package p\n\n// Does it.\n//\n//go:noinline\nfunc f() {}\n", "go"),
        ("/// Does it.\nfn f() {}\n", "rust"),
        ("/// Does it.\n#[inline]\n#[must_use]\nfn f() {}\n", "rust"),
        ("/** Does it. */\nfn f() {}\n", "rust"),
        ("# Does it.\ndef f; end\n", "ruby"),
        ("<?php\n/**\n * Does it.\n */\nfunction f() {}\n", "php"),
        ("<?php\nclass A {\n  /** Does it. */\n  #[Get]\n  public function f() {}\n}\n", "php"),
        ("class A {\n  /** Does it. */\n  @Override\n  void f() {}\n}\n", "java"),
        ("/* Does it. */\nint f(void) { return 1; }\n", "c"),
        ("/// Does it.\nint f() { return 1; }\n", "cpp"),
        ("class A {\n/// <summary>\n/// Does it.\n/// </summary>\n[X]\nvoid f() {}\n}\n", "csharp"),
        ("/** Does it. */\nfun f() = 1\n", "kotlin"),
        ("/// Does it.\nfunc f() {}\n", "swift"),
        ("/** Does it. */\nobject A\n/** Does it. */\ndef f = 1\n", "scala"),
    ],
)  # fmt: skip
def test_the_comment_right_above_is_taken_without_its_markers(source: str, language: str) -> None:
    assert doc(source, language) == "Does it."


@pytest.mark.parametrize(
    ("source", "language"),
    [
        ("/** Detached. */\n\nfunction f() {}\n", "javascript"),
        ("package p\n\n// Detached.\n\nfunc f() {}\n", "go"),
        ("/// Detached.\n\nfn f() {}\n", "rust"),
        ("# Detached.\n\ndef f; end\n", "ruby"),
        ("class A {\n  /** Detached. */\n\n  void f() {}\n}\n", "java"),
        ("int a = 1; /* Of a. */\nint f(void) { return 1; }\n", "c"),
        ("/* eslint-disable no-console */\nfunction f() {}\n", "javascript"),
        ("// -------------------\nfunction f() {}\n", "javascript"),
        ("# Comments are not docstrings.\ndef f(): pass\n", "python"),
        ('def f():\n    "a" + g()\n', "python"),
        ('def f():\n    # a comment "with" quotes\n    return 1\n', "python"),
    ],
)
def test_what_is_no_doc_comment(source: str, language: str) -> None:
    assert doc(source, language) == ""


@pytest.mark.parametrize("end", ["\n", "\r\n", "  \r\n"])
def test_comments_before_a_docstring_are_passed_however_many(end: str) -> None:
    """A licence in a module's head, with either line end, must not take for ever."""
    head = "".join(f"    # line {n} of # the licence{end}" for n in range(300))
    assert doc(f"def f():{end}{head}    'What f does.'{end}", "python") == "What f does."
    assert doc(f"def f():{end}{head}    return 1{end}", "python") == ""


def test_lines_and_indentation_of_a_long_doc_are_kept() -> None:
    source = "/**\n * First.\n *\n *   indented\n * @param a thing\n */\nfunction f(a) {}\n"
    assert doc(source, "javascript") == "First.\n\n  indented\n@param a thing"


def test_only_the_run_of_comments_that_touches_counts() -> None:
    source = "package p\n\n// Far.\n\n// Near,\n// two lines.\nfunc f() {}\n"
    assert doc(source, "go") == "Near,\ntwo lines."
