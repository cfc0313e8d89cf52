"""Rings, diamonds and broken manifests: linking ends, and costs no other file its edges."""

from __future__ import annotations

from edges.edge_rows import exported
from support import write_tree


def targets(rows: list[dict], file: str) -> set[str]:
    return {r["to_file"] for r in rows if r["from_file"] == file and r["to_file"]}


def test_rings_of_re_exports_end(tmp_path) -> None:
    n = 12
    tree = {
        f"web/r{i}.ts": "".join(f'export * from "./r{j}";\n' for j in range(n) if j != i)
        + f'import {{ missing }} from "./r{(i + 1) % n}";\nmissing();\n'
        for i in range(n)
    } | {
        f"pkg/m{i}.py": "".join(f"from .m{(i * 3 + k) % 40} import *\n" for k in (1, 2, 3))
        + f"missing{i}()\n"
        for i in range(40)
    }
    tree |= {"pkg/__init__.py": "", "__init__.py": "", "pkg/end.py": "from .m1 import *\nm()\n"}
    tree["pkg/m7.py"] += "def m():\n    pass\n"
    rows = exported(write_tree(tmp_path / "rings", tree))
    calls = [r for r in rows if r["type"] == "calls" and r["from_file"] == "pkg/end.py"]
    assert [r["to_file"] for r in calls] == ["pkg/m7.py"]


def test_a_tower_of_diamonds_ends(tmp_path) -> None:
    tower = "class X0: pass\nclass Y0(X0): pass\n" + "".join(
        f"class X{i + 1}(X{i}, Y{i}): pass\nclass Y{i + 1}(X{i}, Y{i}): pass\n" for i in range(200)
    )
    rows = exported(write_tree(tmp_path / "tower", {"dia.py": f"{tower}\nX200().go()\n"}))
    assert len([r for r in rows if r["type"] == "extends" and r["to_file"]]) == 801


def test_broken_manifests_cost_nothing_else(tmp_path) -> None:
    tree = {
        "a/tsconfig.json": '{"extends": 5}',
        "b/tsconfig.json": '{"extends": [' + ", ".join(['"./tsconfig.json"'] * 8) + "]}",
        "package.json": "[" * 60_000,
        "c/tsconfig.json": "[" * 60_000,
        "go.mod": "module\n",
        "Cargo.toml": "[package",
        "a/app.ts": 'import { f } from "./lib";\nf();\n',
        "a/lib.ts": "export function f() {}\n",
    }
    rows = exported(write_tree(tmp_path / "broken", tree))
    assert targets(rows, "a/app.ts") == {"a/lib.ts"}


def test_modules_inside_a_file_that_import_themselves_or_each_other_end(tmp_path) -> None:
    """``use serde::{self}`` binds in a module the very name that its own path starts with."""
    tree = {
        "src/lib.rs": "mod real;\n"
        "mod m { use serde::{self, Serializer}; fn f<S: Serializer>(s: S) { serde::g(s); } }\n"
        "mod a { use b::x; use super::b::y; pub fn h() { x(); y(); } }\n"
        "mod b { use a::x; use super::a::y; use b::{self, x}; fn i() { x(); y(); b::z(); } }\n"
        "fn top() { real::run(); }\n",
        "src/real.rs": "pub fn run() {}\n",
        "Cargo.toml": '[package]\nname = "toy"\n',
        "web/a.ts": "namespace N { import N = N.M; export const k = N.q; N.q(); }\n",
    }
    rows = exported(write_tree(tmp_path / "inside", tree))
    calls = [r for r in rows if r["type"] == "calls" and r["from_file"] == "src/lib.rs"]
    assert {r["to_file"] for r in calls if r["to_file"]} == {"src/real.rs"}
