"""Which language a file is: extension, name, shebang, modeline, content where a name is shared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codequarry.assets.languages.detect import detect_language


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("src/a.py", "python"),
        ("A.PY", "python"),
        ("a.pyi", "python"),
        ("x/y.ts", "typescript"),
        ("y.mts", "typescript"),
        ("y.d.ts", "typescript"),
        ("z.tsx", "tsx"),
        ("z.jsx", "javascript"),
        ("z.cjs", "javascript"),
        ("m.go", "go"),
        ("lib.rs", "rust"),
        ("a.rb", "ruby"),
        ("index.php", "php"),
        ("A.java", "java"),
        ("a.kt", "kotlin"),
        ("build.gradle.kts", "kotlin"),
        ("a.cs", "csharp"),
        ("a.swift", "swift"),
        ("a.scala", "scala"),
        ("a.c", "c"),
        ("a.cpp", "cpp"),
        ("README.md", "markdown"),
        ("docs/a.rst", "rst"),
        ("a.adoc", "asciidoc"),
        ("Dockerfile", "dockerfile"),
        ("Dockerfile.dev", "dockerfile"),
        ("Makefile", "make"),
        ("CMakeLists.txt", "cmake"),
        ("Gemfile", "ruby"),
        ("Rakefile", "ruby"),
        ("go.mod", "gomod"),
        ("go.sum", "gosum"),
        ("Jenkinsfile", "groovy"),
        ("BUILD.bazel", "starlark"),
        (".gitignore", "gitignore"),
        ("a.tf", "terraform"),
        ("a.proto", "proto"),
        ("a.yml", "yaml"),
        ("requirements-dev.txt", "requirements"),
        ("notes.txt", "text"),
        ("LICENSE", "text"),
        ("a.unheard-of", "text"),
        ("dir.py/plain", "text"),
        (r"win\dir\a.py", "python"),
    ],
)
def test_the_name_says_the_language(path: str, language: str) -> None:
    assert detect_language(path, b"") == language


@pytest.mark.parametrize(
    ("head", "language"),
    [
        (b"#!/usr/bin/env python3\n", "python"),
        (b"#!/usr/bin/python3.11 -u\n", "python"),
        (b"#!/usr/bin/env -S deno run\n", "typescript"),
        (b"#!/bin/sh\n", "bash"),
        (b"#! /usr/bin/ruby\n", "ruby"),
        (b"#!/usr/bin/env node\n", "javascript"),
        (b"#!/usr/bin/env unheard-of\n", "text"),
        (b"# vim: set ft=ruby :\n", "ruby"),
        (b"# -*- mode: python; coding: utf-8 -*-\n", "python"),
        (b"// -*- C++ -*-\n", "cpp"),
        (b"# -*- coding: utf-8 -*-\n", "text"),
        (b"line\n" * 40 + b"/* vim: set filetype=php: */\n", "php"),
        (b"<?php\n", "php"),
        (b"<?xml version='1.0'?>\n", "xml"),
        (b"plain words\n", "text"),
    ],
)
def test_a_file_without_an_extension_is_judged_by_its_first_and_last_lines(
    head: bytes, language: str
) -> None:
    assert detect_language("script", head) == language


@pytest.mark.parametrize(
    ("path", "head", "language"),
    [
        ("a.h", b"int add(int a, int b);\n", "c"),
        ("a.h", b"namespace x {\nclass A {\n};\n}\n", "cpp"),
        ("a.h", b"@interface A : NSObject\n@end\n", "objc"),
        ("a.m", b"@implementation A\n@end\n", "objc"),
        ("a.m", b"function y = f(x)\ny = x;\nend\n", "matlab"),
        ("a.v", b"module top(input a);\nendmodule\n", "verilog"),
        ("a.v", b"fn main() {\n}\n", "v"),
        ("a.php", b"<?hh\n", "hack"),
        ("a.inc", b"<?php echo 1;\n", "php"),
        ("a.inc", b"words\n", "text"),
        ("a.ts", b"<?xml version='1.0'?>\n<!DOCTYPE TS>\n", "xml"),
        ("a.pl", b":- module(a, []).\n", "text"),
        ("a.pl", b"use strict;\nsub f {}\n", "perl"),
        ("a.t", b"use Test::More;\n", "perl"),
    ],
)
def test_a_shared_extension_is_told_apart_by_content(path: str, head: bytes, language: str) -> None:
    assert detect_language(path, head) == language


@given(st.text(max_size=40), st.binary(max_size=200))
def test_any_name_and_any_bytes_give_a_language(path: str, head: bytes) -> None:
    assert detect_language(path, head)
