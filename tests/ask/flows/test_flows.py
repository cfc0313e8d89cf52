"""Kept answers: given again in no time, and never once a cited line has moved on."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from narrators_toy import Scripted
from support import commit_all, index, write_tree

from codequarry.ask import events
from codequarry.ask.ask import AskOptions, ask, collect
from codequarry.ask.events import Cached, Done
from codequarry.ask.flows.book import open_book, prune
from codequarry.ask.flows.match import content_words
from codequarry.ask.flows.store import FlowStore
from codequarry.retrieval.index import Index, Options, open_index
from codequarry.settings import Settings

if TYPE_CHECKING:
    from codequarry.ask.answer import AskAnswer

STATIC = Settings(workers=1)
TREE = {
    "shop/cart.py": (
        '"""The cart."""\n\n\ndef add_to_cart(cart, item):\n'
        '    """Put an item into the cart."""\n    cart.append(item)\n    return cart\n'
    ),
    "shop/price.py": (
        'def price_of(cart):\n    """The price of all items of a cart."""\n    return sum(cart)\n'
    ),
    "shop/mail.py": 'def send_receipt(order):\n    """Mail a receipt."""\n    return order\n',
}
QUESTION = "how is an item added to the cart"
CITES = "It is put there:\n\n[[1]]\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = write_tree(tmp_path / "shop", TREE)
    index(root, STATIC)
    return root


def told(opened: Index, question: str, narrator: Scripted, **settings: object) -> AskAnswer:
    book = open_book(opened, Settings(**settings), narrator, Options())
    return collect(ask(opened, question, narrator, AskOptions(book=book)))


def kept(shop: Path) -> AskAnswer:
    answer = told(open_index(shop), QUESTION, Scripted(CITES))
    assert answer.grounded and not answer.cached
    return answer


def again(shop: Path, question: str = QUESTION) -> tuple[AskAnswer, int]:
    narrator = Scripted("Told anew: [[1]]\n")
    return told(open_index(shop), question, narrator), narrator.called


def test_the_same_question_is_served_without_a_narrator(shop: Path):
    first = kept(shop)
    for question in (QUESTION, QUESTION.upper() + " ?", f"  {QUESTION}\n"):
        answer, called = again(shop, question)
        assert (answer.cached, called) == (True, 0)
        assert (answer.answer, answer.spans) == (first.answer, first.spans)
        assert (answer.question, answer.grounded) == (question, True)


@pytest.mark.parametrize(
    "question",
    [
        "explain how items are added to a cart",
        "where is adding an item to the cart implemented?",
        "can you show me how an item is added to the cart",
    ],
)
def test_a_rewording_is_served(shop: Path, question: str):
    kept(shop)
    assert again(shop, question)[0].cached


@pytest.mark.parametrize(
    "question",
    [
        "how is an item removed from the cart",
        "how is the price of the cart computed",
        "how is an item added to the cart mailed as a receipt to every customer",
        "cart",
        "?",
    ],
)
def test_another_question_is_not(shop: Path, question: str):
    kept(shop)
    assert not again(shop, question)[0].cached


def test_content_words_know_other_scripts():
    assert content_words("ログインはどこ") and content_words("セッションの保存") != content_words(
        "ログインはどこ"
    )
    assert content_words("Wie wird die Größe geprüft") == content_words(
        "wie wird DIE größe geprüft"
    )
    assert content_words("how does it work")  # nothing but scaffolding is still something


def cited(answer: AskAnswer, root: Path) -> Path:
    return root / answer.spans[0].path


def edit(path: Path) -> None:
    path.write_text(path.read_text().replace("append(item)", "insert(0, item)"))


def edit_unseen(path: Path) -> None:
    """The same size, the same times: only the bytes tell."""
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"append", b"extend"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size


def touch_elsewhere(path: Path) -> None:
    path.write_text(path.read_text() + "\n# another line\n")


@pytest.mark.parametrize(
    "change",
    [
        edit,
        edit_unseen,
        touch_elsewhere,
        lambda path: path.unlink(),
        lambda path: path.rename(path.with_name("moved.py")),
        lambda path: (path.unlink(), path.mkdir()),
    ],
)
@pytest.mark.parametrize("indexed", [False, True], ids=["not indexed again", "indexed again"])
def test_nothing_is_served_once_a_cited_file_changed(shop: Path, change, indexed: bool):
    answer = kept(shop)
    change(cited(answer, shop))
    if indexed:
        index(shop, STATIC)
    assert not again(shop)[0].cached


@pytest.mark.skipif(os.name == "nt", reason="needs symbolic links")
def test_a_link_out_of_the_tree_is_no_cited_file(shop: Path, tmp_path: Path):
    path = cited(kept(shop), shop)
    outside = tmp_path / "same.py"
    path.rename(outside)
    path.symlink_to(outside)
    assert not again(shop)[0].cached


def test_a_changed_file_that_is_as_it_was_is_served_again(shop: Path):
    path = cited(kept(shop), shop)
    text = path.read_text()
    edit(path)
    path.write_text(text)
    assert again(shop)[0].cached


def test_pruning_drops_what_the_index_has_not_any_more(shop: Path):
    path = cited(kept(shop), shop)
    store = FlowStore.of(open_index(shop).generation.layout)
    assert prune(open_index(shop).generation, store) == 0
    edit(path)
    index(shop, STATIC)
    assert prune(open_index(shop).generation, store) == 1
    assert store.all() == []


@pytest.mark.parametrize(
    "narrator",
    [
        Scripted("I cite nothing."),
        Scripted(CITES, error=RuntimeError("gone")),
        Scripted("[[99]]"),
    ],
)
def test_only_a_whole_grounded_answer_is_kept(shop: Path, narrator: Scripted):
    opened = open_index(shop)
    told(opened, QUESTION, narrator)
    assert FlowStore.of(opened.generation.layout).all() == []


def test_newer_replaces_older(shop: Path):
    kept(shop)
    edit(shop / "shop/cart.py")
    index(shop, STATIC)
    again(shop)
    again(shop, "explain how an item is added to the cart")
    flows = FlowStore.of(open_index(shop).generation.layout).all()
    assert [flow.question for flow in flows] == [QUESTION]
    assert "insert(0, item)" in flows[0].answer["answer"]


def test_narrators_do_not_answer_for_each_other(shop: Path):
    kept(shop)
    other = Scripted(CITES)
    other.name = "another"
    assert not told(open_index(shop), QUESTION, other).cached


def test_flows_rank_nothing(shop: Path):
    """Files of near answers come last, at most three, and the order of the others stays."""
    opened = open_index(shop)
    question = "how is the price of a cart of items computed"
    before = [found.path for found in _retrieval(opened, question, None).candidates]
    for n, path in enumerate(TREE):
        number = 1 + [c.path for c in _retrieval(opened, QUESTION, None).candidates].index(path)
        told(opened, f"how are the items {n} of a cart priced", Scripted(f"So: [[{number}]]\n"))
    narrator = Scripted(CITES)
    book = open_book(opened, Settings(), narrator, Options())
    after = [found.path for found in _retrieval(opened, question, book).candidates]
    assert after[: len(before)] == before


def _retrieval(opened: Index, question: str, book) -> events.Retrieval:
    stream = ask(opened, question, Scripted("no citation"), AskOptions(book=book))
    return next(event for event in stream if isinstance(event, events.Retrieval))


def test_the_stream_of_a_kept_answer(shop: Path):
    kept(shop)
    opened = open_index(shop)
    narrator = Scripted(CITES)
    book = open_book(opened, Settings(), narrator, Options())
    stream = list(ask(opened, QUESTION, narrator, AskOptions(book=book)))
    assert isinstance(stream[0], Cached)
    assert isinstance(stream[-1], Done)
    texts = [e.text for e in stream if isinstance(e, events.SynthesisDelta | events.Splice)]
    assert "".join(texts) == stream[-1].answer.answer
    json.dumps([event.as_json() for event in stream])


def test_turned_off_nothing_is_kept_or_served(shop: Path, monkeypatch: pytest.MonkeyPatch):
    opened, narrator = open_index(shop), Scripted(CITES)
    store = FlowStore.of(opened.generation.layout)
    told(opened, QUESTION, narrator, flows=False)
    monkeypatch.setenv("QUARRY_FLOWS", "0")
    told(opened, QUESTION, narrator)
    monkeypatch.delenv("QUARRY_FLOWS")
    store.switch.touch()
    told(opened, QUESTION, narrator)
    assert store.all() == []
    store.switch.unlink()
    told(opened, QUESTION, narrator)
    assert len(store.all()) == 1


def test_a_damaged_file_is_set_aside(shop: Path):
    kept(shop)
    store = FlowStore.of(open_index(shop).generation.layout)
    for suffix in ("-wal", "-shm"):
        store.path.with_name(store.path.name + suffix).unlink(missing_ok=True)
    store.path.write_bytes(b"not a database at all" * 100)
    assert not again(shop)[0].cached
    assert store.path.with_name("flows.sqlite.damaged").exists()
    assert again(shop)[0].cached


def test_a_newer_version_is_set_aside_whole(shop: Path):
    kept(shop)
    store = FlowStore.of(open_index(shop).generation.layout)
    with sqlite3.connect(store.path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    assert not again(shop)[0].cached


def test_without_a_model_only_the_same_question_is_served(tmp_path: Path):
    root = write_tree(tmp_path / "shop", TREE)
    index(root, Settings(model="none"))
    opened = open_index(root, model="none")
    told(opened, QUESTION, Scripted(CITES))
    assert told(opened, QUESTION, Scripted(CITES)).cached
    assert not told(opened, f"explain {QUESTION}", Scripted(CITES)).cached


def test_commits_in_gits_objects_keep_nothing(shop: Path):
    commit_all(shop)
    index(shop, STATIC)
    from codequarry.pipelines.revisions import index_revision

    index_revision(shop, Settings(), "HEAD")
    assert open_book(open_index(shop, rev="HEAD"), Settings(), Scripted(), Options()) is None


WRITER = """
import sys
from pathlib import Path
sys.path.append(sys.argv[3])
from narrators_toy import Scripted
from codequarry.ask.ask import AskOptions, ask, collect
from codequarry.ask.flows.book import open_book
from codequarry.retrieval.index import Options, open_index
from codequarry.settings import Settings
opened = open_index(Path(sys.argv[1]))
narrator = Scripted("So: [[1]]\\n")
book = open_book(opened, Settings(), narrator, Options())
for n in range(20):
    question = f"how is item {sys.argv[2]}{chr(97 + n)}{chr(97 + n)} added"
    collect(ask(opened, question, narrator, AskOptions(book=book)))
    print(question, flush=True)
"""


def writer(shop: Path, name: str) -> subprocess.Popen[str]:
    toys = str(Path(__file__).parents[1])
    command = [sys.executable, "-c", WRITER, str(shop), name, toys]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_two_processes_that_write_at_once_lose_nothing(shop: Path):
    both = [writer(shop, name) for name in ("xq", "zj")]
    said = [line for process in both for line in process.communicate()[0].split("\n") if line]
    assert len(said) == 40
    flows = FlowStore.of(open_index(shop).generation.layout).all()
    assert sorted(flow.question for flow in flows) == sorted(said)


def test_a_kill_loses_no_answer_that_was_given(shop: Path):
    process = writer(shop, "wv")
    assert process.stdout is not None
    said = [process.stdout.readline().strip() for _ in range(5)]
    process.kill()
    process.communicate()
    questions = {flow.question for flow in FlowStore.of(open_index(shop).generation.layout).all()}
    assert set(said) <= questions
