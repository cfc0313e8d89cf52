"""What a repository's own code suggests to ask: as a person would put it, and answered by it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import index, write_tree

from codequarry.ask.ask import ask, collect
from codequarry.ask.flows.doc_verbs import MOST_WORDS, what_it_does
from codequarry.ask.flows.questions import derived
from codequarry.ask.narrators.extractive import ExtractiveNarrator
from codequarry.retrieval.index import open_index

if TYPE_CHECKING:
    from pathlib import Path

TREE = {
    "post/session.py": '''class Session:
    """A way to the post office that stays open."""

    def send(self, letter):
        """Send a letter that is sealed."""
        self.letters.append(letter)
        return letter

    def close(self):
        self.letters = []
        return self.letters
''',
    "post/main.py": '''from post.session import Session


def run_office(letters):
    """Runs the office until no letter is left."""
    session = Session()
    for letter in letters:
        session.send(letter)
    report(letters)
    greet(letters)
    lock(letters)
    session.close()


def report(letters):
    return len(letters)


def greet(letters):
    return letters[0]


def lock(letters):
    return not letters


def n(letters):
    return greet(letters) and lock(letters)
''',
    "tests/test_office.py": "from post.main import run_office\n\n\n"
    "def test_office():\n    run_office(['a'])\n",
}


def test_questions_speak_of_central_and_first_code_in_its_own_words(tmp_path: Path) -> None:
    root = write_tree(tmp_path, TREE)
    index(root)
    built = open_index(root, model="none")
    asked = derived(built.generation)
    assert "How does `main.run_office` run the office until no letter is left?" in asked
    assert "How does `Session.send` send a letter?" in asked
    assert "What is `Session` for and how is it used?" in asked
    assert len(asked) == len(set(asked))
    assert not any("test_office" in question or ".n`" in question for question in asked)
    for question in asked:
        answer = collect(ask(built, question, ExtractiveNarrator(built))).answer
        first = re.search(r"^\*\*1\\?\. `([^`]+)`", answer, re.MULTILINE)
        named = re.search(r"`([^`]+)`", question)
        assert first and named
        assert first[1].split(".")[-1] == named[1].split(".")[-1]


@pytest.mark.parametrize(
    ("doc", "name", "does"),
    [
        ("Send a prepared request.", "Session.send", "send a prepared request"),
        ("Sends a request, and waits.", "Session.go", "send a request"),
        ("SendLetter seals the letter.", "mail.SendLetter", "seal the letter"),
        ("Attaches the router to a http.Server and listens.", "Engine.Run",
         "attach the router to a http.Server"),
        ("Carries the letters to which road there is.", "Van.go", "carry the letters to"),
        ("Options of the parser.", "Options", ""),
        ("Context is the most important part.", "Context", ""),
        ("This one of all.", "one", ""),
        ("Parse.", "parse", ""),
        ("", "parse", ""),
    ],
)  # fmt: skip
def test_what_a_doc_comment_says_is_done(doc: str, name: str, does: str) -> None:
    assert what_it_does(doc, name) == does.removesuffix(" to")


@given(st.text(max_size=300), st.text(max_size=30))
def test_what_is_done_is_a_short_line(doc: str, name: str) -> None:
    does = what_it_does(doc, name)
    assert len(does.split()) <= MOST_WORDS
    assert len(does.splitlines()) <= 1
    assert "`" not in does
