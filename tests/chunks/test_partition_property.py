"""The partition holds for every language on every input: nothing is lost, nothing twice.

Inputs are random bytes, random text with every odd line sign, and shuffled lines of real programs
(which break the grammars in the middle of everything).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codequarry.assets.chunks.partition import validate_partition
from codequarry.assets.facts.extract import extract_facts
from codequarry.assets.languages.registry import SPECS
from codequarry.text import UndecodableError, count_lines, decode, split_lines

FIXTURES = Path(__file__).parents[1] / "languages" / "fixtures"
FULL = [name for name, spec in SPECS.items() if not spec.generic]
GENERIC = ["bash", "css", "dockerfile", "elixir", "haskell", "html", "lua", "sql", "toml", "yaml"]
LANGUAGES = [*FULL, *GENERIC, "markdown", "rst", "asciidoc", "text"]

LINES = sorted(
    {
        line
        for path in FIXTURES.rglob("*")
        if path.is_file() and path.suffix != ".json"
        for line in path.read_bytes().split(b"\n")
    }
)
ODD = [
    b"\r",
    b"\x0c",
    b"\x0b",
    b"\xe2\x80\xa8",
    b"\xc2\x85",
    b"\x1c",
    b'"""',
    b"/*",
    b"*/",
    b"```",
    b"{",
    b"}",
]
ENDS = [b"\n", b"\r\n", b"\n\n", b"\r"]


@st.composite
def programs(draw: st.DrawFn) -> bytes:
    """Lines of real programs of any language, mixed, with any line end and maybe a mark."""
    lines = draw(st.lists(st.sampled_from([*LINES, *ODD]), max_size=60))
    mark = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"]))
    tail = draw(st.sampled_from([b"", b"\n", b"\x0c"]))
    return mark + draw(st.sampled_from(ENDS)).join(lines) + tail


inputs = st.one_of(
    programs(),
    st.binary(max_size=200),
    st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace")),
)
relaxed = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("language", LANGUAGES)
@relaxed
@given(data=inputs)
def test_chunks_partition_any_input(language: str, data: bytes) -> None:
    try:
        facts = extract_facts(data, language)
    except UndecodableError:
        return
    text = decode(data).text
    assert facts.line_count == count_lines(text)
    assert validate_partition(facts.chunks, facts.line_count) == []
    if text.strip():
        lines = split_lines(text)
        rebuilt = "".join(
            "".join(lines[chunk.start_line - 1 : chunk.end_line]) for chunk in facts.chunks
        )
        assert rebuilt == text


@pytest.mark.parametrize("language", LANGUAGES)
@relaxed
@given(data=programs())
def test_symbols_lie_inside_the_file(language: str, data: bytes) -> None:
    try:
        facts = extract_facts(data, language)
    except UndecodableError:
        return
    for symbol in facts.symbols:
        assert 1 <= symbol.start_line <= symbol.name_line <= symbol.end_line <= facts.line_count
        assert 0 <= symbol.start_byte <= symbol.end_byte
        assert symbol.name
        assert "\n" not in symbol.signature
        assert len(symbol.signature) <= 300


@relaxed
@given(data=programs())
def test_facts_are_a_function_of_bytes_and_language(data: bytes) -> None:
    try:
        first = extract_facts(data, "typescript")
    except UndecodableError:
        return
    assert extract_facts(data, "typescript") == first
