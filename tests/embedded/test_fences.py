"""Code on pages: each tagged fence gives its definitions at the lines of the page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import found_paths, index, quarry_process, write_tree

from codequarry.assets.chunks.partition import validate_partition
from codequarry.assets.embedded import region
from codequarry.assets.embedded.names import language_of_info
from codequarry.assets.facts.extract import extract_facts
from codequarry.vocabulary import FileFacts, Kind, ParseState


def facts(source: str, language: str = "markdown") -> FileFacts:
    found = extract_facts(source.encode(), language)
    assert validate_partition(found.chunks, found.line_count) == []
    return found


def fenced(source: str, language: str = "markdown") -> list[tuple[str, int]]:
    symbols = facts(source, language).symbols
    return [(s.qualified, s.name_line) for s in symbols if s.kind is Kind.FENCE]


@pytest.mark.parametrize(
    ("info", "language"),
    [
        ("python", "python"),
        ("py", "python"),
        ("Python3", "python"),
        ("{python}", "python"),
        ("{.python .numberLines}", "python"),
        ("{r, echo=FALSE}", "r"),
        ("{code-block} python", "python"),
        ("{code-cell} ipython3", "python"),
        ("python:path/file.py", "python"),
        ("app/file.py", "python"),
        ("12:14:app/file.ts", "typescript"),
        ('ts title="x"', "typescript"),
        ("ts{1,3-5}", "typescript"),
        ("tsx", "tsx"),
        ("jsx", "javascript"),
        ("js", "javascript"),
        ("rust,ignore", "rust"),
        ("rs", "rust"),
        ("c++", "cpp"),
        ("c#", "csharp"),
        ("golang", "go"),
        ("sh", "bash"),
        ("yml", "yaml"),
        ("rb", "ruby"),
        ("kt", "kotlin"),
        ("objective-c", "objc"),
        ("", ""),
        ("text", ""),
        ("console", ""),
        ("diff", ""),
        ("no-such-language", ""),
        ("{}", ""),
    ],
)
def test_what_language_a_tag_means(info: str, language: str) -> None:
    assert language_of_info(info) == language


@pytest.mark.parametrize(
    ("source", "want"),
    [
        pytest.param("```py\ndef a():\n    pass\n```\n", [("a", 2)], id="plain"),
        pytest.param("~~~~py\n```\ndef a(): pass\n~~~~\n", [("a", 3)], id="tilde"),
        pytest.param("   ```py\n   def a():\n       pass\n   ```\n", [("a", 2)], id="indented"),
        pytest.param("    ```py\n    def a(): pass\n    ```\n", [], id="indented-too-far"),
        pytest.param("```\ndef a(): pass\n```\n", [], id="untagged"),
        pytest.param("```py\ndef a(): pass\n", [("a", 2)], id="unclosed"),
        pytest.param(
            "````md\n```py\ndef a(): pass\n```\n````\n```py\ndef b(): pass\n```\n",
            [("b", 7)],
            id="nested",
        ),
        pytest.param(
            "- x\n\n  ```py\n  class A:\n      def b(self):\n          pass\n  ```\n",
            [("A", 4), ("A.b", 5)],
            id="list",
        ),
        pytest.param("1. ```py\n   def a(): pass\n   ```\n", [("a", 2)], id="list-item-line"),
        pytest.param(
            "- x\n  - y\n\n    ```py\n    def a(): pass\n    ```\n", [("a", 5)], id="list-in-list"
        ),
        pytest.param(
            "> x\n>\n> ```py\n> class A:\n>     def b(self):\n>         pass\n> ```\n\nend\n",
            [("A", 4), ("A.b", 5)],
            id="quote",
        ),
        pytest.param("> > ```py\n> > def a(): pass\n> > ```\n", [("a", 2)], id="quote-in-quote"),
        pytest.param("> ```py\n> def a(): pass\nend\n", [("a", 2)], id="quote-ends-fence"),
        pytest.param("```php\nfunction a() {}\n```\n", [("a", 2)], id="php-without-a-tag"),
        pytest.param("```php\n<?php\nfunction a() {}\n```\n", [("a", 3)], id="php-with-a-tag"),
        pytest.param(
            '```vue\n<script lang="ts">\nfunction a(b: string) {}\n</script>\n```\n',
            [("a", 3)],
            id="script-in-a-fence",
        ),
        pytest.param("\ufeff```py\ndef a(): pass\n```\n", [("a", 2)], id="mark"),
        pytest.param("```py\r\ndef a(): pass\r\n```\r\n", [("a", 2)], id="crlf"),
    ],
)
def test_definitions_in_fences(source: str, want: list[tuple[str, int]]) -> None:
    assert fenced(source) == want


def test_a_fence_symbol_says_what_it_is_and_has_the_page_s_bytes() -> None:
    source = "# é\n\n> ```py\n> def a(b):\n>     return b\n> ```\n"
    (symbol,) = [s for s in facts(source).symbols if s.kind is Kind.FENCE]
    assert (symbol.start_line, symbol.end_line) == (4, 5)
    assert symbol.signature == "def a(b)"
    text = source.encode()[symbol.start_byte : symbol.end_byte]
    assert text == b"def a(b):\n>     return b"


def test_at_most_a_hundred_fences_of_a_page_are_read() -> None:
    page = "".join(f"```py\ndef f{i}(): pass\n```\n\n" for i in range(150))
    assert [name for name, _ in fenced(page)] == [f"f{i}" for i in range(100)]


def test_untagged_fences_do_not_count_towards_the_hundred() -> None:
    page = "```\nwords\n```\n" * 150 + "```py\ndef a(): pass\n```\n"
    assert [name for name, _ in fenced(page)] == ["a"]


def test_one_bad_fence_breaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails_on_bad(source: bytes, *rest: object) -> object:
        if b"bad" in source:
            raise IndexError("boom")
        return parse(source, *rest)

    parse = region.parse
    monkeypatch.setattr(region, "parse", fails_on_bad)
    found = facts("# T\n\n```py\nbad\n```\n\n```py\ndef a(): pass\n```\n")
    assert [(s.name, s.name_line) for s in found.symbols] == [("T", 1), ("a", 8)]
    assert found.state is ParseState.PARTIAL
    assert found.reason == "line 4: IndexError: boom"


def test_code_that_leaves_things_out_is_no_fault_of_the_page() -> None:
    assert facts("```ts\nfunction a() { ... }\nclass {\n```\n").state is ParseState.OK


def test_fence_symbols_are_examples_not_the_page_s_outline() -> None:
    found = facts("# T\n\n```py\ndef a(): pass\n```\n")
    assert found.skeleton == "# T"
    assert found.chunks[0].names == ("T",)


def test_symbols_come_in_reading_order_and_references_keep_their_symbol() -> None:
    found = facts("```py\ndef a(): b()\n```\n\n# T\n\n```py\ndef c(): d()\n```\n")
    assert [s.name for s in found.symbols] == ["a", "T", "c"]
    calls = {r.name: found.symbols[r.scope].name for r in found.references}
    assert calls == {"b": "a", "d": "c"}


def test_a_chunk_that_is_one_fence_says_so_and_has_its_names() -> None:
    words = "Some words about the thing that this section explains.\n\n" * 70
    code = "".join(f"def f{i}(a):\n    return compute(a, {i})\n\n" for i in range(130))
    found = facts(f"# T\n\n{words}```py\n{code}```\n\n## U\n\n{words}")
    (chunk,) = [c for c in found.chunks if c.kind is Kind.FENCE]
    assert chunk.names[:2] == ("f0", "f1")
    assert chunk.name == "T"


@pytest.mark.parametrize(
    ("language", "source", "want"),
    [
        (
            "rst",
            "T\n=\n\n.. code-block:: python\n   :linenos:\n\n   def a():\n       pass\n\nend\n",
            7,
        ),
        ("rst", ".. code:: python\n\n    class a:\n        x = 1\n", 3),
        ("asciidoc", "== T\n\n[source,python]\n.title\n----\ndef a(): pass\n----\n", 6),
        ("asciidoc", "[,python]\n----\ndef a(): pass\n----\n", 3),
        ("asciidoc", "```python\ndef a(): pass\n```\n", 2),
    ],
)
def test_code_blocks_of_other_markup(language: str, source: str, want: int) -> None:
    assert [line for name, line in fenced(source, language) if name == "a"] == [want]


def test_an_untagged_block_of_other_markup_gives_nothing() -> None:
    assert fenced("----\ndef a(): pass\n----\n", "asciidoc") == []
    assert fenced("Like this::\n\n    def a(): pass\n", "rst") == []


def test_a_fence_is_listed_and_defines_nothing(tmp_path: Path) -> None:
    page = "# Guide\n\n```py\ndef total_price(cart):\n    pass\n```\n"
    write_tree(tmp_path, {"a_guide.md": page, "shop.py": "def total_price(cart):\n    return 1\n"})
    index(tmp_path)
    listed = quarry_process("export", "symbols", "-C", str(tmp_path)).out.splitlines()
    kinds = {(r["path"], r["name"], r["kind"]) for r in map(json.loads, listed)}
    assert ("a_guide.md", "total_price", "fence") in kinds
    assert found_paths(tmp_path, "total_price")[0] == "shop.py"
