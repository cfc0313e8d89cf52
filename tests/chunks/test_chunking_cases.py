"""Cases met by users of other tools, each as a test of its whole kind.

C001 code outside definitions, C002 decorators, C004 deep nesting, C005 giants, C008 fences,
C010 broken and empty files, C014 encodings.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from codequarry.assets.chunks.partition import validate_partition
from codequarry.assets.facts.extract import extract_facts
from codequarry.assets.languages.detect import detect_language
from codequarry.text import UndecodableError, decode, split_lines
from codequarry.vocabulary import Chunk, FileFacts, ParseState

CASES = Path(__file__).parents[1] / "cases"


def read(case: str, path: str) -> bytes:
    return (CASES / case / "repo" / path).read_bytes()


def facts(case: str, path: str) -> FileFacts:
    data = read(case, path)
    return extract_facts(data, detect_language(path, data))


def lines_of(case: str, path: str) -> list[str]:
    return split_lines(decode(read(case, path)).text)


def files(case: str) -> list[str]:
    root = CASES / case / "repo"
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


def expectation(case: str) -> dict:
    return json.loads((CASES / case / "expect.json").read_text("utf-8"))


def chunk_at(found: FileFacts, line: int) -> Chunk:
    (chunk,) = [c for c in found.chunks if c.start_line <= line <= c.end_line]
    return chunk


WANTED = [
    pytest.param(case, want, id=f"{case}-{want['path']}-{want['line']}")
    for case in ("C001", "C004", "C005", "C010")
    for want in expectation(case)["must_find"]
]


@pytest.mark.parametrize(("case", "want"), WANTED)
def test_every_marked_line_is_in_exactly_one_chunk(case: str, want: dict) -> None:
    chunk_at(facts(case, want["path"]), want["line"])
    assert want["query"].split()[0] in lines_of(case, want["path"])[want["line"] - 1]


@pytest.mark.parametrize(
    ("case", "path"),
    [
        (case, path)
        for case in ("C001", "C002", "C004", "C005", "C008", "C010")
        for path in files(case)
    ],
)
def test_chunk_text_is_exactly_the_lines_of_the_file(case: str, path: str) -> None:
    found = facts(case, path)
    lines = lines_of(case, path)
    assert validate_partition(found.chunks, len(lines)) == []
    rebuilt = "".join("".join(lines[c.start_line - 1 : c.end_line]) for c in found.chunks)
    assert rebuilt == ("".join(lines) if "".join(lines).strip() else "")


@pytest.mark.parametrize("want", expectation("C002")["symbols"], ids=lambda want: want["name"])
def test_decorated_definitions_are_symbols_and_begin_at_the_decorator(want: dict) -> None:
    found = facts("C002", want["path"])
    (symbol,) = [s for s in found.symbols if s.name == want["name"]]
    first = want["chunk_starts_at_or_before"]
    assert symbol.start_line <= first
    assert chunk_at(found, symbol.name_line).start_line <= first


DEEP = """
import sys, resource
resource.setrlimit(resource.RLIMIT_STACK, (8 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]))
from codequarry.assets.facts.extract import extract_facts
from codequarry.assets.chunks.partition import validate_partition
assert sys.getrecursionlimit() == 1000
n = 10_000
sources = {
    "python": "x = " + "(" * n + "1" + ")" * n + "\\n",
    "javascript": "x = " + "[\\n" * n + "]\\n" * n + "\\n",
    "typescript": "type A = " + "B<\\n" * n + "C" + ">\\n" * n + ";\\n",
    "c": "void f() {" + "if (a) {\\n" * n + "}\\n" * n + "}\\n",
    "java": "class A { void f() {" + "if (a) { b(); } else\\n" * n + "{} } }\\n",
    "go": "package a\\nvar x = " + "-\\n" * n + "1\\n",
    "rust": "fn f() {" + "{\\n" * n + "}\\n" * n + "}\\n",
    "ruby": "x = " + "[\\n" * n + "]\\n" * n,
    "php": "<?php $x = " + "[\\n" * n + "]\\n" * n + ";\\n",
    "markdown": "> " * n + "\\n" + "- " * n + "\\n",
}
for language, source in sources.items():
    found = extract_facts(source.encode(), language)
    assert validate_partition(found.chunks, found.line_count) == [], language
print("done")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sets the stack size by resource limits")
def test_ten_thousand_levels_end_normally_on_an_eight_megabyte_stack() -> None:
    done = subprocess.run(
        [sys.executable, "-c", DEEP], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "done"


def test_giants_are_chunked_quickly_and_without_bloat() -> None:
    started = time.process_time()
    for path in files("C005"):
        found = facts("C005", path)
        text = "".join(lines_of("C005", path))
        stored = sum(
            len("".join(lines_of("C005", path)[c.start_line - 1 : c.end_line]))
            for c in found.chunks
        )
        assert stored <= 2 * len(text)
    assert time.process_time() - started < 5


def test_comments_inside_fences_are_not_sections() -> None:
    want = expectation("C008")
    found = facts("C008", "guide.md")
    sections = {(s.name, s.name_line) for s in found.symbols}
    assert sections == {(s["title"], s["line"]) for s in want["sections"]}
    assert not {name for name, _ in sections} & set(want["not_sections"])


@pytest.mark.parametrize("path", ["empty.py", "blank.py"])
def test_empty_files_cost_nothing_and_are_no_errors(path: str) -> None:
    found = facts("C010", path)
    assert found.chunks == found.symbols == ()
    assert found.skeleton == ""
    assert found.state is ParseState.OK


@pytest.mark.parametrize("path", ["broken.py", "conflict.ts"])
def test_files_with_errors_are_named_as_such(path: str) -> None:
    found = facts("C010", path)
    assert found.state is ParseState.PARTIAL
    assert found.reason


@pytest.mark.parametrize("path", ["broken.py", "conflict.ts", "py2.py", "mixed_tabs.py"])
def test_files_with_errors_keep_their_usable_definitions(path: str) -> None:
    found = facts("C010", path)
    names = {symbol.name for symbol in found.symbols}
    wanted = {w["query"] for w in expectation("C010")["must_find"] if w["path"] == path}
    assert names & wanted


def test_a_last_line_without_a_newline_is_kept_as_it_is() -> None:
    found = facts("C010", "no_newline.py")
    assert not lines_of("C010", "no_newline.py")[-1].endswith("\n")
    assert found.chunks[-1].end_line == found.line_count


@pytest.mark.parametrize(
    "want", expectation("C014")["symbols"], ids=lambda want: f"{want['path']}-{want['name']}"
)
def test_symbols_of_any_encoding_are_clean_text(want: dict) -> None:
    found = facts("C014", want["path"])
    assert (want["name"], want["line"]) in {(s.name, s.name_line) for s in found.symbols}
    assert all("\ufeff" not in s.name + s.qualified + s.doc for s in found.symbols)


@pytest.mark.parametrize("want", expectation("C014")["sections"], ids=lambda want: want["path"])
def test_a_byte_order_mark_never_becomes_part_of_a_title(want: dict) -> None:
    found = facts("C014", want["path"])
    assert (want["title"], want["line"]) in {(s.name, s.name_line) for s in found.symbols}


def test_a_binary_with_a_source_name_is_refused() -> None:
    with pytest.raises(UndecodableError):
        facts("C014", "image_named.py")
