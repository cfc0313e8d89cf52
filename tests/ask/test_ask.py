"""The stream of events: what comes in which order, on every path, and over real HTTP."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from answer_oracle import READER
from narrators_toy import Scripted

from codequarry.ask import events
from codequarry.ask.ask import ask, collect
from codequarry.ask.events import EVENTS_VERSION, Bundle, Done, Error, Splice, SynthesisDelta
from codequarry.ask.narrators.choose import choose_narrator
from codequarry.ask.narrators.openai import OpenAINarrator
from codequarry.ask.narrators.protocol import NarrationCut, Silent
from codequarry.ask.prompt import build_messages
from codequarry.errors import InvalidQuery, MissingAPIKey, ProviderError, UsageError
from codequarry.models.chat import Timeouts, open_chat
from codequarry.secrets import MASK
from codequarry.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from chat_server import ChatServer

    from codequarry.ask.candidates import Candidates
    from codequarry.ask.narrators.protocol import Narrator
    from codequarry.retrieval.index import Index

QUESTION = "How is the late fee made?"
PATHS: dict[str, Narrator] = {
    "cites": Scripted("It is made in [[1]]", ".\n"),
    "cites_nothing": Scripted("It is made."),
    "silent": Silent("extractive"),
    "no_key": Silent("openai", MissingAPIKey("set OPENAI_API_KEY")),
    "fails_at_once": Scripted(error=ProviderError("upstream failed")),
    "fails_after_text": Scripted("In [[1]].\n", error=ProviderError("upstream failed")),
    "cut": Scripted("In [[1]]", error=NarrationCut("the text was cut")),
    "bug": Scripted("In", error=ZeroDivisionError("no")),
}


@pytest.mark.parametrize("path", sorted(PATHS))
def test_done_comes_last_and_holds_what_was_streamed(fees: Index, path: str):
    stream = list(ask(fees, QUESTION, PATHS[path]))
    assert [type(event) is Done for event in stream] == [False] * (len(stream) - 1) + [True]
    answer = stream[-1].answer
    shown = [event for event in stream if isinstance(event, SynthesisDelta | Splice | Bundle)]
    assert answer.answer == "".join(event.text for event in shown)
    spans = [event for event in shown if isinstance(event, Splice)]
    assert [(s.path, s.start_line) for s in spans] == [(s.path, s.start_line) for s in answer.spans]
    for event in stream:
        document = json.loads(json.dumps(event.as_json()))
        assert (document["v"], document["type"]) == (EVENTS_VERSION, event.type)


@pytest.mark.parametrize("path", sorted(set(PATHS) - {"cites", "cut"}))
def test_what_cannot_be_relied_on_is_followed_by_all_that_was_found(fees: Index, path: str):
    stream = list(ask(fees, QUESTION, PATHS[path]))
    found = len(stream[0].candidates)
    assert sum(isinstance(event, Splice) for event in stream) == found > 1
    assert sum(isinstance(event, Bundle) for event in stream) == 1
    assert stream[-1].answer.uncited == ()


@pytest.mark.parametrize(
    ("path", "error"),
    [("no_key", "MissingAPIKey"), ("fails_after_text", "ProviderError"), ("bug", "ProviderError")],
)
def test_a_failure_is_an_event_and_the_reason_in_the_answer(fees: Index, path: str, error: str):
    stream = list(ask(fees, QUESTION, PATHS[path]))
    (failure,) = [event for event in stream if isinstance(event, Error)]
    assert failure.as_json()["class"] == error
    assert "All that was found follows" in stream[-1].answer.answer


def test_a_cut_text_is_kept_and_marked(fees: Index):
    answer = collect(ask(fees, QUESTION, PATHS["cut"]))
    assert "*(the text was cut)*" in answer.answer
    assert (answer.grounded, len(answer.spans)) == (True, 1)
    assert answer.uncited


def test_the_document_has_exactly_its_keys(fees: Index):
    document = collect(ask(fees, QUESTION, PATHS["cites"])).as_json()
    assert list(document) == [
        "question", "answer", "spans", "grounded", "narrator", "cached", "uncited",
        "void_citations", "elapsed_ms",
    ]  # fmt: skip
    assert list(document["spans"][0]) == ["path", "start_line", "end_line", "blob"]
    assert len(document["spans"][0]["blob"]) == 64


def test_no_narrator_is_asked_where_nothing_was_found(fees: Index):
    narrator = Scripted("I know anyway.")
    answer = collect(ask(fees, "?!", narrator))
    assert narrator.called == 0
    assert answer.answer.startswith("*(Nothing was found: ")
    assert (answer.grounded, answer.spans) == (False, ())


def test_a_question_that_cannot_be_asked_ends_in_done_too(fees: Index):
    stream = list(ask(fees, " \n", PATHS["cites"]))
    assert [event.type for event in stream] == ["error", "done"]
    with pytest.raises(InvalidQuery):
        collect(stream)


def test_every_event_is_named_once_and_has_a_text_of_what_it_is():
    types = [cls.type for cls in events.Event.__args__]
    assert (
        types
        == (
            "retrieval cached classified planning plan agent_start agent_delta agent_tool "
            "agent_done agent_error synthesis_start synthesis_delta splice bundle error done"
        ).split()
    )
    assert all(cls.__doc__ for cls in events.Event.__args__)


def through(server: ChatServer, idle: float = 0.5) -> OpenAINarrator:
    chat = open_chat(Settings(chat_base_url=server.url), "m", Timeouts(1, idle, 2))
    return OpenAINarrator(chat)


def test_a_model_over_http_is_grounded(fees: Index, server: ChatServer):
    server.says("It is made in [[", "1]", "].\n\n```py", "thon\nfee = 100\n``", "`\n")
    answer = collect(ask(fees, QUESTION, through(server)))
    code = [t.content for t in READER.parse(answer.answer) if t.type == "fence"]
    assert len(code) == len(answer.spans) == 1
    assert "fee = 100" not in answer.answer
    assert answer.narrator == "openai"
    body = server.requests[0]
    assert (body["stream"], body["temperature"]) == (True, 0)
    assert "[[1]]" in body["messages"][1]["content"]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ([b'data: {"error": {"message": "overloaded"}}\n\n'], "overloaded"),
        ([b"data: {broken\n\n"], "not JSON"),
        ([b": ping\n\n", 3.0], "took too long"),
        ([b"data: [DONE]\n\n"], "an empty reply"),
    ],
)
def test_a_model_that_fails_leaves_all_that_was_found(fees, server, script, reason: str):
    server.script = script
    answer = collect(ask(fees, QUESTION, through(server)))
    assert reason in answer.answer
    assert (len(answer.spans) > 1, answer.grounded) == (True, False)


def test_auto_is_a_model_only_where_one_is_set_up(fees: Index, monkeypatch: pytest.MonkeyPatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    assert choose_narrator("auto", Settings(), fees).name == "extractive"
    monkeypatch.setenv("OPENAI_API_KEY", "your-api-key")
    assert choose_narrator("auto", Settings(), fees).name == "extractive"
    with pytest.raises(MissingAPIKey, match="OPENAI_API_KEY looks like a placeholder"):
        choose_narrator("openai", Settings(), fees)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-Abcdefgh12345678")
    assert choose_narrator("auto", Settings(), fees).name == "openai"
    assert choose_narrator("extractive", Settings(), fees).name == "extractive"
    with pytest.raises(UsageError, match="no narrator"):
        choose_narrator("poet", Settings(), fees)


def test_a_small_budget_leaves_signatures_and_then_places(found: Candidates):
    whole = build_messages(QUESTION, found)[1].content
    some = build_messages(QUESTION, found, budget=180)[1].content
    none = build_messages(QUESTION, found, budget=1)[1].content
    assert "return days * base_fee()" in whole
    assert "(signatures only)" in some
    assert len(none) < len(some) < len(whole)
    for candidate in found.spans:
        for text in (whole, some, none):
            assert f"[[{candidate.number}]] {candidate.path} lines" in text


def test_the_prompt_is_the_same_every_time_and_masks_keys(tmp_path: Path):
    from support import index, write_tree

    from codequarry.ask.candidates import find_candidates
    from codequarry.retrieval.index import open_index

    key = "AK" + "IA" + "QQQQWWWWEEEERRRR"
    pem = "-----BEGIN " + "PRIVATE KEY-----\nTUFSS1BFTQ\n-----END PRIVATE KEY-----"
    code = f'def upload_key():\n    k = "{key}"\n    p = """{pem}"""\n    return k, p\n'
    index(write_tree(tmp_path / "repo", {"a.py": code}))
    opened = open_index(tmp_path / "repo", model="none")
    found = find_candidates(opened.generation, opened.search("upload key"))
    masked, again = (build_messages("upload?", found) for _ in range(2))
    assert masked == again
    assert key not in masked[1].content
    assert "TUFSS1BFTQ" not in masked[1].content
    assert MASK in masked[1].content
    assert "     6 |     return k, p" in masked[1].content
    assert key in build_messages("upload?", found, mask=False)[1].content
    answer = collect(ask(opened, "upload key", Scripted("[[1]]")))
    assert code in answer.answer


@pytest.mark.parametrize(
    "words",
    [
        "request (18987 tokens) exceeds the available context size (8192 tokens)",
        "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens",
        "prompt is too long: 210000 tokens > 200000 maximum",
    ],
)
def test_a_prompt_that_does_not_fit_is_sent_shorter(fees: Index, server: ChatServer, words: str):
    def refuses(body: dict) -> str:
        return words if len(server.requests) < 3 else ""

    server.refuses = refuses
    server.says("It is here: [[1]]\n")
    answer = collect(ask(fees, QUESTION, through(server)))
    assert answer.grounded
    sizes = [len(request["messages"][1]["content"]) for request in server.requests]
    assert len(sizes) == 3
    assert sizes == sorted(sizes, reverse=True)


def test_a_model_that_reads_nothing_leaves_all_that_was_found(fees: Index, server: ChatServer):
    server.refuses = lambda body: "the context size is exceeded"
    answer = collect(ask(fees, QUESTION, through(server)))
    assert (len(answer.spans) > 1, answer.grounded) == (True, False)
    assert "context size" in answer.answer
    assert len(server.requests) < 8
