"""What a reader gets of each citation: the block, its edges, its header, its state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from answer_oracle import check, spliced, text_of
from answer_toys import TREE
from support import index, write_tree

from codequarry.ask.candidates import Outline, find_candidates
from codequarry.ask.citations import Cited, Void, resolve, snap
from codequarry.retrieval.index import open_index
from codequarry.text import decode, split_lines

if TYPE_CHECKING:
    from pathlib import Path

    from codequarry.ask.candidates import Candidates
    from codequarry.retrieval.index import Index


def number_of(candidates: Candidates, path: str) -> int:
    return next(c.number for c in candidates.spans if c.path == path)


def answer_to(opened: Index, candidates: Candidates, text: str) -> str:
    parts, _ = spliced(opened.generation, candidates, [text])
    check(parts)
    return text_of(parts)


@pytest.mark.parametrize("path", sorted(TREE))
def test_a_block_holds_the_lines_of_the_disk(fees: Index, found: Candidates, path: str):
    parts, splicer = spliced(fees.generation, found, [f"[[{number_of(found, path)}]]"])
    check(parts)
    (shown,) = splicer.shown
    data = TREE[path] if isinstance(TREE[path], bytes) else TREE[path].encode()
    lines = split_lines(decode(data).text)
    assert shown.text == "".join(lines[shown.start_line - 1 : shown.end_line])
    assert shown.text in text_of(parts)


def test_a_block_has_header_tag_and_a_fence_that_its_lines_cannot_close(fees, found):
    number = number_of(found, "src/fences.py")
    answer = answer_to(fees, found, f"The page is made here [[{number}]].")
    assert (
        "The page is made here `src/fences.py:1-12`.\n\n`src/fences.py:1-12`\n\n`````python\n"
        in (answer)
    )


def test_the_block_comes_after_its_paragraph_not_inside_it(fees, found):
    number = number_of(found, "src/crlf.py")
    answer = answer_to(fees, found, f"It is [[{number}]]\nin two lines.\n\nThen more.\n")
    assert answer.index("in two lines.") < answer.index("```") < answer.index("Then more.")


def test_a_repeated_citation_refers_back(fees, found):
    number = number_of(found, "src/crlf.py")
    answer = answer_to(fees, found, f"[[{number}]]\n\nAgain: [[{number}]].")
    assert answer.count("```python") == 1
    assert "Again: `src/crlf.py:1-2` (above)." in answer


def test_what_is_not_cited_is_listed(fees, found):
    number = number_of(found, "src/crlf.py")
    _, footer = answer_to(fees, found, f"[[{number}]]").split("Also found, not cited:")
    assert footer.count("\n- ") == len(found.spans) - 1
    assert "src/crlf.py" not in footer


def test_without_a_citation_all_that_was_found_is_shown(fees, found):
    parts, splicer = spliced(fees.generation, found, ["Fees exist."])
    check(parts)
    assert len(splicer.shown) == len(found.spans)
    assert not splicer.cited
    assert not splicer.uncited


def test_a_failure_shows_the_reason_as_prose_and_all_that_was_found(fees, found):
    reason = "`m` said: <pre>x</pre> \x1b[31m"
    number = number_of(found, "src/crlf.py")
    parts, _ = spliced(fees.generation, found, [f"[[{number}]]"], failure=reason)
    check(parts)
    assert "All that was found follows: \\`m\\` said: \\<pre\\>x\\</pre\\>.)" in text_of(parts)
    assert text_of(parts).count("src/crlf.py:1-2") == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("99", "no span of that number"),
        ("0", "no span of that number"),
        ("1:3-2", "reversed"),
        ("1:0-2", "outside"),
        ("1:1-99999999999999999999", "outside"),
        ("1:2", "not of the form"),
        ("a/b.py:1-2", "not of the form"),
        ("", "not of the form"),
        ("١", "not of the form"),
    ],
)
def test_void_citations_say_why(found: Candidates, text: str, reason: str):
    result = resolve(text, found)
    assert isinstance(result, Void)
    assert reason in result.reason


def test_a_citation_of_a_part_ends_where_the_definition_does(found: Candidates):
    number = number_of(found, "src/fees.py")
    result = resolve(f"{number}:6-6", found)
    assert isinstance(result, Cited)
    assert (result.start_line, result.end_line) == (5, 7)


OUTLINE = (
    Outline(1, 60, "Big", ""),
    Outline(2, 11, "Big.one", ""),
    Outline(13, 30, "Big.two", ""),
    Outline(32, 40, "Big.three", ""),
)
LINES = ["x"] * 60
LINES[11] = LINES[30] = ""


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ((15, 20), (13, 20)),  # the start is near, the end is not
        ((22, 28), (22, 30)),  # the end is near, the start is not
        ((10, 30), (13, 30)),  # the tail of `one` goes
        ((13, 33), (13, 30)),  # the head of `three` goes, and the blank line before it
        ((1, 60), (1, 60)),
        ((12, 13), (12, 13)),  # nothing but a blank line and a head: nothing better to show
    ],
)
def test_edges(given: tuple[int, int], wanted: tuple[int, int]):
    assert snap(*given, OUTLINE, LINES, 1) == wanted


@pytest.fixture
def changing(tmp_path: Path) -> tuple[Path, Index]:
    body = "def moved_fee(x):\n    y = x + 1\n    return y\n"
    root = write_tree(tmp_path / "repo", {"a.py": body, "b.py": "def other_fee(x):\n    pass\n"})
    index(root)
    return root, open_index(root, model="none")


def cite_a(opened: Index) -> str:
    candidates = find_candidates(opened.generation, opened.search("moved fee"))
    return answer_to(opened, candidates, f"[[{number_of(candidates, 'a.py')}]]")


def test_lines_that_moved_are_found_again(changing):
    root, opened = changing
    (root / "a.py").write_text("import os\n\n\n" + (root / "a.py").read_text())
    assert "`a.py:4-6` (moved since indexed)\n\n```python\ndef moved_fee" in cite_a(opened)


def test_lines_that_changed_are_marked(changing):
    root, opened = changing
    (root / "a.py").write_text("def moved_fee(x):\n    return 7\n")
    assert "`a.py:1-2` (changed since indexed)\n\n```python\ndef moved_fee(x):\n    return 7\n" in (
        cite_a(opened)
    )


def test_a_file_that_changes_while_the_model_thinks_is_marked(changing):
    root, opened = changing
    candidates = find_candidates(opened.generation, opened.search("moved fee"))
    (root / "a.py").write_text("def moved_fee(x):\n    return 8\n")
    answer = answer_to(opened, candidates, f"[[{number_of(candidates, 'a.py')}]]")
    assert "(changed since indexed)" in answer
    assert "y = x + 1" not in answer


def test_a_file_that_is_gone_is_named(changing):
    root, opened = changing
    candidates = find_candidates(opened.generation, opened.search("moved fee"))
    (root / "a.py").unlink()
    assert "a.py cannot be read" in answer_to(opened, candidates, "[[1]]")
    again = find_candidates(opened.generation, opened.search("moved fee"))
    assert {c.path for c in again.spans} == {"b.py"}
    assert "- a.py cannot be read" in answer_to(opened, again, "[[1]]")
