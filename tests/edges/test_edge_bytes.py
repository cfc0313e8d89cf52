"""Edges are a function of the tree: not of how, when, or from what state they were made."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import LEXICAL, generation_bytes, index, write_tree

if TYPE_CHECKING:
    from pathlib import Path

EDGE_FILES = ("links.arrow", "file_edges.arrow", "links_in.npy", "links_out.npy")
SHAPES = {
    "pkg/__init__.py": ["from .a import run\n", "from .b import *\n", ""],
    "pkg/a.py": [
        "def run():\n    return stop()\n\n\ndef stop():\n    pass\n",
        "def run():\n    pass\n\n\ndef stop():\n    # the same to others\n    return run()\n",
        "from .b import stop\n\n\ndef run():\n    return stop()\n",
        "class run:\n    def __init__(self):\n        self.go()\n\n    def go(self): ...\n",
    ],
    "pkg/b.py": [
        "def stop():\n    pass\n",
        "from . import a\n\n\ndef stop():\n    return a.run()\n",
        "stop = 1\n",
    ],
    "main.py": [
        "import pkg\n\npkg.run()\n",
        "from pkg.b import stop\n\nstop()\n",
        "from pkg import run\n\nx = run()\nx.go()\n",
    ],
    "web/app.ts": [
        'import { f } from "./lib";\nexport const g = () => f();\n',
        'import * as lib from "./lib";\nlib.f();\n',
    ],
    "web/lib.ts": [
        "export function f() { return 1; }\n",
        'export * from "./other";\n',
        "export class f { m() { this.n(); } n() {} }\n",
    ],
    "lib/one.rb": [
        "require_relative 'two'\n\ndef one\n  two\nend\n",
        "require_relative 'three'\n\ndef one\n  two\nend\n",
        "require_relative 'two'\n\ndef one\n  2.times { two }\nend\n",
    ],
    "lib/two.rb": ["def two\nend\n", "require_relative 'three'\n"],
    "lib/three.rb": ["def two\nend\n", "require_relative 'one'\n\ntwo\none\n"],
    "web/other.ts": ["export const f = () => 2;\n", 'export { g as f } from "./app";\n'],
}
trees = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(texts) for name, texts in SHAPES.items()}
).filter(bool)


def edge_bytes(root: Path) -> dict[str, bytes]:
    found = generation_bytes(root)
    return {name: found[name] for name in EDGE_FILES}


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(states=st.lists(trees, min_size=2, max_size=2))
def test_linking_again_after_edits_equals_linking_anew(states, tmp_path_factory) -> None:
    root = tmp_path_factory.mktemp("edited")
    for state in states:
        for name in SHAPES:
            (root / name).unlink(missing_ok=True)
        write_tree(root, state)
        index(root)
    fresh = write_tree(tmp_path_factory.mktemp("fresh"), states[-1])
    index(fresh)
    assert edge_bytes(root) == edge_bytes(fresh)


def test_the_number_of_processes_changes_no_byte(tmp_path) -> None:
    tree = {name: texts[0] for name, texts in SHAPES.items()}
    one, two = write_tree(tmp_path / "one", tree), write_tree(tmp_path / "two", tree)
    index(one, LEXICAL)
    index(two, replace(LEXICAL, workers=2))
    assert edge_bytes(one) == edge_bytes(two)
