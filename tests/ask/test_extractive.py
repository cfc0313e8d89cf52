"""What the walkthrough says of small repositories: calls in order, their words, nothing made up.

Code of the answer comes through the splicer, as with any narrator; these tests look at what the
narrator chooses, in which order, and at the words it takes from hostile comments.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import index, write_tree

from codequarry.ask.answer import AskAnswer
from codequarry.ask.ask import ask, collect
from codequarry.ask.narrators.extractive import MAX_DOC, ExtractiveNarrator, first_words
from codequarry.retrieval.index import Index, open_index

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PYTHON = {
    "shop/orders.py": '''"""Orders of the shop."""

from shop.stock import reserve_stock
from shop.pay import charge_card


def place_order(basket, card):
    """Place an order for a basket: the way from the basket to the parcel."""
    total = sum(item.price for item in basket)
    charge_card(card, total)
    for item in basket:
        reserve_stock(item)
    return ship_order(basket)


def ship_order(basket):
    """Hand an order that was placed to the courier."""
    return [item.name for item in basket]
''',
    "shop/stock.py": '''def reserve_stock(item):
    """Reserve what an order places from stock."""
    item.left -= 1
    if item.left < 0:
        raise ValueError(item)
    return item
''',
    "shop/pay.py": '''def charge_card(card, total):
    """Charge the card of an order when it is placed.

    Args:
        card: whose.
    """
    card.balance -= total
    return card.balance
''',
    "shop/colours.py": '''def mix(red, blue):
    """Mix paint."""
    return (red + blue) / 2
''',
    "tests/test_orders.py": '''from shop.orders import place_order


def test_place_order_places_an_order():
    """An order is placed."""
    assert place_order([], None) == []
''',
}
GO = {
    "go.mod": "module example.com/mail\n\ngo 1.22\n",
    "send.go": """package mail

// SendLetter sends a letter: it is sealed first, then queued for delivery.
func SendLetter(text string) error {
	sealed := sealLetter(text)
	return queueLetter(sealed)
}

// queueLetter queues a letter that is sent.
func queueLetter(sealed string) error {
	if sealed == "" {
		return nil
	}
	return nil
}

// sealLetter seals a letter before it is sent.
func sealLetter(text string) string {
	prefix := "letter:"
	return prefix + text
}
""",
    "weather.go": (
        "package mail\n\n// Rain tells whether it rains.\nfunc Rain() bool {\n\treturn true\n}\n"
    ),
}
JAVASCRIPT = {
    "lib/render.js": """'use strict'

/**
 * Render a page with its layout.
 *
 * @param {String} name
 * @api public
 */

exports.renderPage = function renderPage(name) {
  var body = loadTemplate(name)
  return wrapLayout(body)
}

/**
 * Load the template of a page that is rendered.
 */

function loadTemplate(name) {
  var path = name + '.html'
  return path
}

/**
 * Wrap a rendered page in its layout.
 */

function wrapLayout(body) {
  var html = '<html>' + body
  return html + '</html>'
}
""",
    "lib/clock.js": "exports.now = function now() {\n  return Date.now()\n}\n",
}
WALKS = [
    pytest.param(
        PYTHON, "how is an order placed",
        ["place_order", "charge_card", "reserve_stock", "ship_order"],
        "Charge the card of an order when it is placed.", id="python",
    ),
    pytest.param(
        GO, "how is a letter sent", ["SendLetter", "sealLetter", "queueLetter"],
        "sealLetter seals a letter before it is sent.", id="go",
    ),
    pytest.param(
        JAVASCRIPT, "how is a page rendered", ["renderPage", "loadTemplate", "wrapLayout"],
        "Render a page with its layout.", id="javascript",
    ),
]  # fmt: skip


def opened(root: Path, tree: Mapping[str, str | bytes]) -> Index:
    write_tree(root, tree)
    index(root)
    return open_index(root, model="none")


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The index of a shop that tests only ask."""
    return opened(tmp_path_factory.mktemp("orders"), PYTHON)


def answered(built: Index, question: str) -> AskAnswer:
    return collect(ask(built, question, ExtractiveNarrator(built)))


def told(answer: AskAnswer) -> list[str]:
    """The bare names of the steps, in order."""
    names = re.findall(r"^\*\*\d+\\?\. `([^`]+)`\*\*", answer.answer, re.MULTILINE)
    return [re.split(r"[.)]+", name)[-1] for name in names]


def prose(answer: AskAnswer) -> list[str]:
    """The lines of an answer outside its blocks, by the rules of Markdown fences."""
    lines, fence = [], ""
    for line in answer.answer.split("\n"):
        mark = re.match(r"`{3,}", line)
        if not fence and mark:
            fence = mark[0]
        elif fence:
            fence = "" if line == fence else fence
        else:
            lines.append(line)
    assert not fence
    return lines


@pytest.mark.parametrize(("tree", "question", "steps", "words"), WALKS)
def test_a_walk_begins_at_the_entry_and_follows_the_lines_of_its_calls(
    tmp_path: Path, tree: dict[str, str], question: str, steps: list[str], words: str
) -> None:
    answer = answered(opened(tmp_path, tree), question)
    assert told(answer) == steps
    assert f"It begins with `{steps[0]}" in answer.answer.replace("orders.", "").replace(
        "mail.", ""
    ) or re.search(rf"It begins with `[\w.]*{steps[0]}`", answer.answer)
    assert words in answer.answer
    assert len(answer.spans) <= 8
    assert answer.grounded
    assert answer.void_citations == 0


def test_the_same_question_gives_the_same_bytes(tmp_path: Path) -> None:
    first = answered(opened(tmp_path / "a", PYTHON), "how is an order placed")
    again = answered(opened(tmp_path / "b", PYTHON), "how is an order placed")
    assert first.answer == again.answer


def test_tests_are_told_only_when_they_are_asked_for(orders: Index) -> None:
    name = "test_place_order_places_an_order"
    assert name not in told(answered(orders, "how is an order placed"))
    assert name in told(answered(orders, "tests of orders"))


def test_what_nothing_answers_is_said_to_have_no_answer(orders: Index) -> None:
    answer = answered(orders, "zygote kubernetes photosynthesis")
    assert "Nothing" in answer.answer.split("\n")[0]


def test_without_edges_and_comments_calls_are_told_by_name_and_said_to_be(tmp_path: Path) -> None:
    tree = {
        "lib/parcel.ex": "defmodule Parcel do\n  def send_parcel(parcel) do\n"
        "    label = print_label(parcel)\n    hand_over(label)\n  end\n\n"
        "  def print_label(parcel) do\n    text = parcel.name\n    {:parcel, text}\n  end\nend\n"
    }
    answer = answered(opened(tmp_path, tree), "how is a parcel sent")
    assert told(answer) == ["send_parcel", "print_label"]
    assert "By its name, it may call `Parcel.print_label` (step 2)." in answer.answer
    assert "It calls" not in answer.answer
    assert "declared as `def send_parcel(parcel)`" in answer.answer


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what does `reserve_stock` do", "reserve_stock"),
        ("where does orders.ship_order hand a placed order over", "ship_order"),
        ("is the card of an order charged when ship_order is called", "ship_order"),
    ],
)
def test_what_a_question_names_as_code_does_goes_first(
    orders: Index, question: str, first: str
) -> None:
    answer = answered(orders, question)
    assert told(answer)[0] == first
    assert re.search(rf"{first}` is called by `orders.place_order`", answer.answer)


def test_types_that_are_alike_are_told_once(tmp_path: Path) -> None:
    tree = {
        "render.go": "package render\n\n"
        + "".join(
            f"// {name} renders data.\ntype {name} struct {{\n\tData any\n\tIndent bool\n}}\n\n"
            for name in ("PlainJSON", "AsciiJSON", "SecureJSON")
        )
    }
    answer = answered(opened(tmp_path, tree), "which types render JSON data")
    assert len(told(answer)) == 1
    for name in ("PlainJSON", "AsciiJSON", "SecureJSON"):
        assert any(name in line for line in prose(answer))


def test_a_span_that_defines_nothing_is_shown_whole(tmp_path: Path) -> None:
    tree = {"deploy.txt": "harbour settings\nregion of the harbour is north\n"}
    answer = answered(opened(tmp_path, tree), "harbour region")
    assert [(s.path, s.start_line, s.end_line) for s in answer.spans] == [("deploy.txt", 1, 2)]


HOSTILE = [
    "```\nrm -rf /\n```",
    "~~~~\nrm -rf /",
    "<script>alert(1)</script> <pre>rm -rf /",
    "\x1b[31mred\x1b]0;title\x07",
    "[[1]] [[99:1-2]] [a](http://x.example) ![i](http://x.example)",
    "[[[[1]]]] and [[1:1-2]]",
    "[x]([[1]]) <b>[</b>[1]]",
    "    rm -rf /\n\n    rm -rf /",
    "`` ` ``` unbalanced `` ` ends",
]


@pytest.mark.parametrize("words", HOSTILE)
def test_a_hostile_comment_stays_prose(tmp_path: Path, words: str) -> None:
    lines = "".join(f"# {line}\n" for line in f"Weigh the cargo. {words}".split("\n"))
    body = "def weigh_cargo(cargo):\n    total = sum(cargo)\n    return total\n"
    answer = answered(opened(tmp_path, {"cargo.py": lines + body}), "how is cargo weighed")
    outside = "\n".join(prose(answer))
    assert (answer.void_citations, len(answer.spans)) == (0, 1)
    assert "weigh_cargo" in outside
    assert "\x1b" not in outside
    assert "\x07" not in outside
    assert not re.search(r"(?<!\\)<(?:script|pre)", re.sub(r"`[^`\n]*`", "", outside))
    assert not re.search(r"^(?: {4}|\t|`{3}|~{3})", outside, re.MULTILINE)
    assert "](http" not in outside


def test_a_path_and_a_name_that_look_like_citations_are_none(tmp_path: Path) -> None:
    tree = {
        "[[1]]/[[2]].md": "# [[1]] Harbour region [[99]]\n\nThe region of the harbour: [[1]].\n",
    }
    answer = answered(opened(tmp_path, tree), "harbour region")
    assert (answer.void_citations, len(answer.spans)) == (0, 1)


@given(st.text(alphabet="[]1:- `a<b>", max_size=80))
def test_no_comment_brings_a_citation(doc: str) -> None:
    assert "[[" not in first_words(doc)


@given(st.text(max_size=600))
def test_the_first_words_of_any_comment_are_one_bounded_line(doc: str) -> None:
    words = first_words(doc)
    assert len(words.splitlines()) <= 1
    assert len(words) <= MAX_DOC + 2  # the sign that it goes on


@pytest.mark.parametrize(
    ("doc", "words"),
    [
        ("Send it.\n\nMore.", "Send it."),
        ("Send it\n@param x y", "Send it."),
        ("Load :class:`Page` now", "Load `Page` now."),
        ("Do this. Instead of doing that::\n\n  x()", "Do this."),
        ("# Errors\nNone.", "None."),
        ("", ""),
    ],
)
def test_first_words(doc: str, words: str) -> None:
    assert first_words(doc) == words
