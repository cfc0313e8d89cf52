"""Scripts in components, pages and templates: their own language, the file's own lines.

C007 (component files) and its whole kind.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from codequarry.assets.chunks.measure import BUDGET, Measure
from codequarry.assets.chunks.partition import validate_partition
from codequarry.assets.facts.extract import extract_facts, extractor_version
from codequarry.assets.languages.detect import detect_language
from codequarry.vocabulary import Chunk, EdgeType, FileFacts, Kind, ParseState

CASE = Path(__file__).parents[1] / "cases" / "C007"
EXPECTED = json.loads((CASE / "expect.json").read_text("utf-8"))
TAGS = 200  # characters: a block's tags go with its first and last chunk
LINE = "  const value = compute(first, second, third, fourth);\n"


def facts(source: str, language: str) -> FileFacts:
    found = extract_facts(source.encode(), language)
    assert validate_partition(found.chunks, found.line_count) == []
    return found


def places(found: FileFacts) -> list[tuple[str, int]]:
    return [(symbol.name, symbol.name_line) for symbol in found.symbols]


def of_case(path: str) -> FileFacts:
    data = (CASE / "repo" / path).read_bytes()
    return extract_facts(data, detect_language(path, data))


def chunk_at(found: FileFacts, line: int) -> Chunk:
    (chunk,) = [c for c in found.chunks if c.start_line <= line <= c.end_line]
    return chunk


@pytest.mark.parametrize("want", EXPECTED["symbols"], ids=lambda want: want["name"])
def test_a_definition_of_a_component_stands_at_the_component_s_line(want: dict) -> None:
    assert (want["name"], want["line"]) in places(of_case(want["path"]))


@pytest.mark.parametrize("want", EXPECTED["must_find"], ids=lambda want: want["query"])
def test_template_and_style_are_in_a_chunk(want: dict) -> None:
    chunk_at(of_case(want["path"]), want["line"])


@pytest.mark.parametrize("want", EXPECTED["edges"], ids=lambda want: want["to"])
def test_an_import_of_a_component_is_a_reference(want: dict) -> None:
    imports = [r.path for r in of_case(want["from"]).references if r.type is EdgeType.IMPORTS]
    assert f"./{want['to']}" in imports


def test_a_component_without_a_script_is_mark_up() -> None:
    (chunk,) = of_case("PriceTag.vue").chunks
    assert (chunk.kind, chunk.names) == (Kind.HTML, ())


@pytest.mark.parametrize(
    ("attributes", "body", "names"),
    [
        ("", "function a() {}", ["a"]),
        (' lang="ts"', "interface A { b: string }", ["A"]),
        (" lang='ts' setup", "enum A { B }", ["A"]),
        (" lang=ts", "type A = string", ["A"]),
        (' lang="tsx"', "const a = (b: string) => <p>{b}</p>", ["a"]),
        (' lang="jsx"', "const a = (b) => <p>{b}</p>", ["a"]),
        (' setup lang="ts" generic="T extends Item<string>"', "function a(b: T) {}", ["a"]),
        (' lang="coffee"', "a = (b) -> b", []),
        (' src="./a.js"', "", []),
    ],
)
def test_a_script_is_read_in_the_language_it_names(
    attributes: str, body: str, names: list[str]
) -> None:
    found = facts(f"<template>\n</template>\n<script{attributes}>\n{body}\n</script>\n", "vue")
    assert [symbol.name for symbol in found.symbols] == names
    assert found.state is ParseState.OK


@pytest.mark.parametrize(
    ("attributes", "names"),
    [
        ('type="module"', ["a"]),
        ('type="text/javascript; charset=utf-8"', ["a"]),
        ('type="text/typescript"', ["a"]),
        ("TYPE=MODULE", ["a"]),
        ('type="text/babel" data-x="a > b"', ["a"]),
        ('type="importmap"', []),
        ('type="application/json"', []),
        ('type="application/ld+json"', []),
        ('type="text/x-template"', []),
        ('type="text/html"', []),
        ('type="{{ kind }}"', []),
    ],
)
def test_only_scripts_that_are_code_are_read(attributes: str, names: list[str]) -> None:
    found = facts(f"<body>\n<script {attributes}>\nfunction a() {{}}\n</script>\n", "html")
    assert [symbol.name for symbol in found.symbols] == names


NO_SCRIPTS = [
    pytest.param("html", "<!-- <script>\nfunction a() {}\n</script> -->\n", id="comment"),
    pytest.param("html", '<p title="<script>">\nfunction a() {}\n</p>\n', id="attribute"),
    pytest.param("html", "<textarea><script>\nfunction a() {}\n</script></textarea>\n", id="text"),
    pytest.param("jinja", "{# <script>\nfunction a() {}\n</script> #}\n", id="jinja-comment"),
    pytest.param(
        "html",
        "{% comment %}<script>\nfunction a() {}\n</script>{% endcomment %}\n",
        id="django-comment",
    ),
    pytest.param("erb", "<%# <script> %>\nfunction a() {}\n", id="erb-comment"),
    pytest.param("handlebars", "{{!-- <script> --}}\nfunction a() {}\n", id="handlebars-comment"),
    pytest.param("vue", "<docs>\n<script>\nfunction a() {}\n</script>\n</docs>\n", id="block"),
    pytest.param("svelte", "<A b={() => '<script>'} />\nfunction a() {}\n", id="svelte-expression"),
    pytest.param("vue", "<script src='a' />\nfunction a() {}\n", id="closes-itself"),
]


@pytest.mark.parametrize(("language", "source"), NO_SCRIPTS)
def test_what_is_no_script_gives_no_symbol(language: str, source: str) -> None:
    assert facts(source, language).symbols == ()


@pytest.mark.parametrize(("language", "source"), NO_SCRIPTS)
def test_a_script_after_what_is_none_is_found(language: str, source: str) -> None:
    after = "<script>\nfunction b() {}\n</script>\n"
    found = facts(source + after, language)
    assert places(found) == [("b", source.count("\n") + 2)]


@pytest.mark.parametrize(
    ("language", "script"),
    [
        ("html", "var url = \"{% url 'x' %}\";\n{% if a < b %}\nfunction a() {}\n{% endif %}"),
        ("html", "var n = {{ count }};\nfunction a() {}"),
        ("jinja", "{% for x in y %}\nfunction a() { return {{ x|tojson }}; }\n{% endfor %}"),
        ("erb", "var n = <%= @n %>;\n<% if a %>\nfunction a() {}\n<% end %>"),
        ("ejs", "const n = <%- JSON.stringify(n) %>;\nfunction a() {}"),
        ("html", "var n = <?= $n ?>;\n<?php if ($a) { ?>\nfunction a() {}\n<?php } ?>"),
    ],
)
def test_template_marks_do_not_break_a_script(language: str, script: str) -> None:
    found = facts(f'<a href="<%= b("c") %>">\n<script>\n{script}\n</script>\n', language)
    assert "a" in [symbol.name for symbol in found.symbols]
    assert found.state is ParseState.OK


def test_a_name_that_a_template_gives_is_no_symbol() -> None:
    source = "<script>\nvar {{ name }} = 1;\nfunction a() { b() }\n</script>\n"
    found = facts(source, "html")
    assert places(found) == [("a", 3)]
    assert [found.symbols[r.scope].name for r in found.references if r.scope >= 0] == ["a"]


def test_astro_holds_typescript_between_its_rules_and_in_its_scripts() -> None:
    source = (
        "---\nimport A from './A.astro';\ninterface Props { a: string }\n---\n"
        "<A b={`${1 > 2}`} />\n<script>\nfunction b(c: string) {}\n</script>\n"
    )
    assert places(facts(source, "astro")) == [("Props", 3), ("b", 7)]


def test_an_unclosed_script_runs_to_the_end() -> None:
    found = facts("<p>\n<script>\nfunction a() {}\n\nfunction b() {}\n", "html")
    assert places(found) == [("a", 3), ("b", 5)]


def test_a_script_with_errors_is_named_and_keeps_its_neighbours() -> None:
    source = "<script>\nfunction ( {\n</script>\n<script>\nfunction b() {}\n</script>\n"
    found = facts(source, "html")
    assert found.state is ParseState.PARTIAL
    assert ("b", 5) in places(found)


def test_several_scripts_on_one_row_all_count() -> None:
    source = "<script>function a() {}</script><script>function b() {}</script>\n"
    found = facts(source, "html")
    assert places(found) == [("a", 1), ("b", 1)]
    assert found.chunks[0].names == ("a", "b")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_bytes_and_lines_are_those_of_the_whole_file(mark: bytes, end: bytes) -> None:
    body = end.join((b"<p>\xc3\xa9</p>", b"<script>", b"  function a() {", b"  }", b"</script>"))
    found = extract_facts(mark + body, "html")
    (symbol,) = found.symbols
    assert (symbol.name_line, symbol.start_line, symbol.end_line) == (3, 3, 4)
    assert body[symbol.start_byte : symbol.end_byte] == b"function a() {" + end + b"  }"


def test_a_big_script_is_cut_by_its_syntax_and_the_rest_stays_apart() -> None:
    functions = "".join(f"function f{i}() {{\n{LINE * 40}}}\n\n" for i in range(5))
    template = "<template>\n" + "  <p>words of the template</p>\n" * 60 + "</template>\n\n"
    source = (
        f"{template}<script>\n{functions}</script>\n\n<style>\n.a {{ color: red; }}\n</style>\n"
    )
    found = facts(source, "vue")
    measure = Measure(source.encode())
    assert all(
        measure.size(c.start_line - 1, c.end_line - 1) <= BUDGET + TAGS for c in found.chunks
    )
    by_name = {name: chunk for chunk in found.chunks for name in chunk.names}
    assert set(by_name) == {f"f{i}" for i in range(5)}
    assert found.chunks[0].kind is Kind.HTML
    assert found.chunks[-1].kind is Kind.BLOCK


def test_a_big_template_and_a_big_style_are_cut_under_the_budget() -> None:
    template = "<template>\n" + "  <p>words of the template</p>\n" * 600 + "</template>\n"
    style = "<style lang='scss'>\n" + ".a { .b { color: red; margin: 0; } }\n" * 600 + "</style>\n"
    source = template + "<script>\nconst a = 1\n</script>\n" + style
    found = facts(source, "vue")
    measure = Measure(source.encode())
    assert all(
        measure.size(c.start_line - 1, c.end_line - 1) <= BUDGET + TAGS for c in found.chunks
    )
    assert {c.kind for c in found.chunks if not c.names} == {Kind.HTML, Kind.BLOCK}


def test_time_grows_with_the_number_of_scripts_not_its_square() -> None:
    def seconds(count: int) -> float:
        source = "".join(
            f"<p>{i}</p>\n<script>\nfunction f{i}() {{ return {i}; }}\n</script>\n"
            for i in range(count)
        )
        started = time.process_time()
        found = facts(source, "html")
        assert len(found.symbols) == count
        return time.process_time() - started

    seconds(10)
    few = min(seconds(500) for _ in range(3))
    assert few < 2
    assert seconds(2000) < 12 * few


@pytest.mark.parametrize(
    "text", ["<script>", "<a b={", '<a b="', "{{", "<%", "<?php", "<a {%", "<template>", "<!--"]
)
@pytest.mark.parametrize("language", ["vue", "svelte", "html", "erb"])
def test_no_input_makes_the_scanner_slow(language: str, text: str) -> None:
    started = time.process_time()
    facts(text * 20_000, language)
    assert time.process_time() - started < 5


def test_the_version_of_a_component_s_facts_depends_on_the_languages_in_it() -> None:
    assert extractor_version("vue") != extractor_version("css")
    assert extractor_version("vue").split(".e")[1] == extractor_version("markdown").split(".e")[1]
