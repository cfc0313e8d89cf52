"""Whatever blocks a file is made of: its lines are cut once, its names stand on their lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codequarry.assets.chunks.partition import validate_partition
from codequarry.assets.facts.extract import EMBEDDING, extract_facts
from codequarry.text import decode, split_lines
from codequarry.vocabulary import FileFacts, Kind

BLOCKS = [
    "<template>\n  <p>{{ a }}</p>\n</template>",
    "<script>\nfunction one() {}\n</script>",
    '<script lang="ts">\nexport class Two {\n  three(a: string) {}\n}\n</script>',
    "<script>const four = () => 4</script><script>const five = 5</script>",
    "<script>\nfunction six(",
    "</script>",
    "<style lang='scss'>\n.a { .b { c: d; } }\n</style>",
    "<!-- <script> -->",
    "<!--",
    '<a b="<script>" c={() => {"}"}}>',
    "{% if a < b %}\n{{ c }}\n{# d #}",
    "<% if a %>\n<%= b %>",
    "---",
    "",
    "# Title\n\nwords",
    "```py\ndef seven():\n    return 7\n```",
    "- item\n\n  ```ts\n  class Eight { nine() {} }\n  ```",
    "> ```js\n> function ten() {}\n> ```",
    "```",
    "   ~~~~ruby\n   def eleven\n   end\n   ~~~~",
    ".. code-block:: python\n\n   def twelve(): pass",
    "[source,python]\n----\ndef thirteen(): pass\n----",
    "\u2028\x0c\u00e9",
]
ENDS = ["\n", "\r\n", "\n\n"]
relaxed = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def pages(draw: st.DrawFn) -> bytes:
    end = draw(st.sampled_from(ENDS))
    blocks = draw(st.lists(st.sampled_from(BLOCKS), max_size=12))
    text = end.join(block.replace("\n", end) for block in blocks) + draw(st.sampled_from(["", end]))
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


def check(found: FileFacts, text: str) -> None:
    lines = split_lines(text)
    raw = text.encode()
    assert validate_partition(found.chunks, len(lines)) == []
    for symbol in found.symbols:
        assert 1 <= symbol.start_line <= symbol.name_line <= symbol.end_line <= len(lines)
        if symbol.kind is not Kind.SECTION:
            assert symbol.name in lines[symbol.name_line - 1]
            assert symbol.name.encode() in raw[symbol.start_byte : symbol.end_byte]
    for reference in found.references:
        assert 1 <= reference.line <= len(lines)
        assert -1 <= reference.scope < len(found.symbols)
    starts = [symbol.start_byte for symbol in found.symbols]
    assert starts == sorted(starts)


@pytest.mark.parametrize("language", sorted(EMBEDDING - {"jupyter"}))
@relaxed
@given(data=pages())
def test_any_mix_of_blocks(language: str, data: bytes) -> None:
    check(extract_facts(data, language), decode(data).text)


CELLS = st.tuples(
    st.sampled_from(["code", "markdown", "raw"]),
    st.lists(
        st.sampled_from(
            [
                "def one():\n",
                "    return 1\n",
                "class Two: pass\n",
                "# Title\n",
                "%time x\n",
                '"\u00e9"\n',
                "\n",
            ]
        ),
        max_size=8,
    ),
    st.booleans(),
    st.integers(0, 300),
)


@relaxed
@given(
    cells=st.lists(CELLS, max_size=6),
    indent=st.sampled_from([None, 1, 4]),
    ascii_only=st.booleans(),
)
def test_any_mix_of_cells(
    cells: list[tuple[str, list[str], bool, int]], indent: int | None, ascii_only: bool
) -> None:
    document = {
        "cells": [
            {
                "cell_type": kind,
                "outputs": [{"text": ["words of an output line\n"] * output}],
                "source": "".join(source) if joined else source,
            }
            for kind, source, joined, output in cells
        ]
    }
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
    found = extract_facts(text.encode(), "jupyter")
    assert found.reason in ("", "syntax errors")
    check(found, text)
