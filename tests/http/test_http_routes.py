"""Each route answers what the command line answers, as the documented JSON."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from typing import TYPE_CHECKING

import pytest
from shop import SHOP, indexed_shop
from support import QUARRY, write_tree

import codequarry

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    import httpx
    from support import Ran

JSON = {"Content-Type": "application/json"}


def test_health_says_whether_it_can_answer(client: httpx.Client):
    assert client.get("/health").json() == {
        "status": "ok",
        "version": codequarry.__version__,
        "ready": True,
    }


def test_config_tells_how_it_is_served_and_no_secret(client: httpx.Client):
    found = client.get("/config").json()
    assert (found["name"], found["readonly"], found["narrator"]) == ("shop", True, "extractive")
    assert "token" not in found


def test_search_is_that_of_the_command_line(
    client: httpx.Client, shop: Path, quarry: Callable[..., Ran]
):
    ours = client.get("/search", params={"q": "ring up an article"}).json()
    theirs = json.loads(quarry("-C", shop, "search", "ring up an article", "--json").out)
    for answer in (ours, theirs):
        del answer["elapsed_ms"]
    assert ours == theirs


def test_a_posted_search_is_the_same_as_a_got_one(client: httpx.Client):
    values = {"q": "add tax", "role": ["code"], "max_tokens": 200}
    got, posted = client.get("/search", params=values), client.post("/search", json=values)
    first, second = got.json(), posted.json()
    del first["elapsed_ms"], second["elapsed_ms"]
    assert first == second
    assert first["core"][0]["path"] == "shop/tax.py"


def test_search_takes_filters_and_the_flat_form(client: httpx.Client):
    only = client.get("/search", params={"q": "tax", "glob": ["mod_*"]}).json()
    assert {f["path"] for f in only["core"] + only["related"]} <= {f"mod_0{i}.py" for i in range(4)}
    flat = client.get("/search", params={"q": "add tax", "prune": "true"}).json()
    assert flat["chunks"][0]["path"] == "shop/tax.py"


def test_docsearch_gives_sections(client: httpx.Client):
    hit = client.get("/docsearch", params={"q": "ringing up"}).json()["hits"][0]
    assert (hit["path"], hit["slug"]) == ("docs/guide.md", "ringing-up")


def test_get_gives_lines_from_disk(client: httpx.Client):
    found = client.get("/get", params={"path": "shop/tax.py", "start": 4, "end": 4}).json()
    assert found["text"] == "def add_tax(price):\n"


def test_chunks_symbols_and_skipped(client: httpx.Client):
    chunks = client.get("/chunks", params={"path": "shop/tax.py"}).json()["chunks"]
    assert [chunk["start_line"] for chunk in chunks] == [1]
    symbol = client.get("/symbols", params={"name": "ring_up"}).json()["rows"][0]
    assert (symbol["path"], symbol["line"]) == ("shop/till.py", 6)
    skipped = client.get("/skipped").json()
    assert [(row["path"], row["reason"]) for row in skipped["skipped_files"]] == [
        ("blank.py", "empty")
    ]


def test_status_counts_files_by_folder(client: httpx.Client):
    found = client.get("/status").json()
    assert found["folders"] == {"": 5, "shop": 2, "docs": 1}
    assert found["standing"]["state"] == "ready"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"op": "callers", "what": "add_tax"}, "shop.till.ring_up"),
        ({"op": "callees", "what": "ring_up"}, "shop.tax.add_tax"),
        ({"op": "refs", "what": "add_tax"}, "shop/till.py"),
        ({"op": "impact", "what": "add_tax"}, "shop.till.ring_up"),
        ({"op": "node", "what": "shop/tax.py"}, "Taxes."),
        ({"op": "path", "from": "shop/till.py", "to": "shop/tax.py"}, '"found":true'),
        ({"op": "map"}, '"nodes"'),
    ],
)
def test_the_graph_answers(client: httpx.Client, values: dict[str, str], expected: str):
    answer = client.get("/graph", params=values)
    assert answer.status_code == 200
    assert expected in answer.text


def test_a_graph_question_says_what_it_needs(client: httpx.Client):
    answer = client.get("/graph", params={"op": "callers"})
    assert answer.status_code == 422
    assert answer.json()["error"]["message"] == "op=callers needs what"


def test_ask_answers_with_code_from_disk(client: httpx.Client):
    answer = client.post("/ask", json={"question": "who adds the tax"}).json()
    assert "return price * 1.2" in answer["answer"]
    assert answer["grounded"] is True


def test_an_answer_is_kept_unless_the_server_only_reads(
    tmp_path: Path, serving: Callable[..., AbstractContextManager[httpx.Client]]
):
    root = indexed_shop(tmp_path)
    with serving(root) as client:
        first = client.post("/ask", json={"question": "who adds the tax"}).json()
        again = client.post("/ask", json={"question": "who adds the tax"}).json()
        assert (first["cached"], again["cached"]) == (False, True)
        kept = client.get("/flows").json()
        assert (kept["count"], kept["flows"][0]["holds"]) == (1, True)
        assert kept["suggestions"]


def test_what_is_wrong_has_one_form(client: httpx.Client):
    for answer, status in (
        (client.get("/nothing"), 404),
        (client.post("/health", json={}), 405),
        (client.get("/search"), 422),
        (client.get("/search", params={"q": "x", "limt": 3}), 422),
        (client.get("/search", params={"q": " "}), 422),
        (client.get("/get", params={"path": "none.py"}), 404),
        (client.get("/get", params={"path": "shop/tax.py", "start": 99}), 422),
        (client.post("/ask", json=["question"]), 422),
        (client.post("/ask", json={"question": 7}), 422),
        (client.post("/ask", json={"question": "x", "docs": "yes"}), 422),
        (client.post("/ask", content=b"{", headers=JSON), 422),
        (client.post("/ask", content=b"[" * 90_000, headers=JSON), 422),
        (client.post("/ask?question=x", json={}), 422),
        (client.post("/index", json={}), 403),
        (client.get("/search?q=x&q=y"), 422),
        (client.get("/search", params={"q": "x", "walk_depth": "9"}), 422),
        (client.get("/search", params={"q": "x", "walk_depth": "1e3"}), 422),
        (client.post("/search", json={"q": "x " * 60_000}), 422),
    ):
        assert answer.status_code == status, answer.text
        assert set(answer.json()["error"]) >= {"class", "code", "message", "hint"}


def test_without_an_index_it_is_said_and_can_be_made(
    tmp_path: Path, serving: Callable[..., AbstractContextManager[httpx.Client]]
):
    root = write_tree(tmp_path / "shop", SHOP)
    with serving(root) as client:
        early = client.get("/search", params={"q": "tax"})
        assert (early.status_code, early.headers["retry-after"]) == (503, "2")
        events = []
        with client.stream("POST", "/index/stream", json={}) as stream:
            for line in stream.iter_lines():
                if line.startswith("data:"):
                    events.append(json.loads(line[5:]))
        assert {event["type"] for event in events[:-1]} == {"progress"}
        assert events[-1]["type"] == "done"
        assert events[-1]["report"]["files"] == 8
        assert client.get("/search", params={"q": "tax"}).status_code == 200
        started = client.post("/index", json={})
        assert (started.status_code, started.json()["started"]) == (202, True)
        while client.get("/status").json()["standing"]["state"] == "indexing":
            time.sleep(0.1)


def test_the_command_serves_and_ends_when_told(shop: Path):
    command = [*QUARRY, "-C", str(shop), "serve", "--port", "0", "--json", "--readonly"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["url"]
        with urllib.request.urlopen(f"{address}health") as answer:
            assert json.load(answer)["ready"] is True
        if sys.platform == "win32":
            process.kill()
        else:
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0


def test_a_taken_port_is_one_line(shop: Path, quarry: Callable[..., Ran]):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = quarry("-C", shop, "serve", "--port", str(taken.getsockname()[1]), "--readonly")
    assert ran.status == 1
    assert ran.err.splitlines()[1:] == ["hint: give another --port; 0 takes a free one"]


def test_others_reach_it_only_with_a_token(shop: Path, quarry: Callable[..., Ran]):
    ran = quarry("-C", shop, "serve", "--host", "0.0.0.0", "--port", "0")
    assert ran.status == 2
    assert "no token is set" in ran.err
