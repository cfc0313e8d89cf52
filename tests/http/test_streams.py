"""Streams of events: whole, in order, resumed without doing the work twice; and warm swaps."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

from shop import indexed_shop
from support import LEXICAL, index, write_tree

from codequarry.ask.answer import AskAnswer

if TYPE_CHECKING:
    from pathlib import Path

    import httpx
    import pytest


def _blocks(text: str) -> list[dict[str, Any]]:
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
        if "data" in fields:
            found.append({"id": fields["id"], **json.loads(fields["data"])})
    return found


def test_a_stream_holds_what_the_answer_holds(client: httpx.Client):
    question = {"question": "who adds the tax"}
    events = _blocks(client.post("/ask/stream", json=question).text)
    whole = client.post("/ask", json=question).json()
    told = "".join(
        e["text"] for e in events if e["type"] in ("synthesis_delta", "splice", "bundle")
    )
    assert told == whole["answer"] == events[-1]["answer"]["answer"]
    assert AskAnswer.of(events[-1]["answer"], 0.0).grounded
    assert [event["id"].split(":")[1] for event in events] == [
        str(n) for n in range(1, len(events) + 1)
    ]


def test_who_was_cut_off_gets_the_rest_and_no_second_run(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
):
    from codequarry.shells.http import app as module

    runs: list[int] = []
    original = module.answer_events

    def counted(*arguments: Any):
        runs.append(1)
        return original(*arguments)

    monkeypatch.setattr(module, "answer_events", counted)
    question = {"question": "who rings up an article"}
    all_of_it = _blocks(client.post("/ask/stream", json=question).text)
    third = all_of_it[2]["id"]
    rest = client.post("/ask/stream", json=question, headers={"Last-Event-ID": third}).text
    assert _blocks(rest) == all_of_it[3:]
    assert len(runs) == 1


def test_an_unknown_event_id_begins_anew(client: httpx.Client):
    for odd in ("nothing", ":3", "0000000000000000:2", "x:y", "a" * 3000):
        again = client.post(
            "/ask/stream", json={"question": "add tax"}, headers={"Last-Event-ID": odd}
        )
        assert _blocks(again.text)[0]["id"].endswith(":1")


def test_generations_are_swapped_under_load_and_never_mixed(tmp_path: Path, serving: Any):
    root = indexed_shop(tmp_path)
    faults: list[str] = []
    seen: set[str] = set()
    ended = threading.Event()

    with serving(root, readonly=True) as client:

        def ask() -> None:
            while not ended.is_set():
                answer = client.get("/search", params={"q": "marker unit late"})
                if answer.status_code != 200:
                    faults.append(answer.text)
                    continue
                found = answer.json()
                seen.add(found["generation"])
                for file in found["core"]:  # what it names must be there in that generation
                    lines = client.get("/get", params={"path": file["path"]})
                    if lines.status_code != 200:
                        faults.append(lines.text)

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        for i in range(2):
            write_tree(root, {f"late_{i}.py": f'"""Marker unit late {i}."""\n\nx = {i}\n'})
            index(root, LEXICAL)
        ended.set()
        for thread in threads:
            thread.join()
    assert not faults
    assert len(seen) >= 2
