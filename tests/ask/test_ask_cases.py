"""Invented places and code, orders hidden in files: replies that users' models really gave."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import pytest
from answer_oracle import READER
from narrators_toy import Scripted
from support import CASES, index

from codequarry.ask.ask import ask, collect
from codequarry.ask.candidates import Candidates, find_candidates
from codequarry.ask.prompt import build_messages
from codequarry.retrieval.filters import Content, Filters, normalise_path
from codequarry.retrieval.index import Index, Options, open_index

if TYPE_CHECKING:
    from pathlib import Path

    from codequarry.ask.answer import AskAnswer

REPLIES = {
    reply["name"]: reply["text"]
    for reply in json.loads((CASES / "C047" / "replies.json").read_text())["replies"]
}
_CITE = re.compile(r"\{\{cite (\S+) (\d+) (\d+)\}\}")
OBEYING = json.loads((CASES / "C049" / "replies.json").read_text())["obeying_model"][-1]["text"]
EVERYTHING = Options(filters=Filters(content=Content.ALL))


def opened(case: str, folder: Path) -> Index:
    shutil.copytree(CASES / case, folder / case)
    index(folder / case / "repo")
    return open_index(folder / case / "repo", model="none")


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return opened("C047", tmp_path_factory.mktemp("case"))


@pytest.fixture(scope="module")
def rates(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return opened("C049", tmp_path_factory.mktemp("case"))


def cited(text: str, candidates: Candidates) -> str:
    """The reply with citations in our form: by number where there is such a file."""

    def form(found: re.Match[str]) -> str:
        path, start, end = found.groups()
        numbers = [c.number for c in candidates.spans if c.path == normalise_path(path)]
        return f"[[{numbers[0] if numbers else path}:{start}-{end}]]"

    return _CITE.sub(form, text)


def answered(opened: Index, question: str, text: str) -> AskAnswer:
    candidates = find_candidates(opened.generation, opened.search(question, EVERYTHING))
    return collect(ask(opened, question, Scripted(cited(text, candidates))))


def code_of(answer: AskAnswer) -> list[str]:
    return [t.content for t in READER.parse(answer.answer) if t.type in ("fence", "code_block")]


@pytest.mark.parametrize("name", sorted(REPLIES))
def test_code_is_read_from_the_file_whatever_the_model_says(late: Index, name: str):
    answer = answered(late, "late fee days", REPLIES[name])
    lines = (CASES / "C047" / "repo" / "src" / "fees.py").read_text().splitlines(keepends=True)
    assert code_of(answer) == [
        "".join(lines[span.start_line - 1 : span.end_line]) for span in answer.spans
    ]
    assert all("* 100" not in code for code in code_of(answer))


@pytest.mark.parametrize("name", ["good", "dot_prefix", "quotes_wrongly", "model_writes_code"])
def test_a_true_citation_shows_its_lines(late: Index, name: str):
    answer = answered(late, "late fee days", REPLIES[name])
    lines = (1, 2) if name == "dot_prefix" else (5, 6)
    assert [(s.path, s.start_line, s.end_line) for s in answer.spans] == [("src/fees.py", *lines)]
    assert (answer.grounded, answer.void_citations) == (True, 0)


@pytest.mark.parametrize(
    "name",
    ["no_such_file", "past_end", "reversed", "zero", "huge", "empty_file", "wrong_case", "escape"],
)
def test_a_false_citation_is_void_and_seen_to_be(late: Index, name: str):
    answer = answered(late, "late fee days", REPLIES[name])
    assert "(void citation: " in answer.answer
    assert (answer.grounded, answer.void_citations) == (False, 1)
    assert "All that was found follows" in answer.answer


def test_citations_of_other_forms_are_marked_and_counted(late: Index):
    answer = answered(late, "late fee days", REPLIES["other_form"])
    assert (answer.grounded, answer.void_citations) == (False, 3)
    assert answer.answer.count("*(not checked)*") == 3


def test_code_that_the_model_wrote_is_left_out_with_one_notice(late: Index):
    answer = answered(late, "late fee days", "\n\n".join([REPLIES["model_writes_code"]] * 2))
    assert "* 100" not in answer.answer
    assert answer.answer.count("Code that the narrator wrote") == 1


def test_an_answer_without_citations_is_marked(late: Index):
    answer = answered(late, "late fee days", REPLIES["none"])
    assert "it is without evidence" in answer.answer
    assert (answer.grounded, answer.void_citations) == (False, 0)


def test_repository_text_cannot_close_its_border(rates: Index):
    candidates = find_candidates(rates.generation, rates.search("current rate", EVERYTHING))
    assert {c.path for c in candidates.spans} == {"src/rates.py", "docs/help.md"}
    system, user = build_messages("What is the current rate?", candidates)
    border = re.search(r"BEGIN REPOSITORY DATA (\w+)", user.content)[1]
    assert border in system.content
    assert user.content.count(border) == 2
    data = user.content.split(border)[1].split("\n")[1:-1]
    for text in ("</context>", "disregard the rules", "../.env"):
        assert sum(text in line for line in data) == user.content.count(text) >= 1
    assert all(re.match(r"\[\[\d+\]\] | *\d+ \| ", line) for line in data)


def test_a_model_that_obeys_hidden_orders_gains_nothing(rates: Index):
    answer = answered(rates, "What is the current rate?", OBEYING)
    assert answer.void_citations == 2
    assert not answer.grounded
    assert "MARK_OUTSIDE" not in json.dumps(answer.as_json())
    assert {span.path for span in answer.spans} <= {"src/rates.py", "docs/help.md"}
