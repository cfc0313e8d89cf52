"""Notebooks: cells in the kernel's language, at the lines of the JSON file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from codequarry.assets.chunks.measure import BUDGET, Measure
from codequarry.assets.chunks.partition import validate_partition
from codequarry.assets.facts.extract import extract_facts
from codequarry.assets.facts.tables import FactsBuilder
from codequarry.assets.languages.detect import detect_language
from codequarry.vocabulary import FileFacts, Kind, ParseState

PICTURE = "iVBORw0KGgoAAAANSUhEUg/" + "QmFzZTY0+" * 4000


def code(source: str | list[str], *outputs: dict[str, Any], **more: Any) -> dict[str, Any]:
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [*outputs]}
    return cell | more | {"source": source}


def words(source: str | list[str]) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def notebook(*cells: dict[str, Any], language: str = "python", **more: Any) -> dict[str, Any]:
    metadata = {"kernelspec": {"name": "x", "language": language}} | more
    return {"cells": [*cells], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def facts(document: dict[str, Any], indent: int | None = 1) -> FileFacts:
    return read(json.dumps(document, indent=indent).encode())


def read(data: bytes) -> FileFacts:
    found = extract_facts(data, detect_language("a.ipynb", data))
    assert validate_partition(found.chunks, found.line_count) == []
    return found


def lines(source: str) -> list[str]:
    return source.splitlines(keepends=True)


def places(found: FileFacts) -> dict[str, int]:
    return {symbol.qualified: symbol.name_line for symbol in found.symbols}


def line_of(document: dict[str, Any], words_: str) -> int:
    text = json.dumps(document, indent=1).split("\n")
    return next(at for at, line in enumerate(text, start=1) if words_ in line)


def test_symbols_stand_where_the_json_has_them() -> None:
    document = notebook(
        words(lines("# Title\nwords\n")),
        code(lines("import os\n\n\ndef f(x):\n    return x\n")),
        words(lines("## Part\n")),
        code(lines("class G:\n    def m(self):\n        pass\n")),
    )
    found = facts(document)
    assert places(found) == {
        "Title": line_of(document, "# Title"),
        "f": line_of(document, "def f"),
        "Title > Part": line_of(document, "## Part"),
        "G": line_of(document, "class G"),
        "G.m": line_of(document, "def m"),
    }
    assert found.state is ParseState.OK


def test_bytes_of_symbols_are_those_of_the_file_in_spite_of_escapes() -> None:
    document = notebook(
        code(lines('s = "\u00e9\U0001f600\\t"; f = lambda: s\ndef g(): "\u00e9"\n'))
    )
    data = json.dumps(document, indent=1).encode()
    (symbol,) = [s for s in read(data).symbols if s.name == "g"]
    assert data[symbol.start_byte : symbol.end_byte] == b'def g(): \\"\\u00e9\\"'


def test_a_source_that_is_one_string_stands_on_its_one_line() -> None:
    document = notebook(code("def f():\n    pass\n\ndef g():\n    pass"))
    found = facts(document)
    assert places(found) == dict.fromkeys(("f", "g"), line_of(document, "def f"))


def test_a_notebook_on_one_line_is_one_chunk() -> None:
    found = facts(notebook(words("# T"), code("def f(): pass"), code("def g(): pass")), indent=None)
    (chunk,) = found.chunks
    assert set(chunk.names) == {"T", "f", "g"}


@pytest.mark.parametrize(
    ("language", "source", "name"),
    [
        ("python", "def a(): pass", "a"),
        ("R", "a <- function(b) b", "a"),
        ("julia", "function a(b)\nend", "a"),
        ("C++17", "int a() { return 1; }", "a"),
        ("typescript", "function a(b: string) {}", "a"),
        ("scala", "def a(b: Int) = b", "a"),
    ],
)
def test_code_is_read_in_the_language_of_the_kernel(language: str, source: str, name: str) -> None:
    assert name in places(facts(notebook(code(lines(source)), language=language)))


def test_the_language_info_counts_more_than_the_kernel_s_name() -> None:
    document = notebook(code("a <- function(b) b"), language_info={"name": "R"})
    assert "a" in places(facts(document))


def test_without_a_kernel_it_is_python() -> None:
    assert "a" in places(facts({"cells": [code("def a(): pass")], "nbformat": 4}))


@pytest.mark.parametrize(
    "source",
    [
        "%matplotlib inline\n!pip install x\ndef a(): pass",
        "%%time\ndef a(): pass",
        "%%capture out --no-stderr\ndef a(): pass",
        "%%bash\na() { ls; }",
        "%%writefile a.js\nfunction a() {}",
        "def a():\n    !ls {b}\n    return 1",
    ],
)
def test_orders_to_the_kernel_do_not_break_a_cell(source: str) -> None:
    found = facts(notebook(code(lines(source))))
    assert list(places(found)) == ["a"]
    assert found.state is ParseState.OK


def test_a_notebook_of_version_three_is_read() -> None:
    old = {"cell_type": "code", "input": lines("def a():\n    pass\n"), "language": "python"}
    document = {"metadata": {}, "nbformat": 3, "worksheets": [{"cells": [old]}]}
    assert places(facts(document)) == {"a": line_of(document, "def a")}


def test_pictures_stand_apart_from_the_text_of_their_cell() -> None:
    output = {"data": {"image/png": PICTURE}, "output_type": "display_data"}
    document = notebook(code(lines("def f():\n    pass\n"), output), code("def g(): pass"))
    found = facts(document)
    (chunk,) = [c for c in found.chunks if "f" in c.names]
    picture = line_of(document, "iVBOR")
    assert not chunk.start_line <= picture <= chunk.end_line
    assert "g" in chunk.names


def test_pictures_give_no_terms() -> None:
    output = {"data": {"image/png": PICTURE}, "output_type": "display_data"}
    data = json.dumps(notebook(code("total\nshown", output)), indent=1).encode()
    builder = FactsBuilder()
    builder.add(("b", "jupyter", "v"), read(data), data.decode())
    terms = {term for row in builder.tables()["chunks"]["terms"].to_pylist() for term in row}
    assert not any("qmf" in term for term in terms)
    assert {"total", "shown"} <= terms


def test_a_big_cell_is_cut_by_its_syntax() -> None:
    source = "".join(
        f"def f{i}():\n" + "    value = compute(first, second, third)\n" * 40 + "\n"
        for i in range(6)
    )
    document = notebook(words("# T"), code(lines(source)))
    found = facts(document)
    measure = Measure(json.dumps(document, indent=1).encode())
    assert all(measure.size(c.start_line - 1, c.end_line - 1) <= BUDGET * 1.2 for c in found.chunks)
    assert [n for c in found.chunks for n in c.names] == ["T", *(f"f{i}" for i in range(6))]
    assert found.chunks[-1].kind is Kind.FUNCTION


def test_big_metadata_after_the_cells_stands_apart() -> None:
    state = {f"widget{i}": {"value": i, "words": "some words"} for i in range(500)}
    found = facts(notebook(code("def a(): pass"), widgets=state))
    assert found.chunks[0].names == ("a",)
    assert len(found.chunks) > 2
    assert {c.kind for c in found.chunks[1:]} == {Kind.WINDOW}


@pytest.mark.parametrize(
    "data",
    [
        b'{"cells": [\n<<<<<<< HEAD\n]}\n',
        b'{"cells": [',
        b"[1, 2]\n",
        b'{"a": 1}\n',
        b"[" * 5000,
        b'{"cells": 3}',
        b'{"cells": [3, [], {"cell_type": 4, "source": {"a": ["b"]}}]}',
        b'{"cells": [{"source": ["a", 3, ["b"]]}], "metadata": []}',
    ],
)
def test_no_file_makes_reading_fail(data: bytes) -> None:
    found = read(data)
    assert found.chunks
    assert found.state in (ParseState.OK, ParseState.FALLBACK)
    assert bool(found.reason) == (found.state is ParseState.FALLBACK)


def test_broken_json_is_cut_into_windows_and_says_why() -> None:
    found = read(b'{"cells": [\n<<<<<<< HEAD\n')
    assert found.state is ParseState.FALLBACK
    assert found.reason.startswith("no JSON")
    assert {chunk.kind for chunk in found.chunks} == {Kind.WINDOW}


def test_empty_notebooks_are_one_chunk() -> None:
    assert len(facts(notebook()).chunks) == 1
    assert len(facts(notebook(code([]), words(""))).chunks) == 1
