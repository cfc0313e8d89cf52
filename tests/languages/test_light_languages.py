"""Languages with shorter specs: their definitions are found, named and documented."""

from __future__ import annotations

import pytest

from codequarry.assets.facts.extract import extract_facts
from codequarry.vocabulary import ParseState

PROGRAMS = {
    "proto": (
        (
            "package a.b;\nmessage M { message In { } enum E { A = 0; } }\n"
            "service S { rpc Get(M) returns (M); }\n"
        ),
        {"a.b.M", "a.b.M.In", "a.b.M.E", "a.b.S", "a.b.S.Get"},
    ),
    "lua": (
        (
            "local M = {}\nfunction M.foo(a, b) end\nfunction M:bar() end\n"
            "local function baz() end\nM.q = function(x) end\n"
        ),
        {"M.foo", "M.bar", "baz", "M.q"},
    ),
    "sql": (
        "create table if not exists a.users (id int);\ncreate view v as select * from users;\n",
        {"users", "v"},
    ),
    "dart": (
        (
            "class A { A(this.x); static void f(int a) {} int get y => 1; }\nmixin M {}\n"
            "enum F { a }\nvoid main() {}\ntypedef T = int;\n"
        ),
        {"A", "A.A", "A.f", "A.y", "M", "F", "main", "T"},
    ),
    "elixir": (
        (
            "defmodule A.B do\n  def f(a), do: a\n  defp g(x) do\n    x\n  end\n"
            "  def h(x) when x > 1 do\n    1\n  end\n  def z, do: 1\nend\n"
        ),
        {"A.B", "A.B.f", "A.B.g", "A.B.h", "A.B.z"},
    ),
    "zig": (
        (
            "pub fn f(a: i32) i32 { return a; }\n"
            "const S = struct { x: i32, pub fn m(self: S) void {} };\n"
        ),
        {"f", "S", "S.m"},
    ),
    "objc": (
        "@interface A : NSObject\n@end\n@implementation A\n- (void)foo:(int)a { }\n@end\n",
        {"A", "A.foo"},
    ),
    "haskell": (
        "module A where\nf :: Int -> Int\nf 1 = 2\nf x = x\nk = 1\ndata T = A | B\n",
        {"f", "k", "T"},
    ),
    "ocaml": (
        "let rec f x = x\nmodule M = struct let g y = y end\ntype t = A | B\n",
        {"f", "M", "M.g", "t"},
    ),
    "julia": (
        "module A\nfunction f(a, b=1)\n 1\nend\ng(x) = x\nstruct S\n x\nend\nend\n",
        {"A", "A.f", "A.g", "A.S"},
    ),
    "r": ("f <- function(a, b = 1) { a }\n", {"f"}),
    "terraform": ('resource "aws" "b" {\n  x = 1\n}\nvariable "v" {}\n', {"b", "v"}),
    "graphql": ("type A { f: String }\nenum E { A }\nquery Q { a }\n", {"A", "E", "Q"}),
    "make": ("all: a.o\n\tgcc\n", {"all"}),
    "cmake": ("function(add_foo a)\nendfunction()\n", {"add_foo"}),
    "clojure": ("(ns a.b)\n(defn f [x] x)\n(def k 1)\n", {"f", "k"}),
    "powershell": ("function Get-Foo {\n}\nclass A { [void] M() {} }\n", {"Get-Foo", "A", "A.M"}),
    "thrift": ("struct S { 1: string a }\nservice V { void f(1: i32 x) }\n", {"S", "V", "V.f"}),
    "fsharp": ("module A\nlet f x = x\ntype T = { a: int }\n", {"A", "A.f", "A.T"}),
    "bash": ("foo() {\n echo\n}\nfunction bar {\n echo\n}\n", {"foo", "bar"}),
    "glsl": ("float f(vec2 a) { return 1.0; }\nstruct S { int a; };\n", {"f", "S"}),
    "solidity": ("contract A { function f() public {} }\n", {"A", "A.f"}),
    "gdscript": ("class_name A\nfunc f():\n\tpass\n", {"f"}),
}


@pytest.mark.parametrize("language", sorted(PROGRAMS))
def test_definitions_are_found_under_their_qualified_names(language: str) -> None:
    source, want = PROGRAMS[language]
    found = extract_facts(source.encode(), language)
    assert found.state is ParseState.OK
    assert want <= {symbol.qualified for symbol in found.symbols}


def test_a_comment_above_a_line_belongs_to_what_opens_the_line() -> None:
    found = extract_facts(b"/// Doc.\nclass A { void f() {} }\n", "dart")
    assert {s.name: s.doc for s in found.symbols} == {"A": "Doc.", "f": ""}
