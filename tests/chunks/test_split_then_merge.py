"""Where code is cut: units whole, big ones along their structure, comments with what follows."""

from __future__ import annotations

import pytest

from codequarry.assets.chunks.measure import BUDGET, Measure
from codequarry.assets.facts.extract import extract_facts
from codequarry.vocabulary import Chunk, FileFacts, Kind, ParseState

LONG = "    value = compute_something(first, second, third, fourth)\n"


def facts(source: str, language: str = "python") -> FileFacts:
    return extract_facts(source.encode(), language)


def starts(found: FileFacts) -> list[int]:
    return [chunk.start_line for chunk in found.chunks]


def function(name: str, lines: int, head: str = "") -> str:
    return f"{head}def {name}():\n" + LONG * lines


def text_of(source: str, chunk: Chunk) -> str:
    return "".join(source.splitlines(keepends=True)[chunk.start_line - 1 : chunk.end_line])


def test_small_units_merge_into_one_chunk() -> None:
    found = facts("import os\n\n" + function("a", 2) + "\n\n" + function("b", 2))
    (chunk,) = found.chunks
    assert chunk.kind is Kind.FUNCTION
    assert chunk.name == "a"
    assert chunk.names == ("a", "b")


def test_units_that_do_not_fit_start_a_new_chunk() -> None:
    source = function("a", 50) + "\n\n" + function("b", 50)
    found = facts(source)
    assert [chunk.names for chunk in found.chunks] == [("a",), ("b",)]
    assert all(
        Measure(source.encode()).size(c.start_line - 1, c.end_line - 1) <= BUDGET
        for c in found.chunks
    )


def test_comment_and_gap_go_with_the_unit_after_them() -> None:
    source = function("a", 50) + "\n\n# About b.\n" + function("b", 50)
    second = facts(source).chunks[1]
    assert text_of(source, second).startswith("\n\n# About b.\ndef b")


def test_a_decorator_stays_with_its_function() -> None:
    source = function("a", 50) + "\n\n" + function("b", 50, head="@cache\n@other(\n    1,\n)\n")
    second = facts(source).chunks[1]
    assert "@cache" in text_of(source, second)


def test_a_method_decorator_beside_the_method_stays_with_it() -> None:
    body = "    const value = compute(first, second, third);\n" * 60
    source = (
        "export class A {\n  one() {\n"
        + body
        + "  }\n\n  @Get('/b')\n  two() {\n"
        + body
        + "  }\n}\n"
    )
    last = facts(source, "typescript").chunks[-1]
    assert last.names == ("two",)
    assert "@Get" in text_of(source, last)
    assert last.scope == ("A",)


def test_statements_on_one_line_stay_together() -> None:
    source = function("a", 60) + "x = 1; y = 2; z = 3\n" + function("b", 60)
    owners = [c for c in facts(source).chunks if "x = 1" in text_of(source, c)]
    assert len(owners) == 1


def test_what_trails_goes_to_the_last_unit() -> None:
    source = function("a", 3) + "\n\n# The end.\n\n"
    (chunk,) = facts(source).chunks
    assert chunk.end_line == source.count("\n")


def test_a_big_class_gives_a_header_and_its_members() -> None:
    methods = "".join(f"\n    def m{i}(self):\n" + ("    " + LONG) * 30 for i in range(6))
    source = 'class Big(Base):\n    """Doc."""\n\n    limit = 3\n' + methods
    found = facts(source)
    head, *rest = found.chunks
    assert head.kind is Kind.CLASS_HEADER
    assert head.name == "Big"
    assert "limit = 3" in text_of(source, head)
    assert all(chunk.kind is Kind.METHOD and chunk.scope == ("Big",) for chunk in rest)
    assert [name for chunk in rest for name in chunk.names] == [f"m{i}" for i in range(6)]


def test_a_big_function_gives_numbered_parts() -> None:
    found = facts(function("huge", 200))
    assert {chunk.kind for chunk in found.chunks} == {Kind.BLOCK}
    assert {chunk.name for chunk in found.chunks} == {"huge"}
    count = len(found.chunks)
    assert count > 1
    assert [(c.part, c.parts) for c in found.chunks] == [(k, count) for k in range(1, count + 1)]


def test_a_big_method_keeps_the_scope_of_its_class() -> None:
    source = (
        "class A:\n    def small(self):\n        pass\n\n    def huge(self):\n"
        + ("    " + LONG) * 200
    )
    parts = [chunk for chunk in facts(source).chunks if chunk.parts]
    assert parts
    assert all(chunk.name == "huge" and chunk.scope == ("A",) for chunk in parts)


def test_a_giant_literal_is_cut_under_the_budget() -> None:
    source = "TABLE = {\n" + "".join(f'    "key_{i}": {i},\n' for i in range(3000)) + "}\n"
    found = facts(source)
    measure = Measure(source.encode())
    assert found.state is ParseState.OK
    assert all(measure.size(c.start_line - 1, c.end_line - 1) <= BUDGET for c in found.chunks)


def test_a_header_under_an_include_guard_is_cut_between_its_declarations() -> None:
    body = "    compute_something(first, second, third, fourth);\n" * 60
    functions = "".join(f"static int f{i}(void)\n{{\n{body}}}\n\n" for i in range(4))
    found = facts(f"#ifndef A_H\n#define A_H\n\n{functions}#endif\n", "c")
    assert [c.name for c in found.chunks if c.kind is Kind.FUNCTION] == ["f0", "f1", "f2", "f3"]


def test_a_kotlin_doc_comment_after_the_imports_stays_with_its_class() -> None:
    body = "    fun m() { compute(first, second, third) }\n" * 150
    source = f"package a\n\nimport a.b\nimport a.c\n\n/** About A. */\nclass A {{\n{body}}}\n"
    found = facts(source, "kotlin")
    assert "About A." not in text_of(source, found.chunks[0])


@pytest.mark.parametrize("language", ["python", "javascript", "go", "java"])
def test_blank_files_give_no_chunk_and_no_error(language: str) -> None:
    for source in ("", "\n", "  \n\t\n\x0c"):
        found = facts(source, language)
        assert found.chunks == ()
        assert found.skeleton == ""
        assert found.state is ParseState.OK


def test_a_strategy_that_breaks_the_partition_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from codequarry.assets.facts import syntax

    monkeypatch.setattr(syntax, "cut", lambda *_: [Chunk(1, 1, Kind.MODULE)])
    found = facts("a = 1\nb = 2\n")
    assert found.state is ParseState.FALLBACK
    assert "last chunk ends at line 1" in found.reason
    assert [(c.start_line, c.end_line) for c in found.chunks] == [(1, 2)]


def test_a_strategy_that_raises_falls_back_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    from codequarry.assets.facts import syntax

    def broken(*_: object) -> list[Chunk]:
        raise IndexError("boom")

    monkeypatch.setattr(syntax, "cut", broken)
    found = facts("a = 1\nb = 2\n")
    assert found.state is ParseState.FALLBACK
    assert found.reason == "IndexError: boom"
    assert found.chunks[0].kind is Kind.WINDOW


def test_decorators_go_with_the_header_of_their_class() -> None:
    body = "".join(f"    def m{i}(self):\n        return {'x' * 200}\n\n" for i in range(40))
    source = f"import a\n\n\n@one\n@two(1)\nclass Big:\n    size = 1\n\n{body}"
    found = extract_facts(source.encode(), "python").chunks
    (header,) = [chunk for chunk in found if chunk.kind is Kind.CLASS_HEADER]
    assert header.name == "Big"
    assert header.start_line <= 4
    assert header.end_line >= 6


def test_a_class_with_its_supertypes_on_lines_of_their_own_is_cut_between_its_members() -> None:
    body = "".join(f"  void m{i}() {{ {'x' * 200}; }}\n" for i in range(40))
    source = f"@One\npublic class Big\n    extends A\n    implements B {{\n{body}}}\n"
    found = extract_facts(source.encode(), "java").chunks
    assert found[0].kind is Kind.CLASS_HEADER
    assert {chunk.kind for chunk in found[1:]} == {Kind.METHOD}


def test_the_end_of_a_long_comment_stays_with_its_definition() -> None:
    words = "".join(f" * line {i} of a long story about it all\n" for i in range(200))
    source = f"/**\n{words} */\nint f(void) {{\n  return 1;\n}}\n"
    found = extract_facts(source.encode(), "c").chunks
    assert found[-1].kind is Kind.FUNCTION
    assert found[-1].name == "f"
    assert found[-1].start_line < 202


def test_a_kotlin_annotation_with_arguments_stays_with_its_class() -> None:
    body = "".join(f"    fun m{i}() {{ {'x' * 200} }}\n" for i in range(40))
    source = f'package a\n\n/** Doc. */\n@Suppress("unused")\npublic class Big {{\n{body}}}\n'
    found = extract_facts(source.encode(), "kotlin")
    assert not any(chunk.end_line in (3, 4) for chunk in found.chunks)
