"""What stays prose, and what a narrator's code comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from answer_oracle import check, spliced, text_of

from codequarry.ask.code_shape import is_code_shaped
from codequarry.ask.splice import NOTICE

if TYPE_CHECKING:
    from codequarry.ask.candidates import Candidates
    from codequarry.retrieval.index import Index

PROSE = [
    "Late fees are computed from the days; see `late_fee(days)` for how.",
    "# How it works\n\nFirst, the fee.",
    "- one\n- two\n  - inner\n\n1. first\n2. second",
    "> said so",
    "| name | use |\n|---|---|\n| `fee` | pays |",
    "If a < b, or a <- b, it is 5 > 4 & fine.",
    "See [the manual](https://example.com/a_b).",
    "- return the value to the caller (if there is one)\n- it works as you would expect",
    "1. Step\n\n   continued.",
]
CODE = [
    "```\nreturn 100\n```",
    "````\n```\nreturn 100\n````",
    "~~~~ python\nreturn 100\n~~~~",
    "> ```\n> return 100\n> ```",
    "- item\n  ```\n  return 100\n  ```",
    "1. item\n\n       return 100",
    "text\n\n    return 100",
    "text\n\n\treturn 100",
    "-     return 100",
    "> text\n>\n>     return 100",
    "<pre>\nreturn 100\n</pre>",
    "<!--\nreturn 100\n-->",
    "<script>\n\nreturn 100\n</script>",
    "```\nreturn 100",
]
SHAPES = [
    "return days * 100",
    "def late_fee(days):",
    "x = compute(1)",
    "import os",
    "from a.b import c",
    "if (a == b) {",
    "}",
    "});",
    "for i in range(3):",
    "@decorator",
    "const x = 1",
    "public static void main(String[] args) {",
    "late_fee(3)",
    "#include <stdio.h>",
    "$ pip install x",
    "SELECT a FROM b;",
    "raise ValueError('the rate is not set yet')",
    "func (s *Server) Run() error {",
    "let mut x = vec![1];",
    "`x = 1`",
]
WORDS = [
    "The rate is 4.",
    "return the value of the rate to the caller (at once)",
    "For example: this.",
    "It calls `late_fee(days)`, which multiplies.",
    "class of problems",
    "**late_fee**: the fee",
    "Note: a is b",
    "| a | b |",
    "---",
]


def answer_to(opened: Index, candidates: Candidates, text: str) -> str:
    parts, _ = spliced(opened.generation, candidates, [text, "\n\n[[1]]\n"])
    check(parts)
    return text_of(parts)


@pytest.mark.parametrize("text", PROSE)
def test_prose_is_left_as_it_is(fees: Index, found: Candidates, text: str):
    answer = answer_to(fees, found, text)
    assert answer.startswith(text.replace("1. Step\n\n   continued", "1. Step\n\ncontinued"))
    assert NOTICE not in answer


@pytest.mark.parametrize("text", CODE)
def test_code_in_every_form_is_left_out_with_a_notice(fees: Index, found: Candidates, text: str):
    answer = answer_to(fees, found, text)
    assert "return 100" not in answer
    assert answer.count(NOTICE) == 1


@pytest.mark.parametrize("line", SHAPES)
def test_a_line_shaped_like_code_is_a_quotation(fees: Index, found: Candidates, line: str):
    assert is_code_shaped(line)
    answer = answer_to(fees, found, f"Look:\n{line}\nThere.")
    assert answer.count(NOTICE) == 1
    assert "\n> " in answer
    assert "\n\nThere." in answer


@pytest.mark.parametrize("line", WORDS)
def test_a_sentence_is_no_code(line: str):
    assert not is_code_shaped(line)


def test_html_is_shown_as_text(fees: Index, found: Candidates):
    answer = answer_to(fees, found, "Uses <b>bold</b> and <code>x</code> and ![p](http://a/?q).")
    assert "Uses \\<b>bold\\</b> and \\<code>x\\</code> and \\![p](http://a/?q)." in answer


def test_what_steers_a_terminal_is_gone(fees: Index, found: Candidates):
    answer = answer_to(fees, found, "a\x1b[31mred\x1b[0m \x1b]0;title\x07b\x9b2J\u202ec\x00")
    assert answer.startswith("ared bc\n")


def test_a_citation_in_a_fence_or_in_ticks_still_shows_the_lines(fees: Index, found: Candidates):
    for text in ("```\n[[2]]\n```", "See `[[2]]`."):
        parts, splicer = spliced(fees.generation, found, [text])
        check(parts)
        assert splicer.cited == {2}
