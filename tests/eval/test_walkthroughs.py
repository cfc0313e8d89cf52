"""`quarry eval walkthroughs`: where an answer begins, and whether it comes to what it must."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import write_tree

from codequarry.errors import QuarryError
from codequarry.eval.errors import GoldenError
from codequarry.eval.run import Places
from codequarry.eval.searcher import QuarrySearcher
from codequarry.eval.walkthroughs import Score, ask_walks, load_walks

SHIPPED = Path(__file__).parents[2] / "eval" / "goldens" / "ask_walkthroughs.jsonl"
MAIL = {
    "mail.py": "def send_letter(letter):\n"
    '    """Send a letter: it is sealed first."""\n'
    "    sealed = seal_letter(letter)\n    return carry(sealed)\n\n\n"
    'def seal_letter(letter):\n    """Seal a letter that is sent."""\n'
    "    letter.wax = 1\n    return letter\n\n\n"
    'def carry(letter):\n    """Carry a letter that is sent."""\n'
    "    letter.gone = True\n    return letter\n",
}
ROW = {
    "id": "mail/1", "repo": "mail", "commit": "", "question": "how is a letter sent",
    "entry": ["mail.py#send_letter"], "then": ["mail.py#seal_letter", "mail.py#carry"],
    "good": True, "why": "in order",
}  # fmt: skip


def written(root: Path, *changes: dict[str, object]) -> Path:
    write_tree(root / "mail", MAIL)
    file = root / "walks.jsonl"
    rows = [json.dumps(ROW | change) for change in changes]
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("change", "entry_first", "in_order", "to_the_point"),
    [
        ({}, True, True, True),
        ({"entry": ["mail.py#mail.send_letter"]}, True, True, True),
        ({"entry": ["mail.py#carry"]}, False, True, False),
        ({"entry": ["other.py#send_letter"]}, False, True, False),
        ({"entry": ["mail.py#letter"]}, False, True, False),
        ({"then": ["mail.py#carry", "mail.py#seal_letter"]}, True, False, True),
        ({"entry": ["mail.py#gone"], "then": ["mail.py#send_letter"]}, False, True, True),
    ],
)
def test_an_answer_is_scored_by_its_steps(
    tmp_path: Path,
    change: dict[str, object],
    entry_first: bool,
    in_order: bool,
    to_the_point: bool,
) -> None:
    walks = load_walks(written(tmp_path, change))
    [(_, found)] = ask_walks(walks, QuarrySearcher("none"), Places(tmp_path))
    assert isinstance(found, Score)
    assert found.steps[0] == "mail.py#mail.send_letter"
    told = (found.entry_first, found.in_order, found.to_the_point)
    assert told == (entry_first, in_order, to_the_point)
    assert found.short
    assert found.met == (entry_first and in_order and to_the_point)


def test_a_repository_that_is_not_there_is_told_and_the_others_are_asked(tmp_path: Path, quarry):
    file = written(tmp_path, {}, {"id": "gone/1", "repo": "gone", "good": False})
    found = [f for _, f in ask_walks(load_walks(file), QuarrySearcher("none"), Places(tmp_path))]
    assert [isinstance(value, QuarryError) for value in found] == [False, True]
    done = quarry("eval", "walkthroughs", file, "--model", "none")
    assert "1 questions: 1 meet the score, 1 marked good by a person" in done.out
    assert "not asked: gone" in done.err


def test_a_wrong_line_is_named(tmp_path: Path) -> None:
    file = written(tmp_path, {})
    file.write_text(file.read_text() + '{"id": "x"}\n', encoding="utf-8")
    with pytest.raises(GoldenError, match="line 2"):
        load_walks(file)


def test_the_shipped_questions_can_be_read_and_name_commits() -> None:
    walks = load_walks(SHIPPED)
    assert len({walk.id for walk in walks}) == len(walks) >= 40
    assert all(len(walk.commit) == 40 and walk.entry and walk.why for walk in walks)
    assert all("#" in place for walk in walks for place in (*walk.entry, *walk.then))
