"""Legacy PHP through the public door: shape, sections, stand-alone functions, HTML islands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codequarry.assets.chunks.partition import validate_partition
from codequarry.assets.facts.extract import extract_facts
from codequarry.vocabulary import FileFacts, Kind, ParseState

RULE = "//" + "=" * 30


def facts(source: str) -> FileFacts:
    found = extract_facts(source.encode(), "php")
    assert validate_partition(found.chunks, found.line_count) == []
    assert found.state in (ParseState.OK, ParseState.PARTIAL), found.reason
    return found


def spans(source: str) -> list[tuple[int, int, str, str]]:
    return [(c.start_line, c.end_line, c.kind.value, c.name) for c in facts(source).chunks]


TWO_FUNCTIONS = "function a() {\n    return 1;\n}\n\nfunction b() {\n    return 2;\n}\n"


def test_functions_of_a_legacy_file_stand_alone() -> None:
    assert spans("<?php\n" + TWO_FUNCTIONS) == [(1, 4, "function", "a"), (5, 8, "function", "b")]


@pytest.mark.parametrize(
    "modern",
    [
        "<?php\nnamespace A;\n" + TWO_FUNCTIONS,
        "<?php\nclass A {\n    function a() {}\n}\nclass B {\n    function b() {}\n}\n",
        "<?php\nif ($a) { b(); }\nif ($b) { c(); }\n",
    ],
    ids=["namespace", "classes only", "two branches"],
)
def test_modern_files_are_cut_as_all_code_is(modern: str) -> None:
    assert len(facts(modern).chunks) == 1
    assert not any(symbol.kind is Kind.SECTION for symbol in facts(modern).symbols)


@pytest.mark.parametrize(
    "body",
    [
        "if ($a) { b(); }\nforeach ($c as $d) { e(); }\nwhile ($f) { g(); }\n",
        "?>\n<p>one</p>\n<?php\na();\n?>\n<p>two</p>\n<?php\n",
    ],
    ids=["three flow statements", "two islands of HTML"],
)
def test_flow_and_html_make_a_file_legacy(body: str) -> None:
    found = facts(f"<?php\n{RULE}\n// Start\n{RULE}\n\n{body}")
    assert [s.name for s in found.symbols if s.kind is Kind.SECTION] == ["Start"]


BANNERS = [
    f"{RULE}\n// Login\n{RULE}",
    "# ------------\n# Login\n# ------------",
    "/* -------- Login -------- */",
    "/**********\n * Login\n **********/",
    "// ---------------- Login",
]


@pytest.mark.parametrize("banner", BANNERS)
def test_banner_names_a_section(banner: str) -> None:
    source = f"<?php\nsetup();\n\n{banner}\n\n{TWO_FUNCTIONS}"
    found = facts(source)
    (section,) = [s for s in found.symbols if s.kind is Kind.SECTION]
    lines = source.split("\n")
    assert section.name == "Login"
    assert "Login" in lines[section.name_line - 1]
    assert (section.start_line, section.end_line) == (4, found.line_count)
    chunk = next(c for c in found.chunks if c.name == "a")
    assert chunk.start_line == 4
    assert {c.scope for c in found.chunks if c.name in ("a", "b")} == {("Login",)}


@pytest.mark.parametrize(
    "comment",
    [
        "// a -------",
        "/* one */",
        f"{RULE}\n// a\n// b\n// c\n// d, a licence\n{RULE}",
        f"x(); {RULE} trailing",
    ],
    ids=["seven signs", "no rule", "long text", "behind code"],
)
def test_other_comments_are_no_banners(comment: str) -> None:
    found = facts(f"<?php\nsetup();\n\n{comment}\n\n{TWO_FUNCTIONS}")
    assert not any(s.kind is Kind.SECTION for s in found.symbols)


def test_banner_on_a_function_is_its_own() -> None:
    source = f"<?php\nsetup();\n\n{RULE}\n// a: gives one\n{RULE}\n{TWO_FUNCTIONS}"
    found = facts(source)
    assert not any(s.kind is Kind.SECTION for s in found.symbols)
    assert next(c for c in found.chunks if c.name == "a").start_line == 4


def test_doc_comment_goes_with_its_function_and_the_file_comment_does_not() -> None:
    source = "<?php\n/* About the file. */\n\n/** Gives one. */\n" + TWO_FUNCTIONS
    found = facts(source)
    assert [(c.start_line, c.name) for c in found.chunks] == [(1, ""), (4, "a"), (8, "b")]
    assert next(s for s in found.symbols if s.name == "a").doc == "Gives one."


def test_function_inside_its_guard_stands_alone() -> None:
    guard = (
        "if (! function_exists('{0}')) {{\n    function {0}() {{\n        return 1;\n    }}\n}}\n"
    )
    source = "<?php\n" + "".join(guard.format(name) for name in "abc")
    assert [c.name for c in facts(source).chunks] == ["a", "b", "c"]


def test_page_of_html_is_html_and_is_cut_where_html_begins() -> None:
    code = "".join(f"$value_{i} = compute_the_value({i});\n" for i in range(120))
    html = "".join(f"<li class='item'>entry number {i}</li>\n" for i in range(120))
    source = f"<?php\n{code}?>\n<ul>\n{html}</ul>\n<?php\nfinish();\n?>\n<p>end</p>\n"
    found = facts(source)
    assert [c.kind for c in found.chunks] == [Kind.MODULE, Kind.HTML]
    assert source.split("\n")[found.chunks[1].start_line - 1] == "?>"


def test_references_keep_their_symbols_when_sections_are_added() -> None:
    source = f"<?php\n{RULE}\n// One\n{RULE}\n\nfunction a() {{\n    b();\n}}\n"
    found = facts(source)
    (call,) = [r for r in found.references if r.name == "b"]
    assert found.symbols[call.scope].name == "a"


PARTS = st.sampled_from(
    [
        "<?php",
        "?>",
        "<p>text</p>",
        RULE,
        "// Title",
        "function f() {",
        "}",
        "if ($a):",
        "endif;",
        "a();",
        "",
        "/*",
        "*/",
        "class C {",
        "x" * 5000,
    ]
)


@given(st.lists(PARTS, max_size=40))
def test_partition_holds_whatever_the_page(lines: list[str]) -> None:
    facts("\n".join(["<?php", "function f() {}", *lines]))
